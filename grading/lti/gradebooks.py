"""Gradebooks of platforms as staff see them: each grade with its outcome, and sending one again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from grading.core.activity_writer import record_activity
from grading.core.enums import ScoreState
from grading.models import (
    Assignment,
    Enrollment,
    Grade,
    LtiCourseLink,
    LtiLineItem,
    LtiMember,
    LtiScore,
)
from grading.notifications.gradebooks import queue_scores

# State -> the class of its mark on pages.
MARKS = {
    ScoreState.SENT: "good",
    ScoreState.WITHDRAWN: "good",
    ScoreState.WAITING: "warn",
    ScoreState.NO_SCORE: "warn",
    ScoreState.REFUSED: "bad",
    ScoreState.OVERRIDDEN: "bad",
    ScoreState.OLDER: "bad",
    ScoreState.UNKNOWN: "bad",
    ScoreState.FAILED: "bad",
}


@dataclass(frozen=True, slots=True)
class CourseColumn:
    """Connected course with the column of an assignment, None before it was looked for.

    `states` count its grades by their outcome.
    """

    link: LtiCourseLink
    item: LtiLineItem | None
    states: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A student's grade in one course; `score` is None where it was never to be sent there.

    `link` is None for a student whom no course knows.
    """

    student: Enrollment
    link: LtiCourseLink | None
    score: LtiScore | None

    @property
    def mark(self) -> str:
        return MARKS[ScoreState(self.score.state)] if self.score else "warn"


def links_of(assignment: Assignment) -> QuerySet[LtiCourseLink]:
    """Return the courses that the assignment's cohort is connected with."""
    links = LtiCourseLink.objects.filter(cohort=assignment.cohort_id)
    return links.select_related("context__registration")


def columns_of(assignment: Assignment) -> list[CourseColumn]:
    """Return the connected courses with their columns. Three queries."""
    items = {row.context_id: row for row in LtiLineItem.objects.filter(assignment=assignment)}
    states = defaultdict[int, list[tuple[str, int]]](list)
    rows = LtiScore.objects.filter(line_item__in=items.values()).order_by("state")
    for item, state, number in rows.values_list("line_item", "state").annotate(Count("pk")):
        states[item].append((ScoreState(state).label, number))
    return [
        CourseColumn(link, item, tuple(states[item.pk]) if item else ())
        for link in links_of(assignment)
        for item in (items.get(link.context_id),)
    ]


def students_with_scores(assignment: Assignment) -> QuerySet[Enrollment]:
    """Return the students who have a release, or a grade that was to be sent."""
    grades = Grade.objects.filter(
        assignment=assignment, student=OuterRef("pk"), released__isnull=False
    )
    scores = LtiScore.objects.filter(line_item__assignment=assignment, student=OuterRef("pk"))
    rows = Enrollment.objects.filter(cohort=assignment.cohort_id)
    return rows.filter(Q(Exists(grades)) | Q(Exists(scores))).order_by("name", "email", "pk")


def scores_of(assignment: Assignment) -> QuerySet[LtiScore]:
    """Return the grades for gradebooks, with student, column and platform."""
    rows = LtiScore.objects.filter(line_item__assignment=assignment)
    return rows.select_related("student", "line_item__context__registration")


def score_lines(assignment: Assignment, students: Iterable[Enrollment]) -> list[ScoreLine]:
    """Return a line for each student and each course that knows them. Three queries."""
    listed = list(students)
    links = list(links_of(assignment))
    rows = LtiScore.objects.filter(line_item__assignment=assignment, student__in=listed)
    scores = {
        (row.student_id, row.line_item.context_id): row for row in rows.select_related("line_item")
    }
    members = LtiMember.objects.filter(
        course_link__in=links, enrollment__in=listed, left_at=None
    ).values_list("enrollment", "course_link")
    places = set(members)
    lines = list[ScoreLine]()
    for student in listed:
        theirs = [
            ScoreLine(student, link, scores.get((student.pk, link.context_id)))
            for link in links
            if (student.pk, link.pk) in places or (student.pk, link.context_id) in scores
        ]
        lines += theirs or [ScoreLine(student, None, None)]
    return lines


def send_again(*, assignment: Assignment, by: User, students: Collection[int] | None = None) -> int:
    """Send the grades of these students, or of all, to every connected course again; return how many.

    What a platform did not take is tried anew, and what it has is sent again.
    """
    rows = students_with_scores(assignment)
    if students is not None:
        rows = rows.filter(pk__in=students)
    keys = list(rows.values_list("pk", flat=True))
    with transaction.atomic():
        queued = sum(
            queue_scores(link=link, assignment=assignment, students=keys, anew=True)
            for link in links_of(assignment)
        )
        if queued:
            record_activity(
                organization=assignment.organization_id,
                actor=by,
                verb="platform.grades_queued",
                about=assignment,
                number=queued,
            )
    return queued
