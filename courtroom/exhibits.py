"""What the court is handed before it opens: the repository's snapshot and the PDF's reading.

What the student must mend (a bad address, an encrypted PDF) is refused here, before anyone is heard; what we
fail to read is carried on as the failure it is.
"""

from __future__ import annotations

import hashlib
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from courtroom.case import Case
from courtroom.errors import ExaminationFailed, PdfRefused
from courtroom.forensics.pdf import PdfReading, read_pdf
from courtroom.forensics.snapshot import Snapshot, take_snapshot


@dataclass(frozen=True, slots=True)
class Exhibits:
    """`pdf` is null when none was handed in, and the failure when it could not be read by us."""

    snapshot: Snapshot
    pdf: PdfReading | ExaminationFailed | None
    pdf_sha256: str | None


class Collection:
    """Fetches the exhibits in the background, so that the graph's libraries load meanwhile."""

    def __init__(self, case: Case, workspace: Path) -> None:
        self._pool = ThreadPoolExecutor(max_workers=2, thread_name_prefix="exhibit")
        self._sha256 = _sha256(case) if case.pdf else None
        self._snapshot = self._pool.submit(_snapshot, case, workspace)
        self._pdf = self._pool.submit(_reading, case)
        self._pool.shutdown(wait=False)

    def wait(self) -> Exhibits:
        """Block until everything is there. Raises InputRefused for what the student must mend."""
        snapshot = self._snapshot.result()
        return Exhibits(snapshot=snapshot, pdf=_read_or_failed(self._pdf), pdf_sha256=self._sha256)


def _snapshot(case: Case, workspace: Path) -> Snapshot:
    return take_snapshot(
        case.repo_url, ref=case.ref, into=workspace, limits=case.limits, allow_local=case.allow_local
    )


def _reading(case: Case) -> PdfReading | None:
    return read_pdf(case.pdf, case.limits) if case.pdf else None


def _read_or_failed(reading: Future[PdfReading | None]) -> PdfReading | ExaminationFailed | None:
    try:
        return reading.result()
    except ExaminationFailed as failed:
        return failed


def _sha256(case: Case) -> str:
    if case.pdf is None or not case.pdf.is_file():
        raise PdfRefused("pdf_missing", f"There is no file {case.pdf}.")
    if case.pdf.stat().st_size > case.limits.pdf_bytes:
        limit = case.limits.pdf_bytes // (1024 * 1024)
        raise PdfRefused("pdf_too_large", f"The PDF is larger than {limit} MB. Hand in a smaller one.")
    return hashlib.sha256(case.pdf.read_bytes()).hexdigest()
