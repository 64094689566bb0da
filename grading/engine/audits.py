"""The only door from the site to the courtroom: rows in, plain frozen values out.

Importing this module is cheap; the courtroom is imported inside its functions. No function here writes to
the database: what an audit tells comes out as a stream of events, and the job writes them down.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import structlog
from django.conf import settings
from pydantic import BaseModel, ValidationError

from grading.core.async_stream import listen
from grading.core.enums import AuditKind, Bench, Renewal
from grading.core.errors import InputRefused, RubricRefused, SubmissionRefused
from grading.engine import model_bench
from grading.engine.events import RunEvent
from grading.engine.exchange_facts import exchange_of
from grading.engine.rate_limit import ProviderGate
from grading.engine.reusable_results import known_opinions, known_report
from grading.engine.scores import Marks, marks_under
from grading.engine.stored_events import opinion_row, told, verdict_of
from grading.models import Audit

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
    """What a reader of a rubric's text left out or filled in: the 1-based line, the place as a dotted path, and why."""

    line: int
    where: str
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class RubricDocument:
    """A rubric as the courtroom writes it, fit to be stored; `notes` say what was not understood in it."""

    name: str
    slug: str
    document: dict[str, Any]
    digest: str
    notes: tuple[RubricNote, ...] = ()


def preload() -> None:
    """Pay for langgraph now, in a worker's parent process, so that no forked job pays again.

    The operator is told, once per worker, which of the walls around submissions this machine cannot build.
    """
    from courtroom import missing_protections, warm_up

    warm_up()
    for sentence in missing_protections():
        log.warning("wall_missing", said=sentence)


def probe_repository(repo_url: str, ref: str) -> str:
    """The commit that would be audited now. Raises SubmissionRefused for repo_url or ref."""
    from courtroom import CourtroomError, probe_repository

    try:
        return str(
            probe_repository(
                repo_url, ref=ref or None, allow_local=settings.ALLOW_LOCAL_REPOSITORIES
            )
        )
    except CourtroomError as error:
        raise _refusal("ref" if "_ref" in error.code else "repo_url", error) from error


def probe_pdf(path: Path) -> int:
    """How many pages it has, of a PDF that can be read. Raises SubmissionRefused for pdf."""
    from courtroom import CourtroomError, Limits, probe_pdf

    try:
        return probe_pdf(path, Limits())
    except CourtroomError as error:
        raise _refusal("pdf", error) from error


def _refusal(field: str, error: CourtroomError) -> SubmissionRefused:
    return SubmissionRefused(field, error.code, error.message)


def read_rubric(text: str) -> RubricDocument:
    """A rubric in any layout that the courtroom reads. Raises RubricRefused."""
    from courtroom import CourtroomError, read_rubric

    try:
        reading = read_rubric(text)
    except CourtroomError as error:
        raise RubricRefused(error.code, error.message) from error
    notes = tuple(RubricNote(note.line, note.where, note.message) for note in reading.notes)
    return _document(reading.rubric, notes)


def check_guard(text: str) -> tuple[int, str] | None:
    """What is wrong with the guard of a rule: the 0-based character that is to blame, and why. None when it is sound."""
    from courtroom import CourtroomError
    from courtroom.synthesis.guards import find_guard_error

    try:
        fault = find_guard_error(text)
    except CourtroomError as error:
        return 0, error.message
    return (fault.offset, fault.message) if fault else None


def shipped_rubric(name: str) -> RubricDocument:
    """One of SHIPPED_RUBRICS and nothing else: the courtroom would open a path. Raises RubricRefused."""
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
    """The report as Markdown; `date` is printed as it is given."""
    from courtroom import AuditReport, render_markdown

    return render_markdown(AuditReport.model_validate(report), date=date)


