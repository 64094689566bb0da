"""Which kind of architecture diagram a report holds, as far as its own text and geometry tell.

Kinds, best first: accurate (both parallel splits, as the code has them), parallel_shown (both splits),
generic (boxes or names without them), linear (a chain), none. Of a picture that no
model has seen only the outlines of its boxes are read: when they show no two splits, the kind is null.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Literal

from courtroom.analysis.diagrams.diagram_graph import Chart
from courtroom.analysis.diagrams.diagram_match import Kind, Sketch, kind_of, sketch_of
from courtroom.analysis.diagrams.diagram_text import charts_in_text, read_chart
from courtroom.analysis.diagrams.parallel_branches import matches, picture_splits
from courtroom.analysis.pdf.pdf_content import Drawing, Layout, PdfImage, PdfReading, is_picture
from courtroom.models.facts import GraphFact

Source = Literal["drawing", "characters", "mermaid", "plantuml", "picture"]

_BEST_FIRST: tuple[Kind, ...] = ("accurate", "parallel_shown", "generic", "linear")
_UNSEEN = "the report holds a picture, and no model looked at it"
_BOX_CHARACTERS = re.compile(r"[\u2500-\u257f]")
_FEWEST_ROWS = 4
_FEWEST_LEVELS = 3
_CAPTION = re.compile(
    r"\b(?:fig(?:ure|\.)|diagrams?|architecture|topology|flow ?charts?)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class DiagramSighting:
    """`kind` is null when it could not be told, and `reason` says why; `page` and `passage` show the diagram."""

    kind: Kind | None
    reason: str
    page: int | None = None
    passage: str | None = None


def pictures(reading: PdfReading) -> tuple[PdfImage, ...]:
    """Raster images large enough to be a diagram."""
    return tuple(image for image in reading.images if is_picture(image))


def diagram_of(reading: PdfReading, graph: GraphFact | None) -> DiagramSighting:
    """The best diagram in the report, held against the code's graph where there is one."""
    unseen = pages_to_look_at(reading)
    if reading.text_layer == "none" and reading.vision_pictures is None:
        return DiagramSighting(None, "the PDF has no text layer, and no model looked at its pages")
    judged = sorted(
        ((kind_of(sketch, graph), sketch) for _, sketch in sketches_of(reading)), key=_rank
    )
    if judged and judged[0][0] in {"accurate", "parallel_shown"}:
        return _seen(*judged[0])
    if unseen:
        return _pictured(reading, graph) or DiagramSighting(None, _UNSEEN, min(unseen))
    return (
        _seen(*judged[0])
        if judged
        else DiagramSighting("none", "no image, no drawing and no text diagram")
    )


def pages_to_look_at(reading: PdfReading) -> list[int]:
    """Pages with a picture that no model has seen yet, or all without a text layer: likely diagrams first."""
    open_pages = {picture.page for picture in pictures(reading)}
    if reading.text_layer == "none":
        open_pages |= set(range(1, len(reading.pages) + 1))
    boxed = {layout.page for layout in reading.layouts if len(layout.levels) >= _FEWEST_LEVELS}

    def promise(page: int) -> tuple[bool, bool, int]:
        return page not in boxed, not _CAPTION.search(reading.pages[page - 1]), page

    return sorted(open_pages - {one.page for one in reading.vision_pictures or ()}, key=promise)


def sketches_of(reading: PdfReading) -> list[tuple[Source, Sketch]]:
    """Every diagram that text and geometry give away or a model has seen, and how it is drawn."""
    drawn: list[tuple[Source, Sketch]] = [
        ("drawing", _drawn(drawing)) for drawing in reading.drawings
    ]
    return [
        *drawn,
        *(("characters", sketch) for sketch in _written(reading)),
        *_coded(reading),
        *(
            ("picture", sketch_of(Chart(one.labels, one.edges), one.page))
            for one in reading.vision_pictures or ()
            if one.edges
        ),
    ]


def _coded(reading: PdfReading) -> list[tuple[Source, Sketch]]:
    """Diagrams written as mermaid or PlantUML."""
    return [
        (text.language, sketch_of(chart, page))
        for page, words in enumerate(reading.pages, start=1)
        for text in charts_in_text(words)
        if (chart := read_chart(text)).edges
    ]


