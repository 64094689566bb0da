"""An assistant who is also a student reads their own work as its student, by every door."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import ReleasePolicy
from grading.core.errors import ReviewRefused
from grading.core.peer_permissions import access_feedback
from grading.grading_queue.actions import flag_work
from grading.grading_queue.queries import flag_fingerprint
from grading.models import BlindSample, Comment, Enrollment, Submission
from tests.factories.comments import CommentFactory
from tests.factories.graded_work import signed_in
from tests.factories.grades import BlindSampleFactory
from tests.factories.peers import FeedbackReportFactory, PairingFactory
from tests.factories.people import student
from tests.factories.released import FIRST
from tests.factories.teams import team_with
from tests.grading_queue.work import Course

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]

EVERYTHING = "layout=generic&scale=points&what=everything&attempt=counts&criteria=on&versions=on"
DRAFT, WORD = "Only staff read this draft.", "copied-from-somewhere"


@dataclass
class World:
    course: Course
    own: User
    other: User
    draft: Comment
    sample: BlindSample

    def users(self) -> tuple[User, User]:
        return self.own, self.other

    def addresses(self) -> dict[str, str]:
        org, audit = self.course.organization.slug, self.course.audits[0]
        slugs = [org, self.course.assignment.cohort.slug, self.course.assignment.slug]
        student, submission = audit.submission.student_id, audit.submission_id
        return {
            "queue": reverse("queue", args=slugs),
            "queue work": reverse("queue-student", args=[*slugs, student]),
            "queue criterion": reverse("queue-criterion", args=[*slugs, 0, student]),
            "presence": reverse("queue-presence", args=[*slugs, student]),
            "comments": reverse("comments", args=[org, audit.pk]),
            "comment": reverse("comment", args=[org, self.draft.pk]),
            "inbox": reverse("comment-inbox", args=[org]),
            "new comment": reverse("comment-new", args=[org, audit.pk]),
            "report": reverse("audit", args=[org, audit.pk]),
            "report.json": reverse("audit-json", args=[org, audit.pk]),
            "export": f"{reverse('export', args=slugs)}?{EVERYTHING}",
            "agreement": f"{reverse('agreement', args=slugs)}?everybody=on",
            "blind sample": reverse("blind", args=[*slugs, self.sample.pk, 1]),
            "blind PDF": reverse("blind-pdf", args=[*slugs, self.sample.pk, 1]),
            "sample": reverse("sample", args=slugs),
            "appeals": reverse("appeals", args=[org]),
            "grades": reverse("grades", args=slugs),
            "log": reverse("log", args=slugs[:2]),
            "findings": f"{reverse('findings', args=slugs)}?student={student}",
            "staff notes": reverse("staff-thread", args=[org, submission]),
            "api comments": reverse("api-comments", args=[org, submission]),
            "api reviews": reverse("api-reviews", args=slugs),
            "api report": reverse("api-audit-report", args=[org, audit.pk]),
            "api submissions": reverse("api-submissions", args=slugs),
        }


@pytest.fixture
def world() -> World:
    course = Course(students=2, release_policy=ReleasePolicy.AFTER_RELEASE)
    with scope(organization=course.organization):
        own = Enrollment.objects.filter(pk=course.work().submission.student_id)
        own.update(user=course.anna)
    return world_of(course)


@pytest.fixture
def team_world() -> World:
    """The assistant is a member of the first student's team."""
    course = Course(students=2, release_policy=ReleasePolicy.AFTER_RELEASE, team_formation="staff")
    member = student(course.assignment.cohort, name="Zoe")
    submission = course.work().submission
    with scope(organization=course.organization):
        Enrollment.objects.filter(pk=member.pk).update(user=course.anna)
        team = team_with(course.assignment, submission.student, member, name="Blue")
        Submission.objects.filter(pk=submission.pk).update(team=team)
    return world_of(course)


def world_of(course: Course) -> World:
    submission = course.work().submission
    sample = BlindSampleFactory.create(
        assignment=course.assignment,
        submissions=[str(audit.submission_id) for audit in course.audits],
    )
    draft = CommentFactory.create(submission=submission, text=DRAFT)
    with scope(organization=course.organization):
        flag_work(
            submission=submission,
            criterion_id=FIRST,
            word=WORD,
            shown=flag_fingerprint(None),
            by=course.ben,
        )
    return World(course, course.anna, course.ben, draft, sample)


MISSING = {
    "queue work",
    "queue criterion",
    "presence",
    "comment",
    "new comment",
    "report.json",
    "findings",
    "blind sample",
    "blind PDF",
    "staff notes",
    "api report",
}


def answers(world: World, user: User) -> dict[str, tuple[int, str]]:
    client = signed_in(user)
    pages = {name: client.get(address) for name, address in world.addresses().items()}
    return {name: (page.status_code, page.content.decode()) for name, page in pages.items()}


