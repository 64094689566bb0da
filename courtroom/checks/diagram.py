"""The kind `diagram`: is there a diagram, does it show the branches, does it match the code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from courtroom.checks.from_report import from_stored_report
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import listed
from courtroom.checks.result import INFERRED, Clue, Finding, absent, could_not_look, present
from courtroom.checks.subjects import Subjects, lacks_graph
from courtroom.models.check import CheckBase

if TYPE_CHECKING:
    from courtroom.analysis.diagrams.diagram_kind import DiagramResult
    from courtroom.analysis.pdf.pdf_content import PdfReading
    from courtroom.checks.sources import Comparison, Sources
    from courtroom.replay.stored_report import StoredReport

SHOWS_BRANCHES = ("accurate", "parallel_shown")
# Aspects that need the graph of the code.
COMPARED = ("similar", "accurate")
# Not the source of a diagram, which draws nothing.
DRAWN = ("drawing", "characters", "picture")
# By the kind of the diagram: what it does.
VERBS = {
    "accurate": "has the parallel branches of the graph of the code",
    "parallel_shown": "shows parallel branches, but is not like the graph of the code",
    "linear": "shows a chain without parallel branches",
    "generic": "does not show all parallel branches",
}
SIMILAR = "has as many boxes side by side as a split of the code has branches"
NOT_SIMILAR = "has nowhere as many boxes side by side as a split of the code has branches"
# Of a picture whose text was not read.
BY_OUTLINE = "going by the outlines of its boxes"
UNPROVEN = "has rows of boxes, of other numbers side by side than the graph of the code"
UNPROVEN_ALONE = "has rows of boxes, and no graph of the code was found to compare them with"
# Of a picture, only the outlines of its boxes were compared.
PICTURE_MATCHES = "has rows of boxes like the graph of the code"
COLUMNS_MATCH = "has columns of boxes like the graph of the code"
HAS_MORE = "has the rows of boxes of the graph of the code, and others"
LACKS_NODES = "has the parallel branches of the graph of the code, and not all of its nodes"
FEW_BOXES = "has rows of boxes like the graph of the code, and fewer boxes than it has nodes"
NO_GRAPH = "shows parallel branches, and no graph of the code was found to compare it with"
UNREAD_PICTURE = "A picture of the report that no model has read may show as much."
PLANNED = " The report calls it planned, not built."
UNREAD_GRAPH = "No graph of the code could be read to compare the diagram with."


class Diagram(CheckBase):
    """A diagram of the report, compared with the code's graph.

    `present`: an image or a drawing; `parallel`: it shows both splits; `similar`: a row of its boxes is
    as long as a split of the code; `accurate`: it matches the code's graph; `picture`: it is not drawn
    with characters.
    """

    kind: Literal["diagram"] = "diagram"
    aspect: Literal["present", "parallel", "similar", "accurate", "picture"]


def _detect(check: Diagram, sources: Sources) -> Finding | None:
    """Null for all that needs the code's graph: `_compare` answers it."""
    if check.aspect != "present" or sources.report is None:
        return None
    return is_present(sources.report)


def is_present(report: PdfReading) -> Finding:
    """A picture, a drawing or a diagram of characters is there, whatever it shows."""
    # Imported late: whoever only reads a rubric needs no analysis of drawings.
    from courtroom.analysis.diagrams.diagram_kind import diagram_of, pictures

    pages = sorted({picture.page for picture in pictures(report)})
    return presence(diagram_of(report, None), pages)


def presence(diagram: DiagramResult, pages: Sequence[int] = ()) -> Finding:
    """The finding on a diagram; of several pictures, on `pages`, that were not read any may be it."""
    # A picture that nobody could read is still a picture: only its contents are open.
    if diagram.kind is None and diagram.page is None:
        return could_not_look(diagram.reason)
    if diagram.kind == "none":
        return _no_diagram(diagram)
    # What it shows is for the checks that compare it with the code.
    reason = f"The report has a {_drawing(diagram)}."
    if diagram.kind is None and len(pages) > 1:
        reason = f"The report has pictures on pages {listed(map(str, pages))}; this check reads none of them."
    return present(reason, [replace(_clue(diagram), rationale=reason)])


