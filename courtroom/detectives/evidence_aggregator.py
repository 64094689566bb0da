"""The EvidenceAggregator: joins results, compares report and repository, verifies quotes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from courtroom.analysis.git.snapshot import Snapshot, contents, read_files
from courtroom.analysis.pdf.pdf_content import VisionPicture
from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.analysis.pdf_claims.cited_lines import misplaced_lines
from courtroom.analysis.pdf_claims.claimed_names import (
    CheckedNames,
    check_names,
    claimed_names,
    may_hold_names,
)
from courtroom.analysis.pdf_claims.claims import CheckedClaim
from courtroom.analysis.pdf_claims.model_names import models_of_code
from courtroom.analysis.pdf_claims.placed_names import misplaced_names
from courtroom.analysis.pdf_claims.quoted_texts import missing_quotations
from courtroom.analysis.pdf_claims.report_sources import is_report_source
from courtroom.analysis.pdf_claims.score_means import means_of_scores
from courtroom.analysis.pdf_claims.source_words import is_manifest, safeguard_words, source_words
from courtroom.analysis.pdf_claims.stated_values import differing_values
from courtroom.checks.registry import Check
from courtroom.checks.sources import Comparison
from courtroom.detectives.cross_reference import (
    compare_sources,
    comparison_facts,
    finding_from_both,
    is_open_again,
)
from courtroom.detectives.detective_result import DetectiveResult, Dossier, recorded_error
from courtroom.detectives.diagram_survey import chart_paths
from courtroom.detectives.evidence_writer import write_down
from courtroom.detectives.integrity_evidence import evidence_of, integrity_of, suspicions_of, tagged
from courtroom.detectives.quote_verification import verify
from courtroom.detectives.root_causes import hang_on_root_causes
from courtroom.detectives.targeting import DETECTIVES
from courtroom.models.audit_report import RecordedError
from courtroom.models.errors import ExaminationFailed
from courtroom.models.evidence import CheckOutcome, Evidence
from courtroom.models.facts import Facts, establish
from courtroom.models.project_facts import SubmissionScope
from courtroom.models.rubric import Rubric

STAGE = "EvidenceAggregator"


def aggregate(
    results: Sequence[DetectiveResult],
    snapshot: Snapshot,
    rubric: Rubric,
    pdf: PdfReading | ExaminationFailed | None,
) -> Dossier:
    """One dossier of all results: one outcome per check, evidence in the rubric's order.

    A quote that is not verbatim at its place is dropped and counted; an outcome that loses all its
    evidence is open.
    """
    # The order in which the detectives finished must not show in the report.
    results = sorted(results, key=lambda result: DETECTIVES.index(result.detective))
    code = {name: value for result in results for name, value in result.facts.items()}
    # Before the comparison, which reads the diagrams of these pictures too.
    pdf = _with_pictures(pdf, results)
    files, unread = _read_again(results, code, snapshot)
    sources = _sources(results, pdf, snapshot)
    names, words = _checked_names(pdf, sources), claim_words(sources, code.get("scope"))
    quotations = _unfounded_details(pdf, sources, code)
    held = with_means(code, pdf, sources)
    comparison = compare_sources(results, pdf, held, files, names, words, quotations)

    facts = _facts(results, comparison)
    evidence, outcomes = _joined(results, rubric.checks, comparison, snapshot)
    evidence, outcomes, unquoted = _on_root_causes(
        rubric.checks, evidence, outcomes, facts, snapshot
    )
    dropped, errors = verify(evidence, snapshot, stage=STAGE)
    suspicions = suspicions_of(results, pdf)
    kept = tagged((item for item in evidence if item.id not in dropped), suspicions)

    return Dossier(
        evidence=kept + evidence_of(suspicions, snapshot),
        outcomes=tuple(_without(dropped, outcome) for outcome in outcomes),
        facts=facts,
        errors=(*_errors(results), *unread, *unquoted, *errors),
        integrity=integrity_of(suspicions, kept),
    )


def _with_pictures(
    pdf: PdfReading | ExaminationFailed | None, results: Sequence[DetectiveResult]
) -> PdfReading | ExaminationFailed | None:
    """The reading, with the transcripts of its pictures where a model looked at them."""
    pictures = next((r.pictures for r in results if r.pictures is not None), None)
    if pictures is None or not isinstance(pdf, PdfReading):
        return pdf
    return replace(
        pdf, vision_pictures=tuple(VisionPicture(p.page, p.labels, p.edges) for p in pictures)
    )


def _read_again(
    results: Sequence[DetectiveResult], code: Mapping[str, Any], snapshot: Snapshot
) -> tuple[dict[str, list[str]] | None, tuple[RecordedError, ...]]:
    """The lines that are compared with the report: text diagrams, and the clone function's file."""
    tree = next((result.paths for result in results if result.paths is not None), None)
    if tree is None:
        return None, ()

    place = code.get("clone_function")
    paths = [*chart_paths(tree), *([place["path"]] if place else [])]
    try:
        return read_files(snapshot, paths), ()
    except ExaminationFailed as failed:
        return None, (recorded_error(STAGE, failed),)


