"""A peer's report as a page shows it: the platform's by criterion, an imported one as far as it was understood."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grading.core.pairing_access import ReportSide
from grading.models import FeedbackReport
from grading.peer_review.feedback.queries import PeerEdition, shown_name
from grading.report_pages.report_page import ReportPage, present_report

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
        ours=present_report(edition.report) if edition.report is not None else None,
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


IMPORTED = "Imported: another program wrote it, and nobody here has signed it."


def markdown_of(edition: PeerEdition) -> str:
    """The text, with what was withheld said at its end."""
    from grading.engine import audits as engine_audits

    if edition.document is not None:
        body = engine_audits.render_markdown(edition.document, date=edition.day)
    else:
        body = "\n".join(_reading(edition.reading or {})) + "\n"
    return body + "".join(f"\n{line}" for line in _withheld(edition.withheld))


def _withheld(words: tuple[str, ...]) -> Iterator[str]:
    if words:
        yield "## Withheld\n"
        yield from (f"- {plain(each)}" for each in words)
        yield ""


def _reading(reading: Json) -> Iterator[str]:
    page = imported_page(reading)
    yield f"# {plain(reading['title'] or 'Report of an audit')}"
    yield f"\n> {IMPORTED}\n"
    for label, key in (("Repository", "repo_url"), ("Commit", "commit"), ("Date", "date")):
        if reading[key]:
            yield f"- **{label}**: {plain(reading[key])}"
    if page.overall:
        yield f"- **Overall**: {plain(page.overall)}"
    yield "\n## Criterion Breakdown"
    for row in page.criteria:
        yield from _criterion(row)
    yield from _findings("\n## Further findings", page.others)
    if reading["notes"]:
        yield "\n## What could not be read"
        yield from (f"- {_line(note['line'])}{plain(note['message'])}" for note in reading["notes"])


def _criterion(row: ImportedRow) -> Iterator[str]:
    yield f"\n### {plain(row.name)}{': ' if row.score else ''}{plain(row.score)}\n"
    for opinion in row.document["opinions"]:
        score = f" ({plain(opinion['score']['written'])})" if opinion["score"] else ""
        yield f"- **{plain(opinion['judge'])}**{score}: {plain(opinion['argument'])}"
    if row.document["dissent"]:
        yield f"- **Dissent**: {plain(row.document['dissent'])}"
    if row.document["remediation"] and not row.findings:
        yield f"- **Remediation**: {plain(row.document['remediation'])}"
    yield from _findings("\nFindings:\n", row.findings)


def _findings(heading: str, findings: tuple[Json, ...]) -> Iterator[str]:
    if not findings:
        return
    yield heading
    for finding in findings:
        action = finding["action"] if finding["action"] != finding["text"] else ""
        yield f"- {_place(finding)}{plain(finding['text'])}{f' {plain(action)}' if action else ''}"


def _place(finding: Json) -> str:
    """Where the words do not tell it themselves."""
    if not finding["path"] or finding["path"] in finding["text"]:
        return ""
    line = f":{finding['line']}" if finding["line"] else ""
    return f"{plain(finding['path'])}{line}: "


def _line(number: int | None) -> str:
    return f"line {number}: " if number else ""


def plain(text: str) -> str:
    """On one line and without markup of its own: neither HTML nor a link nor a heading comes of it."""
    line = " ".join(str(text).split()).replace("\\", "\\\\")
    for mark in "`*_[]<>#|":
        line = line.replace(mark, f"\\{mark}")
    return line
