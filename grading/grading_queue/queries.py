"""Works of the grading queue in order, what was reviewed and flagged, and who reads what."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone

from grading.core.enums import STAFF_ROLES, AuditKind
from grading.core.form_fingerprint import fingerprint_of
from grading.core.own_work import handled_by
from grading.models import (
    Assignment,
    Audit,
    CriterionVerdict,
    Enrollment,
    Grade,
    Membership,
    Override,
    ReviewMark,
    ReviewPresence,
    ReviewShare,
    Submission,
)

WHOLE_WORK = ""
# An open page reports every 20 seconds: one report may be lost.
PRESENT_FOR = timedelta(seconds=45)
BLIND_NUMBERS = 9_000


@dataclass(frozen=True, slots=True)
class Criterion:
    """Criterion of the verdicts that count, at its place in the addresses of the queue."""

    place: int
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Work:
    """Counting attempt of one student, or of one team.

    `verdicts` are in the rubric's order, `marks` by criterion id, `name` as this reader sees it.
    """

    student: Enrollment
    submission: Submission
    audit: Audit
    grade: Grade
    name: str
    verdicts: tuple[CriterionVerdict, ...]
    marks: Mapping[str, ReviewMark] = field(default_factory=dict)

    def has(self, criterion_id: str) -> bool:
        return any(verdict.criterion_id == criterion_id for verdict in self.verdicts)

    def review_of(self, criterion_id: str) -> ReviewMark | None:
        """Return the review of this criterion, or of the whole work, if it is of this verdict."""
        marks = (self.marks.get(criterion_id), self.marks.get(WHOLE_WORK))
        return next((mark for mark in marks if mark and self._holds(mark)), None)

    def is_reviewed(self, criterion_id: str = WHOLE_WORK) -> bool:
        """Return whether the criterion was reviewed, or of the whole work every criterion."""
        if self.review_of(criterion_id):
            return True
        ids = [verdict.criterion_id for verdict in self.verdicts]
        return criterion_id == WHOLE_WORK and bool(ids) and all(map(self.review_of, ids))

    @property
    def reviewed_count(self) -> int:
        """Number of criteria with a review of this verdict."""
        return sum(self.review_of(verdict.criterion_id) is not None for verdict in self.verdicts)

    def flags_of(self, criterion_id: str = WHOLE_WORK) -> list[ReviewMark]:
        """Return the flags of the criterion and of the whole work, or all of the work."""
        return [
            mark
            for key, mark in self.marks.items()
            if mark.flagged_at and (criterion_id == WHOLE_WORK or key in (criterion_id, WHOLE_WORK))
        ]

    def _holds(self, mark: ReviewMark) -> bool:
        return mark.reviewed_at is not None and mark.report_digest == self.audit.report_digest


@dataclass(frozen=True, slots=True)
class Shares:
    """Readers by student and criterion; without any share everybody reads everything."""

    readers: Mapping[tuple[int | None, str], int]

    def reader_of(self, student: int, criterion_id: str) -> int | None:
        keys = ((student, criterion_id), (student, WHOLE_WORK), (None, criterion_id))
        return next((self.readers[key] for key in keys if key in self.readers), None)

    def is_of(self, reader: int, work: Work, criterion_id: str = WHOLE_WORK) -> bool:
        """Return whether the criterion, or any of the whole work, is in this reader's share."""
        if criterion_id != WHOLE_WORK or not work.verdicts:
            return self.reader_of(work.student.pk, criterion_id) == reader
        ids = [verdict.criterion_id for verdict in work.verdicts]
        return any(self.reader_of(work.student.pk, key) == reader for key in ids)

    def has_reader(self, reader: int) -> bool:
        return reader in self.readers.values()


@dataclass(frozen=True, slots=True)
class Queue:
    """Works of an assignment in the order of reading; `waiting` students have no verdict yet."""

    works: tuple[Work, ...]
    criteria: tuple[Criterion, ...]
    shares: Shares

    def work_of(self, student: int) -> Work | None:
        return next((work for work in self.works if work.student.pk == student), None)

    def criterion_at(self, place: int) -> Criterion | None:
        return self.criteria[place] if place < len(self.criteria) else None


@dataclass(frozen=True, slots=True)
class ReaderProgress:
    """Number of criteria in a reader's share, reviewed ones and flagged ones among them.

    Without shares it is what the reader reviewed of all.
    """

    reader: User
    total: int
    reviewed: int
    flagged: int


