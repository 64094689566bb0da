"""One criterion of a report page: its score track, rules, arguments, checks and evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from grading.engine.released_verdict import (
    ReleasedCriterion,
    ReleasedVerdict,
    verdict_as_it_counts,
)
from grading.engine.report import Criterion, Opinion, Report
from grading.report_pages.arguments import Argument, ArgumentPresenter
from grading.report_pages.check_weights import WeightedCheck, weighted_checks
from grading.report_pages.checks_and_evidence import (
    NO_MATCH,
    NOT_APPLICABLE,
    OUTCOMES,
    ROOT_CAUSE,
    UNCHECKED,
    CheckView,
    EvidencePresenter,
)
from grading.report_pages.judge_marks import JUDGES
from grading.report_pages.levels import ReachedLevel, levels_in, reached_level
from grading.report_pages.location_links import Work
from grading.report_pages.score_track import Track, track_of

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CriterionView:
    """One criterion of the page. `anchor` is its id there, `record` the criterion of the report,
    `work` what its places are relative to.

    `anchor` follows from the criterion's id, so links outlive new names and a new order; earlier
    links have `old_anchor`, by position.

    `counts` is the result that counts; its `override_reason` is set where a person's score replaces
    the verdict. `reached` is None where the rubric has no levels or is not available.
    """

    anchor: str
    old_anchor: str
    position: int
    record: Criterion
    work: Work
    counts: ReleasedCriterion
    name: str
    score: int | None
    track: Track
    arguments: tuple[Argument, ...]
    checks: tuple[CheckView, ...]
    weighted_checks: tuple[WeightedCheck, ...]
    tally: str
    reached: ReachedLevel | None

    @property
    def faults(self) -> tuple[CheckView, ...]:
        return tuple(check for check in self.checks if check.is_fault)

    @property
    def checks_explained(self) -> str:
        """Sentence on the checks, before the steps to the score."""
        return _checks_explained(self)

    @property
    def conclusion(self) -> str:
        """Sentence after the steps on what a person changed, or is to decide; else ""."""
        return _outcome_explained(self)


def anchor_of(criterion_id: str) -> str:
    """Return the id of the criterion on a report's page; any text may be the id in a rubric."""
    return f"c-{quote(criterion_id, safe='')}"


def criterion_views(
    report: Report,
    released: ReleasedVerdict | None = None,
    rubric: Json | None = None,
    *,
    audit_address: str = "",
) -> tuple[CriterionView, ...]:
    """Return every criterion of the report, in the rubric's order.

    `released` has the results that count instead of the verdicts; `rubric` is the document of the
    report's rubric; `audit_address` that of the audit's page, for links to its code.
    """
    work = Work.of(report, audit_address)
    evidence = EvidencePresenter(report, work)
    arguments = ArgumentPresenter(report, work, evidence)
    counts = {row.id: row for row in released.criteria} if released else {}
    levels = levels_in(rubric)

    return tuple(
        _view(
            position,
            row,
            work,
            # Without a release or an override, the verdict itself counts.
            counts.get(row.id) or verdict_as_it_counts(row),
            evidence,
            arguments,
            levels.get(row.id, []),
        )
        for position, row in enumerate(report.criteria)
    )


def _view(
    position: int,
    criterion: Criterion,
    work: Work,
    counts: ReleasedCriterion,
    evidence: EvidencePresenter,
    arguments: ArgumentPresenter,
    levels: list[Json],
) -> CriterionView:
    checks = evidence.checks(criterion)
    opinions = _in_order(criterion.opinions)

    return CriterionView(
        anchor=anchor_of(criterion.id),
        old_anchor=f"criterion-{position + 1}",
        position=position,
        record=criterion,
        work=work,
        counts=counts,
        name=criterion.name,
        score=counts.score,
        # `opinions` go by round, so a judge's last answer replaces the earlier ones.
        track=track_of({row.judge: row.score for row in opinions}, criterion.final_score),
        arguments=tuple(map(arguments.present, opinions)),
        checks=checks,
        weighted_checks=weighted_checks(criterion.checks, evidence.is_vain_search),
        tally=_tally(checks),
        reached=reached_level(counts.level or "", levels),
    )


def _tally(checks: tuple[CheckView, ...]) -> str:
    """Return the outcomes of the checks in words: 5 met, 1 no match, 2 not met."""
    outcomes = _outcomes(checks)
    outcomes[NO_MATCH] = sum(check.is_vain_search for check in checks)
    outcomes[OUTCOMES[True]] -= outcomes[NO_MATCH]
    met, *others = OUTCOMES.values()
    order = (met, NO_MATCH, *others, NOT_APPLICABLE)
    return ", ".join(f"{outcomes[name]} {name}" for name in order if outcomes[name])


def _outcomes(checks: Iterable[CheckView]) -> Counter[str]:
    """Count the checks by outcome, those that hang on a root cause included."""
    rows = [row for check in checks for row in (check, *check.hanging)]
    return Counter(row.outcome for row in rows if row.outcome not in ("", ROOT_CAUSE, UNCHECKED))


def _in_order(opinions: Iterable[Opinion]) -> list[Opinion]:
    """Return them by round, then in the judges' order, so that a judge's last answer comes last."""
    order = [judge.id for judge in JUDGES]
    return sorted(opinions, key=lambda row: (row.round, order.index(row.judge)))


def _checks_explained(view: CriterionView) -> str:
    outcomes = _outcomes(view.checks)
    count = outcomes.total()
    if not count:
        return "The rubric has no checks for this criterion: the judges used the general evidence."

    passed = f"{outcomes['met']} of {count} check{'' if count == 1 else 's'} passed."
    if missing := outcomes[NOT_APPLICABLE]:
        verb = "does" if missing == 1 else "do"
        passed += f" {missing} {verb} not apply for what is missing, which counts against the work."
    unknown = outcomes["not established"]
    if not unknown:
        return passed
    # A failure of the audit is never held against a student, and a reader should know it.
    return f"{passed} {unknown} could not be established; that counts neither for nor against you."


def _outcome_explained(view: CriterionView) -> str:
    if view.counts.override_reason:
        return f"Then a person changed the score to {view.score}, for the reason above."
    if view.score is None and not view.counts.excluded:
        return "There is no score until a person reviews it. This is not a low score."
    return ""
