"""Audits given and received in every layout, communication logs, and deferrals."""

from __future__ import annotations

import pytest

from courtroom.analysis.project import audit_folders
from courtroom.analysis.project.audit_folders import (
    candidates_among,
    contents_of,
    kind_of,
    reports_on_record,
)
from courtroom.analysis.project.deferrals import deferrals_in, deferrals_on_pages
from courtroom.analysis.project.log_entries import Entry, entries_of, is_communication_log


@pytest.mark.parametrize(
    "path",
    [
        "src/audit/peers.py",
        "audit/report_onpeer_generated/.gitkeep",
        "audit/report_onpeer_generated/._report.md",
        "audit/report_onself_generated/README.md",
        "reports/final_report.pdf",
        "audit/langsmith_logs/trace.json",
        "node_modules/audit/on_peer/report.md",
    ],
)
def test_other_files_are_not_audits(path):
    assert kind_of(path) is None


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("audit/report_onself_generated/report.md", "self"),
        ("audit/report_oneself_generated/report.md", "self"),
        ("audit/report_onself_generated.md", "self"),
        ("reports/self_audit_report.md", "self"),
        ("audits/on-self/a.json", "self"),
        ("audit/report_onpeer_generated/audit_b.json", "generated"),
        ("audit/report_peer_generated/peer.md", "generated"),
        ("audit/report_generated/someone/project/audit_report.md", "generated"),
        ("reports/peer_audit_report.md", "generated"),
        ("audit/report_bypeer_received/peer_audit_report.md", "received"),
        ("audit/report_bypeer_recieved/r.md", "received"),
        ("audit/report_bypeer_generated/r.pdf", "received"),
        ("peer_feedback/received/from_b.txt", "received"),
    ],
)
def test_audit_is_recognised_in_every_layout(path, kind):
    assert kind_of(path) == kind


RECEIVED, ON_PEER = "audit/report_bypeer_received/a.md", "audit/report_onpeer_generated/a.md"

FAILED_JUDGES = """# Audit

**Overall Score:** 3.0/5

## Graph Orchestration

**Score:** 3/5

- **Defense** (score 3): Judge invocation failed: Error code: 429
"""


def recorded(text: str, path: str = RECEIVED) -> bool:
    return [path for path, _, _ in reports_on_record({path: text}, {path: "received"})] == [path]


@pytest.mark.parametrize(
    "text",
    [
        "# Audit\n\n## Graph Orchestration\n\n**Score:** 3/5\n",
        "# Review\n\n## Issues\n\n- src/graph.py:12 has no edge to the judges\n",
        '{"overall_score": 3.2, "criteria": [{"name": "Graph", "final_score": 3}]}',
        FAILED_JUDGES,
    ],
    ids=["scores", "findings with places", "json", "failed judges"],
)
def test_a_report_has_scores_or_findings_with_places(text):
    assert recorded(text)


@pytest.mark.parametrize(
    "text",
    [
        "# Received\n\nNo report has been received from a peer yet.\n",
        "# Peer Audit Received\n\n## Criterion Breakdown\nPending...\n",
        "# Feedback\n\nUse a reducer for the evidences.\n",
        "<html><body><h1>Peers</h1><p>Pages about peer reports.</p></body></html>",
        '{"run": "17", "model": "none", "files": 3}',
        "",
    ],
    ids=["nothing yet", "placeholder", "remark", "page", "manifest", "empty"],
)
def test_what_cannot_be_read_as_a_report_is_none_whatever_its_folder(text):
    assert not recorded(text)


def test_documents_and_files_beyond_a_limit_are_not_read(monkeypatch):
    monkeypatch.setattr(audit_folders, "MOST_AUDITS", 1)
    pdf = "audit/report_bypeer_received/r.pdf"
    sizes = {ON_PEER: 100, RECEIVED: 100, pdf: 100, "audit/on_self/small.md": 39, "a.md": 100}
    assert candidates_among(sizes) == ({RECEIVED: "received"}, [pdf, ON_PEER])


def test_what_a_report_on_a_peer_holds_is_listed():
    bare = "# Audit\n\n## Graph Orchestration\n\n**Score:** 3/5\n"
    rich = (
        f"{bare}\n- **Prosecutor** (Score: 2): src/graph.py has no join.\n"
        "- **Defense** (Score: 4): It is wired.\n\n## Remediation Plan\n\n- Add a join to src/graph.py\n"
    )
    assert contents_of(["bare.md", "rich.md"], {"bare.md": bare, "rich.md": rich}) == {
        "scored": ["bare.md", "rich.md"],
        "placed": ["rich.md"],
        "argued": ["rich.md"],
        "planned": ["rich.md"],
    }


def test_communication_logs_are_recognised_in_any_spelling():
    logs = [
        "audit/proactive_communication.md",
        "docs/Communication-Log.txt",
        "communication/week2.md",
        "devlog.md",
    ]
    other_paths = ["src/communication.py", "audit/report.md", "docs/blog.md"]
    assert [path for path in logs + other_paths if is_communication_log(path)] == logs


LOG = """# Log of 2 students

## 2026-02-20
Shared the parser and asked for help: the clone is blocked.

- 21 Feb 2026: decided on one reducer per key
  and finished the graph.
| 02/23/2026 | said hello |
"""


def test_entries_begin_at_their_dates_and_have_their_kinds():
    assert list(entries_of(LOG)) == [
        Entry(3, "2026-02-20", ("progress", "blocker")),
        Entry(6, "21 Feb 2026", ("progress", "design")),
        Entry(8, "02/23/2026", ()),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Evaluation of functions is deferred.",
        "Streaming is out of scope.",
        "Fixed because it was asked.",
    ],
)
def test_deferral_without_a_reason_does_not_count(text):
    assert list(deferrals_in(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        "Deferred the vision model because no key is at hand.",
        "Because the deadline is near, caching was postponed.",
        "We will not fix the retry now, since it would change the interface.",
        "Multi-tenancy is out of scope due to the size of the team.",
    ],
)
def test_deferral_with_a_reason_counts(text):
    assert list(deferrals_in(f"# Answers\n\n- {text}\n")) == [(3, text)]


def test_deferrals_of_a_report_are_sentences_with_their_page():
    sentence = "Deferred the vision model because no key is at hand."
    pages = [
        "Nothing here.",
        f"It works. {sentence} Next year we go on.\nStreaming is out of scope.",
    ]
    assert deferrals_on_pages(pages) == [{"page": 2, "text": sentence}]
