"""A wing of the only door to the courtroom (engine.py): what a changed rubric would make of stored reports.

Importing it is cheap; what it imports of the courtroom, inside its functions, is light: no langgraph, no model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from grading.core.errors import InputRefused
from grading.engine.events import CriterionRow
from grading.engine.report import parse_report

if TYPE_CHECKING:
    from courtroom import Constitution, Rubric, RubricRevision
    from courtroom.models.record import CriterionResult

Document = Mapping[str, Any]
NOTHING_SCORED = "nothing could be scored from what is on the record. They keep what they have until they are audited again."


@dataclass(frozen=True, slots=True)
class Outlook:
    """A verdict to come. `reheard`: criteria on which heuristic judges were heard again; `outdated`: criteria whose
    opinions, by a model, were given on another text; `open`: by criterion, the checks only a new audit can answer."""

    criteria: tuple[CriterionRow, ...]
    reheard: frozenset[str]
    outdated: frozenset[str]
    open: Mapping[str, tuple[str, ...]]


@dataclass
class Foresight:
    """A rubric that is not in force yet, held against any number of reports.

    `document` is a rubric that can be judged by (rubric_engine.rubric_faults); `rules` is the name of a shipped
    constitution in place of its own.
    """

    document: Mapping[str, Any]
    rules: str = ""
    _revisions: dict[str, RubricRevision] = field(default_factory=dict)

    def of(self, report: Document, *, before: Mapping[str, Any], digest: str) -> Outlook:
        """What it makes of a report that was judged under `before`, a rubric of this digest.

        Raises InputRefused for a report that cannot be read, was judged under another text, or of which nothing
        could be scored: such a verdict takes nobody's place.
        """
        from courtroom import InputRefused as Refused
        from courtroom import preview_rubric

        try:
            seen = preview_rubric(report, self._revision(before, digest), self._constitution)
        except Refused as error:
            raise InputRefused(error.code, error.message) from error
        if seen.verdict.status == "degraded":
            raise InputRefused("nothing_scored", NOTHING_SCORED)
        return Outlook(
            criteria=tuple(_row(result) for result in seen.verdict.criteria),
            reheard=frozenset(seen.reheard),
            outdated=frozenset(seen.outdated) | self._outdated_before(report),
            open=self._open_in(seen.verdict.criteria),
        )

    @cached_property
    def _rubric(self) -> Rubric:
        from courtroom import Rubric

        return Rubric.model_validate(self.document)

    @cached_property
    def _constitution(self) -> Constitution:
        from courtroom import constitution_of, preset

        return preset(self.rules) if self.rules else constitution_of(self._rubric)

    def _revision(self, before: Mapping[str, Any], digest: str) -> RubricRevision:
        """One for each text that was judged under: comparing two rubrics is half the work."""
        from courtroom import Rubric, RubricRevision

        if digest not in self._revisions:
            self._revisions[digest] = RubricRevision(Rubric.from_stored(before), self._rubric)
        return self._revisions[digest]

    def _open_in(self, results: Sequence[CriterionResult]) -> dict[str, tuple[str, ...]]:
        """Goals by criterion; also what an earlier re-synthesis had left open."""
        from courtroom.replay.stored_checks import NEEDS_THE_SUBMISSION

        found = {
            result.id: tuple(
                check.goal for check in result.checks if check.reason == NEEDS_THE_SUBMISSION
            )
            for result in results
        }
        return {criterion: goals for criterion, goals in found.items() if goals}

    def _outdated_before(self, report: Document) -> frozenset[str]:
        """The criteria of which an earlier re-synthesis says that their judges argued on another text."""
        from courtroom.replay.resynthesis import OUTDATED

        messages = [error.message for error in parse_report(report).errors_of(OUTDATED)]
        return frozenset(
            criterion.id
            for criterion in self._rubric.criteria
            if any(message.startswith(f"{criterion.name}: ") for message in messages)
        )


def _row(result: CriterionResult) -> CriterionRow:
    return CriterionRow(
        criterion_id=result.id,
        name=result.name,
        score=result.final_score,
        level=result.level or "",
        points=result.points,
        max_points=result.max_points,
        needs_review=result.needs_review,
        excluded=result.excluded,
    )
