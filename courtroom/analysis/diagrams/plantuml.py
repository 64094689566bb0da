"""PlantUML component, state and activity diagrams to graphs, line by line.

An activity's actions follow each other; between `fork` and `end fork` (or `split`, `if`, `switch`) each branch starts
from the same action, and what comes after joins them all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from courtroom.analysis.diagrams.diagram_graph import END, START, Chart, ChartBuilder

_END = r"(?:\[\*\]|\(\*\)|\[[^\[\]\n]{1,160}\]|\([^()\n]{1,160}\)|:[^:\n]{1,160}:|\"[^\"\n]{1,160}\"|[\w.]+)"
_LINK = re.compile(
    rf"^\s*(?P<one>{_END})\s*(?:\"[^\"\n]*\"\s*)?(?P<head><[|*o]?)?[-.=]+(?:\[[^\]\n]*\]|up|down|left|right|[udlr])?"
    rf"[-.=]*(?P<tail>[|*o]?>)?\s*(?:\"[^\"\n]*\"\s*)?(?P<other>{_END})\s*(?::.*)?$"
)
_NAMED = re.compile(
    r"^\s*(?:component|state|node|rectangle|agent|actor|participant|usecase|database|queue|card|cloud|package|class)\s+"
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
class _Branching:
    """An open fork: where its branches start, and where those that are done end."""

    starts: list[int]
    ends: list[int] = field(default_factory=list)


def read_plantuml(source: str) -> Chart:
    """Nodes and arrows; a start or end mark is START or END."""
    reader = _Reader()
    for line in source.splitlines():
        reader.take(line)
    return reader.builder.chart()


class _Reader:
    """`last` are the actions that the next one follows; `open` are the forks around it."""

    def __init__(self) -> None:
        self.builder = ChartBuilder()
        self.last: list[int] = []
        self.open: list[_Branching] = []

    def take(self, line: str) -> None:
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
        """`A --> B`, `B <-- A`; a line without a head says nothing of direction and is read from left to right."""
        one, other = match["one"], match["other"]
        if match["head"] and not match["tail"]:
            one, other = other, one
        self.builder.edge(self._end(one, START), self._end(other, END))

    def _end(self, written: str, terminal: str) -> int:
        if written in {"[*]", "(*)"}:
            return self.builder.node(terminal)
        return self.builder.node(written.strip('[]():"').strip())

    def _follow(self, node: int) -> None:
        for before in self.last:
            self.builder.edge(before, node)
        self.last = [node]

    def _branch(self, line: str) -> None:
        if _OPENS.match(line):
            self.open.append(_Branching(starts=self.last))
        elif _NEXT.match(line) and self.open:
            self.open[-1].ends += self.last
            self.last = self.open[-1].starts
        elif _CLOSES.match(line) and self.open:
            self.last = self.open.pop().ends + self.last
