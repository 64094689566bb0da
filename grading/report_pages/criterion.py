"""One criterion of a report: its track, its rules, its arguments, its checks and their evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from grading.engine.report import Criterion, Opinion, Report
from grading.report_pages.checks_and_evidence import OUTCOMES, CheckView, Citation, Exhibits
from grading.report_pages.explanation import explained
from grading.report_pages.judge_marks import JUDGE_BY_ID, JUDGES, Judge
from grading.report_pages.levels import Rungs, levels_in, rungs_of
from grading.report_pages.quotes import in_plain_sight
from grading.report_pages.score_track import Track, track_of

Json = Mapping[str, Any]


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

    `counts` is a row of Grade.released; its `override_reason` is set where a person's score stands
    in the verdict's place. `rungs` are null where the rubric has no levels or is not at hand.
    """

    anchor: str
    position: int
    record: Criterion
    counts: Json
    name: str
    score: int | None
    track: Track
    arguments: tuple[Argument, ...]
    checks: tuple[CheckView, ...]
    tally: str
    rungs: Rungs | None

    @property
    def explained(self) -> tuple[str, ...]:
        """Plain sentences that explain the score."""
        return explained(self)


def criterion_views(
    report: Report, released: Json | None = None, rubric: Json | None = None
) -> tuple[CriterionView, ...]:
    """Return every criterion of the report, in the rubric's order.

    `released` has the shape of Grade.released; `rubric` is the document of the report's rubric.
    """
    exhibits = Exhibits(report)
    counts = {row["id"]: row for row in released["criteria"]} if released else {}
    levels = levels_in(rubric)
    return tuple(
        _view(position, row, counts.get(row.id) or _own(row), exhibits, levels.get(row.id, []))
        for position, row in enumerate(report.criteria)
    )


def _own(criterion: Criterion) -> Json:
    """Return what counts where nobody has changed anything: the verdict."""
    same = ("id", "name", "level", "points", "max_points", "needs_review", "excluded")
    score = criterion.final_score
    own = {key: getattr(criterion, key) for key in same}
    return own | {"score": score, "verdict_score": score, "override_reason": None}


def _view(
    position: int, criterion: Criterion, counts: Json, exhibits: Exhibits, levels: list[Json]
) -> CriterionView:
    checks = exhibits.checks(criterion)
    opinions = _in_order(criterion.opinions)
    return CriterionView(
        anchor=f"criterion-{position + 1}",
        position=position,
        record=criterion,
        counts=counts,
        name=criterion.name,
        score=counts["score"],
        track=track_of({row.judge: row.score for row in opinions}, criterion.final_score),
        arguments=tuple(_argument(row, exhibits) for row in opinions),
        checks=checks,
        tally=_tally(checks),
        rungs=rungs_of(counts["level"] or "", levels),
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


def _argument(opinion: Opinion, exhibits: Exhibits) -> Argument:
    return Argument(
        judge=JUDGE_BY_ID[opinion.judge],
        round=opinion.round,
        score=opinion.score,
        failure=(opinion.failure or "").replace("_", " "),
        text=in_plain_sight(opinion.argument),
        citations=exhibits.citations(opinion.cited_evidence),
    )
