"""The survey of a real repository, through a confined child: facts, places, locations, and what it could not read."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from courtroom.analysis.git.snapshot import Snapshot, read_lines
from courtroom.analysis.locations import SourceLocation
from courtroom.analysis.survey import Survey, survey_repository
from courtroom.checks.code_pattern import CodePattern
from courtroom.checks.commit_history import CommitHistory
from courtroom.checks.communication_log import CommunicationLog
from courtroom.checks.file_exists import FileExists
from courtroom.checks.python_call import PythonCall
from courtroom.checks.python_class import PythonClass
from courtroom.checks.python_import import PythonImport
from courtroom.checks.registry import Check
from courtroom.checks.text_contains import TextContains
from courtroom.models.case import Limits
from courtroom.models.errors import RepositoryRefused
from courtroom.models.facts import establish
from tests.courtroom.sources import built
from tests.factories.repositories import Commit, make_repository

GRAPH = built(
    'g.add_edge(START, "doc_analyst")\ng.add_conditional_edges("doc_analyst", lambda s: s["x"])'
)
FILES: dict[str, str | bytes | None] = {
    "README.md": "# Auditor\n\nIt runs   on\nPython 3.11.\n",
    "src/graph.py": GRAPH,
    "src/models.py": "from pydantic import BaseModel\n\n\nclass Evidence(BaseModel):\n    goal: str\n    found: bool = False\n",
    "src/tools.py": "import os\nfrom subprocess import run as go\n\ngo(['ls'], timeout=3)\nos.system('ls')\n",
    "tests/test_a.py": "import os\n\nos.system('ls')\n",
    "docs/communication_log.md": "# Log\n\n- 2026-02-20 asked about the deadline\n- 2026-02-21 told them\n",
    "logo.png": b"\x89PNG\0Python 3.11",
}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    return snapshot_of(FILES, tmp_path_factory.mktemp("survey"))


def snapshot_of(
    files: dict[str, str | bytes | None], folder: Path, modes: dict[str, str] | None = None
) -> Snapshot:
    commit = make_repository(folder / "repo.git", [Commit(files=files, modes=modes or {})])
    return Snapshot(git_dir=folder / "repo.git", commit=commit, ref=None, malformed_objects=False)


def survey(snapshot: Snapshot, *checks: Check, limits: Limits | None = None) -> Survey:
    return survey_repository(snapshot, checks, limits or Limits())


@pytest.fixture(scope="module")
def surveyed(snapshot: Snapshot) -> Survey:
    return survey(snapshot, *ASKED)


def test_facts_hold_in_the_dossier_and_every_null_has_its_reason(surveyed):
    facts = establish(dict(surveyed.facts), dict(surveyed.reasons))
    assert facts.graph is not None
    assert facts.graph.edges == (("START", "doc_analyst"),)
    assert facts.graph.edge_lines == (13,)
    assert facts.graph.unresolved == (
        "src/graph.py:14: where the router after doc_analyst leads is not known before the program runs",
    )
    assert (facts.file_count, facts.python_file_count, facts.unreadable_files) == (7, 4, ())
    assert facts.pydantic_models == ("Evidence",)
    assert facts.os_system_calls is not None
    assert [(call.path, call.line) for call in facts.os_system_calls] == [("src/tools.py", 5)]
    assert facts.unknown["clone_function"] == "no function that clones a repository was found"


def test_places_quote_the_lines_a_fact_stands_on(snapshot, surveyed):
    (edge, route) = surveyed.fact_locations["graph"]
    assert edge == SourceLocation("src/graph.py", 13, 13, "START → doc_analyst")
    assert read_lines(snapshot, [(edge.path, 13, 13)]) == ['g.add_edge(START, "doc_analyst")']
    assert (route.path, route.line_start) == ("src/graph.py", 14)


def test_two_surveys_are_equal(snapshot, surveyed):
    assert survey(snapshot, *ASKED) == surveyed


CHECKS: list[tuple[Check, list[tuple[str, int | None]]]] = [
    (FileExists(id="c", goal="g", any_of=("readme*",)), [("README.md", None)]),
    (FileExists(id="c", goal="g", any_of=("*.py",)), []),
    (
        FileExists(id="c", goal="g", any_of=("**/*.py",)),
        [(p, None) for p in FILES if p.startswith("src/") and p.endswith(".py")],
    ),
    (FileExists(id="c", goal="g", any_of=("**/test_*.py",)), [("tests/test_a.py", None)]),
    (TextContains(id="c", goal="g", any_of=("on python 3.11",)), [("README.md", 3)]),
    (TextContains(id="c", goal="g", paths=("src/**",), any_of=("python 3",)), []),
    (PythonClass(id="c", goal="g", base=("BaseModel",)), [("src/models.py", 4)]),
    (
        PythonClass(id="c", goal="g", any_of=("Evidence",), fields=("goal", "found")),
        [("src/models.py", 4)],
    ),
    (
        PythonClass(id="c", goal="g", any_of=("Evidence",), fields=("aim|goal", "found")),
        [("src/models.py", 4)],
    ),
    (PythonClass(id="c", goal="g", base=("BaseModel",), fields=("score",)), []),
    (PythonCall(id="c", goal="g", any_of=("subprocess.run",)), [("src/tools.py", 4)]),
    (
        PythonCall(id="c", goal="g", any_of=("subprocess.run",), keyword="timeout"),
        [("src/tools.py", 4)],
    ),
    (PythonCall(id="c", goal="g", any_of=("subprocess.run",), keyword="check"), []),
    (PythonImport(id="c", goal="g", any_of=("langgraph.types",)), [("src/graph.py", 3)]),
    (
        CommunicationLog(id="c", goal="g"),
        [("docs/communication_log.md", 3), ("docs/communication_log.md", 4)],
    ),
]


ASKED: list[Check] = [
    *(check.model_copy(update={"id": f"c{number}"}) for number, (check, _) in enumerate(CHECKS)),
    CodePattern(id="pattern", goal="g", language="python", pattern="os.system($A)"),
    CommitHistory(id="history", goal="g", aspect="more_than"),
]


def test_every_check_is_answered_by_pointing(surveyed):
    rows = [surveyed.locations[f"c{number}"] for number in range(len(CHECKS))]
    pointed = [sorted({(s.path, s.line_start) for s in row}, key=str) for row in rows]
    assert pointed == [sorted(expected, key=str) for _, expected in CHECKS]


def test_class_with_some_of_the_fields_is_shown_with_those_that_it_lacks(snapshot):
    check = PythonClass(
        id="c", goal="g", any_of=("Evidence",), fields=("goal", "score", "argument|rationale")
    )
    (location,) = survey(snapshot, check).locations["c"]
    assert location.note == "class Evidence(BaseModel) without the fields score and argument"
    assert location.lacks == ("score", "argument")


@pytest.mark.parametrize(
    ("field", "lacks"),
    [
        ("rows: list[Row]", ()),
        ("rows: 'list[Row]'", ("score", "argument")),
        ("rows: list['Row']\n    score: int", ("argument",)),
        ("row: Row", ("score", "argument")),
        ("rows: list[Other]", ("score", "argument")),
    ],
)
def test_class_that_lists_records_with_all_fields_has_them(field: str, lacks: object, tmp_path):
    code = (
        "from pydantic import BaseModel\n\nclass Row(BaseModel):\n    score: int\n    rationale: str\n"
        f"\nclass Opinion(BaseModel):\n    judge: str\n    {field}\n"
    )
    check = PythonClass(
        id="c", goal="g", any_of=("Opinion",), fields=("score", "argument|rationale")
    )
    read = survey(snapshot_of({"src/state.py": code}, tmp_path), check)
    (location,) = read.locations["c"]
    assert location.lacks == lacks
    held = "class Opinion(BaseModel), a list of Row with the fields score and rationale"
    assert (location.note == held) is (not lacks)


def test_checks_of_other_rooms_are_left_alone(surveyed):
    assert "history" not in {*surveyed.locations, *surveyed.unanswered}


def test_a_pattern_without_ast_grep_is_unanswered_not_absent(surveyed):
    if find_spec("ast_grep_py") is not None:
        pytest.skip("ast-grep is installed here")
    assert "pattern" not in surveyed.locations
    assert surveyed.unanswered == {
        "pattern": "ast-grep is not installed (package ast-grep-py), so patterns can't be searched"
    }


def test_a_file_that_does_not_parse_costs_only_itself(tmp_path):
    surveyed = survey(snapshot_of({**FILES, "src/broken.py": "def f(:\n"}, tmp_path))
    assert surveyed.facts["unreadable_files"] == ["src/broken.py"]
    assert surveyed.errors == (
        ("source_unreadable", "src/broken.py: it does not parse: invalid syntax (line 1)"),
    )
    assert surveyed.facts["pydantic_models"] == ["Evidence"]


def test_without_the_file_that_may_hold_the_graph_its_shape_is_unknown(tmp_path):
    surveyed = survey(snapshot_of({"src/graph.py": "def f(:\n"}, tmp_path))
    assert surveyed.facts["judges_parallel"] is None
    assert surveyed.reasons["judges_parallel"] == (
        "no graph was found, but src/graph.py could not be read: it does not parse: invalid syntax"
        " (line 1)"
    )


def test_reducers_of_an_unknown_state_are_unknown(tmp_path):
    builder = (
        "from langgraph.graph import StateGraph\nimport other\ngraph = StateGraph(other.State)\n"
    )
    unknown = survey(snapshot_of({"src/graph.py": builder}, tmp_path))
    assert unknown.facts["reducers"] is None
    assert unknown.reasons["reducers"] == unknown.reasons["state_class"]


def test_what_only_a_graph_or_judges_show_is_unknown_without_them(tmp_path):
    empty = survey(snapshot_of({"main.py": "print(1)\n"}, tmp_path))
    names = ("doubled_alone", "bent_scores")
    assert [empty.facts[name] for name in names] == [None, None]
    assert all(empty.reasons[name] for name in names)


def test_large_files_are_named_not_read(tmp_path):
    surveyed = survey(
        snapshot_of({"big.py": "x = 1\n" * 200}, tmp_path), limits=Limits(source_file_bytes=1024)
    )
    assert surveyed.errors == (("source_unreadable", "big.py: it is larger than 1 KB"),)
    assert surveyed.facts["unreadable_files"] == ["big.py"]


def test_what_the_total_does_not_hold_is_named(tmp_path):
    files: dict[str, str | bytes | None] = {"a.py": "x = 1\n" * 10, "b.py": "y = 1\n" * 10}
    surveyed = survey(snapshot_of(files, tmp_path), limits=Limits(source_bytes=80))
    assert surveyed.facts["unreadable_files"] == ["b.py"]


def test_too_many_files_are_refused(snapshot):
    with pytest.raises(RepositoryRefused) as refusal:
        survey(snapshot, limits=Limits(tree_entries=3))
    assert refusal.value.code == "repository_too_many_files"


def test_links_and_odd_names_are_no_sources(tmp_path):
    files: dict[str, str | bytes | None] = {
        "link.py": "/etc/passwd",
        "a b\n.py": "eval('1')\n",
        "-x.py": "eval('1')\n",
    }
    surveyed = survey(snapshot_of(files, tmp_path, modes={"link.py": "120000"}))
    assert [call["path"] for call in surveyed.facts["eval_exec_calls"]] == ["-x.py", "a b\n.py"]


@pytest.mark.processes
def test_a_file_that_needs_too_much_memory_is_named(tmp_path):
    files = {**FILES, "src/bomb.py": "x = [" + "1," * 200_000 + "]\n"}
    surveyed = survey(
        snapshot_of(files, tmp_path), limits=Limits(child_memory_bytes=200 * 1024 * 1024)
    )
    assert surveyed.errors == (
        ("source_unreadable", "src/bomb.py: it is nested too deeply, or too large, to be parsed"),
    )
    assert surveyed.facts["pydantic_models"] == ["Evidence"]


@pytest.mark.processes
def test_when_a_file_kills_the_reader_a_second_reading_leaves_the_large_ones_out(tmp_path):
    """Python 3.11 needs quadratic time for an f-string of many parts, where no signal can reach it."""
    files = {**FILES, "src/bomb.py": 'x = f"' + "{a}" * 100_000 + '"\n'}
    surveyed = survey(snapshot_of(files, tmp_path), limits=Limits(child_cpu_seconds=2))
    assert surveyed.errors == (
        (
            "child_timeout",
            (
                "The first reading of the sources failed, large files are left out."
                " It did not finish within 90 s (2 s of processor time)."
            ),
        ),
        ("source_unreadable", "src/bomb.py: it is larger than 48 KB"),
    )
    assert surveyed.facts["pydantic_models"] == ["Evidence"]


def test_ways_through_a_graph_of_the_works_own_kind_are_open_with_its_place(
    tmp_path: Path,
) -> None:
    own = "class StateGraph:\n    def add_node(self, *parts): ...\n\n\nStateGraph().add_node('a', print)\n"
    result = survey(snapshot_of({"flow.py": own}, tmp_path / "own"))
    assert result.facts["own_runner"] == {"name": "StateGraph", "path": "flow.py", "line": 1}
    assert result.facts["detectives_parallel"] is None
    assert result.reasons["conditional_error_route"] == (
        "the only StateGraph is a class of the repository's own (flow.py:1), not LangGraph's"
    )

    plain = survey(snapshot_of({"flow.py": "print('a')\n"}, tmp_path / "plain"))
    assert plain.facts["detectives_parallel"] is False


@pytest.mark.parametrize(
    ("beside", "names"),
    [
        ({}, ["pypdf"]),
        ({"requirements.txt": "pypdf\n"}, []),
        (
            {
                "README.md": "```\npip install -r requirements.txt\n```\n",
                "requirements.txt": "streamlit\n".encode("utf-16"),
            },
            [],
        ),
    ],
)
def test_import_that_the_only_manifest_lacks_is_part_of_the_scope(
    beside: dict[str, str | bytes | None], names: list[str], tmp_path: Path
) -> None:
    code = {"main.py": "import page\nimport pypdf\n", "page.py": "import streamlit\n"}
    files = {**code, "uv.lock": '[[package]]\nname = "rich"\nname = "streamlit"\n', **beside}
    scope = survey(snapshot_of(files, tmp_path)).facts["scope"]
    assert [row["name"] for row in scope.get("unlocked", ())] == names
