"""Scripted judge of the benchmark, on a made-up repository with a label."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from benchmarks.labelled_work import LabelledWork, labelled_work
from benchmarks.scripted_judge import Verdict, readings_of, shown_lines, verdicts_on
from courtroom.judges.material import Submission, files_of, material_of
from courtroom.judges.opinion import Question
from courtroom.models.audit_report import AuditReport
from courtroom.models.evidence import Location, evidence
from courtroom.models.exhibit import CriterionExhibits, Exhibit
from courtroom.models.rubric import Criterion
from courtroom.run_audit import hold_audit
from tests.factories.student_project import GRAPH, case_of, student_repository

BUILDER = GRAPH.splitlines().index("def build_graph():") + 1
END = GRAPH.count("\n")
SCORES = {
    "graph_orchestration": {"score": 1, "why": f"Nodes do nothing (src/graph.py:{BUILDER}-{END})."},
    "state_management_rigor": {"score": None, "why": "Not scored (src/state.py:1-3)."},
    "git_forensic_analysis": {"score": 2, "why": "Five commits."},
}


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> LabelledWork:
    folder = tmp_path_factory.mktemp("labelled")
    (folder / "made+up").mkdir()
    git_dir = student_repository(folder / "made+up").rename(folder / "made+up" / "repo")
    report = asyncio.run(_report(git_dir))
    label = {"head": report.commit, "pdf": None, "scores": SCORES}
    (folder / "made+up.json").write_text(json.dumps(label), "utf-8")
    made = labelled_work(folder / "made+up.json", folder, folder / "made+up")
    made.report_file.write_text(json.dumps(report.as_json()), "utf-8")
    return made


async def _report(git_dir: Path) -> AuditReport:
    events = [event async for event in hold_audit(case_of(git_dir))]
    report = events[-1].report
    assert report is not None
    return report


def test_deciding_lines_are_those_named_that_hold_a_word(work: LabelledWork) -> None:
    readings = readings_of(work)
    assert len(readings["graph_orchestration"].deciding) == END - BUILDER + 1
    texts = readings["graph_orchestration"].deciding
    assert texts["src/graph.py", BUILDER] == "def build_graph():"
    assert readings["state_management_rigor"].score is None
    assert readings["git_forensic_analysis"].deciding == {}


def test_verdict_moves_from_the_outcomes_to_the_reader_by_what_is_shown(work: LabelledWork) -> None:
    rows = {
        name: dict(zip(SCORES, verdicts, strict=True))
        for name, verdicts in verdicts_on(work).items()
    }
    heuristic, docket, quotes, exhibits = (rows[name]["graph_orchestration"] for name in rows)
    lines = END - BUILDER + 1
    assert (heuristic.shown, docket.shown <= quotes.shown < lines) == (0, True)
    assert exhibits == Verdict(reader=1, court=1, deciding=lines, shown=lines)
    assert heuristic.court == docket.court
    assert heuristic.court is not None
    assert heuristic.court > 1

    # Where no line decides, there is nothing that a judge could be shown.
    assert {rows[name]["git_forensic_analysis"].deciding for name in rows} == {0}
    assert len({rows[name]["git_forensic_analysis"].court for name in rows}) == 1


def question(text: str, quote: str = "") -> Question:
    """Return a question with an exhibit of `a.py` from line 10, and evidence in `b.py`."""
    place = Location(path="a.py", line_start=10, line_end=10 + text.count("\n"))
    items = [
        evidence(
            detective="RepoInvestigator",
            check="x",
            goal="g",
            found=True,
            rationale="r",
            content=quote,
            location=Location(path="b.py", line_start=1, line_end=3),
        )
    ]
    bundle = CriterionExhibits(
        criterion_id="c",
        exhibits=(Exhibit(kind="code", title="t", location=place, text=text),),
    )
    submission = Submission(items, (), files_of(items, [bundle]), "s")
    criterion = Criterion(id="c", name="c")
    return Question(
        persona="Defense",
        criterion=criterion,
        evidence=tuple(items),
        outcomes=(),
        material=material_of(criterion, items, bundle, submission),
    )


def test_line_is_shown_where_half_of_its_words_stand_under_path_and_number() -> None:
    text = 'first = load(path)\n"""A docstring that is folded away, every word of it."""\nreturn b'
    deciding = {
        ("a.py", 10): "first = load(path)",
        ("a.py", 11): '"""A docstring that is folded away, every word of it."""',
        ("a.py", 13): "return b",
        ("b.py", 10): "first = load(path)",
    }
    assert set(shown_lines(question(text), deciding)) == {("a.py", 10)}


def test_quote_shows_its_lines_until_the_first_that_it_cuts() -> None:
    lines = {("b.py", 1): "alpha = beta(gamma)", ("b.py", 2): "delta = 1", ("b.py", 3): "return 2"}
    passing = question("pass", quote="\n".join(lines.values()))
    assert set(shown_lines(passing, lines)) == set(lines)
    longer = {("b.py", 1): "alpha = beta(gamma) and one_two_three_four"}
    cut = question("pass", quote="alpha = beta(gamma)")
    assert set(shown_lines(cut, longer)) == set(longer)
    assert set(shown_lines(cut, {("b.py", 2): "alpha = beta(gamma)"})) == set()
