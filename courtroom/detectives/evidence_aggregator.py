"""The EvidenceAggregator: joins the testimonies, holds report against repository, and verifies every quote."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from courtroom.analysis.git.snapshot import Snapshot, read_files
from courtroom.analysis.pdf.pdf_content import SeenPicture
from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.detectives.cross_reference import (
    BothSides,
    facts_of_both,
    finding_on_both,
    is_open_again,
    lay_side_by_side,
)
from courtroom.detectives.detective_result import DetectiveResult, Dossier, recorded_error
from courtroom.detectives.diagram_survey import chart_paths
from courtroom.detectives.evidence_writer import write_down
from courtroom.detectives.integrity_evidence import evidence_of, integrity_of, suspicions_of, tagged
from courtroom.detectives.quote_verification import unverified
from courtroom.detectives.targeting import DETECTIVES
from courtroom.models.errors import ExaminationFailed
from courtroom.models.facts import Facts, establish
from courtroom.models.record import CheckOutcome, Evidence, RecordedError
from courtroom.models.rubric import Check, Rubric

STAGE = "EvidenceAggregator"
UNVERIFIED = "evidence_unverified"


def aggregate(
    testimonies: Sequence[DetectiveResult],
    snapshot: Snapshot,
    rubric: Rubric,
    pdf: PdfReading | ExaminationFailed | None,
) -> Dossier:
    """One dossier of all testimonies, whatever their order: one outcome per check, evidence in rubric order.

    What is not verbatim at its place is dropped and counted; an outcome that loses all its evidence is open.
    """
    testimonies = sorted(testimonies, key=lambda t: DETECTIVES.index(t.detective))
    code = {name: value for testimony in testimonies for name, value in testimony.facts.items()}
    pdf = _with_pictures(pdf, testimonies)
    files, unread = _read_again(testimonies, code, snapshot)
    sides = lay_side_by_side(testimonies, pdf, code, files)
    evidence, outcomes = _joined(testimonies, rubric.checks, sides)
    dropped, errors = _verify(evidence, snapshot)
    suspicions = suspicions_of(testimonies, pdf)
    kept = tagged((item for item in evidence if item.id not in dropped), suspicions)
    suspicious = evidence_of(suspicions, snapshot)
    return Dossier(
        evidence=kept + suspicious,
        outcomes=tuple(_without(dropped, outcome) for outcome in outcomes),
        facts=_facts(testimonies, sides),
        errors=(*_errors(testimonies), *unread, *errors),
        integrity=integrity_of(suspicions, kept),
    )


def _with_pictures(
    pdf: PdfReading | ExaminationFailed | None, testimonies: Sequence[DetectiveResult]
) -> PdfReading | ExaminationFailed | None:
    """The reading, with what a model saw in its pictures if one looked."""
    seen = next((t.seen for t in testimonies if t.seen is not None), None)
    if seen is None or not isinstance(pdf, PdfReading):
        return pdf
    return replace(pdf, seen=tuple(SeenPicture(one.page, one.labels, one.edges) for one in seen))


def _read_again(
    testimonies: Sequence[DetectiveResult], code: Mapping[str, Any], snapshot: Snapshot
) -> tuple[dict[str, list[str]] | None, tuple[RecordedError, ...]]:
    """The lines of what only shows its meaning beside the report: diagrams as text, and the clone function."""
    tree = next((t.paths for t in testimonies if t.paths is not None), None)
    if tree is None:
        return None, ()
    place = code.get("clone_function")
    try:
        return read_files(snapshot, [*chart_paths(tree), *([place["path"]] if place else [])]), ()
    except ExaminationFailed as failed:
        return None, (recorded_error(STAGE, failed),)


def _joined(
    testimonies: Sequence[DetectiveResult], checks: Sequence[Check], sides: BothSides
) -> tuple[tuple[Evidence, ...], tuple[CheckOutcome, ...]]:
    """Evidence and outcomes in the rubric's order, with answers to the checks that are still open for both."""
    given = {outcome.check: outcome for testimony in testimonies for outcome in testimony.outcomes}
    again = {c.id for c in checks if c.id in given and is_open_again(c, given[c.id], sides)}
    unanswered = [
        (c, finding_on_both(c, sides)) for c in checks if c.id not in given or c.id in again
    ]
    added, answers = write_down(unanswered)
    outcomes = given | {outcome.check: outcome for outcome in answers}
    order = {check.id: place for place, check in enumerate(checks)}
    told = (item for testimony in testimonies for item in testimony.evidence)
    items = [*(item for item in told if item.check not in again), *added]
    ranked = sorted(
        (item for item in items if item.check in order), key=lambda item: order[item.check]
    )
    return tuple({item.id: item for item in ranked}.values()), tuple(
        outcomes[check.id] for check in checks
    )


def _verify(
    evidence: Sequence[Evidence], snapshot: Snapshot
) -> tuple[Collection[str], tuple[RecordedError, ...]]:
    """What to drop. When nothing can be read again, every quote is dropped: none of them is verified."""
    try:
        dropped = unverified(evidence, snapshot)
    except ExaminationFailed as failed:
        return {item.id for item in evidence if item.location.path}, (
            recorded_error(STAGE, failed),
        )
    if not dropped:
        return dropped, ()
    message = (
        f"{len(dropped)} pieces of evidence were not verbatim at their place and were dropped."
    )
    return dropped, (RecordedError(stage=STAGE, code=UNVERIFIED, message=message),)


def _without(dropped: Collection[str], outcome: CheckOutcome) -> CheckOutcome:
    kept = tuple(id_ for id_ in outcome.evidence if id_ not in dropped)
    if outcome.evidence and not kept:
        reason = "Not established: its evidence could not be verified."
        return CheckOutcome(check=outcome.check, met=None, reason=reason)
    return outcome.model_copy(update={"evidence": kept})


def _facts(testimonies: Sequence[DetectiveResult], sides: BothSides) -> Facts:
    facts, reasons = facts_of_both(sides)
    for testimony in testimonies:
        facts |= testimony.facts
        reasons |= testimony.reasons
    if facts.get("deferrals") is not None:
        facts["deferrals"] = [*facts["deferrals"], *(one.model_dump() for one in sides.put_off)]
    return establish(facts, reasons)


def _errors(testimonies: Sequence[DetectiveResult]) -> tuple[RecordedError, ...]:
    return tuple(dict.fromkeys(error for testimony in testimonies for error in testimony.errors))
