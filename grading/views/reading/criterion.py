"""One criterion of a report: its track, its arguments, its exhibits, its checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grading.views.reading.judges import JUDGE_BY_ID, JUDGES, Judge
from grading.views.reading.places import Place, place_of
from grading.views.reading.quoting import QuotedLine, in_plain_sight, quoted_lines
from grading.views.reading.track import Track, track_of

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A piece of evidence. `lines` are quoted from a file; `statement` is what was counted or looked for.

    Evidence may serve several criteria: it is printed in full at the first (`is_first`), named at the others.
    """

    id: str
    found: bool
    goal: str
    rationale: str
    detective: str
    confidence: float
    tags: tuple[str, ...]
    place: Place
    lines: tuple[QuotedLine, ...]
    statement: str
    is_first: bool


@dataclass(frozen=True, slots=True)
class Citation:
    id: str
    words: str


@dataclass(frozen=True, slots=True)
class Argument:
    """What one judge said in one round; exactly one of `score` and `failure` is set."""

    judge: Judge
    round: int
    score: int | None
    failure: str
    text: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class CriterionView:
    """`anchor` is its id on the page; `document` the criterion as the report has it."""

    anchor: str
    document: Json
    name: str
    score: int | None
    track: Track
    arguments: tuple[Argument, ...]
    exhibits: tuple[Exhibit, ...]


def criterion_views(document: Json) -> tuple[CriterionView, ...]:
    """Every criterion of the report, in the rubric's order."""
    evidence = {row["id"]: row for row in document["evidence"]}
    shown: set[str] = set()
    return tuple(
        _view(index, criterion, evidence, document["repo_url"], shown)
        for index, criterion in enumerate(document["criteria"], start=1)
    )


def _view(
    index: int, criterion: Json, evidence: Mapping[str, Json], repo_url: str, shown: set[str]
) -> CriterionView:
    rows = [evidence[key] for key in criterion["evidence"] if key in evidence]
    return CriterionView(
        anchor=f"criterion-{index}",
        document=criterion,
        name=criterion["name"],
        score=criterion["final_score"],
        track=track_of(_last_scores(criterion["opinions"]), criterion["final_score"]),
        arguments=tuple(_argument(row, evidence, repo_url) for row in _in_order(criterion["opinions"])),
        exhibits=tuple(_exhibit(row, repo_url, shown) for row in rows),
    )


def _in_order(opinions: list[Json]) -> list[Json]:
    """By round, then in the judges' order."""
    order = [judge.id for judge in JUDGES]
    return sorted(opinions, key=lambda row: (row["round"], order.index(row["judge"])))


def _last_scores(opinions: list[Json]) -> dict[str, int | None]:
    """Each judge's score in the last round in which that judge was heard."""
    return {row["judge"]: row["score"] for row in _in_order(opinions)}


def _argument(row: Json, evidence: Mapping[str, Json], repo_url: str) -> Argument:
    return Argument(
        judge=JUDGE_BY_ID[row["judge"]],
        round=row["round"],
        score=row["score"],
        failure=(row["failure"] or "").replace("_", " "),
        text=in_plain_sight(row["argument"]),
        citations=tuple(
            Citation(key, place_of(evidence[key]["location"], repo_url).words)
            for key in row["cited_evidence"]
            if key in evidence
        ),
    )


def _exhibit(row: Json, repo_url: str, shown: set[str]) -> Exhibit:
    location, content = row["location"], row["content"] or ""
    quotes_file = bool(content and location["path"] and location["line_start"])
    is_first = row["id"] not in shown
    shown.add(row["id"])
    return Exhibit(
        id=row["id"],
        found=row["found"],
        goal=row["goal"],
        rationale=in_plain_sight(row["rationale"]),
        detective=row["detective"],
        confidence=row["confidence"],
        tags=tuple(row["tags"]),
        place=place_of(location, repo_url),
        lines=quoted_lines(content, location["path"], location["line_start"])
        if quotes_file and is_first
        else (),
        statement="" if quotes_file else in_plain_sight(content),
        is_first=is_first,
    )