def test_assistant_reads_nothing_of_staff_about_their_own_work(world: World) -> None:
    pages = answers(world, world.own)
    assert {name for name, (status, _) in pages.items() if status == 404} == MISSING
    assert {status for status, _ in pages.values()} == {200, 404}
    assert [name for name, (_, text) in pages.items() if DRAFT in text or WORD in text] == []


def test_colleague_reads_the_same_pages_as_staff(world: World) -> None:
    pages = answers(world, world.other)
    statuses = {name: status for name, (status, _) in pages.items()}
    assert {name for name, status in statuses.items() if status != 200} == {"blind PDF"}
    leaks = {name for name, (_, text) in pages.items() if DRAFT in text or WORD in text}
    assert leaks >= {
        "queue",
        "queue work",
        "comments",
        "comment",
        "api comments",
        "api reviews",
        "log",
    }


def test_own_report_is_withheld_from_an_assistant_until_its_release(world: World) -> None:
    address = world.addresses()["report"]
    assert "report" not in (signed_in(world.own).get(address).context or {})
    assert "report" in signed_in(world.other).get(address).context


def test_own_row_is_in_no_list_of_staff(world: World) -> None:
    addresses = world.addresses()
    own, theirs = (signed_in(user) for user in (world.own, world.other))
    assert len(theirs.get(addresses["queue"]).context["works"]) == 2
    assert len(own.get(addresses["queue"]).context["works"]) == 1
    assert len(theirs.get(addresses["grades"]).context["rows"]) == 2
    assert len(own.get(addresses["grades"]).context["rows"]) == 1
    assert len(theirs.get(addresses["api submissions"]).json()["results"]) == 2
    assert len(own.get(addresses["api submissions"]).json()["results"]) == 1


def test_assistant_does_not_flag_their_own_work(world: World) -> None:
    submission: Any = world.course.work().submission
    with scope(organization=world.course.organization), pytest.raises(ReviewRefused) as refusal:
        flag_work(
            submission=submission,
            criterion_id="",
            word="",
            shown=flag_fingerprint(None),
            by=world.own,
        )
    assert refusal.value.code == "own_work"


def test_member_of_a_team_reads_nothing_of_staff_about_its_work(team_world: World) -> None:
    pages = answers(team_world, team_world.own)
    assert {name for name, (status, _) in pages.items() if status == 404} == MISSING
    assert [name for name, (_, text) in pages.items() if DRAFT in text or WORD in text] == []
    assert len(signed_in(team_world.own).get(pages_of_queue(team_world)).context["works"]) == 1


def pages_of_queue(world: World) -> str:
    return world.addresses()["queue"]


def exported(world: World, user: User) -> dict[str, str]:
    """Return the score by student in the export of everything, from the page; the API agrees."""
    course = world.course
    address = reverse(
        "export",
        args=[
            course.organization.slug,
            course.assignment.cohort.slug,
            course.assignment.slug,
        ],
    )
    answer: Any = signed_in(user).post(f"{address}", dict(parse_qsl(EVERYTHING)))
    rows = csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode()))
    return {row["student"]: row["points"] or row["score"] for row in rows}


def test_export_of_everything_has_of_ones_own_work_what_was_released(
    world: World, team_world: World
) -> None:
    for course in (world, team_world):
        scores = exported(course, course.other)
        assert scores["Student 01"]
        assert exported(course, course.own) == scores | {"Student 01": ""}


def test_blind_grading_passes_over_ones_own_work(world: World) -> None:
    address, second = world.addresses()["blind sample"], world.sample.submissions[1]
    own = signed_in(world.own).get(f"{address[:-2]}2/")
    assert (own.context["before"], str(own.context["submission"].pk)) == (None, second)
    progress = signed_in(world.own).get(world.addresses()["agreement"]).context["samples"]
    assert [row.next_place for row in progress] == [2]


def test_answers_on_ones_own_work_are_not_counted_as_waiting(world: World) -> None:
    now = timezone.now()
    with scope(organization=world.course.organization):
        comments = Comment.objects.filter(pk=world.draft.pk)
        comments.update(released_at=now, first_released_at=now, answer_waits=True)
    pages = {user: signed_in(user).get(world.addresses()["grades"]) for user in world.users()}
    assert {user: "1 answer" in page.content.decode() for user, page in pages.items()} == {
        world.own: False,
        world.other: True,
    }


def test_assistant_reads_a_peers_report_on_their_work_as_its_student(world: World) -> None:
    auditee = world.course.work().submission.student
    with scope(organization=world.course.organization):
        pairing = PairingFactory.create(round__assignment=world.course.assignment, auditee=auditee)
        report = FeedbackReportFactory.create(pairing=pairing)
        assert access_feedback(world.other, report.pk)[1] == "staff"
        assert access_feedback(world.own, report.pk)[1] == "subject"
