"""The report of a push, read from its repository. It clones: for jobs only."""

from __future__ import annotations

from pathlib import PurePosixPath

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile

from grading.core.errors import SubmissionRefused
from grading.engine.repository_access import opened_repository
from grading.models import Submission


def pushed_pdf(submission: Submission, path: str) -> SimpleUploadedFile:
    """Return the file at `path` in the submission's commit (`ref`), as if it had been uploaded.

    The submission need not be stored. Raises SubmissionRefused.
    """
    from courtroom import CourtroomError, InputRefused, read_file_at_commit

    try:
        with opened_repository(submission, "the report of a push") as access:
            content = read_file_at_commit(
                submission.repo_url,
                submission.ref,
                path,
                most_bytes=settings.UPLOAD_MAX_BYTES,
                allow_local=settings.ALLOW_LOCAL_REPOSITORIES,
                access=access,
            )
    except InputRefused as refusal:
        field = "pdf" if refusal.code.startswith("pdf_") else "repo_url"
        raise SubmissionRefused(field, refusal.code, refusal.message) from refusal
    except CourtroomError as failure:
        # A failure of ours, which may pass.
        raise SubmissionRefused("pdf", "storage_unavailable", failure.message) from failure
    return SimpleUploadedFile(PurePosixPath(path).name, content, "application/pdf")
