"""What a rubric that is not in force would make of everybody's results: foreseen, counted, and never guessed."""

import copy

import pytest
from django_scopes import scope

from grading.previews import preview
from tests.factories.people import CohortFactory
from tests.grading.preview_works import document, judged_assignment

pytestmark = pytest.mark.django_db


@pytest.fixture
def cohort():
    cohort = CohortFactory()
    with scope(organization=cohort.organization):
        yield cohort


@pytest.fixture
def assignment(cohort):
    return judged_assignment(cohort=cohort)


def revised(change):
    """The document as `change` leaves it."""
    other = copy.deepcopy(document(version="2"))
    change(other)
    return other


def scores(marks):
    return {row.criterion_id: row.score for row in marks.criteria}


def test_the_same_text_changes_nothing(assignment):
    seen = preview(assignment, document())
    assert [(change.is_changed, change.moved, change.distance, change.refusal) for change in seen] == [
        (False, {}, 0.0, "")
    ] * 3
