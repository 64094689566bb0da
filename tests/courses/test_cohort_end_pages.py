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
def test_the_pages_are_sound_and_cost_the_same_whatever_is_in_the_cohort(
    teacher: Client, cohort: Cohort, works: int, django_assert_max_num_queries: Any
) -> None:
    for _ in range(works):
        worked(cohort)
    for name in ("archive", "cohort-delete"):
        with django_assert_max_num_queries(12) as counted:
            answer = teacher.get(page(cohort, name))
        assert faults_of(answer.content.decode()) == []
        assert len(counted) == (12 if works else 10)  # of what belongs to nothing, nothing is asked
        assert dict(answer.context["inventory"].kinds)["attempts handed in"] == works


def test_the_pages_list_what_there_is_and_name_in_one_line_what_there_is_none_of(
    teacher: Client, cohort: Cohort
) -> None:
    worked(cohort)
    for name in ("archive", "cohort-delete"):
        shown = teacher.get(page(cohort, name)).content.decode()
        rows = re.findall(r'<th scope="row">([^<]*)</th><td>(\d+)', shown)
        assert [what for what, number in rows if number == "0"] in ([], ["Uploaded reports (PDF)"])
        none = re.search(r"There are no ([^<]*)\.", shown)
        assert none is not None
        assert {what.lower() for what, _ in rows}.isdisjoint(none[1].split(", "))
        assert "Submissions" in dict(rows)


def test_the_cohorts_page_leads_to_them_for_who_may(teacher: Client, cohort: Cohort) -> None:
    shown = teacher.get(page(cohort, "cohort")).content.decode()
    assert [page(cohort, name) in shown for name in ("archive", "cohort-delete", "log")] == [
        True
    ] * 3


def test_the_archive_comes_as_a_file_and_never_as_a_page(teacher: Client, cohort: Cohort) -> None:
    worked(cohort)
    answer: Any = teacher.post(page(cohort, "archive"))
    told = answer.headers["Content-Disposition"], answer.headers["X-Content-Type-Options"]
    assert told == ('attachment; filename="autumn.zip"', "nosniff")
    assert zipfile.ZipFile(io.BytesIO(b"".join(answer))).testzip() is None


def test_a_wrong_name_is_said_beside_it_and_kept_and_the_right_one_deletes(
    teacher: Client, cohort: Cohort
) -> None:
    worked(cohort)
    seen = teacher.get(page(cohort, "cohort-delete")).context["inventory"].fingerprint
    answer = teacher.post(page(cohort, "cohort-delete"), {"typed": "Autumn", "seen": seen})
    assert faults_of(answer.content.decode()) == []
    form = answer.context["form"]
    assert (form.errors, form["typed"].value()) == (
        {"typed": ["Type autumn to delete this cohort."]},
        "Autumn",
    )
    answer = teacher.post(
        page(cohort, "cohort-delete"), {"typed": "autumn", "seen": seen}, follow=True
    )
    assert "Autumn was deleted" in answer.content.decode()
    with everywhere():
        assert (Cohort.objects.count(), Activity.objects.get().verb) == (0, "cohort.deleted")


def test_what_changed_since_the_look_is_shown_and_has_to_be_confirmed_anew(
    teacher: Client, cohort: Cohort
) -> None:
    seen = teacher.get(page(cohort, "cohort-delete")).context["inventory"].fingerprint
    worked(cohort)
    answer = teacher.post(page(cohort, "cohort-delete"), {"typed": "autumn", "seen": seen})
    assert "Something changed since you opened this page" in answer.content.decode()
    assert answer.context["inventory"].fingerprint in answer.content.decode()
