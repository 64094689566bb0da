"""Preview of a changed rubric on stored reports: the same as a new audit, as far as possible."""

import asyncio
import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from courtroom.checks.file_exists import FileExists
from courtroom.checks.graph_topology import GraphTopology
from courtroom.models.audit_report import AuditReport
from courtroom.models.errors import InputRefused
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
    async def final_report():
        return [event async for event in hold_audit(case_of(repository, rubric=rubric))][-1].report

    return asyncio.run(final_report())


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return student_repository(tmp_path_factory.mktemp("preview"))


@pytest.fixture(scope="module")
def report(repository):
    return audit(repository, RUBRIC)


@pytest.fixture
def document(report):
    return json.loads(json.dumps(report.as_json()))


def revised(change):
    """Return the rubric with every criterion changed by `change`."""
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
    """Return the results as JSON without keys, because a previewed opinion has none."""
    rows = judged.model_dump(mode="json")["criteria"]
    return [row | {"opinions": [o | {"key": ""} for o in row["opinions"]]} for row in rows]


def test_invalid_report_is_refused():
    with pytest.raises(InputRefused) as refused:
        preview_rubric({"criteria": []}, SAME, DEFAULT)
    assert refused.value.code == "record_unreadable"


def test_report_under_another_rubric_is_refused(document):
    with pytest.raises(InputRefused) as refused:
        preview_rubric(document, RubricRevision(shipped_rubric("general"), RUBRIC), DEFAULT)
    assert refused.value.code == "record_other_rubric"


@pytest.mark.parametrize("name", PRESETS)
def test_preview_matches_the_full_verdict_under_every_preset(report, document, name):
    full = resynthesise(report, RUBRIC, preset(name))
    preview = preview_rubric(document, SAME, preset(name))
    merged = AuditReport.model_validate(
        {**full.as_json(), **preview.verdict.model_dump(mode="json")}
    ).sealed()
    assert (merged.as_json(), preview.reheard, preview.outdated, preview.open) == (
        full.as_json(),
        (),
        (),
        (),
    )


def test_guard_reads_a_stored_report_like_a_whole_one(report, document):
    guard = "known.facts.commit_count && facts.commit_count < 1 || facts.graph.nodes.size() == 0"
    rules = tuple(rule.model_copy(update={"when": guard}) for rule in DEFAULT.rules)
    guarded = DEFAULT.model_copy(update={"rules": rules})
    full = resynthesise(report, RUBRIC, guarded)
    assert unkeyed(preview_rubric(document, SAME, guarded).verdict) == unkeyed(full)
    fired = {"guard" in criterion.resolution for criterion in full.criteria}
    assert (fired, decided(full) == decided(report)) == ({False}, False)


def test_guard_with_loops_reads_the_facts_of_a_real_report(document):
    guard = (
        "facts.graph.nodes.exists(node, facts.graph.edges.exists(edge, edge[0] == node))"
        " && facts.pydantic_models.filter(name, name.startsWith('Ev')).size() + spread < 0"
    )
    rules = tuple(rule.model_copy(update={"when": guard}) for rule in DEFAULT.rules)
    verdict = preview_rubric(document, SAME, DEFAULT.model_copy(update={"rules": rules})).verdict
    assert [c.rationale for c in verdict.criteria if "guard" in c.resolution] == []


@settings(max_examples=15, deadline=None)
@given(
    name=st.sampled_from(sorted(PRESETS)),
    scores=st.lists(st.integers(0, 5), min_size=30, max_size=30),
)
def test_preview_matches_the_full_verdict_for_any_scores(report, name, scores):
    document = answering(report.as_json(), scores)
    full = resynthesise(AuditReport.model_validate(document), RUBRIC, preset(name))
    assert preview_rubric(document, SAME, preset(name)).verdict.criteria == full.criteria


def answering(document, scores):
    """Return the report with these scores; 0 is a judge that failed."""
    rows = [row for criterion in document["criteria"] for row in criterion["opinions"]]
    for row, score in zip(rows, scores, strict=False):
        row |= {"score": score or None, "failure": None if score else "timeout"}
    return document


def test_other_check_weights_match_a_new_audit(repository, document):
    heavier = revised(
        lambda c: with_checks(
            c, lambda k: k.model_copy(update={"weight": 4.0, "essential": k.weight < 2})
        )
    )
    preview = preview_rubric(document, RubricRevision(RUBRIC, heavier), DEFAULT)
    new_report = audit(repository, heavier)

    assert unkeyed(preview.verdict) == unkeyed(new_report)
    assert (preview.verdict.overall_score, preview.open) == (new_report.overall_score, ())


