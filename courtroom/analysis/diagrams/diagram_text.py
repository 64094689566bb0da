"""Find diagrams written as text in files and pages, and parse them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from courtroom.analysis.diagrams.diagram_graph import Chart
from courtroom.analysis.diagrams.mermaid import read_mermaid
from courtroom.analysis.diagrams.plantuml import read_plantuml

Language = Literal["mermaid", "plantuml"]

_FENCE = re.compile(r"^ {0,3}(`{3,}+|~{3,}+) *+(mermaid|plantuml|puml|uml)?[^\n`]*$", re.IGNORECASE)
_WHOLE_FILES: dict[str, Language] = {
    "mmd": "mermaid",
    "mermaid": "mermaid",
    "puml": "plantuml",
    "plantuml": "plantuml",
}
# A PDF has no fences: a diagram begins with the first words of its language.
_UNFENCED = re.compile(
    r"(?P<plantuml>@startuml\b)"
    r"|(?P<mermaid>\b(?:flowchart|graph) +(?:TD|TB|LR|RL|BT)\b|\bstateDiagram-v2\b)"
)
_CLOSED = re.compile(r"@enduml\b|```")


@dataclass(frozen=True, slots=True)
class ChartText:
    """Text of one diagram, and the 1-based line it begins on."""

    language: Language
    line: int
    source: str


def read_chart(text: ChartText) -> Chart:
    return read_mermaid(text.source) if text.language == "mermaid" else read_plantuml(text.source)


def charts_in_file(path: str, lines: Sequence[str]) -> Iterator[ChartText]:
    """Yield the diagrams of a file: all of a .mmd or .puml file, or a Markdown file's fences."""
    whole = _WHOLE_FILES.get(path.rsplit(".", 1)[-1].lower())
    if whole:
        yield ChartText(whole, 1, "\n".join(lines))
        return

    fence, language, start = "", "", 0
    for number, line in enumerate(lines, start=1):
        match = _FENCE.match(line)
        if match and not fence:
            fence, language, start = match[1], (match[2] or "").lower(), number
        elif match and match[1].startswith(fence) and not match[2]:
            if language:
                source = "\n".join(lines[start : number - 1])
                yield ChartText(
                    "mermaid" if language == "mermaid" else "plantuml", start + 1, source
                )
            fence = ""


def charts_in_text(text: str) -> Iterator[ChartText]:
    """Yield the diagrams in a page's text, up to the end mark or the start of the next diagram."""
    starts = list(_UNFENCED.finditer(text))
    ends = [*(match.start() for match in starts[1:]), len(text)]
    for match, end in zip(starts, ends, strict=False):
        closed = _CLOSED.search(text, match.end(), end)
        source = text[match.start() : closed.start() if closed else end]
        line = text.count("\n", 0, match.start()) + 1
        yield ChartText("mermaid" if match["mermaid"] else "plantuml", line, source)
