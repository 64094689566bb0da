"""Asking a cohort for work."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django_scopes import scope

from grading.actions.activities import note
from grading.enums import Bench, LatePolicy, ReleasePolicy, RubricState
from grading.errors import ActionRefused, RubricRefused, SlugTaken
from grading.model_bench import can_judge_with_models
from grading.models import Assignment, Cohort, RubricVersion


def create_assignment(
    *,
    cohort: Cohort,
    title: str,
    slug: str,
    rubric_version: RubricVersion,
    by: User | None,
    instructions: str = "",
    opens_at: datetime | None = None,
    due_at: datetime | None = None,
    late_policy: LatePolicy = LatePolicy.REFUSE,
    max_attempts: int = 5,
    bench: Bench = Bench.HEURISTIC,
    release_policy: ReleasePolicy = ReleasePolicy.PROVISIONAL,
    appeal_days: int = 7,
    max_appeals: int = 3,
) -> Assignment:
    """A new assignment, judged by a published rubric version (for a shipped one: adopt_shipped_rubric).

    Raises RubricRefused for a draft or a foreign version, ActionRefused bench_unavailable, SlugTaken.
    """
    with scope(organization=cohort.organization):
        _refuse_unfit(cohort, rubric_version, bench)
    try:
        with transaction.atomic(), scope(organization=cohort.organization):
            assignment = Assignment.objects.create(
                organization=cohort.organization, cohort=cohort, title=title, slug=slug,
                instructions=instructions, rubric_version=rubric_version, opens_at=opens_at, due_at=due_at,
                late_policy=late_policy, max_attempts=max_attempts, bench=bench,
                release_policy=release_policy, appeal_days=appeal_days, max_appeals=max_appeals,
            )  # fmt: skip
            note(organization=cohort.organization, actor=by, verb="assignment.created", about=assignment)
    except IntegrityError as error:
        if "assignment_slug_once" not in str(error):
            raise
        raise SlugTaken("slug_taken", f"This cohort has an assignment called “{slug}” already.") from error
    return assignment


def _refuse_unfit(cohort: Cohort, version: RubricVersion, bench: Bench) -> None:
    if version.organization_id != cohort.organization_id or version.state == RubricState.DRAFT:
        raise RubricRefused(
            "rubric_not_published", "Only a published rubric of this organization can be used."
        )
    if bench == Bench.LLM and not can_judge_with_models(cohort.organization_id):
        raise ActionRefused("bench_unavailable", "No language models are configured on this site.")
