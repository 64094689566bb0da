"""The facts on own outputs as a survey of a whole repository has them."""

from __future__ import annotations

import pytest

from courtroom.analysis.project import audit_folders
from tests.courtroom.analysis.project.test_general_facts import survey
from tests.courtroom.analysis.project.test_own_audits import SELF, audit


def test_committed_audits_and_claims_are_facts(tmp_path):
    readme = "# Auditor\n\nIts self-audit has an overall score of 4.2/5.\n"
    facts = survey({"README.md": readme, SELF: audit("The work is good.")}, tmp_path).facts

    assert [row["path"] for row in facts["own_audits"]] == [SELF]
    assert len(facts["audits_without_judgement"]) == 1
    assert [(c["path"], c["line"], c["agrees"]) for c in facts["claimed_scores"]] == [
        ("README.md", 3, False)
    ]
    assert (facts["unread_outputs"], facts["disagreeing_outputs"]) == ([], [])


def test_audits_of_fixtures_are_no_outputs_of_the_work(tmp_path):
    facts = survey({f"tests/{SELF}": audit("The work is good.")}, tmp_path).facts
    assert (facts["own_audits"], facts["audits_without_judgement"]) == ([], [])


@pytest.mark.parametrize("limit", ["MOST_AUDITS", "MOST_BYTES"])
def test_outputs_beyond_a_limit_leave_open_what_the_others_do_not_show(
    tmp_path, monkeypatch, limit
):
    monkeypatch.setattr(audit_folders, limit, 1 if limit == "MOST_AUDITS" else len(audit()) + 1)
    second = SELF.replace("a.md", "b.md")
    read = survey({SELF: audit(), second: audit()}, tmp_path)

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
