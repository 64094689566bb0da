"""The facts on own outputs as a survey of a whole repository has them."""

from __future__ import annotations

import pytest

from courtroom.analysis.project import audit_folders
from courtroom.analysis.project.misplaced_audits import misplaced_audits
from tests.courtroom.analysis.project.test_general_facts import survey
from tests.courtroom.analysis.project.test_own_audits import ON_PEER, SELF, audit


def test_committed_audits_and_claims_are_facts(tmp_path):
    readme = "# Auditor\n\nIts self-audit has an overall score of 4.2/5.\n"
    facts = survey({"README.md": readme, SELF: audit("The work is good.")}, tmp_path).facts

    assert [row["path"] for row in facts["own_audits"]] == [SELF]
    assert len(facts["audits_without_judgement"]) == 1
    assert [(c["path"], c["line"], c["agrees"]) for c in facts["claimed_scores"]] == [
        ("README.md", 3, False)
    ]
    assert (facts["unread_outputs"], facts["disagreeing_outputs"]) == ([], [])


def test_audits_by_name_without_a_byte_are_a_fact(tmp_path):
    files: dict[str, str | bytes | None] = {
        SELF: audit(),
        "audit/report_20260228.md": "",
        "audit/SELF_IMPROVEMENT.md": "",
        "audit/report_bypeer_received/audit.md": "",
    }
    assert survey(files, tmp_path).facts["empty_outputs"] == ["audit/report_20260228.md"]


def test_copy_of_an_audit_of_oneself_is_none_of_a_peer(tmp_path):
    received = "audit/report_bypeer_received/{}.md"
    by_peer = audit("Better.").replace("good", "fair")
    files: dict[str, str | bytes | None] = {
        SELF: audit(),
        received.format("a"): audit(),
        received.format("b"): by_peer,
    }
    facts = survey(files, tmp_path).facts

    row = next(row for row in facts["own_audits"] if row["path"] == SELF)
    assert row["received_as"] == [received.format("a")]
    sentence = (
        f"{received.format('a')} lies among the audits by peers and is the same file as {SELF}."
    )
    assert sentence in row["remarks"]
    (fact,) = misplaced_audits(facts["own_audits"], ())
    assert (fact["text"], fact["places"][0]["path"]) == (sentence, received.format("a"))
    assert facts["minmax"]["received"] == [received.format("b")]
    assert {row["path"] for row in facts["received_findings"]} <= {received.format("b")}


def test_score_may_stand_in_an_output_that_is_broken_off(tmp_path):
    readme = "# Auditor\n\nIts self-audit has an overall score of 4.2/5.\n"
    files: dict[str, str | bytes | None] = {
        "README.md": readme,
        SELF: audit("The work is good."),
        "audit/audit_report.json": '{"overall_score": 4.2, "criteria": [',
    }
    facts = survey(files, tmp_path).facts
    assert facts["unread_outputs"] == ["audit/audit_report.json"]
    assert [claim["agrees"] for claim in facts["claimed_scores"]] == [None]


def test_an_argument_that_stands_in_the_code_is_no_judges(tmp_path):
    code = 'def stand_in():\n    return (\n        "Not enough"\n        " evidence."\n    )\n'
    fallback = (
        "def fall_back(judge, error):\n"
        '    return Opinion(score=2, argument=f"[{judge}] Call failed: {error}")\n'
    )
    files: dict[str, str | bytes | None] = {
        "src/justice.py": code,
        "src/judges.py": fallback,
        SELF: audit("Not enough evidence."),
        ON_PEER: audit("[Judge] Call failed: Error code: 429", "Good."),
        "audit.md": audit("Good."),
    }
    texts = [f["text"] for f in survey(files, tmp_path).facts["audits_without_judgement"]]
    assert [text.partition(" opinions of ")[::2] for text in sorted(texts)] == [
        (
            "3 of 6",
            (
                f"{ON_PEER} report a failure in place of a judgement: “[Judge] Call failed: Error code: 429”"
                " The text is that of src/judges.py:2, which gives it a score of 2."
            ),
        ),
        (
            "All 6",
            "audit.md, on 2 criteria, have the same argument and the same score, 3: “Good.”",
        ),
        (
            "No judge was heard. All 6",
            (f"{SELF}, on 2 criteria, have the text of src/justice.py:3: “Not enough evidence.”"),
        ),
    ]


def test_an_audit_that_was_copied_is_read_once(tmp_path):
    rows = survey({"audit/report.md": audit(), ON_PEER: audit()}, tmp_path).facts["own_audits"]
    assert [row["path"] for row in rows] == [ON_PEER]


def test_audits_of_fixtures_are_no_outputs_of_the_work(tmp_path):
    facts = survey({f"tests/{SELF}": audit("The work is good.")}, tmp_path).facts
    assert (facts["own_audits"], facts["audits_without_judgement"]) == ([], [])


@pytest.mark.parametrize("limit", ["MOST_AUDITS", "MOST_BYTES"])
def test_outputs_beyond_a_limit_leave_open_what_the_others_do_not_show(
    tmp_path, monkeypatch, limit
):
    monkeypatch.setattr(audit_folders, limit, 1 if limit == "MOST_AUDITS" else len(audit()) + 1)
    second = SELF.replace("a.md", "b.md")
    read = survey({SELF: audit(), second: audit(score=4)}, tmp_path)

    assert read.facts["unread_outputs"] == [second]
    assert read.facts["audits_without_judgement"] is None
    assert (
        read.reasons["audits_without_judgement"]
        == f"outputs that could not be read: 1, among them {second}"
    )


def test_a_broken_output_leaves_the_rest_open(tmp_path):
    broken = '{"criteria": [oops]}' + " " * 300
    read = survey({"audit/audit.json": broken}, tmp_path)

    assert read.facts["own_audits"] is None
    assert (
        read.reasons["disagreeing_outputs"]
        == "outputs that could not be read: 1, among them audit/audit.json"
    )


IN_CODE = 'CRITERIA = [{"id": "a", "name": "Depth"}, {"id": "b", "name": "Style"}]\n'


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({}, "no rubric was recognised among the committed files"),
        (
            {"docs/rubric.yaml": "dimensions:\n- id: a\n", "main.py": IN_CODE},
            "docs/rubric.yaml is no JSON: criteria of a rubric in another form are not read",
        ),
        (
            {"rubric.json": '{"a": {"points": 3}}'},
            "no list of criteria was recognised in rubric.json",
        ),
        (
            {"src/main.py": f"import os\n{IN_CODE}"},
            "the criteria at src/main.py:2 stand in code, and only those of a JSON file are read",
        ),
        (
            {"src/main.py": 'A = [{"id": "a"}, {"id": "b"}]\n'},
            "no rubric was recognised among the committed files",
        ),
    ],
)
def test_work_tells_why_no_rubric_was_read(tmp_path, files, reason):
    assert survey({SELF: audit(), **files}, tmp_path).reasons["unjudged_criteria"] == reason


def test_criteria_may_have_names_alone(tmp_path):
    rubric = '{"dimensions": [{"dimension_name": "Depth"}, {"dimension_name": "Style"}]}'
    read = survey({SELF: audit(), "rubric.json": rubric}, tmp_path)
    assert read.reasons["unjudged_criteria"].startswith("no committed audit was recognised")


def test_audits_of_another_rubric_are_told(tmp_path):
    rubric = '{"dimensions": [{"id": "a", "name": "Depth"}, {"id": "b", "name": "Style"}]}'
    other = survey({SELF: audit(), "rubric.json": rubric}, tmp_path / "b")
    assert other.reasons["unjudged_criteria"].startswith("no committed audit was recognised")
