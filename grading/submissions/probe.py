"""Probe a submission before it is made: nothing is stored and no attempt is used."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone
from django_scopes import scope

from grading.courses.extensions.queries import terms_of
from grading.models import Assignment, Enrollment
from grading.submissions.actions import refuse_by_policy
from grading.submissions.probe_limit import limited_probe
from grading.submissions.queries import attempt_with, attempts_left, next_attempt


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
    ref: str = "",
    pdf: UploadedFile[Any] | None = None,
) -> Probe:
    """Check all that create_submission checks, except open audits of it. Raises SubmissionRefused."""
    from grading.engine import audits as engine_audits

    now = timezone.now()
    with scope(organization=assignment.organization):
        terms = terms_of(assignment, student)
        refuse_by_policy(assignment, student, terms, now)
        with limited_probe(student):
            report = _report(pdf) if pdf is not None else None
            commit = engine_audits.probe_repository(repo_url.strip(), ref.strip())
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


def _report(pdf: UploadedFile[Any]) -> ReportProbe:
    """Read the PDF from a temporary file, because another process parses it."""
    from grading.engine import audits as engine_audits

    digest = hashlib.sha256()
    size = 0
    with NamedTemporaryFile(suffix=".pdf") as copy:
        for chunk in pdf.chunks():
            digest.update(chunk)
            size += copy.write(chunk)
        # The other process opens the file by its name.
        copy.flush()
        pages = engine_audits.probe_pdf(Path(copy.name))
    return ReportProbe(pdf.name or "report.pdf", size, pages, digest.hexdigest())
