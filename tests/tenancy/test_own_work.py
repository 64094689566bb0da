"""An assistant who is also a student reads their own work as its student, by every door."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django_scopes import scope

from grading.core.enums import ReleasePolicy
from grading.core.errors import ReviewRefused
from grading.grading_queue.actions import flag_work
from grading.grading_queue.queries import flag_fingerprint
from grading.models import Comment, Enrollment
from tests.factories.comments import CommentFactory
from tests.factories.graded_work import signed_in
from tests.factories.released import FIRST
from tests.grading_queue.work import Course

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]

DRAFT, WORD = "Only staff read this draft.", "copied-from-somewhere"


@dataclass
class World:
    course: Course
    own: User
    other: User
    draft: Comment

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
    submission = course.work().submission
    with scope(organization=course.organization):
        Enrollment.objects.filter(pk=submission.student_id).update(user=course.anna)
    draft = CommentFactory.create(submission=submission, text=DRAFT)
    with scope(organization=course.organization):
        flag_work(
            submission=submission,
            criterion_id=FIRST,
            word=WORD,
            shown=flag_fingerprint(None),
            by=course.ben,
        )
    return World(course, course.anna, course.ben, draft)


MISSING = {
    "queue work",
    "queue criterion",
    "presence",
    "comment",
    "new comment",
    "report.json",
    "findings",
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
    assert {status for status, _ in pages.values()} == {200}
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
    own, others = (signed_in(user) for user in (world.own, world.other))
    assert len(others.get(addresses["queue"]).context["works"]) == 2
    assert len(own.get(addresses["queue"]).context["works"]) == 1
    assert len(others.get(addresses["grades"]).context["rows"]) == 2
    assert len(own.get(addresses["grades"]).context["rows"]) == 1
    assert len(others.get(addresses["api submissions"]).json()["results"]) == 2
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
