"""Evaluator of the Chief Justice's code under three scores: one run, in which no value is in doubt.

Scores are numbers, and what else the code reads is open: a test of it is decided one way, and stays
so. An open value is known by the expression that makes it and by what that expression reads.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from courtroom.analysis.langgraph.judging.dead_conditions import parameter_names
from courtroom.analysis.langgraph.judging.persona_names import persona_in
from courtroom.analysis.langgraph.judging.score_values import (
    JUDGES,
    Judge,
    NotCovered,
    Open,
    Opinion,
    Scores,
    Unfollowed,
    by_name,
    holds_score,
    is_in,
    is_same,
    is_settled,
    key_of,
    spelling_in,
)
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.compact_nodes import with_compact
from courtroom.analysis.python.source_files import Codebase
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.builtin_methods import is_builtin
from courtroom.analysis.python.symbolic_execution.calls import apply, arguments_of
from courtroom.analysis.python.symbolic_execution.expressions import EXPRESSIONS
from courtroom.analysis.python.symbolic_execution.higher_order import FUNCTIONS
from courtroom.analysis.python.symbolic_execution.interpreter import MAX_NESTING, Interpreter
from courtroom.analysis.python.symbolic_execution.statements import STATEMENTS, follow_loop
from courtroom.analysis.python.symbolic_execution.value_operations import item_of, truth_of
from courtroom.analysis.python.symbolic_execution.values import (
    KEYS,
    UNKNOWN,
    Call,
    DictValue,
    External,
    Flow,
    Frame,
    Function,
    ListValue,
    Method,
    Scope,
    Symbol,
    Value,
    join,
)
from courtroom.analysis.python.tree_walk import called_name, last_name, walk, words_of

_PERSONA_FIELDS = frozenset(words_of("judge persona role"))
_CRITERION_FIELDS = frozenset({"criterion", "dimension"})
_FOLDS = frozenset({"lower", "casefold", "strip", "upper", "title"})
_AVERAGES = frozenset({"mean", "fmean", "median"})
_TABLES = frozenset({"dict", "mapping", "defaultdict"})
_LITERALS = (ast.Constant, ast.List, ast.Tuple, ast.Set)
# Builtins that change nothing but their result.
_FUNCTIONS = frozenset(FUNCTIONS) - {"setattr"}
# Outcome of a function that raises.
FAILURE = "raise"


@dataclass
class SharedTables:
    """Tables that all runs of a search share, with the numbers of open values."""

    functions: Mapping[str, FunctionRef]
    symbols: SymbolTable = field(init=False, default_factory=lambda: SymbolTable(Codebase({}, {})))
    numbers: dict[Hashable, int] = field(init=False, default_factory=dict)
    names: dict[int, list[str]] = field(init=False, default_factory=dict)

    def names_in(self, node: ast.AST, context: type[ast.expr_context]) -> list[str]:
        """Return the names that an expression reads, or that a loop sets."""
        if id(node) not in self.names:
            names = (part for part in walk(node) if isinstance(part, ast.Name))
            self.names[id(node)] = sorted({n.id for n in names if isinstance(n.ctx, context)})
        return self.names[id(node)]


@dataclass(kw_only=True)
class ScoreRun(Interpreter):
    """One run, with the statements at the lines `rule` or without them.

    `decided` are the answers of open tests by the number of the value, `given` is what the code
    hands on. `parts` are the values of the expressions inside the present one.
    """

    shared: SharedTables
    scores: Scores
    decided: dict[int, bool]
    rule: frozenset[int] = frozenset()
    is_left_out: bool = False
    is_reached: bool = False
    is_changed: bool = False
    is_eager: bool = True
    given: list[Hashable] = field(default_factory=list)
    parts: list[Value] = field(default_factory=list)

    def result_of(self, function: FunctionRef) -> Hashable:
        """Return all that a run gives: what it returns, and what it hands to other code."""
        names, returned = self._entered(function)
        handed = [value for value in names.values() if isinstance(value, ListValue | DictValue)]
        # A list or table that a caller hands in may be changed in place.
        return (key_of(join(returned)), tuple(self.given), *map(key_of, handed))

    def number_of(self, function: FunctionRef) -> float | None:
        """Return the number that a run returns, as the first of several values too; else None."""
        _, returned = self._entered(function)
        value = returned[-1] if returned else None
        first = value.members[0] if isinstance(value, ListValue) and value.members else value
        return first if isinstance(first, int | float) and not isinstance(first, bool) else None

    def _entered(self, function: FunctionRef) -> tuple[dict[str, Value], list[Value]]:
        own = Function(function.site.node, function.source, Scope(function.source))
        if own.node.args.vararg or own.node.args.kwarg:
            raise NotCovered
        names = {name: self.missing_argument(own, name) for name in parameter_names(function)}
        return names, self.enter(own, [], names).returned

    # -- values -----------------------------------------------------------------------------------

    def opened(self, *key: Hashable) -> Open:
        return Open(self.shared.numbers.setdefault(key, len(self.shared.numbers)))

    def give(self, *values: Value) -> None:
        self.given.append(tuple(map(key_of, values)))

    def whole(self, node: ast.AST, scope: Scope) -> Open:
        """Return an open value that is the same wherever this expression reads the same values."""
        homes = ((n, scope.find(n)) for n in self.shared.names_in(node, ast.Load))
        held = ((name, key_of(home.names[name])) for name, home in homes if home)
        return self.opened(id(node), *held)

    def evaluate(self, node: ast.expr | None, scope: Scope) -> Value:
        if node is None:
            return None
        if self.nesting >= MAX_NESTING:
            raise NotCovered
        outer, self.parts = self.parts, []
        try:
            value = super().evaluate(node, scope)
        except Unfollowed:
            value, self.doubts = UNKNOWN, ()
            if isinstance(node, ast.Call):
                self.give(self.whole(node, scope))
        if not is_settled(value):
            value = self._open_value_of(node, scope)
        self.parts = outer
        outer.append(value)
        return value

    def _open_value_of(self, node: ast.expr, scope: Scope) -> Open:
        if not isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare):
            return self.whole(node, scope)
        signs = node.ops if isinstance(node, ast.Compare) else [node.op]
        return self.opened(*map(type, signs), *map(key_of, self.parts))

    def truth(self, value: Value) -> bool:
        if isinstance(value, Open):
            return self.decided.setdefault(value.number, True)
        truth = True if isinstance(value, Symbol) else truth_of(value)
        if truth is None:
            raise NotCovered
        return truth

    def missing_argument(self, function: Function, name: str) -> Value:
        arguments = function.node.args
        every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
        annotation = {argument.arg: argument.annotation for argument in every}[name]
        head = annotation.value if isinstance(annotation, ast.Subscript) else annotation
        value = by_name(name, self.scores)
        if head is not None and last_name(head).lower() in _TABLES:
            members = value.members if isinstance(value, ListValue) else []
            names = map(Judge, JUDGES)
            value = DictValue(dict(zip(names, members, strict=True))) if members else None
        return self.opened("name", name) if value is None else value

    def attribute(self, owner: Value, name: str) -> Value:
        if isinstance(owner, Opinion):
            return self.opinion_field(owner, name)
        if isinstance(owner, Judge) and name == "value":
            return owner
        persona = persona_in(name) if name.isupper() else None
        return Judge(persona) if persona else self._part("attribute", owner, name)

    def opinion_field(self, opinion: Opinion, name: str) -> Value:
        if name == "score":
            return self.scores[opinion.persona]
        words = set(words_of(name))
        if words & _PERSONA_FIELDS:
            return Judge(opinion.persona)
        # The three opinions are on one criterion.
        return self._part("field", None if words & _CRITERION_FIELDS else opinion, name)

    def item(self, owner: Value, key: Value) -> Value:
        if isinstance(owner, Opinion) and isinstance(key, str):
            return self.opinion_field(owner, key)
        value = item_of(owner, spelling_in(owner, key) if isinstance(owner, DictValue) else key)
        return value if is_settled(value) else self._part("item", owner, key)

    def _part(self, kind: str, owner: Value, key: Value) -> Open:
        return self.opened(kind, key_of(owner), key_of(key))

    def compare(self, sign: ast.cmpop, left: Value, right: Value) -> Value:
        result: bool | None = None
        if isinstance(sign, ast.In | ast.NotIn):
            result = is_in(left, right)
        elif isinstance(sign, ast.Eq | ast.NotEq | ast.Is | ast.IsNot):
            result = is_same(left, right)
        if result is None:
            return super().compare(sign, left, right)
        return result is not isinstance(sign, ast.NotEq | ast.NotIn | ast.IsNot)

    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        if not is_settled(value):
            raise Unfollowed
        if isinstance(target, ast.Name) and isinstance(value, Open):
            own = by_name(target.id, self.scores)
            value = value if own is None else own
        elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, Open):
            if any(isinstance(part, ast.Starred) for part in target.elts):
                raise NotCovered
            places = range(len(target.elts))
            value = ListValue([self._part("part", value, place) for place in places])
        elif isinstance(target, ast.Attribute):
            self.give(target.attr, self.evaluate(target.value, frame.scope), value)
        elif isinstance(target, ast.Subscript):
            owner = self.evaluate(target.value, frame.scope)
            self._set_item(owner, self.evaluate(target.slice, frame.scope), value)
            return
        super().assign(target, value, frame)

    def _set_item(self, owner: Value, key: Value, value: Value) -> None:
        if isinstance(owner, DictValue) and isinstance(key, KEYS):
            owner.entries[spelling_in(owner, key)] = value
        elif isinstance(owner, ListValue) and isinstance(key, int):
            owner.members[key] = value
        elif isinstance(owner, Symbol):
            self.give("item", owner, key, value)
        else:
            raise NotCovered

    # -- calls ------------------------------------------------------------------------------------

    def call(
        self, function: Function, positional: Sequence[Value], keywords: dict[str, Value]
    ) -> Value:
        if not all(map(is_settled, [*positional, *keywords.values()])):
            raise Unfollowed
        return super().call(function, positional, keywords)

    def callee(self, node: ast.Call, holder: Value, given: list[Value], scope: Scope) -> Value:
        """Return what a call runs; unknown where it is code that is not followed."""
        name, is_bare = called_name(node), isinstance(node.func, ast.Name)
        if not is_bare and isinstance(holder, ListValue | DictValue | str):
            return Method(holder, name)
        home = scope.find(name) if is_bare else None
        if home is not None and isinstance(home.names[name], Function):
            return home.names[name]
        builtin = f"statistics.{name}" if name in _AVERAGES else name if is_bare else ""
        if is_builtin(builtin) or builtin in _FUNCTIONS:
            return External(builtin)
        function = self.shared.functions.get(name)
        if function is None or not any(map(holds_score, given)):
            return UNKNOWN
        site = function.site
        is_method = site.owner is not None and bool(site.node.args.args)
        is_bound = is_method and site.node.args.args[0].arg in {"self", "cls"}
        own_object = self.opened("name", "self") if is_bound else None
        return Function(site.node, function.source, Scope(function.source), own_object)

    def hand_over(self, call: Call) -> None:
        self.give(self.whole(call.node, call.scope))

    def give_up(self, *_: object) -> None:
        raise NotCovered

    # -- statements -------------------------------------------------------------------------------

    def execute(self, body: Sequence[ast.stmt], frame: Frame) -> Flow:
        for statement in body:
            flow = self._follow(statement, frame)
            if flow is not Flow.NEXT_STATEMENT:
                return flow
        return Flow.NEXT_STATEMENT

    def _follow(self, node: ast.stmt, frame: Frame) -> Flow:
        is_of_rule = self._is_of_rule(node)
        if is_of_rule and self.is_left_out:
            return Flow.NEXT_STATEMENT
        self.use_fuel()
        handler = self.statements.get(type(node))
        if handler is None:
            raise NotCovered
        if not is_of_rule:
            return handler(self, node, frame)
        self.is_reached = True
        # What is no plain setting of a name may count even where no name changes.
        self.is_changed |= not _sets_name(node)
        before = _key_of_names(frame)
        flow = handler(self, node, frame)
        self.is_changed |= before != _key_of_names(frame)
        return flow

    def _is_of_rule(self, node: ast.stmt) -> bool:
        is_in_rule = node.lineno in self.rule and self.active[0] is self.active[-1]
        return is_in_rule and not isinstance(node, ast.For | ast.With | ast.Try | ast.FunctionDef)


def _key_of_names(frame: Frame) -> Hashable:
    return key_of(DictValue(frame.scope.names))


def _sets_name(statement: ast.stmt) -> bool:
    targets = statement.targets if isinstance(statement, ast.Assign) else ()
    return bool(targets) and all(isinstance(target, ast.Name) for target in targets)


# -- handlers -------------------------------------------------------------------------------------


def _name(run: ScoreRun, node: ast.Name, scope: Scope) -> Value:
    home = scope.find(node.id)
    if home is None:
        statement = run.symbols.top_level_names(scope.source).get(node.id)
        value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
        if isinstance(value, _LITERALS) and statement in scope.source.tree.body:
            return run.evaluate(value, Scope(scope.source))
        return run.opened("name", node.id)
    if not is_settled(home.names[node.id]):
        raise NotCovered
    return home.names[node.id]


def _call(run: ScoreRun, node: ast.Call, scope: Scope) -> Value:
    if any(isinstance(a, ast.Starred) for a in node.args) or not all(k.arg for k in node.keywords):
        raise Unfollowed
    name, holder = called_name(node), None
    call = arguments_of(run, node, UNKNOWN, scope)
    first = call.argument(0)
    if isinstance(node.func, ast.Attribute):
        holder = run.evaluate(node.func.value, scope)
    elif name == "str" and isinstance(first, Judge):
        return first
    if isinstance(holder, Judge) and name in _FOLDS:
        return holder
    if isinstance(holder, Opinion) and name == "get" and isinstance(first, str):
        return run.opinion_field(holder, first)
    if isinstance(holder, DictValue) and call.positional:
        call.positional[0] = spelling_in(holder, first)
        if isinstance(first, Open) and name == "setdefault" and {*holder.entries} - {first}:
            # It may be one of the other keys.
            raise NotCovered
    value = apply(run, run.callee(node, holder, call.positional, scope), call)
    if name in {"sort", "sorted"}:
        ordered = holder if name == "sort" else value
        if isinstance(ordered, ListValue) and not ordered.is_ordered:
            raise Unfollowed if ordered is value else NotCovered
    return value


def _for(run: ScoreRun, node: ast.For | ast.AsyncFor, frame: Frame) -> Flow:
    source = run.evaluate(node.iter, frame.scope)
    if not isinstance(source, Open):
        return follow_loop(run, node, source, frame)
    # The loop may go over nothing, and a round begins with what the one before it may have left.
    names, held = run.shared.names_in(node, ast.Store), frame.scope.names
    run.give("before", *(held[name] for name in names if name in held))
    held.update((name, run.opened("left", id(node), name)) for name in names if name in held)
    member = run.opened("member", key_of(source))
    flow = follow_loop(run, node, ListValue([member]), frame)
    if flow is Flow.NEXT_STATEMENT:
        # What a round leaves behind may be read by the next one, or after the loop.
        run.give("kept", *(frame.scope.names[name] for name in names if name in frame.scope.names))
    return flow


def _try(run: ScoreRun, node: ast.Try, frame: Frame) -> Flow:
    # No error is looked for: what a handler does is left out on both sides.
    return run.execute([*node.body, *node.orelse, *node.finalbody], frame)


def _raise(_run: ScoreRun, _node: ast.Raise, frame: Frame) -> Flow:
    frame.returned.append(FAILURE)
    return Flow.FUNCTION_EXIT


def _define(_run: ScoreRun, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> Flow:
    frame.scope.names[node.name] = Function(node, frame.scope.source, frame.scope)
    return Flow.NEXT_STATEMENT


def _pass(_run: ScoreRun, _node: ast.stmt, _frame: Frame) -> Flow:
    return Flow.NEXT_STATEMENT


def _unread(_run: ScoreRun, _node: ast.expr, _scope: Scope) -> Value:
    return UNKNOWN


_HANDLERS: dict[type, Callable[..., Value]] = {
    ast.Name: _name,
    ast.Call: _call,
    ast.JoinedStr: _unread,
}
ScoreRun.expressions = {**EXPRESSIONS, **with_compact(_HANDLERS)}
_SHARED = (
    *(ast.Assign, ast.AnnAssign, ast.AugAssign, ast.If, ast.Return, ast.Continue, ast.Break),
    *(ast.Expr, ast.With, ast.AsyncWith),
)
ScoreRun.statements = {
    **{kind: STATEMENTS[kind] for kind in _SHARED},
    **dict.fromkeys((ast.For, ast.AsyncFor), _for),
    ast.Try: _try,
    ast.Raise: _raise,
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef), _define),
    **dict.fromkeys((ast.Pass, ast.Import, ast.ImportFrom, ast.Assert), _pass),
}
