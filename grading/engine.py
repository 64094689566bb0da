"""The only door from the site to the courtroom: rows in, plain frozen values out.

Importing this module is cheap; the courtroom is imported inside its functions. No function here writes to
the database: what an audit tells comes out as a stream of events, and the job writes them down.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Container, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import structlog
from django.conf import settings
from pydantic import BaseModel, ValidationError

from grading import model_bench
from grading.enums import AuditState, Bench, Renewal
from grading.errors import HandInRefused, InputRefused, RubricRefused
from grading.events import (
    Beat,
    CriterionRow,
    EvidenceRow,
    Look,
    OpinionRow,
    RunEvent,
    Stage,
    UsageRow,
    Verdict,
)
from grading.listening import listen
from grading.models import Audit
from grading.provider_gate import ProviderGate
from grading.queries.known import known_opinions, known_report

if TYPE_CHECKING:
    from courtroom import AuditEvent, AuditReport, BenchSettings, Case, CourtroomError, Known, Usage
    from courtroom.rubric import Criterion, Rubric

Record = TypeVar("Record", bound=BaseModel)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
log = structlog.get_logger(__name__)
SHIPPED_RUBRICS = ("self_audit", "points", "general")
STATES = {
    "verdict": AuditState.DONE,
    "needs_review": AuditState.NEEDS_REVIEW,
    "degraded": AuditState.DEGRADED,
}


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
    from courtroom import missing_walls, warm_up

    warm_up()
    for sentence in missing_walls():
        log.warning("wall_missing", said=sentence)


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
    notes = tuple(RubricNote(note.line, note.where, note.message) for note in reading.notes)
    return _document(reading.rubric, notes)


def check_guard(text: str) -> tuple[int, str] | None:
    """What is wrong with the guard of a rule: the 0-based character that is to blame, and why. None when it is sound."""
    from courtroom import CourtroomError
    from courtroom.justice.guards import fault_of

    try:
        fault = fault_of(text)
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


@dataclass(frozen=True, slots=True)
class Marks:
    """What criteria come to. `overall_score` is null while one of them waits for a person, as in a report's headline."""

    criteria: tuple[CriterionRow, ...]
    overall_score: float | None
    points_earned: float | None
    points_possible: float | None


def marks_under(
    document: dict[str, Any], works: Sequence[tuple[Sequence[CriterionRow], Mapping[str, int]]]
) -> list[Marks]:
    """For each work its verdicts under the rubric `document`, with a person's scores (1 to 5, by criterion) in place.

    Levels, points and sums are the courtroom's own arithmetic. A score given by a person ends both the waiting
    for review and the leaving out. What the rubric does not know stays as it is and counts for nothing.
    """
    from courtroom import Rubric

    rubric = Rubric.model_validate(document)
    known = {criterion.id: criterion for criterion in rubric.criteria}
    return [
        _marks(
            rubric,
            tuple(
                _scored(known.get(row.criterion_id), row, scores.get(row.criterion_id)) for row in verdicts
            ),
            [row.criterion_id for row in verdicts if row.criterion_id in known],
        )
        for verdicts, scores in works
    ]


def _marks(rubric: Rubric, rows: tuple[CriterionRow, ...], known: Container[str]) -> Marks:
    from courtroom.justice.marks import overall_score, tally
    from courtroom.record import CriterionResult

    results = [
        CriterionResult(
            id=row.criterion_id,
            name=row.name,
            final_score=row.score,
            points=row.points,
            max_points=row.max_points,
            rationale="",
        )
        for row in rows
        if row.criterion_id in known
    ]
    points = tally(results)
    return Marks(
        criteria=rows,
        overall_score=None if any(row.needs_review for row in rows) else overall_score(rubric, results),
        points_earned=points.earned if points else None,
        points_possible=points.possible if points else None,
    )


