"""Findings become evidence: verbatim quotes of bounded length, `found` and tags."""

import pytest

from courtroom.analysis.git.snapshot import Snapshot
from courtroom.checks.file_exists import FileExists
from courtroom.checks.result import Clue, Finding, could_not_look, present
from courtroom.detectives.evidence_writer import write_down
from courtroom.models.evidence import Location
from tests.factories.repositories import Commit, make_repository

FILES = {
    "long.py": "".join(f"line_{n} = {n}\n" for n in range(1, 41)),
    "wide.py": "".join(f"{'x' * 900} = {n}\n" for n in range(1, 11)),
    "minified.js": "x" * 50_000,
}


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory):
    path = tmp_path_factory.mktemp("quoted") / "repository.git"
    commit = make_repository(path, [Commit("Add files", FILES)])
    return Snapshot(git_dir=path, commit=commit, ref=None, malformed_objects=False)


def check(**fields):
    return FileExists(id="c", goal="a goal", any_of=("x",), tags=("security",), **fields)


def written(clue, snapshot, *, met=True, **fields):
    (item,), (outcome,) = write_down(
        [(check(**fields), present("because", [clue], met=met))], snapshot
    )
    assert outcome.evidence == (item.id,)
    return item


def quoted(path, first, last, snapshot):
    return written(Clue(rationale="r", path=path, line_start=first, line_end=last), snapshot)


def test_lines_that_do_not_exist_are_pointed_at_without_a_quote(snapshot):
    assert quoted("long.py", 90, 95, snapshot).content is None
    assert quoted("gone.py", 1, 1, snapshot).content is None


def test_a_line_too_long_to_quote_is_pointed_at_and_not_cut(snapshot):
    item = quoted("minified.js", 1, 1, snapshot)
    assert (item.content, item.location.line_start, item.location.line_end) == (None, 1, 1)


def test_a_long_passage_is_quoted_by_its_first_twelve_lines(snapshot):
    item = quoted("long.py", 3, 40, snapshot)
    assert item.content == "\n".join(f"line_{n} = {n}" for n in range(3, 15))
    assert item.location == Location(
        path="long.py", line_start=3, line_end=14, commit=snapshot.commit
    )


def test_wide_lines_are_quoted_as_far_as_there_is_room(snapshot):
    item = quoted("wide.py", 1, 10, snapshot)
    assert item.content == "\n".join(f"{'x' * 900} = {n}" for n in (1, 2))
    assert item.location.line_end == 2


@pytest.mark.parametrize(
    ("polarity", "met", "found"),
    [
        ("positive", True, True),
        ("positive", False, False),
        ("negative", True, False),
        ("negative", False, True),
    ],
)
def test_found_says_that_what_the_check_looks_for_is_there_and_only_then_tags_hold(
    snapshot, polarity, met, found
):
    item = written(Clue(rationale="r", statement="s"), snapshot, met=met, polarity=polarity)
    assert (item.found, item.tags) == (found, ("security",) if found else ())


def test_evidence_of_what_nothing_runs_bears_no_tag():
    clue = Clue(rationale="r", statement="s", is_idle=True)
    ((item,), _) = write_down([(check(), Finding(met=True, reason="r", clues=(clue,)))])

    assert (item.found, item.tags) == (True, ())


def test_an_open_finding_has_an_outcome_and_no_evidence(snapshot):
    evidence, (outcome,) = write_down([(check(), could_not_look("the child died"))], snapshot)
    assert (evidence, outcome.met, outcome.reason, outcome.evidence) == (
        (),
        None,
        "the child died",
        (),
    )


def test_the_same_place_twice_is_one_piece_of_evidence(snapshot):
    clue = Clue(rationale="r", path="long.py", line_start=1, line_end=1)
    evidence, (outcome,) = write_down(
        [(check(), Finding(met=True, reason="r", clues=(clue, clue)))], snapshot
    )
    assert outcome.evidence == tuple(item.id for item in evidence)
    assert len(evidence) == 1
