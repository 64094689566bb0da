"""Result of one detective, and the dossier of all three; both travel as plain JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import Field

from courtroom.checks.registry import Check
from courtroom.models.audit_report import Integrity, RecordedError, Usage
from courtroom.models.errors import CourtroomError
from courtroom.models.evidence import CheckOutcome, DetectiveName, Evidence, Location
from courtroom.models.facts import Facts
from courtroom.models.frozen_record import Frozen


class Claim(Frozen):
    """A repository path that the report names, as written, with the passage that names it.

    `is_of_plan`: it is where an item of a chapter of plans belongs.
    """

    path: str
    page: int
    passage: str
    is_of_plan: bool = False


class Suspicion(Frozen):
    """Text that addresses the graders, as a person reads it; `why` finishes "this passage ...".

    `aside` is the kind of a file that is not the product, such as test: it is no flag.
    """

    text: str
    why: str
    location: Location
    aside: str = ""


class TranscribedDiagram(Frozen):
    """A picture of the report as a model read it (analysis/pdf/pdf_content.py: VisionPicture)."""

    page: int
    labels: tuple[str, ...]
    edges: tuple[tuple[int, int], ...]


class DetectiveResult(Frozen):
    """One detective's answers to the checks it owes.

    `facts` and `reasons` are the detective's part of the dossier (courtroom.models.facts.Facts), as
    JSON. `paths` is the repository's file list, `empty_paths` are the files of no byte, `changed_at`
    the times of the commits that changed each (analysis/git/change_times.py), `claims` the report's.
    The aggregator compares them and answers the checks that need both, which are therefore missing
    from `outcomes`.
    `pictures` are the report's pictures as a model read them, null when none looked; `usage` is the
    cost of that with `model`.
    """

    detective: DetectiveName
    evidence: tuple[Evidence, ...] = ()
    outcomes: tuple[CheckOutcome, ...] = ()
    facts: dict[str, Any] = Field(default_factory=dict)
    reasons: dict[str, str] = Field(default_factory=dict)
    errors: tuple[RecordedError, ...] = ()
    paths: tuple[str, ...] | None = None
    empty_paths: tuple[str, ...] = ()
    changed_at: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    claims: tuple[Claim, ...] | None = None
    suspicions: tuple[Suspicion, ...] = ()
    pictures: tuple[TranscribedDiagram, ...] | None = None
    usage: Usage = Usage()
    model: str = ""


class Dossier(Frozen):
    """Everything that was established, in the rubric's order: the basis of judges and report."""

    evidence: tuple[Evidence, ...]
    outcomes: tuple[CheckOutcome, ...]
    facts: Facts
    errors: tuple[RecordedError, ...]
    integrity: Integrity


# The facts of the dossier that each source of evidence answers for.
HISTORY_FACTS = ("commit_count", "bulk_upload", "author_count", "history", "earlier_audits")
PATH_FACTS = ("pdf_claimed_paths", "pdf_hallucinated_paths")
NAME_FACTS = ("pdf_code_names", "pdf_missing_names")
CLAIM_FACTS = ("pdf_claims",)
DOCUMENT_FACTS = (
    "pdf_pages",
    "pdf_characters",
    "pdf_images",
    "pdf_terms",
    *PATH_FACTS,
    *NAME_FACTS,
    *CLAIM_FACTS,
)
DIAGRAM_FACTS = ("pdf_diagram",)
JOINT_FACTS = ("diagrams",)
RECORDED_FACTS = ("exchange",)
# All other facts come from the survey of the sources.
SOURCE_FACTS = tuple(
    name
    for name in Facts.model_fields
    if name
    not in {
        *HISTORY_FACTS,
        *DOCUMENT_FACTS,
        *DIAGRAM_FACTS,
        *JOINT_FACTS,
        *RECORDED_FACTS,
        "unknown",
    }
)


def recorded_error(stage: str, error: CourtroomError) -> RecordedError:
    return RecordedError(stage=stage, code=error.code, message=error.message)


def failed_result(
    detective: DetectiveName, checks: Iterable[Check], error: CourtroomError, facts: Iterable[str]
) -> DetectiveResult:
    """A detective that could examine nothing: its error, every check open, its facts unknown."""
    return DetectiveResult(
        detective=detective,
        outcomes=tuple(
            CheckOutcome(check=check.id, met=None, reason=error.message, has_failed=True)
            for check in checks
        ),
        reasons=dict.fromkeys(facts, error.message),
        errors=(recorded_error(detective, error),),
    )
