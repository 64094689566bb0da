"""Record of an audit that could not begin: its input was refused, so there is no verdict."""

from __future__ import annotations

from typing import Any, Literal
from urllib.parse import urlsplit, urlunsplit

from pydantic import ConfigDict, Field

from courtroom.models.errors import InputRefused, PdfRefused, RepositoryRefused, UrlRefused
from courtroom.models.frozen_record import Frozen

Stage = Literal["address", "clone", "pdf", "start"]
STAGES: tuple[tuple[type[InputRefused], Stage], ...] = (
    (UrlRefused, "address"),
    (RepositoryRefused, "clone"),
    (PdfRefused, "pdf"),
)


class RefusedAudit(Frozen):
    """The repository, when the audit ended (ISO 8601, UTC), at which stage, and why.

    `repo_url` has no credentials. `status` is the one that no report has.
    """

    schema_: Literal["automaton-auditor/refused@1"] = Field(
        default="automaton-auditor/refused@1", alias="schema"
    )
    status: Literal["refused"] = "refused"
    repo_url: str
    ref: str | None
    ended_at: str
    stage: Stage
    code: str
    message: str

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    def as_json(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True)


def refused_audit(
    repo_url: str, ref: str | None, refused: InputRefused, ended_at: str
) -> RefusedAudit:
    stage = next((stage for kind, stage in STAGES if isinstance(refused, kind)), "start")
    return RefusedAudit(
        repo_url=_without_credentials(repo_url),
        ref=ref,
        ended_at=ended_at,
        stage=stage,
        code=refused.code,
        message=refused.message,
    )


def _without_credentials(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        # What cannot be split may hide them anywhere.
        return address.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
