"""Report whose submission fights back: in paths, texts and names."""

from __future__ import annotations

from typing import Any

from courtroom.models.audit_report import AuditReport, RecordedError
from courtroom.models.root_cause import RootCause
from tests.factories.findings import flaw, met, missing, report_of_checks

TEXT = '<script>alert(1)</script> [log in](https://e.example) {0} \x00\x1b]8;; "\u202e ]]> &amp;'
# Names of files, and the URIs that lead to them; None where nothing inside the repository is meant.
PATHS = {
    "src/a b.py": "src/a%20b.py",
    "src/caf\u00e9.py": "src/caf%C3%A9.py",
    "c:/x.py": "c%3A/x.py",
    "100%.py": "100%25.py",
    "what?#1.py": "what%3F%231.py",
    "line\nbreak.py": "line%0Abreak.py",
    "../../etc/passwd": None,
    "src/../../x.py": None,
    "/etc/passwd": None,
    "src\\..\\x.py": None,
    "./x.py": None,
}


def hostile_report(**changes: Any) -> AuditReport:
    """Return a report with a flaw at each path, every outcome of a check, and a failure of ours."""
    checks = [flaw((path, 3), name=f"shell.{n}", goal=TEXT) for n, path in enumerate(PATHS)]
    document = report_of_checks(*checks, met(), missing("tidy.log"), missing("a.b", criterion="b"))
    report = AuditReport.model_validate(document)
    tidy, other = report.criteria
    unknown = tidy.checks[0].model_copy(update={"check": "x.open", "met": None, "reason": TEXT})
    hanging = unknown.model_copy(
        update={"check": "x.none", "not_applicable": RootCause(code="no_graph", sentence=TEXT)}
    )
    broken = unknown.model_copy(update={"check": "x.broken", "has_failed": True})
    rows = (*tidy.checks, unknown, hanging, broken)
    judged = tidy.model_copy(update={"name": TEXT, "checks": rows})
    unjudged = other.model_copy(
        update={"final_score": None, "needs_review": True, "rationale": TEXT}
    )
    fields = {
        "criteria": (judged, unjudged),
        "errors": (RecordedError(stage="pdf", code="child_timeout", message=TEXT),),
        "status": "needs_review",
    }
    return report.model_copy(update=fields | changes)
