"""Markdown with criteria as headings, and judges in items, under headings or above criteria."""

from courtroom import read_report
from tests.courtroom.report_import.report_values import (
    arguments,
    bench,
    notes,
    pair,
    places,
    scores,
)

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


def test_bold_label_over_the_judges_is_no_criterion() -> None:
    judges = "- **Prosecutor** (Score: 2/5)\n  - *Opinion:* Two.\n- **Defense** (Score: 4/5)\n"
    parts = (
        f"### {name} (`{name.lower()}`)\n\n**Verdict (Final Score):** 3/5\n\n"
        f"**Per-Judge Opinions:**\n\n{judges}"
        for name in ("Graph", "State")
    )
    report = read_report("# Audit\n\n" + "\n".join(parts))
    assert scores(report) == {"Graph (graph)": (3.0, 5.0), "State (state)": (3.0, 5.0)}
    assert [len(criterion.opinions) for criterion in report.criteria] == [2, 2]


def test_heading_with_a_limit_is_no_criterion_with_a_score() -> None:
    limits = "### Strong parts (score ≥ 4)\n\nNone.\n\n### Weak parts (below <= 2)\n\nNone.\n"
    report = read_report(
        HEADINGS.replace("## Criterion Breakdown", f"{limits}\n## Criterion Breakdown")
    )

    assert list(scores(report)) == list(scores(read_report(HEADINGS)))


def test_headings_with_a_score_line_and_one_item_per_judge_are_read() -> None:
    report = read_report(HEADINGS)

    assert report.layout == "headings"
    assert (report.title, report.repo_url, report.commit, report.date, report.author) == (
        "Audit Report",
        "https://example.org/team/court.git",
        "9f1c2ab",
        "2026-03-01",
        "Lens 2.1",
    )
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


def test_judges_as_headings_are_read() -> None:
    report = read_report(JUDGES_AS_HEADINGS)

    assert pair(report.overall) == (2.5, 5)
    assert scores(report) == {
        "Theoretical Depth (Documentation)": (2, 5),
        "Report Accuracy": (3, 5),
    }
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


def test_criteria_under_one_part_per_judge_are_read() -> None:
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


def test_scores_of_a_dissent_are_opinions_where_no_others_are_given() -> None:
    ending = "\n**Dissent:** Prosecution: Score 2 - A rush.\n\nDefense: Score 4 - A sprint.\n"
    text = f"# Audit Report\n\n## Criterion Breakdown\n\n### Git History\n**Score:** 3/5\n{ending}"
    (criterion,) = read_report(text).criteria
    assert [
        (row.judge, row.score and row.score.value, row.argument) for row in criterion.opinions
    ] == [
        ("Prosecutor", 2, "A rush."),
        ("Defense", 4, "A sprint."),
    ]
