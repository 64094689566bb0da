"""Requests on the report: its pages, the code that they speak of, and the diagrams."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from courtroom.checks.feature_words import CLONE_FEATURES, GRAPH_FEATURES
from courtroom.exhibits.graph_subjects import graph_core, state_core
from courtroom.exhibits.judging_subjects import prompts, structured_output, synthesis
from courtroom.exhibits.material import LARGE, MEDIUM, SMALL, Material
from courtroom.exhibits.project_subjects import clone
from courtroom.exhibits.room import Request, whole_sheet
from courtroom.exhibits.sheets import DIAGRAMS, TREE, is_page, page_name

# Of a line of a page, beside its text.
LINE_CHARACTERS = 4
# Names of functions and classes as a report writes them: with an underscore, or in CamelCase.
_NAMES = re.compile(r"\b(?:[A-Za-z]+_\w+|[A-Z][a-z]+[A-Z]\w+)\b")
# Units that one claim brings.
MOST_CLAIMED = 4


def pages(material: Material) -> Iterator[Request]:
    return (whole_sheet(name, "page of the report") for name in material.sheets if is_page(name))


def claims(material: Material) -> Iterator[Request]:
    """Yield half a room of pages, the code that they speak of, and the rest of the pages."""
    own_pages = list(pages(material))
    yield from _half_a_room(material, own_pages)

    claimed = material.facts.pdf_claims or {}
    order = ("contradicted", "open", "confirmed")
    ranked = sorted(claimed, key=lambda claim: order.index(claimed[claim]))
    subjects = dict.fromkeys(s for claim in ranked if (s := CLAIMED.get(claim)) is not None)
    speaks_of = [
        request.focused(material.evidence_lines(request.sheet))
        for subject in dict.fromkeys([*subjects, graph_core, synthesis, state_core])
        for request in islice(subject(material), MOST_CLAIMED)
    ]
    yield from (request.capped(MEDIUM) for request in speaks_of)
    yield from _named_in(material, own_pages)
    yield from own_pages
    yield from (request.capped(LARGE) for request in speaks_of)
    yield whole_sheet(TREE, "the tree, with what its modules define").capped(MEDIUM)


def _half_a_room(material: Material, own_pages: Sequence[Request]) -> list[Request]:
    """Return the pages with the most evidence on them, in the order of the report."""
    evidence = Counter(
        page_name(item.location.page)
        for items in material.evidence.values()
        for item in items
        if item.location.page
    )
    left, chosen = material.room // 2, []
    for page in sorted(own_pages, key=lambda page: -evidence[page.sheet]):
        size = sum(len(line) + LINE_CHARACTERS for line in material.sheets[page.sheet].lines)
        if size <= left:
            left -= size
            chosen.append(page)
    return [page for page in own_pages if page in chosen]


def _named_in(material: Material, pages: Sequence[Request]) -> Iterator[Request]:
    """Yield the heads of units whose names stand in the report."""
    text = "\n".join(line for page in pages for line in material.sheets[page.sheet].lines)
    for name in dict.fromkeys(_NAMES.findall(text)):
        for unit in material.outline.by_name.get(name, ())[:1]:
            if not material.is_test(unit):
                yield material.whole(unit, "is named in the report", (unit.first,), SMALL)


def diagrams(material: Material) -> Iterator[Request]:
    yield whole_sheet(DIAGRAMS, "the diagrams as they were read, and the code's graph")
    drawn = material.facts.diagrams or ()
    drawn_pages = [diagram.page for diagram in drawn if diagram.page]
    for page in dict.fromkeys(drawn_pages):
        yield whole_sheet(page_name(page), "page with a diagram")
    yield from graph_core(material)
    for diagram in drawn:
        if diagram.path and diagram.line:
            request = material.around(diagram.path, diagram.line, "a diagram", LARGE)
            if request is not None:
                yield request
    yield from _beside(material, [*drawn_pages, *_pictured(material)])


def _pictured(material: Material) -> Iterator[int]:
    """Yield the pages on which the VisionInspector noticed something."""
    for items in material.evidence.values():
        for item in items:
            if item.detective == "VisionInspector" and item.location.page:
                yield item.location.page


def _beside(material: Material, own_pages: Sequence[int]) -> Iterator[Request]:
    """Yield the pages beside those with diagrams, which speak of them; without any, all pages."""
    if not own_pages:
        yield from pages(material)
    for page in dict.fromkeys(own_pages):
        for near in (page - 1, page + 1):
            yield whole_sheet(page_name(near), "page beside a diagram")


# Subjects by the feature that the report claims (analysis/pdf_claims/claim_patterns.py).
CLAIMED: dict[str, Callable[[Material], Iterator[Request]]] = {
    **dict.fromkeys(GRAPH_FEATURES, graph_core),
    **dict.fromkeys(
        ("reducer_ior", "reducer_add", "reducers", "pydantic_state", "pydantic_models"), state_core
    ),
    **dict.fromkeys(CLONE_FEATURES, clone),
    **dict.fromkeys(("structured_output", "output_retry", "retry_logic"), structured_output),
    "distinct_personas": prompts,
    **dict.fromkeys(
        (
            "deterministic_verdict",
            "security_override",
            "fact_supremacy",
            "dissent",
            "variance_re_evaluation",
            "markdown_report",
            "json_report",
        ),
        synthesis,
    ),
}
