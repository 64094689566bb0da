"""Reports in JSON, with the keys that students' programs write."""

import json

import pytest

from courtroom import InputRefused, read_report
from tests.courtroom.report_import.report_values import (
    arguments,
    bench,
    notes,
    pair,
    places,
    scores,
)

NESTED = {
    "generated_at": "2026-02-28T14:21:26",
    "audit": {"auditor": "Lens 3", "git_commit": "DEADBEEF01"},
    "result": {
        "final_report": {
            "repo_url": "https://example.org/peer/work",
            "overall_score": 3.5,
            "criteria": [
                {
                    "dimension_id": "git_forensic_analysis",
                    "dimension_name": "Git Forensic Analysis",
                    "final_score": 4,
                    "max_score": 5,
                    "judge_opinions": [
                        {
                            "judge": "Prosecutor",
                            "score": 3,
                            "argument": "Late.",
                            "cited_evidence": ["E1", "E2"],
                        },
                        {"judge": "Tech Lead", "score": "4/5", "reasoning": "Works."},
                    ],
                    "dissent_summary": "One apart.",
                    "remediation": "Commit earlier; see src/graph.py:7.",
                },
                {"dimension_id": "swarm_visual", "final_score": None, "judge_opinions": []},
            ],
        }
    },
}


def test_list_of_criteria_inside_wrappers_is_read() -> None:
    report = read_report(
        json.dumps(NESTED, indent=1), name="audit/report_onpeer_generated/report.json"
    )

    assert (report.layout, report.about) == ("JSON", "peer")
    assert (report.repo_url, report.commit, report.date, report.author) == (
        "https://example.org/peer/work",
        "deadbeef01",
        "2026-02-28T14:21:26",
        "Lens 3",
    )
    assert pair(report.overall) == (3.5, None)
    assert scores(report) == {"Git Forensic Analysis": (4, 5), "swarm_visual": None}
    assert bench(report) == {
        "Git Forensic Analysis": [("Prosecutor", 3), ("TechLead", 4)],
        "swarm_visual": [],
    }
    assert arguments(report) == {"Prosecutor": "Late.", "TechLead": "Works."}
    first = report.criteria[0]
    assert (first.id, first.dissent, first.opinions[0].cited) == (
        "git_forensic_analysis",
        "One apart.",
        ("E1", "E2"),
    )
    assert places(report) == [("Git Forensic Analysis", "src/graph.py", 7, None)]
    assert first.line == 12
    assert notes(report) == [(36, "No score could be read for “swarm_visual”.")]


BY_NAME = {
    "verdict": "Partial success",
    "dimension_scores": {"dev_progress": 16, "feedback_implementation": 8},
    "dissent_summary": "The Tech Lead differs.",
    "remediation_plan": "1. In src/state.py, type the state. 2. In src/tools.py, add a timeout.",
    "raw_opinions": [
        {"judge": "Defense", "criterion_id": "dev_progress", "score": 25, "argument": "It runs."},
        {"judge": "Prosecutor", "criterion_id": "dev_progress", "score": 7, "argument": "Barely."},
        {"judge": "Prosecutor", "score": 2, "argument": "Of nothing."},
    ],
}


def test_scores_by_name_with_opinions_in_one_list_are_read() -> None:
    report = read_report(json.dumps(BY_NAME))

    assert scores(report) == {"dev_progress": (16, None), "feedback_implementation": (8, None)}
    assert bench(report)["dev_progress"] == [("Defense", 25), ("Prosecutor", 7)]
    assert places(report) == [
        (None, "src/state.py", None, None),
        (None, "src/tools.py", None, None),
    ]
    assert notes(report) == [(1, "Skipped an opinion that belongs to no criterion.")]


BY_JUDGE = {
    "auditReport": {
        "overallScore": {"earned": 60, "possible": 80},
        "criteria": {
            "feedback_implementation": {"level": "No Exchange", "points": 0, "maxPoints": 20},
            "development_progress": {
                "finalScore": "21 / 35 points",
                "level": {"name": "Partial"},
                "judges": {"prosecutor": {"score": 2, "opinion": "Half."}, "defense": 4},
                "tech_lead_score": 3,
                "recommendations": [
                    {
                        "file": "src/graph.py",
                        "line": 12,
                        "issue": "No join.",
                        "fix": "Join them.",
                        "severity": "HIGH",
                    },
                    "Write tests.",
                ],
            },
        },
        "keyFindings": ["`eval` in src/run.py line 9"],
    }
}


