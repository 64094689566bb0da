"""Parse PlantUML component, state and activity diagrams, line by line.

The actions of an activity follow each other. Between `fork` and `end fork` (or `split`, `if`,
`switch`), all branches start from the same action, and the next action joins them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from courtroom.analysis.diagrams.diagram_graph import END, START, Chart, ChartBuilder

# A node at one end of a link. Lengths are bounded against slow backtracking.
_END = (
    r"(?:\[\*\]|\(\*\)|\[[^\[\]\n]{1,160}\]|\([^()\n]{1,160}\)|:[^:\n]{1,160}:"
    r"|\"[^\"\n]{1,160}\"|\w++(?>(?:\.\w++)*))"
)
_LINK = re.compile(
    rf"^\s*(?P<left>{_END})\s*(?:\"[^\"\n]*\"\s*)?(?P<head><[|*o]?)?[-.=]++"
    r"(?:\[[^\]\n]*\]|up|down|left|right|[udlr])?"
    rf"[-.=]*+(?P<tail>[|*o]?>)?\s*(?:\"[^\"\n]*\"\s*)?(?P<right>{_END})\s*(?::.*)?$"
)
_NAMED = re.compile(
    r"^\s*(?:component|state|node|rectangle|agent|actor|participant|usecase|database|queue|card"
    r"|cloud|package|class)\s+"
    r"(?:\"(?P<label>[^\"\n]*)\"|\[(?P<box>[^\]\n]*)\])\s+as\s+(?P<id>[\w.]+)"
)
_BOX_AS = re.compile(r"^\s*\[(?P<label>[^\]\n]+)\]\s+as\s+(?P<id>[\w.]+)")
_ACTION = re.compile(r"^\s*:(?P<label>[^;\n]{1,160});")
_OPENS = re.compile(r"^\s*(?:fork|split|if|switch)\b(?! again)")
_NEXT = re.compile(r"^\s*(?:fork again|split again|else|elseif|case)\b")
_CLOSES = re.compile(r"^\s*(?:end ?fork|end merge|end ?split|endif|endswitch)\b")
_BEGINS = re.compile(r"^\s*start\s*$")
_STOPS = re.compile(r"^\s*(?:stop|end|kill|detach)\s*$")


@dataclass(slots=True)
class _Fork:
    """Open fork: the actions its branches start from, and the last actions of finished branches."""

    starts: list[int]
    ends: list[int] = field(default_factory=list)


def read_plantuml(source: str) -> Chart:
    """Parse nodes and arrows. A start or end mark is START or END."""
    parser = _Parser()
    for line in source.splitlines():
        parser.parse_line(line)
    return parser.builder.chart()


class _Parser:
    """State of the parser: `last` are the actions before the next one, `open` the forks around."""

    def __init__(self) -> None:
        self.builder = ChartBuilder()
        self.last: list[int] = []
        self.open: list[_Fork] = []

    def parse_line(self, line: str) -> None:
        if match := _NAMED.match(line) or _BOX_AS.match(line):
            groups = match.groupdict()
            self.builder.node(match["id"], groups["label"] or groups.get("box") or "")
        elif match := _LINK.match(line):
            self._link(match)
        elif match := _ACTION.match(line):
            self._follow(self.builder.node(match["label"].strip()))
        elif _BEGINS.match(line):
            self._follow(self.builder.node(START))
        elif _STOPS.match(line):
            self._follow(self.builder.node(END))
            self.last = []
        else:
            self._branch(line)

    def _link(self, match: re.Match[str]) -> None:
        """Add the edge of `A --> B` or `B <-- A`; a line without a head runs from left to right."""
        source, target = match["left"], match["right"]
        if match["head"] and not match["tail"]:
            source, target = target, source
        self.builder.edge(self._end(source, START), self._end(target, END))

    def _end(self, text: str, terminal: str) -> int:
        if text in {"[*]", "(*)"}:
            return self.builder.node(terminal)
        return self.builder.node(text.strip('[]():"').strip())

    def _follow(self, node: int) -> None:
        for before in self.last:
            self.builder.edge(before, node)
        self.last = [node]

    def _branch(self, line: str) -> None:
        if _OPENS.match(line):
            self.open.append(_Fork(starts=self.last))
        elif _NEXT.match(line) and self.open:
            self.open[-1].ends += self.last
            self.last = self.open[-1].starts
        elif _CLOSES.match(line) and self.open:
            self.last = self.open.pop().ends + self.last
