"""Values that Python reads and no database stores: refused with their line, or left out."""

import json

import pytest

from courtroom.rubric_import.read_rubric import read_rubric
from tests.courtroom.rubric_import.test_read_rubric import refusal


def test_deep_nesting_that_python_can_read_is_refused():
    deep = "[" * 200 + "]" * 200
    assert refusal(deep) == ("rubric_invalid_json", "The rubric is nested too deeply.")


@pytest.mark.parametrize("text", ["a\0b", "\ud800", "\0"])
def test_character_that_no_database_stores_is_refused_with_its_line(text):
    code = f"U+{ord(min(text)):04X}"
    entry = {"name": "Tests", "instruction": text}

    assert refusal(json.dumps({"dimensions": [entry]}, indent=1)) == (
        "rubric_invalid",
        (
            "The rubric does not fit its schema: line 5, dimensions.0.instruction: "
            f"The character {code} cannot be used."
        ),
    )


def test_unusable_numbers_and_names_are_left_out():
    entry = {"name": " ", "id": "x", "instruction": "Look", "weight": 10**400}
    rubric = read_rubric(json.dumps({"rubric_name": "!!!", "dimensions": [entry]})).rubric
    (criterion,) = rubric.criteria
    assert (rubric.id, criterion.id, criterion.name, criterion.weight) == ("rubric", "x", "x", 1)
