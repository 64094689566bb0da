"""Faults of a rubric: each one with its place in the JSON, and no place twice."""

from typing import Any

import pytest

from courtroom.rubric_import.rubric_validation import faults_in
from tests.factories.work import rubric_document

NO_SUCH_KIND = {"id": "k", "kind": "guess", "goal": "g"}
RULES = ("constitution", "rules")


def own(*rules: dict[str, Any]) -> dict[str, Any]:
    return rubric_document() | {"constitution": {"id": "own", "rules": list(rules)}}


def with_check(**fields: Any) -> dict[str, Any]:
    document = rubric_document("tidy")
    document["criteria"][0]["checks"][2] |= fields
    return document


def with_ids(*criteria: str) -> dict[str, Any]:
    document = rubric_document(*map(str, range(len(criteria))))
    for criterion, name in zip(document["criteria"], criteria, strict=True):
        criterion["id"] = name
    return document


@pytest.mark.parametrize(
    ("document", "faults"),
    [
        (rubric_document(), []),
        ([], [((), "model_type")]),
        (
            {"id": "x", "version": "1", "criteria": 3},
            [(("name",), "missing"), (("criteria",), "tuple_type")],
        ),
        (
            {"id": "x", "name": "X", "version": "1", "criteria": [{"id": "a"}]},
            [(("criteria", 0, "name"), "missing")],
        ),
        (with_check(minimum="many"), [(("criteria", 0, "checks", 2, "minimum"), "int_parsing")]),
        (with_check(kind="guess"), [(("criteria", 0, "checks", 2), "union_tag_invalid")]),
        (with_check(wieght=2), [(("criteria", 0, "checks", 2, "wieght"), "extra_forbidden")]),
        (with_ids("a", "b", "a"), [(("criteria", n, "id"), "ids_not_unique") for n in (0, 2)]),
        (
            with_check(id="tidy.readme"),
            [(("criteria", 0, "checks", n, "id"), "ids_not_unique") for n in (0, 2)],
        ),
        (with_check(goal="a\0b"), [(("criteria", 0, "checks", 2, "goal"), "character_unusable")]),
        (with_check(goal="\ud800"), [(("criteria", 0, "checks", 2, "goal"), "string_unicode")]),
        (
            own({"kind": "security_override", "when": "\ud800"}),
            [((*RULES, 0, "when"), "string_unicode")],
        ),
        (
            with_check(weight=float("inf")),
            [(("criteria", 0, "checks", 2, "weight"), "finite_number")],
        ),
        (
            own({"kind": "weighted_average", "defense": float("inf")}),
            [((*RULES, 0, "defense"), "finite_number")],
        ),
        (own({"kind": "security_override", "cap": 9}), [((*RULES, 0, "cap"), "less_than_equal")]),
        (
            own({"kind": "fact_supremacy"}, {"kind": "fact_supremacy"}),
            [(("constitution",), "value_error")],
        ),
        (rubric_document() | {"constitution": "no such"}, [(("constitution",), "preset_unknown")]),
        (
            rubric_document() | {"constitution": 7},
            [(("constitution",), "model_type"), (("constitution",), "string_type")],
        ),
    ],
)
def test_fault_has_its_place_and_kind(document, faults):
    assert [(fault.place, fault.kind) for fault in faults_in(document)] == faults


def test_invalid_guard_is_listed_with_the_faults_of_the_model():
    pytest.importorskip("cel_expr_python", reason="requirements/guards.txt is not installed")
    document = own({"kind": "security_override", "cap": 9, "when": "sprea > 1"})
    assert [(fault.place, fault.kind) for fault in faults_in(document)] == [
        ((*RULES, 0, "cap"), "less_than_equal"),
        ((*RULES, 0, "when"), "guard_invalid"),
    ]


def test_impossible_pattern_has_its_place():
    document = rubric_document("tidy")
    check = {
        "kind": "code_pattern",
        "id": "p",
        "goal": "g",
        "language": "go",
        "pattern": "a(); b()",
    }
    document["criteria"][0]["checks"][1] = check

    assert [(fault.place, fault.kind) for fault in faults_in(document)] == [
        (("criteria", 0, "checks", 1, "pattern"), "pattern_impossible")
    ]
