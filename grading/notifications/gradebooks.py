"""Grades for the gradebooks of learning platforms: what waits to be sent, from a release on.

Rows are written in the transaction of the release; jobs send what is released when they run
(grading/lti/score_deliveries.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from grading.core.enums import LineItemOrigin, ScoreState
from grading.models import (
    Assignment,
    Grade,
    LtiCourseLink,
    LtiLineItem,
    LtiMember,
    LtiResourceLink,
    LtiScore,
)
from grading.notifications.outbox import Outbox

# Grades are parts of this until the maximum of a column is read; deep linking asks for it too.
MAXIMUM = 100


def due_scores(now: datetime) -> Q:
    return Q(state=ScoreState.WAITING, next_at__lte=now)


SCORES = Outbox(
    LtiScore,
    job="grading.jobs.send_scores",
    queue="webhooks",
    name="scores",
    seconds=60,
    due=due_scores,
)


def send_released_scores(*, assignment: Assignment, students: Collection[int]) -> None:
    """Let what is released now, or is not any more, go to the courses that get grades by themselves.

    `students` are keys of enrollments. Runs in the transaction of a release or its withdrawal.
    """
    opened = LtiResourceLink.objects.filter(context=OuterRef("context"), assignment=assignment)
    column = LtiLineItem.objects.filter(context=OuterRef("context"), assignment=assignment)
    links = LtiCourseLink.objects.filter(
        Q(Exists(opened)) | Q(Exists(column)), cohort=assignment.cohort_id, sends_grades=True
    )
    for link in links:
        queue_scores(link=link, assignment=assignment, students=students)


def queue_scores(
    *, link: LtiCourseLink, assignment: Assignment, students: Collection[int], anew: bool = False
) -> int:
    """Queue the grades of these students who are in the course; return how many.

    Whoever has a row there is queued too: they may have left. With `anew` the same score is sent
    again. Runs in the transaction of its caller.
    """
    item, _created = LtiLineItem.objects.get_or_create(
        context_id=link.context_id,
        assignment=assignment,
        defaults={
            "organization_id": link.organization_id,
            "origin": LineItemOrigin.PLATFORM,
            "maximum": MAXIMUM,
        },
    )
    now = timezone.now()
    members = LtiMember.objects.filter(course_link=link, enrollment__in=students, left_at=None)
    rows = LtiScore.objects.filter(line_item=item)
    known = set(rows.filter(student__in=students).values_list("student", flat=True))
    new = set(members.order_by().values_list("enrollment", flat=True)) - known
    LtiScore.objects.bulk_create(
        [
            LtiScore(
                organization_id=link.organization_id, line_item=item, student_id=key, next_at=now
            )
            for key in sorted(key for key in new if key is not None)
        ],
        ignore_conflicts=True,
    )
    changes: dict[str, Any] = {"state": ScoreState.WAITING, "tries": 0, "next_at": now}
    if anew:
        changes["digest"] = ""
    queued = rows.filter(student__in=students).update(**changes)
    if queued:
        SCORES.enqueue_on_commit(link.organization_id)
    return queued


def queue_known_scores(*, link: LtiCourseLink, students: Collection[int]) -> None:
    """Queue the grades that had nobody to go to, once a platform names these students.

    Those that were released before go too, where the course gets grades by itself.
    """
    rows = LtiScore.objects.filter(student__in=students, state=ScoreState.UNKNOWN)
    organization_id = rows.order_by().values_list("organization", flat=True).first()
    if organization_id is not None:
        rows.update(state=ScoreState.WAITING, tries=0, next_at=timezone.now())
        SCORES.enqueue_on_commit(organization_id)
    if link.sends_grades:
        _queue_earlier_releases(link, students)


def _queue_earlier_releases(link: LtiCourseLink, students: Collection[int]) -> None:
    """Queue what was released before these people of the course were known, or its link was opened."""
    opened = LtiResourceLink.objects.filter(
        context=link.context_id, assignment=OuterRef("assignment")
    )
    members = LtiMember.objects.filter(
        course_link=link, enrollment=OuterRef("student"), left_at=None
    )
    known = LtiScore.objects.filter(
        line_item__context=link.context_id,
        line_item__assignment=OuterRef("assignment"),
        student=OuterRef("student"),
    )
    grades = Grade.objects.filter(
        Exists(opened),
        Exists(members),
        ~Exists(known),
        student__in=students,
        released__isnull=False,
        assignment__cohort=link.cohort_id,
    )
    missed = defaultdict[Assignment, list[int]](list)
    for grade in grades.select_related("assignment").order_by("pk"):
        missed[grade.assignment].append(grade.student_id)
    for assignment, keys in missed.items():
        queue_scores(link=link, assignment=assignment, students=keys)
