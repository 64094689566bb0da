"""Lists of the administration over tables that grow: what they count, and what a search matches."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django_scopes import scope

from grading.core import admin_lists
from grading.core.activity_writer import record_activity
from grading.models import Activity, Audit
from tests.factories.people import everywhere, staff_user
from tests.factories.work import AuditFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def audits() -> list[Audit]:
    """Return two audits of one assignment."""
    first = AuditFactory.create(submission__assignment__title="The auditor")
    second = AuditFactory.create(submission__assignment=first.submission.assignment)
    return [first, second]


@pytest.fixture
def teacher(audits: list[Audit], client: Client) -> Client:
    user = staff_user(audits[0].organization)
    user.is_staff = True
    user.save()
    client.force_login(user)
    return client


def listed(client: Client, model: Any, query: str = "") -> set[Any]:
    page = reverse(f"admin:grading_{model._meta.model_name}_changelist")
    answer = client.get(f"{page}?q={query}")
    assert answer.status_code == 200
    return {row.pk for row in answer.context["cl"].result_list}


def test_words_match_student_assignment_and_key_and_all_must_match(
    teacher: Client, audits: list[Audit]
) -> None:
    first, second = audits
    both, student = {first.pk, second.pk}, first.submission.student.email
    for query, matching in (
        (student, {first.pk}),
        ("auditor", both),
        (str(second.pk), {second.pk}),
        (f"auditor {student}", {first.pk}),
        (f"{student} {second.pk}", set()),
        ("nobody", set()),
    ):
        assert (query, listed(teacher, Audit, query)) == (query, matching)


def test_the_log_is_searched_by_member_and_by_key_of_its_object(
    teacher: Client, audits: list[Audit]
) -> None:
    first, second = audits
    member = staff_user(first.organization)
    for audit, actor in ((first, member), (second, None)):
        with scope(organization=audit.organization_id):
            record_activity(
                organization=audit.organization_id, actor=actor, verb="audit.retried", about=audit
            )
    with everywhere():
        of_first, of_second = (
            Activity.objects.get(object_id=str(audit.pk), verb="audit.retried").pk
            for audit in audits
        )
    assert of_first in listed(teacher, Activity, member.email)
    assert of_second not in listed(teacher, Activity, member.email)
    assert of_second in listed(teacher, Activity, str(second.pk))


def test_a_list_counts_so_many_rows_at_most(
    teacher: Client, audits: list[Audit], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(admin_lists, "MOST_COUNTED", 1)
    answer = teacher.get(reverse("admin:grading_audit_changelist"))
    assert answer.context["cl"].result_count == 1
