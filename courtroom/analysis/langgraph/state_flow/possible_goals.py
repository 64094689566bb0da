"""Goals that the evidence of the work may have, by what its code writes and its rubric names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from courtroom.analysis.langgraph.state_flow.condition_values import ConditionReader, key_of
from courtroom.analysis.langgraph.state_flow.flow_fault import squashed
from courtroom.analysis.langgraph.state_flow.other_keys import objects_in
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import FunctionNode
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    fields_of,
    last_name,
    walk,
    words_of,
)

GOAL = "goal"
# What stands in a goal for the values of an f-string.
OPEN = "\0"
# Values that are followed from a goal.
MOST_STEPS = 40
# Calls of a chain or a model, and calls that take a class and make no instance of it.
ASKING = frozenset({"invoke", "ainvoke"})
PLAIN_USES = frozenset({"isinstance", "issubclass", "StateGraph", "cast"})
# Words of a name for a compiled graph.
GRAPHS = frozenset(words_of("graph app workflow swarm auditor compiled"))

# Goals, each with the place that writes it.
Goals = dict[str, tuple[str, int] | None]


def written_goals(
    symbols: SymbolTable, data: Mapping[str, str], within: FunctionNode | None = None
) -> Goals | None:
    """Return every goal that a record of the product gets, with its place; None where not known.

    Of an f-string the beginning and the end are known, on both sides of OPEN. With `within` only the
    records of one function count.
    """
    goals: Goals = {}
    records = _records(symbols)
    if _may_be_answers(symbols, records):
        return None
    for source in symbols.codebase.production:
        homes = {
            id(n): FunctionRef(source, site) for site in source.functions for n in walk(site.node)
        }
        inside = None if within is None else {id(node) for node in walk(within)}
        stored = {id(target): value for target, value in _stores(source.tree)}
        for node in walk(source.tree):
            if inside is not None and id(node) not in inside:
                continue
            if isinstance(node, ast.Attribute) and node.attr == GOAL:
                if isinstance(node.ctx, ast.Load):
                    continue
                value = stored.get(id(node))
            else:
                value = fields_of(node).get(GOAL)
                if value is None and not _lacks_goal(node, records):
                    continue
            texts = _Texts(symbols, homes.get(id(node)), data).of(value) if value else None
            if texts is None or value is None:
                return None
            # The place of a goal of the rubric is not in the code.
            place = (source.path, value.lineno) if isinstance(value, ast.Constant) else None
            goals |= {text: place for text in texts if text not in goals}
    return goals


def _records(symbols: SymbolTable) -> set[str]:
    """Return the names of the product's classes that have a goal."""
    return {
        node.name
        for source in symbols.codebase.production
        for node in source.classes
        if any(
            isinstance(part, ast.AnnAssign) and getattr(part.target, "id", "") == GOAL
            for part in node.body
        )
    }


