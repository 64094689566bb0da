"""Report against repository: its files, its claims and its diagram, compared with the code.

This needs both sides, so it happens where the results of all detectives meet.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from courtroom.analysis.diagrams.diagram_kind import DiagramResult, diagram_of
from courtroom.analysis.diagrams.written_flows import flow_pages
from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.analysis.pdf_claims.change_claims import idle_changes
from courtroom.analysis.pdf_claims.claimed_names import CheckedNames, name_facts
from courtroom.analysis.pdf_claims.claimed_paths import ClaimedPath
from courtroom.analysis.pdf_claims.claims import (
    CheckedClaim,
    checked_claims,
    empty_file_claims,
    one_fault_once,
    sentences_on_code,
)
from courtroom.analysis.pdf_claims.commit_counts import overstated_commits
from courtroom.analysis.pdf_claims.denials import stale_denials
from courtroom.analysis.pdf_claims.judge_scores import impossible_scores
from courtroom.analysis.pdf_claims.listed_scores import differing_scores
from courtroom.analysis.pdf_claims.path_standing import check_against_tree, path_facts
from courtroom.analysis.pdf_claims.report_origin import origin_of
from courtroom.analysis.pdf_claims.unkept_claims import unkept_claims
from courtroom.analysis.project.deferrals import deferrals_on_pages
from courtroom.analysis.project.score_claims import claims_on_pages, held_claims
from courtroom.checks.from_report import NO_PDF, as_read, markdown_beside
from courtroom.checks.graph_topology import dead_routes
from courtroom.checks.pdf_paths import NO_NAMES, NO_TREE
from courtroom.checks.registry import Check, detective_for, kind_of, unknown_kind
from courtroom.checks.result import Finding, could_not_read, not_answered, reader_failed
from courtroom.checks.sources import Comparison
from courtroom.detectives.detective_result import NAME_FACTS, PATH_FACTS, Claim, DetectiveResult
from courtroom.detectives.diagram_survey import diagrams_of_both
from courtroom.models.errors import ExaminationFailed
from courtroom.models.evidence import CheckOutcome
from courtroom.models.facts import GraphFact
from courtroom.models.project_facts import Deferral

_COMMENT = re.compile(r"#.*")
_TEMPORARY_DIRECTORY = re.compile(r"\bTemporaryDirectory\(")
_OTHER_FOLDER = re.compile(r"\bmkdtemp\(")


def compare_sources(
    results: Sequence[DetectiveResult],
    pdf: PdfReading | ExaminationFailed | None,
    code: Mapping[str, Any],
    files: Mapping[str, Sequence[str]] | None,
    names: CheckedNames | None,
    words: Mapping[str, Any],
    quotations: Sequence[CheckedClaim] = (),
) -> Comparison:
    """Compare the report's claims with tree and code, and all diagrams with the code's graph.

    `code` are the facts by name, as JSON; `files` the lines of the files that may hold a diagram,
    and of the clone function's, null when they could not be read. `names` were looked up already, as were the `words` of
    source_words, which are none where no source was read, and the `quotations` that no source has.
    """
    claims = next((result.claims for result in results if result.claims is not None), None)
    tree = next((result.paths for result in results if result.paths is not None), None)
    graph = GraphFact.model_validate(code["graph"]) if code.get("graph") else None
    reading = pdf if isinstance(pdf, PdfReading) else None

    paths = None
    held = _held_claims(pdf, {**code, **words}, files or {})
    changes = {path: times for result in results for path, times in result.changed_at.items()}
    if held and reading:
        held = (*held, *quotations, *idle_changes(reading, code, changes))
    if claims is not None and tree is not None:
        is_recognised = reading is not None and reading.text_layer == "scanned"
        paths = check_against_tree(map(_claimed_path, claims), tree, is_recognised=is_recognised)
        empty = {path for result in results for path in result.empty_paths}
        held = held and (*held, *empty_file_claims(paths.verified, tree, empty))

    deferrals = deferrals_on_pages(reading.pages) if reading else ()
    return Comparison(
        pdf=pdf,
        code=code,
        paths=paths,
        names=names,
        claims=held,
        diagram=diagram_of(reading, graph) if reading else None,
        diagrams=None if files is None else diagrams_of_both(reading, files, graph),
        deferrals=tuple(Deferral(**deferral) for deferral in deferrals),
        claimed_scores=_claimed_scores(reading, code),
        listed_scores=_listed_scores(reading, code),
        beside=markdown_beside(tree or ()),
        origin=origin_of(reading, files or {}, _own_audits(code)) if reading else "",
        sentences=sentences_on_code(reading) if reading else 0,
    )


def _claimed_scores(
    reading: PdfReading | None, code: Mapping[str, Any]
) -> tuple[dict[str, Any], ...]:
    audits = code.get("own_audits")
    if reading is None:
        return ()
    claims = claims_on_pages(reading.pages)
    return tuple(held_claims(claims, audits, is_all=code.get("unread_outputs") == []))


def _listed_scores(reading: PdfReading | None, code: Mapping[str, Any]) -> str:
    # An audit that could not be read may have them.
    if reading is None or code.get("unread_outputs") != []:
        return ""
    return differing_scores(reading, code.get("own_audits") or ())


def _own_audits(code: Mapping[str, Any]) -> list[str]:
    audits = code.get("own_audits") or ()
    return [audit["path"] for audit in audits if audit["about"] != "received"]


def _claimed_path(claim: Claim) -> ClaimedPath:
    return ClaimedPath(claim.path, claim.page, claim.passage, claim.is_of_plan)


def _held_claims(
    pdf: PdfReading | ExaminationFailed | None,
    code: Mapping[str, Any],
    files: Mapping[str, Sequence[str]],
) -> tuple[CheckedClaim, ...] | None:
    if pdf is None:
        return ()
    if isinstance(pdf, ExaminationFailed) or pdf.unread:
        return None
    clone = code.get("clone_function")
    is_made = makes_temporary_directory(clone, files)
    is_own = is_made is True
    if clone and clone.get("in_temporary_directory"):
        is_made = True
    # Another function that clones may make one.
    if is_made is False and code.get("temporary_directories") != []:
        is_made = None
    has_dead_routes = bool(dead_routes(code))
    facts = {
        **code,
        "clone_temporary_directory": is_made,
        "clone_makes_its_folder": is_own,
        "has_dead_routes": has_dead_routes,
    }
    # A report claims that errors lead elsewhere, not only that such an edge is there.
    if has_dead_routes:
        facts["conditional_error_route"] = False
    return (
        *one_fault_once(checked_claims(pdf, facts)),
        *overstated_commits(pdf, facts),
        *stale_denials(pdf, facts),
        *impossible_scores(pdf, facts),
        *unkept_claims(pdf, facts),
    )


def finding_from_both(check: Check, comparison: Comparison) -> Finding:
    """The answer to a check that no detective could give alone."""
    if isinstance(comparison.pdf, ExaminationFailed):
        return reader_failed(comparison.pdf)

    kind = kind_of(check)
    if kind is None:
        return unknown_kind(check)
    if comparison.pdf and _is_unread(check, comparison.pdf):
        return could_not_read(" ".join(filter(None, [comparison.pdf.unread, comparison.beside])))
    finding = kind.compare(check, comparison) if kind.compare else None
    finding = finding or not_answered()
    return as_read(finding, comparison.pdf.confidence) if comparison.pdf else finding


def _is_unread(check: Check, reading: PdfReading) -> bool:
    """Return whether nothing answers the check: a model may have seen the diagrams of a scan."""
    has_pictures = reading.vision_pictures is not None
    is_on_pictures = detective_for(check) == "VisionInspector"
    return bool(reading.unread) and not (is_on_pictures and has_pictures)


def is_open_again(check: Check, outcome: CheckOutcome, comparison: Comparison) -> bool:
    """The report may answer what the repository alone did not."""
    kind = kind_of(check)
    return bool(kind and kind.reopens and kind.reopens(check, outcome, comparison))


def comparison_facts(comparison: Comparison) -> tuple[dict[str, Any], dict[str, str]]:
    """The facts on paths, claims and diagrams, and why they are null."""
    has_diagrams = comparison.diagrams is not None
    facts: dict[str, Any] = {"diagrams": comparison.diagrams} if has_diagrams else {}
    reasons = {} if has_diagrams else {"diagrams": NO_TREE}

    if isinstance(comparison.pdf, ExaminationFailed):
        return facts, reasons

    if comparison.paths:
        facts |= path_facts(comparison.paths)
    else:
        reasons |= dict.fromkeys(PATH_FACTS, NO_TREE)
    if comparison.names:
        facts |= name_facts(comparison.names)
    else:
        reasons |= dict.fromkeys(NAME_FACTS, NO_NAMES)
    if comparison.claims is not None:
        facts["pdf_claims"] = {held.claim.feature: held.standing for held in comparison.claims}

    facts["pdf_flows"] = flow_pages(comparison.pdf.pages if comparison.pdf else ())
    diagram = comparison.diagram or DiagramResult("none", NO_PDF)
    facts["pdf_diagram"] = diagram.kind
    if diagram.kind is None:
        reasons["pdf_diagram"] = diagram.reason
    return facts, reasons


def makes_temporary_directory(
    function: Mapping[str, Any] | None, files: Mapping[str, Sequence[str]]
) -> bool | None:
    """Return true for a clone into a TemporaryDirectory, false for a folder of mkdtemp.

    `function` is the fact clone_function, `files` holds the lines of its file; null where it makes
    its folder elsewhere.
    """
    if function is None:
        return None

    body = _code(_definition(files.get(function["path"], []), function["line"]))
    is_temporary, is_other = (
        pattern.search(body) is not None for pattern in (_TEMPORARY_DIRECTORY, _OTHER_FOLDER)
    )
    return is_temporary if is_temporary != is_other else None


def _code(lines: Sequence[str]) -> str:
    return _COMMENT.sub("", "\n".join(lines))


def _definition(lines: Sequence[str], start: int) -> list[str]:
    """The `def` line and everything indented deeper; closing brackets of its head belong to it."""
    head, rest = lines[start - 1 : start], lines[start:]
    depth = _indent(head[0]) if head else 0
    inside = takewhile(
        lambda line: not line.strip() or _indent(line) > depth or line.strip()[0] in ")]", rest
    )
    return [*head, *inside]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
