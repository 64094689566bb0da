"""State of the court."""

import operator
from typing import Annotated, TypedDict

from pydantic import BaseModel


class Evidence(BaseModel):
    source: str
    found: bool
    note: str


class JudicialOpinion(BaseModel):
    judge: str
    criterion_id: str
    score: int
    argument: str


class CourtState(TypedDict):
    repo_url: str
    pdf_path: str
    evidences: Annotated[list[Evidence], operator.add]
    opinions: Annotated[list[JudicialOpinion], operator.add]
    verdict: str
