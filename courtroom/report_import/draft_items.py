"""What a draft is made of: a criterion and an opinion as far as they were told. Each is itself, whatever it holds."""

from __future__ import annotations

from dataclasses import dataclass, field

from courtroom.models.record import Persona
from courtroom.report_import.imported_report import ImportedScore

# Two tellings of one argument, of which one was cut short.
SAME_BEGINNING = 60


@dataclass(eq=False)
class DraftOpinion:
    judge: Persona | str
    line: int | None
    score: ImportedScore | None = None
    argument: str = ""
    cited: list[str] = field(default_factory=list)


@dataclass(eq=False)
class DraftCriterion:
    name: str
    id: str | None
    line: int | None
    score: ImportedScore | None = None
    score_line: int | None = None
    level: str | None = None
    excluded: bool = False
    sources: set[str] = field(default_factory=set)
    opinions: list[DraftOpinion] = field(default_factory=list)
    dissent: str = ""
    remediation: str = ""


def is_told_again(earlier: DraftOpinion, score: ImportedScore | None, argument: str) -> bool:
    """Told again when the score is the same, or one of the two lacks it; a re-hearing has another score."""
    if earlier.score and score:
        return earlier.score.value == score.value
    return (
        earlier.argument[:SAME_BEGINNING] == argument[:SAME_BEGINNING]
        or not earlier.argument
        or not argument
        or score is not None
    )