def _sources(
    results: Sequence[DetectiveResult],
    pdf: PdfReading | ExaminationFailed | None,
    snapshot: Snapshot,
) -> dict[str, str] | None:
    """The sources by path, in which the words of a report are looked up; "" has all paths.

    Null where either was not read; empty without a report. A source of the report itself is none.
    """
    tree = next((result.paths for result in results if result.paths is not None), None)
    if tree is None or isinstance(pdf, ExaminationFailed):
        return None
    if pdf is None:
        return {}
    try:
        sources = contents(snapshot, filter(may_hold_names, tree))
        texts = {path: text.decode("utf-8", "ignore") for path, text in sources}
    except ExaminationFailed:
        return None
    is_made_from = is_report_source(pdf)
    own = {path: text for path, text in texts.items() if not is_made_from(text)}
    return {"": "\n".join(tree), **own}


def claim_words(
    sources: Mapping[str, str] | None, scope: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The words of the sources that claims are held against, those of safeguards in code that runs."""
    if not sources:
        return {}
    texts = [text for path, text in sources.items() if not is_manifest(path)]
    unreached = (scope or {}).get("unreached") or ()
    code = {
        path: text
        for path, text in _product(sources, scope).items()
        if not is_manifest(path) and not path.endswith(".json") and path not in unreached
    }
    models = {"model_names": models_of_code(code)}
    return {**source_words(texts), **safeguard_words([*code.values()]), **models}


def _product(sources: Mapping[str, str], scope: Mapping[str, Any] | None) -> dict[str, str]:
    """The sources of the product by path."""
    product = SubmissionScope.model_validate(scope) if scope else None
    return {
        path: text
        for path, text in sources.items()
        if path and (product is None or product.holds(path))
    }


def with_means(
    code: Mapping[str, Any],
    pdf: PdfReading | ExaminationFailed | None,
    sources: Mapping[str, str] | None,
) -> Mapping[str, Any]:
    """The facts, with weighted means of the judges' scores for a report that speaks of averages.

    Of a plain mean that becomes a verdict the facts tell by themselves.
    """
    is_asked = isinstance(pdf, PdfReading) and any("averag" in page for page in pdf.pages)
    if not (is_asked and sources) or code.get("averaged_scores"):
        return code
    means = means_of_scores(_product(sources, code.get("scope")))
    return {**code, "averaged_scores": means} if means else code


def _checked_names(
    pdf: PdfReading | ExaminationFailed | None, sources: Mapping[str, str] | None
) -> CheckedNames | None:
    """The report's names of code, looked up in the sources; null where either was not read."""
    if sources is None or isinstance(pdf, ExaminationFailed):
        return None
    # Recognition changes letters, so a name that is missing then proves nothing.
    if pdf and pdf.text_layer != "text":
        return None
    if not pdf:
        return check_names((), sources)
    return replace(
        check_names(claimed_names(pdf), sources), misplaced=misplaced_names(pdf, sources)
    )


def _unfounded_details(
    pdf: PdfReading | ExaminationFailed | None,
    sources: Mapping[str, str] | None,
    code: Mapping[str, Any],
) -> tuple[CheckedClaim, ...]:
    """The first quotation that is not there, the first part that is not where the report says, and
    the first value of each kind that the code has otherwise.

    None where recognition read the text.
    """
    if not sources or not isinstance(pdf, PdfReading) or pdf.text_layer != "text":
        return ()
    tree, *texts = sources.values()
    return (
        *missing_quotations(pdf, texts, tree.splitlines()),
        *misplaced_lines(pdf, sources),
        *differing_values(pdf, _product(sources, code.get("scope")), code),
    )


def _joined(
    results: Sequence[DetectiveResult],
    checks: Sequence[Check],
    comparison: Comparison,
    snapshot: Snapshot,
) -> tuple[tuple[Evidence, ...], tuple[CheckOutcome, ...]]:
    """Evidence and outcomes in the rubric's order; open checks are answered from both sides."""
    outcomes = {outcome.check: outcome for result in results for outcome in result.outcomes}
    again = {
        check.id
        for check in checks
        if check.id in outcomes and is_open_again(check, outcomes[check.id], comparison)
    }

    findings = [
        (check, finding_from_both(check, comparison))
        for check in checks
        if check.id not in outcomes or check.id in again
    ]

    try:
        # A claim may stand in a file of the repository, beside those of the report.
        added, answers = write_down(findings, snapshot)
    except ExaminationFailed:
        # Without a commit these places are dropped below, with the error.
        added, answers = write_down(findings)
    outcomes |= {outcome.check: outcome for outcome in answers}

    # Evidence of a reopened check is replaced, with its outcome, by the answer from both sides.
    order = {check.id: place for place, check in enumerate(checks)}
    kept = (item for result in results for item in result.evidence if item.check not in again)
    items = [item for item in (*kept, *added) if item.check in order]
    ranked = sorted(items, key=lambda item: order[item.check])
    by_id = {item.id: item for item in ranked}
    return tuple(by_id.values()), tuple(outcomes[check.id] for check in checks)


def _on_root_causes(
    checks: Sequence[Check],
    evidence: tuple[Evidence, ...],
    outcomes: tuple[CheckOutcome, ...],
    facts: Facts,
    snapshot: Snapshot,
) -> tuple[tuple[Evidence, ...], tuple[CheckOutcome, ...], tuple[RecordedError, ...]]:
    """Evidence and outcomes with the root causes, or as they were where a line cannot be read."""
    known = facts.model_dump(mode="json", by_alias=True)
    try:
        return *hang_on_root_causes(checks, evidence, outcomes, known, snapshot), ()
    except ExaminationFailed as failed:
        return evidence, outcomes, (recorded_error(STAGE, failed),)


def _without(dropped: Collection[str], outcome: CheckOutcome) -> CheckOutcome:
    kept = tuple(id_ for id_ in outcome.evidence if id_ not in dropped)
    if outcome.evidence and not kept:
        reason = "Its evidence could not be verified."
        return CheckOutcome(check=outcome.check, met=None, reason=reason)
    return outcome.model_copy(update={"evidence": kept})


def _facts(results: Sequence[DetectiveResult], comparison: Comparison) -> Facts:
    facts, reasons = comparison_facts(comparison)
    for result in results:
        facts |= result.facts
        reasons |= result.reasons

    # The repository's deferrals are in the facts already; the report adds its own.
    if facts.get("deferrals") is not None:
        in_report = [deferral.model_dump() for deferral in comparison.deferrals]
        facts["deferrals"] = [*facts["deferrals"], *in_report]
    if facts.get("claimed_scores") is not None:
        facts["claimed_scores"] = [*facts["claimed_scores"], *comparison.claimed_scores]
    return establish(facts, reasons)


def _errors(results: Sequence[DetectiveResult]) -> tuple[RecordedError, ...]:
    return tuple(dict.fromkeys(error for result in results for error in result.errors))
