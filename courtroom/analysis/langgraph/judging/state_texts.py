"""Texts that the nodes put into a list of the state, and filters of it that none of them passes.

A rule that waits for "Security" in such a list never applies where no writer can put that word there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product

from courtroom.analysis.langgraph.judging.awaited_words import quoted
from courtroom.analysis.langgraph.state_flow.condition_values import ConditionReader, key_of
from courtroom.analysis.langgraph.state_flow.possible_goals import GOAL, PossibleGoals
from courtroom.analysis.python.call_graph import FunctionRef, functions_by_node
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    fields_of,
    last_name,
    tests_around,
    walk,
)

STATE_NAMES = frozenset({"state", "graph_state", "agent_state"})
COPIES = frozenset({"list", "sorted", "set", "tuple"})
# Calls that only read a list that they are handed.
READING = COPIES | {"len", "print", "bool", "any", "all", "join", "str", "enumerate"}
# Names that are followed, and texts of one f-string.
MOST_STEPS = 8
MOST_TEXTS = 200
# Values of one list that are followed.
MOST_VALUES = 200

Texts = list[str] | None


@dataclass
class StateTexts:
    """Reader of the lists of texts in the state; `keys` are those that it declares."""

    symbols: SymbolTable
    keys: frozenset[str]
    goals: PossibleGoals = field(init=False)
    _texts: dict[str, Texts] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.goals = PossibleGoals(self.symbols)

    def is_passed_by_none(self, node: ast.expr, function: FunctionRef) -> bool:
        return bool(self.vain_key(node, function))

    def reason_at(self, function: FunctionRef, line: int) -> str:
        """Return why a condition of a line lets nothing of such a list pass; "" for other lines."""
        for key, node in self._vain_at(function, line):
            if not self.texts_under(key):
                return f"nothing ever comes into `{key}`"
            words = " or ".join(quoted(_words_in(node)))
            return f"no text that comes into `{key}` has {words}" if words else ""
        return ""

    def is_of_findings(self, function: FunctionRef, line: int) -> bool:
        """Return whether a line waits in vain for a list that is filled by what evidence found."""
        keys = {key for key, _ in self._vain_at(function, line)}
        return any(
            not keys.isdisjoint(fields_of(node))
            for source in self.symbols.codebase.production
            for site in source.functions
            if keys and "found" in site.mentions
            for node in walk(site.node)
        )

    def _vain_at(self, function: FunctionRef, line: int) -> Iterator[tuple[str, ast.expr]]:
        """Yield the parts of a line's conditions that filter a list in vain, with its key."""
        tests = list(tests_around(function.site.node, line))
        names = {node.id for test in tests for node in walk(test) if isinstance(node, ast.Name)}
        reader = ConditionReader(self.symbols, function)
        values = (reader.assigned(name) for name in sorted(names))
        for node in (*tests, *filter(None, values)):
            if key := self.vain_key(node, function):
                yield key, node

    def vain_key(self, node: ast.expr, function: FunctionRef) -> str:
        """Return the key of the list for a filter that no text of it passes, "" for all else.

        `[c for c in state["conflicts"] if "Security" in c]`, and the list itself where it is empty.
        """
        loop = _only_loop(node)
        key = self._key_of(loop.iter if loop else node, function)
        texts = self.texts_under(key) if key else None
        if texts is None:
            return ""
        if loop is None:
            return key if not texts else ""
        reader = ConditionReader(self.symbols, function)
        tests = [*loop.ifs]
        if isinstance(node, ast.Call) and called_name(node) == "any":
            tests += [getattr(node.args[0], "elt", ast.Constant(value=True))]
        target = last_name(loop.target)
        passes = (
            all(reader.truth(test, {target: text}) is not False for test in tests) for text in texts
        )
        return key if target and not any(passes) else ""

    def texts_under(self, key: str) -> Texts:
        """Return all texts that code puts into a list of the state; None where they are not known."""
        if key not in self._texts:
            self._texts[key] = None
            self._texts[key] = self._read(key)
        return self._texts[key]

    def _key_of(self, node: ast.expr, function: FunctionRef) -> str:
        """Return the key of `state["conflicts"]`, also of a name for it."""
        reader = ConditionReader(self.symbols, function)
        for _ in range(MOST_STEPS):
            if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
                node = node.values[0]
            elif isinstance(node, ast.Name) and (value := reader.assigned(node.id)) is not None:
                node = value
            else:
                break
        key, owner = key_of(node) or ("", node)
        return key if last_name(owner) in STATE_NAMES and key in self.keys else ""

    def _read(self, key: str) -> Texts:
        texts: list[str] = []
        written = 0
        for source in self.symbols.codebase.production:
            if key not in source.text:
                continue
            homes = functions_by_node(source)
            for node in walk(source.tree):
                if _is_changed_in_place(node, key):
                    return None
                value = fields_of(node).get(key)
                if value is None:
                    continue
                home = homes.get(id(node))
                more = _Writer(self, home, key).members(value) if home else None
                if more is None:
                    return None
                written += 1
                texts += more
        return texts if written else None


