"""Rubrics that ended a web process: each is refused at its place, and nothing typed is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.urls import reverse

from grading.rubrics.actions import draft_rubric_version
from tests.factories.people import everywhere
from tests.factories.work import AuditFactory, RubricFactory, rubric_document
from tests.hostile.rubric_patterns import (
    COSTLY_IN_LOOPS,
    DEEP,
    GUARDS,
    LOOPS,
    PATTERNS,
    guarded_rubric,
    pattern_check,
    rubric_of,
    rubric_with_criteria,
)
from tests.rubrics import rubric_forms
from tests.web_client.api_program import error_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]
PATTERN, GUARD = "criteria.0.checks.0.pattern", "constitution.rules.0.when"
LONG = "The limit is 500 characters; there are {}."
CASES = {
    **{
        name: (rubric_of(pattern_check(pattern)), PATTERN, LONG.format(len(pattern)))
        for name, pattern in PATTERNS.items()
    },
    **{
        name: (guarded_rubric(guard), GUARD, LONG.format(len(guard)))
        for name, guard in GUARDS.items()
    },
    "8,500 criteria": (
        rubric_with_criteria(8_500),
        "criteria",
        "The limit is 60 criteria; there are 8500.",
    ),
    "deep pattern": (
        rubric_of(pattern_check(DEEP)),
        PATTERN,
        "A pattern has at most 20 brackets within each other.",
    ),
}
each_case = pytest.mark.parametrize(
    ("document", "place", "sentence"), CASES.values(), ids=CASES.keys()
)


@pytest.fixture
def below(assignment):
    return f"cohorts/{assignment.cohort.slug}/assignments/{assignment.slug}"


@pytest.fixture
def editor(organization):
    return rubric_forms.teacher(organization)


@pytest.fixture
def organization(assignment):
    return assignment.organization


def draft_of(organization: Any, document: Any) -> Any:
    with everywhere():
        return draft_rubric_version(
            rubric=RubricFactory.create(organization=organization), document=document, by=None
        )


@each_case
def test_import_and_preview_by_the_api_are_refused_with_the_place(
    teacher, below, document, place, sentence
):
    refused = teacher.post("rubrics/import/", {"text": json.dumps(document), "source": "x"})
    assert (refused.status_code, error_of(refused)["code"]) == (422, "rubric_invalid")
    assert f"line 1, {place}: {sentence}" in error_of(refused)["message"]

    refused = teacher.post(f"{below}/preview/", {"document": document})
    assert (refused.status_code, error_of(refused)["code"]) == (422, "rubric_faulty")
    assert error_of(refused)["message"] == f"{place}: {sentence}"


@pytest.mark.parametrize("name", COSTLY_IN_LOOPS)
def test_preview_of_a_costly_guard_is_refused_by_the_api(teacher, below, name):
    operation, _, reason = COSTLY_IN_LOOPS[name]
    document = guarded_rubric(LOOPS.format(operation))
    refused = teacher.post(f"{below}/preview/", {"document": document})
    assert (refused.status_code, error_of(refused)["code"]) == (422, "rubric_faulty")
    assert error_of(refused)["message"].startswith(f"{GUARD}: Character ")
    assert reason in error_of(refused)["message"]


def test_lenient_import_by_the_api_is_refused_with_the_place(teacher):
    dimensions = [{"name": f"C{n}", "description": "d"} for n in range(8_500)]
    refused = teacher.post("rubrics/import/", {"text": json.dumps({"dimensions": dimensions})})
    assert (refused.status_code, error_of(refused)["code"]) == (422, "rubric_too_large")
    sentence = "Line 1, dimensions: the limit is 60 criteria; there are 8500."
    assert error_of(refused)["message"] == sentence


@each_case
def test_administration_refuses_an_import_beside_its_text(
    editor, organization, document, place, sentence
):
    text = json.dumps(document)
    client = rubric_forms.client_of(editor)
    answer = client.post(
        "/admin/grading/rubric/import/", {"into": f"o{organization.pk}", "text": text}
    )

    (error,) = answer.context["form"].errors["text"]
    assert f"{place}: {sentence.rstrip('.')}" in error
    assert answer.context["form"]["text"].value() == text


@each_case
def test_editor_shows_the_fault_at_its_line_and_keeps_the_text(
    editor, organization, document, place, sentence
):
    draft = draft_of(organization, rubric_document())
    text = json.dumps(document)
    posted = {"seen": "", "note": "Because", "text": text, "do": "save"}
    answer = rubric_forms.client_of(editor).post(rubric_forms.page(draft), posted)

    session = answer.context["session"]
    assert [(fault.place, fault.message) for fault in session.lines] == [
        (tuple(int(step) if step.isdigit() else step for step in place.split(".")), sentence)
    ]
    assert (session.text, session.note) == (text, "Because")
    assert rubric_forms.stored(draft).document == draft.document


@pytest.mark.parametrize("pattern", [PATTERNS["calls"], DEEP], ids=["long", "deep"])
def test_form_shows_the_fault_beside_the_pattern_and_keeps_it(editor, organization, pattern):
    draft = draft_of(organization, rubric_of(pattern_check("print($A)")))
    posted = rubric_forms.posted_form(draft, **{PATTERN: pattern})
    answer = rubric_forms.client_of(editor).post(rubric_forms.page(draft), posted)

    assert list(answer.context["session"].faults) == [PATTERN]
    assert f'aria-describedby="{PATTERN}.errors' in answer.text
    assert f">\n{pattern}</textarea>" in answer.text or f">{pattern}</textarea>" in answer.text
    assert rubric_forms.stored(draft).document == draft.document


def test_form_shows_too_many_criteria_beside_their_list(editor, organization):
    draft = draft_of(organization, rubric_with_criteria(61))
    answer = rubric_forms.client_of(editor).get(rubric_forms.page(draft))

    assert answer.context["session"].faults == {
        "criteria": ("The limit is 60 criteria; there are 61.",)
    }
    assert answer.text.count("The limit is 60 criteria; there are 61.") >= 1


@pytest.mark.parametrize("pattern", [PATTERNS["calls"][-19_000:], DEEP], ids=["long", "deep"])
def test_trial_of_a_check_over_a_limit_is_refused(editor, organization, assignment, pattern):
    draft = draft_of(organization, rubric_of(pattern_check(pattern)))
    with everywhere():
        AuditFactory.create(
            submission__assignment=assignment,
            rubric_version=assignment.rubric_version,
            done=True,
        )
    sent = rubric_forms.posted_form(draft, do="try criteria.0.checks.0")
    trial = (
        rubric_forms.client_of(editor)
        .post(reverse("rubric-try", args=[organization.slug, draft.pk]), sent)
        .context["trial"]
    )

    assert [label for label, _sentence in trial.problems] == ["Pattern"]


def test_stored_draft_over_a_limit_is_shown_and_not_previewed(editor, organization, assignment):
    draft = draft_of(organization, rubric_of(pattern_check(PATTERNS["calls"])))
    client = rubric_forms.client_of(editor)
    address = reverse(
        "preview", args=[organization.slug, assignment.cohort.slug, assignment.slug, draft.pk]
    )
    answer = client.get(address)

    assert [fault.kind for fault in answer.context["faults"]] == ["over_limit"]


@pytest.mark.parametrize("button", ["save", "save-unfinished"])
def test_deeply_nested_text_is_refused_by_the_editor_and_stays(editor, organization, button):
    draft = draft_of(organization, rubric_document())
    text = '{"a":' * 500 + "1" + "}" * 500
    posted = {"seen": "", "note": "", "text": text, "do": button}
    answer = rubric_forms.client_of(editor).post(rubric_forms.page(draft), posted)

    session = answer.context["session"]
    assert [fault.message for fault in session.lines] == ["The rubric is nested too deeply."]
    assert session.text == text
    assert rubric_forms.stored(draft).document == draft.document


def test_deeply_nested_preview_is_refused_by_the_api(teacher, below):
    document = json.loads('{"a":' * 400 + "1" + "}" * 400)
    refused = teacher.post(f"{below}/preview/", {"document": document})
    assert (refused.status_code, error_of(refused)["message"]) == (
        422,
        "The rubric is nested too deeply.",
    )