def _scored(criterion: Criterion | None, row: CriterionRow, score: int | None) -> CriterionRow:
    from courtroom.justice.marks import level_of, points_of

    if criterion is None or score is None:
        return row
    level = level_of(criterion, score)
    return replace(
        row,
        score=score,
        level=level.name if level else "",
        points=points_of(criterion, score),
        max_points=criterion.max_points,
        needs_review=False,
        excluded=False,
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

    case, bench, known = _case(audit), _bench(audit), _known(audit)
    try:
        for event in listen(lambda: _within_limits(case, bench, known), beat_seconds=beat_seconds):
            yield from _told(event)
    except Refused as error:
        raise InputRefused(error.code, error.message) from error


def _case(audit: Audit) -> Case:
    from courtroom import Case, Rubric, constitution_of

    submission = audit.submission
    rubric = Rubric.model_validate(audit.rubric_version.document)
    return Case(
        repo_url=submission.repo_url,
        ref=_ref(audit) or None,
        pdf=Path(submission.pdf.path) if submission.pdf else None,
        rubric=rubric,
        constitution=constitution_of(rubric),
        allow_local=settings.ALLOW_LOCAL_REPOSITORIES,
    )


def _ref(audit: Audit) -> str:
    """What is judged again is the commit that was judged, wherever its branch has gone since."""
    submission = audit.submission
    return (
        submission.ref if audit.renewal == Renewal.MISSING else submission.resolved_commit or submission.ref
    )


def _bench(audit: Audit) -> BenchSettings:
    from courtroom import BenchSettings

    kind = audit.submission.assignment.bench
    chosen = model_bench.settings_of(audit) if kind == Bench.LLM else {}
    return BenchSettings.model_validate({"kind": kind, "fence_secret": settings.EVIDENCE_SECRET, **chosen})


async def _within_limits(case: Case, bench: BenchSettings, known: Known) -> AsyncIterator[AuditEvent]:
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
        async for event in hold_audit(case, bench=bench, known=known, gate=gate):
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


def _told(event: AuditEvent | None) -> Iterator[RunEvent]:
    if event is None:
        yield Beat()
    elif event.report is not None:
        yield verdict_of(event.report)
    elif event.kind == "opinion":
        yield opinion_row(event)
    elif event.kind == "evidence":
        if usage := _usage(event.model, event.usage):
            yield Look(usage=usage)
        yield tuple(_evidence(piece) for piece in event.evidence)
    elif event.stage:
        yield Stage(name=event.stage, ended=event.ended)


def opinion_row(event: AuditEvent) -> OpinionRow:
    """A judge's answer as it is stored."""
    said = event.opinion or event.failure
    if said is None:
        raise RuntimeError("an opinion event without an opinion")
    return OpinionRow(
        key=said.key,
        judge=said.judge,
        criterion_id=said.criterion_id,
        round=said.round,
        score=event.opinion.score if event.opinion else None,
        document=_storable(said.model_dump(mode="json")),
        usage=_usage(said.model, event.usage),
    )


def _usage(model: str, usage: Usage | None) -> UsageRow | None:
    """Null for an answer that was known, or came with another in one call."""
    if usage is None or not usage.calls:
        return None
    return UsageRow(model=model, **usage.model_dump(exclude={"reused"}))


def _evidence(piece: Any) -> EvidenceRow:
    return EvidenceRow(
        key=piece.id,
        detective=piece.detective,
        check=piece.check,
        found=piece.found,
        path=_storable(piece.location.path or ""),
        line_start=piece.location.line_start,
        document=_storable(piece.model_dump(mode="json")),
    )


def _storable(value: Any) -> Any:
    """JSON that PostgreSQL takes: a NUL or half a surrogate pair, which models do send, becomes U+FFFD."""
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {_storable(key): _storable(item) for key, item in value.items()}
    return value


def _resealed(report: AuditReport) -> AuditReport:
    """The report as it can be stored; its digest is of what is stored."""
    told = report.as_json()
    storable = _storable(told)
    return report if storable == told else type(report).model_validate(storable).sealed()


def verdict_of(told: AuditReport) -> Verdict:
    """A report, and its rows as they are stored."""
    report = _resealed(told)
    return Verdict(
        state=STATES[report.status],
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
