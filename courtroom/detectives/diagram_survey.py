"""Every diagram of report and repository that can be read as a graph, compared with the code's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from courtroom.analysis.diagrams.diagram_kind import sketches_of
from courtroom.analysis.diagrams.diagram_match import Sketch, agreement, sketch_of
from courtroom.analysis.diagrams.diagram_text import charts_in_file, read_chart
from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.models.facts import DiagramFact, GraphFact

# Files whose diagrams are read. A reader looks for one in the README and in docs first.
MOST_FILES = 30
MOST_DIAGRAMS = 20
MOST_NAMES = 60
_ENDINGS = (".md", ".markdown", ".mmd", ".mermaid", ".puml", ".plantuml")


def chart_paths(tree: Iterable[str]) -> list[str]:
    """The files that may hold a diagram as text, those nearest to the root first."""
    candidates = (path for path in tree if path.lower().endswith(_ENDINGS))
    return sorted(candidates, key=lambda path: (path.count("/"), path))[:MOST_FILES]


def diagrams_of_both(
    pdf: PdfReading | None, files: Mapping[str, Sequence[str]], graph: GraphFact | None
) -> tuple[DiagramFact, ...]:
    """The report's diagrams, then the repository's, in the order of `files` (lines by path)."""
    diagrams = [*_in_report(pdf, graph), *_in_repository(files, graph)]
    return tuple(diagrams[:MOST_DIAGRAMS])


def _in_report(pdf: PdfReading | None, graph: GraphFact | None) -> Iterator[DiagramFact]:
    for source, sketch in sketches_of(pdf) if pdf else ():
        yield _fact(sketch, graph).model_copy(update={"drawn_as": source, "page": sketch.page})


def _in_repository(
    files: Mapping[str, Sequence[str]], graph: GraphFact | None
) -> Iterator[DiagramFact]:
    for path, lines in files.items():
        for text in charts_in_file(path, lines):
            chart = read_chart(text)
            # Boxes without an arrow are no graph.
            if chart.edges:
                place = {"drawn_as": text.language, "path": path, "line": text.line}
                yield _fact(sketch_of(chart), graph).model_copy(update=place)


def _fact(sketch: Sketch, graph: GraphFact | None) -> DiagramFact:
    return DiagramFact(
        drawn_as="drawing",
        names=tuple(dict.fromkeys(filter(None, sketch.labels)))[:MOST_NAMES],
        arrows=sketch.arrows[: 2 * MOST_NAMES],
        side_by_side=sketch.splits,
        beside_code=agreement(sketch, graph) if graph and _shows_flow(sketch) else None,
    )


def _shows_flow(sketch: Sketch) -> bool:
    """False for boxes in one column, joined by lines without a head: that may be a ruled table."""
    return bool(sketch.splits or sketch.arrows or sketch.is_chain)
