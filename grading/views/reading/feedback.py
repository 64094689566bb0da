"""A peer's report as a page shows it: the platform's by criterion, an imported one as far as it was understood."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from grading.models import FeedbackReport
from grading.queries.peers.editions import PeerEdition, shown_name
from grading.queries.peers.grants import ReportSide
from grading.views.reading.report import ReportPage, read_report

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """A criterion as its author had it, with the findings about it."""

    name: str
    score: str
    document: Json
    findings: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class ImportedPage:
    """`document` is the reading itself, `others` are findings about no criterion."""

    document: Json
    overall: str
    criteria: tuple[ImportedRow, ...]
    others: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class FeedbackView:
    """At most one of `ours` and `imported` is set; both null where nothing may be shown yet."""

    ours: ReportPage | None
    imported: ImportedPage | None


def feedback_view(edition: PeerEdition) -> FeedbackView:
    return FeedbackView(
        ours=read_report(edition.report) if edition.report is not None else None,
        imported=imported_page(edition.reading) if edition.reading is not None else None,
    )


def name_of_other(report: FeedbackReport, side: ReportSide) -> str:
    """Who is on the other side, as this reader may know them: “” where nobody is, or nobody knows."""
    if report.pairing is None or side == "staff":
        return ""
    return shown_name(report.pairing, side="auditor" if side == "author" else "auditee")


def written_score(score: Json | None) -> str:
    return "" if score is None else str(score["written"])


def imported_page(reading: Json) -> ImportedPage:
    """What was understood of an imported report (courtroom's ImportedReport as JSON), by criterion."""
    about: defaultdict[int | None, list[Json]] = defaultdict(list)
    for finding in reading["findings"]:
        about[finding["criterion"]].append(finding)
    return ImportedPage(
        document=reading,
        overall=written_score(reading["overall"]),
        criteria=tuple(_row(place, row, about) for place, row in enumerate(reading["criteria"])),
        others=tuple(about[None]),
    )


def _row(place: int, row: Json, about: Mapping[int | None, list[Json]]) -> ImportedRow:
    score = "left out" if row["excluded"] else written_score(row["score"]) or row["level"] or ""
    return ImportedRow(row["name"], score, row, tuple(about.get(place, ())))
