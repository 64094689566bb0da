"""Present a student's home page: news, peer reviews and courses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.urls import reverse

from grading.core.enums import Opened
from grading.core.errors import SubmissionRefused
from grading.core.pairing_access import PairingSide
from grading.courses.extensions.queries import Terms, terms_of_pairs
from grading.courses.queries import assignments_due_from, enrollments_of
from grading.dashboard.queries import (
    OpenedTimes,
    PeerLine,
    appeals_answered,
    is_news,
    opened_times_of,
    peer_lines,
)
from grading.models import Appeal, Assignment, Cohort, Enrollment
from grading.peer_review.exchange.queries import is_over
from grading.peer_review.feedback.queries import PEER, shown_name
from grading.submissions.queries import Attempt, closed_reason, latest_attempts_of


@dataclass(frozen=True, slots=True)
class News:
    """Something the student has not opened yet.

    `at` is null for peer reviews, whose time could reveal who an anonymous peer is.
    """

    text: str
    about: str
    address: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One student's progress with an assignment.

    `terms` are the student's dates and limits, `left` the number of attempts left. `closed` is the reason why the student cannot submit now,
    null if they can. `latest` is the newest attempt. `verdict` is the one that counts, released
    before provisional, or else the newest with a report; null without. `unread` are the reports not
    opened yet.
    """

    assignment: Assignment
    terms: Terms
    left: int
    closed: SubmissionRefused | None
    latest: Attempt | None
    verdict: Attempt | None
    unread: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class Course:
    cohort: Cohort
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class PeerReview:
    """A peer review by the student (`is_auditor`) or of their work; `name` is the peer's display
    name.
    """

    name: str
    line: PeerLine
    address: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class Task:
    """An assignment without a counting attempt, or a peer review to write; `at` is when it is due."""

    text: str
    about: str
    address: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A student's home page. `tasks` are what is due, the soonest first, `due` its peer reviews."""

    tasks: tuple[Task, ...]
    news: tuple[News, ...]
    due: tuple[PeerReview, ...]
    received: tuple[PeerReview, ...]
    current: tuple[Course, ...]
    past: tuple[Course, ...]


def dashboard_of(user: User) -> Dashboard | None:
    """Return a student's home page, null for a user on no roster.

    Needs the scope of the user's organizations. Eleven queries.
    """
    enrollments = list(enrollments_of(user))
    if not enrollments:
        return None

    opened = opened_times_of(enrollments)
    courses = _courses(user, enrollments, opened)
    reviews = [_peer_review(line, opened) for line in peer_lines(user, enrollments)]
    appeals = [appeal for appeal in appeals_answered(user) if _is_new_answer(appeal, opened)]

    due = [review for review in reviews if review.line.is_auditor and review.line.report is None]
    current = [course for course in courses if not is_over(course.cohort)]
    tasks = [*map(_review_task, due), *_assignment_tasks(current)]

    return Dashboard(
        tasks=tuple(sorted(tasks, key=_soonest_first)),
        news=(
            *_report_news(courses),
            *(_appeal_news(appeal) for appeal in appeals),
            *(_peer_news(review) for review in reviews if review.is_new),
        ),
        due=tuple(due),
        received=tuple(review for review in reviews if not review.line.is_auditor),
        current=tuple(current),
        past=tuple(course for course in courses if is_over(course.cohort)),
    )


def _soonest_first(task: Task) -> tuple[bool, float, str]:
    """Return a sort key; tasks without a due date are last."""
    return (task.at is None, task.at.timestamp() if task.at else 0.0, task.text)


def _assignment_tasks(courses: Iterable[Course]) -> list[Task]:
    return [
        Task(
            text=f"Hand in: {line.assignment.title}",
            about=course.cohort.name,
            address=reverse(
                "submit",
                args=[line.assignment.organization.slug, course.cohort.slug, line.assignment.slug],
            ),
            at=line.terms.due_at,
        )
        for course in courses
        for line in course.lines
        # The bar counts by the same rule (grading/dashboard/bar.py).
        if line.closed is None and line.left == line.terms.max_attempts
    ]


def _review_task(review: PeerReview) -> Task:
    round_ = review.line.pairing.round
    return Task(
        text=f"Audit {review.name}",
        about=round_.assignment.title,
        address=review.address,
        at=round_.ends_at,
    )


