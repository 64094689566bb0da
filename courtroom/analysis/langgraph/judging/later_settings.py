"""Settings of a score that come after another one: they undo a cap, or set what was set before."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from courtroom.analysis.langgraph.judging.score_changes import (
    SCORE_WORDS,
    ScoreChange,
    assignments_in,
    constant_number,
    is_score_name,
    words_in,
)
from courtroom.analysis.python.tree_walk import (
    BLOCK_ENDS,
    called_name,
    constant_text,
    walk,
    words_of,
)

CONVERSIONS = frozenset({"round", "int", "float"})
MEANS = frozenset({"sum", "mean", "fmean", "median"})
# Words of a function of the work's own that makes one score of several.
MIXING = frozenset(words_of("weighted weigh mean average avg median blend blended"))
# A cap whose limit is no plain number lies at the course's limit.
USUAL_LIMIT = 3.0
# Names that are followed to their values.
MAX_STEPS = 3

Block = tuple[int, bool]


@dataclass(frozen=True, slots=True)
class Setting:
    """Assignment to the local `name`; `operator` is that of `name += value`.

    `blocks` are the branches it stands in, from outside, as (id of the if, true for its body);
    `leaving` are those of them that end with a return, a raise or the end of the loop's round.
    """

    name: str
    line: int
    value: ast.expr
    operator: ast.operator | None
    blocks: tuple[Block, ...]
    leaving: frozenset[Block]
    tests: tuple[ast.expr, ...]
    loops: tuple[int, ...]

    def may_follow(self, earlier: Setting) -> bool:
        """Return true where a run may come from the earlier setting to this one in one round."""
        denied = {(node, not is_body) for node, is_body in earlier.blocks}
        return (
            self.line > earlier.line
            and denied.isdisjoint(self.blocks)
            and earlier.leaving <= set(self.blocks)
            and self.loops == earlier.loops[: len(self.loops)]
        )

    def always_follows(self, earlier: Setting) -> bool:
        return (
            self.may_follow(earlier)
            and earlier.blocks == self.blocks[: len(earlier.blocks)]
            and earlier.loops == self.loops[: len(earlier.loops)]
        )


@dataclass(frozen=True, slots=True)
class _Around:
    blocks: tuple[Block, ...] = ()
    leaving: frozenset[Block] = frozenset()
    tests: tuple[ast.expr, ...] = ()
    loops: tuple[int, ...] = ()


@dataclass(slots=True)
class Settings:
    """Settings of the local names of one function, in the order of their lines."""

    function: ast.FunctionDef | ast.AsyncFunctionDef
    rows: list[Setting] = field(init=False)

    def __post_init__(self) -> None:
        self.rows = sorted(_settings(self.function.body, _Around()), key=lambda row: row.line)

    def of(self, change: ScoreChange) -> Setting | None:
        return next((row for row in self.rows if row.value is change.value), None)

    def same_before(self, setting: Setting) -> Setting | None:
        """Return the setting that always comes before with the same value, but for caps between."""
        earlier = [row for row in self.rows if row.name == setting.name]
        earlier = [row for row in earlier if setting.may_follow(row)]
        base = next((row for row in reversed(earlier) if setting.always_follows(row)), None)
        if base is None or base.operator or setting.operator:
            return None
        between = earlier[earlier.index(base) + 1 :]
        names = {node.id for node in walk(setting.value) if isinstance(node, ast.Name)}
        is_moved = any(
            row.name in names for row in self.rows if base.line < row.line < setting.line
        )
        is_same = ast.dump(base.value) == ast.dump(setting.value)
        return base if is_same and not is_moved and all(map(_is_min_of_itself, between)) else None

    def undoing(self, cap: Setting, caps: Iterable[Setting]) -> Setting | None:
        """Return the last setting by which the score can rise above the cap again."""
        last = max((row.line for row in caps if row.name == cap.name), default=cap.line)
        marks = {row.name for row in self.rows if row.blocks == cap.blocks} - {cap.name}
        flags = _names_in(cap.tests)
        for row in reversed(self.rows):
            if row.name != cap.name or row.line <= last or not row.may_follow(cap):
                continue
            is_apart = bool(_names_in(row.tests) & marks or _denied_in(row.tests) & flags)
            is_apart = is_apart or _is_for_high(row) or _excludes(cap, row)
            if not is_apart and self._can_raise(row, _limit_of(cap.value)):
                return row
        return None

    def _can_raise(self, row: Setting, limit: float) -> bool:
        if row.operator is not None:
            number = constant_number(row.value)
            return isinstance(row.operator, ast.Add) and number is not None and number > 0
        return self.is_above(row.value, row.name, limit, MAX_STEPS)

    def is_above(self, value: ast.expr, name: str, limit: float, steps: int) -> bool:
        """Return true where a value may lie above the limit though `name` does not."""
        number = constant_number(value)
        if number is not None:
            return number > limit
        if isinstance(value, ast.IfExp):
            parts = value.body, value.orelse
            return any(self.is_above(part, name, limit, steps) for part in parts)
        if isinstance(value, ast.Call):
            return self._is_call_above(value, name, limit, steps)
        if isinstance(value, ast.BinOp):
            return _mixes(value, name)
        if isinstance(value, ast.Name):
            if value.id == name or not steps:
                return False
            values = assignments_in(self.function).get(value.id, [])
            return bool(values) and any(
                self.is_above(part, name, limit, steps - 1) for part in values
            )
        if isinstance(value, ast.Subscript):
            return bool(words_in(value.value) & SCORE_WORDS) and not _reads(value, name)
        return isinstance(value, ast.Attribute) and is_score_name(value)

    def _is_call_above(self, call: ast.Call, name: str, limit: float, steps: int) -> bool:
        called = called_name(call)
        parts = [self.is_above(part, name, limit, steps) for part in call.args]
        if called in CONVERSIONS:
            return bool(parts) and parts[0]
        if called == "min":
            return bool(parts) and all(parts)
        if called == "max":
            return any(parts)
        is_mixed = called in MEANS or (
            bool(MIXING.intersection(words_of(called))) and any(map(is_score_name, call.args))
        )
        return is_mixed and not _reads(call, name)


def _settings(body: list[ast.stmt], around: _Around) -> Iterator[Setting]:
    for node in body:
        if isinstance(node, ast.If):
            for is_body, statements in ((True, node.body), (False, node.orelse)):
                yield from _settings(statements, _inside(node, is_body, statements, around))
        elif isinstance(node, ast.For | ast.AsyncFor | ast.While):
            loops = (*around.loops, id(node))
            inner = _Around(around.blocks, around.leaving, around.tests, loops)
            yield from _settings([*node.body, *node.orelse], inner)
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and node.value is not None:
                yield Setting(
                    target.id,
                    node.lineno,
                    node.value,
                    node.op if isinstance(node, ast.AugAssign) else None,
                    around.blocks,
                    around.leaving,
                    around.tests,
                    around.loops,
                )
        elif isinstance(node, ast.With | ast.AsyncWith):
            yield from _settings(node.body, around)
        elif isinstance(node, ast.Try):
            handlers = [statement for handler in node.handlers for statement in handler.body]
            yield from _settings([*node.body, *handlers, *node.orelse, *node.finalbody], around)


def _inside(node: ast.If, is_body: bool, statements: list[ast.stmt], around: _Around) -> _Around:
    block = (id(node), is_body)
    is_leaving = bool(statements) and isinstance(statements[-1], BLOCK_ENDS)
    return _Around(
        (*around.blocks, block),
        around.leaving | ({block} if is_leaving else set()),
        (*around.tests, node.test),
        around.loops,
    )


def _is_min_of_itself(row: Setting) -> bool:
    is_min = isinstance(row.value, ast.Call) and called_name(row.value) == "min"
    return is_min and _reads(row.value, row.name)


def _reads(value: ast.AST, name: str) -> bool:
    return any(_is_name(node, name) for node in walk(value))


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_for_high(row: Setting) -> bool:
    """Return true under `if score > 4`: a capped score does not come there."""
    return any(
        isinstance(node, ast.Compare)
        and _is_name(node.left, row.name)
        and isinstance(node.ops[0], ast.Gt | ast.GtE)
        for test in row.tests
        for node in walk(test)
    )


def _excludes(cap: Setting, row: Setting) -> bool:
    """Return true where the cap's own tests keep a run from the row, or its value low."""
    of_cap, of_row = _conjuncts(cap.tests), _conjuncts(row.tests)
    low = (ast.Lt, ast.LtE, ast.Eq)
    bounded = {ast.dump(test.left) for test in of_cap if isinstance(test.ops[0], low)}
    if ast.dump(row.value) in bounded:
        return True
    return any(
        ast.dump(first.left) == ast.dump(second.left)
        and bool(texts := _texts_of(first))
        and bool(others := _texts_of(second))
        and texts.isdisjoint(others)
        for first in of_cap
        for second in of_row
    )


