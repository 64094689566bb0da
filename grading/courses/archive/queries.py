"""The records of a cohort as its archive holds them, read piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from grading.models import (
    Activity,
    Appeal,
    Assignment,
    Audit,
    BlindGrade,
    BlindSample,
    BulkRun,
    Cohort,
    CommunicationEntry,
    Enrollment,
    FeedbackReport,
    Finding,
    FindingResponse,
    FindingSighting,
    Grade,
    Override,
    Pairing,
    PairingRound,
    RoundMember,
    RubricVersion,
    Submission,
    SupersededReport,
)

PIECE = 100


def assignments_of(cohort: Cohort) -> list[Assignment]:
    found = Assignment.objects.filter(cohort=cohort).order_by("pk")
    return list(found.select_related("organization", "cohort", "rubric_version__rubric"))


def roster_rows(cohort: Cohort) -> QuerySet[Enrollment]:
    return Enrollment.objects.filter(cohort=cohort).order_by("pk")


def activity_rows(cohort: Cohort) -> Iterator[dict[str, Any]]:
    """Oldest first; who acted is named by e-mail, null for the site itself and for who is no more."""
    rows = Activity.objects.filter(cohort=cohort).order_by("at", "pk")
    actors = User.objects.filter(pk__in=rows.order_by().values("actor_id"))
    names = dict(actors.values_list("pk", "email"))
    for row in rows.iterator(chunk_size=PIECE):
        yield {
            "at": row.at,
            "actor": names.get(row.actor_id or 0),
            "verb": row.verb,
            "about": f"{row.object_type} {row.object_id}",
            "detail": row.detail,
        }


def rubric_versions(assignment: Assignment) -> QuerySet[RubricVersion]:
    """All that anything here was judged under."""
    audits = Audit.objects.filter(submission__assignment=assignment)
    used = Q(pk=assignment.rubric_version_id) | Q(pk__in=audits.values("rubric_version"))
    before = SupersededReport.objects.filter(audit__submission__assignment=assignment)
    return RubricVersion.objects.filter(used | Q(pk__in=before.values("rubric_version"))).order_by(
        "pk"
    )


def tables_of(assignment: Assignment) -> list[tuple[str, QuerySet[Any]]]:
    """What people did, by the name of its file."""
    of_work = {"submission__assignment": assignment}
    return [
        ("grades", Grade.objects.filter(assignment=assignment).order_by("pk")),
        ("audits", Audit.objects.filter(**of_work).defer("report").order_by("pk")),
        ("overrides", Override.objects.filter(**of_work).order_by("pk")),
        ("appeals", Appeal.objects.filter(**of_work).order_by("pk")),
        ("blind_samples", BlindSample.objects.filter(assignment=assignment).order_by("pk")),
        ("blind_scores", BlindGrade.objects.filter(**of_work).order_by("pk")),
        ("bulk_runs", BulkRun.objects.filter(assignment=assignment).order_by("pk")),
        *_among_peers(assignment),
    ]


def _among_peers(assignment: Assignment) -> list[tuple[str, QuerySet[Any]]]:
    """Rounds and what came of them, with names: an archive is for whoever teaches."""
    of_round, of_finding = {"round__assignment": assignment}, {"finding__assignment": assignment}
    return [
        ("rounds", PairingRound.objects.filter(assignment=assignment).order_by("number")),
        ("round_members", RoundMember.objects.filter(**of_round).order_by("pk")),
        ("pairings", Pairing.objects.filter(**of_round).order_by("created_at", "pk")),
        (
            "peer_reports",
            FeedbackReport.objects.filter(assignment=assignment).order_by("created_at", "pk"),
        ),
        ("communication", CommunicationEntry.objects.filter(assignment=assignment).order_by("pk")),
        ("findings", Finding.objects.filter(assignment=assignment).order_by("created_at", "pk")),
        ("finding_sightings", FindingSighting.objects.filter(**of_finding).order_by("pk")),
        ("finding_answers", FindingResponse.objects.filter(**of_finding).order_by("pk")),
    ]


def submissions_of(assignment: Assignment) -> QuerySet[Submission]:
    return Submission.objects.filter(assignment=assignment).order_by("student_id", "attempt")


def audits_with_reports(submission: Submission) -> list[Audit]:
    found = Audit.objects.filter(submission=submission, report__isnull=False)
    return list(found.defer("report").order_by("created_at", "pk"))


def superseded_reports(audit: Audit) -> list[SupersededReport]:
    return list(SupersededReport.objects.filter(audit=audit).defer("report").order_by("pk"))


def columns_of(row: Any) -> dict[str, Any]:
    """A row as plain values, without what was not loaded."""
    left_out = row.get_deferred_fields()
    every = row._meta.concrete_fields  # noqa: SLF001 -- documented by Django under this name
    fields = [field for field in every if field.attname not in left_out]
    return {field.attname: _plain(field.value_from_object(row)) for field in fields}


def _plain(value: Any) -> Any:
    return value.name if hasattr(value, "storage") else value
