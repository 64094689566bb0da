"""What to change: from unmet checks, at the places they stand on, the most urgent first."""

from courtroom.models.record import Location
from courtroom.synthesis.remediation import remediation_for
from tests.courtroom.synthesis.bench_records import check, criterion, outcome, piece, unsafe


def changes(asked, *outcomes_and_pieces):
    outcomes = {o.check: o for o, _ in outcomes_and_pieces}
    found = {p.id: p for _, pieces in outcomes_and_pieces for p in pieces}
    return remediation_for(asked, outcomes, found)


def seen(name, met, *pieces):
    return outcome(name, met, *pieces), pieces


def absence(name):
    return piece(name, found=False, location=Location(), content=f"no {name} in 12 files")


def test_a_met_check_and_one_that_could_not_be_established_ask_for_nothing():
    asked = criterion("quality", check("tests"), check("docs"), check("lint"))
    assert changes(asked, seen("tests", True, piece("tests")), seen("docs", None)) == ()


def test_something_missing_is_added_once_with_the_advice_and_the_snippet_of_its_check():
    gone = absence("tests")
    asked = criterion("quality", check("tests", advice="Add a test.", snippet="def test_it(): ..."))
    (change,) = changes(asked, seen("tests", False, gone))
    assert (change.path, change.line, change.action) == (None, None, "Add a test.")
    assert (change.snippet, change.priority) == ("def test_it(): ...", "high")
    assert (change.evidence, change.criterion_id) == ((gone.id,), "quality")


def test_a_check_without_advice_names_what_should_hold():
    asked = criterion("quality", check("tests"))
    assert (
        changes(asked, seen("tests", False, absence("tests")))[0].action
        == "Make this hold: There is tests"
    )


def test_something_half_there_points_at_the_first_place_that_was_found():
    partial = piece("tests", 7, location=Location(path="tests/old.py", line_start=7))
    (change,) = changes(
        criterion("quality", check("tests")), seen("tests", False, absence("tests"), partial)
    )
    assert (change.path, change.line) == ("tests/old.py", 7)


def test_a_flaw_is_mended_at_every_line_it_was_found_in_the_order_of_the_file():
    flaws = [piece("no_shell", line) for line in (30, 4)]
    asked = criterion("quality", unsafe(advice="Use an argument list."))
    mended = changes(asked, seen("no_shell", False, *flaws))
    assert [(c.path, c.line, c.evidence) for c in mended] == [
        ("no_shell.py", 4, (flaws[1].id,)),
        ("no_shell.py", 30, (flaws[0].id,)),
    ]


def test_essential_and_security_checks_come_first_then_what_weighs_most():
    asked = criterion(
        "quality",
        check("small", weight=1),
        check("middling", weight=2),
        check("large", weight=6),
        check("vital", weight=1, essential=True),
        unsafe(weight=2),
    )
    order = changes(asked, *(seen(c.id, False, absence(c.id)) for c in asked.checks))
    assert [
        (c.evidence[0] == absence(name).id, c.priority)
        for c, name in zip(order, ("large", "no_shell", "vital", "middling", "small"), strict=True)
    ] == [(True, "high"), (True, "high"), (True, "high"), (True, "medium"), (True, "low")]