def _courses(user: User, enrollments: Sequence[Enrollment], opened: OpenedTimes) -> list[Course]:
    """Return the user's courses, the one with the next due date first."""
    attempts = latest_attempts_of(user)
    students = {student.cohort_id: student for student in enrollments}
    pairs = [(row, students[row.cohort_id]) for row in assignments_due_from(user)]
    terms = terms_of_pairs(pairs)
    lines = [
        _line(assignment, terms[assignment.pk, student.pk], attempts, opened)
        for assignment, student in pairs
    ]
    courses = [
        Course(enrollment.cohort, tuple(_lines_of(enrollment.cohort, lines)))
        for enrollment in enrollments
    ]
    return sorted(courses, key=_urgency)


def _lines_of(cohort: Cohort, lines: Iterable[Line]) -> list[Line]:
    return [line for line in lines if line.assignment.cohort_id == cohort.pk]


def _urgency(course: Course) -> tuple[bool, float, str]:
    """Return a sort key: the next due date, then courses where nothing is due, by name."""
    # A closed assignment needs nothing any more, whatever its due date.
    due_dates = [
        line.terms.due_at for line in course.lines if line.closed is None and line.terms.due_at
    ]
    soonest = min((due_at.timestamp() for due_at in due_dates), default=0.0)

    return (not due_dates, soonest, course.cohort.name)


def _line(
    assignment: Assignment, terms: Terms, attempts: Iterable[Attempt], opened: OpenedTimes
) -> Line:
    own = [attempt for attempt in attempts if attempt.submission.assignment_id == assignment.pk]
    # `used` is an annotation, which the model's type does not know.
    left = max(0, terms.max_attempts - vars(assignment)["used"])
    # Newest first: the latest attempt may still wait while an older one has its report.
    judged = [attempt for attempt in own if attempt.audit and attempt.audit.has_report]
    counting = [attempt for attempt in judged if attempt.counts]
    # A newer report is news too, beside the grade in front of it.
    reports = [*judged[:1], *(attempt for attempt in counting if attempt is not judged[0])]

    return Line(
        assignment=assignment,
        terms=terms,
        left=left,
        closed=closed_reason(terms=terms, left=left),
        latest=own[0] if own else None,
        verdict=next(iter([*counting, *judged]), None),
        unread=tuple(
            report
            for report in reports
            if is_news(opened, Opened.REPORT, report.submission.pk, report.visible_since)
        ),
    )


def _report_news(courses: Iterable[Course]) -> list[News]:
    return [
        News(
            text="Your grade" if report.visibility == "released" else "A report",
            about=f"{line.assignment.title}, attempt {report.submission.attempt}",
            address=reverse("audit", args=[line.assignment.organization.slug, report.audit.pk]),
            at=report.visible_since,
        )
        for course in courses
        for line in course.lines
        for report in line.unread
        if report.audit
    ]


def _is_new_answer(appeal: Appeal, opened: OpenedTimes) -> bool:
    return is_news(opened, Opened.APPEAL, appeal.pk, appeal.decided_at)


def _appeal_news(appeal: Appeal) -> News:
    return News(
        text="The answer to your appeal",
        about=f"{appeal.criterion_name}, {appeal.submission.assignment.title}",
        address=reverse("appeal", args=[appeal.organization.slug, appeal.pk]),
        at=appeal.decided_at,
    )


def _peer_review(line: PeerLine, opened: OpenedTimes) -> PeerReview:
    slug = line.pairing.organization.slug
    side: PairingSide = "auditor" if line.is_auditor else "auditee"
    if line.is_auditor:
        is_new = is_news(opened, Opened.ANSWERS, line.report, line.answered_at)
    else:
        is_new = line.report is not None and not line.is_read

    return PeerReview(
        name=shown_name(line.member, side=side) if line.member else PEER,
        line=line,
        address=reverse("feedback", args=[slug, line.report])
        if line.report
        else reverse("pairing", args=[slug, line.pairing.pk]),
        is_new=is_new,
    )


def _peer_news(review: PeerReview) -> News:
    # Without a time, which could reveal an anonymous peer: see News.
    assignment = review.line.pairing.round.assignment
    text = "Answers to your report on" if review.line.is_auditor else "A report on your work from"
    return News(text=f"{text} {review.name}", about=assignment.title, address=review.address)
