"""Interface from the site to the courtroom: rows in, plain frozen values out.

Importing this module is cheap; the courtroom is imported inside its functions. No function here
writes to the database, but for the use of a repository's access: an audit yields a stream of
events, and the job stores them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

import structlog
from django.conf import settings
from pydantic import BaseModel, ValidationError

from grading.core.async_stream import listen
from grading.core.enums import AuditKind, Bench, Renewal
from grading.core.errors import InputRefused, RubricRefused, SubmissionRefused
from grading.core.uploads import connect_store, copy_pdf
from grading.engine import bench_settings
from grading.engine.events import RunEvent
from grading.engine.exchange_facts import exchange_of
from grading.engine.repository_access import opened_repository
from grading.engine.reusable_results import known_opinions, known_report, known_screenings
from grading.engine.scores import Marks, marks_under
from grading.engine.shared_rate_limit import limit_for
from grading.engine.stored_events import opinion_row, site_events, verdict_of
from grading.models import Audit, Submission

if TYPE_CHECKING:
    from courtroom import AuditEvent, BenchSettings, Case, CourtroomError, Known
    from courtroom.models.project_facts import ExchangeFact

Record = TypeVar("Record", bound=BaseModel)
log = structlog.get_logger(__name__)
# What callers find at the door, wherever it is made.
__all__ = [
    "SHIPPED_RUBRICS",
    "Marks",
    "RubricDocument",
    "RubricNote",
    "check_guard",
    "hold_audit",
    "marks_under",
    "opinion_row",
    "preload",
    "prepare_readers",
    "probe_pdf",
    "probe_repository",
    "read_rubric",
    "render_markdown",
    "shipped_rubric",
    "verdict_of",
]
SHIPPED_RUBRICS = ("self_audit", "points", "general")


@dataclass(frozen=True, slots=True)
class RubricNote:
    """Part of a rubric's text that was left out or filled in: 1-based line, dotted path, reason."""

    line: int
    where: str
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class RubricDocument:
    """Rubric in the courtroom's format, ready to store; `notes` list what was not understood."""

    name: str
    slug: str
    document: dict[str, Any]
    digest: str
    notes: tuple[RubricNote, ...] = ()


def lower_priority(niceness: int) -> None:
    """Make this process and the readers of submissions that it starts give way to others."""
    from courtroom.analysis.sandbox.niceness import lower_priority as lower

    lower(niceness)


def preload() -> None:
    """Import langgraph and the store's client in a worker's parent process, so that no forked job
    pays for them again.

    Each worker logs once which protections around submissions this machine lacks.
    """
    from courtroom import missing_protections, warm_up

    warm_up()
    connect_store()
    for sentence in missing_protections():
        log.warning("wall_missing", reason=sentence)


def prepare_readers() -> None:
    """Have the readers of submissions ready for the job that this process forks next."""
    from courtroom import prepare_readers as prepare

    prepare()


def probe_repository(submission: Submission) -> str:
    """Return the commit that would be audited now. Raises SubmissionRefused for repo_url or ref.

    The submission need not be stored.
    """
    from courtroom import CourtroomError, probe_repository

    try:
        with opened_repository(submission, "a check before submitting") as access:
            return str(
                probe_repository(
                    submission.repo_url,
                    ref=submission.ref or None,
                    allow_local=settings.ALLOW_LOCAL_REPOSITORIES,
                    seconds=settings.PROBE_SECONDS,
                    access=access,
                )
            )
    except CourtroomError as error:
        # The code names the part at fault (courtroom/models/errors.py).
        raise _refusal("ref" if "_ref" in error.code else "repo_url", error) from error


def probe_pdf(path: Path) -> int:
    """Return the number of pages of a PDF. Raises SubmissionRefused for pdf."""
    from courtroom import CourtroomError, Limits, probe_pdf

    try:
        return probe_pdf(path, Limits())
    except CourtroomError as error:
        raise _refusal("pdf", error) from error


def _refusal(field: str, error: CourtroomError) -> SubmissionRefused:
    return SubmissionRefused(field, error.code, error.message)


def read_rubric(text: str) -> RubricDocument:
    """Parse a rubric in any supported layout. Raises RubricRefused."""
    from courtroom import CourtroomError, read_rubric

    try:
        reading = read_rubric(text)
    except CourtroomError as error:
        raise RubricRefused(error.code, error.message) from error
    notes = tuple(RubricNote(note.line, note.where, note.message) for note in reading.notes)
    return _document(reading.rubric, notes)


def check_guard(text: str) -> tuple[int, str] | None:
    """Return the fault of a rule's guard, or None: the 0-based character and the reason."""
    from courtroom import CourtroomError
    from courtroom.synthesis.guards import find_guard_error

    try:
        fault = find_guard_error(text)
    except CourtroomError as error:
        return 0, error.message
    return (fault.offset, fault.message) if fault else None


def shipped_rubric(name: str) -> RubricDocument:
    """Return one of SHIPPED_RUBRICS. Raises RubricRefused for any other name."""
    from courtroom import CourtroomError, shipped_rubric

    if name not in SHIPPED_RUBRICS:
        raise RubricRefused("rubric_unknown", f"There is no rubric “{name}” on this site.")
    try:
        return _document(shipped_rubric(name))
    except CourtroomError as error:
        raise RubricRefused(error.code, error.message) from error


