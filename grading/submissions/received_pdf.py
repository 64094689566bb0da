"""The PDF that arrives with a submission, before anything of it is stored."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from tempfile import NamedTemporaryFile
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import TemporaryUploadedFile, UploadedFile

from grading.core.errors import SubmissionRefused

MEBIBYTE = 1024 * 1024
NAME_CHARACTERS = 255


@dataclass(frozen=True, slots=True)
class ReceivedPdf:
    """A file on this machine with its size and SHA-256; `name` is that of the student's file."""

    path: Path
    name: str
    size: int
    sha256: str


@contextmanager
def received_pdf(pdf: UploadedFile[Any] | None) -> Iterator[ReceivedPdf | None]:
    """Yield the PDF as a temporary file, because another process parses it by its name.

    None where there is none. Raises SubmissionRefused pdf_too_large.
    """
    if pdf is None:
        yield None
        return
    if pdf.size is None or pdf.size > settings.UPLOAD_MAX_BYTES:
        limit = settings.UPLOAD_MAX_BYTES // MEBIBYTE
        raise SubmissionRefused("pdf", "pdf_too_large", f"The PDF is larger than {limit} MB.")

    with _on_disk(pdf) as path:
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        yield ReceivedPdf(path, _printable(pdf.name), path.stat().st_size, sha256)


@contextmanager
def _on_disk(pdf: UploadedFile[Any]) -> Iterator[Path]:
    """Yield the temporary file in which a request's upload arrived, else a copy."""
    if isinstance(pdf, TemporaryUploadedFile):
        yield Path(pdf.temporary_file_path())
        return
    with NamedTemporaryFile(suffix=".pdf") as copy:
        for chunk in pdf.chunks():
            copy.write(chunk)
        copy.flush()
        yield Path(copy.name)


def _printable(name: str | None) -> str:
    """Return the name of a student's file for pages and headers.

    Some browsers send a whole path, and control characters would break headers and pages.
    """
    base = PurePath((name or "").replace("\\", "/")).name
    return "".join(c for c in base if c.isprintable())[:NAME_CHARACTERS] or "report.pdf"
