"""The registry of the kinds of checks: complete or refused, known or not established."""

import asyncio
import dataclasses
import subprocess
import sys
from types import ModuleType
from typing import Literal

import pytest
from pydantic import ValidationError

from courtroom.analysis.code_search import search_function
from courtroom.analysis.git.history import History
from courtroom.analysis.git.snapshot import Snapshot
from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.checks import file_exists, from_sources
from courtroom.checks.file_exists import KIND, FileExists
from courtroom.checks.kind import IncompleteCheckKind, Label, NeedsSubmission
from courtroom.checks.registry import KINDS, collect, concern_of, detective_for, kind_of
from courtroom.checks.result import Finding
from courtroom.detectives.doc_analyst import analyse
from courtroom.detectives.repo_investigator import investigate
from courtroom.detectives.vision_inspector import inspect
from courtroom.inputs import RepositoryInputs
from courtroom.models.check import CheckBase
from courtroom.models.facts import establish
from courtroom.models.rubric import Rubric
from courtroom.replay.stored_checks import try_check
from courtroom.run_audit import hold_audit
from tests.courtroom.surveys import CHECK_FIELDS, detected, survey
from tests.factories.student_project import case_of, student_repository

HEAVY = ("langgraph", "langchain_core", "ast_grep_py", "pypdf", "git", "courtroom.detectives")


class LaterKind(CheckBase):
    kind: Literal["of_a_later_version"] = "of_a_later_version"


@pytest.mark.parametrize(
    ("fields", "concern"),
    [
        ({}, "function"),
        ({"concern": "effort"}, "effort"),
        ({"polarity": "negative"}, "risk"),
        ({"tags": ("security",)}, "risk"),
        ({"polarity": "negative", "concern": "function"}, "function"),
    ],
)
def test_concern_is_the_rubrics_own_then_a_flaws_then_that_of_the_kind(fields, concern):
    assert concern_of(FileExists(**CHECK_FIELDS, any_of=("a",), **fields)) == concern


def test_concern_of_a_kind_holds_where_the_rubric_names_none():
    concerns = {name: kind.concern for name, kind in KINDS.items() if kind.concern != "function"}
    assert concerns == {
        "commit_history": "effort",
        "feedback_log": "effort",
        "communication_log": "effort",
        "graph_run": "risk",
        "sandboxed_clone": "risk",
        "unsafe_call": "risk",
        "pinned_dependencies": "risk",
        "pdf_paths": "risk",
    }
    assert concern_of(LaterKind(id="a", goal="A")) == "function"


def test_check_without_a_concern_is_written_without_one():
    assert "concern" not in FileExists(**CHECK_FIELDS, any_of=("a",)).model_dump(mode="json")


class Impostor(CheckBase):
    kind: Literal["file_exists"] = "file_exists"


NO_HISTORY = History((), 0, truncated=False)
FILE = {"id": "readme", "goal": "g", "kind": "file_exists", "any_of": ["**/*.py"]}
UNKNOWN = [LaterKind(**CHECK_FIELDS), Impostor(**CHECK_FIELDS), CheckBase(**CHECK_FIELDS)]


def module(name, **contents):
    made = ModuleType(f"courtroom.checks.{name}")
    for value in contents.values():
        if isinstance(value, type):
            value.__module__ = made.__name__
    vars(made).update(contents)
    return made


# -- a kind is complete, or refused ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("model", None),
        ("model", CheckBase),
        ("model", dict),
        ("detective", None),
        ("detective", "Nobody"),
        ("detect", None),
        ("replay", None),
        ("replay", NeedsSubmission("")),
        ("fault", None),
        ("label", None),
        ("label", Label(title="", about="Something.")),
        ("label", Label(title="Something", about="")),
        ("search", "no_module"),
    ],
)
def test_a_kind_that_lacks_a_part_is_refused(part, value):
    with pytest.raises(IncompleteCheckKind):
        dataclasses.replace(KIND, **{part: value})


@pytest.mark.parametrize("part", ["model", "detective", "detect", "replay", "fault", "label"])
def test_a_kind_that_leaves_a_part_out_is_refused(part):
    parts = {f.name: getattr(KIND, f.name) for f in dataclasses.fields(KIND) if f.name != part}
    with pytest.raises(TypeError):
        type(KIND)(**parts)


def test_a_module_with_a_model_and_no_kind_is_refused():
    class Model(CheckBase):
        kind: Literal["forgotten"] = "forgotten"

    with pytest.raises(IncompleteCheckKind, match=r"forgotten\.py defines a check model, but no"):
        collect([module("forgotten", Model=Model)])


