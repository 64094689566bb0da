"""Decide which kind of architecture diagram a report contains, from its text and geometry.

Kinds, best first: accurate (both parallel splits, as in the code), parallel_shown (both splits, or
one of the code's), generic (boxes or names without them), linear (a chain), none. In a picture that no model has read,
only the outlines of the boxes count: when they show no two splits or rows, the kind is None. The
source of a diagram in a text language is text: the report draws nothing where it prints one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

from courtroom.analysis.diagrams.character_drawings import character_sketches
from courtroom.analysis.diagrams.diagram_graph import Chart
from courtroom.analysis.diagrams.diagram_match import (
    Kind,
    Sketch,
    differences,
    kind_of,
    lacks_nodes,
    main_nodes,
    node_count,
    shows_a_split,
    sketch_of,
    strangers,
    undrawn,
    undrawn_edges,
)
from courtroom.analysis.diagrams.diagram_text import charts_in_text, read_chart
from courtroom.analysis.diagrams.parallel_branches import (
    code_widths,
    further_splits,
    main_widths,
    matching_widths,
    picture_rows,
    picture_splits,
)
from courtroom.analysis.pdf.pdf_content import Drawing, Layout, PdfImage, PdfReading, is_picture
from courtroom.models.facts import GraphFact

Source = Literal["drawing", "characters", "mermaid", "plantuml", "picture"]

_WRITTEN: tuple[Source, ...] = ("mermaid", "plantuml")
_BEST_FIRST: tuple[Kind, ...] = ("accurate", "parallel_shown", "generic", "linear")
_UNREAD_PICTURE = "The report contains a picture that no model has read."
_MIN_LEVELS = 3
# Splits of an agent graph: of its detectives, and of its judges.
_SPLITS = 2
_MOST_EDGES = 4
# Outlines that may be missed in a picture.
_MISSED_BOXES = 2
# Boxes of a row that lines join one after the other, at least.
_MIN_CHAIN = 3
_CAPTION = re.compile(
    r"\b(?:fig(?:ure|\.)|diagrams?|architecture|topology|flow ?charts?)", re.IGNORECASE
)
# A caption, and what calls a diagram planned: "Planned full StateGraph".
_NUMBERED = re.compile(r"\s{0,4}(?:fig(?:ure|\.)|diagram) ?\d", re.IGNORECASE)
_PLANNED = re.compile(
    r"\b(?:planned|proposed|intended|envisioned)\b[^.\n]{0,40}"
    r"\b(?:graph|state ?graph|flow|architecture|diagram|topology)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DiagramResult:
    """Kind of the diagram with its `page` and `passage`, and its last page where it has several.

    `kind` is None when it could not be established, for the given `reason`. `from_left`: the boxes of
    a picture were counted by columns. `has_more`: it draws branches that the code does not have.
    `is_partial`: no diagram shows more than one of the code's splits. `lacks_nodes`: it leaves out nodes of the code
    that every run passes. `is_open`: it has the rows of the code, and lines that join them were missed;
    `is_unproven`: so were those of other rows. `shares_split`: a row of its boxes is as long as a
    split of the code. `is_typed`: it is drawn with characters, and no picture shows as much;
    None where one that was not read may. `drawn_page`: it is drawn with characters, and a picture or
    drawing on this page shows as much. `is_planned`: the report calls it planned.
    """

    kind: Kind | None
    reason: str
    page: int | None = None
    passage: str | None = None
    last_page: int | None = None
    from_left: bool = False
    has_more: bool = False
    is_partial: bool = False
    lacks_nodes: bool = False
    is_open: bool = False
    is_unproven: bool = False
    shares_split: bool = False
    is_typed: bool | None = False
    drawn_page: int | None = None
    is_planned: bool = False


def pictures(reading: PdfReading) -> tuple[PdfImage, ...]:
    """Return the raster images that are large enough for a diagram."""
    return tuple(image for image in reading.images if is_picture(image))


def diagram_of(reading: PdfReading, graph: GraphFact | None) -> DiagramResult:
    """Return the best diagram in the report, compared with the code's graph if there is one."""
    best = _best_diagram(reading, graph)
    return replace(best, is_planned=best.page is not None and _is_planned(reading, best.page))


def _is_planned(reading: PdfReading, page: int) -> bool:
    """Return whether the caption or the heading of the only diagram on a page calls it planned."""
    lines = reading.pages[page - 1].split("\n")
    if any(_NUMBERED.match(line) and _PLANNED.search(line) for line in lines):
        return True
    before = ((n, line) for n in (page - 1, page) if n for line in reading.pages[n - 1].split("\n"))
    headings = [line for n, line in before if (n, line) in reading.headings]
    is_only = sum(picture.page == page for picture in pictures(reading)) < 2
    return is_only and bool(headings) and _PLANNED.search(headings[-1]) is not None