def test_points_and_criterion_weights_need_no_new_opinions(repository, document):
    pointed = revised(
        lambda c: c.model_copy(update={"weight": 3.0, "max_points": 7.0, "architecture": True})
    )
    preview, new_report = (
        preview_rubric(document, RubricRevision(RUBRIC, pointed), DEFAULT),
        audit(repository, pointed),
    )

    assert (decided(preview.verdict), preview.verdict.points, preview.reheard) == (
        decided(new_report),
        new_report.points,
        (),
    )


def test_checks_on_facts_are_answered_without_the_repository(repository, document):
    first = RUBRIC.criteria[0]
    check = GraphTopology(id="added", goal="The judges run in parallel", aspect="judges_parallel")
    more = revised(
        lambda c: c.model_copy(update={"checks": (*c.checks, check)}) if c == first else c
    )
    preview, new_report = (
        preview_rubric(document, RubricRevision(RUBRIC, more), DEFAULT),
        audit(repository, more),
    )

    assert (decided(preview.verdict), preview.reheard, preview.open) == (
        decided(new_report),
        (first.id,),
        (),
    )


def test_changed_fault_is_said_of_a_stored_report_without_another_look(document):
    words = "The history is too short"
    changed = revised(
        lambda c: with_checks(
            c,
            lambda k: k.model_copy(update={"fault": words}) if k.id == "git.small_steps" else k,
        )
    )
    preview = preview_rubric(document, RubricRevision(RUBRIC, changed), DEFAULT)
    rows = {row.check: row for row in preview.verdict.criteria[0].checks}

    assert preview.open == ()
    assert str(rows["git.small_steps"].statement).startswith(f"{words}. ")
    assert preview.verdict.overall_score == document["overall_score"]


def test_check_that_needs_an_audit_is_open_and_lowers_nothing(document):
    first = RUBRIC.criteria[0]
    check = FileExists(
        id="added", goal="There is a changelog", any_of=("CHANGELOG.md",), weight=0.1
    )
    more = revised(
        lambda c: c.model_copy(update={"checks": (*c.checks, check)}) if c == first else c
    )
    preview = preview_rubric(document, RubricRevision(RUBRIC, more), DEFAULT)

    assert preview.open == ("added",)
    assert preview.verdict.criteria[0].final_score == document["criteria"][0]["final_score"]
    assert preview.verdict.criteria[0].checks[-1].met is None


def test_renamed_check_keeps_its_outcome(document):
    renamed = revised(
        lambda c: with_checks(c, lambda k: k.model_copy(update={"id": f"new.{k.id}"}))
    )
    preview = preview_rubric(document, RubricRevision(RUBRIC, renamed), DEFAULT)

    assert [c.final_score for c in preview.verdict.criteria] == [
        c["final_score"] for c in document["criteria"]
    ]
    assert preview.open == ()


def test_model_opinions_stay_and_are_marked_outdated(document):
    judge = {"kind": "llm", "model": "m", "prompt_digest": "0"}
    bought = document | {"judges": dict.fromkeys(document["judges"], judge)}
    first = RUBRIC.criteria[0]
    other = revised(
        lambda c: c.model_copy(update={"instruction": "Look twice."}) if c == first else c
    )
    preview = preview_rubric(bought, RubricRevision(RUBRIC, other), DEFAULT)

    assert (preview.reheard, preview.outdated) == ((), (first.id,))
    assert (
        preview.verdict.criteria[0].opinions
        == preview_rubric(bought, SAME, DEFAULT).verdict.criteria[0].opinions
    )


def test_new_criterion_is_judged_now(document):
    added = RUBRIC.criteria[0].model_copy(
        update={
            "id": "added",
            "checks": (GraphTopology(id="added", goal="A graph is built", aspect="exists"),),
        }
    )
    more = RUBRIC.model_copy(update={"criteria": (*RUBRIC.criteria, added)})
    preview = preview_rubric(document, RubricRevision(RUBRIC, more), DEFAULT)

    assert (preview.reheard, preview.verdict.criteria[-1].final_score) == (("added",), 5)


@pytest.mark.processes
def test_preview_imports_neither_langgraph_nor_a_model_library():
    heavy = ["langgraph", "langchain_core", "langchain_openai", "openai", "git"]
    code = (
        "import sys, courtroom; courtroom.preview_rubric, courtroom.try_check;"
        f"print(sorted(set({heavy}) & set(sys.modules)))"
    )
    child = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )

    assert child.stdout.strip() == "[]"
