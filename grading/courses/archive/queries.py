"""Read a cohort's records for its archive, in chunks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from grading.core.row_batches import Row, in_batches
from grading.models import (
    Activity,
    Appeal,
    Assignment,
    Audit,
    BlindGrade,
    BlindSample,
    BulkRun,
    Cohort,
    Comment,
    CommentReply,
    CommunicationEntry,
    Enrollment,
    Extension,
    FeedbackReport,
    Finding,
    FindingResponse,
    FindingSighting,
    Grade,
    GradeAdjustment,
    LtiCourseLink,
    LtiLineItem,
    LtiMember,
    LtiResourceLink,
    LtiScore,
    Override,
    Pairing,
    PairingRound,
    RepositoryMember,
    RoundMember,
    RubricVersion,
    StaffNote,
    StudentRepository,
    Submission,
    SupersededReport,
    Team,
    TeamMember,
)

# Rows fetched at a time: an archive never holds a whole table in memory.
CHUNK_SIZE = 100


def in_chunks(rows: QuerySet[Row]) -> Iterator[Row]:
    return chain.from_iterable(in_batches(rows, CHUNK_SIZE))


def assignments_of(cohort: Cohort) -> list[Assignment]:
    assignments = Assignment.objects.filter(cohort=cohort).order_by("pk")
    return list(assignments.select_related("organization", "cohort", "rubric_version__rubric"))


def roster_rows(cohort: Cohort) -> QuerySet[Enrollment]:
    return Enrollment.objects.filter(cohort=cohort).order_by("pk")


def platform_rows(cohort: Cohort) -> list[tuple[str, QuerySet[Any]]]:
    """Return the courses of learning platforms that belong to the cohort, and their people."""
    people = LtiMember.objects.filter(course_link__cohort=cohort)
    return [
        ("platform_courses", LtiCourseLink.objects.filter(cohort=cohort).order_by("pk")),
        ("platform_people", people.order_by("pk")),
    ]


def activity_rows(cohort: Cohort) -> Iterator[dict[str, Any]]:
    """Yield the log, oldest first. `actor` is an email, null for the site and deleted accounts."""
    rows = Activity.objects.filter(cohort=cohort).order_by("at", "pk")
    # By key and not by a join: the log outlives accounts, and no foreign key binds it.
    actors = User.objects.filter(pk__in=rows.order_by().values("actor_id"))
    names = dict(actors.values_list("pk", "email"))
    for row in in_chunks(rows):
        yield {
            "at": row.at,
            "actor": names.get(row.actor_id or 0),
            "verb": row.verb,
            "about": f"{row.object_type} {row.object_id}",
            "detail": row.detail,
        }


def rubric_versions(assignment: Assignment) -> QuerySet[RubricVersion]:
    """Return every rubric version that the assignment or one of its reports used."""
    audits = Audit.objects.filter(submission__assignment=assignment)
    used = Q(pk=assignment.rubric_version_id) | Q(pk__in=audits.values("rubric_version"))
    superseded = SupersededReport.objects.filter(audit__submission__assignment=assignment)
    used |= Q(pk__in=superseded.values("rubric_version"))

    return RubricVersion.objects.filter(used).order_by("pk")


def tables_of(assignment: Assignment) -> list[tuple[str, QuerySet[Any]]]:
    """Return the assignment's tables by the names of their files."""
    by_submission = {"submission__assignment": assignment}
    return [
        ("grades", Grade.objects.filter(assignment=assignment).order_by("pk")),
        (
            "adjustments",
            GradeAdjustment.objects.filter(grade__assignment=assignment).order_by("pk"),
        ),
        ("teams", Team.objects.filter(assignment=assignment).order_by("pk")),
        ("team_members", TeamMember.objects.filter(assignment=assignment).order_by("pk")),
        # Without reports: each is a file of its own beside its attempt.
        ("audits", Audit.objects.filter(**by_submission).defer("report").order_by("pk")),
        ("overrides", Override.objects.filter(**by_submission).order_by("pk")),
        ("appeals", Appeal.objects.filter(**by_submission).order_by("pk")),
        # As the peers' names below: archives are for teachers.
        ("staff_notes", StaffNote.objects.filter(**by_submission).order_by("pk")),
        ("comments", Comment.objects.filter(**by_submission).order_by("pk")),
        (
            "comment_replies",
            CommentReply.objects.filter(comment__submission__assignment=assignment).order_by("pk"),
        ),
        ("blind_samples", BlindSample.objects.filter(assignment=assignment).order_by("pk")),
        ("blind_scores", BlindGrade.objects.filter(**by_submission).order_by("pk")),
        ("bulk_runs", BulkRun.objects.filter(assignment=assignment).order_by("pk")),
        *_peer_review_tables(assignment),
        *_platform_tables(assignment),
        *_repository_tables(assignment),
    ]


