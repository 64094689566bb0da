"""Export of a student's audit/ folder: reports on themselves and peers, received reports, the log.

Every peer report passes through feedback/queries.py. Files are named after their records and never
after a person, so that the site recognises them in a repository (feedback/repository_reports.py).
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
from grading.peer_review.feedback.edition_keys import export_key
from grading.peer_review.feedback.editions import Status
from grading.peer_review.feedback.presenters import markdown_of
from grading.peer_review.feedback.queries import NOT_READY, redacted_copy_of
from grading.submissions.queries import attempts_across

SELF, GENERATED, RECEIVED = (
    "audit/report_onself_generated",
    "audit/report_onpeer_generated",
    "audit/report_bypeer_received",
)
README = """# Audits of this work

| folder | contents |
| --- | --- |
| `report_onself_generated` | reports on this work by its author's own audits |
| `report_onpeer_generated` | reports on peers by the author of this work |
| `report_bypeer_received` | reports on this work by peers |

Each report is there as Markdown and as JSON. What its reader may not know about a peer is withheld.
If `left_out.md` is there, it lists long reports whose redacted copy is still missing.
Do not publish these folders after a blind round: a reader of both repositories may recognise what
they quote, and tell who audited whom.
"""


def folder_of(student: Enrollment, assignment: Assignment) -> Generator[Member]:
    """Yield the files of the folder, README first. Call it in the organization's scope."""
    yield _text("audit/README.md", README)
    for submission in attempts_across(student, [assignment]):
        for audit in submission.audits.all():
            yield from _own_audit(audit)
    left_out = []
    for report in _reports(student, assignment):
        status = yield from _report(report, student)
        if status != "ready":
            left_out.append(f"- {_origin(report)}: {NOT_READY[status]}")
    if left_out:
        yield _text("audit/left_out.md", "\n".join(["# Left out", "", *left_out, ""]))
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
    """Yield an own audit as its student may see it. A peer's audit is exported by _report()."""
    audit_report = (
        visible_report(audit, is_staff=False)
        if audit.has_report and audit.kind != AuditKind.PEER
        else None
    )
    if audit_report is not None:
        name = f"{SELF}/attempt-{audit.submission.attempt}-{audit.pk}"
        yield _json(f"{name}.json", audit_report.document)
        yield from _markdown(
            name,
            lambda: engine_audits.render_markdown(
                audit_report.document, date=f"{audit.finished_at:%Y-%m-%d}"
            ),
        )


def _report(report: FeedbackReport, student: Enrollment) -> Generator[Member, None, Status]:
    """Yield the files of a report, none without an edition; return its status."""
    side: ReportSide = "author" if report.author_id == student.pk else "subject"
    copy = redacted_copy_of(report, side=side)
    document = copy.document if copy.document is not None else copy.reading
    if document is None:
        return copy.status
    name = f"{_folder(report, side)}/{_origin(report)}-{export_key(report, side)}"
    yield _json(f"{name}.json", document)
    yield from _markdown(name, lambda: markdown_of(copy))
    return copy.status


def _folder(report: FeedbackReport, side: ReportSide) -> str:
    if report.kind == FeedbackKind.SELF:
        return SELF
    return GENERATED if side == "author" else RECEIVED


def _origin(report: FeedbackReport) -> str:
    return f"round-{report.pairing.round.number}" if report.pairing else "imported"


def _markdown(name: str, render: Any) -> Generator[Member]:
    """Yield the Markdown; nothing for a report of an older format, which is there as JSON."""
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
    # A lone surrogate in an imported text cannot be encoded.
    return Member(name, [text.encode(errors="replace")])
