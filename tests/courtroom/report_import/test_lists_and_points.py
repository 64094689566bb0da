"""Markdown with criteria in lists, points, emoji, a summary alone, and remediation plans."""

from courtroom import read_report
from tests.courtroom.report_import.report_values import bench, notes, pair, places, scores

BOLD_LIST = """Peer audit of https://example.org/peer/work

- **Git Forensic Analysis** — 5/5
- **State Management Rigor** — 3.5/5
- **Graph Orchestration Architecture** — 80%
- Dimensions covered: 3/3

Overall score: 4.0/5
"""


def test_bold_list_of_criteria_is_read() -> None:
    report = read_report(BOLD_LIST)

    assert report.layout == "lists"
    assert report.repo_url == "https://example.org/peer/work"
    assert pair(report.overall) == (4, 5)
    assert scores(report) == {
        "Git Forensic Analysis": (5, 5),
        "State Management Rigor": (3.5, 5),
        "Graph Orchestration Architecture": (80, 100),
    }


EMOJI = """# ⚖️ Audit Report: peer review 🚀

## 📊 Criterion Breakdown

### ✅ 3. Structured Output Enforcement
⭐ **Score:** ⭐⭐⭐⭐☆

- 🔴 **Prosecutor** 🟢 (2/5): No retry.
- 🛡️ **Defense** 🟢 (5/5): A schema is bound.

### ⚠️ 4. Swarm Visual
**Score:** `1 / 5`

## 🛠️ Remediation Plan

- 🔥 **Critical**: draw the graph in `docs/graph.md`
"""


def test_emoji_beside_every_word_are_ignored() -> None:
    report = read_report(EMOJI)
    assert report.about == "peer"
    assert scores(report) == {"Structured Output Enforcement": (4, 5), "Swarm Visual": (1, 5)}
    assert bench(report)["Structured Output Enforcement"] == [("Prosecutor", 2), ("Defense", 5)]
    assert places(report) == [(None, "docs/graph.md", None, "high")]


POINTS = """# Audit Report

**Total:** 60 / 80 points

### Development Progress

- **Level:** Complete System — **Points:** 35

**Judge opinions:**
- **Defense** (score 4): The whole pipeline runs.
- **Prosecutor** (score 3): The history is short.

### Feedback Implementation

- **Level:** No Exchange — **Points:** 0

*Excluded from total.*

### Proactive Communication
- **Level:** Absent
"""


def test_points_with_levels_and_no_exchange_are_read() -> None:
    report = read_report(POINTS)

    assert pair(report.overall) == (60, 80)
    assert report.overall is not None
    assert report.overall.written == "60 / 80 points"
    assert [(c.name, c.level, pair(c.score), c.excluded) for c in report.criteria] == [
        ("Development Progress", "Complete System", (35, None), False),
        ("Feedback Implementation", "No Exchange", (None, None), True),
        ("Proactive Communication", "Absent", (None, None), False),
    ]
    assert bench(report)["Development Progress"] == [("Defense", 4), ("Prosecutor", 3)]


SUMMARY_ONLY = """## Executive Summary

The audit of https://example.org/peer/work ended with an overall score of 3.2/5 over ten criteria.
Most judges agreed.
"""


def test_summary_alone_gives_the_overall_score_and_a_note() -> None:
    report = read_report(SUMMARY_ONLY)
    assert report.layout == "summary"
    assert pair(report.overall) == (3.2, 5)
    assert report.criteria == ()
    assert notes(report) == [(None, "No criterion with a score was found.")]


BY_FILE = """# Audit

### Git History
Score: 4/5

### Tool Safety
Score: 2/5

## Remediation Plan

### `src/tools/clone.py`
- **High**: line 12: validate the address before git sees it
- Add a timeout (lines 30-34)

### src/graph.py
Wire the judges in parallel.

### Tool Safety
- **File**: src/shell.py
  **Priority**: low
  Drop the shell helper.

## Low priority
- Rename the README sections
"""


def test_remediation_by_file_criterion_and_priority_is_read() -> None:
    report = read_report(BY_FILE)

    assert scores(report) == {"Git History": (4, 5), "Tool Safety": (2, 5)}
    assert places(report) == [
        (None, "src/tools/clone.py", 12, "high"),
        (None, "src/tools/clone.py", 30, None),
        (None, "src/graph.py", None, None),
        ("Tool Safety", "src/shell.py", None, "low"),
        (None, None, None, "low"),
    ]