def _best_diagram(reading: PdfReading, graph: GraphFact | None) -> DiagramResult:
    unread = pages_to_look_at(reading)
    if reading.unread and reading.vision_pictures is None:
        return DiagramResult(None, reading.unread)

    ranked = sorted(
        (
            (kind_of(sketch, graph), sketch, source)
            for source, sketch in sketches_of(reading)
            if source not in _WRITTEN
        ),
        key=lambda candidate: _rank(candidate[0], candidate[1], graph),
    )
    is_typed = bool(ranked) and ranked[0][2] == "characters"
    alike = (row for row in ranked if is_typed and row[0] == ranked[0][0])
    drawn_page = next((sketch.page for _, sketch, source in alike if source != "characters"), None)
    is_typed = is_typed and drawn_page is None
    if ranked and ranked[0][0] in {"accurate", "parallel_shown"}:
        best = _result_of(*ranked[0][:2], graph)
        if is_typed and unread:
            layout = _best_layout(reading, graph)
            if layout is None or layout.kind != best.kind:
                return replace(best, is_typed=None)
            return replace(best, is_typed=False, drawn_page=layout.page)
        return replace(best, is_typed=is_typed, drawn_page=drawn_page)
    # An unread picture may be better than a generic drawing, so it leaves the kind open.
    if unread:
        return _best_layout(reading, graph) or DiagramResult(None, _UNREAD_PICTURE, unread[0])
    if ranked:
        best = _result_of(*ranked[0][:2], graph)
        return replace(best, is_typed=is_typed, drawn_page=drawn_page)

    for source, sketch in _text_sketches(reading):
        return DiagramResult("none", f"only the {source} source of a diagram", sketch.page)
    return DiagramResult("none", "no image, no drawing and no diagram drawn with characters")


def pages_to_look_at(reading: PdfReading) -> list[int]:
    """Return the pages with a picture that no model has read, most likely diagrams first.

    Without a text layer, these are all pages that no model has read.
    """
    candidates = {picture.page for picture in pictures(reading)}
    if reading.text_layer == "none":
        candidates |= set(range(1, len(reading.pages) + 1))

    with_boxes = {layout.page for layout in reading.layouts if len(layout.levels) >= _MIN_LEVELS}

    def likelihood(page: int) -> tuple[bool, bool, int]:
        return page not in with_boxes, not _CAPTION.search(reading.pages[page - 1]), page

    read = {picture.page for picture in reading.vision_pictures or ()}
    return sorted(candidates - read, key=likelihood)


def sketches_of(reading: PdfReading) -> list[tuple[Source, Sketch]]:
    """Return the diagrams of all sources: drawings, characters, text languages and vision model."""
    drawings: list[tuple[Source, Sketch]] = [
        ("drawing", _sketch_of_drawing(drawing)) for drawing in reading.drawings
    ]
    return [
        *drawings,
        *(("characters", sketch) for sketch in character_sketches(reading.pages, reading.headings)),
        *_text_sketches(reading),
        *(
            ("picture", sketch_of(Chart(picture.labels, picture.edges), picture.page))
            for picture in reading.vision_pictures or ()
            if picture.edges
        ),
    ]


def drawn_sketches(reading: PdfReading) -> list[Sketch]:
    """Return the diagrams that a person sees as such, without those printed as source."""
    return [sketch for source, sketch in sketches_of(reading) if source not in _WRITTEN]


def _text_sketches(reading: PdfReading) -> list[tuple[Source, Sketch]]:
    """Return the diagrams in text languages; a source may go on where its page ends."""
    return [
        (chart_text.language, replace(sketch_of(chart, page), has_loose_lines=True))
        for page, page_text in enumerate(reading.pages, start=1)
        for chart_text in charts_in_text(page_text)
        if (chart := read_chart(chart_text)).edges
    ]


def _best_layout(reading: PdfReading, graph: GraphFact | None) -> DiagramResult | None:
    """Return the result for the best picture layout, or None when none shows two splits or rows.

    Then the text of a picture could still show more.
    """
    parallel = [layout for layout in reading.layouts if len(picture_splits(layout)) >= 2]
    if not parallel:
        return _in_several(reading, graph) or _in_rows(reading, graph) or _in_line(reading, graph)

    matching = (
        _like_the_code(layout, widths, further_splits(layout, graph), graph)
        for layout in parallel
        if graph is not None and (widths := matching_widths(layout, graph))
    )
    # One without further branches, and with all nodes, is better than those before it.
    if best := min(matching, key=lambda r: (r.has_more, r.lacks_nodes), default=None):
        return best
    widest = [max(sizes) for sizes in picture_splits(parallel[0])]
    return _of_picture("parallel_shown", widest, parallel[0], graph)