def _document(rubric: Any, notes: tuple[RubricNote, ...] = ()) -> RubricDocument:
    return RubricDocument(
        name=rubric.name,
        slug=rubric.id.replace("_", "-"),
        document=rubric.model_dump(mode="json"),
        digest=rubric.digest,
        notes=notes,
    )


def render_markdown(report: dict[str, Any], *, date: str) -> str:
    """Return the report as Markdown; `date` is printed as given."""
    from courtroom import AuditReport, render_markdown

    return render_markdown(AuditReport.model_validate(report), date=date)


def render_sarif(report: dict[str, Any]) -> str:
    """Return the findings of the report as SARIF."""
    from courtroom import AuditReport, render_sarif

    return render_sarif(AuditReport.model_validate(report))


def render_junit(report: dict[str, Any]) -> str:
    """Return the checks of the report as JUnit XML."""
    from courtroom import AuditReport, render_junit

    return render_junit(AuditReport.model_validate(report))


def hold_audit(audit: Audit, *, beat_seconds: float) -> Generator[RunEvent]:
    """Run one audit and yield its events as they happen, at least one each `beat_seconds`.

    The courtroom's event loop runs in its own thread, so that the caller may use the ORM between
    two events. Closing the iterator stops the audit. Raises InputRefused for faults of the
    submission, UploadUnreadable where its PDF cannot be had: a failure of ours, and no verdict.
    """
    from courtroom import InputRefused as Refused

    # Everything is loaded before the event loop starts: inside it the ORM refuses to work.
    reusable = _reusable_results(audit)
    case, bench = _case(audit, exchange_fact_of(audit, reusable)), _bench(audit)
    purpose = f"the audit of attempt {audit.submission.attempt}"
    # A transfer cannot be cancelled: it may still write while the folder goes.
    with TemporaryDirectory(prefix="upload-", ignore_cleanup_errors=True) as folder:
        try:
            with opened_repository(audit.submission, purpose) as access:
                opened = case.model_copy(update={"access": access})
                for event in listen(
                    lambda: _events(opened, audit.submission, Path(folder), bench, reusable),
                    beat_seconds=beat_seconds,
                ):
                    yield from site_events(event)
        except Refused as error:
            raise InputRefused(error.code, error.message) from error


def exchange_fact_of(audit: Audit, reusable: Known) -> ExchangeFact | None:
    """Return the student's part in rounds of peers; for re-judging, as it was at that time.

    A peer's audit gets nothing: the peer must not learn what others found in that work.
    """
    from courtroom.models.project_facts import ExchangeFact

    if audit.kind == AuditKind.PEER:
        return None
    if audit.renewal == Renewal.OPINIONS and reusable.report is not None:
        return reusable.report.facts.exchange
    submission = audit.submission
    counts = exchange_of(assignment=submission.assignment_id, student=submission.student_id)
    return ExchangeFact.model_validate(counts.document)


def _case(audit: Audit, exchange: ExchangeFact | None) -> Case:
    from courtroom import Case, Rubric, constitution_of

    submission = audit.submission
    rubric = Rubric.from_stored(audit.rubric_version.document)
    return Case(
        repo_url=submission.repo_url,
        ref=submission.ref or None,
        # The one that was submitted: its branch may have moved since, and the due date passed.
        commit=submission.resolved_commit or None,
        rubric=rubric,
        constitution=constitution_of(rubric),
        allow_local=settings.ALLOW_LOCAL_REPOSITORIES,
        exchange=exchange,
        keep_sources=True,
    )


def _bench(audit: Audit) -> BenchSettings:
    from courtroom import BenchSettings

    kind = audit.submission.assignment.bench
    # For models alone: this unseals the provider's key.
    chosen = bench_settings.settings_of(audit) if kind == Bench.LLM else {}
    return BenchSettings.model_validate(
        {"kind": kind, "fence_secret": settings.EVIDENCE_SECRET, **chosen}
    )


async def _events(
    case: Case, submission: Submission, folder: Path, bench: BenchSettings, reusable: Known
) -> AsyncIterator[AuditEvent]:
    """Yield the audit's events; the PDF is fetched first, while the lease is renewed."""
    if submission.pdf:
        pdf = await asyncio.to_thread(copy_pdf, submission, folder)
        case = case.model_copy(update={"pdf": pdf})
    async for event in _within_limits(case, bench, reusable):
        yield event


async def _within_limits(
    case: Case, bench: BenchSettings, reusable: Known
) -> AsyncIterator[AuditEvent]:
    """Yield the audit's events; every call to a provider passes the rate limit of all workers."""
    from courtroom import hold_audit

    gate = limit_for(bench)
    try:
        async for event in hold_audit(case, bench=bench, known=reusable, rate_limit=gate):
            yield event
    finally:
        await gate.close()


def _reusable_results(audit: Audit) -> Known:
    """Return results of earlier audits of this student's work, without those to be renewed."""
    from courtroom import AuditReport, JudicialOpinion, Known
    from courtroom.models.audit_report import Screening

    report = known_report(audit)
    return Known(
        opinions=tuple(_fitting(JudicialOpinion, [row.document for row in known_opinions(audit)])),
        screenings=tuple(_fitting(Screening, known_screenings(audit))),
        report=next(_fitting(AuditReport, [report] if report else []), None),
    )


def _fitting(record: type[Record], documents: Iterable[Any]) -> Iterator[Record]:
    """Yield the stored records that are still valid; an older courtroom's are computed again."""
    for document in documents:
        try:
            yield record.model_validate(document)
        except ValidationError as error:
            log.info("older_record_not_used", record=record.__name__, misfits=error.error_count())
