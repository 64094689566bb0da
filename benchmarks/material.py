"""Inputs of the benchmarks: a generated student repository and a report of ten pages."""

from __future__ import annotations

from pathlib import Path

from grading.demo.pdf_writer import Arrow, Box, Page, make_pdf
from tests.factories.repositories import Commit, make_repository
from tests.factories.student_project import GRAPH, MAIN, STATE, TOOLS

MODULE = '''"""Module {number} of the generated project."""
from dataclasses import dataclass
'''
# Nine of these make 135 lines, the mean of the 1,242 files in 66 student repositories.
PART = '''

@dataclass
class Step{number}_{part}:
    name: str
    weight: float = 1.0

    def run(self, values: list[float]) -> float:
        """Weigh the values."""
        return sum(value * self.weight for value in values if value > {number})


def describe_{part}(step: Step{number}_{part}) -> str:
    return f"{{step.name}} weighs {{step.weight}}"
'''
PARTS = 9
PARAGRAPH = (
    "The detectives run in parallel and fan in at the evidence aggregator before the judges are "
    "heard, see src/graph.py. Dialectical synthesis is done by three personas in src/judges.py "
    "whose opinions the chief justice weighs by named rules. "
    "State synchronization rests on the reducers of src/state.py. "
)


def repository(folder: Path, *, files: int, commits: int | None = None) -> Path:
    """Make a bare repository with this many Python files, one commit each unless given."""
    own = {"src/state.py": STATE, "src/graph.py": GRAPH, "src/tools.py": TOOLS, "main.py": MAIN}
    more = {f"src/step_{n}.py": _module(n) for n in range(files - len(own))}
    texts = list({**own, **more}.items())
    # Files of one commit, rounded up.
    size = -(-files // (commits or files))
    parts = [dict(texts[start : start + size]) for start in range(0, files, size)]
    path = folder / f"generated-{files}.git"
    make_repository(path, [Commit(f"Add {', '.join(part)}"[:200], part) for part in parts])
    return path


def _module(number: int) -> str:
    parts = (PART.format(number=number, part=part) for part in range(PARTS))
    return MODULE.format(number=number) + "".join(parts)


def report(folder: Path, *, pages: int) -> Path:
    """Make a text report of this many pages, one of them with a drawn diagram."""
    text = [Page(lines=[f"# Section {n}", *[PARAGRAPH * 2] * 4]) for n in range(1, pages)]
    boxes = [Box("START", 60, 700), Box("RepoInvestigator", 40, 600), Box("DocAnalyst", 200, 600)]
    diagram = Page(lines=["# Diagram"], boxes=boxes, arrows=[Arrow(0, 1), Arrow(0, 2)])
    return make_pdf(folder / f"report-{pages}.pdf", [*text, diagram])
