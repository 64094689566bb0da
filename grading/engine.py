"""The only door from the site to the courtroom: rows in, plain frozen values out.

Importing this module is cheap; the courtroom is imported inside its functions. No function here writes to
the database: what an audit tells comes out as a stream of events, and the job writes them down.
"""

from __future__ import annotations

import asyncio
import queue
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from django.conf import settings

from grading.enums import AuditState, Bench
from grading.errors import HandInRefused, InputRefused, RubricRefused
from grading.events import Beat, CriterionRow, EvidenceRow, OpinionRow, RunEvent, Stage, Verdict
from grading.models import Audit, OpinionRecord

if TYPE_CHECKING:
    from courtroom import AuditEvent, AuditReport, BenchSettings, Case, CourtroomError, Known

SHIPPED_RUBRICS = ("self_audit", "points", "general")
STATES = {
    "verdict": AuditState.DONE,
    "needs_review": AuditState.NEEDS_REVIEW,
    "degraded": AuditState.DEGRADED,
}


@dataclass(frozen=True, slots=True)
class RubricDocument:
    """A rubric as the courtroom writes it, fit to be stored; `notes` say what was not understood in it."""

    name: str
    slug: str
    document: dict[str, Any]
    digest: str
    notes: tuple[str, ...] = ()


def preload() -> None:
    """Pay for langgraph now, in a worker's parent process, so that no forked job pays again."""
    from courtroom import warm_up

    warm_up()


def can_judge_with_models() -> bool:
    """Whether the operator named a model for every judge."""
    return all((settings.PROSECUTOR_MODEL, settings.DEFENSE_MODEL, settings.TECH_LEAD_MODEL))


def probe_repository(repo_url: str, ref: str) -> str:
    """The commit that would be audited now. Raises HandInRefused for repo_url or ref."""
    from courtroom import CourtroomError, probe_repository

    try:
        return str(probe_repository(repo_url, ref=ref or None, allow_local=settings.ALLOW_LOCAL_REPOSITORIES))
    except CourtroomError as error:
        raise _refusal("ref" if "_ref" in error.code else "repo_url", error) from error


def probe_pdf(path: Path) -> None:
    """Whether the file is a PDF that can be read. Raises HandInRefused for pdf."""
    from courtroom import CourtroomError, Limits, probe_pdf

    try:
        probe_pdf(path, Limits())
    except CourtroomError as error:
        raise _refusal("pdf", error) from error


def _refusal(field: str, error: CourtroomError) -> HandInRefused:
    return HandInRefused(field, error.code, error.message)


def read_rubric(text: str) -> RubricDocument:
    """A rubric in any layout that the courtroom reads. Raises RubricRefused."""
    from courtroom import CourtroomError, read_rubric

    try:
        reading = read_rubric(text)
    except CourtroomError as error:
        raise RubricRefused(error.code, error.message) from error
    return _document(reading.rubric, tuple(f"line {note.line}: {note.message}" for note in reading.notes))


def shipped_rubric(name: str) -> RubricDocument:
    """One of SHIPPED_RUBRICS and nothing else: the courtroom would open a path. Raises RubricRefused."""
    from courtroom import CourtroomError, shipped_rubric

    if name not in SHIPPED_RUBRICS:
        raise RubricRefused("rubric_unknown", f"There is no rubric “{name}” on this site.")
    try:
        return _document(shipped_rubric(name))
    except CourtroomError as error:
        raise RubricRefused(error.code, error.message) from error


def _document(rubric: Any, notes: tuple[str, ...] = ()) -> RubricDocument:
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

    try:
        for event in _events(_case(audit), _bench(audit), _known(audit), beat_seconds):
            yield from _told(event)
    except Refused as error:
        raise InputRefused(error.code, error.message) from error


def _events(
    case: Case, bench: BenchSettings, known: Known, beat_seconds: float
) -> Iterator[AuditEvent | None]:
    """The courtroom's events; None when a beat passed without one."""
    inbox: queue.SimpleQueue[AuditEvent | BaseException | None] = queue.SimpleQueue()
    loop = asyncio.new_event_loop()
    thread = Thread(target=_attend, args=(loop, inbox, case, bench, known), name="courtroom", daemon=True)
    thread.start()
    try:
        while True:
            try:
                event = inbox.get(timeout=beat_seconds)
            except queue.Empty:
                yield None
                continue
            if event is None:
                return
            if isinstance(event, BaseException):
                raise event
            yield event
    finally:
        _adjourn(loop)


