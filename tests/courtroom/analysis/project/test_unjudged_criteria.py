"""Criteria of the work's own rubric that none of its committed audits judges."""

from __future__ import annotations

import json

import pytest

from courtroom.analysis.project.unjudged_criteria import (
    criteria_of,
    rubric_paths,
    unjudged_criteria,
)
from tests.courtroom.analysis.project.test_general_facts import survey
from tests.courtroom.analysis.project.test_own_audits import ON_PEER, SELF, audit, read

# The audits of these tests judge the first two.
NAMES = ("Graph Orchestration", "State Management", "Report Accuracy", "Bulk Uploads")


def rubric(*names: str, key="dimensions") -> str:
    rows = [{"id": name.lower().replace(" ", "_"), "name": name} for name in names]
    return json.dumps({"title": "r", key: rows}, indent=1)


def missing(texts, **rubrics):
    facts = unjudged_criteria(read(texts), {n: criteria_of(text) for n, text in rubrics.items()})
    return facts if facts is None else [row["text"] for row in facts]


def test_criteria_that_no_audit_judges_are_counted_and_shown_in_the_rubric(tmp_path):
    files: dict[str, str | bytes | None] = {"rubric.json": rubric(*NAMES), SELF: audit("Good.")}
    (fact,) = survey(files, tmp_path).facts["unjudged_criteria"]

    assert fact["text"] == (
        "2 of the 4 criteria of rubric.json are judged in none of the work's committed audits:"
        " report_accuracy, bulk_uploads."
    )
    assert fact["places"] == [{"path": "rubric.json", "line": 13}, {"path": SELF, "line": 1}]


def test_rubric_that_the_code_opens_under_another_name_is_read(tmp_path):
    rows = [{"id": n.lower().replace(" ", "_"), "name": n, "judicial_logic": {}} for n in NAMES]
    files: dict[str, str | bytes | None] = {
        "court/week.json": json.dumps({"dimensions": rows}, indent=1),
        "run.py": "import json\nRULES = json.load(open('court\\\\week.json'))\n",
        SELF: audit("Good."),
    }
    (fact,) = survey(files, tmp_path).facts["unjudged_criteria"]

    assert fact["text"].startswith("2 of the 4 criteria of court/week.json are judged in none")


@pytest.mark.parametrize(
    ("says", "is_cut"),
    [
        ("Markdown Report Preview (First {} chars)", True),
        ("The judges read the first 2000 characters of each file.", False),
    ],
)
def test_audit_that_is_the_beginning_of_a_report_lacks_nothing(tmp_path, says, is_cut):
    text = audit("Good.")
    first = f"# Run\n\n--- {says.format(len(text))} ---\n\n"
    files: dict[str, str | bytes | None] = {"rubric.json": rubric(*NAMES), SELF: first + text}
    work = survey(files, tmp_path)

    assert work.facts["unjudged_criteria"] is None if is_cut else work.facts["unjudged_criteria"]
    assert work.reasons.get("unjudged_criteria", "") == is_cut * (
        f"{SELF} ends with the first {len(text)} characters of a report: what else that report"
        " judges is not in it"
    )


@pytest.mark.parametrize(
    ("rubrics", "expected"),
    [
        ({"r": rubric(*NAMES[:2])}, []),
        # An audit is of the smallest rubric that has its criteria.
        ({"r": rubric(*NAMES), "s": rubric(*NAMES[:2])}, []),
        ({"r": rubric(*NAMES[2:])}, None),
        ({"r": rubric(*NAMES[:2], key="notes")}, None),
        ({"r": "no rubric"}, None),
        ({}, None),
    ],
)
def test_audit_is_held_against_its_own_rubric_alone(rubrics, expected):
    assert missing({SELF: audit("Good.")}, **rubrics) == expected


def test_criterion_of_one_audit_is_judged():
    other = audit("Good.").replace("State Management", "Report Accuracy")
    texts = missing({SELF: audit("Good."), ON_PEER: other}, r=rubric(*NAMES))
    assert texts == [
        "1 of the 4 criteria of r is judged in none of the work's committed audits: bulk_uploads."
    ]


def test_criterion_that_is_named_beside_others_may_be_judged():
    unlike = audit("Good.").replace("State Management", "Findings") + "\nReport Accuracy: 3\n"
    texts = {SELF: unlike, ON_PEER: audit("Good.")}
    assert missing(texts, r=rubric(*NAMES[:3])) == []
    three = audit("Good.") + "\n## Bulk Uploads\n\n**Score:** 3/5\n\nReport Accuracy: 3\n"
    assert missing({SELF: three}, r=rubric(*NAMES[:3])) == []


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        ("Criterion: Report Accuracy", []),
        ("### 3. Report Accuracy", []),
        ("## Documents: Report Accuracy (cross-reference)", []),
        ("| 3 | Report Accuracy | 4 |", []),
        ("*Evidence:* src/a.py [Report Accuracy](a)", ["report_accuracy"]),
        ("**Goal:** Report Accuracy", ["report_accuracy"]),
        ("The commits say nothing on Report Accuracy.", ["report_accuracy"]),
        # A line of prose that begins with the name judges nothing.
        ("Report Accuracy practices, as of the reader.", ["report_accuracy"]),
        ('the "Report Accuracy" criterion fully.', ["report_accuracy"]),
        ("1. **Report Accuracy:** The documents say more than is true.", ["report_accuracy"]),
        ("- **Report Accuracy** Score: 4", []),
        ("Report Accuracy: Partially met", []),
        ('"criterion": "report_accuracy", "verdict": "It says more than is true."', []),
    ],
)
def test_criterion_is_judged_where_its_name_heads_a_part(line, texts):
    unlike = audit("Good.") + f"\n## Bulk Uploads\n\n**Score:** 3/5\n\n{line}\n"
    facts = missing({SELF: unlike}, r=rubric(*NAMES[:3]))
    assert [text.rsplit(": ")[-1].removesuffix(".") for text in facts] == texts


def test_what_others_wrote_judges_nothing():
    received = {"audit/report_bypeer_received/a.md": audit("Good.")}
    assert missing(received, r=rubric(*NAMES)) is None


def test_rubrics_are_files_of_that_name():
    paths = ["rubric/week2_rubric.json", "rubric.md", "data/levels.json", "my-Rubric.json"]
    assert rubric_paths(paths) == ["rubric/week2_rubric.json", "my-Rubric.json"]
