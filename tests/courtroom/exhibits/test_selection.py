"""Exhibits of real small repositories: whole units, in a stated order, within the room."""

from __future__ import annotations

from pathlib import Path

import pytest

from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.exhibits.selection import lay_out
from courtroom.models.case import Limits
from courtroom.models.errors import ChildFailed
from courtroom.models.rubric import Rubric
from courtroom.rubric_import.shipped_rubrics import SHIPPED, load_shipped
from tests.courtroom.exhibits.works import (
    dossier_of,
    laid_out,
    rubric_of,
    shown_lines,
    snapshot_of,
    snapshot_of_commits,
)
from tests.courtroom.sources import built
from tests.factories.repositories import Commit
from tests.hostile.python_files import encodings, meanings, nestings

TOOLS = '''import subprocess
import tempfile

LIMIT = 30


def check_url(url):
    if not url.startswith("https://"):
        raise ValueError(url)


def clone(url):
    """Clone it."""
    check_url(url)
    folder = tempfile.mkdtemp()
    subprocess.run(["git", "clone", url, folder], check=True, timeout=LIMIT)
    return folder


def unrelated():
    return 0


def main(url):
    return clone(url)
'''
CLONE = {
    "id": "c.timeout",
    "kind": "sandboxed_clone",
    "goal": "The clone ends after a time",
    "aspect": "timeout",
}
WORDS = {"id": "w.words", "kind": "text_contains", "goal": "g", "any_of": ["asynchronous"]}


def test_check_shows_its_whole_unit_then_what_it_calls_and_its_callers(tmp_path: Path) -> None:
    bundle = laid_out(snapshot_of({"src/tools.py": TOOLS}, tmp_path), rubric_of(CLONE))

    assert bundle.exhibits[0].title == "rests on: The clone ends after a time"
    lines_shown = shown_lines(bundle.exhibits, "src/tools.py")
    assert set(range(12, 18)) <= set(lines_shown)  # clone
    assert set(range(7, 10)) <= set(lines_shown)  # check_url
    assert 4 in lines_shown  # LIMIT
    assert set(range(24, 26)) <= set(lines_shown)  # main
    assert 20 not in lines_shown  # unrelated
    assert len(lines_shown) == len(set(lines_shown))


def test_absence_shows_the_place_where_it_would_have_to_be(tmp_path: Path) -> None:
    files = {"src/tools.py": TOOLS.replace(", timeout=LIMIT", "")}
    bundle = laid_out(snapshot_of(files, tmp_path), rubric_of(CLONE))
    assert set(range(12, 18)) <= set(shown_lines(bundle.exhibits, "src/tools.py"))


def test_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    snapshot = snapshot_of({"src/tools.py": TOOLS, "src/graph.py": built("")}, tmp_path)
    rubric = load_shipped("self_audit")
    dossier = dossier_of(snapshot, rubric)
    first, second = (lay_out(snapshot, dossier, rubric, None, limits=Limits()) for _ in range(2))

    assert [b.model_dump_json() for b in first] == [b.model_dump_json() for b in second]
    assert [b.criterion_id for b in first] == [c.id for c in rubric.criteria]


@pytest.mark.parametrize("room", [300, 1000, 5000])
def test_room_is_never_exceeded_and_what_is_left_out_is_named(tmp_path: Path, room: int) -> None:
    body = "".join(f"    step_{number} = {number}\n" for number in range(400))
    text = TOOLS.replace('    """Clone it."""\n', body)
    bundle = laid_out(snapshot_of({"src/tools.py": text}, tmp_path), rubric_of(CLONE), room=room)

    assert sum(exhibit.characters for exhibit in bundle.exhibits) <= room
    assert bundle.omitted[0].title == "clone"
    assert bundle.omitted[0].characters > 0


def test_unit_larger_than_the_room_shows_its_head_and_the_deciding_lines(tmp_path: Path) -> None:
    body = "".join(f"    step_{number} = {number}\n" for number in range(400))
    text = TOOLS.replace('    """Clone it."""\n', body)
    snapshot = snapshot_of({"src/tools.py": text}, tmp_path)
    bundle = laid_out(snapshot, rubric_of(CLONE), room=3000)

    lines = text.split("\n")
    lines_shown = shown_lines(bundle.exhibits, "src/tools.py")
    assert lines.index("def clone(url):") + 1 in lines_shown
    assert next(n for n, line in enumerate(lines, 1) if "timeout=" in line) in lines_shown
    assert bundle.exhibits[0].title.endswith(", in part")


def test_text_is_verbatim_and_without_secrets(tmp_path: Path) -> None:
    key = "sk-proj-" + "a9Zk3Lq8Wm2Xc7Vb5Nt1Rf6Yh4Jd0Sg"
    text = TOOLS.replace('    """Clone it."""', f'    key = "{key}"')
    bundle = laid_out(snapshot_of({"src/tools.py": text}, tmp_path), rubric_of(CLONE))

    bundle_text = "\n".join(exhibit.text for exhibit in bundle.exhibits)
    assert key not in bundle_text
    assert "[redacted: " in bundle_text


def test_words_in_prose_show_the_section(tmp_path: Path) -> None:
    readme = "# Work\n\nIntro.\n\n## Design\n\nIt is asynchronous.\n\nMore.\n\n## Other\n\nNo.\n"
    bundle = laid_out(snapshot_of({"docs/x.md": readme}, tmp_path), rubric_of(WORDS))

    assert bundle.exhibits[0].text == "## Design\n\nIt is asynchronous.\n\nMore."
    assert bundle.exhibits[0].kind == "prose"


