"""Difference of two rubric documents: by part, by field and by word."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from grading.engine import rubrics as engine_rubrics
from grading.rubrics.actions import draft_rubric_version
from grading.rubrics.comparison.rubric_difference import Change, Row, difference
from grading.rubrics.comparison.word_difference import Segment, mark_differences
from tests.factories.people import everywhere, staff_user
from tests.factories.work import RubricFactory, rubric_document

BEFORE = engine_rubrics.settled_rubric(rubric_document("one", "two", "three", "four"))


def revised(*changes: Any) -> dict[str, Any]:
    document = deepcopy(BEFORE)
    for change in changes:
        change(document)
    return engine_rubrics.settled_rubric(document)


def changes(
    after: dict[str, Any], before: dict[str, Any] = BEFORE
) -> list[tuple[str, tuple[str, ...], dict[str, Any]]]:
    """Return each part with its marks, and its rows as plain texts."""
    return [
        (part.title, part.marks, {row.label: plain(row) for row in part.rows})
        for part in difference(before, after).parts
    ]


def plain(row: Row) -> tuple[str, str]:
    return "".join(piece.text for piece in row.before), "".join(piece.text for piece in row.after)


def text_of(pieces: tuple[Segment, ...]) -> str:
    signs = {"same": "{}", "other": "[{}]", "gap": "<{}>"}
    return "".join(signs[piece.mark].format(piece.text) for piece in pieces)


def test_same_document_has_no_difference():
    assert difference(BEFORE, deepcopy(BEFORE)).parts == ()


def test_added_removed_and_moved_criteria_are_marked_and_no_others():
    def change(document):
        criteria = document["criteria"]
        criteria.insert(0, criteria.pop(2))
        del criteria[3]
        criteria.append({"id": "new", "name": "New"})

    parts = difference(BEFORE, revised(change)).parts

    assert [(part.title, part.marks, part.sentences) for part in parts] == [
        ("Three", ("moved",), ("Moved from position 3 to 1.",)),
        ("Four", ("removed",), ("Was at position 4.",)),
        ("New", ("added",), ("Added at position 4.",)),
    ]
    assert difference(BEFORE, revised(change)).counts == {"moved": 1, "removed": 1, "added": 1}


@pytest.mark.parametrize(
    ("field", "label", "value"), [("id", "ID", "uno"), ("name", "Name", "Uno")]
)
def test_criterion_with_another_id_or_name_is_renamed_not_replaced(field, label, value):
    before = BEFORE["criteria"][0][field]
    after = revised(lambda document: document["criteria"][0].update({field: value}))
    title = after["criteria"][0]["name"]
    assert changes(after) == [(title, ("renamed",), {label: (before, value)})]


def test_fields_levels_and_checks_have_before_and_after():
    level = {"id": "full", "name": "Full", "points": 10.0, "description": "All of it"}

    def first(document):
        document["criteria"][0] |= {"max_points": 10, "levels": [level]}

    def second(document):
        first(document)
        criterion = document["criteria"][0]
        criterion |= {"weight": 2.5, "judicial_logic": {"defense": "Be kind"}}
        criterion["levels"][0] = level | {"points": 8.0}
        criterion["checks"][2] |= {"minimum": 7, "tags": ["a", "b"]}
        del criterion["checks"][1]

    (part,) = changes(revised(second), revised(first))

    assert part == (
        "One",
        ("changed",),
        {
            "Judicial logic: Defense": ("", "Be kind"),
            "Weight in the overall score": ("1", "2.5"),
            "Level full: Points": ("10", "8"),
            "Check one.source": (
                "A file exists\nGoal: Python\nWeight: 1\nAny of these paths: **/*.py",
                "",
            ),
            "Check one.history: Tags": ("", "a\nb"),
            "Check one.history: At least": ("3", "7"),
        },
    )


def test_preset_and_custom_rules_are_compared_by_their_effect():
    own = {
        "id": "own",
        "rules": [{"kind": "security_override", "cap": 2, "when": "spread > 1"}],
        "quorum": 3,
    }
    governance = revised(lambda document: document.update(constitution="governance"))
    ((title, _, rows),) = changes(
        revised(lambda document: document.update(constitution=own)), governance
    )

    assert title == "Verdict rules"
    assert {label: texts for label, texts in rows.items() if texts[1]} == {
        "Constitution": ("governance", "own: custom rules"),
        "Evidence required for a verdict": ("5", "1"),
        "Security override: Security evidence caps the score at": ("3", "2"),
        "Security override: Only when (CEL)": ("", "spread > 1"),
    }
    assert [label for label, texts in rows.items() if not texts[1]] == [
        "No score if a detective failed",
        "Facts overrule opinions",
        "The Tech Lead decides",
        "Rehearing",
        "Dissent",
        "Weighted average",
    ]


def test_unfinished_draft_is_compared():
    assert changes(
        {"id": "small", "criteria": [{"name": "Half"}]}, {"id": "small", "criteria": []}
    ) == [("Half", ("added",), {"Name": ("", "Half")})]


def test_added_or_removed_part_is_whole():
    assert [Change("", (mark,), (), ()).is_whole for mark in ("added", "removed", "renamed")] == [
        True,
        True,
        False,
    ]


@pytest.mark.parametrize(
    ("before", "after", "lost", "gained"),
    [
        ("", "new words", "", "[new words]"),
        (
            "a red car drives by",
            "a blue car drives by",
            "a [red] car drives by",
            "a [blue] car drives by",
        ),
        (
            "keep this old end here",
            "keep this very new end here",
            "keep this [old] end here",
            "keep this [very new] end here",
        ),
        (
            "at 0.5 of the whole",
            "at 0.75 of the whole",
            "at [0.5] of the whole",
            "at [0.75] of the whole",
        ),
        ("one thing", "quite another matter", "[one thing]", "[quite another matter]"),
        ("x" * 300 + " old", "x" * 300 + " new", f"<…>{'x' * 119} [old]", f"<…>{'x' * 119} [new]"),
        ("x b " * 110, "x c " * 110, f"[{'x b ' * 110}]", f"[{'x c ' * 110}]"),
        ("word " * 2000, "word " * 2001, f"[{'word ' * 2000}]", f"[{'word ' * 2001}]"),
    ],
)
def test_texts_are_marked_by_word(before, after, lost, gained):
    assert tuple(map(text_of, mark_differences(before, after))) == (lost, gained)


@pytest.mark.django_db
def test_page_compares_with_base_version_or_chosen_one():
    rubric = RubricFactory()
    ada = staff_user(rubric.organization)
    ada.is_staff = True
    ada.save()
    client = Client()
    client.force_login(ada)
    shout = revised(lambda document: document["criteria"][0].update(instruction="<b>Look</b>"))
    with everywhere():
        first, second, third = (
            draft_rubric_version(rubric=rubric, document=document, by=ada)
            for document in (BEFORE, shout, BEFORE)
        )
    addresses = {
        v: reverse("admin:grading_rubricversion_difference", args=[v.pk])
        for v in (first, second, third)
    }
    page = client.get(addresses[second])

    assert (page.context["before"], page.context["between"].counts) == (first, {"changed": 1})
    assert '<ins class="whole">&lt;b&gt;Look&lt;/b&gt;</ins>' in page.text
    chosen = client.get(addresses[third] + f"?from={first.pk}")
    assert (chosen.context["before"], chosen.context["between"].parts) == (first, ())
    assert client.get(addresses[first] + "?from=nonsense").context["before"] == third