@dataclass
class _Writer:
    """Reader of what one function puts into a list."""

    texts: StateTexts
    function: FunctionRef
    key: str
    fuel: int = MOST_VALUES

    def members(self, value: ast.expr, steps: int = MOST_STEPS) -> Texts:
        self.fuel -= 1
        if steps == 0 or self.fuel < 0:
            return None
        if isinstance(value, ast.List | ast.Tuple | ast.Set):
            return _all([self._member(part, steps) for part in value.elts])
        if isinstance(value, ast.Name):
            return self._of_name(value.id, steps)
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
            return _all([self.members(part, steps - 1) for part in (value.left, value.right)])
        if isinstance(value, ast.BoolOp):
            return _all([self.members(part, steps - 1) for part in value.values])
        if isinstance(value, ast.IfExp):
            return _all([self.members(part, steps - 1) for part in (value.body, value.orelse)])
        if isinstance(value, ast.ListComp):
            return self.of_text(value.elt)
        if isinstance(value, ast.Call) and called_name(value) in COPIES:
            return _all([self.members(part, steps - 1) for part in value.args])
        key, owner = key_of(value) or ("", value)
        return [] if key == self.key and last_name(owner) in STATE_NAMES else None

    def _member(self, part: ast.expr, steps: int) -> Texts:
        if isinstance(part, ast.Starred):
            return self.members(part.value, steps - 1)
        return self.of_text(part)

    def _of_name(self, name: str, steps: int) -> Texts:
        """Return the texts of a list that this function makes and fills alone."""
        node = self.function.site.node
        stores = sum(
            isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
            for n in walk(node)
        )
        rows: list[Texts] = []
        set_here = 0
        for part in walk(node):
            if isinstance(part, ast.arg) and part.arg == name:
                return None
            if isinstance(part, ast.Assign | ast.AnnAssign | ast.AugAssign) and part.value:
                targets = part.targets if isinstance(part, ast.Assign) else [part.target]
                if name in map(last_name, targets):
                    set_here += 1
                    rows.append(self.members(part.value, steps - 1))
            elif isinstance(part, ast.Call):
                rows += self._filled_by(part, name, steps)
        return _all(rows) if stores == set_here > 0 else None

    def _filled_by(self, call: ast.Call, name: str, steps: int) -> list[Texts]:
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if isinstance(owner, ast.Name) and owner.id == name:
            if called_name(call) in {"append", "add"} and len(call.args) == 1:
                return [self.of_text(call.args[0])]
            if called_name(call) in {"extend", "update"} and len(call.args) == 1:
                return [self.members(call.args[0], steps - 1)]
            return [None] if called_name(call) in {"insert", "__iadd__"} else []
        given = (*call.args, *(keyword.value for keyword in call.keywords))
        is_handed = any(isinstance(part, ast.Name) and part.id == name for part in given)
        return [None] if is_handed and called_name(call) not in READING else []

    def of_text(self, value: ast.expr) -> Texts:
        """Return the texts that a written text or an f-string may be."""
        text = constant_text(value)
        if text is not None:
            return [text]
        if not isinstance(value, ast.JoinedStr):
            return None
        parts = [self._of_part(part) for part in value.values]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        texts = ["".join(row) for row in islice(product(*known), MOST_TEXTS)]
        return texts if len(texts) < MOST_TEXTS else None

    def _of_part(self, part: ast.expr) -> Texts:
        if not isinstance(part, ast.FormattedValue):
            return self.of_text(part)
        value = part.value
        if isinstance(value, ast.Call) and called_name(value) == "len":
            return ["0"]
        if isinstance(value, ast.Attribute) and value.attr == GOAL:
            return self._goals_of(value.value)
        return None

    def _goals_of(self, item: ast.expr) -> Texts:
        """Return the goals of `item = next((e for e in rows if "Graph" in e.goal), None)`."""
        reader = ConditionReader(self.texts.symbols, self.function)
        value = reader.assigned(item.id) if isinstance(item, ast.Name) else None
        loop = _only_loop(value) if value is not None else None
        if loop is None or not isinstance(value, ast.Call) or called_name(value) != "next":
            return None
        target = last_name(loop.target)
        return self.texts.goals.passing(loop.iter, target, loop.ifs, self.function)


def _all(rows: Sequence[Texts]) -> Texts:
    known = [row for row in rows if row is not None]
    return [text for row in known for text in row] if len(known) == len(rows) else None


def _only_loop(node: ast.expr) -> ast.comprehension | None:
    """Return the loop of a comprehension, also of one in `any(...)`, `len(...)` or `next(...)`."""
    if isinstance(node, ast.Call) and called_name(node) in {"any", "len", "list", "next", "sum"}:
        node = next(iter(node.args), node)
    if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
        return node.generators[0] if len(node.generators) == 1 else None
    return None


def _words_in(node: ast.expr) -> list[str]:
    """Return the texts that tests look for."""
    compares = (n for n in walk(node) if isinstance(n, ast.Compare))
    return [text for n in compares if (text := constant_text(n.left))]


def _is_changed_in_place(node: ast.AST, key: str) -> bool:
    """Return true for `state["conflicts"] = ...` and `state["conflicts"].append(...)`."""
    if isinstance(node, ast.Subscript):
        return constant_text(node.slice) == key and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Attribute) and node.attr == key:
        return not isinstance(node.ctx, ast.Load)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    changed, _ = key_of(node.func.value) or ("", None)
    return changed == key and node.func.attr in {"append", "extend", "add", "update", "insert"}
