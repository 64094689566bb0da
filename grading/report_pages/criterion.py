"""One criterion of a report page: its score track, rules, arguments, checks and evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from grading.engine.released_verdict import (
    ReleasedCriterion,
    ReleasedVerdict,
    verdict_as_it_counts,
)
from grading.engine.report import Criterion, Opinion, Report
from grading.report_pages.arguments import Argument, ArgumentPresenter
from grading.report_pages.checks_and_evidence import (
    OUTCOMES,
    CheckView,
    EvidencePresenter,
)
from grading.report_pages.judge_marks import JUDGES
from grading.report_pages.levels import ReachedLevel, levels_in, reached_level
from grading.report_pages.score_track import Track, track_of

Json = Mapping[str, Any]
# Plain sentences for readers, by kind of rule.
RULES = {
    "security_override": (
        "A security problem was confirmed. It caps the score, whatever else is good."
    ),
    "fact_supremacy": (
        "Facts overrule opinions: claims that the evidence does not support were cut back."
    ),
    "citation_check": ("A judge cited what it was not shown, so that opinion was set aside."),
    "outcome_bound": (
        "A judge scored more than one above what the checks allow, so that score was lowered."
    ),
    "second_hearing": (
        "Text in the submission may address the graders, so the judges are asked again with the"
        " outcomes of the checks alone. Where they differ by more than one, or no outcome is known, a"
        " person decides."
    ),
    "functionality_weight": (
        "This criterion is about how the project is built, so the Tech Lead decides."
    ),
    "variance_re_evaluation": "The judges differed so much that they were asked again.",
    "dissent_requirement": (
        "The judges still disagreed. Dissent tells what the score of each turns on."
    ),
    "weighted_average": "The score is the judges' average, weighted as the rules say.",
}
# Further unmet goals are counted, not listed.
MAX_GOALS = 3


@dataclass(frozen=True, slots=True)
class CriterionView:
    """One criterion of the page. `anchor` is its id there, `record` the criterion of the report.

    `counts` is the result that counts; its `override_reason` is set where a person's score replaces
    the verdict. `reached` is None where the rubric has no levels or is not available.
    """

    anchor: str
    position: int
    record: Criterion
    counts: ReleasedCriterion
    name: str
    score: int | None
    track: Track
    arguments: tuple[Argument, ...]
    checks: tuple[CheckView, ...]
    tally: str
    reached: ReachedLevel | None

    @property
    def explained(self) -> tuple[str, ...]:
        """Plain sentences that explain the score."""
        return _explained(self)


def criterion_views(
    report: Report, released: ReleasedVerdict | None = None, rubric: Json | None = None
) -> tuple[CriterionView, ...]:
    """Return every criterion of the report, in the rubric's order.

    `released` has the results that count instead of the verdicts; `rubric` is the document of the
    report's rubric.
    """
    evidence = EvidencePresenter(report)
    arguments = ArgumentPresenter(report, evidence)
    counts = {row.id: row for row in released.criteria} if released else {}
    levels = levels_in(rubric)

    return tuple(
        _view(
            position,
            row,
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
    counts: ReleasedCriterion,
    evidence: EvidencePresenter,
    arguments: ArgumentPresenter,
    levels: list[Json],
) -> CriterionView:
    checks = evidence.checks(criterion)
    opinions = _in_order(criterion.opinions)

    return CriterionView(
        anchor=f"criterion-{position + 1}",
        position=position,
        record=criterion,
        counts=counts,
        name=criterion.name,
        score=counts.score,
        # `opinions` go by round, so a judge's last answer replaces the earlier ones.
        track=track_of({row.judge: row.score for row in opinions}, criterion.final_score),
        arguments=tuple(map(arguments.present, opinions)),
        checks=checks,
        tally=_tally(checks),
        reached=reached_level(counts.level or "", levels),
    )


def _tally(checks: tuple[CheckView, ...]) -> str:
    """Return the outcomes of the checks in words: 5 met, 2 not met."""
    outcomes = Counter(check.outcome for check in checks)
    return ", ".join(
        f"{outcomes[outcome]} {outcome}" for outcome in OUTCOMES.values() if outcomes[outcome]
    )


def _in_order(opinions: Iterable[Opinion]) -> list[Opinion]:
    """Return them by round, then in the judges' order, so that a judge's last answer comes last."""
    order = [judge.id for judge in JUDGES]
    return sorted(opinions, key=lambda row: (row.round, order.index(row.judge)))


def _explained(view: CriterionView) -> tuple[str, ...]:
    """Return plain sentences: the checks, the judges, the rules that decided, and what is unmet."""
    sentences = (
        _checks_explained(view),
        _judges_explained(view),
        *_rules_explained(view),
        _outcome_explained(view),
        _unmet_explained(view),
    )
    return tuple(filter(None, sentences))


def _checks_explained(view: CriterionView) -> str:
    checks = [check for check in view.checks if check.outcome]
    if not checks:
        return "The rubric has no checks for this criterion: the judges used the general evidence."

    outcomes = Counter(check.outcome for check in checks)
    passed = f"{outcomes['met']} of {len(checks)} check{'' if len(checks) == 1 else 's'} passed."
    unknown = outcomes["not established"]
    if not unknown:
        return passed
    # A failure of the audit is never held against a student, and a reader should know it.
    return f"{passed} {unknown} could not be established; that counts neither for nor against you."


def _judges_explained(view: CriterionView) -> str:
    """Return the last score of each judge."""
    last = {argument.judge.id: argument for argument in view.arguments}
    answers = [
        f"the {argument.judge.name}, who {argument.judge.seeks}, "
        + (f"gave {argument.score}" if argument.score else "gave no score")
        for argument in last.values()
    ]
    return f"From that, {'; '.join(answers)}." if answers else ""


def _rules_explained(view: CriterionView) -> list[str]:
    # A rule may fire several times; its sentence is needed once.
    fired = dict.fromkeys(rule.rule for rule in view.record.rules)
    return [RULES[name] for name in fired if name in RULES]


def _outcome_explained(view: CriterionView) -> str:
    if view.counts.excluded:
        return "It is excluded from the total, as the rules say, and lowers nothing."
    if view.counts.override_reason:
        return f"Then a person changed the score to {view.score}, for the reason above."
    if view.score is None:
        is_doubted = "second_hearing" in view.record.resolution
        reason = "There" if is_doubted else "Too few judges answered, so there"
        return f"{reason} is no score until a person reviews it. This is not a low score."
    return f"The score is {view.score} of 5."


def _unmet_explained(view: CriterionView) -> str:
    unmet = [check.goal for check in view.checks if check.outcome == "not met"]
    if not unmet:
        return ""
    rest = len(unmet) - MAX_GOALS
    more = f", and {rest} more" if rest > 0 else ""
    return f"What keeps the score down: {'; '.join(unmet[:MAX_GOALS])}{more}."