def _in_several(reading: PdfReading, graph: GraphFact | None) -> DiagramResult | None:
    """Return the result where the splits of the code stand in a picture each, in their order."""
    widths = code_widths(graph) if graph else ()
    with_split = [(layout.page, picture_splits(layout)) for layout in reading.layouts]
    single = iter([(page, splits[0]) for page, splits in with_split if len(splits) == 1])
    pages: list[int] = []
    for width in widths:
        # The iterator is shared: a later split is in a later picture.
        page = next((page for page, sizes in single if width in sizes), None)
        pages += [page] if page is not None else []
    if len(widths) < _SPLITS or len(pages) < len(widths):
        return None
    parts = (f"{width} on page {page}" for width, page in zip(widths, pages, strict=True))
    reason = f"boxes side by side, in a picture each: {', then '.join(parts)}"
    reason = f"{reason}; counted by outline, as their text was not read"
    # A graph is in one diagram: two of them leave open what leads from split to split.
    return DiagramResult("parallel_shown", reason, pages[0], is_partial=True, shares_split=True)


def _in_rows(reading: PdfReading, graph: GraphFact | None) -> DiagramResult | None:
    """Return the result for the first picture with two rows of boxes between single boxes."""
    for layout in reading.layouts:
        rows = [max(sizes) for sizes in picture_rows(layout)]
        if len(rows) >= _SPLITS:
            result = _of_picture("parallel_shown", rows, layout, graph)
            reason = f"{result.reason}; not all lines between them were recognised"
            is_open = graph is not None and tuple(rows) in {code_widths(graph), main_widths(graph)}
            return replace(
                result,
                reason=reason,
                is_open=is_open,
                is_unproven=not is_open,
                lacks_nodes=is_open and _has_few_boxes(layout, graph),
            )
    return None


def _in_line(reading: PdfReading, graph: GraphFact | None) -> DiagramResult | None:
    """Return the result for the only picture with rows, where one splits and another is a chain.

    None where a picture that was not analysed may show more.
    """
    analysed = {layout.page for layout in reading.layouts}
    with_rows = [
        layout for layout in reading.layouts if any(level.boxes > 1 for level in layout.levels)
    ]
    if len(with_rows) != 1 or {picture.page for picture in pictures(reading)} - analysed:
        return None
    layout = with_rows[0]
    widths = [max(sizes) for sizes in picture_splits(layout)]
    chain = max((level.in_chain for level in layout.levels if not level.through), default=0)
    if len(widths) != 1 or chain < _MIN_CHAIN:
        return None
    result = _of_picture("parallel_shown", widths, layout, graph)
    reason = f"{result.reason}; lines join {chain} boxes of another row one after the other"
    return replace(result, reason=reason, is_partial=True)


def _of_picture(
    kind: Kind, widths: Sequence[int], layout: Layout, graph: GraphFact | None = None
) -> DiagramResult:
    place = "one below the other, from left to right" if layout.from_left else "side by side"
    like = " as in the code" if kind == "accurate" else ""
    reason = f"boxes {place}{like}: {_in_order(widths)}"
    # More may stand beside those that are linked as the nodes of the code.
    drawn = [max(sizes) for sizes in picture_splits(layout)]
    if like and len(drawn) >= len(widths) and drawn != list(widths):
        reason += f"; outlines in a row, of boxes and labels alike: {_in_order(drawn)}"
    reason += "; counted by outline, as their text was not read"
    in_code, main = (code_widths(graph), main_widths(graph)) if graph else ((), ())
    shares_split = kind == "accurate" or not {*in_code, *main}.isdisjoint(widths)
    reason += "" if shares_split else ": a box that lines divide counts once"
    if in_code and kind != "accurate":
        reason += f"; nodes side by side in the code: {_in_order(in_code)}"
        # Of nodes that run instead of others, no run has both.
        reason += f", without alternatives {_in_order(main)}" if main not in {in_code, ()} else ""
    has_few = _has_few_boxes(layout, graph)
    if graph and has_few:
        count = sum(level.boxes for level in layout.levels)
        reason += f"; {count} outlines, START and END with them where they are drawn"
        reason += f"; {node_count(graph)} nodes in the code"
    return DiagramResult(
        kind,
        reason,
        layout.page,
        from_left=layout.from_left,
        lacks_nodes=has_few and kind == "accurate",
        shares_split=shares_split,
    )


