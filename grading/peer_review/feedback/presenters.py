"""Peer reports for pages and downloads: reports of this site and imported ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grading.core.pairing_access import ReportSide
from grading.findings.queries.replies import dismissals_of
from grading.models import FeedbackReport
from grading.peer_review.feedback.queries import RedactedCopy, shown_name, shown_texts
from grading.report_pages.report_page import ReportPage, present_report

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ImportedRow:
    """Criterion of an imported report, with the findings about it."""

    name: str
    score: str
    document: Json
    findings: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class ImportedPage:
    """Imported report by criterion; `other_findings` are about no criterion."""

    document: Json
    overall: str
    criteria: tuple[ImportedRow, ...]
    other_findings: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class FeedbackView:
    """Content of a report: at most one is set, none while nothing may be shown."""

    site_report: ReportPage | None
    imported: ImportedPage | None


def present_feedback(copy: RedactedCopy) -> FeedbackView:
    return FeedbackView(
        site_report=present_report(copy.report) if copy.report is not None else None,
        imported=imported_page(copy.reading) if copy.reading is not None else None,
    )


def other_name_for(report: FeedbackReport, side: ReportSide) -> str:
    """Return the other student's name as this reader may know it, “” for none or unknown."""
    if report.pairing is None or side == "staff":
        return ""
    return shown_name(report.pairing, side="auditor" if side == "author" else "auditee")


@dataclass(frozen=True, slots=True)
class Dismissed:
    """Finding of an uploaded report that the owner of the work dismissed, with their reason."""

    text: str
    reason: str


def dismissed_findings(report: FeedbackReport, side: ReportSide) -> list[Dismissed]:
    """Return what the owner dismissed, for the report's author and staff. At most five queries."""
    rows = dismissals_of(report) if side != "subject" else []
    reasons = [reason for _text, reason in rows]
    if rows and report.pairing is not None:
        reasons = shown_texts(reasons, report.pairing, side=side)
    return [Dismissed(text, reason) for (text, _), reason in zip(rows, reasons, strict=True)]


def score_text(score: Json | None) -> str:
    return "" if score is None else str(score["written"])


def imported_page(reading: Json) -> ImportedPage:
    """Return an imported report (courtroom's ImportedReport as JSON) by criterion."""
    about: defaultdict[int | None, list[Json]] = defaultdict(list)
    for finding in reading["findings"]:
        about[finding["criterion"]].append(finding)
    return ImportedPage(
        document=reading,
        overall=score_text(reading["overall"]),
        criteria=tuple(_row(index, row, about) for index, row in enumerate(reading["criteria"])),
        other_findings=tuple(about[None]),
    )


def _row(index: int, row: Json, about: Mapping[int | None, list[Json]]) -> ImportedRow:
    score = "left out" if row["excluded"] else score_text(row["score"]) or row["level"] or ""
    return ImportedRow(row["name"], score, row, tuple(about.get(index, ())))


IMPORTED = "Imported: written by another program and not signed by this site."


def markdown_of(copy: RedactedCopy) -> str:
    """Return the report as Markdown, ending with a list of what was withheld."""
    from grading.engine import audits as engine_audits

    if copy.document is not None:
        body = engine_audits.render_markdown(copy.document, date=copy.day)
    else:
        body = "\n".join(_reading(copy.reading or {})) + "\n"
    return body + "".join(f"\n{line}" for line in _withheld(copy.withheld))


def _withheld(words: tuple[str, ...]) -> Iterator[str]:
    if words:
        yield "## Withheld\n"
        yield from (f"- {plain(line)}" for line in words)
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
    yield from _findings("\n## Further findings", page.other_findings)
    if reading["notes"]:
        yield "\n## Not readable"
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
        yield f"- {_location(finding)}{plain(finding['text'])}{f' {plain(action)}' if action else ''}"


def _location(finding: Json) -> str:
    """Return path and line, "" where the text names the path itself."""
    if not finding["path"] or finding["path"] in finding["text"]:
        return ""
    line = f":{finding['line']}" if finding["line"] else ""
    return f"{plain(finding['path'])}{line}: "


def _line(number: int | None) -> str:
    return f"line {number}: " if number else ""


def plain(text: str) -> str:
    """Return the text on one line with all markup escaped."""
    # Backslashes first: those that escape the marks below must stay single.
    line = " ".join(str(text).split()).replace("\\", "\\\\")
    for mark in "`*_[]<>#|":
        line = line.replace(mark, f"\\{mark}")
    return line
