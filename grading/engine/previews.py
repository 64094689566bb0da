"""Verdicts that a changed rubric would give to stored reports.

Importing this module is cheap. The courtroom's modules that its functions import are light: no
langgraph and no model.
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
    from courtroom.models.audit_report import CriterionResult
    from courtroom.synthesis.guard_time import GuardTime

Document = Mapping[str, Any]
# Of processor time, for all reports of a preview together; guards of real rules take milliseconds.
GUARD_SECONDS = 5.0
NOTHING_SCORED = (
    "nothing could be scored from the stored evidence. Results stay until the submissions are "
    "audited again."
)


@dataclass(frozen=True, slots=True)
class PreviewedVerdict:
    """Verdict that a rubric would give to a stored report.

    `reheard` are criteria that the heuristic judges heard again, `outdated` those whose opinions a
    model gave on another text. `open_checks` are goals, by criterion, that need a new audit.
    """

    criteria: tuple[CriterionRow, ...]
    reheard: frozenset[str]
    outdated: frozenset[str]
    open_checks: Mapping[str, tuple[str, ...]]


@dataclass
class RubricPreviewer:
    """Preview of a rubric on any number of reports.

    `document` has no faults (engine.rubrics.rubric_faults); `rules` names a shipped constitution
    in place of its own.
    """

    document: Mapping[str, Any]
    rules: str = ""
    _revisions: dict[str, RubricRevision] = field(default_factory=dict)

    def verdict_on(
        self, report: Document, *, before: Mapping[str, Any], digest: str
    ) -> PreviewedVerdict:
        """Return the verdict on a report that was judged under `before`, a rubric of this digest.

        Raises InputRefused for a report that cannot be read, was judged under another text, or
        would have no score at all: such a verdict never replaces another. So is every report once
        the guards of the rules have used up their time.
        """
        from courtroom import InputRefused as Refused
        from courtroom import preview_rubric
        from courtroom.synthesis.guard_time import limited

        try:
            with limited(self._guard_time):
                preview = preview_rubric(report, self._revision(before, digest), self._constitution)
        except Refused as error:
            raise InputRefused(error.code, error.message) from error
        if preview.verdict.status == "degraded":
            raise InputRefused("nothing_scored", NOTHING_SCORED)

        return PreviewedVerdict(
            criteria=tuple(_row(result) for result in preview.verdict.criteria),
            reheard=frozenset(preview.reheard),
            outdated=frozenset(preview.outdated) | self._outdated_before(report),
            open_checks=self._open_checks(preview.verdict.criteria),
        )

    @cached_property
    def _guard_time(self) -> GuardTime:
        from courtroom.synthesis.guard_time import GuardTime

        return GuardTime(GUARD_SECONDS)

    @cached_property
    def _rubric(self) -> Rubric:
        from courtroom import Rubric

        # Not from_stored: a rubric without faults has no checks of unknown kinds.
        return Rubric.model_validate(self.document)

    @cached_property
    def _constitution(self) -> Constitution:
        from courtroom import constitution_of, preset

        return preset(self.rules) if self.rules else constitution_of(self._rubric)

    def _revision(self, before: Mapping[str, Any], digest: str) -> RubricRevision:
        """Return the comparison with an earlier rubric, made once per digest."""
        from courtroom import Rubric, RubricRevision

        # Comparing two rubrics is half the work of a preview.
        if digest not in self._revisions:
            self._revisions[digest] = RubricRevision(Rubric.from_stored(before), self._rubric)
        return self._revisions[digest]

    def _open_checks(self, results: Sequence[CriterionResult]) -> dict[str, tuple[str, ...]]:
        """Return goals by criterion, including those an earlier re-synthesis left open."""
        from courtroom.replay.stored_checks import NEEDS_THE_SUBMISSION

        goals_by_criterion = {
            result.id: tuple(
                check.goal for check in result.checks if check.reason == NEEDS_THE_SUBMISSION
            )
            for result in results
        }
        return {criterion: goals for criterion, goals in goals_by_criterion.items() if goals}

    def _outdated_before(self, report: Document) -> frozenset[str]:
        """Return the criteria that an earlier re-synthesis marked as outdated."""
        from courtroom.replay.resynthesis import OUTDATED

        messages = [error.message for error in parse_report(report).errors_of(OUTDATED)]

        # The error names its criterion only in its message (replay/resynthesis.py).
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
