"""Inputs of an audit: the repository at one commit, and the PDF, as far as both could be read.

Untrusted bytes are read in child processes, while this process imports the graph's libraries. A
fault of the submission (a bad address, an encrypted PDF) is refused here, before any judge is
asked; a failure of ours is carried along as a failure.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from courtroom.analysis.git.given_files import GivenFiles, gather_files
from courtroom.analysis.git.history import History, read_history
from courtroom.analysis.git.line_counts import count_lines
from courtroom.analysis.git.snapshot import Snapshot, TreeEntry, list_tree, take_snapshot
from courtroom.analysis.git.source_texts import read_sources
from courtroom.analysis.pdf.read_pdf import PdfReading, check_file, read_pdf
from courtroom.analysis.project.audit_versions import earlier_audits
from courtroom.analysis.prompt_injection.repository_text import Suspicion, look_for_suspicions
from courtroom.analysis.survey import Survey, survey_repository
from courtroom.analysis.warm_readers import readers_are_ready
from courtroom.checks.registry import Check
from courtroom.detectives.detective_result import Dossier
from courtroom.detectives.targeting import owed
from courtroom.models.audit_report import AuditReport
from courtroom.models.case import Case, Limits
from courtroom.models.errors import ChildFailed, ExaminationFailed, PdfRefused
from courtroom.models.source_file import SourceFile
from courtroom.replay.report_reuse import reusable_dossier

T = TypeVar("T")
FileLines = dict[str, int | None]
Sources = dict[str, SourceFile]
Tree = tuple[TreeEntry, ...]


@dataclass(frozen=True, slots=True)
class RepositoryInputs:
    """Contents of the repository; an error stands where something could not be read.

    `suspicions` are its possible prompt injections.
    """

    history: History | ExaminationFailed
    survey: Survey | ExaminationFailed
    suspicions: tuple[Suspicion, ...] | ExaminationFailed = ()


@dataclass(frozen=True, slots=True)
class AuditInputs:
    """Inputs of the graph. `repository` is a dossier where an earlier one is reused.

    `pdf` is None when no PDF was handed in; `files` are the lines of each file, None for binary.
    `sources` is None where nobody asked for them.
    """

    snapshot: Snapshot
    repository: RepositoryInputs | Dossier
    pdf: PdfReading | ExaminationFailed | None
    pdf_sha256: str | None
    files: FileLines | ExaminationFailed
    sources: Sources | ExaminationFailed | None = None

    @property
    def reused_dossier(self) -> Dossier | None:
        return self.repository if isinstance(self.repository, Dossier) else None


class InputReader:
    """Reads the inputs in the background. `earlier` is a report whose dossier may hold."""

    def __init__(self, case: Case, workspace: Path, earlier: AuditReport | None = None) -> None:
        self._case, self._earlier = case, earlier
        self._sha256 = _sha256(case)
        self._pool = ThreadPoolExecutor(max_workers=3, thread_name_prefix="inputs")
        self._pdf = self._pool.submit(
            _attempt, lambda: read_pdf(case.pdf, case.limits) if case.pdf else None
        )
        self._repository = self._pool.submit(self._fetch, workspace)

    def wait(self) -> AuditInputs:
        """Block until everything is read. Raises InputRefused for a fault of the submission."""
        with self._pool:
            snapshot, files, sources, repository = self._repository.result()
            return AuditInputs(
                snapshot=snapshot,
                repository=repository,
                pdf=self._pdf.result(),
                pdf_sha256=self._sha256,
                files=files.result(),
                sources=sources.result() if sources else None,
            )

    def close(self) -> None:
        """Block until nothing is read any more; what was read is lost."""
        self._pool.shutdown(cancel_futures=True)

    def _fetch(
        self, workspace: Path
    ) -> tuple[
        Snapshot,
        Future[FileLines | ExaminationFailed],
        Future[Sources | ExaminationFailed] | None,
        RepositoryInputs | Dossier,
    ]:
        case = self._case
        snapshot = take_snapshot(
            case.repo_url,
            ref=case.commit or case.ref,
            into=workspace,
            limits=case.limits,
            allow_local=case.allow_local,
            access=case.access,
        )
        # Beside the reading of the PDF and of the repository, so that nothing waits for it.
        files = self._pool.submit(_attempt, lambda: count_lines(snapshot, case.limits))
        dossier = reusable_dossier(self._earlier, case, snapshot.commit, self._sha256)
        if dossier and not case.keep_sources:
            return snapshot, files, None, dossier

        entries = _attempt(lambda: list_tree(snapshot, case.limits))
        sources = (
            self._pool.submit(_attempt, lambda: read_sources(snapshot, _listed(entries)))
            if case.keep_sources
            else None
        )
        checks = owed(case.rubric)["RepoInvestigator"]
        repository = dossier or read_repository(snapshot, checks, case.limits, entries)
        return snapshot, files, sources, repository


def read_repository(
    snapshot: Snapshot,
    checks: Sequence[Check],
    limits: Limits,
    entries: Tree | ExaminationFailed | None = None,
) -> RepositoryInputs:
    """Read history, sources and texts at the same time, each in a child process.

    `entries` is the tree, where it is listed already. A tree over the limits is refused first: git
    would walk billions of its paths for the history and for the texts, and the refusal would wait
    for both.
    """
    if entries is None:
        entries = _attempt(lambda: list_tree(snapshot, limits))
    given = _given(snapshot, entries, limits)
    with ThreadPoolExecutor(max_workers=2) as pool:
        history = pool.submit(_attempt, lambda: _history(snapshot, limits))
        suspicions = pool.submit(_attempt, lambda: look_for_suspicions(snapshot, limits, given))
        survey = (
            entries
            if isinstance(entries, ExaminationFailed)
            else _attempt(lambda: survey_repository(snapshot, checks, limits, entries, given))
        )
        return RepositoryInputs(
            history=history.result(), survey=survey, suspicions=suspicions.result()
        )


def _history(snapshot: Snapshot, limits: Limits) -> History:
    history = read_history(snapshot, limits)
    try:
        return replace(history, earlier_audits=earlier_audits(snapshot.git_dir, history.commits))
    except ChildFailed:
        return history


def _given(
    snapshot: Snapshot, entries: Tree | ExaminationFailed, limits: Limits
) -> GivenFiles | None:
    """Return the files for readers that stay, where this process has them."""
    if isinstance(entries, ExaminationFailed) or not readers_are_ready():
        return None
    return gather_files(snapshot, entries, limits)


def _listed(entries: Tree | ExaminationFailed) -> Tree:
    if isinstance(entries, ExaminationFailed):
        raise entries
    return entries


def _attempt(examine: Callable[[], T]) -> T | ExaminationFailed:
    try:
        return examine()
    except ExaminationFailed as failed:
        return failed


def _sha256(case: Case) -> str | None:
    if case.pdf is None:
        return None
    if not case.pdf.is_file():
        raise PdfRefused("pdf_missing", f"There is no file {case.pdf}.")
    # Before the clone: nobody waits for it to learn that the PDF is none.
    check_file(case.pdf, case.limits)
    return hashlib.sha256(case.pdf.read_bytes()).hexdigest()
