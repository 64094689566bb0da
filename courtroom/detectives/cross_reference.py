"""Report against repository: do its files exist, do its claims hold, does its diagram show the graph in the code?

This needs both sides, so it happens where both testimonies meet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from courtroom.analysis.diagrams.diagram_kind import DiagramSighting, diagram_of
from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.analysis.pdf_claims.claimed_paths import (
    ClaimedPath,
    PathVerdicts,
    hold_against_tree,
    path_facts,
)
from courtroom.analysis.pdf_claims.claims import HeldClaim, feature_claims, hold_against_code
from courtroom.analysis.project.deferrals import deferrals_on_pages
from courtroom.detectives.claim_checks import claims_hold, claims_supported, cleans_up_by_itself
from courtroom.detectives.detective_result import PATH_FACTS, Claim, DetectiveResult
from courtroom.detectives.diagram_checks import what_it_shows
from courtroom.detectives.diagram_survey import diagrams_of_both
from courtroom.detectives.document_checks import NO_PDF, READ_NOT_UNDERSTOOD
from courtroom.detectives.findings import Clue, Finding, absent, could_not_look, present
from courtroom.models.errors import ExaminationFailed
from courtroom.models.facts import DiagramFact, GraphFact
from courtroom.models.project_facts import Deferral
from courtroom.models.record import CheckOutcome
from courtroom.models.rubric import Check, Diagram, FeedbackLog, PdfPaths

NO_TREE = "The repository's file list could not be read."


@dataclass(frozen=True, slots=True)
class BothSides:
    """What report and repository come to together. `paths` is null where either side is missing,
    `claims` where the report's text is.

    `code` holds what was found of the code, by the names of courtroom.models.facts.
    """

    pdf: PdfReading | ExaminationFailed | None
    code: Mapping[str, Any]
    paths: PathVerdicts | None
    claims: tuple[HeldClaim, ...] | None
    diagram: DiagramSighting | None
    diagrams: tuple[DiagramFact, ...] | None
    put_off: tuple[Deferral, ...]


def lay_side_by_side(
    testimonies: Sequence[DetectiveResult],
    pdf: PdfReading | ExaminationFailed | None,
    code: Mapping[str, Any],
    files: Mapping[str, Sequence[str]] | None,
) -> BothSides:
    """Hold the report's claims against the tree and the code, and all diagrams against the code's graph.

    `code` are the facts by name, as JSON; `files` the lines of the files that may hold a diagram, and of the
    clone function's, null when they could not be read.
    """
    claims = next((t.claims for t in testimonies if t.claims is not None), None)
    tree = next((t.paths for t in testimonies if t.paths is not None), None)
    graph = GraphFact.model_validate(code["graph"]) if code.get("graph") else None
    reading = pdf if isinstance(pdf, PdfReading) else None
    return BothSides(
        pdf=pdf,
        code=code,
        paths=None
        if claims is None or tree is None
        else hold_against_tree(map(_as_claimed, claims), tree),
        claims=_held(pdf, code, files or {}),
        diagram=diagram_of(reading, graph) if reading else None,
        diagrams=None if files is None else diagrams_of_both(reading, files, graph),
        put_off=tuple(Deferral(**one) for one in deferrals_on_pages(reading.pages))
        if reading
        else (),
    )


def _held(
    pdf: PdfReading | ExaminationFailed | None,
    code: Mapping[str, Any],
    files: Mapping[str, Sequence[str]],
) -> tuple[HeldClaim, ...] | None:
    if pdf is None:
        return ()
    if isinstance(pdf, ExaminationFailed) or pdf.text_layer == "none":
        return None
    cleans_up = cleans_up_by_itself(code.get("clone_function"), files)
    return hold_against_code(feature_claims(pdf), {**code, "clone_cleans_up": cleans_up})


def finding_on_both(check: Check, sides: BothSides) -> Finding:
    """The answer to a check that no detective could give alone."""
    if isinstance(sides.pdf, ExaminationFailed):
        return could_not_look(sides.pdf.message)
    match check:
        case PdfPaths(aspect="claims_hold") if sides.paths and sides.claims is not None:
            return claims_hold(check, sides.claims, sides.paths, sides.code)
        case PdfPaths(aspect="claims_supported") if sides.paths and sides.claims is not None:
            return claims_supported(check, sides.claims, sides.paths)
        case PdfPaths() if sides.paths:
            return _hallucinated(check.maximum, sides.paths)
        case PdfPaths():
            return could_not_look(NO_TREE)
        case FeedbackLog(aspect="deferred") if sides.put_off:
            return _put_off(sides.put_off)
        case Diagram() if sides.diagram:
            return what_it_shows(check, sides.diagram)
        case _:
            return could_not_look("No detective answered.")


def is_open_again(check: Check, outcome: CheckOutcome, sides: BothSides) -> bool:
    """The repository does not put work off with a reason, but the report does."""
    return (
        isinstance(check, FeedbackLog)
        and check.aspect == "deferred"
        and bool(sides.put_off)
        and not outcome.met
    )


def _put_off(deferrals: Sequence[Deferral]) -> Finding:
    why = "Puts work off, with a reason."
    clues = [
        Clue(why, one.text, page=one.page, confidence=READ_NOT_UNDERSTOOD) for one in deferrals
    ]
    return present(f"The report puts work off with a reason in {len(clues)} places.", clues)


def facts_of_both(sides: BothSides) -> tuple[dict[str, Any], dict[str, str]]:
    """The facts on paths, claims and diagrams, and why they are null."""
    drawn: dict[str, Any] = {} if sides.diagrams is None else {"diagrams": sides.diagrams}
    reasons = {} if drawn else {"diagrams": NO_TREE}
    if isinstance(sides.pdf, ExaminationFailed):
        return drawn, reasons
    facts = drawn | (path_facts(sides.paths) if sides.paths else {})
    if sides.claims is not None:
        facts["pdf_claims"] = {held.claim.feature: held.standing for held in sides.claims}
    reasons |= {} if sides.paths else dict.fromkeys(PATH_FACTS, NO_TREE)
    seen = sides.diagram or DiagramSighting("none", NO_PDF)
    return facts | {"pdf_diagram": seen.kind}, reasons | (
        {"pdf_diagram": seen.reason} if seen.kind is None else {}
    )


def _hallucinated(maximum: int, paths: PathVerdicts) -> Finding:
    missing, there = paths.hallucinated, paths.verified
    reason = f"The report names {len(missing) + len(there)} files of the repository; {len(missing)} do not exist."
    clues = [_clue(c, f"The tree has no {c.path}.") for c in missing]
    clues = clues or [_clue(c, f"{c.path} is in the tree.") for c in there]
    if not clues:
        return absent(
            reason, "Held the files that the report names against the tree: it names none."
        )
    return present(reason, clues, met=len(missing) <= maximum)


def _clue(claim: ClaimedPath, rationale: str) -> Clue:
    return Clue(
        rationale=rationale,
        statement=claim.passage,
        page=claim.page,
        confidence=READ_NOT_UNDERSTOOD,
    )


def _as_claimed(claim: Claim) -> ClaimedPath:
    return ClaimedPath(path=claim.path, page=claim.page, passage=claim.passage)