def test_a_module_with_another_name_than_its_kind_is_refused():
    with pytest.raises(IncompleteCheckKind, match=r"name it file_exists\.py"):
        collect([module("elsewhere", KIND=KIND)])


def test_a_module_with_a_second_model_is_refused():
    class Second(CheckBase):
        kind: Literal["second"] = "second"

    with pytest.raises(IncompleteCheckKind, match="one check model"):
        collect([module("file_exists", KIND=KIND, Second=Second)])


def test_modules_that_kinds_share_are_no_kinds():
    assert list(collect([from_sources, file_exists])) == ["file_exists"]


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_every_search_can_be_imported(kind):
    assert kind.search is None or callable(search_function(kind.search))


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_every_reason_for_a_new_audit_is_a_sentence(kind):
    assert not isinstance(kind.replay, NeedsSubmission) or kind.replay.reason.endswith(".")


def test_reading_rubrics_loads_no_analysis_and_no_graph():
    program = "import sys, courtroom.models.rubric; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert [name for name in HEAVY if name in run.stdout.split()] == []


# -- an unknown kind is not established -----------------------------------------------------------


@pytest.mark.parametrize("check", UNKNOWN)
def test_an_unknown_kind_has_no_entry_and_the_repo_investigator_owes_it(check):
    assert (kind_of(check), detective_for(check)) == (None, "RepoInvestigator")


@pytest.mark.parametrize("polarity", ["positive", "negative"])
@pytest.mark.parametrize("check", UNKNOWN)
def test_an_unknown_kind_is_not_established_by_any_detective(check, polarity, tmp_path):
    check = check.model_copy(update={"polarity": polarity})
    snapshot = Snapshot(tmp_path, "0" * 40, ref=None, malformed_objects=False)
    inputs = RepositoryInputs(history=NO_HISTORY, survey=survey())
    reading = PdfReading(("Text.",))
    results = [
        investigate(inputs, snapshot, (check,)),
        analyse(reading, (check,)),
        inspect(reading, (check,)),
    ]
    outcomes = [outcome for result in results for outcome in result.outcomes]
    assert [outcome.met for outcome in outcomes] == [None, None, None]
    assert all("does not know the check kind" in outcome.reason for outcome in outcomes)


@pytest.mark.parametrize("check", UNKNOWN)
def test_an_unknown_kind_is_not_established_on_a_stored_report(check):
    facts = establish({}, {}).model_dump(mode="json", by_alias=True)
    trial = try_check(check, {"facts": facts, "commit": None, "pdf_sha256": None})
    assert (trial.outcome.met, trial.needs_submission) == (None, False)
    assert "does not know the check kind" in trial.outcome.reason


LATER = {"id": "later", "goal": "g", "kind": "of_a_later_version", "depth": 3, "hint": None}
STORED = {
    "id": "r",
    "name": "R",
    "version": "1",
    "criteria": [{"id": "c", "name": "C", "checks": [LATER, FILE]}],
}


def test_a_stored_rubric_keeps_the_checks_of_a_later_version_and_its_digest():
    rubric = Rubric.from_stored(STORED)
    stored_rubric = {**STORED, "criteria": [{"id": "c", "name": "C", "checks": [FILE]}]}
    dumped = rubric.model_dump(mode="json", exclude_none=True)
    later, _ = dumped["criteria"][0]["checks"]
    assert [check.kind for check in rubric.checks] == ["of_a_later_version", "file_exists"]
    assert (later["depth"], "hint" in later) == (3, False)
    assert Rubric.from_stored(rubric.model_dump(mode="json")).digest == rubric.digest
    assert Rubric.from_stored(stored_rubric).digest == Rubric.model_validate(stored_rubric).digest


def test_a_rubric_that_is_written_now_may_not_name_an_unknown_kind():
    with pytest.raises(ValidationError, match="union_tag_invalid"):
        Rubric.model_validate(STORED)


def test_an_audit_leaves_the_check_of_a_later_version_open_and_answers_the_rest(tmp_path):
    case = case_of(student_repository(tmp_path))
    case = case.model_copy(update={"rubric": Rubric.from_stored(STORED)})

    async def held():
        return [event async for event in hold_audit(case)][-1].report

    [criterion] = asyncio.run(held()).criteria
    assert [(row.check, row.met) for row in criterion.checks] == [("later", None), ("readme", True)]


def test_a_check_that_the_child_never_searched_for_is_not_established():
    finding = detected(FileExists(**CHECK_FIELDS, any_of=("*",)), survey())
    assert isinstance(finding, Finding)
    assert finding.met is None
