"""Models of the pipeline."""

from pydantic import BaseModel, Field


class Evidence(BaseModel):
    goal: str
    found: bool
    location: str = ""


class JudicialOpinion(BaseModel):
    judge: str
    criterion_id: str
    score: int = Field(ge=1, le=5)
    argument: str
    cited_evidence: list[str] = []


class PipelineState(BaseModel):
    """One step at a time writes, so plain lists are enough."""

    repo_url: str
    pdf_path: str
    evidence: list[Evidence] = []
    opinions: list[JudicialOpinion] = []
    verdict: str = ""