@dataclass(frozen=True, slots=True)
class Review:
    """Review of one criterion, or of the whole work; `by` is an email, "" of a former member."""

    criterion_id: str
    report_digest: str
    by: str
    at: datetime


def queue_of(
    assignment: Assignment, *, reader: User | None = None, is_blind: bool = False
) -> Queue:
    """Return the works with a verdict that counts. Four queries, a fifth where it is blind.

    With a reader, those that they may handle: an assistant's own work is not in their queue.
    """
    grades = _grades(assignment, reader)
    verdicts = _verdicts([grade.audit_id for grade in grades])
    marks = _marks(assignment)
    numbers = blind_numbers(assignment) if is_blind else {}
    works = [
        Work(
            student=(submission := grade.audit.submission).student,
            submission=submission,
            audit=grade.audit,
            grade=grade,
            name=numbers.get(submission.student_id) or str(submission.team or submission.student),
            verdicts=tuple(verdicts[grade.audit_id]),
            marks=marks[grade.audit.submission_id],
        )
        for grade in grades
    ]
    if is_blind:
        works.sort(key=lambda work: work.name)
    rows = ReviewShare.objects.filter(assignment=assignment)
    readers = {(row.student_id, row.criterion_id): row.reader_id for row in rows}
    return Queue(tuple(works), _criteria(works), Shares(readers))


def blind_numbers(assignment: Assignment) -> dict[int, str]:
    """Return "Student 4172" by enrollment, in no order; later students change no number."""
    keys = Enrollment.objects.filter(cohort=assignment.cohort_id).order_by("pk")
    ids = list(keys.values_list("pk", flat=True))
    span, used = max(BLIND_NUMBERS, 2 * len(ids)), set[int]()
    names = {}
    for key in ids:
        digest = hashlib.sha256(f"{assignment.pk} {key}".encode()).digest()
        number = int.from_bytes(digest[:8]) % span
        while number in used:
            number = (number + 1) % span
        used.add(number)
        names[key] = f"Student {1000 + number}"
    return names


def readers_of(assignment: Assignment) -> list[User]:
    """Return the staff of the organization, who may read its works, by email."""
    roles = Membership.objects.filter(
        organization=assignment.organization_id, role__in=STAFF_ROLES, user__is_active=True
    )
    return [row.user for row in roles.select_related("user").order_by("user__email", "pk")]


def progress_of(queue: Queue, readers: Iterable[User]) -> list[ReaderProgress]:
    """Return the progress of those who have a share or reviewed something."""
    rows = [_progress(queue, reader) for reader in readers]
    return [row for row in rows if row.reviewed or queue.shares.has_reader(row.reader.pk)]


def presences_of(assignment: Assignment, *, besides: User) -> list[ReviewPresence]:
    """Return where other readers are now."""
    since = timezone.now() - PRESENT_FOR
    rows = ReviewPresence.objects.filter(assignment=assignment, seen_at__gt=since)
    return list(rows.exclude(reader=besides).select_related("reader").order_by("reader__email"))


def audits_by_attempt(work: Work) -> list[Audit]:
    """Return the audit to show of each attempt, the latest attempt first. One query.

    It is the newest with a report, else the newest.
    """
    own = Audit.objects.filter(
        submission__assignment=work.submission.assignment_id, submission__student=work.student
    ).exclude(kind=AuditKind.PEER)
    rows = own.defer("report").select_related("submission")
    audits: dict[UUID, Audit] = {}
    for audit in rows.order_by("-submission__attempt", "-created_at"):
        standing = audits.setdefault(audit.submission_id, audit)
        if audit.has_report and not standing.has_report:
            audits[audit.submission_id] = audit
    return list(audits.values())


def overrides_of(submission: Submission) -> dict[str, Override]:
    """Return the overrides in force, by criterion id."""
    rows = Override.objects.filter(submission=submission, withdrawn_at=None)
    return {row.criterion_id: row for row in rows.select_related("made_by")}


def marks_of(assignment: Assignment) -> QuerySet[ReviewMark]:
    """Return the reviews and flags of all attempts, with their students and readers."""
    marks = ReviewMark.objects.filter(submission__assignment=assignment)
    return marks.select_related("submission__student", "reviewed_by", "flagged_by")