def _compare(check: Diagram, comparison: Comparison) -> Finding | None:
    if not comparison.diagram:
        return None
    # Answered here where a model read the pictures of a report without text.
    if check.aspect == "present":
        return presence(comparison.diagram)
    has_graph = comparison.code.get("graph") is not None
    is_unread = not (has_graph or lacks_graph(comparison.code))
    is_of_code = check.aspect in COMPARED
    if is_of_code and is_unread and comparison.diagram.kind in SHOWS_BRANCHES:
        return could_not_look(UNREAD_GRAPH)
    return best_diagram(check, comparison.diagram, has_graph=has_graph)


def best_diagram(check: Diagram, diagram: DiagramResult, *, has_graph: bool = True) -> Finding:
    """The answer from the report's best diagram, which was compared with the code's graph."""
    if diagram.kind is None:
        return could_not_look(diagram.reason)
    if diagram.kind == "none":
        return _no_diagram(diagram)
    if check.aspect == "picture":
        return _is_picture(diagram)
    if check.aspect == "accurate" and diagram.is_open and not diagram.lacks_nodes:
        rows = "has rows of as many boxes as the graph of the code"
        return could_not_look(f"The {_drawing(diagram)} {rows} ({diagram.reason}).")
    verb = _verb(diagram, has_graph=has_graph)
    if check.aspect == "parallel" and diagram.is_unproven:
        return could_not_look(f"The {_drawing(diagram)} {verb} ({diagram.reason}).")
    shows_all = diagram.kind in SHOWS_BRANCHES and not diagram.is_partial
    met = {
        "parallel": shows_all,
        "similar": diagram.shares_split,
        "accurate": diagram.kind == "accurate" and not (diagram.has_more or diagram.lacks_nodes),
    }[check.aspect]
    if check.aspect == "similar" and has_graph:
        verb = SIMILAR if met else _narrowed(NOT_SIMILAR, diagram)
    if check.aspect == "parallel" and diagram.kind == "parallel_shown" and shows_all:
        verb = "shows parallel branches"
    reason = f"The {_drawing(diagram)} {verb} ({diagram.reason})."
    is_planned = check.aspect == "accurate" and diagram.is_planned
    finding = present(f"{reason}{PLANNED if is_planned else ''}", [_clue(diagram)], met=met)
    return replace(finding, has_reservation=is_planned and met)


def _is_picture(diagram: DiagramResult) -> Finding:
    drawing = _drawing(diagram)
    if diagram.is_typed is None:
        return could_not_look(f"The {drawing} is drawn with characters. {UNREAD_PICTURE}")
    by = "drawn with characters" if diagram.is_typed else "not drawn with characters"
    reason = f"The {drawing} is {by}."
    if diagram.drawn_page is not None:
        alike = f"A picture on page {diagram.drawn_page} shows as much as"
        reason = f"{alike} the {drawing}, which is drawn with characters."
    clue = replace(_clue(diagram), rationale=reason)
    return present(reason, [clue], met=not diagram.is_typed)


def _drawing(diagram: DiagramResult) -> str:
    """A picture is one whose text was not read."""
    kind = "diagram" if diagram.passage else "picture"
    if diagram.last_page:
        return f"{kind} on pages {diagram.page} to {diagram.last_page}"
    return f"{kind} on page {diagram.page}"


def _verb(diagram: DiagramResult, *, has_graph: bool) -> str:
    if diagram.is_partial:
        return _narrowed(VERBS["generic"], diagram)
    if diagram.is_unproven:
        return UNPROVEN if has_graph else UNPROVEN_ALONE
    if diagram.lacks_nodes:
        return LACKS_NODES if diagram.passage else FEW_BOXES
    if diagram.kind == "accurate" and not diagram.passage:
        like = COLUMNS_MATCH if diagram.from_left else PICTURE_MATCHES
        return HAS_MORE if diagram.has_more else like
    return _verb_of(diagram.kind or "", has_graph=has_graph)


