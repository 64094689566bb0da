"""What every fact of the dossier is made from."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class FactModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Place(FactModel):
    path: str
    line: int = Field(ge=1)
