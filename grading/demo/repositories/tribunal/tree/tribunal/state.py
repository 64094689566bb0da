"""What travels through the graph: typed evidence on its way in, typed opinions on its way out."""

import operator
from typing import Annotated, Literal

from pydantic import BaseModel, Field
from typing_extensions import TypedDict


class Evidence(BaseModel):
    """One observation. It says what was seen and where, never how good it is."""

    id: str
    goal: str
    found: bool
    location: str
    content: str = ""
    confidence: float = Field(default=1.0, ge=0, le=1)
    is_security: bool = False


class Criterion(BaseModel):
    id: str
    name: str
    question: str
    is_architecture: bool = False


class JudicialOpinion(BaseModel):
    """A judge's answer on one criterion."""

    judge: Literal["Prosecutor", "Defense", "TechLead"]
    criterion_id: str
    score: int = Field(ge=1, le=5)
    argument: str
    cited_evidence: list[str]


class Ruling(BaseModel):
    """The Chief Justice's decision; `rules` names every rule that changed it."""

    criterion_id: str
    score: int = Field(ge=1, le=5)
    rules: list[str]
    dissent: str = ""


class AgentState(TypedDict, total=False):
    """Detectives and judges write in parallel, so what they share is merged or appended, never replaced."""

    repo_url: str
    pdf_path: str
    criteria: list[Criterion]
    evidences: Annotated[dict[str, list[Evidence]], operator.ior]
    opinions: Annotated[list[JudicialOpinion], operator.add]
    errors: Annotated[list[str], operator.add]
    rulings: list[Ruling]
    report: str
