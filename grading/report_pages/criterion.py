"""One criterion of a report: its track, its rules, its arguments, its checks and their evidence."""

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
from grading.report_pages.checks_and_evidence import (
    OUTCOMES,
    CheckView,
    Citation,
    EvidencePresenter,
)
from grading.report_pages.judge_marks import JUDGE_BY_ID, JUDGES, Judge
from grading.report_pages.levels import ReachedLevel, levels_in, reached_level
from grading.report_pages.quotes import reveal_invisible
from grading.report_pages.score_track import Track, track_of

Json = Mapping[str, Any]
# What each rule of a constitution means for a reader, by the rule's kind.
RULES = {
    "security_override": "A security problem was confirmed, and that sets a ceiling, whatever else is good.",
    "fact_supremacy": "Facts overrule opinions: what the evidence does not bear out was cut back.",
    "functionality_weight": "This is about how it is built, so the Tech Lead decides.",
    "variance_re_evaluation": "The judges were so far apart that they were heard again.",
    "dissent_requirement": "The judges stayed apart, so what both sides say is written down under Dissent.",
    "weighted_average": "The score is the judges' average, each with the weight that the rules give them.",
}
MOST_GOALS = 3


@dataclass(frozen=True, slots=True)
class Argument:
    """Answer of one judge in one round; exactly one of `score` and `failure` is set."""

    judge: Judge
    round: int
    score: int | None
    failure: str
    text: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class CriterionView:
    """One criterion of the page. `anchor` is its id there, `record` the criterion of the report.

    `counts` is what counts of it; its `override_reason` is set where a person's score stands in the
    verdict's place. `rungs` are null where the rubric has no levels or is not at hand.
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
    rungs: ReachedLevel | None

    @property
    def explained(self) -> tuple[str, ...]:
        """Plain sentences that explain the score."""
        return _explained(self)


def criterion_views(
    report: Report, released: ReleasedVerdict | None = None, rubric: Json | None = None
) -> tuple[CriterionView, ...]:
    """Return every criterion of the report, in the rubric's order.

    `released` has what counts in the verdict's place; `rubric` is the report's rubric document.
    """
    exhibits = EvidencePresenter(report)
    counts = {row.id: row for row in released.criteria} if released else {}
    levels = levels_in(rubric)
    return tuple(
        _view(
            position,
            row,
            counts.get(row.id) or verdict_as_it_counts(row),
            exhibits,
            levels.get(row.id, []),
        )
        for position, row in enumerate(report.criteria)
    )


def _view(
    position: int,
    criterion: Criterion,
    counts: ReleasedCriterion,
    exhibits: EvidencePresenter,
    levels: list[Json],
) -> CriterionView:
    checks = exhibits.checks(criterion)
    opinions = _in_order(criterion.opinions)
    return CriterionView(
        anchor=f"criterion-{position + 1}",
        position=position,
        record=criterion,
        counts=counts,
        name=criterion.name,
        score=counts.score,
        track=track_of({row.judge: row.score for row in opinions}, criterion.final_score),
        arguments=tuple(_argument(row, exhibits) for row in opinions),
        checks=checks,
        tally=_tally(checks),
        rungs=reached_level(counts.level or "", levels),
    )


def _tally(checks: tuple[CheckView, ...]) -> str:
    """Return the outcomes of the checks in words: 5 met, 2 not met."""
    outcomes = Counter(check.outcome for check in checks)
    return ", ".join(
        f"{outcomes[outcome]} {outcome}" for outcome in OUTCOMES.values() if outcomes[outcome]
    )


def _in_order(opinions: Iterable[Opinion]) -> list[Opinion]:
    """Return them by round, then in the judges' order: a judge's last word comes last."""
    order = [judge.id for judge in JUDGES]
    return sorted(opinions, key=lambda row: (row.round, order.index(row.judge)))


def _argument(opinion: Opinion, exhibits: EvidencePresenter) -> Argument:
    return Argument(
        judge=JUDGE_BY_ID[opinion.judge],
        round=opinion.round,
        score=opinion.score,
        failure=(opinion.failure or "").replace("_", " "),
        text=reveal_invisible(opinion.argument),
        citations=exhibits.citations(opinion.cited_evidence),
    )


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
        return "The rubric ties this criterion to no checks: the judges had the general evidence."
    tally = Counter(check.outcome for check in checks)
    asked = f"{len(checks)} check{'' if len(checks) == 1 else 's'}"
    said = f"Of {asked}, {tally['met']} came out as asked and {tally['not met']} did not"
    open_ones = tally["not established"]
    return (
        f"{said}; {open_ones} could not be established, which counts neither for nor against you."
        if open_ones
        else f"{said}."
    )


def _judges_explained(view: CriterionView) -> str:
    """Return the last score of each judge."""
    last = {argument.judge.id: argument for argument in view.arguments}
    said = [
        f"the {each.judge.name}, who {each.judge.seeks}, "
        + (f"gave {each.score}" if each.score else "gave no score")
        for each in last.values()
    ]
    return f"From that, {'; '.join(said)}." if said else ""


def _rules_explained(view: CriterionView) -> list[str]:
    fired = dict.fromkeys(rule.rule for rule in view.record.rules)
    return [RULES[name] for name in fired if name in RULES]


def _outcome_explained(view: CriterionView) -> str:
    if view.counts.excluded:
        return "It was left out of the sum: the rules say when, and it lowers nothing."
    if view.counts.override_reason:
        return f"Then a person looked and gave {view.score}, with the reason above."
    if view.score is None:
        return "Too few judges could answer, so there is no score until a person has looked: this is not a low score."
    return f"So it stands at {view.score} of 5."


def _unmet_explained(view: CriterionView) -> str:
    unmet = [check.goal for check in view.checks if check.outcome == "not met"]
    if not unmet:
        return ""
    more = f", and {len(unmet) - MOST_GOALS} more" if len(unmet) > MOST_GOALS else ""
    return f"What keeps it from more: {'; '.join(unmet[:MOST_GOALS])}{more}."
