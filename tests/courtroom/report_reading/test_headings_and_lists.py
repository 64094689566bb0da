"""Markdown whose criteria are headings or items of a list, in layouts that programs of students write."""

from courtroom import read_report
from tests.courtroom.report_reading.readings import arguments, bench, notes, pair, places, scores

HEADINGS = """# Audit Report

**Repository:** https://example.org/team/court.git
**Commit:** 9f1c2ab
**Date:** 2026-03-01
**Auditor:** Lens 2.1
**Overall Score:** 3.5/5

## Executive Summary

Seven of ten criteria pass.

## Criterion Breakdown

### 1. Git Forensic Analysis
**Final Score: 4/5**

- **Prosecutor** (Score: 3): Two commits fall on one evening.
  - *Evidence:* log-1, log-2
- **Defense** (Score: 5): Twenty commits tell a story.
- **TechLead** (Score: 4): The history is workable.

**Dissent:** The Prosecutor sees a rush, the Defense a sprint.

**Remediation:** Spread the work over days.

### 2. Safe Tool Engineering (ID: safe_tool_engineering)
**Final Score: 3/5**

- **Prosecutor** (Score: 2): `os.system` in src/tools.py.
- **Defense** (Score: 4): The clone is sandboxed.
- **TechLead** (Score: 3): One call to mend.

## Remediation Plan

1. **High:** Replace os.system in `src/tools.py:14` with subprocess.run.
2. **Git Forensic Analysis:** Commit each step on its own.
"""


def test_headings_with_a_score_line_and_one_item_for_each_judge() -> None:
    report = read_report(HEADINGS)
    assert report.layout == "headings"
    assert (report.title, report.repo_url, report.commit, report.date, report.author) == (
        "Audit Report", "https://example.org/team/court.git", "9f1c2ab", "2026-03-01", "Lens 2.1",
    )  # fmt: skip
    assert pair(report.overall) == (3.5, 5)
    assert scores(report) == {"Git Forensic Analysis": (4, 5), "Safe Tool Engineering": (3, 5)}
    assert bench(report) == {
        "Git Forensic Analysis": [("Prosecutor", 3), ("Defense", 5), ("TechLead", 4)],
        "Safe Tool Engineering": [("Prosecutor", 2), ("Defense", 4), ("TechLead", 3)],
    }
    first, second = report.criteria
    assert (first.id, second.id, first.line) == (None, "safe_tool_engineering", 15)
    assert first.opinions[0].cited == ("log-1", "log-2")
    assert first.opinions[0].argument == "Two commits fall on one evening."
    assert first.dissent == "The Prosecutor sees a rush, the Defense a sprint."
    assert first.remediation == "Spread the work over days."
    assert places(report) == [
        ("Git Forensic Analysis", None, None, None),
        (None, "src/tools.py", 14, "high"),
        ("Git Forensic Analysis", None, None, None),
    ]
    assert [finding.source_line for finding in report.findings] == [25, 36, 37]
    assert report.findings[2].action == "Commit each step on its own."
    assert notes(report) == []


JUDGES_AS_HEADINGS = """# Final Verdict — example.org

## Overall Score: 2.5 / 5.0

## Theoretical Depth (Documentation) — Score: 2/5

### Prosecutor
- **Score:** 1
- **Argument:** Terms are dropped,
  never explained.
- **Cited Evidence:** page-3, page-4

### Defense Attorney
- **Score:** 3
- **Argument:** Fan-out is explained well.

### Tech Lead
- **Score:** 2
- **Argument:** Half of it helps.

### Dissent
Prosecutor: 1 and Defense: 3 disagree on page 3.

### Remediation
Explain each term where it is used.

## Report Accuracy — Score: 3/5

### Prosecutor
- **Score:** 3
- **Argument:** Two paths do not exist.
"""


def test_each_judge_under_a_heading_of_its_own() -> None:
    report = read_report(JUDGES_AS_HEADINGS)
    assert pair(report.overall) == (2.5, 5)
    assert scores(report) == {"Theoretical Depth (Documentation)": (2, 5), "Report Accuracy": (3, 5)}
    assert bench(report) == {
        "Theoretical Depth (Documentation)": [("Prosecutor", 1), ("Defense", 3), ("TechLead", 2)],
        "Report Accuracy": [("Prosecutor", 3)],
    }
    assert arguments(report)["Prosecutor"] == "Terms are dropped, never explained."
    assert report.criteria[0].opinions[0].cited == ("page-3", "page-4")
    assert report.criteria[0].dissent == "Prosecutor: 1 and Defense: 3 disagree on page 3."
    assert report.criteria[0].remediation == "Explain each term where it is used."
    assert notes(report) == []


BENCH_BY_BENCH = """# Self Audit

## Prosecutor

### State Management Rigor: 2/5
No reducer protects the findings.

### Judicial Nuance: 1/5
The prompts are copies.

## Defense

### State Management Rigor: 4/5
Everything is typed.

### Judicial Nuance: 3/5
The wish to differ shows.

## Chief Justice Synthesis

| Criterion | Final Score |
|---|---|
| State Management Rigor | 3/5 |
| Judicial Nuance | 2/5 |
"""


def test_one_part_for_each_judge_with_the_criteria_beneath() -> None:
    report = read_report(BENCH_BY_BENCH)
    assert report.about == "self"
    assert scores(report) == {"State Management Rigor": (3, 5), "Judicial Nuance": (2, 5)}
    assert bench(report) == {
        "State Management Rigor": [("Prosecutor", 2), ("Defense", 4)],
        "Judicial Nuance": [("Prosecutor", 1), ("Defense", 3)],
    }
    assert arguments(report) == {
        "Prosecutor": "No reducer protects the findings.",
        "Defense": "Everything is typed.",
    }


BOLD_LIST = """Peer audit of https://example.org/peer/work

- **Git Forensic Analysis** — 5/5
- **State Management Rigor** — 3.5/5
- **Graph Orchestration Architecture** — 80%
- Dimensions covered: 3/3

Overall score: 4.0/5
"""


def test_a_bold_list_of_criteria_and_their_scores() -> None:
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


def test_emoji_stand_beside_every_word() -> None:
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


def test_points_with_levels_and_no_exchange() -> None:
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


def test_an_executive_summary_alone_gives_the_overall_score_and_says_what_is_missing() -> None:
    report = read_report(SUMMARY_ONLY)
    assert report.layout == "summary"
    assert pair(report.overall) == (3.2, 5)
    assert report.criteria == ()
    assert notes(report) == [(None, "No criterion with a score was recognised.")]


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


def test_remediation_by_file_by_criterion_and_by_priority() -> None:
    report = read_report(BY_FILE)
    assert scores(report) == {"Git History": (4, 5), "Tool Safety": (2, 5)}
    assert places(report) == [
        (None, "src/tools/clone.py", 12, "high"),
        (None, "src/tools/clone.py", 30, None),
        (None, "src/graph.py", None, None),
        ("Tool Safety", "src/shell.py", None, "low"),
        (None, None, None, "low"),
    ]
