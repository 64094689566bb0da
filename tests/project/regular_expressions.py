"""Every regular expression of the project, and whether its time grows faster than its text."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

from tests.project.hostile_strings import ENDS, Text, texts_of

ROOT = Path(__file__).parents[2]
PACKAGES = ("courtroom", "grading")
METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")
NAMES_METHOD = re.compile(rf"\b(?:{'|'.join(METHODS)})\b")
ANCHORED = {"match", "fullmatch"}
# Tried at one place of a text, although that is not written as PATTERN.match(...).
TRIED_AT_ONE_PLACE = {
    "courtroom.analysis.diagrams.mermaid": "its scanner tries each at the place it has reached",
    "courtroom.report_import.vocabulary": "names of sections are matched as a whole",
}
# Below this a process' time is noise (seconds). Time that grows with the square of LONGEST is ten
# times as much.
FLOOR = 0.005
MOST_TIMES = 3
# A half takes at least four times as long as an eighth, so what takes more than MOST_TIMES the half
# takes twelve times the eighth. Below ten times the half need not be run.
LEAST_TIMES_AN_EIGHTH = 10
FEWEST_TURNS, MOST_TURNS = 3, 20
# So many wholes, each above all halves by more than the limit: noise lengthens the halves as well.
SURE_TURNS = 6
TINY = 22
TINY_RUNS = 5
# Time that grows with the square of the text is above the floor at the longest, and time that grows
# with the fifth power comes to an end at the shortest.
LONGEST = 8192
SIZES = (LONGEST // 64, LONGEST // 8, LONGEST)


@dataclass(frozen=True, slots=True)
class Expression:
    """Pattern with the place where it is kept; `anchored` if it is only tried at one place."""

    place: str
    pattern: re.Pattern[Any]
    anchored: bool

    def run(self, text: str) -> float:
        """Return the process' seconds for one text."""
        given: Any = (
            text if isinstance(self.pattern.pattern, str) else text.encode(errors="replace")
        )
        started = time.process_time()
        if self.anchored:
            self.pattern.match(given)
            self.pattern.fullmatch(given)
        else:
            for _match in self.pattern.finditer(given):
                pass
        return time.process_time() - started


def slow_text(expression: Expression) -> str:
    """Return how the pattern's time more than triples when a text doubles, “” if it never does."""
    for text in texts_of(expression.pattern, ENDS):
        # What doubles with each character would never come to an end at the sizes below.
        # One quick run shows that it is quick: something else may have had the machine.
        if all(expression.run(text(TINY)) > FLOOR for _ in range(TINY_RUNS)):
            return f"{text(TINY)!r}: grows with each character"
        eighth = 0.0
        for size in SIZES:
            whole = expression.run(text(size))
            if whole > max(FLOOR, LEAST_TIMES_AN_EIGHTH * eighth):
                # A quarter shows time that grows with the square in a sixteenth of the time.
                for length in (size // 4, size):
                    half, whole = _seconds_of_half_and_whole(expression, text, length)
                    if whole > max(FLOOR, MOST_TIMES * half):
                        return f"{text(24)!r}: {half:.4f} s, then {whole:.4f} s at {length}"
            eighth = whole
    return ""


def _seconds_of_half_and_whole(
    expression: Expression, text: Text, size: int
) -> tuple[float, float]:
    """Return the time for half of a text and for all of it."""
    pairs = []
    for turn in range(MOST_TURNS):
        pairs.append((expression.run(text(size // 2)), expression.run(text(size))))
        half, whole = (min(column) for column in zip(*pairs, strict=True))
        # The best of many, in turns: something else may have had the machine.
        if whole <= MOST_TIMES * half and (turn == 0 or turn >= FEWEST_TURNS):
            break
        if turn + 1 >= SURE_TURNS and whole > MOST_TIMES * max(half for half, _ in pairs):
            break
    return half, whole


@cache
def expressions() -> tuple[Expression, ...]:
    """Return the patterns that modules keep, in containers too, and those written where they run."""
    kept: dict[tuple[Any, int, bool], Expression] = {}
    methods = _methods_by_name()
    for module in _modules():
        for name, value in vars(module).items():
            is_anchored = module.__name__ in TRIED_AT_ONE_PLACE or (
                bool(methods[name]) and methods[name] <= ANCHORED
            )
            for pattern in _patterns_in(value):
                expression = Expression(f"{module.__name__}.{name}", pattern, is_anchored)
                kept.setdefault((pattern.pattern, pattern.flags, is_anchored), expression)
    for expression in _written_where_they_run():
        kept.setdefault(
            (expression.pattern.pattern, expression.pattern.flags, expression.anchored), expression
        )
    return tuple(kept.values())


def _modules() -> Iterator[Any]:
    for package in map(importlib.import_module, PACKAGES):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__") and ".migrations" not in module.name:
                yield importlib.import_module(module.name)


def _patterns_in(value: Any, depth: int = 4) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, dict):
        yield from _patterns_in([*value, *value.values()], depth)
    elif depth and isinstance(value, list | tuple | set | frozenset):
        for item in value:
            yield from _patterns_in(item, depth - 1)
    elif depth and is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            part = getattr(value, field.name, None)
            # A pattern may be kept as text and compiled where it runs.
            is_source = field.name == "pattern" and isinstance(part, str)
            yield from _patterns_in(
                re.compile(part, re.MULTILINE) if is_source else part, depth - 1
            )


@cache
def _trees() -> dict[str, ast.Module]:
    """Return the modules that call a method of this name; parsing all of them takes seconds."""
    texts = {
        str(path.relative_to(ROOT)): path.read_text()
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
    }
    return {path: ast.parse(text) for path, text in texts.items() if NAMES_METHOD.search(text)}


def _methods_by_name() -> defaultdict[str, set[str]]:
    """Return by which methods each name is asked anywhere; empty if it is only passed on."""
    methods: defaultdict[str, set[str]] = defaultdict(set)
    for tree in _trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                owner = node.value
                if isinstance(owner, ast.Name):
                    methods[owner.id].add(node.attr)
                elif isinstance(owner, ast.Attribute):
                    methods[owner.attr].add(node.attr)
    return methods


def _written_where_they_run() -> Iterator[Expression]:
    """Yield the patterns of calls such as re.sub(r"...", ...)."""
    for path, tree in _trees().items():
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            module, first = node.func.value, node.args[0] if node.args else None
            is_call = isinstance(module, ast.Name) and module.id == "re"
            if is_call and node.func.attr in METHODS and isinstance(first, ast.Constant):
                pattern = re.compile(cast("str", first.value))
                yield Expression(f"{path}:{node.lineno}", pattern, node.func.attr in ANCHORED)