def hold_audit(audit: Audit, *, beat_seconds: float) -> Generator[RunEvent]:
    """Hold one audit and tell what happens, as it happens; at least one event each `beat_seconds`.

    The courtroom's event loop runs in a thread of its own, so that the caller may use the ORM between
    two events. Closing the iterator stops the audit. Raises InputRefused for what the student must mend.
    """
    from courtroom import InputRefused as Refused

    known = _known(audit)
    case, bench = _case(audit, exchange_told(audit, known)), _bench(audit)
    try:
        for event in listen(lambda: _within_limits(case, bench, known), beat_seconds=beat_seconds):
            yield from told(event)
    except Refused as error:
        raise InputRefused(error.code, error.message) from error


def exchange_told(audit: Audit, known: Known) -> ExchangeFact | None:
    """What the site knows of the student's part in rounds of peers; of a work that is judged again, what it knew then.

    A peer's audit is told nothing: what others found in that work, and what became of it, is none of that peer's.
    """
    from courtroom.models.project_facts import ExchangeFact

    if audit.kind == AuditKind.PEER:
        return None
    if audit.renewal == Renewal.OPINIONS and known.report is not None:
        return known.report.facts.exchange
    submission = audit.submission
    counts = exchange_of(assignment=submission.assignment_id, student=submission.student_id)
    return ExchangeFact.model_validate(counts.document)


def _case(audit: Audit, exchange: ExchangeFact | None) -> Case:
    from courtroom import Case, Rubric, constitution_of

    submission = audit.submission
    rubric = Rubric.from_stored(audit.rubric_version.document)
    return Case(
        repo_url=submission.repo_url,
        ref=_ref(audit) or None,
        pdf=Path(submission.pdf.path) if submission.pdf else None,
        rubric=rubric,
        constitution=constitution_of(rubric),
        allow_local=settings.ALLOW_LOCAL_REPOSITORIES,
        exchange=exchange,
    )


def _ref(audit: Audit) -> str:
    """What is judged again, or by a peer, is the commit that was judged, wherever its branch has gone since."""
    submission = audit.submission
    if audit.renewal == Renewal.MISSING and audit.kind != AuditKind.PEER:
        return submission.ref
    return submission.resolved_commit or submission.ref


def _bench(audit: Audit) -> BenchSettings:
    from courtroom import BenchSettings

    kind = audit.submission.assignment.bench
    chosen = model_bench.settings_of(audit) if kind == Bench.LLM else {}
    return BenchSettings.model_validate(
        {"kind": kind, "fence_secret": settings.EVIDENCE_SECRET, **chosen}
    )


async def _within_limits(
    case: Case, bench: BenchSettings, known: Known
) -> AsyncIterator[AuditEvent]:
    """The audit's events; every call to a provider passes the gate that all workers share."""
    from courtroom import hold_audit

    key = bench.api_key.get_secret_value() if bench.api_key else ""
    gate = ProviderGate(
        redis_url=settings.REDIS_URL,
        key=f"{bench.base_url} {key}",
        requests=settings.MODEL_REQUESTS_PER_MINUTE,
        tokens=settings.MODEL_TOKENS_PER_MINUTE,
    )
    try:
        async for event in hold_audit(case, bench=bench, known=known, rate_limit=gate):
            yield event
    finally:
        await gate.close()


def _known(audit: Audit) -> Known:
    """What earlier audits of this student's work at this assignment have brought, without what is to be renewed."""
    from courtroom import AuditReport, JudicialOpinion, Known

    report = known_report(audit)
    return Known(
        opinions=tuple(_fitting(JudicialOpinion, [row.document for row in known_opinions(audit)])),
        report=next(_fitting(AuditReport, [report] if report else []), None),
    )


def _fitting(record: type[Record], documents: list[Any]) -> Iterator[Record]:
    """The stored records that still fit; one of an older courtroom is worked out anew, not a failure."""
    for document in documents:
        try:
            yield record.model_validate(document)
        except ValidationError as error:
            log.info("older_record_not_used", record=record.__name__, misfits=error.error_count())
