"""Publish and use from now on: one page, one transaction, and no verdict changes unless it was chosen."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from grading.core.enums import BulkVerb, RubricState
from grading.engine.rubrics import document_digest
from grading.models import Assignment, BulkRun, Cohort, RubricVersion
from grading.rubrics.publishing import forms
from tests.factories.people import staff_user
from tests.factories.preview_works import document
from tests.factories.work import AssignmentFactory, RubricVersionFactory
from tests.web_client.page_checks import faults_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


@pytest.fixture
def assignment(judged):
    return judged


@pytest.fixture
def teacher(client, assignment):
    client.force_login(staff_user(assignment.organization))
    return client


@pytest.fixture
def draft(assignment) -> RubricVersion:
    rubric = assignment.rubric_version.rubric
    return RubricVersionFactory(rubric=rubric, number=2, draft=True, document=document(version="2"))


def page_of(version: RubricVersion) -> str:
    return reverse("rubric-publish", args=[version.organization.slug, version.pk])


def sent(draft: RubricVersion, *uses: tuple[Assignment, str], **more: Any) -> dict[str, Any]:
    """Return what the page posts, with the three verdicts of each assignment as it shows them."""
    fields = {"seen": document_digest(draft.document), "do": "use"}
    for assignment, use in uses:
        fields |= {f"use-{assignment.pk}": use, f"confirmed-{assignment.pk}": "3"}
    return fields | more


def in_use(assignment: Assignment) -> int:
    return Assignment.objects.get(pk=assignment.pk).rubric_version_id


def state_of(version: RubricVersion) -> str:
    return RubricVersion.objects.values_list("state", flat=True).get(pk=version.pk)


# -- refusals -----------------------------------------------------------------------------------


def test_nothing_is_published_when_the_draft_changed_meanwhile(teacher, assignment, draft):
    posted = sent(draft, (assignment, "new"), seen="another")
    answer = teacher.post(page_of(draft), posted)
    assert (answer.status_code, state_of(draft)) == (200, RubricState.DRAFT)
    assert "saved by someone else" in answer.text
    assert in_use(assignment) == assignment.rubric_version_id


def test_nothing_is_published_when_one_assignment_refuses(teacher, assignment, draft, monkeypatch):
    other = AssignmentFactory(cohort=assignment.cohort, rubric_version=assignment.rubric_version)
    posted = sent(draft, (other, "new"), (assignment, "all"))
    answer = teacher.post(page_of(draft), posted | {f"confirmed-{assignment.pk}": "2"})
    assert (answer.status_code, state_of(draft)) == (200, RubricState.DRAFT)
    assert list(answer.context["form"].errors) == [f"use-{assignment.pk}"]
    assert in_use(other) == assignment.rubric_version_id
    assert not BulkRun.objects.exists()


def test_large_number_must_be_typed(teacher, assignment, draft, monkeypatch):
    monkeypatch.setattr(forms, "CONFIRM_ABOVE", 2)
    page = teacher.get(page_of(draft)).text
    assert "To re-synthesise, type the number of verdicts: 3" in page


# -- uses ---------------------------------------------------------------------------------------


def test_page_offers_assignments_of_the_rubric_and_is_well_formed(teacher, assignment, draft):
    answer = teacher.get(page_of(draft))
    assert faults_of(answer.text) == []
    form = answer.context["form"]
    assert form[f"use-{assignment.pk}"].initial == "new"
    assert "re-synthesise the 3 verdicts that count" in answer.text


def test_assignment_of_another_rubric_is_not_chosen_at_first(teacher, assignment, draft):
    other = AssignmentFactory(cohort=assignment.cohort)
    form = teacher.get(page_of(draft)).context["form"]
    assert form[f"use-{other.pk}"].initial == "keep"


@pytest.mark.parametrize(("days", "is_offered"), [(0, True), (-2, False)])
def test_assignment_is_offered_until_its_cohort_is_over(
    teacher, assignment, draft, days, is_offered
):
    Cohort.objects.update(ends_on=timezone.now().date() + timedelta(days=days))
    form = teacher.get(page_of(draft)).context["form"]
    assert (f"use-{assignment.pk}" in form.fields) is is_offered


def test_new_submissions_only(teacher, assignment, draft):
    teacher.post(page_of(draft), sent(draft, (assignment, "new")))
    assert (state_of(draft), in_use(assignment)) == (RubricState.PUBLISHED, draft.pk)
    assert not BulkRun.objects.exists()


def test_use_with_resynthesis_starts_one_run_for_all_verdicts(teacher, assignment, draft):
    answer = teacher.post(page_of(draft), sent(draft, (assignment, "all")))
    run = BulkRun.objects.get()
    assert (run.verb, run.total, run.rubric_version_id) == (BulkVerb.RESYNTHESISE, 3, draft.pk)
    assert answer["Location"].endswith(f"/bulk/{run.pk}/")


def test_only_publish_leaves_every_assignment(teacher, assignment, draft):
    teacher.post(page_of(draft), sent(draft, (assignment, "new"), do="only"))
    assert state_of(draft) == RubricState.PUBLISHED
    assert in_use(assignment) == assignment.rubric_version_id


def test_published_version_can_be_used_later(teacher, assignment, draft):
    teacher.post(page_of(draft), sent(draft, do="only"))
    published = RubricVersion.objects.get(pk=draft.pk)
    teacher.post(page_of(published), sent(published, (assignment, "new")))
    assert in_use(assignment) == draft.pk
