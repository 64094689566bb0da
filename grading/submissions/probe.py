"""Probe a submission before it is made: nothing is stored and no attempt is used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone
from django_scopes import scope

from grading.core.probe_limit import limited_probe
from grading.courses.extensions.queries import terms_of
from grading.courses.teams.queries import team_of
from grading.models import Assignment, Enrollment, Submission
from grading.submissions.actions import refuse_by_policy
from grading.submissions.queries import attempt_with, attempts_left, next_attempt
from grading.submissions.received_pdf import received_pdf


@dataclass(frozen=True, slots=True)
class ReportProbe:
    """Name, size in bytes, page count and SHA-256 of the PDF."""

    name: str
    size: int
    pages: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Probe:
    """Preview of a submission made now: its attempt number, the attempts `left` of `limit` after it.

    `report` is None where no PDF was chosen. `same_as` is the last attempt if it has the same commit
    and report: submitting them again has to be confirmed.
    """

    commit: str
    report: ReportProbe | None
    attempt: int
    left: int
    limit: int
    late: bool
    same_as: int | None


def probe_submission(
    *,
    assignment: Assignment,
    student: Enrollment,
    repo_url: str,
    by: User | None = None,
    ref: str = "",
    pdf: UploadedFile[Any] | None = None,
) -> Probe:
    """Check all that create_submission checks, except open audits of it. Raises SubmissionRefused."""
    from grading.engine import audits as engine_audits

    now = timezone.now()
    with scope(organization=assignment.organization):
        terms = terms_of(assignment, student)
        refuse_by_policy(assignment, student, terms, now)
        with limited_probe(student), received_pdf(pdf) as arrived:
            report = None
            if arrived:
                pages = engine_audits.probe_pdf(arrived.path)
                report = ReportProbe(arrived.name, arrived.size, pages, arrived.sha256)
            team = team_of(assignment, student)
            commit = engine_audits.probe_repository(
                Submission(
                    organization=assignment.organization,
                    assignment=assignment,
                    student=team.representative if team else student,
                    team=team,
                    repo_url=repo_url.strip(),
                    ref=ref.strip(),
                    handed_in_by=by,
                )
            )
        return Probe(
            commit=commit,
            report=report,
            attempt=next_attempt(assignment, student),
            left=attempts_left(assignment, student, terms) - 1,
            limit=terms.max_attempts,
            late=terms.is_late(now),
            same_as=attempt_with(
                assignment,
                student,
                commit=commit,
                pdf_sha256=report.sha256 if report else "",
            ),
        )
