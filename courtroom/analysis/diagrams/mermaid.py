"""Parse Mermaid flowcharts and state diagrams by a small grammar that reads every character once.

    statement := nodes (arrow nodes)*
    nodes     := node ("&" node)*
    node      := id shape? (":::" class)?
    arrow     := "-->" and its variants, with an optional text: "-->|text|" or "-- text -->"

Line breaks do not matter, because a PDF may lose them: a statement ends where no arrow follows.
"""

from __future__ import annotations

import re

from courtroom.analysis.diagrams.diagram_graph import END, START, Chart, ChartBuilder

# Keywords that draw nothing, with the rest of their line.
_NON_DRAWING = re.compile(
    r"%%[^\n]*"
    r"|(?:style|classDef|class|linkStyle|click|direction|title|note|accTitle|accDescr)\b[^\n;]*"
    r"|(?:flowchart|graph) +\w\w\b|stateDiagram(?:-v2)?\b|---\n(?:[^\n]*\n){0,20}?---\n|end\b"
)
_GROUP = re.compile(
    r"subgraph\b[^\n;]{0,200}\n|subgraph +[\w-]+(?: *\[[^\]\n]{0,200}\])?"
    r"|state +(?:\"[^\"\n]{0,200}\" +as +)?\w+ *\{"
)
# Lengths are bounded, so that a hostile text cannot make the pattern backtrack for long.
_SHAPES = r"""\(\(\(?(?P<round>[^()]{0,300})\)?\)\)|\(\[(?P<stadium>[^\]]{0,300})\]\)
|\[\((?P<store>[^)]{0,300})\)\]|\[\[(?P<sub>[^\]]{0,300})\]\]
|\[[/\\]?(?P<box>"[^"]{0,300}"|[^\]]{0,300}?)[/\\]?\]
|\(\(?(?P<soft>"[^"]{0,300}"|[^()]{0,300})\)\)?
|\{\{?(?P<choice>"[^"]{0,300}"|[^{}]{0,300})\}\}?|>(?P<flag>[^\]]{0,300})\]"""
_NODE = re.compile(
    rf"(?:(?P<terminal>\[\*\])|(?P<id>\w+(?:[.-](?![-.=>])\w+)*))(?:@\{{[^}}]{{0,300}}\}})?"
    rf"(?P<shape>{_SHAPES})?(?::::[\w-]+)?",
    re.VERBOSE,
)
_ARROW = re.compile(
    r"""[<xo]?(?:
        --\s++[^-\n|>"][^\n|>]{0,80}?\s*--+[>xo]?      # -- text -->
      | ==\s++[^=\n|>"][^\n|>]{0,80}?\s*==+[>xo]?      # == text ==>
      | -\.\s++[^\n|>]{1,80}?\s*\.++-[>xo]?             # -. text .->
      | -\.++-[>xo]? | --+(?:>|[xo](?=\s))? | ==+[>xo]? | ~~~+
      | \N{RIGHTWARDS ARROW} | \N{LONG RIGHTWARDS ARROW}
    )(?:\s*+\|[^|\n]{0,200}\|)?""",
    re.VERBOSE,
)
_STATE_TEXT = re.compile(r"[ \t]*:(?!::)[^\n]*")
_TERMINALS = {"__start__": START, "__end__": END}  # as LangGraph draws its own graphs
_SPACE = re.compile(r"[\s;]+")
_GAP = re.compile(r"\s*")
_UNKNOWN = re.compile(r"[^\s;]+")


def read_mermaid(source: str) -> Chart:
    """Parse a flowchart or state diagram. `[*]` is START as a source and END as a target."""
    return _Parser(source).parse()


class _Parser:
    """Reads the source once. Every step advances, so that parsing always ends."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.position = 0
        self.builder = ChartBuilder()

    def parse(self) -> Chart:
        while self.position < len(self.source):
            if self._skip(_SPACE) or self._skip(_NON_DRAWING) or self._skip(_GROUP):
                continue
            if not self._statement():
                self._skip(_UNKNOWN)
        return self.builder.chart()

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        match = pattern.match(self.source, self.position)
        self.position = match.end() if match else self.position
        return match is not None

    def _statement(self) -> bool:
        sources = self._nodes(START)
        if not sources:
            return False

        while self._arrow():
            targets = self._nodes(END)
            for source in sources:
                for target in targets:
                    self.builder.edge(source, target)
            sources = targets

        self._skip(_STATE_TEXT)
        return True

    def _arrow(self) -> bool:
        before = self.position
        self._skip(_GAP)
        if self._skip(_ARROW):
            self._skip(_GAP)
            return True
        self.position = before
        return False

    def _nodes(self, terminal: str) -> list[int]:
        nodes: list[int] = []
        while match := _NODE.match(self.source, self.position):
            self.position = match.end()
            nodes.append(self._node(match, terminal))
            before = self.position
            self._skip(_GAP)
            if self.source[self.position : self.position + 1] != "&":
                self.position = before
                break
            self.position += 1
            self._skip(_GAP)
        return nodes

    def _node(self, match: re.Match[str], terminal: str) -> int:
        if match["terminal"]:
            return self.builder.node(terminal)

        shapes = ("round", "stadium", "store", "sub", "box", "soft", "choice", "flag")
        label = next((match[shape] for shape in shapes if match[shape]), "")
        terminal_name = _TERMINALS.get(match["id"])
        if terminal_name:
            return self.builder.node(terminal_name)

        return self.builder.node(match["id"], label)
