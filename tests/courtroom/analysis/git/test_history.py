"""Commit history and the facts that follow from it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from courtroom.analysis.git.commit_kinds import work_of
from courtroom.analysis.git.history import (
    Commit,
    History,
    history_facts,
    read_history,
)
from courtroom.analysis.git.snapshot import Snapshot
from courtroom.analysis.git.stages import Stage, progression
from courtroom.analysis.project.commit_pace import Pace, pace_of
from courtroom.models.case import Limits
from courtroom.models.errors import ChildFailed
from tests.factories.repositories import STUDENT, git, make_repository
from tests.factories.repositories import Commit as Made

LIMITS = Limits()


def lines(count: int) -> str:
    return "".join(f"line_{number} = {number}\n" for number in range(count))


def history_of(path, commits, limits=LIMITS) -> History:
    head = make_repository(path, commits)
    return read_history(Snapshot(path, head, None, malformed_objects=False), limits)


def history_with(*commits: tuple[str, tuple[str, ...]]) -> History:
    """A history made of subjects and touched paths alone."""
    made = tuple(
        Commit(
            f"{number:040x}",
            (),
            "A",
            "a@example.org",
            "2026-01-05T09:00:00+00:00",
            subject,
            0,
            paths,
        )
        for number, (subject, paths) in enumerate(commits)
    )
    return History(made, len(made), truncated=False)


def stages_of(*commits: tuple[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(stage.name, stage.subject) for stage in progression(history_with(*commits))]


def test_unreadable_history_is_a_failure_and_no_fact(tmp_path):
    make_repository(tmp_path / "a.git", [Made()])
    gone = Snapshot(tmp_path / "a.git", "f" * 40, None, malformed_objects=False)
    with pytest.raises(ChildFailed) as failed:
        read_history(gone, LIMITS)
    assert failed.value.code == "child_died"


def test_commits_are_read_oldest_first_with_all_their_fields(tmp_path):
    when = datetime(2026, 2, 1, 23, 30, tzinfo=UTC)
    history = history_of(
        tmp_path / "a.git",
        [
            Made(
                "Add ä parser\n\nWith a body.",
                {"src/ä b.py": lines(3), "notes.md": "x\ny\n"},
                when=when,
            ),
            Made("Shorten it", {"src/ä b.py": lines(1)}, author="Grace H <Grace@Example.org>"),
        ],
    )
    first, second = git("rev-list", "--reverse", "HEAD", at=tmp_path / "a.git").split()
    name, _, email = STUDENT.rstrip(">").partition(" <")
    assert history == History(
        (
            Commit(
                first,
                (),
                name,
                email,
                "2026-02-01T23:30:00+00:00",
                "Add ä parser",
                3,
                ("notes.md", "src/ä b.py"),
                "2026-02-01T23:30:00+00:00",
                thin_paths=frozenset({"src/ä b.py"}),
            ),
            Commit(
                second,
                (first,),
                "Grace H",
                "Grace@Example.org",
                "2026-02-02T00:30:00+00:00",
                "Shorten it",
                0,
                ("src/ä b.py",),
                "2026-02-02T00:30:00+00:00",
                thin_paths=frozenset({"src/ä b.py"}),
            ),
        ),
        total=2,
        truncated=False,
    )


def test_only_lines_added_to_python_files_count_and_moving_a_file_adds_none(tmp_path):
    history = history_of(
        tmp_path / "a.git",
        [
            Made(files={"a.py": lines(10), "a.ipynb": lines(50), "data.py": b"\x00\x01\n" * 9}),
            Made(files={"a.py": lines(12)}),
            Made(files={"a.py": None, "src/a.py": lines(12)}),
        ],
    )
    assert [commit.python_lines_added for commit in history.commits] == [10, 2, 0]


def test_merge_adds_no_lines_of_its_own(tmp_path):
    history = history_of(
        tmp_path / "a.git",
        [
            Made("Start", {"a.py": lines(5)}),
            Made("Side", {"b.py": lines(7)}, branch="side"),
            Made("Merge side", {"b.py": lines(7)}, merge="side"),
        ],
    )
    assert [(len(c.parents), c.python_lines_added) for c in history.commits] == [
        (0, 5),
        (1, 7),
        (2, 0),
    ]


def test_long_history_is_truncated_but_counted_in_full(tmp_path):
    made = [Made(f"Step {number}", {"a.py": lines(number + 1)}) for number in range(5)]
    history = history_of(tmp_path / "a.git", made, Limits(commits=3))
    assert ([c.subject for c in history.commits], history.total) == (
        ["Step 2", "Step 3", "Step 4"],
        5,
    )
    why = "only the newest 3 of 5 commits were read"
    assert history_facts(history) == (
        {"commit_count": 5},
        {"bulk_upload": why, "author_count": why},
    )
    assert not history_of(tmp_path / "b.git", made, Limits(commits=5)).truncated


def test_spaces_around_a_message_are_no_part_of_it(tmp_path):
    (commit,) = history_of(tmp_path / "a.git", [Made("  code added ", {"a.py": "x\n"})]).commits
    assert commit.subject == "code added"


def test_commit_message_cannot_imitate_another_commit(tmp_path):
    history = history_of(
        tmp_path / "a.git",
        [
            Made(
                "x\x1b[31m\x01" + "y" * 400,
                {"evil\nname.py": "x\n"},
                author="\x07 Bell <b\x02@example.org>",
            )
        ],
    )
    (commit,) = history.commits
    assert (commit.subject[:12], len(commit.subject)) == ("x\ufffd[31m\ufffdyyyyy", 300)
    assert (commit.author_email, commit.python_lines_added) == ("b\ufffd@example.org", 1)


@pytest.mark.parametrize(
    ("sizes", "bulk"),
    [
        ((100,), True),
        ((30, 26, 22, 22), True),
        ((30, 25, 23, 22), False),
        ((25, 25, 25, 25), False),
    ],
)
def test_bulk_upload_is_two_commits_with_more_than_55_percent_of_all_lines(tmp_path, sizes, bulk):
    made = [Made(files={f"m{number}.py": lines(size)}) for number, size in enumerate(sizes)]
    facts, reasons = history_facts(history_of(tmp_path / "a.git", made))
    assert (facts, reasons) == (
        {"commit_count": len(sizes), "author_count": 1, "bulk_upload": bulk},
        {},
    )


def test_bulk_upload_is_unknown_without_python(tmp_path):
    facts = history_facts(history_of(tmp_path / "a.git", [Made(files={"a.md": lines(9)})]))
    assert facts == (
        {"commit_count": 1, "author_count": 1},
        {"bulk_upload": "no commit added a line of Python"},
    )


def test_authors_are_counted_by_address(tmp_path):
    authors = ["A <a@example.org>", "Ada <A@Example.org>", "B <b@example.org>"]
    facts, _ = history_facts(
        history_of(tmp_path / "a.git", [Made(author=author) for author in authors])
    )
    assert facts["author_count"] == 2


def test_stages_come_in_the_order_they_began():
    assert stages_of(
        ("Initial commit", ("pyproject.toml",)),
        ("Judge personas", ("src/nodes/judges.py",)),
        ("Progress", ("src/graph.py",)),
        ("Add git tools", ("src/tools/git.py",)),
        ("More judges", ("src/nodes/judges.py",)),
    ) == [
        ("setup", "Initial commit"),
        ("judges", "Judge personas"),
        ("graph", "Progress"),
        ("tools", "Add git tools"),
    ]


def test_one_commit_may_begin_several_stages_and_its_message_none_that_has_files():
    everything = ("uv.lock", "src/tools/ast.py", "src/graph.py", "src/nodes/judges.py")
    assert stages_of(("My project", everything), ("Add the graph", ("src/graph.py",))) == [
        ("setup", "My project"),
        ("tools", "My project"),
        ("graph", "My project"),
        ("judges", "My project"),
    ]


def test_a_stage_begins_with_its_files_whatever_earlier_messages_name():
    assert stages_of(
        ("Set up for tools and graph", ("config.json", "docs/graph.md")),
        ("wip", ("src/graph.py",)),
        ("Add a parser", ("src/reading.py",)),
    ) == [
        ("setup", "Set up for tools and graph"),
        ("graph", "wip"),
        ("tools", "Add a parser"),
    ]


@pytest.mark.parametrize(
    ("text", "tool", "begun"),
    [
        ("from ..tools import PDFAnalyzer\n", "src/tools/pdf.py", "Add tools"),
        ("from src.tools.repo_tools import clone\n", "src/tools/repo_tools.py", "Add tools"),
        ("from src.tools.repo_tools import clone\n", "src/notes.py", "Add detectives"),
        ("from langchain_core.tools import tool\n", "src/tools/pdf.py", "Add detectives"),
        ("import subprocess\n", "src/tools/pdf.py", "Add detectives"),
    ],
)
def test_detectives_that_import_tools_begin_none_where_these_come_later(
    tmp_path, text, tool, begun
):
    detectives = {
        "src/detectives/repo.py": text + lines(30),
        "src/detectives/vision.py": lines(30),
    }
    made = [Made("Add detectives", detectives), Made("Add tools", {tool: lines(30)})]
    history = history_of(tmp_path / "a.git", made)
    assert [(stage.name, stage.subject) for stage in progression(history)] == [("tools", begun)]


@pytest.mark.parametrize(
    ("beside", "own", "stage"),
    [
        ("src/nodes/justice.py", "src/nodes/judges.py", "judges"),
        ("src/supreme_court.py", "src/personas.py", "judges"),
    ],
)
def test_stage_begins_with_its_own_files_where_it_has_some(beside, own, stage):
    commits = ("Begin", (beside,)), ("Add the rest", (own,))
    assert stages_of(*commits) == [(stage, "Add the rest")]
    assert stages_of(commits[0]) == [(stage, "Begin")]


def test_node_in_a_file_of_its_own_begins_the_graph_and_is_told_from_it():
    node, graph = ("Begin", ("src/nodes/aggregator.py",)), ("Wire", ("src/graph.py",))
    for commits, is_node in (((node, graph), True), ((graph, node), False)):
        (stage,) = progression(history_with(*commits))
        assert (stage.subject, stage.has_node_alone) == (commits[0][0], is_node)


@pytest.mark.parametrize(
    ("paths", "is_alone"),
    [
        (("src/nodes/detectives.py",), True),
        (("src/nodes/detectives.py", "src/tools/git_tools.py"), False),
        (("src/tools/git_tools.py",), False),
    ],
)
def test_detectives_that_begin_the_tools_are_told_from_them(paths, is_alone):
    (stage,) = progression(history_with(("Begin", paths)))
    assert (stage.name, stage.has_detectives_alone) == ("tools", is_alone)


def test_supreme_court_begins_the_judges():
    assert stages_of(("Wire", ("src/graph.py",)), ("Decide", ("src/nodes/supreme_court.py",))) == [
        ("graph", "Wire"),
        ("judges", "Decide"),
    ]


def test_empty_files_begin_no_stage(tmp_path):
    history = history_of(
        tmp_path / "a.git",
        [
            Made("Lay out", {"uv.lock": "x\n", "src/graph.py": "", "src/nodes/judges.py": ""}),
            Made("Wire", {"src/graph.py": "x\n"}),
            Made("Argue", {"src/nodes/judges.py": "x\n"}),
        ],
    )
    assert [(stage.name, stage.subject) for stage in progression(history)] == [
        ("setup", "Lay out"),
        ("graph", "Wire"),
        ("judges", "Argue"),
    ]


@pytest.mark.parametrize("name", [".env.example", "pyproject.toml"])
def test_empty_files_of_the_set_up_begin_it_and_no_other_stage(tmp_path, name):
    made = [
        Made("Begin", {name: "", "src/graph.py": "", "README.md": ""}),
        Made("Go on", {name: "x\n"}),
    ]
    history = history_of(tmp_path / "a.git", made)
    assert [(stage.name, stage.subject) for stage in progression(history)] == [("setup", "Begin")]


@pytest.mark.parametrize(
    ("message", "path", "begun"),
    [
        ("Create folder structure", "src/graph.py", "Create folder structure"),
        ("Create folder structure", "src/.gitkeep", "Create folder structure"),
        ("Initial commit", "README.md", "Lock"),
        ("Lay out", "src/graph.py", "Lock"),
    ],
)
def test_empty_files_begin_the_set_up_that_their_message_names(tmp_path, message, path, begun):
    made = [Made(message, {path: ""}), Made("Lock", {"uv.lock": "x\n"})]
    history = history_of(tmp_path / "a.git", made)
    assert [(stage.name, stage.subject) for stage in progression(history)] == [("setup", begun)]


def graph_of(*nodes: str) -> str:
    drawn = "".join(f'graph.add_node(\n    "{node}", {node})\n' for node in nodes)
    imported = "from langgraph.graph import StateGraph\n"
    return f"{imported}graph = StateGraph(State)\n{drawn}{lines(18)}"


@pytest.mark.parametrize(
    ("first", "second", "begun"),
    [
        (graph_of("context", "collect"), graph_of("context", "prosecutor"), "Wire"),
        (graph_of("context", "repo_detective"), graph_of("prosecutor"), "Draw"),
        # Other names for all, and names that the text does not show.
        (graph_of("context"), graph_of("context", "collect"), "Draw"),
        (graph_of().replace("line_0", "graph.add_node(name)\nline_0"), graph_of("judge"), "Draw"),
        # A graph without a node, and one that is not LangGraph's.
        (graph_of(), graph_of("judge"), "Wire"),
        (graph_of("judge").replace("langgraph", "state"), graph_of("judge"), "Wire"),
        # Nodes that are objects.
        (
            f"from langgraph import StateGraph\nrepo >> judge\n{lines(18)}",
            graph_of("judge"),
            "Draw",
        ),
        (f"class StateGraph:\n    def add_node(self): ...\n{lines(18)}", graph_of("judge"), "Wire"),
    ],
)
def test_a_graph_begins_with_its_first_detective_or_judge(tmp_path, first, second, begun):
    made = [Made("Draw", {"src/graph.py": first}), Made("Wire", {"src/graph.py": second})]
    history = history_of(tmp_path / "a.git", made)
    (graph,) = progression(history)
    assert (graph.name, graph.subject, graph.has_outline) == ("graph", begun, begun == "Wire")


JUDGE = (
    'def prosecutor(\n    state: State,\n) -> State:\n    """Weigh the\n    gaps."""\n    {body}\n'
)


@pytest.mark.parametrize(
    ("first", "begun"),
    [
        (JUDGE.format(body="return state"), "Judge"),
        (JUDGE.format(body="# later\n    pass"), "Judge"),
        (JUDGE.format(body="print('here')\n\n    return {}"), "Judge"),
        (JUDGE.format(body="found = {}\n    return found  # nothing yet"), "Judge"),
        (JUDGE.format(body="found = {}\n    return weigh"), "Draw"),
        (JUDGE.format(body="return {'opinions': [weigh(state)]}"), "Draw"),
        (JUDGE.format(body="if state:\n        return weigh(state)\n    return state"), "Draw"),
        (f"{JUDGE.format(body='return state')}class TechLead:\n    score = 1\n", "Draw"),
        ("", "Draw"),
    ],
)
def test_judges_begin_where_one_does_more_than_return_the_state(tmp_path, first, begun):
    path = "src/nodes/judges.py"
    whole = JUDGE.format(body="return {'opinions': [weigh(state)]}")
    made = [
        Made("Draw", {path: lines(30) + first, "src/graph.py": graph_of("prosecutor")}),
        Made("Judge", {path: lines(60) + whole}),
    ]
    history = history_of(tmp_path / "a.git", made)
    stages = {stage.name: stage.subject for stage in progression(history)}
    assert stages == {"graph": "Draw", "judges": begun}


def test_judges_in_the_file_of_a_chief_justice_begin_with_their_functions(tmp_path):
    sides = JUDGE.format(body="return weigh(state)")
    bench = sides + sides.replace("prosecutor", "defense_attorney")
    made = [
        Made("Judge", {"src/nodes/justice.py": lines(30) + bench}),
        Made("Decide", {"src/nodes/judges.py": lines(60)}),
    ]
    history = history_of(tmp_path / "a.git", made)
    stages = [(stage.name, stage.subject) for stage in progression(history)]
    assert stages == [("judges", "Judge")]


def test_graph_of_few_lines_begins_with_its_first_detective(tmp_path):
    short = graph_of("repo_detective").replace(lines(18), "")
    made = [
        Made("Draw", {"src/graph.py": short}),
        Made("Wire", {"src/graph.py": graph_of("judge")}),
    ]
    history = history_of(tmp_path / "a.git", made)
    assert [(stage.name, stage.subject) for stage in progression(history)] == [("graph", "Draw")]


def test_example_that_tests_read_begins_no_stage_that_the_message_names(tmp_path):
    made = [
        Made("Read graphs by ast", {"tests/fixtures/graph.py": lines(20), "src/ast.py": lines(20)}),
        Made("Wire", {"src/graph.py": graph_of("judge")}),
    ]
    history = history_of(tmp_path / "a.git", made)
    assert [(stage.name, stage.subject) for stage in progression(history)] == [
        ("tools", "Read graphs by ast"),
        ("graph", "Wire"),
    ]


def test_a_few_lines_begin_a_stage_only_where_no_commit_brings_more(tmp_path):
    history = history_of(
        tmp_path / "a.git",
        [
            Made("Load keys", {"src/graph.py": lines(17), "src/judges.py": lines(17)}),
            Made("Add the parser", {"src/parser.py": lines(18)}),
            Made("Try it", {"tests/graph_run.py": lines(30)}),
            Made("Wire", {"src/graph.py": lines(30)}),
        ],
    )
    assert [(stage.name, stage.subject) for stage in progression(history)] == [
        ("judges", "Load keys"),
        ("tools", "Add the parser"),
        ("graph", "Wire"),
    ]


def test_a_file_that_makes_a_folder_a_package_begins_no_stage(tmp_path):
    made = [
        Made("Restructure the nodes", {"src/nodes/__init__.py": lines(4), "a.py": lines(20)}),
        Made("Wire", {"src/graph.py": lines(30)}),
    ]
    history = history_of(tmp_path / "a.git", made)
    assert [(stage.name, stage.subject) for stage in progression(history)] == [("graph", "Wire")]


def test_a_few_lines_begin_the_stage_that_their_message_names(tmp_path):
    made = [
        Made("Begin the graph", {"src/graph.py": lines(7)}),
        Made("Wire", {"src/graph.py": lines(30)}),
    ]
    (stage,) = progression(history_of(tmp_path / "a.git", made))
    assert stage.subject == "Begin the graph"


def test_a_few_lines_beside_empty_files_begin_no_stage_that_more_lines_bring(tmp_path):
    made = [
        Made("Add structure and graph skeleton", {"src/graph.py": "s\n", "src/state.py": ""}),
        Made("Wire", {"src/graph.py": lines(30)}),
    ]
    stages = progression(history_of(tmp_path / "a.git", made))
    assert [stage.subject for stage in stages if stage.name == "graph"] == ["Wire"]


def test_a_file_that_moves_to_the_name_of_a_stage_begins_it(tmp_path):
    history = history_of(
        tmp_path / "a.git",
        [
            Made("One", {"main.py": lines(20)}),
            Made("Move", {"main.py": None, "graph.py": lines(20)}),
            Made("More", {"graph.py": lines(40)}),
        ],
    )
    assert [(stage.name, stage.subject) for stage in progression(history)] == [("graph", "Move")]


@pytest.mark.parametrize(
    ("paths", "begun"),
    [
        (("README.md", "LICENSE", ".gitignore"), []),
        (("README.md", ".env.example"), [("setup", "Initial commit")]),
    ],
)
def test_files_of_a_new_repository_begin_no_stage_whatever_the_message_says(paths, begun):
    assert stages_of(("Initial commit", paths)) == begun


@pytest.mark.parametrize(
    ("subject", "has_node_alone"), [("Begin the graph nodes", True), ("Begin the graph", False)]
)
def test_nodes_that_a_message_names_are_no_graph_yet(subject, has_node_alone):
    (graph,) = progression(history_with((subject, ("src/flow.py",))))
    assert (graph.name, graph.has_node_alone) == ("graph", has_node_alone)


def test_installed_packages_are_counted_apart_and_begin_no_stage(tmp_path):
    installed = ".venv/lib/python3.11/site-packages/things/graph.py"
    made = [Made("Pin", {"main.py": lines(4), installed: lines(40), "dist/own.py": lines(2)})]
    history = history_of(tmp_path / "a.git", made)
    assert [
        (commit.python_lines_added, commit.installed_lines_added) for commit in history.commits
    ] == [(6, 40)]
    assert progression(history) == ()


def test_copies_of_a_file_in_one_commit_are_counted_apart(tmp_path):
    twice = {"a/graph.py": lines(20), "b/graph.py": lines(20), "a/c.py": "x\n", "b/c.py": "x\n"}
    made = [
        Made("Start", {"old.py": lines(3)}),
        Made("Graph", twice),
        Made("Again", {"c.py": lines(3)}),
    ]
    history = history_of(tmp_path / "a.git", made)
    assert [
        (commit.python_lines_added, commit.copied_lines_added) for commit in history.commits
    ] == [
        (3, 0),
        (22, 20),
        (3, 0),
    ]


def test_merge_begins_no_stage(tmp_path):
    history = history_of(
        tmp_path / "a.git",
        [
            Made("One", {"x.py": ""}),
            Made("Two", {"src/graph.py": "x\n"}, branch="side"),
            Made("Merge graph", {"src/graph.py": "x\n"}, merge="side"),
        ],
    )
    assert progression(history) == (Stage("graph", history.commits[1].sha, "Two"),)


def test_commit_that_changes_no_file_is_left_out(tmp_path):
    made = [
        Made("Add the parser", {"a.py": lines(3)}),
        *(Made(f"Refine step {n}") for n in range(9)),
    ]
    history = history_of(tmp_path / "a.git", made)
    worked = work_of(history)
    assert (history.total, worked.total) == (10, 1)
    assert [commit.subject for commit in worked.commits] == ["Add the parser"]


def test_author_dates_do_not_spread_work_committed_in_one_sitting(tmp_path):
    evening = datetime(2026, 3, 1, 20, tzinfo=UTC)
    made = [
        Made(
            files={f"{day}.py": lines(1)}, when=evening - timedelta(days=9 - day), committed=evening
        )
        for day in range(5)
    ]
    assert pace_of(history_of(tmp_path / "a.git", made)) == Pace(days=1, busiest_hour=5)
