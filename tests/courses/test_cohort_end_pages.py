"""The pages of a cohort's archive and of its deletion."""

from __future__ import annotations

import io
import re
import zipfile
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from grading.models import Activity, Cohort
from tests.factories.example_report import report_json
from tests.factories.people import CohortFactory, EnrollmentFactory, everywhere, staff_user
from tests.factories.work import AssignmentFactory, AuditFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def cohort() -> Cohort:
    made: Cohort = CohortFactory.create(slug="autumn", name="Autumn")
    return made


@pytest.fixture
def teacher(cohort: Cohort) -> Client:
    client = Client()
    client.force_login(staff_user(cohort.organization))
    return client


def page(cohort: Cohort, name: str) -> str:
    return reverse(name, args=[cohort.organization.slug, cohort.slug])


def worked(cohort: Cohort) -> None:
    AuditFactory.create(
        submission__assignment=AssignmentFactory.create(cohort=cohort),
        submission__student=EnrollmentFactory.create(cohort=cohort),
        done=True,
        report=report_json(criteria=1),
    )


@pytest.mark.parametrize("works", [0, 1, 3])
def test_pages_are_accessible_and_their_queries_constant(
    teacher: Client, cohort: Cohort, works: int, django_assert_max_num_queries: Any
) -> None:
    for _ in range(works):
        worked(cohort)
    for name in ("archive", "cohort-delete"):
        with django_assert_max_num_queries(9) as counted:
            answer = teacher.get(page(cohort, name))
        assert faults_of(answer.content.decode()) == []
        assert len(counted) == 9
        assert dict(answer.context["inventory"].kinds)["attempts handed in"] == works


def test_pages_list_present_kinds_and_name_absent_ones(teacher: Client, cohort: Cohort) -> None:
    worked(cohort)
    for name in ("archive", "cohort-delete"):
        html = teacher.get(page(cohort, name)).content.decode()
        rows = re.findall(r'<th scope="row">([^<]*)</th><td>(\d+)', html)
        assert [label for label, number in rows if number == "0"] in (
            [],
            ["Uploaded reports (PDF)"],
        )
        none = re.search(r"There are no ([^<]*)\.", html)
        assert none is not None
        assert {label.lower() for label, _ in rows}.isdisjoint(none[1].split(", "))
        assert "Submissions" in dict(rows)


def test_cohort_page_links_to_them_for_teachers(teacher: Client, cohort: Cohort) -> None:
    html = teacher.get(page(cohort, "cohort")).content.decode()
    assert [page(cohort, name) in html for name in ("archive", "cohort-delete", "log")] == [
        True
    ] * 3


def test_archive_is_sent_as_a_file(teacher: Client, cohort: Cohort) -> None:
    worked(cohort)
    answer: Any = teacher.post(page(cohort, "archive"))
    headers = answer.headers["Content-Disposition"], answer.headers["X-Content-Type-Options"]
    assert headers == ('attachment; filename="autumn.zip"', "nosniff")
    assert zipfile.ZipFile(io.BytesIO(b"".join(answer))).testzip() is None


def test_wrong_name_is_reported_and_kept_and_the_right_one_deletes(
    teacher: Client, cohort: Cohort
) -> None:
    worked(cohort)
    fingerprint = teacher.get(page(cohort, "cohort-delete")).context["inventory"].fingerprint
    answer = teacher.post(page(cohort, "cohort-delete"), {"typed": "Autumn", "seen": fingerprint})
    assert faults_of(answer.content.decode()) == []
    form = answer.context["form"]
    assert (form.errors, form["typed"].value()) == (
        {"typed": ["Type autumn to delete this cohort."]},
        "Autumn",
    )
    answer = teacher.post(
        page(cohort, "cohort-delete"), {"typed": "autumn", "seen": fingerprint}, follow=True
    )
    assert "Autumn was deleted" in answer.content.decode()
    with everywhere():
        assert (Cohort.objects.count(), Activity.objects.get().verb) == (0, "cohort.deleted")


def test_changed_cohort_is_shown_again_before_deletion(teacher: Client, cohort: Cohort) -> None:
    fingerprint = teacher.get(page(cohort, "cohort-delete")).context["inventory"].fingerprint
    worked(cohort)
    answer = teacher.post(page(cohort, "cohort-delete"), {"typed": "autumn", "seen": fingerprint})
    assert "Something changed since you opened this page" in answer.content.decode()
    assert answer.context["inventory"].fingerprint in answer.content.decode()
