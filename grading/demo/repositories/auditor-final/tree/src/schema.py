"""Typed state of the auditor."""

import operator
from typing import Annotated, TypedDict

from pydantic import BaseModel, Field


class Evidence(BaseModel):
    key: str
    goal: str
    found: bool
    location: str
    confidence: float = Field(default=1.0, ge=0, le=1)


class JudicialOpinion(BaseModel):
    judge: str
    criterion_id: str
    score: int = Field(ge=1, le=5)
    argument: str
    cited_evidence: list[str]


class AgentState(TypedDict, total=False):
    repo_url: str
    pdf_path: str
    evidences: Annotated[dict[str, list[Evidence]], operator.ior]
    opinions: Annotated[list[JudicialOpinion], operator.add]
    errors: Annotated[list[str], operator.add]
    report: str