def _conjuncts(tests: Iterable[ast.expr]) -> list[ast.Compare]:
    """Return the comparisons that all hold where the tests do."""
    waiting, compares = list(tests), []
    while waiting:
        test = waiting.pop()
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            waiting += test.values
        elif isinstance(test, ast.Compare) and len(test.ops) == 1:
            compares.append(test)
    return compares


def _texts_of(test: ast.Compare) -> set[str]:
    """Return the texts one of which `x == text` or `x in (text, text)` asks for."""
    right = test.comparators[0]
    if isinstance(test.ops[0], ast.Eq):
        members = [right]
    elif isinstance(test.ops[0], ast.In) and isinstance(right, ast.List | ast.Tuple | ast.Set):
        members = right.elts
    else:
        return set()
    texts = {constant_text(member) for member in members}
    return set() if None in texts else {text for text in texts if text is not None}


def _names_in(nodes: Iterable[ast.AST]) -> set[str]:
    return {inner.id for node in nodes for inner in walk(node) if isinstance(inner, ast.Name)}


def _denied_in(tests: Iterable[ast.expr]) -> set[str]:
    """Return the names that a test takes as false: `if tech_lead and not is_flawed`."""
    return _names_in(
        node.operand
        for test in tests
        for node in walk(test)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )


def _limit_of(cap: ast.expr) -> float:
    numbers = [number for node in walk(cap) if (number := constant_number(node)) is not None]
    return max(numbers, default=USUAL_LIMIT)


def _mixes(value: ast.BinOp, name: str) -> bool:
    """Return true for a sum of the score and a bonus, or of it and other scores."""
    parts = [node for node in walk(value) if isinstance(node, ast.Name | ast.Attribute)]
    others = [part for part in parts if is_score_name(part) and not _is_name(part, name)]
    others += [part for part in parts if words_in(part) & MEANS]
    if not _reads(value, name):
        return bool(others)
    bonus = constant_number(value.right)
    is_bonus = isinstance(value.op, ast.Add) and bonus is not None and bonus > 0
    return is_bonus or (bool(others) and not isinstance(value.op, ast.Sub))
