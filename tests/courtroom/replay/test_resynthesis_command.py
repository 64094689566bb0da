"""Resynthesis of a stored report: the same bytes under the same rules; changes under others."""

import asyncio
import json
from pathlib import Path

import pytest

from courtroom.checks.file_exists import FileExists
from courtroom.cli import main
from courtroom.models.audit_report import AuditReport
from courtroom.models.case import Known
from courtroom.models.rubric import Rubric
from courtroom.replay.report_reuse import opinions_of, reusable_dossier
from courtroom.replay.resynthesis import describe_changes, resynthesise, resynthesise_revision
from courtroom.replay.rubric_preview import RubricRevision, preview_rubric
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.run_audit import hold_audit
from courtroom.synthesis.constitutions import PRESETS, preset
from tests.factories.student_project import case_of, student_repository

RUBRIC = shipped_rubric("self_audit")


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    async def audit():
        case = case_of(student_repository(tmp_path_factory.mktemp("stored")))
        return [event async for event in hold_audit(case)][-1].report

    return asyncio.run(audit())


@pytest.fixture
def stored(report, tmp_path):
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report.as_json()))
    return path


def run(capsys, *arguments):
    code = main(["resynthesise", *map(str, arguments)])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


@pytest.mark.parametrize(
    ("changes", "arguments", "words"),
    [
        ({"schema": "other"}, [], "record_unreadable"),
        ({"rubric": {"id": "x", "version": "1", "digest": "0"}}, [], "record_other_rubric"),
        ({}, ["--rubric", "general"], "record_other_rubric"),
        ({"constitution": {"id": "x", "digest": "0"}}, [], "record_other_constitution"),
        ({}, ["--constitution", "anarchy"], "rubric_constitution_unknown"),
        ({}, ["--constitution", "REPORT"], "rubric_constitution_unreadable"),
        ({}, ["--constitution", "/nowhere.json"], "No such file"),
    ],
)
def test_refused_resynthesis_is_explained_in_one_line(stored, changes, arguments, words, capsys):
    stored.write_text(json.dumps(json.loads(stored.read_text()) | changes))
    code, out, err = run(capsys, stored, *[stored if a == "REPORT" else a for a in arguments])
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err


def test_same_rules_give_the_same_bytes(report):
    again = resynthesise(report, RUBRIC, preset("default"))
    assert again == report


def test_stored_opinion_with_invented_citations_is_set_aside_where_a_rule_says_so(report):
    first = report.criteria[0]
    rows = [
        row.model_copy(update={"invented_citations": int(row.judge == "Defense")})
        for row in first.opinions
    ]
    changed = first.model_copy(update={"opinions": tuple(rows)})
    stored = report.model_copy(update={"criteria": (changed, *report.criteria[1:])})
    judged = resynthesise(stored, RUBRIC, preset("opinions-only")).criteria[0]
    assert judged.rules[0].why == "Set aside for citing what was not shown: Defense."
    assert opinions_of(resynthesise(stored, RUBRIC, preset("default"))) == opinions_of(stored)


@pytest.mark.parametrize("name", PRESETS)
def test_no_recorded_answer_is_lost_under_any_preset(report, name):
    again = resynthesise(report, RUBRIC, preset(name))
    assert opinions_of(again) == opinions_of(report)
    assert again.constitution.id == name


def test_constitution_is_read_from_a_file(stored, tmp_path, capsys):
    own = tmp_path / "own.json"
    strict = preset("default").model_copy(update={"id": "strict", "min_evidence": 10_000})
    own.write_text(strict.model_dump_json())
    code, out, _ = run(capsys, stored, "--constitution", own)

    assert code == 3
    assert out.splitlines()[:2] == [
        "constitution: default -> strict",
        "status: verdict -> degraded",
    ]


def test_unchanged_verdict_is_reported(stored, capsys):
    assert run(capsys, stored) == (0, "The verdict is the same.\n", "")


