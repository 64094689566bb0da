"""Evidence in the Markdown of a report: each place is quoted once, and each search is told once."""

import pytest

from courtroom.checks.result import SEARCHED
from courtroom.models.evidence import Location
from courtroom.rendering.markdown_report import render_markdown
from tests.courtroom.rendering.test_markdown_report import report, unsafe_case
from tests.courtroom.synthesis.bench_records import (
    bench,
    check,
    criterion,
    outcome,
    piece,
    rubric,
    verdict,
)


def test_evidence_is_quoted_once():
    case = unsafe_case()
    text = render_markdown(case)
    flaw, good = (piece.id for piece in case.evidence)

    assert (
        f"**{flaw}** (`no_shell.py:4`, commit `c0ffee00`): no_shell line 4\n\n"
        "```py\nsubprocess.run(cmd, shell=True)\n```"
    ) in text
    assert f"**{good}** (`tests.py:9`, commit `c0ffee00`, quoted above): tests line 9" in text
    assert text.count("import pytest") == 1


def test_evidence_of_one_place_is_listed_once_with_its_ids():
    piece_a, piece_b, piece_c = (piece(name, content="import pytest") for name in ("a", "b", "c"))
    place = {"location": piece_a.location}
    twin = piece_b.model_copy(update=place | {"rationale": piece_a.rationale})
    third = piece_c.model_copy(update=place)
    pieces = (piece_a, twin, third)
    judged = verdict("default", bench((3, 3, 3), *pieces), evidence=pieces)
    text = render_markdown(report(judged, pieces))

    lines = [line for line in text.split("\n") if line.startswith("**E-")]
    twins = ", ".join(i for i in judged.criteria[0].evidence if i != third.id)
    assert {line.partition("** ")[0] for line in lines} == {f"**{twins}", f"**{third.id}"}
    assert [line.count("quoted at E-") for line in lines] == [0, 1]
    assert text.count("import pytest") == 1


@pytest.mark.parametrize(
    ("rationale", "line"),
    [
        (SEARCHED, "Looked for x: nothing."),
        (f"{SEARCHED} Not counted: y.", "Looked for x: nothing. Not counted: y."),
        ("No x.", "No x. Looked for x: nothing."),
        ("Looked for x: nothing.", "Looked for x: nothing."),
    ],
)
def test_what_was_looked_for_everywhere_goes_on_its_line(rationale, line):
    searched = piece(rationale=rationale, content="Looked for x: nothing.", location=Location())
    judged = verdict("default", bench((3, 3, 3), searched), evidence=(searched,))
    text = render_markdown(report(judged, (searched,)))
    assert f"**{searched.id}**: {line}\n\n" in text
    assert "```" not in text.partition("**Evidence**")[2]


def test_long_caption_of_lines_that_are_quoted_above_is_printed_once():
    caption = f"The list is {'very ' * 20}long."
    first_piece, second_piece = (
        piece(name, content="import pytest", rationale=caption) for name in ("a", "b")
    )
    second_piece = second_piece.model_copy(
        update={"location": first_piece.location, "confidence": 0.6}
    )
    pieces = (first_piece, second_piece)
    judged = verdict("default", bench((3, 3, 3), *pieces), evidence=pieces)
    text = render_markdown(report(judged, pieces))

    assert text.count(caption) == 1
    assert text.count("What is said there holds here too.") == 1


def searching(name, looked_for, goal):
    searched = piece(name, rationale=goal, content=looked_for, location=Location())
    return searched, check(name, goal=goal), outcome(name, True, searched)


def test_searches_that_a_check_tells_are_listed_by_their_ids_alone():
    kinds = "files that are closed, names that nothing defines, texts that cannot be formatted"
    rows = (
        searching("a", "Looked for it in the 3 Python files of the repository.", "No bare shell."),
        searching("b", "Looked for it on 4 pages: it is absent.", "No diagram is there."),
        searching("c", f"Looked in the 4 functions of the judges for {kinds}.", "Judges run."),
        searching("d", f"Looked in the 4 functions of the court for {kinds}.", "The court runs."),
    )
    pieces, checks, outcomes = zip(*rows, strict=True)
    judged = verdict(
        "default",
        bench((3, 3, 3), *pieces),
        evidence=pieces,
        rubric_=rubric(criterion("quality", *checks)),
        outcomes=outcomes,
    )
    text = render_markdown(report(judged, pieces))

    lines = [line for line in text.split("\n") if line.startswith("**E-")]
    shell_id, diagram_id, judges_id, court_id = (row.id for row in pieces)
    assert sorted(lines) == sorted(
        [
            f"**{shell_id}, {diagram_id}**: The checks above say what was looked for, and what came of it.",
            f"**{judges_id}**: Judges run. Looked in the 4 functions of the judges for {kinds}.",
            f"**{court_id}**: Looked for the same as at {judges_id}, where the check says it.",
        ]
    )