def test_criteria_and_judges_by_name_in_camel_case_are_read() -> None:
    report = read_report(json.dumps(BY_JUDGE))

    assert pair(report.overall) == (60, 80)
    excluded, progress = report.criteria
    assert (excluded.name, excluded.excluded, pair(excluded.score)) == (
        "feedback_implementation",
        True,
        (None, None),
    )
    assert (pair(progress.score), progress.score and progress.score.written) == (
        (21, 35),
        "21 / 35 points",
    )
    assert progress.level == "Partial"
    assert bench(report)["development_progress"] == [
        ("Prosecutor", 2),
        ("Defense", 4),
        ("TechLead", 3),
    ]
    assert places(report) == [
        ("development_progress", "src/graph.py", 12, "high"),
        ("development_progress", None, None, None),
        (None, "src/run.py", 9, None),
    ]
    assert [(finding.text, finding.action) for finding in report.findings] == [
        ("No join.", "Join them."),
        ("Write tests.", "Write tests."),
        ("eval in src/run.py line 9", None),
    ]


def test_bare_list_of_criteria_is_read() -> None:
    text = (
        '[{"criterion": "Report Accuracy", "score": "4 out of 5"},\n'
        ' {"criterion": "Swarm Visual", "score": 1}]'
    )
    report = read_report(text, name="report.json")
    assert scores(report) == {"Report Accuracy": (4, 5), "Swarm Visual": (1, None)}
    assert [criterion.line for criterion in report.criteria] == [1, 2]


FAILED = {
    "criteria": [
        {
            "name": "Judicial Nuance",
            "score": 3,
            "opinions": {
                "Prosecutor": {"score": 3, "argument": "LLM call failed. See the console."},
                "Defense": {"score": 3, "argument": "Neutral fallback opinion due to LLM error."},
                "TechLead": {"score": 3, "argument": "Error code: 429 - rate limit reached"},
            },
        },
        {
            "name": "Report Accuracy",
            "score": 4,
            "opinions": [
                {"judge": "Prosecutor", "score": 3, "argument": "Error: timed out"},
                {
                    "judge": "Defense",
                    "score": 5,
                    "argument": "Handles a rate limit and a timeout well.",
                },
            ],
        },
    ]
}


def failure_note(criterion: str, judge: str) -> str:
    return (
        f"“{criterion}”: the {judge} reported a failure instead of an opinion. "
        "The score 3 is not used."
    )


def test_failure_written_as_a_verdict_is_a_note_and_no_score() -> None:
    report = read_report(json.dumps(FAILED, indent=0))

    assert scores(report) == {"Judicial Nuance": None, "Report Accuracy": (4, None)}
    assert bench(report) == {
        "Judicial Nuance": [("Prosecutor", None), ("Defense", None), ("TechLead", None)],
        "Report Accuracy": [("Prosecutor", None), ("Defense", 5)],
    }
    assert notes(report) == [
        (3, "“Judicial Nuance”: the score 3 is not used, because every judge failed."),
        (7, failure_note("Judicial Nuance", "Prosecutor")),
        (11, failure_note("Judicial Nuance", "Defense")),
        (15, failure_note("Judicial Nuance", "TechLead")),
        (25, failure_note("Report Accuracy", "Prosecutor")),
    ]


def test_value_that_is_no_usable_number_is_left_out() -> None:
    text = """{"criteria": [
      {"name": "A", "score": NaN}, {"name": "B", "score": -1}, {"name": "C", "score": 1e999},
      {"name": "D", "score": 99999999999999999999999999999999999999}, {"name": "E", "score": true},
      {"name": "F", "score": 3}]}"""
    report = read_report(text)
    assert scores(report) == {"A": None, "B": None, "C": None, "D": None, "E": None, "F": (3, None)}


def test_json_in_a_fence_within_a_text_is_read() -> None:
    text = 'What my auditor printed:\n\n```json\n{"criteria": {"swarm_visual": 2}}\n```\n'
    report = read_report(text)
    assert (report.layout, scores(report)) == ("JSON within text", {"swarm_visual": (2, None)})


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"criteria": [\n', "The report is not valid JSON: line 2, column 1: Expecting value."),
        ("[" * 5000, "The report is nested deeper than 100 levels."),
        ('{"a":' * 120 + "1" + "}" * 120, "The report is nested deeper than 100 levels."),
    ],
)
def test_invalid_json_is_refused_with_its_place(text: str, sentence: str) -> None:
    with pytest.raises(InputRefused) as refused:
        read_report(text, name="report.json")
    assert (refused.value.code, refused.value.message) == ("report_invalid_json", sentence)
