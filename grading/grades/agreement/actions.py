"""Draw a blind sample, and grade in it. Nothing here changes a student's grade."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from django.contrib.auth.models import User
from django.db import transaction

from grading.core.activity_writer import record_activity
from grading.core.errors import ActionRefused
from grading.grades.agreement.queries import draw_submissions, works_of
from grading.models import Assignment, BlindGrade, BlindSample, Submission


def draw_sample(
    *, assignment: Assignment, size: int, seed: int, with_flagged: bool, by: User
) -> BlindSample:
    """Draw and store submissions to grade blind. Raises ActionRefused nothing_to_draw."""
    submissions = draw_submissions(
        works_of(assignment), size=size, seed=seed, with_flagged=with_flagged
    )
    if not submissions:
        raise ActionRefused("nothing_to_draw", "There is no verdict to compare with yet.")

    with transaction.atomic():
        sample = BlindSample.objects.create(
            organization_id=assignment.organization_id,
            assignment=assignment,
            seed=seed,
            drawn_by=by,
            # The stored order stays, even when later verdicts would change the draw.
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
    """Save a person's scores by criterion id; `finish` seals them and reveals the verdict.

    Before that, nothing shows the scores, not even the log. Raises ActionRefused: blind_sealed,
    blind_unknown, blind_unfinished.
    """
    criterion_ids = set(criteria)
    if not criterion_ids.issuperset(scores):
        raise ActionRefused("blind_unknown", "The current verdict has no such criterion.")
    with transaction.atomic():
        Submission.objects.select_for_update(no_key=True).get(pk=submission.pk)
        own_grades = BlindGrade.objects.filter(submission=submission, graded_by=by)
        # Sealed scores were compared with the verdict and can't be changed afterwards.
        if own_grades.filter(sealed=True).exists():
            raise ActionRefused(
                "blind_sealed", "You have seen this verdict, so you can't change your scores."
            )

        for criterion, score in scores.items():
            own_grades.update_or_create(
                submission=submission,
                criterion_id=criterion,
                graded_by=by,
                defaults={"score": score, "organization_id": submission.organization_id},
            )
        if finish:
            _seal(submission, criterion_ids, by)

        record_activity(
            organization=submission.organization_id,
            actor=by,
            verb="submission.graded_blind",
            about=submission,
            # Only the number of scores: colleagues read the log and may still grade blind.
            criteria=len(scores),
            finished=finish,
        )


def _seal(submission: Submission, criteria: set[str], by: User) -> None:
    own_grades = BlindGrade.objects.filter(submission=submission, graded_by=by)
    # Scores saved earlier count as well, so read all from the database.
    if not criteria.issubset(own_grades.values_list("criterion_id", flat=True)):
        raise ActionRefused("blind_unfinished", "Score every criterion before you finish.")
    own_grades.update(sealed=True)
