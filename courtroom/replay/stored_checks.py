"""A check answered from a stored report: from the facts on its record alone, without the repository or the PDF.

Every kind that reads facts can be answered so: reducer, graph_topology, sandboxed_clone, unsafe_call,
structured_output, persona_overlap, synthesis_rules, feedback_log, communication_log and diagram; commit_history
only `not_bulk`; pdf_concept only the terms of `pdf_terms`; pdf_paths all that is about paths alone. What points into the
sources (file_exists, text_contains, python_class, python_call, python_import, code_pattern) needs the snapshot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from courtroom.analysis.locations import SourceLocation
from courtroom.analysis.project.log_locations import (
    NOT_IN_FILES,
    communication_locations,
    fact_behind,
    locations_behind,
)
from courtroom.analysis.survey import Survey
from courtroom.detectives.diagram_checks import SHOWS_SPLITS
from courtroom.detectives.document_checks import REACH, no_report
from courtroom.detectives.evidence_writer import write_down
from courtroom.detectives.exchange_checks import with_records
from courtroom.detectives.fact_checks import FACT_CHECKS
from courtroom.detectives.findings import Clue, Finding, absent, could_not_look, present
from courtroom.detectives.source_checks import sighted
from courtroom.models.project_facts import ExchangeFact
from courtroom.models.record import CheckOutcome, Evidence
from courtroom.models.rubric import (
    Check,
    CommitHistory,
    CommunicationLog,
    Diagram,
    FeedbackLog,
    PdfConcept,
    PdfPaths,
)

NEEDS_THE_SUBMISSION = (
    "A stored report cannot answer this: it needs the submission, so a new audit."
)

SINGLE_PLACES = ("clone_function",)
MANY_PLACES = ("structured_output_calls", "persona_prompts")

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Trial:
    """What a check comes to on a stored report.

    `outcome.met` null: not established (its reason says why), or, with `needs_submission`, only a new audit can
    tell. `evidence` points at lines and quotes none of them: their text is not in the facts.
    """

    outcome: CheckOutcome
    evidence: tuple[Evidence, ...] = ()
    needs_submission: bool = False


def try_check(check: Check, document: Document) -> Trial:
    """`document` is a stored report as JSON (automaton-auditor/report@1)."""
    finding = _finding_on(check, document)
    if finding is None:
        return Trial(
            CheckOutcome(check=check.id, met=None, reason=NEEDS_THE_SUBMISSION),
            needs_submission=True,
        )
    evidence, outcomes = write_down([(check, _at_commit(finding, document["commit"]))])
    return Trial(outcomes[0], evidence)


def _at_commit(finding: Finding, commit: str | None) -> Finding:
    """Lines are those of the commit that was audited."""
    clues = tuple(
        replace(clue, commit=clue.commit or commit) if clue.path else clue for clue in finding.clues
    )
    return replace(finding, clues=clues)


def _finding_on(check: Check, document: Document) -> Finding | None:
    """Null where the facts do not answer."""
    if type(check) in FACT_CHECKS:
        return FACT_CHECKS[type(check)](check, _survey(document))
    match check:
        case CommitHistory(aspect="not_bulk"):
            return _not_bulk(document)
        case FeedbackLog() | CommunicationLog():
            return _logged(check, document)
        case PdfConcept() | PdfPaths() | Diagram() if document["pdf_sha256"] is None:
            return no_report(check.goal)
        case PdfConcept():
            return _concept(check, document)
        case PdfPaths(aspect="claims_any"):
            return _claims_any(document)
        case PdfPaths(aspect="none_hallucinated"):
            return _none_hallucinated(check, document)
        case Diagram():
            return _diagram(check, document)
        case _:
            return None


def _survey(
    document: Document, locations: Mapping[str, tuple[SourceLocation, ...]] | None = None
) -> Survey:
    """The facts as a survey brings them, with the places that are facts themselves."""
    facts = document["facts"]
    return Survey(
        facts=facts,
        reasons=facts["unknown"],
        locations=locations or {},
        unanswered={},
        fact_locations=_places(facts),
        paths=(),
        errors=(),
    )


def _places(facts: Document) -> dict[str, tuple[SourceLocation, ...]]:
    graph = facts.get("graph")
    edges = (
        zip(graph["edges"], graph["edge_paths"], graph["edge_lines"], strict=False) if graph else ()
    )
    calls = {name: facts.get(name) or () for name in MANY_PLACES}
    calls |= {name: (facts[name],) for name in SINGLE_PLACES if facts.get(name)}
    lines = {
        name: tuple(SourceLocation(one["path"], one["line"], one["line"]) for one in found)
        for name, found in calls.items()
    }
    return lines | {
        "graph": tuple(SourceLocation(path, at, at, f"{a} -> {b}") for (a, b), path, at in edges)
    }


def _not_bulk(document: Document) -> Finding:
    bulk = document["facts"].get("bulk_upload")
    if bulk is None:
        return _unknown("bulk_upload", document)
    verb = "brought" if bulk else "did not bring"
    return absent(
        f"The two largest commits {verb} more than 55 % of all Python lines.",
        "Read the lines that every commit added.",
        met=not bulk,
    )


def _logged(check: FeedbackLog | CommunicationLog, document: Document) -> Finding:
    """Feedback and communication, where the facts place them or the site's records hold them."""
    known = document["facts"].get("exchange")
    exchange = ExchangeFact.model_validate(known) if known is not None else None
    return with_records(check, _in_repository(check, document), exchange)


