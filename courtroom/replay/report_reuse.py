"""Reuse of an earlier report: its dossier, if its inputs are unchanged, and its opinions."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field

from courtroom.checks.registry import reads_peer_records
from courtroom.detectives.detective_result import Dossier
from courtroom.models.audit_report import (
    ENGINE,
    AuditReport,
    CriterionCheck,
    Integrity,
    JudgeReference,
    OpinionRow,
    RecordedError,
    RubricReference,
)
from courtroom.models.case import Case
from courtroom.models.evidence import CITED_TAG, SCREENED_TAG, CheckOutcome, Evidence
from courtroom.models.judge_answer import JudgeFailure, JudicialOpinion, Persona

LATER_TAGS = frozenset({CITED_TAG, SCREENED_TAG})
# Nodes of the graph that change no evidence (graph/wiring.py).
STAGES_OF_JUDGEMENT = frozenset(
    {
        "screening",
        "prosecutor",
        "defense",
        "tech_lead",
        "judge_collector",
        "rehearing",
        "second_hearing",
        "chief_justice",
        "insufficient_evidence",
        "error_collector",
    }
)


def reusable_dossier(
    earlier: AuditReport | None, case: Case, commit: str, pdf_sha256: str | None
) -> Dossier | None:
    """Return the earlier dossier if code version, commit, PDF and rubric are the same.

    A report with errors of its examination is not reused: its input is examined again. The same
    goes for one whose checks read the exchange among peers, if that has changed on the site.
    """
    if earlier is None or _examination_errors(earlier) or earlier.engine != ENGINE:
        return None
    # The PDF counts by its bytes, the rubric by its digest: names and versions may repeat.
    is_same_input = (earlier.commit, earlier.pdf_sha256, earlier.rubric.digest) == (
        commit,
        pdf_sha256,
        case.rubric.digest,
    )
    has_new_exchange = earlier.facts.exchange != case.exchange and _reads_exchange(case)
    if not is_same_input or has_new_exchange:
        return None

    dossier = dossier_of(earlier)
    return dossier.model_copy(update={"facts": dossier.facts.with_exchange(case.exchange)})


def _reads_exchange(case: Case) -> bool:
    return any(map(reads_peer_records, case.rubric.checks))


def dossier_of(report: AuditReport) -> Dossier:
    """Return the dossier of a report as the detectives left it.

    Lines that judges cited and passages that a screening named belong to the judgement.
    """
    spans = report.integrity.spans
    return Dossier(
        evidence=tuple(item for item in report.evidence if LATER_TAGS.isdisjoint(item.tags)),
        outcomes=outcomes_of(report),
        facts=report.facts,
        errors=_examination_errors(report),
        integrity=Integrity(suspected=bool(spans), spans=spans),
    )


def _examination_errors(report: AuditReport) -> tuple[RecordedError, ...]:
    """Return the errors that came before the judges: those of later stages are of one run alone."""
    return tuple(error for error in report.errors if error.stage not in STAGES_OF_JUDGEMENT)


class StoredPart(BaseModel):
    """Part of a stored report; fields that are not named here are not read."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class StoredCriterion(StoredPart):
    id: str
    opinions: tuple[OpinionRow, ...]
    second_hearing: tuple[OpinionRow, ...] = ()
    checks: tuple[CriterionCheck, ...]


class StoredFacts(BaseModel):
    """Facts as stored; only guards read them, by name."""

    unknown: dict[str, str] = Field(default_factory=dict)

    model_config = ConfigDict(frozen=True, extra="allow")


class StoredReport(StoredPart):
    """Fields of a stored report that a verdict is made from, under the report's names."""

    commit: str | None
    rubric: RubricReference
    judges: dict[Persona, JudgeReference]
    criteria: tuple[StoredCriterion, ...]
    evidence: tuple[Evidence, ...]
    facts: StoredFacts


def outcomes_of(record: AuditReport | StoredReport) -> tuple[CheckOutcome, ...]:
    """Return the outcome of every check in the order of the rubric."""
    return tuple(
        CheckOutcome(
            check=check.check,
            met=check.met,
            reason=check.reason,
            evidence=check.evidence,
            has_failed=check.has_failed,
            not_applicable=check.not_applicable,
            fault="" if check.met else check.fault,
            has_reservation=check.has_reservation,
        )
        for criterion in record.criteria
        for check in criterion.checks
    )


def opinions_of(record: AuditReport | StoredReport) -> tuple[JudicialOpinion | JudgeFailure, ...]:
    """Return every answer of every round, those on outcomes alone included."""
    cited_lines = {item.id: item for item in record.evidence if CITED_TAG in item.tags}
    return tuple(
        _answer(c.id, row, cited_lines)
        for c in record.criteria
        for row in (*c.opinions, *c.second_hearing)
    )


def _answer(
    criterion_id: str, row: OpinionRow, cited_lines: Mapping[str, Evidence]
) -> JudicialOpinion | JudgeFailure:
    place = {"judge": row.judge, "criterion_id": criterion_id, "round": row.round}

    # A failed answer has no score, and its message stands where the argument would.
    if row.score is None:
        return JudgeFailure.model_validate(
            {
                **place,
                "failure": row.failure,
                "message": row.argument,
                "model": row.model,
                "key": row.key,
                "asked": row.asked,
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
        cited_lines=tuple(cited_lines[i] for i in row.cited_evidence if i in cited_lines),
        asked=row.asked,
        invented_citations=row.invented_citations,
    )
