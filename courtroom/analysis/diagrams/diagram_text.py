"""Where a file or a page holds a diagram written as text, and its reading by the grammar of its language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from courtroom.analysis.diagrams.diagram_graph import Chart
from courtroom.analysis.diagrams.mermaid import read_mermaid
from courtroom.analysis.diagrams.plantuml import read_plantuml

Language = Literal["mermaid", "plantuml"]

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,}) *(mermaid|plantuml|puml|uml)?[^\n`]*$", re.IGNORECASE)
_WHOLE_FILES: dict[str, Language] = {
    "mmd": "mermaid",
    "mermaid": "mermaid",
    "puml": "plantuml",
    "plantuml": "plantuml",
}
# In a PDF no fence is left: a diagram begins with its own first words.
_UNFENCED = re.compile(
    r"(?P<plantuml>@startuml\b)|(?P<mermaid>\b(?:flowchart|graph) +(?:TD|TB|LR|RL|BT)\b|\bstateDiagram-v2\b)"
)
_CLOSED = re.compile(r"@enduml\b|```")


@dataclass(frozen=True, slots=True)
class ChartText:
    """The text of one diagram and the 1-based line it begins on."""

    language: Language
    line: int
    source: str


def read_chart(text: ChartText) -> Chart:
    return read_mermaid(text.source) if text.language == "mermaid" else read_plantuml(text.source)


def charts_in_file(path: str, lines: Sequence[str]) -> Iterator[ChartText]:
    """The diagrams of one file: all of a .mmd or .puml, the fenced blocks of a Markdown file."""
    whole = _WHOLE_FILES.get(path.rsplit(".", 1)[-1].lower())
    if whole:
        yield ChartText(whole, 1, "\n".join(lines))
        return
    fence, language, start = "", "", 0
    for number, line in enumerate(lines, start=1):
        found = _FENCE.match(line)
        if found and not fence:
            fence, language, start = found[1], (found[2] or "").lower(), number
        elif found and found[1].startswith(fence) and not found[2]:
            if language:
                source = "\n".join(lines[start : number - 1])
                yield ChartText(
                    "mermaid" if language == "mermaid" else "plantuml", start + 1, source
                )
            fence = ""


def charts_in_text(text: str) -> Iterator[ChartText]:
    """The diagrams in a page's text, each up to its end mark or the next one's beginning."""
    found = list(_UNFENCED.finditer(text))
    ends = [*(match.start() for match in found[1:]), len(text)]
    for match, end in zip(found, ends, strict=False):
        closed = _CLOSED.search(text, match.end(), end)
        source = text[match.start() : closed.start() if closed else end]
        line = text.count("\n", 0, match.start()) + 1
        yield ChartText("mermaid" if match["mermaid"] else "plantuml", line, source)
