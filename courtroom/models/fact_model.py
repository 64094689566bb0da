"""Base of every fact of the dossier."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class FactModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Place(FactModel):
    """One line of a file; lines are 1-based."""

    path: str
    line: int = Field(ge=1)
