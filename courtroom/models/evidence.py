"""Evidence of the detectives, and the outcomes of checks.

Evidence is part of the report contract `automaton-auditor/report@1`
(published as rubric/report.schema.json).
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from courtroom.analysis.security.committed_secrets import redacted
from courtroom.models.canonical_json import digest_of
from courtroom.models.frozen_record import Frozen
from courtroom.models.root_cause import RootCause

# Tag of lines that a judge cited beyond what the detectives found.
CITED_TAG = "cited"
# Tag of what shows a possible prompt injection; the second tag where only a screening named it.
INTEGRITY_TAG, SCREENED_TAG, ASIDE_TAG = "integrity", "screened", "set_aside"
DetectiveName = Literal["RepoInvestigator", "DocAnalyst", "VisionInspector"]


class Location(Frozen):
    """Place to look at: lines of a file at a commit, a page of the PDF, or a commit itself.

    Lines and pages are 1-based. All null means the whole submission (used for absence).
    """

    path: str | None = None
    line_start: int | None = Field(default=None, ge=1)
    line_end: int | None = Field(default=None, ge=1)
    page: int | None = Field(default=None, ge=1)
    commit: str | None = None

    @property
    def words(self) -> str:
        """`src/graph.py:12`, `page 3`, `commit 1a2b3c4d`, or "" for the whole submission."""
        if self.path:
            return f"{self.path}:{self.line_start}" if self.line_start else self.path
        if self.page:
            return f"page {self.page}"
        return f"commit {self.commit[:8]}" if self.commit else ""


class Evidence(Frozen):
    """One thing that a detective found, or looked for without success.

    It holds no score and no quality word. `content` with a path and lines is verbatim those lines
    at that commit; without lines it states what was looked for or counted. `confidence` is 0..1.
    """

    id: str
    detective: DetectiveName
    check: str
    goal: str
    found: bool
    content: str | None
    location: Location
    rationale: str
    confidence: float = Field(ge=0, le=1)
    tags: tuple[str, ...] = ()

    @property
    def is_vain_search(self) -> bool:
        """True where nothing was recognised, and `content` says what was looked for everywhere."""
        return bool(self.content) and not self.found and not self.location.words


def evidence(
    *,
    detective: DetectiveName,
    check: str,
    goal: str,
    found: bool,
    rationale: str,
    content: str | None = None,
    location: Location | None = None,
    confidence: float = 1.0,
    tags: tuple[str, ...] = (),
) -> Evidence:
    """Build evidence with its stable id: a hash of check, location and content (DESIGN 5).

    All evidence is built here, so that no quoted secret is recorded: only its kind is kept.
    """
    place = location or Location()
    content = content and redacted(content, place.path or "")
    rationale = redacted(rationale)
    key = digest_of([check, place.model_dump(mode="json"), content])[:8]
    return Evidence(
        id=f"E-{key}",
        detective=detective,
        check=check,
        goal=goal,
        found=found,
        content=content,
        location=place,
        rationale=rationale,
        confidence=confidence,
        tags=tags,
    )


class CheckOutcome(Frozen):
    """Result of one check: met, not met, or null: not established (with the reason) or not applicable.

    `has_failed`: not established because the detective, or a reader of it, failed.
    `not_applicable`: established that what the check is about is not there. It speaks against the
    criterion with the weight of an unmet check. `fault`: which of several faults is so.
    `has_reservation`: the reason of a check that is met also says what is missing.
    """

    check: str
    met: bool | None
    reason: str
    evidence: tuple[str, ...] = ()
    has_failed: bool = Field(default=False, exclude_if=lambda has_failed: not has_failed)
    not_applicable: RootCause | None = Field(default=None, exclude_if=lambda cause: cause is None)
    fault: str = Field(default="", exclude_if=lambda fault: not fault)
    has_reservation: bool = Field(default=False, exclude_if=lambda reserved: not reserved)

    @property
    def speaks_against(self) -> bool:
        """True where scores count the check as unmet."""
        return self.met is False or self.not_applicable is not None

    @property
    def is_established(self) -> bool:
        return self.met is not None or self.not_applicable is not None
