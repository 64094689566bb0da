"""What goes into the courtroom: frozen inputs, nothing that a tenant or a database would recognise."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr

from courtroom.justice.rules import Constitution
from courtroom.record import AuditReport, JudicialOpinion, Persona
from courtroom.rubric import Rubric

MEBIBYTE = 1024 * 1024


class CaseModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Limits(CaseModel):
    """Sizes in bytes, times in seconds. The numbers were measured on hostile input (docs/architecture.md)."""

    clone_seconds: float = 120
    repository_bytes: int = 300 * MEBIBYTE
    tree_entries: int = 20_000
    path_bytes: int = 1024
    commits: int = 5000
    source_file_bytes: int = 512 * 1024
    source_bytes: int = 50 * MEBIBYTE
    pdf_bytes: int = 25 * MEBIBYTE
    pdf_pages: int = 200
    pdf_text_characters: int = 2_000_000
    child_memory_bytes: int = 1024 * MEBIBYTE
    child_cpu_seconds: int = 60
    child_seconds: float = 90


class Case(CaseModel):
    """One hand-in. `repo_url` is https; a path, file:// or http://127.0.0.1 only with `allow_local`."""

    repo_url: str
    ref: str | None = None
    pdf: Path | None = None
    rubric: Rubric
    constitution: Constitution
    allow_local: bool = False
    limits: Limits = Limits()


class BenchSettings(CaseModel):
    """Who answers. `heuristic` needs nothing; `llm` needs a model per persona at an OpenAI-compatible endpoint."""

    kind: Literal["heuristic", "llm"] = "heuristic"
    models: dict[Persona, str] = Field(default_factory=dict)
    api_key: SecretStr | None = None
    base_url: str | None = None
    concurrency: int = Field(default=30, ge=1)
    deadline_seconds: float = Field(default=60, gt=0)
    max_completion_tokens: int = Field(default=1200, ge=64)
    fence_secret: SecretStr = SecretStr("courtroom")


class Known(CaseModel):
    """What need not be computed or bought again: an earlier report, and opinions stored as they arrived.

    An opinion is used only under the same `key`; the report's evidence only for the same commit, PDF,
    rubric digest and courtroom version.
    """

    report: AuditReport | None = None
    opinions: tuple[JudicialOpinion, ...] = ()
