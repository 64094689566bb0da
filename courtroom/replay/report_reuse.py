"""What an earlier report holds for later: its dossier, while nothing it rests on has changed, and what was said."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from courtroom.checks.registry import reads_peer_records
from courtroom.detectives.detective_result import Dossier
from courtroom.models.case import Case
from courtroom.models.record import (
    ENGINE,
    AuditReport,
    CheckOutcome,
    CriterionCheck,
    Evidence,
    JudgeFailure,
    JudgeReference,
    JudicialOpinion,
    OpinionRow,
    Persona,
    RubricReference,
)


def dossier_still_holding(
    known: AuditReport | None, case: Case, commit: str, pdf_sha256: str | None
) -> Dossier | None:
    """The known report's dossier if engine, commit, PDF and rubric are the same; a failed one is examined anew.

    So is one whose checks were answered when a site knew something else of the exchange among peers.
    """
    if known is None or known.errors or known.engine != ENGINE:
        return None
    same = (known.commit, known.pdf_sha256, known.rubric.digest) == (
        commit,
        pdf_sha256,
        case.rubric.digest,
    )
    if not same or (known.facts.exchange != case.exchange and _asks_of_the_exchange(case)):
        return None
    dossier = dossier_of(known)
    return dossier.model_copy(update={"facts": dossier.facts.with_exchange(case.exchange)})


def _asks_of_the_exchange(case: Case) -> bool:
    return any(map(reads_peer_records, case.rubric.checks))


def dossier_of(report: AuditReport) -> Dossier:
    """What a report rests on, as its judges and its verdict were given it."""
    return Dossier(
        evidence=report.evidence,
        outcomes=outcomes_of(report),
        facts=report.facts,
        errors=report.errors,
        integrity=report.integrity,
    )


class RecordPart(BaseModel):
    """Of a stored report, the fields that are named; the rest is not read."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class HeardCriterion(RecordPart):
    id: str
    opinions: tuple[OpinionRow, ...]
    checks: tuple[CriterionCheck, ...]


class FactsOnRecord(BaseModel):
    """The facts as the report has them: guards ask for them by name, nothing else does."""

    unknown: dict[str, str] = Field(default_factory=dict)

    model_config = ConfigDict(frozen=True, extra="allow")


class Record(RecordPart):
    """As much of a stored report as a verdict rests on: the fields bear the report's names."""

    commit: str | None
    rubric: RubricReference
    judges: dict[Persona, JudgeReference]
    criteria: tuple[HeardCriterion, ...]
    evidence: tuple[Evidence, ...]
    facts: FactsOnRecord


def outcomes_of(record: AuditReport | Record) -> tuple[CheckOutcome, ...]:
    """The outcome of every check of the rubric, in its order."""
    return tuple(
        CheckOutcome(check=check.check, met=check.met, reason=check.reason, evidence=check.evidence)
        for criterion in record.criteria
        for check in criterion.checks
    )


def opinions_of(record: AuditReport | Record) -> tuple[JudicialOpinion | JudgeFailure, ...]:
    """Every answer on the record, of every round."""
    return tuple(_answer(c.id, row) for c in record.criteria for row in c.opinions)


def _answer(criterion_id: str, row: OpinionRow) -> JudicialOpinion | JudgeFailure:
    asked = {"judge": row.judge, "criterion_id": criterion_id, "round": row.round}
    if row.score is None:
        return JudgeFailure.model_validate(
            {
                **asked,
                "failure": row.failure,
                "message": row.argument,
                "model": row.model,
                "key": row.key,
            }
        )
    return JudicialOpinion(
        judge=row.judge,
        criterion_id=criterion_id,
        round=row.round,
        score=row.score,
        argument=row.argument,
        cited_evidence=row.cited_evidence,
        model=row.model,
        key=row.key,
    )