def _attend(
    loop: asyncio.AbstractEventLoop,
    inbox: queue.SimpleQueue[AuditEvent | BaseException | None],
    case: Case,
    bench: BenchSettings,
    known: Known,
) -> None:
    from courtroom import hold_audit

    async def listen() -> None:
        async for event in hold_audit(case, bench=bench, known=known):
            inbox.put(event)

    asyncio.set_event_loop(loop)
    try:
        loop.run_until_complete(listen())
        inbox.put(None)
    except BaseException as error:  # noqa: BLE001 -- raised again in the thread that listens
        inbox.put(error)
    finally:
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def _adjourn(loop: asyncio.AbstractEventLoop) -> None:
    """Stop what is still going on; nothing happens when the audit is over."""

    def cancel_all() -> None:
        for task in asyncio.all_tasks(loop):
            task.cancel()

    with suppress(RuntimeError):  # the loop is closed already: the audit is over
        loop.call_soon_threadsafe(cancel_all)


def _case(audit: Audit) -> Case:
    from courtroom import Case, Rubric, constitution_of

    submission = audit.submission
    rubric = Rubric.model_validate(submission.assignment.rubric_version.document)
    return Case(
        repo_url=submission.repo_url,
        ref=submission.ref or None,
        pdf=Path(submission.pdf.path) if submission.pdf else None,
        rubric=rubric,
        constitution=constitution_of(rubric),
        allow_local=settings.ALLOW_LOCAL_REPOSITORIES,
    )


def _bench(audit: Audit) -> BenchSettings:
    from courtroom import BenchSettings

    chosen: dict[str, Any] = {
        "kind": audit.submission.assignment.bench,
        "fence_secret": settings.EVIDENCE_SECRET,
    }
    if chosen["kind"] == Bench.LLM:
        chosen |= {
            "models": {
                "Prosecutor": settings.PROSECUTOR_MODEL,
                "Defense": settings.DEFENSE_MODEL,
                "TechLead": settings.TECH_LEAD_MODEL,
            },
            "api_key": settings.OPENAI_API_KEY or None,
            "base_url": settings.OPENAI_BASE_URL or None,
        }
    return BenchSettings.model_validate(chosen)


def _known(audit: Audit) -> Known:
    """The opinions this student's work at this assignment was ever given, and their latest report."""
    from courtroom import Known

    submission = audit.submission
    earlier = Audit.objects.filter(
        submission__assignment=submission.assignment_id, submission__student=submission.student_id
    )
    opinions = OpinionRecord.objects.filter(audit__in=earlier).order_by("pk")
    report = earlier.exclude(report=None).order_by("-finished_at").values_list("report", flat=True).first()
    return Known.model_validate({"opinions": [row.document for row in opinions], "report": report})


def _told(event: AuditEvent | None) -> Iterator[RunEvent]:
    if event is None:
        yield Beat()
    elif event.report is not None:
        yield _verdict(event.report)
    elif event.kind == "opinion":
        yield _opinion(event)
    elif event.kind == "evidence":
        yield tuple(_evidence(piece) for piece in event.evidence)
    elif event.stage:
        yield Stage(name=event.stage, ended=event.ended)


def _opinion(event: AuditEvent) -> OpinionRow:
    said = event.opinion or event.failure
    if said is None:
        raise RuntimeError("an opinion event without an opinion")
    return OpinionRow(
        key=said.key,
        judge=said.judge,
        criterion_id=said.criterion_id,
        round=said.round,
        score=event.opinion.score if event.opinion else None,
        document=said.model_dump(mode="json"),
    )


def _evidence(piece: Any) -> EvidenceRow:
    return EvidenceRow(
        key=piece.id,
        detective=piece.detective,
        check=piece.check,
        found=piece.found,
        path=piece.location.path or "",
        line_start=piece.location.line_start,
        document=piece.model_dump(mode="json"),
    )


def _verdict(report: AuditReport) -> Verdict:
    state = STATES[report.status]
    return Verdict(
        state=state,
        report=report.as_json(),
        digest=report.digest,
        overall_score=report.overall_score,
        commit=report.commit or "",
        criteria=tuple(
            CriterionRow(
                criterion_id=c.id,
                name=c.name,
                score=c.final_score,
                level=c.level or "",
                points=c.points,
                max_points=c.max_points,
                needs_review=c.needs_review,
                excluded=c.excluded,
            )
            for c in report.criteria
        ),
        evidence=tuple(_evidence(piece) for piece in report.evidence),
    )
