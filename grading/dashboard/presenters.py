"""A student's first page: what is new, what stands between them and their peers, and their courses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.urls import reverse

from grading.core.enums import Opened
from grading.core.errors import SubmissionRefused
from grading.core.pairing_access import PairingSide
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

MOST_ATTEMPTS = 200


@dataclass(frozen=True, slots=True)
class News:
    """One thing that was not opened since it was told. `at` is null where the hour could tell who a peer is."""

    words: str
    about: str
    address: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """An assignment as its student stands with it: `closed` says why nothing can be handed in now, null while it can.

    `latest` is the newest attempt, `verdict` the newest that was judged; both null before there is one.
    """

    assignment: Assignment
    left: int
    closed: SubmissionRefused | None
    latest: Attempt | None
    verdict: Attempt | None
    is_new: bool


@dataclass(frozen=True, slots=True)
class Course:
    cohort: Cohort
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class PeerReview:
    """A report that the student owes or gave (`is_auditor`), or awaits or received; `name` is the other's as shown."""

    name: str
    line: PeerLine
    address: str
    is_new: bool


@dataclass(frozen=True, slots=True)
class Dashboard:
    news: tuple[News, ...]
    owed: tuple[PeerReview, ...]
    received: tuple[PeerReview, ...]
    current: tuple[Course, ...]
    past: tuple[Course, ...]


def dashboard_of(user: User) -> Dashboard | None:
    """In the scope of the user's organizations; null for somebody who is on no roster. Ten queries."""
    places = list(enrollments_of(user))
    if not places:
        return None
    openings = opened_times_of(places)
    courses = _courses(user, places, openings)
    peers = [_exchanged(line, openings) for line in peer_lines(places)]
    appeals = (
        _of_appeal(each) for each in appeals_answered(places) if _is_new_answer(each, openings)
    )
    return Dashboard(
        news=(*_of_reports(courses), *appeals, *(_of_peer(each) for each in peers if each.is_new)),
        owed=tuple(each for each in peers if each.line.is_auditor and each.line.report is None),
        received=tuple(each for each in peers if not each.line.is_auditor),
        current=tuple(each for each in courses if not is_over(each.cohort)),
        past=tuple(each for each in courses if is_over(each.cohort)),
    )


def _courses(user: User, places: Sequence[Enrollment], openings: OpenedTimes) -> list[Course]:
    """Those in which something is due first come first."""
    attempts = latest_attempts_of(user, limit=MOST_ATTEMPTS)
    lines = [_line(assignment, attempts, openings) for assignment in assignments_due_from(user)]
    found = [Course(place.cohort, tuple(_within(place.cohort, lines))) for place in places]
    return sorted(found, key=_urgency)


def _within(cohort: Cohort, lines: Iterable[Line]) -> list[Line]:
    return [line for line in lines if line.assignment.cohort_id == cohort.pk]


def _urgency(course: Course) -> tuple[bool, float, str]:
    dues = [
        line.assignment.due_at
        for line in course.lines
        if line.closed is None and line.assignment.due_at
    ]
    soonest = min((due.timestamp() for due in dues), default=0.0)
    return (not dues, soonest, course.cohort.name)


def _line(assignment: Assignment, attempts: Iterable[Attempt], openings: OpenedTimes) -> Line:
    mine = [each for each in attempts if each.submission.assignment_id == assignment.pk]
    left = max(0, assignment.max_attempts - vars(assignment)["used"])
    verdict = next((each for each in mine if each.audit and each.audit.has_report), None)
    return Line(
        assignment=assignment,
        left=left,
        closed=closed_reason(assignment=assignment, left=left),
        latest=mine[0] if mine else None,
        verdict=verdict,
        is_new=verdict is not None
        and is_news(openings, Opened.REPORT, verdict.submission.pk, verdict.visible_since),
    )


def _of_reports(courses: Iterable[Course]) -> list[News]:
    return [
        News(
            words="Your grade" if line.verdict.visibility == "released" else "A report",
            about=f"{line.assignment.title}, attempt {line.verdict.submission.attempt}",
            address=reverse(
                "audit", args=[line.assignment.organization.slug, line.verdict.audit.pk]
            ),
            at=line.verdict.visible_since,
        )
        for course in courses
        for line in course.lines
        if line.is_new and line.verdict and line.verdict.audit
    ]


def _is_new_answer(appeal: Appeal, openings: OpenedTimes) -> bool:
    return is_news(openings, Opened.APPEAL, appeal.pk, appeal.decided_at)


def _of_appeal(appeal: Appeal) -> News:
    return News(
        words="The answer to your appeal",
        about=f"{appeal.criterion_name}, {appeal.submission.assignment.title}",
        address=reverse("appeal", args=[appeal.organization.slug, appeal.pk]),
        at=appeal.decided_at,
    )


def _exchanged(line: PeerLine, openings: OpenedTimes) -> PeerReview:
    slug = line.pairing.organization.slug
    side: PairingSide = "auditor" if line.is_auditor else "auditee"
    if line.is_auditor:
        is_new = is_news(openings, Opened.ANSWERS, line.report, line.answered_at)
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


def _of_peer(peer: PeerReview) -> News:
    assignment = peer.line.pairing.round.assignment
    words = "Answers to your report on" if peer.line.is_auditor else "A report on your work from"
    return News(words=f"{words} {peer.name}", about=assignment.title, address=peer.address)
