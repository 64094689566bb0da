"""What a changed rubric would make of stored reports: the same as a new audit, as far as a record
can tell.
"""

import asyncio
import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from courtroom.checks.file_exists import FileExists
from courtroom.checks.graph_topology import GraphTopology
from courtroom.models.errors import InputRefused
from courtroom.models.record import AuditReport
from courtroom.replay.resynthesis import resynthesise
from courtroom.replay.rubric_preview import RubricRevision, preview_rubric
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.run_audit import hold_audit
from courtroom.synthesis.constitutions import PRESETS, preset
from tests.factories.student_project import case_of, student_repository

RUBRIC = shipped_rubric("self_audit")
SAME = RubricRevision(RUBRIC, RUBRIC)
DEFAULT = preset("default")


def audit(repository, rubric):
    async def held():
        return [event async for event in hold_audit(case_of(repository, rubric=rubric))][-1].report

    return asyncio.run(held())


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return student_repository(tmp_path_factory.mktemp("foreseen"))


@pytest.fixture(scope="module")
def report(repository):
    return audit(repository, RUBRIC)


@pytest.fixture
def document(report):
    return json.loads(json.dumps(report.as_json()))


def revised(change):
    """The rubric with every criterion as `change` makes it."""
    return RUBRIC.model_copy(
        update={"criteria": tuple(change(c) for c in RUBRIC.criteria), "version": "2"}
    )


def with_checks(criterion, change):
    return criterion.model_copy(
        update={"checks": tuple(change(check) for check in criterion.checks)}
    )


def decided(verdict):
    return [(c.id, c.final_score, c.level, c.points, c.resolution) for c in verdict.criteria]


def unkeyed(judged):
    """The results as JSON; an opinion that was foreseen has no key to be found again by."""
    rows = judged.model_dump(mode="json")["criteria"]
    return [row | {"opinions": [o | {"key": ""} for o in row["opinions"]]} for row in rows]


def test_what_is_no_report_is_refused():
    with pytest.raises(InputRefused) as refused:
        preview_rubric({"criteria": []}, SAME, DEFAULT)
    assert refused.value.code == "record_unreadable"


def test_a_report_under_another_text_is_refused(document):
    with pytest.raises(InputRefused) as refused:
        preview_rubric(document, RubricRevision(shipped_rubric("general"), RUBRIC), DEFAULT)
    assert refused.value.code == "record_other_rubric"


@pytest.mark.parametrize("name", PRESETS)
def test_under_every_preset_it_is_the_full_verdict_to_the_byte(report, document, name):
    full = resynthesise(report, RUBRIC, preset(name))
    seen = preview_rubric(document, SAME, preset(name))
    told = AuditReport.model_validate(
        {**full.as_json(), **seen.verdict.model_dump(mode="json")}
    ).sealed()
    assert (told.as_json(), seen.reheard, seen.outdated, seen.open) == (full.as_json(), (), (), ())


def test_a_guard_asks_a_stored_report_what_it_asks_a_whole_one(report, document):
    guard = "known.facts.commit_count && facts.commit_count < 1 || facts.graph.nodes.size() == 0"
    rules = tuple(rule.model_copy(update={"when": guard}) for rule in DEFAULT.rules)
    guarded = DEFAULT.model_copy(update={"rules": rules})
    full = resynthesise(report, RUBRIC, guarded)
    assert unkeyed(preview_rubric(document, SAME, guarded).verdict) == unkeyed(full)
    fired = {"guard" in criterion.resolution for criterion in full.criteria}
    assert (fired, decided(full) == decided(report)) == ({False}, False)


@settings(max_examples=15, deadline=None)
@given(
    name=st.sampled_from(sorted(PRESETS)),
    scores=st.lists(st.integers(0, 5), min_size=30, max_size=30),
)
def test_whatever_the_bench_said_it_is_the_full_verdict(report, name, scores):
    said = answering(report.as_json(), scores)
    full = resynthesise(AuditReport.model_validate(said), RUBRIC, preset(name))
    assert preview_rubric(said, SAME, preset(name)).verdict.criteria == full.criteria


def answering(document, scores):
    """The report with these scores in the place of its opinions', 0 for a judge that failed."""
    rows = [row for criterion in document["criteria"] for row in criterion["opinions"]]
    for row, score in zip(rows, scores, strict=False):
        row |= {"score": score or None, "failure": None if score else "timeout"}
    return document


