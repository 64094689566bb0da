"""Addresses of every page of the site, for the one course that all copies were made from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count
from django.test import RequestFactory
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from grading.models import (
    Appeal,
    Assignment,
    Audit,
    BankedComment,
    BlindSample,
    BulkRun,
    Cohort,
    Comment,
    Extension,
    FeedbackReport,
    Finding,
    Grade,
    Organization,
    StaffNote,
    Webhook,
)
from tests.tenancy.matrix_rows import PERSONS, ROWS

LOG, OPERATIONS = "o/<slug:org>/log/", "o/<slug:org>/operations/"
# Pages of one row of a kind that the course does not have.
NOT_IN_COURSE = {
    "invitations/<str:token>/",
    "join/<str:code>/",
    "o/<slug:org>/feedback/<uuid:report_id>/original",
    "o/<slug:org>/complaints/<int:complaint_id>/",
    "o/<slug:org>/feedback/<uuid:received_id>/complain/",
    "o/<slug:org>/checks/try/<uuid:audit_id>/<slug:key>/",
}


@dataclass(frozen=True, slots=True)
class PageAddress:
    """Page of one reader; `page` is its route, with the query."""

    reader: User
    person: str
    page: str
    path: str


def addresses() -> Iterator[PageAddress]:
    """Yield what a student, an instructor and the operator of the site may open."""
    organization = Organization.objects.order_by("pk").first()
    assert organization is not None
    with scope(organization=organization):
        names = _names(organization)
        grade = Grade.objects.select_related("student__user").get(pk=names["grade_id"])
        student = grade.student.user
    teacher, operator = organization.founder, _operator()
    assert student is not None
    assert teacher is not None
    for person, reader in (("student", student), ("instructor", teacher)):
        for route, row in ROWS.items():
            if row[0][PERSONS.index(person)] == HTTPStatus.OK and route not in NOT_IN_COURSE:
                yield PageAddress(reader, person, route, _filled(route, names))
    for page in _filtered():
        yield PageAddress(teacher, "instructor", page, _filled(page, names))
    yield PageAddress(operator, "operator", "", "/")
    yield PageAddress(operator, "operator", "metrics", "/metrics")
    for reader, person in ((teacher, "instructor"), (operator, "operator")):
        with scope(organization=[organization]):
            lists = _admin_lists(reader)
        for page in lists:
            yield PageAddress(reader, person, page, f"/{page}")


def _operator() -> User:
    user, _ = User.objects.get_or_create(
        username="operator",
        defaults={"email": "operator@example.org", "is_staff": True, "is_superuser": True},
    )
    return user


def _filled(route: str, names: dict[str, Any]) -> str:
    return "/" + re.sub(r"<\w+:(\w+)>", lambda hole: str(names[hole[1]]), route)


def _names(organization: Organization) -> dict[str, Any]:
    """Return the parameters of the addresses: of the first course, and a student with much in it."""
    cohort = Cohort.objects.get(slug="course-0")
    assignment = (
        Assignment.objects.filter(cohort=cohort).annotate(rounds_=Count("rounds")).get(rounds_=1)
    )
    appeal = (
        Appeal.objects.filter(submission__assignment=assignment)
        .select_related("submission")
        .latest("pk")
    )
    student = appeal.submission.student_id
    of_student = {"assignment": assignment, "student": student}
    audit = (
        Audit.objects.exclude(kind="peer")
        .filter(submission=appeal.submission)
        .defer("report")
        .get()
    )
    works = {"submission__assignment": assignment}
    return {
        "org": organization.slug,
        "cohort": cohort.slug,
        "assignment": assignment.slug,
        "student_id": student,
        "enrollment_id": student,
        "extension_id": Extension.objects.filter(assignment=assignment).latest("pk").pk,
        "version_id": assignment.rubric_version_id,
        "rubric": assignment.rubric_version.rubric.slug,
        "audit_id": audit.pk,
        "submission_id": audit.submission_id,
        "appeal_id": appeal.pk,
        "entry_id": BankedComment.objects.earliest("pk").pk,
        "comment_id": Comment.objects.filter(submission=appeal.submission).latest("pk").pk,
        "bulk_id": BulkRun.objects.get(assignment=assignment).pk,
        "finding_id": Finding.objects.filter(**of_student).earliest("key").pk,
        "pairing_id": FeedbackReport.objects.get(author=student, assignment=assignment).pairing_id,
        "report_id": FeedbackReport.objects.get(author=student, assignment=assignment).pk,
        "received_id": FeedbackReport.objects.get(subject=student, assignment=assignment).pk,
        "sample_id": BlindSample.objects.get(assignment=assignment).pk,
        "webhook_id": Webhook.objects.earliest("pk").pk,
        "note_id": StaffNote.objects.filter(**works).latest("pk").pk,
        "grade_id": Grade.objects.get(**of_student).pk,
        "number": 1,
        "place": 1,
        "position": 0,
        "secret": "nobodys",
    }


def _filtered() -> list[str]:
    """Return the lists with what people filter them by, and pages after the first."""
    since = (timezone.now() - timedelta(days=30)).date().isoformat()
    assignment = "o/<slug:org>/c/<slug:cohort>/a/<slug:assignment>/"
    return [
        f"{LOG}?family=rubric",
        f"{OPERATIONS}?by=hour",
        *(f"{OPERATIONS}?show={show}" for show in ("ended", "failed", "queued", "paid", "waiting")),
        f"{OPERATIONS}?show=ended&page=3",
        "o/<slug:org>/search/?q=student+10",
        "o/<slug:org>/search/?q=example",
        "o/<slug:org>/search/?q=prompt",
        f"o/<slug:org>/c/<slug:cohort>/log/?since={since}",
        "o/<slug:org>/c/<slug:cohort>/log/?family=appeal",
        f"{assignment}grades/?flag=review",
        f"{assignment}grades/?sort=-score",
        "o/<slug:org>/appeals/?state=kept",
    ]


def _admin_lists(reader: User) -> list[str]:
    """Return the lists of the administration that this reader may open, and their searches."""
    from django.contrib import admin

    request = RequestFactory().get("/admin/")
    request.user = reader
    lists = []
    # As the pages of the administration read it.
    for model, options in admin.site._registry.items():
        meta = model._meta
        if not options.has_view_permission(request):
            continue
        page = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")[1:]
        lists += [page, f"{page}?q=student-10"] if options.search_fields else [page]
    return lists
