"""Drawing a blind sample, and grading in it. Nothing here changes a student's grade."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.contrib.auth.models import User
from django.db import transaction

from grading.core.activity import record_activity
from grading.core.errors import ActionRefused
from grading.grades.agreement.queries import drawn, works_of
from grading.models import Assignment, BlindGrade, BlindSample, Submission


def draw_sample(
    *, assignment: Assignment, size: int, seed: int, with_flagged: bool, by: User
) -> BlindSample:
    """Fix what is graded blind, and in which order. Raises ActionRefused: nothing_to_draw."""
    submissions = drawn(works_of(assignment), size=size, seed=seed, with_flagged=with_flagged)
    if not submissions:
        raise ActionRefused(
            "nothing_to_draw", "There is no verdict yet that could be compared with anybody."
        )
    with transaction.atomic():
        sample = BlindSample.objects.create(
            organization_id=assignment.organization_id,
            assignment=assignment,
            seed=seed,
            drawn_by=by,
            submissions=[str(key) for key in submissions],
        )
        record_activity(
            organization=assignment.organization_id,
            actor=by,
            verb="sample.drawn",
            about=sample,
            size=len(submissions),
            seed=seed,
            with_flagged=with_flagged,
        )
    return sample


def grade_blind(
    *,
    submission: Submission,
    criteria: Iterable[str],
    scores: Mapping[str, int],
    finish: bool,
    by: User,
) -> None:
    """Keep a person's scores, by criterion of `criteria`; `finish` seals them, and the verdict may be seen.

    Neither the log nor anything else tells the scores before that. Raises ActionRefused: blind_sealed, blind_unknown,
    blind_unfinished.
    """
    known = set(criteria)
    if not known.issuperset(scores):
        raise ActionRefused("blind_unknown", "The verdict that stands now knows no such criterion.")
    with transaction.atomic():
        Submission.objects.select_for_update(no_key=True).get(pk=submission.pk)
        mine = BlindGrade.objects.filter(submission=submission, graded_by=by)
        if mine.filter(sealed=True).exists():
            raise ActionRefused(
                "blind_sealed", "You have seen the verdict on this one: your scores stay."
            )
        for criterion, score in scores.items():
            mine.update_or_create(
                submission=submission,
                criterion_id=criterion,
                graded_by=by,
                defaults={"score": score, "organization_id": submission.organization_id},
            )
        if finish:
            _seal(submission, known, by)
        record_activity(
            organization=submission.organization_id,
            actor=by,
            verb="submission.graded_blind",
            about=submission,
            criteria=len(scores),
            finished=finish,
        )


def _seal(submission: Submission, criteria: set[str], by: User) -> None:
    mine = BlindGrade.objects.filter(submission=submission, graded_by=by)
    if not criteria.issubset(mine.values_list("criterion_id", flat=True)):
        raise ActionRefused(
            "blind_unfinished", "Score every criterion first: then the verdict is shown."
        )
    mine.update(sealed=True)
