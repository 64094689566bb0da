import operator
from typing import Annotated, TypedDict

from pydantic import BaseModel, Field


class Evidence(BaseModel):
    goal: str
    found: bool
    content: str = ""


class JudicialOpinion(BaseModel):
    judge: str
    criterion_id: str
    score: int = Field(ge=1, le=5)
    argument: str
    cited_evidence: list[str]


class AuditState(TypedDict):
    repo_url: str
    pdf_path: str
    evidences: Annotated[dict[str, Evidence], operator.ior]
    opinions: Annotated[list[JudicialOpinion], operator.add]
    report: str