def test_changes_are_printed_and_the_new_report_is_written(stored, report, tmp_path, capsys):
    record, page = tmp_path / "new.json", tmp_path / "new.md"
    code, out, _ = run(
        capsys, stored, "--constitution", "opinions-only", "--json", record, "--markdown", page
    )
    new_report = AuditReport.model_validate_json(record.read_bytes())

    assert out.splitlines() == list(describe_changes(report, new_report))
    assert (code, out.splitlines()[0]) == (0, "constitution: default -> opinions-only")
    assert new_report.digest == new_report.sealed().digest
    assert page.read_text().startswith("#")


NEW_CHECK = FileExists(id="new.tests", goal="Tests stand beside it", any_of=["tests/*"])


def next_text(**first):
    """The rubric with its first criterion changed."""
    criteria = (RUBRIC.criteria[0].model_copy(update=first), *RUBRIC.criteria[1:])
    return text_of(RUBRIC, criteria=criteria, version="2")


def text_of(rubric, **changes):
    """Validate again, as a stored rubric is: a copy would keep the digest."""
    return Rubric.model_validate(rubric.model_copy(update=changes).model_dump(mode="json"))


def under(report, rubric):
    return resynthesise_revision(report, RubricRevision(RUBRIC, rubric), preset("default"))


def test_unchanged_rubric_gives_the_plain_resynthesis(report):
    assert under(report, RUBRIC) == resynthesise(report, RUBRIC, preset("default"))


def test_changed_rubric_gives_the_previewed_verdict(report):
    heavier = next_text(
        checks=tuple(c.model_copy(update={"weight": 3.0}) for c in RUBRIC.criteria[0].checks)
    )
    resynthesised, preview = (
        under(report, heavier),
        preview_rubric(report.as_json(), RubricRevision(RUBRIC, heavier), preset("default")),
    )

    assert [(c.id, c.final_score, c.rules) for c in resynthesised.criteria] == [
        (c.id, c.final_score, c.rules) for c in preview.verdict.criteria
    ]
    assert (resynthesised.rubric.version, resynthesised.rubric.digest, resynthesised.errors) == (
        "2",
        heavier.digest,
        report.errors,
    )
    assert AuditReport.model_validate(resynthesised.as_json()).sealed() == resynthesised

    keys = [opinion.key for opinion in opinions_of(resynthesised)]
    assert len(set(keys)) == len(keys)


def test_open_check_is_named_and_its_record_is_not_reused(report):
    rubric = next_text(checks=(*RUBRIC.criteria[0].checks, NEW_CHECK))
    resynthesised = under(report, rubric)
    [error] = resynthesised.errors

    assert (error.code, NEW_CHECK.goal in error.message) == ("check_left_open", True)

    case = case_of(Path("/nowhere"), rubric=rubric)

    assert (
        reusable_dossier(Known(report=resynthesised).report, case, resynthesised.commit, None)
        is None
    )

    onward = resynthesise_revision(
        resynthesised, RubricRevision(rubric, text_of(rubric, version="3")), preset("default")
    )

    assert (onward.errors, onward.engine) == (resynthesised.errors, resynthesised.engine)
    assert under(onward.model_copy(update={"rubric": report.rubric}), next_text()).errors == ()


def test_outdated_model_opinions_are_named_while_they_stay(report):
    judges = {
        name: judge.model_copy(update={"kind": "llm"}) for name, judge in report.judges.items()
    }
    model_report, rubric = (
        report.model_copy(update={"judges": judges}),
        next_text(instruction="Look closer."),
    )
    resynthesised = under(model_report, rubric)

    assert [(error.code, error.message.split(":")[0]) for error in resynthesised.errors] == [
        ("opinions_outdated", RUBRIC.criteria[0].name)
    ]

    again = resynthesise_revision(
        resynthesised, RubricRevision(rubric, text_of(rubric, version="3")), preset("default")
    )

    assert again.errors == resynthesised.errors
