"""Looking at what would be handed in, without handing it in: nothing is stored, and no attempt is used up."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone
from django_scopes import scope

from grading.models import Assignment, Enrollment
from grading.submissions.actions import refuse_by_policy
from grading.submissions.probe_limit import limited_probe
from grading.submissions.queries import attempts_left, is_late, next_attempt


@dataclass(frozen=True, slots=True)
class ReportProbe:
    """The PDF as it was read: its name, its size in bytes, its pages and its SHA-256."""

    name: str
    size: int
    pages: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Probe:
    """What handing this in now would come to: the attempt's number, how many are left after it, and whether it is late.

    `report` is null where no PDF was chosen.
    """

    commit: str
    report: ReportProbe | None
    attempt: int
    left: int
    late: bool


def probe_submission(
    *,
    assignment: Assignment,
    student: Enrollment,
    repo_url: str,
    ref: str = "",
    pdf: UploadedFile[Any] | None = None,
) -> Probe:
    """Asks all that hand_in asks, but for what is running already. Raises SubmissionRefused."""
    from grading.engine import audits as engine_audits

    now = timezone.now()
    with scope(organization=assignment.organization):
        refuse_by_policy(assignment, student, now)
        with limited_probe(student):
            report = _report(pdf) if pdf is not None else None
            commit = engine_audits.probe_repository(repo_url.strip(), ref.strip())
        return Probe(
            commit=commit,
            report=report,
            attempt=next_attempt(assignment, student),
            left=attempts_left(assignment, student) - 1,
            late=is_late(assignment, now),
        )


def _report(pdf: UploadedFile[Any]) -> ReportProbe:
    """In a file of its own that is gone afterwards: what reads it is another process."""
    from grading.engine import audits as engine_audits

    digest, size = hashlib.sha256(), 0
    with NamedTemporaryFile(suffix=".pdf") as copy:
        for chunk in pdf.chunks():
            digest.update(chunk)
            size += copy.write(chunk)
        copy.flush()
        pages = engine_audits.probe_pdf(Path(copy.name))
    return ReportProbe(pdf.name or "report.pdf", size, pages, digest.hexdigest())