def last_review(
    reviews: Sequence[Review], digest: str, criterion_ids: Collection[str]
) -> Review | None:
    """Return the last review of the verdict of this digest; None before all of it was reviewed."""
    of_verdict = [review for review in reviews if review.report_digest == digest]
    reviewed = {review.criterion_id for review in of_verdict}
    is_whole = WHOLE_WORK in reviewed or (criterion_ids and reviewed.issuperset(criterion_ids))
    return of_verdict[-1] if is_whole else None


def review_fingerprint(
    digest: str, criterion_id: str, override: Override | None, mark: ReviewMark | None
) -> str:
    """Return the fingerprint of a criterion's score and review; a flag does not change it."""
    reviewed_at = mark.reviewed_at.isoformat() if mark and mark.reviewed_at else None
    return fingerprint_of(digest, criterion_id, override.pk if override else None, reviewed_at)


def flag_fingerprint(mark: ReviewMark | None) -> str:
    flagged_at = mark.flagged_at.isoformat() if mark and mark.flagged_at else None
    return fingerprint_of(flagged_at, mark.flag_word if mark else "")


def is_in_share(
    assignment: Assignment, student: int, criterion_ids: Collection[str], by: User
) -> bool:
    """Return whether all these criteria of the student are in the reader's share.

    Without shares everything is in everybody's.
    """
    rows = ReviewShare.objects.filter(assignment=assignment)
    shares = Shares({(row.student_id, row.criterion_id): row.reader_id for row in rows})
    if not shares.readers:
        return True
    return all(shares.reader_of(student, key) == by.pk for key in criterion_ids)


def _grades(assignment: Assignment, reader: User | None) -> list[Grade]:
    """Return one grade of every work: for a team its representative's, if they have one."""
    grades = Grade.objects.filter(assignment=assignment)
    if reader is not None:
        grades = grades.filter(handled_by(reader, assignment.organization, "audit__submission"))
    related = grades.select_related(
        "audit__organization",
        "audit__submission__organization",
        "audit__submission__student",
        "audit__submission__team",
    )
    works: dict[UUID, Grade] = {}
    for grade in related.defer("released", "audit__report").order_by(
        "audit__submission__student__name", "audit__submission__student__email", "pk"
    ):
        submission = grade.audit.submission
        if submission.pk not in works or grade.student_id == submission.student_id:
            works[submission.pk] = grade
    return list(works.values())


def _verdicts(audits: Sequence[UUID]) -> defaultdict[UUID, list[CriterionVerdict]]:
    rows: defaultdict[UUID, list[CriterionVerdict]] = defaultdict(list)
    for verdict in CriterionVerdict.objects.filter(audit__in=audits).order_by("position"):
        rows[verdict.audit_id].append(verdict)
    return rows


def _marks(assignment: Assignment) -> defaultdict[UUID, dict[str, ReviewMark]]:
    marks: defaultdict[UUID, dict[str, ReviewMark]] = defaultdict(dict)
    for mark in marks_of(assignment):
        marks[mark.submission_id][mark.criterion_id] = mark
    return marks


def _criteria(works: Iterable[Work]) -> tuple[Criterion, ...]:
    """Return each criterion once, in the rubric's order; a renamed one has its first name."""
    rows: dict[str, tuple[int, str]] = {}
    for verdict in (verdict for work in works for verdict in work.verdicts):
        rows.setdefault(verdict.criterion_id, (verdict.position, verdict.name))
    ordered = sorted(rows, key=lambda key: (rows[key][0], key))
    return tuple(Criterion(place, key, rows[key][1]) for place, key in enumerate(ordered))


def _progress(queue: Queue, reader: User) -> ReaderProgress:
    items = [(work, verdict.criterion_id) for work in queue.works for verdict in work.verdicts]
    if queue.shares.readers:
        items = [
            (work, key)
            for work, key in items
            if queue.shares.reader_of(work.student.pk, key) == reader.pk
        ]
        reviewed = sum(work.is_reviewed(key) for work, key in items)
    else:
        reviews = [work.review_of(key) for work, key in items]
        reviewed = sum(mark is not None and mark.reviewed_by_id == reader.pk for mark in reviews)
    flagged = sum(bool(work.flags_of(key)) for work, key in items)
    return ReaderProgress(reader, len(items), reviewed, flagged)
