"""A student's audit/ folder as files, to be committed into their repository: what they generated, on themselves and on
peers, what they received, and their communication log.

Every peer's report passes through peer_review/feedback/queries.py. Files are named after their records, so that the site
knows them again where it finds them in a repository (peer_review/feedback/repository_reports.py), and never after a person.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from typing import Any

from pydantic import ValidationError

from grading.audits.queries import visible_report
from grading.core.enums import AuditKind, FeedbackKind
from grading.core.pairing_access import ReportSide
from grading.core.zipping import Member
from grading.engine import audits as engine_audits
from grading.models import Assignment, Audit, CommunicationEntry, Enrollment, FeedbackReport
from grading.peer_review.exchange.queries import pairings_of, reports_of, rounds_of
from grading.peer_review.feedback.presenters import markdown_of
from grading.peer_review.feedback.queries import edition_of
from grading.submissions.queries import attempts_across

SELF, GENERATED, RECEIVED = (
    "audit/report_onself_generated",
    "audit/report_onpeer_generated",
    "audit/report_bypeer_received",
)
README = """# The audits of this work

| folder | what lies in it |
| --- | --- |
| `report_onself_generated` | reports on this work by its author's own audits |
| `report_onpeer_generated` | reports that the author of this work generated on peers |
| `report_bypeer_received` | reports on this work by peers |

Each report as Markdown and as JSON. What its reader may not learn about a peer is withheld in them. In a blind round, do
not publish these folders: whoever knows both repositories can tell who audited whom.
"""


def folder_of(student: Enrollment, assignment: Assignment) -> Generator[Member]:
    """The folder's files, README first; to be read within the organization's scope."""
    yield _text("audit/README.md", README)
    for submission in attempts_across(student, [assignment]):
        for audit in submission.audits.all():
            yield from _own_audit(audit)
    for report in _reports(student, assignment):
        yield from _report(report, student)
    entries = CommunicationEntry.objects.filter(assignment=assignment, student=student)
    yield _text("audit/proactive_communication.md", _log(entries.order_by("posted_at", "pk")))


def _reports(student: Enrollment, assignment: Assignment) -> list[FeedbackReport]:
    return [
        report
        for report in reports_of(student, pairings_of(student, rounds_of(student)))
        if report.assignment_id == assignment.pk
        and (report.audit is None or report.audit.has_report)
    ]


def _own_audit(audit: Audit) -> Generator[Member]:
    """As its student may see it; a peer's audit is in no page but its edition's, and so in no folder but that."""
    edition = (
        visible_report(audit, is_staff=False)
        if audit.has_report and audit.kind != AuditKind.PEER
        else None
    )
    if edition is not None:
        name = f"{SELF}/attempt-{audit.submission.attempt}-{audit.pk}"
        yield _json(f"{name}.json", edition.document)
        yield from _markdown(
            name,
            lambda: engine_audits.render_markdown(
                edition.document, date=f"{audit.finished_at:%Y-%m-%d}"
            ),
        )


def _report(report: FeedbackReport, student: Enrollment) -> Generator[Member]:
    side: ReportSide = "author" if report.author_id == student.pk else "subject"
    edition = edition_of(report, side=side)
    document = edition.document if edition.document is not None else edition.reading
    if document is None:
        return
    name = f"{_folder(report, side)}/{_origin(report)}-{report.pk}"
    yield _json(f"{name}.json", document)
    yield from _markdown(name, lambda: markdown_of(edition))


def _folder(report: FeedbackReport, side: ReportSide) -> str:
    if report.kind == FeedbackKind.SELF:
        return SELF
    return GENERATED if side == "author" else RECEIVED


def _origin(report: FeedbackReport) -> str:
    return f"round-{report.pairing.round.number}" if report.pairing else "imported"


def _markdown(name: str, render: Any) -> Generator[Member]:
    """None for a report of an older form, which its JSON still tells."""
    try:
        yield _text(f"{name}.md", render())
    except ValidationError:
        return


def _log(entries: Any) -> str:
    lines = ["# Proactive communication", ""]
    for entry in entries:
        lines += [
            f"## {entry.posted_at:%Y-%m-%d} — {entry.get_kind_display()}",
            "",
            entry.text.strip(),
            "",
        ]
    return "\n".join(lines)


def _json(name: str, value: Any) -> Member:
    return _text(name, json.dumps(value, ensure_ascii=False, indent=2))


def _text(name: str, text: str) -> Member:
    return Member(name, [text.encode(errors="replace")])
