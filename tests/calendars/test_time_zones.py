"""Times on pages, in forms and in letters, in the zone of a person or of a cohort."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from grading.core.time_zone_names import zone_names
from grading.courses.forms import AssignmentForm, ChangeSettingsForm
from grading.models import Activity, Assignment, Cohort, Enrollment, PersonalCalendar
from tests.factories.graded_work import signed_in
from tests.factories.people import CohortFactory, everywhere, staff_user, student
from tests.factories.work import AssignmentFactory, SubmissionFactory
from tests.web_client.page_checks import faults_of

pytestmark = pytest.mark.django_db
BERLIN, KOLKATA = "Europe/Berlin", "Asia/Kolkata"
CLOCKS_CHANGE = "in Europe/Berlin: clocks change that night. Enter an earlier or a later time."
NO_TIME = "Enter a date and a time, such as 2026-11-30 23:59."
DUE = datetime(2026, 12, 1, 22, 59, tzinfo=UTC)


@pytest.fixture
def cohort() -> Cohort:
    made: Cohort = CohortFactory.create(time_zone=BERLIN)
    return made


@pytest.fixture
def assignment(cohort: Cohort) -> Assignment:
    made: Assignment = AssignmentFactory.create(cohort=cohort, due_at=DUE)
    return made


@pytest.fixture
def ada(cohort: Cohort) -> Enrollment:
    made: Enrollment = student(cohort)
    return made


@pytest.fixture
def teacher(cohort: Cohort) -> User:
    return staff_user(cohort.organization)


def lives_in(user: Any, time_zone: str) -> None:
    PersonalCalendar.objects.create(user=user, time_zone=time_zone)


def address(name: str, assignment: Assignment) -> str:
    cohort = assignment.cohort
    return reverse(name, args=[cohort.organization.slug, cohort.slug, assignment.slug])


def page(user: User | None, path: str) -> str:
    answer = signed_in(user).get(path)
    assert (answer.status_code, faults_of(answer.text)) == (200, [])
    return " ".join(answer.text.split())


def test_deadline_is_shown_in_the_cohorts_zone_by_its_name(ada, assignment):
    text = page(ada.user, address("assignment", assignment))
    assert 'datetime="2026-12-01T23:59:00+01:00">1 Dec 2026, 23:59 CET<' in text
    assert "Times are in Europe/Berlin." in text


def test_own_zone_comes_before_the_cohorts(ada, assignment):
    lives_in(ada.user, KOLKATA)
    text = page(ada.user, address("assignment", assignment))
    assert 'datetime="2026-12-02T04:29:00+05:30">2 Dec 2026, 04:29 IST<' in text
    assert "Times are in Asia/Kolkata." in text
    assert "CET" not in text


def test_home_shows_the_zone_of_the_course_that_is_due(ada, teacher, assignment):
    for user in (ada.user, teacher):
        assert "1 Dec 2026, 23:59 CET" in page(user, "/")


def test_page_that_counts_in_utc_says_so(teacher, cohort):
    lives_in(teacher, KOLKATA)
    text = page(teacher, reverse("operations", args=[cohort.organization.slug]))
    assert "Times are in UTC." in text


def test_one_readers_zone_is_not_the_next_readers(ada, teacher, assignment):
    lives_in(ada.user, KOLKATA)
    page(ada.user, address("assignment", assignment))
    assert "23:59 CET" in page(teacher, address("assignment", assignment))
    assert "Times are in UTC." in Client().get("/").text


def test_zone_without_letters_is_named_by_its_offset(ada, assignment):
    lives_in(ada.user, "America/Sao_Paulo")
    assert "1 Dec 2026, 19:59 UTC-03" in page(ada.user, address("assignment", assignment))


def test_api_answers_in_utc(ada, assignment):
    lives_in(ada.user, KOLKATA)
    slug = assignment.organization.slug
    answer = signed_in(ada.user).get(
        f"/api/v1/o/{slug}/cohorts/{assignment.cohort.slug}/assignments/{assignment.slug}/"
    )
    assert answer.json()["due_at"] == "2026-12-01T22:59:00Z"


def typed(**fields: Any) -> AssignmentForm:
    form = AssignmentForm(fields, own_rubrics=(), zone=ZoneInfo(BERLIN))
    form.full_clean()
    return form


def test_form_reads_the_cohorts_zone_and_names_it_beside_each_field(teacher, assignment):
    lives_in(teacher, KOLKATA)
    text = page(teacher, address("assignment-settings", assignment))
    assert 'value="2026-12-01T23:59"' in text
    assert text.count("Europe/Berlin. Leave blank") == 2
    assert typed(due_at="2026-12-01T23:59").cleaned_data["due_at"] == DUE


@pytest.mark.parametrize(
    ("time", "error"),
    [
        (
            "2027-03-28T02:30",
            f"02:30 on 28 March 2027 does not exist {CLOCKS_CHANGE}",
        ),
        (
            "2026-10-25T02:30",
            f"02:30 on 25 October 2026 happens twice {CLOCKS_CHANGE}",
        ),
        ("2026-02-30T12:00", NO_TIME),
        ("tomorrow", NO_TIME),
    ],
)
def test_time_that_no_clock_shows_is_refused_beside_its_field(time, error):
    form = typed(due_at=time)
    assert form.errors["due_at"] == [error]
    assert time in str(form["due_at"])


@pytest.mark.parametrize("name", ["assignment-new", "assignment-settings", "round-new"])
def test_times_typed_in_a_zone_that_was_changed_are_not_read_in_the_new_one(
    name, teacher, assignment
):
    cohort = assignment.cohort
    for _ in range(3):
        student(cohort)
    arguments = [cohort.organization.slug, cohort.slug]
    if name != "assignment-new":
        arguments.append(assignment.slug)
    path, browser = reverse(name, args=arguments), signed_in(teacher)
    form = browser.get(path).context["form"]
    sent = {row.html_name: row.value() for row in form if row.value() is not None}
    times = {"due_at", "ends_at"} & form.fields.keys()
    sent |= {"title": "Week 9", "rubric": "shipped:general"} | dict.fromkeys(
        times, "2099-01-01T12:00"
    )
    with everywhere():
        Cohort.objects.update(time_zone=KOLKATA)

    form = browser.post(path, sent).context["form"]
    (error,) = form.non_field_errors()
    assert error.startswith("The cohort's time zone was changed to Asia/Kolkata since you opened")
    assert {form[time].value() for time in times} == {"2099-01-01T12:00"}
    again = browser.post(path, sent | {"zone": form["zone"].value()})
    assert again.status_code == 302 or again.context["form"].errors == {}


@pytest.mark.parametrize(
    "stored", [DUE.replace(second=7), datetime(2026, 10, 25, 0, 30, 7, tzinfo=UTC)]
)
def test_stored_time_stays_where_its_minute_is_sent(stored):
    minute = stored.astimezone(ZoneInfo(BERLIN)).strftime("%Y-%m-%dT%H:%M")
    form = ChangeSettingsForm(
        {"due_at": minute}, initial={"due_at": stored}, zone=ZoneInfo(BERLIN), fingerprint=""
    )
    form.full_clean()
    assert form.cleaned_data["due_at"] == stored


def test_refusal_of_late_work_names_the_time_in_the_readers_zone(ada, assignment):
    with everywhere():
        Assignment.objects.update(due_at=DUE.replace(year=2025))
    path = address("submit", assignment)
    assert "This assignment was due on 01 December 2025, 23:59 CET." in page(ada.user, path)
    lives_in(ada.user, KOLKATA)
    assert "This assignment was due on 02 December 2025, 04:29 IST." in page(ada.user, path)


def test_refused_change_of_a_due_date_names_the_zone_of_its_field(teacher, assignment):
    lives_in(teacher, KOLKATA)
    SubmissionFactory.create(assignment=assignment, handed_in_at=DUE)
    path = address("assignment-settings", assignment)
    form = signed_in(teacher).get(path).context["form"]
    sent = form.initial | {"due_at": "2026-11-30T12:00", "opens_at": "", "seen": form.fingerprint}
    (error,) = signed_in(teacher).post(path, sent).context["form"].errors["due_at"]
    assert error.endswith("on 01 December 2026, 23:59 CET (Europe/Berlin).")


def settings_page(cohort):
    return reverse("cohort-settings", args=[cohort.organization.slug, cohort.slug])


def test_teacher_changes_the_zone_and_no_deadline_moves(teacher, assignment):
    cohort = assignment.cohort
    sent = {"name": cohort.name, "time_zone": KOLKATA}
    for _ in range(2):
        assert signed_in(teacher).post(settings_page(cohort), sent).status_code == 302
    with everywhere():
        assert Cohort.objects.get().time_zone == KOLKATA
        assert Assignment.objects.get().due_at == DUE
        (entry,) = Activity.objects.filter(verb="cohort.changed")
    assert (entry.detail["before"], entry.detail["after"]) == (
        {"time_zone": BERLIN},
        {"time_zone": KOLKATA},
    )
    log = page(teacher, reverse("log", args=[cohort.organization.slug, cohort.slug]))
    assert "changed settings of the cohort: time zone" in log


def test_new_cohort_is_offered_the_zone_of_the_newest_or_else_ones_own(teacher, cohort):
    lives_in(teacher, KOLKATA)
    path = reverse("cohort-new", args=[cohort.organization.slug])
    assert signed_in(teacher).get(path).context["form"]["time_zone"].value() == BERLIN
    with everywhere():
        Cohort.objects.all().delete()
    assert signed_in(teacher).get(path).context["form"]["time_zone"].value() == KOLKATA


@pytest.mark.parametrize("name", ["Europe/Atlantis", "EST", "../../etc/passwd", ""])
def test_unknown_zone_is_refused_beside_its_field(name, teacher, cohort):
    sent = {"name": cohort.name, "time_zone": name}
    answer = signed_in(teacher).post(settings_page(cohort), sent)
    assert list(answer.context["form"].errors) == ["time_zone"]
    assert "We kept your input." in answer.text


def test_person_chooses_a_zone_and_takes_it_back(ada):
    for name in (KOLKATA, ""):
        signed_in(ada.user).post("/accounts/times/", {"time_zone": name})
        assert PersonalCalendar.objects.get().time_zone == name
    answer = signed_in(ada.user).post("/accounts/times/", {"time_zone": "Mars/Olympus"})
    assert list(answer.context["form"].errors) == ["time_zone"]


def test_choices_are_places_and_utc():
    assert {"UTC", BERLIN, KOLKATA, "America/Argentina/Buenos_Aires"} <= zone_names()
    assert not {"EST", "Etc/GMT+3", "US/Eastern", "localtime", "posix/Europe/Berlin"} & zone_names()