def _stores(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield each target of a plain assignment, with what is assigned."""
    for node in walk(tree):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((target, node.value) for target in targets)


def _may_be_answers(symbols: SymbolTable, records: set[str]) -> bool:
    """Return whether a model may give a record a goal that no line sets anew."""
    return any(
        site.function is None or not _sets_goals_of_answers(site.function.node)
        for source in symbols.codebase.production
        for site in source.calls
        if called_name(site.node) not in PLAIN_USES
        for argument in (*site.node.args, *(k.value for k in site.node.keywords))
        if last_name(argument) in records
    )


def _sets_goals_of_answers(function: FunctionNode) -> bool:
    """Return true for `answer = chain.invoke(...)` with `answer.goal = ...` behind it, for each."""
    blocks = (getattr(node, "body", None) for node in walk(function))
    asked = [
        (name, block[place + 1 :])
        for block in blocks
        if isinstance(block, list)
        for place, statement in enumerate(block)
        if isinstance(statement, ast.Assign)
        if (name := last_name(statement.targets[0])) and _asks(statement.value)
    ]
    return bool(asked) and all(
        any(
            isinstance(target, ast.Attribute)
            and target.attr == GOAL
            and last_name(target.value) == name
            for statement in rest
            if isinstance(statement, ast.Assign)
            for target in statement.targets
        )
        for name, rest in asked
    )


def _asks(value: ast.expr) -> bool:
    value = value.value if isinstance(value, ast.Await) else value
    return isinstance(value, ast.Call) and called_name(value) in ASKING


def _lacks_goal(node: ast.AST, records: set[str]) -> bool:
    """Return true for a record whose goal stands in no keyword of its own."""
    return isinstance(node, ast.Call) and called_name(node) in records and not _copies(node)


def _copies(call: ast.Call) -> bool:
    """Return true for `Evidence(**item)` and `Evidence(**item | {...})`: the goal is that of item."""
    match call:
        case ast.Call(args=[], keywords=[ast.keyword(arg=None, value=value)]):
            is_changed = isinstance(value, ast.BinOp) and GOAL not in fields_of(value.right)
            item = value.left if isinstance(value, ast.BinOp) and is_changed else value
            return isinstance(item, ast.Name)
    return False


@dataclass(slots=True)
class _Texts:
    """Texts that a goal may be in a function, None where they are not known before a run."""

    symbols: SymbolTable
    home: FunctionRef | None
    data: Mapping[str, str]
    steps: int = MOST_STEPS

    def of(self, value: ast.expr) -> list[str] | None:
        self.steps -= 1
        if self.steps < 0:
            return None
        if is_goal(self.symbols, value):
            return []  # the goal of another record
        match value:
            case ast.Constant(value=str() as text):
                return [text]
            case ast.JoinedStr(values=parts):
                ends = [constant_text(part) or "" for part in (parts[:1] + parts[-1:])]
                return [OPEN.join(ends)] if any(ends) else None
            case ast.IfExp(body=body, orelse=other):
                return self.of_all([body, other])
            case ast.BoolOp(values=parts):
                return self.of_all(parts)
            case ast.Name(id=name):
                return self.of_all(self.assigned(name)) if self.assigned(name) else None
            case ast.Call(
                func=ast.Attribute(value=owner, attr="get"),
                args=[ast.Constant(value=str() as key), *default],
            ):
                otherwise = constant_text(default[0]) if default else ""
                return _of_rubric(key, otherwise, self._criteria(owner))
            case ast.Subscript(value=owner, slice=ast.Constant(value=str() as key)):
                return _of_rubric(key, "", self._criteria(owner))
        return None

    def _criteria(self, owner: ast.expr) -> list[dict[str, Any]]:
        """Return the criteria of the JSON files that a name may stand for: those its loop lets through."""
        criteria = [entry for _, entry in objects_in(self.data) if isinstance(entry.get("id"), str)]
        loops = [
            node
            for node in (walk(self.home.site.node) if self.home else ())
            if isinstance(node, ast.For | ast.AsyncFor)
            if isinstance(owner, ast.Name) and last_name(node.target) == owner.id
        ]
        if len(loops) != 1 or len(self._stores(last_name(owner))) != 1 or self.home is None:
            return criteria
        reader = ConditionReader(self.symbols, self.home)
        rows = loops[0].iter
        rows = (reader.assigned(rows.id) or rows) if isinstance(rows, ast.Name) else rows
        if not isinstance(rows, ast.ListComp) or len(rows.generators) != 1:
            return criteria
        (loop,) = rows.generators
        target = last_name(loop.target)
        if last_name(rows.elt) != target:
            return criteria
        return [
            entry
            for entry in criteria
            if all(reader.truth(test, {target: entry}) is not False for test in loop.ifs)
        ]

    def of_all(self, values: Sequence[ast.expr]) -> list[str] | None:
        texts: list[str] = []
        for value in values:
            more = self.of(value)
            if more is None:
                return None
            texts += more
        return texts

    def assigned(self, name: str) -> list[ast.expr]:
        """Return what the name is assigned, nothing where it is filled in another way as well."""
        if self.home is None:
            return []
        assigns = [n for n in walk(self.home.site.node) if isinstance(n, ast.Assign)]
        targets = {id(t): n.value for n in assigns for t in n.targets if isinstance(t, ast.Name)}
        stores = self._stores(name)
        values = [targets[id(store)] for store in stores if id(store) in targets]
        return values if len(values) == len(stores) else []

    def _stores(self, name: str) -> list[ast.AST]:
        return [
            n
            for n in (walk(self.home.site.node) if self.home else ())
            if (isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load))
            or (isinstance(n, ast.arg) and n.arg == name)
        ]


def _of_rubric(
    key: str, default: str | None, criteria: Sequence[Mapping[str, Any]]
) -> list[str] | None:
    """Return what criteria hold under a key; the default where one of them has none."""
    values: list[Any] = [entry.get(key) for entry in criteria]
    if not values or default is None:
        return None
    texts = [value for value in dict.fromkeys(map(str, values)) if value in values]
    return [*texts, *([default] * (None in values))]


def is_goal(symbols: SymbolTable, node: ast.expr) -> bool:
    """Return true for a goal of a record, and for a function that only gives one."""
    match node:
        case ast.Attribute(attr="goal") | ast.Subscript(slice=ast.Constant(value="goal")):
            return True
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value="goal"), *_]):
            return True
        case ast.Call(func=ast.Name(id=name)):
            homes = symbols.functions_by_name.get(name, [])
            returns = [
                n.value
                for _, site in homes
                for n in walk(site.node)
                if isinstance(n, ast.Return) and n.value
            ]
            is_named = GOAL in words_of(name) and len(homes) == 1 and bool(returns)
            return is_named and all(_mentions_goal(value) for value in returns)
    return False


def _mentions_goal(value: ast.expr) -> bool:
    return any(
        constant_text(node) == GOAL or (isinstance(node, ast.Attribute) and node.attr == GOAL)
        for node in walk(value)
    )


@dataclass
class PossibleGoals:
    """Reader of searches for evidence by its goal, such as `"Graph" in e.goal`."""

    symbols: SymbolTable
    _by_function: dict[int, Goals | None] = field(default_factory=dict)

    def missed_words(
        self, test: ast.expr, function: FunctionRef, loop: ast.comprehension | None = None
    ) -> tuple[str, ...]:
        """Return the words that a test looks for in a goal in vain; () for all other tests.

        Where the list is known that it searches, the goals of its writers alone count. `loop` is the
        comprehension of which it is a test.
        """
        words = _words_sought(test)
        goals = self._behind(test, function, loop) if words else None
        has_open = any(OPEN in goal for goal in goals or ())
        return words if goals and not has_open and self._fail(test, function, goals) else ()

    def respelled_word(
        self, test: ast.expr, function: FunctionRef, loop: ast.comprehension | None = None
    ) -> tuple[str, str, tuple[str, int] | None] | None:
        """Return a word that a test looks for, and a goal that spells it otherwise, with its place.

        None where another goal may have the word: a value of an f-string, where code outside the
        function or a JSON file has it as well.
        """
        words = _words_sought(test)
        goals = self._behind(test, function, loop) if len(words) == 1 else None
        word = squashed(words[0]) if goals else ""
        if not goals or word == words[0].lower() or not self._fail(test, function, goals):
            return None
        near = next(
            (
                goal
                for goal, place in goals.items()
                if OPEN not in goal and word in squashed(goal) and not _is_inside(place, function)
            ),
            None,
        )
        has_word = near is None or self._is_written_outside(words[0], function)
        return None if near is None or has_word else (words[0], near, goals[near])

    def _fail(self, test: ast.expr, function: FunctionRef, goals: Goals) -> bool:
        """Return whether a test fails for every goal, whatever an f-string has for its values."""
        (name,) = set(_items_of(test))
        reader = ConditionReader(self.symbols, function)
        return all(reader.truth(test, {name: {GOAL: goal}}) is False for goal in goals)

    def _is_written_outside(self, word: str, function: FunctionRef) -> bool:
        codebase = self.symbols.codebase
        texts = [*codebase.data.values(), *codebase.rubrics.values()]
        texts += [
            str(node.value)
            for source in codebase.production
            for node, site in source.strings
            if site is not function.site
        ]
        return any(word.lower() in text.lower() for text in texts)

    def _behind(
        self, test: ast.expr, function: FunctionRef, loop: ast.comprehension | None
    ) -> Goals | None:
        """Return the goals of the only record that a test reads; None where they are not known."""
        names = set(_items_of(test))
        if len(names) != 1:
            return None
        name = names.pop()
        is_own = loop is not None and last_name(loop.target) == name
        return (
            self.of_list(loop.iter, function) if loop and is_own else self._of_loop(name, function)
        )

    def passing(
        self, rows: ast.expr, target: str, tests: Sequence[ast.expr], function: FunctionRef
    ) -> list[str] | None:
        """Return the goals of the members of a list that pass tests; None where they are not known."""
        goals = self.of_list(rows, function)
        if goals is None or any(OPEN in goal for goal in goals):
            return None
        reader = ConditionReader(self.symbols, function)
        return [
            goal
            for goal in goals
            if all(reader.truth(test, {target: {GOAL: goal}}) is not False for test in tests)
        ]

    def of_list(self, rows: ast.expr, function: FunctionRef) -> Goals | None:
        """Return the goals of the evidence in a list, of all evidence where its writers are not known."""
        place = _place_of(rows, ConditionReader(self.symbols, function))
        writers: list[FunctionNode | None] = [*self._writers(*place)] if place else []
        goals: Goals = {}
        for writer in writers or [None]:
            more = self._of_function(writer)
            if more is None:
                return None
            goals |= more
        return goals

    def _of_function(self, function: FunctionNode | None) -> Goals | None:
        if id(function) not in self._by_function:
            data = self.symbols.codebase.data
            self._by_function[id(function)] = written_goals(self.symbols, data, function)
        return self._by_function[id(function)]

    def _of_loop(self, name: str, function: FunctionRef) -> Goals | None:
        """Return the goals of what a loop names."""
        loops = [
            node.iter
            for node in walk(function.site.node)
            if isinstance(node, ast.For | ast.AsyncFor) and last_name(node.target) == name
        ]
        if len({ast.dump(rows) for rows in loops}) != 1:
            return self._of_function(None)
        return self.of_list(loops[0], function)

    def _writers(self, field: str, key: str) -> list[FunctionNode]:
        """Return the functions that write a key of a field of the state; [] where not all are known."""
        writers: list[FunctionNode] = []
        for source in self.symbols.codebase.production:
            if field not in source.text:
                continue
            homes = {id(n): site.node for site in source.functions for n in walk(site.node)}
            prompts = {id(a) for c in source.calls if _is_prompt(c.node) for a in c.node.args}
            for node in walk(source.tree):
                if _changes_key(node, {field, key}):
                    return []
                value = fields_of(node).get(field)
                if value is None or id(node) in prompts:
                    continue
                home = homes.get(id(node))
                entries = fields_of(value) if isinstance(value, ast.Dict) else {"": value}
                if "" in entries or home is None:
                    return []
                if key in entries:
                    if not _is_made_in(home, entries[key], _records(self.symbols)):
                        return []
                    writers.append(home)
        return writers


def _is_inside(place: tuple[str, int] | None, function: FunctionRef) -> bool:
    node = function.site.node
    path, line = place or ("", 0)
    return path == function.source.path and node.lineno <= line <= (node.end_lineno or 0)


def _is_prompt(call: ast.Call) -> bool:
    """Return true for what is handed to a chain, and not to a graph as its state."""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    return _asks(call) and GRAPHS.isdisjoint(words_of(last_name(owner)))


def _changes_key(node: ast.AST, keys: set[str]) -> bool:
    """Return true for `rows["doc"] = ...` and `rows.setdefault("doc", [])`."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.ctx, ast.Store) and constant_text(node.slice) in keys
    if not isinstance(node, ast.Call) or called_name(node) != "setdefault" or not node.args:
        return False
    return constant_text(node.args[0]) in keys


def _is_made_in(function: FunctionNode, rows: ast.expr, records: set[str]) -> bool:
    """Return true for a list of records that a function makes or gets from a model itself."""
    nodes = list(walk(function))
    values = [value for target, value in _stores(function) if _is_name(target, rows)]
    if not isinstance(rows, ast.List) and not (
        values and all(isinstance(value, ast.List) for value in values)
    ):
        return False
    members = [m for part in (rows, *values) for m in getattr(part, "elts", ())]
    for call in (node for node in nodes if isinstance(node, ast.Call)):
        owner = call.func.value if isinstance(call.func, ast.Attribute) else call
        if _is_name(owner, rows):
            if called_name(call) != "append":
                return False
            members += call.args
    made = [m for member in members for m in _values_of(member, function)]
    return all(
        _asks(value) or (isinstance(value, ast.Call) and called_name(value) in records)
        for value in made
    )


def _is_name(target: ast.expr, rows: ast.expr) -> bool:
    return isinstance(target, ast.Name) and isinstance(rows, ast.Name) and target.id == rows.id


def _values_of(member: ast.expr, function: FunctionNode) -> list[ast.expr]:
    if not isinstance(member, ast.Name):
        return [member]
    return [value for target, value in _stores(function) if _is_name(target, member)] or [member]


def _place_of(rows: ast.expr, reader: ConditionReader) -> tuple[str, str] | None:
    """Return field and key of `state["evidences"].get("doc", [])`, also of a name for it."""
    parts: list[str] = []
    for _ in range(MOST_STEPS):
        if isinstance(rows, ast.BoolOp) and isinstance(rows.op, ast.Or):
            rows = rows.values[0]
        elif isinstance(rows, ast.Name):
            value = reader.assigned(rows.id)
            if value is None:
                break
            rows = value
        elif (found := key_of(rows)) is not None:
            key, rows = found
            parts.insert(0, key)
        else:
            break
    is_state = isinstance(rows, ast.Name) and "state" in words_of(rows.id)
    return (parts[0], parts[1]) if is_state and len(parts) == 2 else None


def _items_of(test: ast.expr) -> Iterator[str]:
    """Yield the names of records whose goal a test reads."""
    for node in walk(test):
        item = key_of(node) if isinstance(node, ast.expr) else None
        if item is not None and item[0] == GOAL and isinstance(item[1], ast.Name):
            yield item[1].id


def _words_sought(test: ast.expr) -> tuple[str, ...]:
    """Return the texts that a test looks for in a goal or compares it with."""
    words: list[str] = []
    for node in walk(test):
        if isinstance(node, ast.Compare) and any(
            True for side in node.comparators for _ in _items_of(side)
        ):
            words += filter(None, [constant_text(node.left)])
    return tuple(dict.fromkeys(words))
