"""Limits of a rubric: each is a fault at its place, before anything of the rubric is tried."""

import json

import pytest

from courtroom.models.errors import RubricRefused
from courtroom.models.rubric import Rubric
from courtroom.rubric_import.read_rubric import read_rubric
from courtroom.rubric_import.rubric_validation import faults_in
from courtroom.synthesis.guards import find_guard_error
from tests.hostile.rubric_patterns import (
    DEEP,
    GUARDS,
    PATTERNS,
    guarded_rubric,
    levels,
    pattern_check,
    rubric_of,
    rubric_with_criteria,
)

CHECK = ("criteria", 0, "checks", 0)
GUARD = ("constitution", "rules", 0, "when")


def faults(document):
    return [(fault.place, fault.kind, fault.message) for fault in faults_in(document)]


def readmes(count, name):
    return [
        {"id": f"{name}{n}", "kind": "file_exists", "goal": "g", "any_of": ["README*"]}
        for n in range(count)
    ]


@pytest.mark.parametrize("name", PATTERNS)
def test_pattern_that_ended_a_process_is_one_fault_at_its_place(name):
    sentence = f"The limit is 500 characters; there are {len(PATTERNS[name])}."
    assert faults(rubric_of(pattern_check(PATTERNS[name]))) == [
        ((*CHECK, "pattern"), "over_limit", sentence)
    ]


@pytest.mark.parametrize("name", GUARDS)
def test_guard_of_more_than_500_characters_is_one_fault_at_its_place(name):
    sentence = f"The limit is 500 characters; there are {len(GUARDS[name])}."
    assert faults(guarded_rubric(GUARDS[name])) == [(GUARD, "over_limit", sentence)]


def test_guard_is_bounded_wherever_it_is_compiled():
    error = find_guard_error(GUARDS["90,000 characters"])
    assert error is not None
    assert error.message == "The limit is 500 characters; there are 90000."


def test_deep_nesting_is_a_fault_of_pattern_and_guard():
    assert faults(rubric_of(pattern_check(DEEP))) == [
        (
            (*CHECK, "pattern"),
            "pattern_impossible",
            "A pattern has at most 20 brackets within each other.",
        )
    ]
    assert faults(guarded_rubric(DEEP)) == [
        (
            GUARD,
            "guard_invalid",
            "Character 1: A guard has at most 20 brackets within each other.",
        )
    ]


@pytest.mark.parametrize(
    ("document", "place", "sentence"),
    [
        (
            rubric_with_criteria(8_500),
            ("criteria",),
            "The limit is 60 criteria; there are 8500.",
        ),
        (
            rubric_of(criteria=[{"id": "a", "name": "A", "levels": levels(21)}]),
            ("criteria", 0, "levels"),
            "The limit is 20 levels; there are 21.",
        ),
        (
            rubric_of(
                criteria=[
                    {"id": name, "name": name, "checks": readmes(count, name)}
                    for name, count in {"a": 300, "b": 100, "c": 1, "d": 0}.items()
                ]
            ),
            ("criteria", 2, "checks"),
            "The limit is 400 checks in all criteria; there are 401.",
        ),
        (
            rubric_of({**readmes(1, "k")[0], "any_of": ["a"] * 101}),
            (*CHECK, "any_of"),
            "The limit is 100 lines; there are 101.",
        ),
        (
            rubric_of({**readmes(1, "k")[0], "any_of": ["*a" * 251]}),
            (*CHECK, "any_of", 0),
            "The limit is 500 characters; there are 502.",
        ),
    ],
)
def test_too_much_is_one_fault_at_its_place(document, place, sentence):
    (fault,) = faults_in(document)
    assert (fault.place, fault.message) == (place, sentence)


def test_limits_themselves_are_allowed():
    document = rubric_with_criteria(60, levels=levels(20))
    for number, criterion in enumerate(document["criteria"][:4]):
        criterion["checks"] = readmes(100, f"k{number}.")
    assert faults_in(document) == ()
    assert faults_in(rubric_of(pattern_check("f(" * 20 + "x" + ")" * 20))) == ()


def test_no_pattern_is_tried_where_another_fault_hides_that_there_are_too_many():
    checks = [pattern_check("a; b", id=f"k{n}") for n in range(401)]
    document = rubric_of(*checks, grading_target=7)
    assert [fault.kind for fault in faults_in(document)] == ["string_type"]


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            {"dimensions": [{"name": f"C{n}", "description": "d"} for n in range(8_500)]},
            "Line 2, dimensions: the limit is 60 criteria; there are 8500.",
        ),
        (
            {"dimensions": [{"name": "C", "description": "d", "levels": levels(21)}]},
            "Line 6, dimensions.0.levels: the limit is 20 levels; there are 21.",
        ),
    ],
)
def test_lenient_reading_refuses_too_much_with_its_line(document, message):
    with pytest.raises(RubricRefused) as refused:
        read_rubric(json.dumps(document, indent=1))
    assert (refused.value.code, refused.value.message) == ("rubric_too_large", message)


def test_stored_rubric_over_every_limit_stays_readable():
    document = rubric_with_criteria(61, levels=levels(21))
    document["criteria"][0]["checks"] = [*readmes(401, "k"), pattern_check(PATTERNS["calls"])]
    document["constitution"] = guarded_rubric(GUARDS["90,000 characters"])["constitution"]

    stored = Rubric.from_stored(document)
    assert (len(stored.criteria), len(stored.checks)) == (61, 402)
