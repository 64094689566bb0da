"""Markdown of an audit that was refused."""

from __future__ import annotations

from courtroom.models.refused_audit import RefusedAudit
from courtroom.rendering.markdown_escaping import code_span, escape_prose

TITLES = {
    "address": "the repository's address",
    "clone": "cloning the repository",
    "pdf": "reading the PDF report",
    "start": "starting the audit",
}


def render_refused(record: RefusedAudit) -> str:
    ref = f" (ref {code_span(record.ref)})" if record.ref else ""
    return "\n".join(
        [
            f"# Audit of {code_span(record.repo_url)}",
            "",
            "**No verdict: the audit could not begin.**",
            "",
            f"- **Repository**: {code_span(record.repo_url)}{ref}",
            f"- **Ended**: {record.ended_at}",
            f"- **Stage**: {TITLES[record.stage]}",
            f"- **Error**: {escape_prose(record.message)} ({code_span(record.code)})",
            "",
        ]
    )