def test_other_weights_of_checks_give_what_a_new_audit_gives(repository, document):
    heavier = revised(
        lambda c: with_checks(
            c, lambda k: k.model_copy(update={"weight": 4.0, "essential": k.weight < 2})
        )
    )
    seen = preview_rubric(document, RubricRevision(RUBRIC, heavier), DEFAULT)
    anew = audit(repository, heavier)
    assert unkeyed(seen.verdict) == unkeyed(anew)
    assert (seen.verdict.overall_score, seen.open) == (anew.overall_score, ())


def test_points_and_weights_of_criteria_hear_nobody_again(repository, document):
    pointed = revised(
        lambda c: c.model_copy(update={"weight": 3.0, "max_points": 7.0, "architecture": True})
    )
    seen, anew = (
        preview_rubric(document, RubricRevision(RUBRIC, pointed), DEFAULT),
        audit(repository, pointed),
    )
    assert (decided(seen.verdict), seen.verdict.points, seen.reheard) == (
        decided(anew),
        anew.points,
        (),
    )


def test_checks_on_facts_are_answered_without_the_repository(repository, document):
    first = RUBRIC.criteria[0]
    asked = GraphTopology(id="added", goal="The judges run in parallel", aspect="judges_parallel")
    more = revised(
        lambda c: c.model_copy(update={"checks": (*c.checks, asked)}) if c == first else c
    )
    seen, anew = (
        preview_rubric(document, RubricRevision(RUBRIC, more), DEFAULT),
        audit(repository, more),
    )
    assert (decided(seen.verdict), seen.reheard, seen.open) == (decided(anew), (first.id,), ())


def test_what_only_a_new_audit_can_tell_is_named_and_lowers_nothing(document):
    first = RUBRIC.criteria[0]
    asked = FileExists(
        id="added", goal="There is a changelog", any_of=("CHANGELOG.md",), weight=0.1
    )
    more = revised(
        lambda c: c.model_copy(update={"checks": (*c.checks, asked)}) if c == first else c
    )
    seen = preview_rubric(document, RubricRevision(RUBRIC, more), DEFAULT)
    assert seen.open == ("added",)
    assert seen.verdict.criteria[0].final_score == document["criteria"][0]["final_score"]
    assert seen.verdict.criteria[0].checks[-1].met is None


def test_a_check_under_another_name_keeps_its_outcome(document):
    renamed = revised(
        lambda c: with_checks(c, lambda k: k.model_copy(update={"id": f"new.{k.id}"}))
    )
    seen = preview_rubric(document, RubricRevision(RUBRIC, renamed), DEFAULT)
    assert [c.final_score for c in seen.verdict.criteria] == [
        c["final_score"] for c in document["criteria"]
    ]
    assert seen.open == ()


def test_opinions_of_a_model_stay_and_are_said_to_be_outdated(document):
    judge = {"kind": "llm", "model": "m", "prompt_digest": "0"}
    bought = document | {"judges": dict.fromkeys(document["judges"], judge)}
    first = RUBRIC.criteria[0]
    other = revised(
        lambda c: c.model_copy(update={"instruction": "Look twice."}) if c == first else c
    )
    seen = preview_rubric(bought, RubricRevision(RUBRIC, other), DEFAULT)
    assert (seen.reheard, seen.outdated) == ((), (first.id,))
    assert (
        seen.verdict.criteria[0].opinions
        == preview_rubric(bought, SAME, DEFAULT).verdict.criteria[0].opinions
    )


def test_a_criterion_that_nobody_was_asked_about_is_heard_now(document):
    added = RUBRIC.criteria[0].model_copy(
        update={
            "id": "added",
            "checks": (GraphTopology(id="added", goal="A graph is built", aspect="exists"),),
        }
    )
    more = RUBRIC.model_copy(update={"criteria": (*RUBRIC.criteria, added)})
    seen = preview_rubric(document, RubricRevision(RUBRIC, more), DEFAULT)
    assert (seen.reheard, seen.verdict.criteria[-1].final_score) == (("added",), 5)


@pytest.mark.processes
def test_neither_langgraph_nor_a_model_library_is_loaded():
    heavy = ["langgraph", "langchain_core", "langchain_openai", "openai", "git"]
    code = (
        "import sys, courtroom; courtroom.preview_rubric, courtroom.try_check;"
        f"print(sorted(set({heavy}) & set(sys.modules)))"
    )
    child = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert child.stdout.strip() == "[]"