def _repository_tables(assignment: Assignment) -> list[tuple[str, QuerySet[Any]]]:
    """Return the tables of repositories from a template, and of the accounts invited to them."""
    by_template = {"template__assignment": assignment}
    made = StudentRepository.objects.filter(**by_template)
    members = RepositoryMember.objects.filter(repository__in=made)
    return [
        ("made_repositories", made.order_by("pk")),
        ("made_repository_members", members.order_by("pk")),
    ]


def _platform_tables(assignment: Assignment) -> list[tuple[str, QuerySet[Any]]]:
    """Return the tables of learning platforms: links there, columns of gradebooks, what was sent."""
    by_column = {"line_item__assignment": assignment}
    return [
        ("platform_links", LtiResourceLink.objects.filter(assignment=assignment).order_by("pk")),
        ("platform_columns", LtiLineItem.objects.filter(assignment=assignment).order_by("pk")),
        ("platform_grades", LtiScore.objects.filter(**by_column).order_by("pk")),
    ]


def _peer_review_tables(assignment: Assignment) -> list[tuple[str, QuerySet[Any]]]:
    """Return the tables of peer review. They are not anonymous: archives are for teachers."""
    by_round, by_finding = {"round__assignment": assignment}, {"finding__assignment": assignment}
    return [
        ("extensions", Extension.objects.filter(assignment=assignment).order_by("pk")),
        ("rounds", PairingRound.objects.filter(assignment=assignment).order_by("number")),
        ("round_members", RoundMember.objects.filter(**by_round).order_by("pk")),
        ("pairings", Pairing.objects.filter(**by_round).order_by("created_at", "pk")),
        (
            "peer_reports",
            FeedbackReport.objects.filter(assignment=assignment).order_by("created_at", "pk"),
        ),
        ("communication", CommunicationEntry.objects.filter(assignment=assignment).order_by("pk")),
        ("findings", Finding.objects.filter(assignment=assignment).order_by("created_at", "pk")),
        ("finding_sightings", FindingSighting.objects.filter(**by_finding).order_by("pk")),
        ("finding_answers", FindingResponse.objects.filter(**by_finding).order_by("pk")),
    ]


def submissions_of(assignment: Assignment) -> QuerySet[Submission]:
    return Submission.objects.filter(assignment=assignment).order_by("student_id", "attempt")


def audits_with_reports(submission: Submission) -> list[Audit]:
    audits = Audit.objects.filter(submission=submission, report__isnull=False)
    return list(audits.defer("report").order_by("created_at", "pk"))


def superseded_reports(audit: Audit) -> list[SupersededReport]:
    return list(SupersededReport.objects.filter(audit=audit).defer("report").order_by("pk"))


def columns_of(row: Any) -> dict[str, Any]:
    """Return a row as plain values, without its deferred columns."""
    deferred = row.get_deferred_fields()
    columns = row._meta.concrete_fields  # noqa: SLF001 -- documented by Django under this name
    fields = [field for field in columns if field.attname not in deferred]

    return {field.attname: _plain_value(field.value_from_object(row)) for field in fields}


def _plain_value(value: Any) -> Any:
    # A stored file is archived under a name of its own; its row keeps the name in storage.
    return value.name if hasattr(value, "storage") else value