def _pictured(reading: PdfReading, graph: GraphFact | None) -> DiagramSighting | None:
    """What the best picture's layout tells; None when none shows two splits: its words could still say more."""
    shown = [layout for layout in reading.layouts if len(picture_splits(layout)) >= 2]
    if not shown:
        return None
    same = [layout for layout in shown if graph is not None and matches(layout, graph)]
    best: Layout = (same or shown)[0]
    widths = ", then ".join(str(max(sizes)) for sizes in picture_splits(best))
    reason = f"boxes side by side in a picture: {widths}; counted by their outlines, their words were not read"
    return DiagramSighting("accurate" if same else "parallel_shown", reason, best.page)


def _rank(judged: tuple[Kind, Sketch]) -> tuple[int, int]:
    kind, sketch = judged
    return _BEST_FIRST.index(kind), sketch.page or 0


def _seen(kind: Kind, sketch: Sketch) -> DiagramSighting:
    side_by_side = "; ".join(" | ".join(split) for split in sketch.splits)
    reason = f"side by side: {side_by_side}" if side_by_side else "nothing stands side by side"
    return DiagramSighting(
        kind, reason, sketch.page, ", ".join(filter(None, sketch.labels)) or None
    )


def _drawn(drawing: Drawing) -> Sketch:
    near: dict[int, set[int]] = {}
    for one, other in drawing.links:
        near.setdefault(one, set()).add(other)
        near.setdefault(other, set()).add(one)
    labels = [box.label for box in drawing.boxes]
    splits = tuple(
        tuple(sorted(labels[index] for index in split)) for split in _splits(drawing, near)
    )
    is_chain = not splits and all(len(others) <= 2 for others in near.values())
    arrows = tuple((labels[source], labels[target]) for source, target in drawing.arrows)
    lines = tuple((labels[one], labels[other]) for one, other in drawing.links)
    return Sketch(drawing.page, tuple(labels), splits, is_chain, lines, arrows)


def _splits(drawing: Drawing, near: Mapping[int, set[int]]) -> list[set[int]]:
    """Boxes that lie between the same two boxes.

    The two around them also lie between those: the larger side is the split, else the side with fewer other
    links, else the side that stands on one level.
    """

    def order(pair: tuple[set[int], set[int]]) -> tuple[float, ...]:
        levels = [drawing.boxes[index].y for index in pair[0]]
        links = sum(len(near[index]) for index in pair[0])
        return -len(pair[0]), links, max(levels) - min(levels), *sorted(pair[0])

    between = [
        (near[a] & near[b], {a, b}) for a, b in combinations(sorted(near), 2) if b not in near[a]
    ]
    chosen: list[set[int]] = []
    around: list[set[int]] = []
    for split, ends in sorted((pair for pair in between if len(pair[0]) >= 2), key=order):
        if split not in around and not any(split & other for other in chosen):
            chosen.append(split)
            around.append(ends)
    return chosen


def _written(reading: PdfReading) -> list[Sketch]:
    """Diagrams drawn with characters: rows of names between rows of box-drawing characters."""
    sketches = []
    for page, text in enumerate(reading.pages, start=1):
        lines = text.split("\n")
        drawn = [index for index, line in enumerate(lines) if _BOX_CHARACTERS.search(line)]
        if len(drawn) >= _FEWEST_ROWS:
            first, last = max(0, drawn[0] - 1), drawn[-1] + 2
            sketches.append(_sketched(page, lines[first:last]))
    return sketches


def _sketched(page: int, lines: Sequence[str]) -> Sketch:
    rows = [_row(line) for line in lines]
    branched = [
        row
        for row, above in zip(rows[1:], lines, strict=False)
        if len(row) >= 2 and _branches(above)
    ]
    labels = tuple(label for row in rows for label in row)
    is_chain = all(len(row) <= 1 for row in rows)
    return Sketch(
        page, labels, tuple(branched), is_chain, tuple(pairwise(labels)) if is_chain else ()
    )


def _branches(line: str) -> bool:
    """A row of arms or of arrow heads: what stands below it stands side by side."""
    return len(re.findall(r"[\u2502\u25bc\u252c\u2534v|]", line)) >= 2


def _row(line: str) -> tuple[str, ...]:
    words = re.sub(r"\([^)]*\)|[\u2500-\u257f\u25b2\u25bc\u25ba\u25c4]", " ", line).split()
    return tuple(word for word in words if re.match(r"[A-Za-z]\w{2,}", word))