def test_project_in_another_language_shows_blocks_readme_and_tree(tmp_path: Path) -> None:
    files = {
        "README.md": "# Server\n",
        "serve.go": "package main\n\n// serve is asynchronous\nfunc serve() {\n\tlisten()\n}\n\n"
        "func listen() {\n}\n",
        "vendor/lib.go": "package lib\n",
    }
    bundle = laid_out(snapshot_of(files, tmp_path), rubric_of(WORDS))

    assert bundle.exhibits[0].text.startswith("// serve is asynchronous\nfunc serve() {")
    kinds = [exhibit.kind for exhibit in bundle.exhibits]
    assert kinds == ["code", "prose", "tree"]
    rows = bundle.exhibits[-1].text.split("\n")
    assert rows[1:] == [
        "serve.go  9 lines: serve, listen",
        "1 more files, deeper in the tree or of other projects",
    ]


def test_criterion_without_checks_shows_the_project(tmp_path: Path) -> None:
    files = {"README.md": "# Work\n", "src/tools.py": TOOLS}
    bundle = laid_out(snapshot_of(files, tmp_path), rubric_of())

    tree = next(exhibit for exhibit in bundle.exhibits if exhibit.kind == "tree")
    rows = ["README.md  1 line", "src/tools.py  25 lines: LIMIT, check_url, clone, unrelated, main"]
    assert tree.text.split("\n") == rows


def test_goal_stands_in_a_title_in_bounded_words(tmp_path: Path) -> None:
    goal = "The clone ends after a time that is short enough for the whole class to be audited"
    bundle = laid_out(
        snapshot_of({"src/tools.py": TOOLS}, tmp_path), rubric_of({**CLONE, "goal": goal})
    )
    assert (
        bundle.exhibits[0].title
        == "rests on: The clone ends after a time that is short enough for the…"
    )


HISTORY = {
    "id": "h.more",
    "kind": "commit_history",
    "goal": "g",
    "aspect": "more_than",
    "minimum": 1,
}


def test_history_shows_a_table_of_commits_with_their_ids(tmp_path: Path) -> None:
    commits = [
        Commit("Start", {"a.py": "x = 1\ny = 2\n"}),
        Commit("Go \x1f on", {"a.py": "x = 1\n"}, author="Bob <bob@example.org>"),
    ]
    bundle = laid_out(snapshot_of_commits(commits, tmp_path), rubric_of(HISTORY))

    table = next(exhibit for exhibit in bundle.exhibits if exhibit.kind == "commits")
    _, first, second = table.text.split("\n")
    assert table.commit_ids[0] == ""
    assert first == f"{table.commit_ids[1][:7]}  2026-01-05 09:00  author 1  +2 -0  Start"
    assert second.startswith(f"{table.commit_ids[2][:7]}  2026-01-05 10:00  author 2  +0 -1  Go")


def test_long_history_shows_both_ends(tmp_path: Path) -> None:
    commits = [Commit(f"Step {n}", {"a.py": f"x = {n}\n"}) for n in range(230)]
    bundle = laid_out(snapshot_of_commits(commits, tmp_path), rubric_of(HISTORY))

    table = next(exhibit for exhibit in bundle.exhibits if exhibit.kind == "commits")
    rows = table.text.split("\n")
    assert len(rows) == len(table.commit_ids) == 202
    assert rows[101] == "30 commits in between are left out"
    assert table.commit_ids[101] == ""
    assert rows[100].endswith("Step 99")
    assert rows[102].endswith("Step 130")


CONCEPT = {"id": "p.c", "kind": "pdf_concept", "goal": "g", "term": "Metacognition"}


def test_report_shows_its_pages_in_full(tmp_path: Path) -> None:
    pdf = PdfReading(pages=("First page.\nTwo.", "", "Third."))
    bundle = laid_out(snapshot_of({"a.py": ""}, tmp_path), rubric_of(CONCEPT), pdf)

    pages = {e.location.page: e.text for e in bundle.exhibits if e.kind == "page"}
    assert pages == {1: "First page.\nTwo.", 3: "Third."}


@pytest.mark.parametrize("name", SHIPPED)
def test_empty_repository_and_failed_report_are_no_exception(tmp_path: Path, name: str) -> None:
    snapshot = snapshot_of({"empty.txt": ""}, tmp_path)
    rubric = load_shipped(name)
    failed = ChildFailed("child_died", "It died.")
    bundles = lay_out(snapshot, dossier_of(snapshot, rubric), rubric, failed, limits=Limits())
    assert len(bundles) == len(rubric.criteria)


def test_child_that_dies_leaves_blocks_by_indentation(tmp_path: Path) -> None:
    snapshot = snapshot_of({"src/tools.py": TOOLS}, tmp_path)
    rubric = rubric_of(CLONE)
    dossier = dossier_of(snapshot, rubric)
    (bundle,) = lay_out(snapshot, dossier, rubric, None, limits=Limits(child_memory_bytes=1024**2))
    assert set(range(12, 18)) <= set(shown_lines(bundle.exhibits, "src/tools.py"))


@pytest.mark.hostile
def test_hostile_sources_are_no_exception(tmp_path: Path) -> None:
    cases = [*nestings(), *encodings(), *meanings()]
    files: dict[str, str | bytes | None] = {f"src/{c.name}.py": c.source for c in cases}
    snapshot = snapshot_of({**files, "src/tools.py": TOOLS}, tmp_path)
    rubric: Rubric = load_shipped("self_audit")
    bundles = lay_out(snapshot, dossier_of(snapshot, rubric), rubric, None, limits=Limits())
    assert any(shown_lines(b.exhibits, "src/tools.py") for b in bundles)