def _in_repository(check: FeedbackLog | CommunicationLog, document: Document) -> Finding:
    name = (
        "communication_entries"
        if isinstance(check, CommunicationLog)
        else fact_behind(check.aspect)
    )
    if name is None:
        return could_not_look(NOT_IN_FILES)
    fact = document["facts"].get(name)
    if fact is None:
        return _unknown(name, document)
    if isinstance(check, CommunicationLog):
        seen = communication_locations(check.about, fact)
    else:
        seen = locations_behind(check.aspect, fact)
    if name == "deferrals" and fact and not seen:
        return present(
            f"{len(fact)} commits put work off with a reason.", [_deferral(d) for d in fact]
        )
    return sighted(check, _survey(document, {check.id: tuple(seen)}))


def _deferral(told: Document) -> Clue:
    return Clue(
        rationale="Puts work off, with a reason.",
        statement=str(told["text"]),
        commit=told.get("commit"),
        page=told.get("page"),
    )


def _concept(check: PdfConcept, document: Document) -> Finding | None:
    terms = document["facts"].get("pdf_terms")
    if terms is None:
        return _unknown("pdf_terms", document)
    if check.term not in terms:
        return None
    use = terms[check.term]
    met = (REACH.index(use) >= REACH.index(check.use)) == (check.polarity == "positive")
    reason = f"The report's use of {check.term!r} is {use}."
    looked = Clue(rationale=reason, statement=reason)
    return present(reason, [looked], met=met)


def _claims_any(document: Document) -> Finding:
    claimed = document["facts"].get("pdf_claimed_paths")
    if claimed is None:
        return _unknown("pdf_claimed_paths", document)
    if not claimed:
        return absent(
            "The report names no file.", "Looked for paths of files on its pages: none is named."
        )
    return present(f"The report names {len(claimed)} files.", [_named(path) for path in claimed])


def _none_hallucinated(check: PdfPaths, document: Document) -> Finding:
    claimed, missing = (
        document["facts"].get(name) for name in ("pdf_claimed_paths", "pdf_hallucinated_paths")
    )
    if claimed is None or missing is None:
        return _unknown("pdf_hallucinated_paths", document)
    reason = f"The report names {len(claimed)} files; {len(missing)} do not exist."
    clues = [_named(path) for path in missing or claimed]
    if not clues:
        return absent(
            reason, "Held the files that the report names against the tree: it names none."
        )
    return present(reason, clues, met=len(missing) <= check.maximum)


def _named(path: str) -> Clue:
    """A path as the report writes it: it may not exist."""
    return Clue(rationale=f"The report names {path}.", statement=path)


def _diagram(check: Diagram, document: Document) -> Finding:
    kind = document["facts"].get("pdf_diagram")
    if kind is None:
        return _unknown("pdf_diagram", document)
    if kind == "none":
        return absent("The report has no diagram.", "Looked for a diagram on every page.")
    wanted = {"present": (kind,), "accurate": ("accurate",), "parallel": SHOWS_SPLITS}[check.aspect]
    reason = f"The best diagram is of the kind: {kind.replace('_', ' ')}."
    return present(reason, [Clue(rationale=reason, statement=reason)], met=kind in wanted)


def _unknown(name: str, document: Document) -> Finding:
    return could_not_look(
        document["facts"]["unknown"].get(name, f"The report does not say {name}.")
    )