def _narrowed(verb: str, diagram: DiagramResult) -> str:
    """Say of an unread picture that outlines alone show it."""
    return verb if diagram.passage else f"{verb}, {BY_OUTLINE}"


def _verb_of(kind: str, *, has_graph: bool) -> str:
    return VERBS[kind] if has_graph or kind != "parallel_shown" else NO_GRAPH


def _no_diagram(diagram: DiagramResult) -> Finding:
    searched = f"Looked for a diagram on every page: {diagram.reason}."
    # A diagram that is printed as its source is none.
    instead = f", {diagram.reason}" if diagram.reason.startswith("only ") else ""
    return absent(f"The report has no diagram{instead}.", searched, confidence=INFERRED)


def _clue(diagram: DiagramResult) -> Clue:
    # A reason that leaves the diagram open is a sentence by itself.
    is_sentence = diagram.reason.endswith(".")
    pages = f"From this page to page {diagram.last_page}"
    place = pages if diagram.last_page else "On this page"
    return Clue(
        rationale=diagram.reason if is_sentence else f"{place}: {diagram.reason}.",
        statement=diagram.passage or f"A picture on page {diagram.page}.",
        page=diagram.page,
        confidence=INFERRED,
    )


def _replay(check: Diagram, report: StoredReport) -> Finding:
    kind = report.fact("pdf_diagram")
    if kind is None:
        return report.unknown("pdf_diagram")
    if kind == "none":
        return absent("The report has no diagram.", "Looked for a diagram on every page.")
    if check.aspect == "picture":
        return could_not_look("The report does not hold how its best diagram is drawn.")
    drawn = _drawn_splits(report)
    is_open = check.aspect == "similar" or (check.aspect == "parallel" and not drawn)
    if is_open and kind == "parallel_shown":
        return could_not_look("The report does not hold which branches its diagram has.")
    # The fact names the best diagram; each aspect accepts some of its kinds.
    accepted = {
        "present": (kind,),
        "parallel": SHOWS_BRANCHES,
        "similar": ("accurate",),
        "accurate": ("accurate",),
    }
    # A diagram that shows one row of branches is partial.
    is_partial = kind == "parallel_shown" and max(drawn, default=0) == 1
    if is_partial and check.aspect != "present":
        kind = "generic"
    verb = _verb_of(kind, has_graph=bool(report.fact("graph")))
    reason = f"The diagram of the report {verb}."
    clue = Clue(rationale=reason, statement=reason)
    return present(reason, [clue], met=kind in accepted[check.aspect])


def _drawn_splits(report: StoredReport) -> list[int]:
    """Return the numbers of rows of branches in the report's diagrams that were read, not counted."""
    return [
        len(diagram["side_by_side"])
        for diagram in report.fact("diagrams") or ()
        if diagram["page"] and diagram["drawn_as"] in DRAWN
    ]


def _fault(check: Diagram) -> str:
    return {
        "present": "The report has no diagram.",
        "parallel": "No diagram of the report shows the parallel branches.",
        "similar": "No row of the diagram's boxes is as long as a split of the code.",
        "accurate": "No diagram of the report matches the code.",
        "picture": "The diagram is drawn with characters.",
    }[check.aspect]


def _subjects(check: Diagram) -> Subjects:
    if check.aspect in COMPARED:
        return Subjects(("report", "diagram", "graph"))
    return Subjects(("report", "diagram"), "no_diagram" if check.aspect == "present" else None)


KIND = CheckKind(
    model=Diagram,
    detective="VisionInspector",
    detect=_detect,
    compare=_compare,
    replay=from_stored_report(_replay),
    fault=_fault,
    subjects=_subjects,
    label=Label(
        title="A diagram",
        about="Whether there is one, shows what runs in parallel, and fits the code.",
    ),
    order=160,
)
