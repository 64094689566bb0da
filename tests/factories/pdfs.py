"""PDFs for tests: the demo's writer, and reports that tests ask for by what they are about."""

from __future__ import annotations

from grading.demo.pdf_writer import Arrow, Box, Image, Page, make_pdf

__all__ = ["Arrow", "Box", "Image", "Page", "make_pdf", "parallel_graph_page"]

DETECTIVES = ("RepoInvestigator", "DocAnalyst", "VisionInspector")
JUDGES = ("Prosecutor", "Defense", "Tech Lead")


def parallel_graph_page() -> Page:
    """Both splits and both joins, drawn with boxes and arrows from top to bottom."""
    columns = (72, 247, 422)
    boxes = [Box("START", 247, 700)]
    boxes += [Box(name, x, 600) for name, x in zip(DETECTIVES, columns, strict=True)]
    boxes += [Box("Evidence Aggregator", 247, 500)]
    boxes += [Box(name, x, 400) for name, x in zip(JUDGES, columns, strict=True)]
    boxes += [Box("Chief Justice", 247, 300), Box("END", 247, 200)]
    pairs = [
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 4),
        (2, 4),
        (3, 4),
        (4, 5),
        (4, 6),
        (4, 7),
        (5, 8),
        (6, 8),
        (7, 8),
        (8, 9),
    ]

    return Page(boxes=boxes, arrows=[Arrow(source, target) for source, target in pairs])
