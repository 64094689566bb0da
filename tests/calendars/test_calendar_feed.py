"""Calendar feed of a person's deadlines: what is in it, who gets it, and how it is written."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from grading.calendars.actions import digest_of, make_feed_address
from grading.calendars.icalendar import calendar_of
from grading.calendars.queries import Deadline
from grading.core.enums import Anonymity
from grading.models import Cohort, Enrollment, PersonalCalendar
from tests.factories.graded_work import signed_in
from tests.factories.grades import GradeFactory
from tests.factories.peers import PairingFactory, PairingRoundFactory
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    MembershipFactory,
    staff_user,
    student,
)
from tests.factories.work import AssignmentFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis", "empty_cache")]
PAGE, RENEW, REVOKE = (
    "/accounts/times/",
    "/accounts/times/calendar/",
    "/accounts/times/calendar/revoke/",
)
NOW = datetime(2026, 11, 1, 8, tzinfo=UTC)
SOON = timezone.now() + timedelta(days=3)


@pytest.fixture
def ada() -> Enrollment:
    made: Enrollment = student(CohortFactory.create(time_zone="Europe/Berlin"), name="Ada Secret")
    return made


def fetched(user: User) -> str:
    answer = Client().get(f"/calendar/{make_feed_address(user=user)}.ics")
    assert answer.status_code == HTTPStatus.OK
    return answer.content.decode()


def summaries(text: str) -> list[str]:
    unfolded = text.replace("\r\n ", "")
    return re.findall(r"^SUMMARY:(.*)\r$", unfolded, re.MULTILINE)


def test_address_is_displayed_once_and_stored_as_a_digest(ada, settings):
    settings.SITE_URL = "https://auditor.example"
    browser = signed_in(ada.user)
    answer = browser.post(RENEW)
    (secret,) = re.findall(r"https://auditor\.example/calendar/([\w-]+)\.ics", answer.text)
    assert PersonalCalendar.objects.get().sha256 == digest_of(secret)
    assert (len(secret) > 40, secret in browser.get(PAGE).text) == (True, False)
    assert secret not in str(PersonalCalendar.objects.values().get())
    assert "no-store" in answer["Cache-Control"]


def test_new_address_ends_the_earlier_one_and_revoking_ends_both(ada):
    first, second = (make_feed_address(user=ada.user) for _ in range(2))
    get = Client().get
    assert [get(f"/calendar/{secret}.ics").status_code for secret in (first, second)] == [404, 200]
    for _ in range(2):
        signed_in(ada.user).post(REVOKE)
    assert get(f"/calendar/{second}.ics").status_code == HTTPStatus.NOT_FOUND
    assert "Make an address" in signed_in(ada.user).get(PAGE).text


def test_zone_stays_when_the_address_changes(ada):
    signed_in(ada.user).post(PAGE, {"time_zone": "Asia/Kolkata"})
    for path in (RENEW, REVOKE):
        signed_in(ada.user).post(path)
        assert PersonalCalendar.objects.get().time_zone == "Asia/Kolkata"


@pytest.mark.parametrize("secret", ["", "nobodys", "a" * 4000])
def test_address_that_nobody_has_is_missing(secret):
    assert Client().get(f"/calendar/{secret}.ics").status_code == HTTPStatus.NOT_FOUND


def test_inactive_person_has_no_feed(ada):
    secret = make_feed_address(user=ada.user)
    User.objects.update(is_active=False)
    assert Client().get(f"/calendar/{secret}.ics").status_code == HTTPStatus.NOT_FOUND


def test_feed_is_not_cached_listed_or_changed_by_a_session(ada):
    answer = Client().get(f"/calendar/{make_feed_address(user=ada.user)}.ics")
    assert answer["Content-Type"] == "text/calendar; charset=utf-8"
    assert {"no-store", "private"} <= set(answer["Cache-Control"].split(", "))
    assert (answer["X-Robots-Tag"], "Vary" in answer) == ("noindex", False)


def test_feed_is_limited_by_person_and_wrong_addresses_by_visitor(ada, settings):
    settings.ACCOUNT_RATE_LIMITS = settings.ACCOUNT_RATE_LIMITS | {
        "calendar_fetched": "2/h/key",
        "calendar_wrong": "1/m/ip",
    }
    address = f"/calendar/{make_feed_address(user=ada.user)}.ics"
    answers = [Client().get(path) for path in [address] * 3 + ["/calendar/wrong.ics"] * 2]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 404, 429]
    assert answers[2]["Retry-After"] == "3600"


def test_student_gets_the_deadlines_of_every_institution_and_of_no_other_course(ada):
    elsewhere = CohortFactory.create()
    for hours, (cohort, title) in enumerate(((ada.cohort, "Here"), (elsewhere, "There"))):
        due_at = SOON + timedelta(hours=hours)
        AssignmentFactory.create(cohort=cohort, title=title, due_at=due_at)
    for organization in (ada.organization, None):
        cohort = CohortFactory.create(**({"organization": organization} if organization else {}))
        AssignmentFactory.create(cohort=cohort, title="Of others", due_at=SOON)
    AssignmentFactory.create(cohort=ada.cohort, title="Without a date")
    AssignmentFactory.create(cohort=ada.cohort, title="Old", due_at=SOON - timedelta(days=90))
    MembershipFactory.create(organization=elsewhere.organization, user=ada.user)
    EnrollmentFactory.create(cohort=elsewhere, user=ada.user)
    assert summaries(fetched(ada.user)) == ["Due: Here", "Due: There"]


def test_staff_get_the_deadlines_of_their_institution_alone(ada):
    AssignmentFactory.create(cohort=ada.cohort, title="Here", due_at=SOON)
    AssignmentFactory.create(title="There", due_at=SOON)
    PairingRoundFactory.create(assignment__cohort=ada.cohort, assignment__title="P", number=1)
    teacher = staff_user(ada.organization)
    assert summaries(fetched(teacher)) == ["Due: Here", r"Peer reports due: P\, round 1"]


def test_peer_reports_are_due_for_their_auditor_without_a_name_or_a_score(ada):
    peer = student(ada.cohort, name="Grace Other")
    GradeFactory.create(audit__submission__student=ada, overall_score=4.25)
    pairing = PairingFactory.create(
        round__assignment__cohort=ada.cohort,
        round__assignment__title="Week 1",
        round__number=1,
        round__anonymity=Anonymity.OPEN,
        auditor=ada,
        auditee=peer,
    )
    text = fetched(ada.user)
    assert summaries(text) == [r"Peer reports due: Week 1\, round 1"]
    secrets = ("Grace", "Other", "Secret", "4.25", "4.2", peer.email, str(pairing.pk))
    assert [word for word in secrets if word in text] == []
    assert summaries(fetched(peer.user)) == []


def test_round_that_has_not_started_or_a_pairing_that_ended_is_not_in_it(ada):
    later = timezone.now() + timedelta(days=1)
    same = {"round__assignment__cohort": ada.cohort, "auditor": ada}
    PairingFactory.create(round__starts_at=later, **same)
    PairingFactory.create(ended_at=timezone.now(), **same)
    assert summaries(fetched(ada.user)) == []


def test_queries_do_not_grow_with_deadlines(ada, django_assert_max_num_queries):
    secret = make_feed_address(user=ada.user)
    for _ in range(2):
        for _ in range(3):
            AssignmentFactory.create(cohort=ada.cohort, due_at=SOON)
            PairingFactory.create(round__assignment__cohort=ada.cohort, auditor=ada)
        with django_assert_max_num_queries(8):
            Client().get(f"/calendar/{secret}.ics")


def written(title: str, zone: str = "Europe/Berlin") -> bytes:
    cohort = Cohort(name="Autumn", time_zone=zone)
    cohort.organization = CohortFactory.create(organization__name="Northfield").organization
    due = datetime(2026, 12, 1, 22, 59, tzinfo=UTC)
    row = Deadline(key="assignment-7", at=due, title=title, cohort=cohort, path="/o/n/")
    return calendar_of([row], zone=None, now=NOW).encode()


def test_event_has_its_moment_in_utc_and_its_local_time_in_words(settings):
    settings.SITE_URL = "https://auditor.example"
    assert written("Due: Week 1").decode().splitlines()[6:-1] == [
        "BEGIN:VEVENT",
        "UID:assignment-7@auditor.example",
        "DTSTAMP:20261101T080000Z",
        "DTSTART:20261201T225900Z",
        "SUMMARY:Due: Week 1",
        r"DESCRIPTION:01 December 2026\, 23:59 CET (Europe/Berlin)\nAutumn\, Northfie",
        " ld",
        "URL:https://auditor.example/o/n/",
        "TRANSP:TRANSPARENT",
        "END:VEVENT",
    ]


def test_own_zone_comes_before_the_cohorts_in_words():
    cohort = CohortFactory.create(time_zone="Europe/Berlin")
    row = Deadline(key="a", at=NOW, title="t", cohort=cohort, path="/")
    text = calendar_of([row], zone=ZoneInfo("Asia/Kolkata"), now=NOW)
    assert r"01 November 2026\, 13:30 IST (Asia/Kolkata)" in text


@pytest.mark.parametrize(
    "title",
    [
        "x" * 300,
        "ü" * 300,
        "漢字" * 100,
        "a" + "🦊" * 90,
        "semi;colon, back\\slash\nline\r\nEND:VCALENDAR",
    ],
)
def test_long_and_hostile_titles_stay_one_property(title):
    file = written(title)
    lines = file.split(b"\r\n")
    assert max(map(len, lines)) <= 75
    assert all(line.decode() for line in lines[:-1])
    assert (lines.count(b"BEGIN:VEVENT"), lines.count(b"END:VCALENDAR")) == (1, 1)
    assert b"\n" not in file.replace(b"\r\n", b"")
    (summary,) = summaries(file.decode())
    plain = re.sub(r"\\(.)", lambda escape: {"n": "\n"}.get(escape[1], escape[1]), summary)
    assert plain == title.replace("\r\n", "\n")
