"""Markdown with scores in tables, with and without bars at the edges."""

from courtroom import read_report
from tests.courtroom.report_import.report_values import (
    arguments,
    bench,
    notes,
    pair,
    places,
    scores,
)

SUMMARY_TABLE = """# Audit of a peer

| Metric | Value |
|--------|-------|
| Repository | https://example.org/peer/court |
| Commit | `0a1b2c3d4e5f` |
| Overall Score | **3.4 / 5.0** |

| # | Criterion | Score (/5) | Verdict | Dissent |
|---|-----------|:----------:|---------|---------|
| 1 | Git Forensic Analysis | **4** | PASS | — |
| 2 | Safe Tool Engineering (`safe_tool_engineering`) | 2 | FAIL | the Defense saw a sandbox |
| 3 | Swarm Visual | N/A | not assessed | — |
| | **Total** | 6/10 | | |
"""


def test_table_of_criteria_with_the_scale_in_its_head_is_read() -> None:
    report = read_report(SUMMARY_TABLE)

    assert report.layout == "tables"
    assert (report.repo_url, report.commit, report.about) == (
        "https://example.org/peer/court",
        "0a1b2c3d4e5f",
        "peer",
    )
    assert pair(report.overall) == (3.4, 5)
    assert scores(report) == {
        "Git Forensic Analysis": (4, 5),
        "Safe Tool Engineering": (2, 5),
        "Swarm Visual": None,
    }
    assert report.criteria[1].id == "safe_tool_engineering"
    assert report.criteria[1].dissent == "the Defense saw a sandbox"
    assert notes(report) == [(13, "No score could be read for “Swarm Visual”.")]


JUDGE_COLUMNS = """Criterion | Prosecutor | Defense | Tech Lead | Final Score | Recommendation
--- | --- | --- | --- | --- | ---
git_forensic_analysis | 2/5 | 5/5 | 4/5 | 4/5 | Write messages that say why
judicial_nuance | 1/5 | 3/5 | — | 2/5 | —
"""


def test_table_with_a_column_per_judge_and_no_edges_is_read() -> None:
    report = read_report(JUDGE_COLUMNS)

    assert scores(report) == {"git_forensic_analysis": (4, 5), "judicial_nuance": (2, 5)}
    assert bench(report) == {
        "git_forensic_analysis": [("Prosecutor", 2), ("Defense", 5), ("TechLead", 4)],
        "judicial_nuance": [("Prosecutor", 1), ("Defense", 3)],
    }
    assert [criterion.remediation for criterion in report.criteria] == [
        "Write messages that say why",
        None,
    ]


TABLE_FOR_EACH = """# Report

### Git Forensic Analysis
**Final Score:** 8

> **Judicial Dissent:** Variance: 5

| Judge | Score | Argument | Evidence |
| :--- | :--- | :--- | :--- |
| **Defense** | 9/10 | Thirty commits, each of one thing. | git log, README.md |
| Prosecutor | 4/10 | A rush \\| a sprint. | |
| Ombudsman | 7/10 | Fair enough. | |

### State Management Rigor
**Final Score:** 6

| Role | Score |
|------|-------|
| Tech Lead | 6/10 |

| Role | Argument |
|------|----------|
| **Tech Lead** (6/10) | Reducers are there. |

## Remediation Plan

| File | Change | Priority |
|------|--------|----------|
| src/state.py | Add a reducer for errors | High |
"""


def test_table_of_judges_under_each_criterion_is_read() -> None:
    report = read_report(TABLE_FOR_EACH)

    assert scores(report) == {
        "Git Forensic Analysis": (8, None),
        "State Management Rigor": (6, None),
    }
    assert bench(report) == {
        "Git Forensic Analysis": [("Defense", 9), ("Prosecutor", 4), ("Ombudsman", 7)],
        "State Management Rigor": [("TechLead", 6)],
    }
    assert arguments(report)["Prosecutor"] == "A rush | a sprint."
    assert arguments(report, 1) == {"TechLead": "Reducers are there."}
    assert report.criteria[0].opinions[0].cited == ("git log", "README.md")
    assert report.criteria[0].dissent == "Variance: 5"
    assert places(report) == [(None, "src/state.py", None, "high")]
    assert report.findings[0].text == "Add a reducer for errors"


ONE_LONG_TABLE = """# Opinions

| Criterion | Judge | Score | Reasoning |
|---|---|---|---|
| Report Accuracy | Prosecutor | 2/5 | Two paths are invented. |
| Report Accuracy | Defense | 4/5 | Eighteen of twenty exist. |
| Report Accuracy | Chief Justice | 3/5 | Between the two. |
| Swarm Visual | Prosecutor | 1/5 | No picture. |
"""


def test_chief_justice_row_gives_the_score_of_its_criterion() -> None:
    report = read_report(ONE_LONG_TABLE)
    assert scores(report) == {"Report Accuracy": (3, 5), "Swarm Visual": None}
    assert bench(report) == {
        "Report Accuracy": [("Prosecutor", 2), ("Defense", 4)],
        "Swarm Visual": [("Prosecutor", 1)],
    }
    assert notes(report) == [(8, "No score could be read for “Swarm Visual”.")]


TWO_TELLINGS = """# Audit

| Criterion | Score |
|---|---|
| Git Forensic Analysis | 4/5 |

## Details

### Git Forensic Analysis
**Score:** 3/5
"""


def test_first_of_two_scores_is_kept_and_the_other_is_noted() -> None:
    report = read_report(TWO_TELLINGS)

    assert scores(report) == {"Git Forensic Analysis": (4, 5)}
    assert notes(report) == [
        (
            10,
            "“Git Forensic Analysis” has a different score here, 3/5. The first one, 4/5, is kept.",
        )
    ]


def test_table_of_arguments_stands_under_the_score_of_its_item() -> None:
    report = read_report("""# Audit Report

**Overall Score:** 3.5 / 5.00

### 1. State Management [Source: Repo]
**Item Score:** `4/5` | **Status:** fine

| Judge | Argument |
| :--- | :--- |
| Defense | The state is typed from end to end. |
| Prosecutor | Two nodes write one key. |

### 2. Graph Wiring [Source: Vision]
**Item Score:** `3/5` | **Status:** fair

| Judge | Argument |
| :--- | :--- |
| Defense | The branches join where they must. |
""")
    scores = [criterion.score for criterion in report.criteria]
    assert [score and score.value for score in scores] == [4, 3]
    assert [len(criterion.opinions) for criterion in report.criteria] == [2, 1]
