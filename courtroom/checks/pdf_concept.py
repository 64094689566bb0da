"""The kind `pdf_concept`: does the report use a term, and does it explain it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.checks.from_report import from_stored_report
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import number_of
from courtroom.checks.result import INFERRED, Clue, Finding, absent, could_not_look, present
from courtroom.checks.subjects import Subjects
from courtroom.models.check import CheckBase, SearchText
from courtroom.models.facts import TermUse

if TYPE_CHECKING:
    from courtroom.checks.sources import Comparison, Sources
    from courtroom.models.evidence import CheckOutcome
    from courtroom.replay.stored_report import StoredReport

NO_CODE = "The report may name a join of the code's graph, which could not be read."
EXPLAINS_IT, NOWHERE = "explains it", "and the term stands nowhere in the report"
# Names for the place where branches meet, whatever its node is called.
JOINS = ("synchronization point", "synchronization barrier", "synchronization node")
REACH: tuple[TermUse, ...] = ("absent", "mentioned", "substantive")


class PdfConcept(CheckBase):
    """The report uses the term at least this far: `substantive` means it explains how the architecture does it.
    `is_join`: a node at which the code's graph joins branches before the verdict counts under its own name,
    and under a name for any place where branches meet."""

    kind: Literal["pdf_concept"] = "pdf_concept"
    term: SearchText
    use: TermUse = "substantive"
    is_join: bool = False


def _detect(check: PdfConcept, sources: Sources) -> Finding | None:
    return concept(check, sources.report) if sources.report else None


def concept(check: PdfConcept, report: PdfReading) -> Finding:
    """The report uses the term at least as far as required; its strongest use is shown."""
    # Imported late: whoever only reads a rubric needs no analysis of PDF text.
    from courtroom.analysis.pdf_claims.concepts import explained_without_term, use_of_term
    from courtroom.analysis.pdf_claims.join_passages import passage_on_join, speaks_of_join

    usage = use_of_term(report, check.term)
    met = _is_met(check, usage.use)
    needs_more = check.use == "substantive" != usage.use
    other = explained_without_term(report, check.term) if needs_more else None
    if other and other.passage:
        fault = (
            f"The report never uses the term “{check.term}”, though it explains what it stands for."
        )
        if usage.page:
            fault = f"The report does not use the term “{check.term}” where it explains what it stands for."
        named = f"and the term stands elsewhere, as on page {usage.page}"
        reason = f"Page {other.page} {EXPLAINS_IT}, {named if usage.page else NOWHERE}."
        clue = Clue(rationale=reason, statement=other.passage, page=other.page, confidence=INFERRED)
        return present(reason, [clue], met=met, fault=fault)
    if usage.passage is None or usage.page is None:
        pages = number_of(len(report.pages), "page")
        searched = f"Looked for “{check.term}” and its usual spellings on {pages}: it is absent."
        return absent(_reason(check, "absent"), searched, met=met)

    called = f", which calls it “{usage.other_words}”" if usage.other_words else ""
    page, passage = usage.page, usage.passage
    if check.is_join and check.use == "mentioned" and not speaks_of_join(passage):
        page, passage = passage_on_join(report, check.term) or (page, passage)
    reason = _reason(check, usage.use, f" on page {page}{called}")
    clue = Clue(rationale=reason, statement=passage, page=page, confidence=INFERRED)
    return present(reason, [clue], met=met)


def _reopens(check: PdfConcept, outcome: CheckOutcome, comparison: Comparison) -> bool:
    """The report lacks the term, but may name the node of the code that it stands for."""
    is_unmet = check.is_positive and outcome.met is False
    return check.is_join and is_unmet and isinstance(comparison.pdf, PdfReading)


def _compare(check: PdfConcept, comparison: Comparison) -> Finding | None:
    if not isinstance(comparison.pdf, PdfReading):
        return None
    from courtroom.analysis.langgraph.node_roles import joins_before_verdict

    shape = comparison.code.get("graph_shape")
    for term in (*joins_before_verdict(shape), *(JOINS if shape else ())):
        finding = concept(check.model_copy(update={"term": term}), comparison.pdf)
        if finding.met:
            return finding
    # Null files: no code was read, which may name the node that the report speaks of.
    return (
        could_not_look(NO_CODE) if comparison.diagrams is None else concept(check, comparison.pdf)
    )


def _reason(check: PdfConcept, use: TermUse, where: str = "") -> str:
    term = f"“{check.term}”"
    if use == "absent":
        return f"The report nowhere uses {term}."
    if check.use == "mentioned":
        return f"The report uses {term}{where}."
    if use == "mentioned":
        return f"The report mentions {term}{where}{',' if ', ' in where else ''} and explains it nowhere."
    return f"The report explains {term}{where}; whether it is so was not checked."


def _is_met(check: PdfConcept, use: TermUse) -> bool:
    return (REACH.index(use) >= REACH.index(check.use)) == check.is_positive


def _replay(check: PdfConcept, report: StoredReport) -> Finding | None:
    """A report keeps the use of a fixed list of terms."""
    terms = report.fact("pdf_terms")
    if terms is None:
        return report.unknown("pdf_terms")
    # Any other term must be looked for in the text, which no report keeps.
    if check.term not in terms:
        return None
    reason = _reason(check, terms[check.term])
    clue = Clue(rationale=reason, statement=reason)
    return present(reason, [clue], met=_is_met(check, terms[check.term]))


def _fault(check: PdfConcept) -> str:
    subject = "No passage was found" if check.is_positive else "A passage was found"
    verb = "explains" if check.use == "substantive" else "uses"
    return f"{subject} in the report that {verb} “{check.term}”."


def _subjects(_: PdfConcept) -> Subjects:
    return Subjects(("report",))


KIND = CheckKind(
    model=PdfConcept,
    detective="DocAnalyst",
    detect=_detect,
    compare=_compare,
    reopens=_reopens,
    replay=from_stored_report(_replay),
    fault=_fault,
    subjects=_subjects,
    label=Label(
        title="A term in the report",
        about="Substantive: the report explains how the architecture does it.",
        fields={"use": "Used at least so far", "is_join": "Or the name of a join"},
        help={"is_join": "A node of the code's graph where branches join before the verdict."},
    ),
    order=140,
)