def _has_few_boxes(layout: Layout, graph: GraphFact | None) -> bool:
    """Return whether the outlines, notes among them, are fewer than the nodes of every run."""
    if graph is None or graph.subgraphs:
        return False
    boxes = sum(level.boxes for level in layout.levels)
    return boxes + _MISSED_BOXES < len(main_nodes(graph))


def _like_the_code(
    layout: Layout, widths: Sequence[int], further: Sequence[int], graph: GraphFact
) -> DiagramResult:
    result = _of_picture("accurate", widths, layout, graph)
    if not further:
        return result
    beside = (
        f"beside these it draws boxes in a row that the code does not have: {_in_order(further)}"
    )
    return replace(result, reason=f"{result.reason}; {beside}", has_more=True)


def _in_order(widths: Sequence[int]) -> str:
    return ", then ".join(map(str, widths))


def _rank(kind: Kind, sketch: Sketch, graph: GraphFact | None) -> tuple[int, int, int]:
    missing = undrawn(sketch, graph) if kind == "accurate" and graph else []
    return _BEST_FIRST.index(kind), len(missing), sketch.page or 0


def _result_of(kind: Kind, sketch: Sketch, graph: GraphFact | None) -> DiagramResult:
    side_by_side = "; ".join(" | ".join(split) for split in sketch.splits)
    reason = f"side by side: {side_by_side}" if side_by_side else "nothing is side by side"
    if side_by_side and not sketch.lines:
        reason += "; the lines between them were not followed"
    if kind != "accurate" and graph and (parts := differences(sketch, graph)):
        reason += f"; {'; '.join(parts)}"
    if kind == "accurate" and graph and (others := strangers(sketch, graph)):
        reason += f"; named as no node of the code: {' | '.join(others)}"
    missing = undrawn(sketch, graph) if kind == "accurate" and graph else []
    if missing:
        reason += f"; nodes of the code that no box names: {' | '.join(missing)}"
    if graph and (edges := undrawn_edges(sketch, graph)):
        more = f" and {len(edges) - _MOST_EDGES} more" if len(edges) > _MOST_EDGES else ""
        named = ", ".join(edges[:_MOST_EDGES])
        reason += f"; edges of the code that it does not draw: {named}{more}"
    passage = ", ".join(filter(None, sketch.labels)) or None
    shares_split = kind == "accurate" or (graph is not None and shows_a_split(sketch, graph))
    result = DiagramResult(
        kind, reason, sketch.page, passage, sketch.last_page, shares_split=shares_split
    )
    if kind == "accurate" and graph and lacks_nodes(sketch, graph):
        return replace(result, lacks_nodes=True)
    if kind == "generic" and shares_split:
        return replace(result, kind="parallel_shown", is_partial=True)
    return result


def _sketch_of_drawing(drawing: Drawing) -> Sketch:
    neighbours: dict[int, set[int]] = {}
    for first, second in drawing.links:
        neighbours.setdefault(first, set()).add(second)
        neighbours.setdefault(second, set()).add(first)

    labels = [box.label for box in drawing.boxes]
    splits = tuple(
        tuple(sorted(labels[index] for index in split)) for split in _splits(drawing, neighbours)
    )
    is_chain = not splits and all(len(indexes) <= 2 for indexes in neighbours.values())
    arrows = tuple((labels[source], labels[target]) for source, target in drawing.arrows)
    lines = tuple((labels[first], labels[second]) for first, second in drawing.links)
    return Sketch(
        drawing.page,
        tuple(labels),
        splits,
        is_chain,
        lines,
        arrows,
        has_loose_lines=drawing.has_loose_lines,
    )


def _splits(drawing: Drawing, neighbours: Mapping[int, set[int]]) -> list[set[int]]:
    """Return the sets of boxes that lie between the same two boxes."""

    # The two boxes around a split also lie between its boxes. The larger set is the split, else the
    # one with fewer links, else the one on a single level.
    def order(pair: tuple[set[int], set[int]]) -> tuple[float, ...]:
        levels = [drawing.boxes[index].y for index in pair[0]]
        links = sum(len(neighbours[index]) for index in pair[0])
        return -len(pair[0]), links, max(levels) - min(levels), *sorted(pair[0])

    between = [
        (neighbours[a] & neighbours[b], {a, b})
        for a, b in combinations(sorted(neighbours), 2)
        if b not in neighbours[a]
    ]
    splits: list[set[int]] = []
    ends_of_splits: list[set[int]] = []

    for split, ends in sorted((pair for pair in between if len(pair[0]) >= 2), key=order):
        if split not in ends_of_splits and not any(split & other for other in splits):
            splits.append(split)
            ends_of_splits.append(ends)

    return splits
