"""Queries of blind samples: people's scores beside the court's, and judges' beside each other."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Min

from grading.core.enums import AuditState
from grading.grades.queries.gradebook import flags_of, grades_of
from grading.models import (
    Assignment,
    BlindGrade,
    BlindSample,
    CriterionVerdict,
    Grade,
    OpinionRecord,
    Submission,
)
from grading.submissions.queries import audit_to_show, with_audits


@dataclass(frozen=True, slots=True)
class Work:
    """A submission that can be graded blind, because it has a verdict to compare with."""

    submission: UUID
    flagged: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """A reader's progress in a sample: for each submission, whether it is finished.

    `next_place` counts from 1 and is null when all are finished.
    """

    sample: BlindSample
    places: tuple[bool, ...]

    @property
    def done(self) -> int:
        return sum(self.places)

    @property
    def next_place(self) -> int | None:
        return next((place for place, done in enumerate(self.places, 1) if not done), None)


@dataclass(frozen=True, slots=True)
class BlindScore:
    """A person's sealed score beside the court's current one, null where the court gave none.

    `person` is an id, `by` that person's email, `student` the submission's student.
    """

    submission: UUID
    criterion_id: str
    person: int
    score: int
    court: int | None
    audit: UUID
    position: int
    student: str
    by: str

    @property
    def distance(self) -> int:
        return abs(self.score - self.court) if self.court is not None else 0


@dataclass(frozen=True, slots=True)
class RubricCriterion:
    """A criterion of an assignment's verdicts, in the rubric's order."""

    id: str
    name: str


def works_of(assignment: Assignment) -> list[Work]:
    """Return one submission per student, of the attempt that counts, in the roster's order."""
    # A degraded audit has no verdict to compare with.
    judged = grades_of(assignment).exclude(audit__state=AuditState.DEGRADED)
    # The members of a team share one work: it is drawn once.
    works = {grade.audit.submission_id: bool(flags_of(grade)) for grade in judged}
    return [Work(submission, flagged) for submission, flagged in works.items()]


def draw_submissions(
    works: Iterable[Work], *, size: int, seed: int, with_flagged: bool
) -> list[UUID]:
    """Draw `size` submissions by the seed, plus all flagged ones if asked, in a fixed order.

    A submission's position depends on the seed and itself only: later verdicts move nobody.
    """
    # Flagged and random ones are mixed, so that graders don't know which is which.
    ordered = sorted(works, key=lambda work: _rank(work.submission, seed))
    apart = [work for work in ordered if with_flagged and work.flagged]
    rest = [work for work in ordered if work not in apart][:size]
    return [work.submission for work in ordered if work in apart or work in rest]


def samples_of(assignment: Assignment, done: Collection[UUID]) -> list[Progress]:
    """Return samples newest first; `done` is the reader's finished_by. One query."""
    samples = BlindSample.objects.filter(assignment=assignment).select_related("drawn_by")
    return [
        Progress(sample, tuple(UUID(key) in done for key in sample.submissions))
        for sample in samples
    ]


def sample_of(assignment: Assignment, sample_id: int) -> BlindSample | None:
    return BlindSample.objects.filter(assignment=assignment, pk=sample_id).first()


def submission_at(sample: BlindSample, place: int) -> Submission | None:
    """Return the submission at this place, counted from 1, with its audits; None if missing."""
    if not 1 <= place <= len(sample.submissions):
        return None
    submissions = Submission.objects.filter(
        assignment=sample.assignment_id, pk=sample.submissions[place - 1]
    )
    return with_audits(submissions.select_related("organization", "assignment__cohort")).first()


def finished_by(reader: User, assignment: Assignment) -> set[UUID]:
    """Return the submissions that this person has graded, so that they may see the verdict."""
    theirs = BlindGrade.objects.filter(
        submission__assignment=assignment, graded_by=reader, sealed=True
    )
    return set(theirs.values_list("submission_id", flat=True))


def scores_given_by(reader: User, submission: Submission) -> dict[str, int]:
    """Return this person's scores so far, by criterion id."""
    theirs = BlindGrade.objects.filter(submission=submission, graded_by=reader)
    return dict(theirs.values_list("criterion_id", "score"))


def verdicts_to_compare(submission: Submission) -> list[CriterionVerdict]:
    """Return the verdicts that count, in rubric order; the submission is from submission_at."""
    audit = audit_to_show(submission)
    verdicts = CriterionVerdict.objects.filter(audit=audit).select_related("audit__rubric_version")
    return list(verdicts.defer("audit__report").order_by("position"))


def blind_scores_of(assignment: Assignment) -> list[BlindScore]:
    """Return all sealed scores whose criterion still has a verdict. Four queries."""
    sealed = BlindGrade.objects.filter(submission__assignment=assignment, sealed=True)
    given = list(
        sealed.values_list(
            "submission_id", "criterion_id", "graded_by_id", "score", "graded_by__email"
        )
    )
    works = with_audits(
        Submission.objects.filter(pk__in={row[0] for row in given}).select_related(
            "student", "team"
        )
    )
    judged = {
        work.pk: (work, audit.pk) for work in works if (audit := audit_to_show(work)) is not None
    }
    verdicts = CriterionVerdict.objects.filter(
        audit__in=[audit for _work, audit in judged.values()]
    )
    court = {(verdict.audit_id, verdict.criterion_id): verdict for verdict in verdicts}

    return [
        BlindScore(
            submission,
            criterion,
            person,
            score,
            verdict.score,
            verdict.audit_id,
            verdict.position,
            student=judged[submission][0].owner_name,
            by=email,
        )
        for submission, criterion, person, score, email in given
        if submission in judged
        # Skip criteria that a later rubric version removed.
        and (verdict := court.get((judged[submission][1], criterion))) is not None
    ]


def audits_that_count(assignment: Assignment, *, besides: Collection[UUID] = ()) -> list[UUID]:
    """Return the audits of the grades, but for those of the submissions `besides`."""
    grades = Grade.objects.filter(assignment=assignment).exclude(audit__submission__in=besides)
    return list(grades.values_list("audit_id", flat=True))


def criteria_of(audits: Sequence[UUID]) -> list[RubricCriterion]:
    """Return the criteria of these audits; a renamed criterion has one of its names."""
    verdicts = CriterionVerdict.objects.filter(audit__in=audits).order_by()
    rows = verdicts.values("criterion_id").annotate(place=Min("position"), called=Min("name"))
    return [
        RubricCriterion(row["criterion_id"], row["called"])
        for row in rows.order_by("place", "criterion_id")
    ]


def first_opinions(audits: Iterable[UUID]) -> dict[str, dict[UUID, dict[str, int]]]:
    """Return round-one scores by criterion, audit and judge.

    Agreement is measured on them because no judge knew another's opinion.
    """
    scores: defaultdict[str, defaultdict[UUID, dict[str, int]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    answers = OpinionRecord.objects.filter(audit__in=audits, round=1, score__isnull=False).order_by(
        "pk"
    )
    rows: Any = answers.values_list("criterion_id", "audit_id", "judge", "score")
    for criterion, audit, judge, score in rows:
        scores[criterion][audit][judge] = score

    return {criterion: dict(by_audit) for criterion, by_audit in scores.items()}


def _rank(submission: UUID, seed: int) -> str:
    # A hash orders them the same on every machine and Python version.
    return hashlib.sha256(f"{seed} {submission}".encode()).hexdigest()
