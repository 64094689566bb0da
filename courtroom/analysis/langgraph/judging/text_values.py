"""Values that a text of the Chief Justice is made of: arguments, evidence, scores, fixed words.

A text is followed through names, loops and the functions that make it. A value whose content is
not known is "open".
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from courtroom.analysis.langgraph.judging.dead_conditions import argument_of, parameter_names
from courtroom.analysis.langgraph.judging.dissent_rule import COUNTS
from courtroom.analysis.langgraph.judging.rule_words import DEFENSE, PROSECUTION
from courtroom.analysis.langgraph.judging.score_changes import words_in
from courtroom.analysis.langgraph.judging.verdict_source import MODEL_CALLS
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    BLOCK_ENDS,
    called_name,
    constant_text,
    last_name,
    line_of_key,
    walk,
    words_of,
)

# "plain" is a number, a judge's name or a criterion's; "rubric" a text of the rubric on a criterion;
# "own" another text of the same kind.
Part = Literal["arguments", "evidence", "plain", "rubric", "fixed", "own", "open"]
Value = tuple[ast.expr, FunctionRef]

REASONS = frozenset(
    words_of(
        """argument arguments reason reasons reasoning rationale rationales justification
        justifications explanation explanations critique comment comments cited
        citation citations"""
    )
)
EVIDENCE_NAMES = frozenset(words_of("evidence evidences ev evs"))
# Of such an owner, what a detective wrote.
EVIDENCE_FIELDS = frozenset(
    words_of("location content goal finding findings description summary path file found")
)
OPINION_NAMES = frozenset(words_of("op opinion opinions o judge prosecutor defense tech lead"))
PLAIN = frozenset(
    words_of(
        """score scores variance spread diff difference gap range distance deviation min max mean
        median avg average stdev std judge judges role persona name names id ids criterion criteria
        dimension dimensions dim final verdict threshold limit count n total low high lowest highest
        rule rules cap weight weights rating"""
    )
)
TEXT_METHODS = frozenset(
    words_of("strip lstrip rstrip upper lower title capitalize replace ljust rjust center split")
) | {"splitlines", "removeprefix", "removesuffix"}
NUMBERS = COUNTS | frozenset(
    words_of("min max round float abs mean fmean median stdev pstdev variance divmod")
)
# Calls whose content is that of their arguments.
HANDING_ON = frozenset(
    words_of("str repr list tuple set sorted reversed filter map next join format enumerate zip")
) | {"dict", "dedent", "shorten", "fill", "truncate", "HumanMessage", "SystemMessage"}
LOOKUPS = frozenset({"get", "getattr", "pop"})
# Fields of a model's answer that hold its text.
ANSWER_FIELDS = (["content"], ["text"])
# Calls by which a list gets texts.
FILLING = frozenset({"append", "extend", "insert", "appendleft", "add"})
# Of these, calls that add one member.
ADDING = frozenset({"append", "appendleft", "add"})
# Calls that give the rows of their first argument.
SAME_ROWS = frozenset(words_of("sorted reversed list tuple set"))
LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)
# A name with one of these is of a rule, not of a text.
RULE_NAMES = frozenset(words_of("requirement required rule rules threshold required needed"))
MAX_VALUES = 400


@dataclass
class ValueReader:
    """Reader of values in `functions`; a name with the word `own` holds a text of the same kind."""

    functions: list[FunctionRef]
    own: str
    _by_name: dict[str, list[FunctionRef]] = field(init=False)
    _values: dict[tuple[str, int], dict[str, list[ast.expr]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._by_name = {}
        for function in self.functions:
            self._by_name.setdefault(function.name, []).append(function)

    def parts_of(self, text: Value) -> set[Part]:
        """Return the kinds of all values that a text is made of."""
        parts: set[Part] = set()
        waiting, followed = [text], set[tuple[str, int, str]]()
        steps = 0
        while waiting:
            steps += 1
            if steps > MAX_VALUES:
                return {*parts, "open"}
            value, function = waiting.pop()
            if isinstance(value, ast.Name):
                key = (*function.key, value.id)
                if key not in followed:
                    followed.add(key)
                    further = self._values_of(value.id, function)
                    waiting += further
                    if not further:
                        parts.add(_part_of(words_of(value.id), None, self.own))
                continue
            kind, further_values = self._inside(value, function)
            if kind:
                parts.add(kind)
            waiting += [(inner, function) for inner in further_values]
            waiting += self._returns_of(value)
        return parts

    def places_of(self, text: Value, wanted: frozenset[Part]) -> Iterator[tuple[FunctionRef, int]]:
        """Yield the lines on which a text takes values of these kinds.

        That is the innermost f-string that one stands in, else the line that reads it.
        """
        waiting: list[tuple[Value, tuple[FunctionRef, int] | None]] = [(text, None)]
        visited: set[int] = set()
        while waiting and len(visited) < MAX_VALUES:
            (value, function), place = waiting.pop()
            if id(value) in visited or not self.parts_of((value, function)) & wanted:
                continue
            visited.add(id(value))
            if isinstance(value, ast.Name):
                further = self._values_of(value.id, function)
                is_source = not further
            else:
                kind, inner = self._inside(value, function)
                further = [*((part, function) for part in inner), *self._returns_of(value)]
                is_source = kind in wanted
            if is_source:
                yield place or (function, line_of_key(value))
            is_text = isinstance(value, ast.JoinedStr)
            rows = [(f, (f[1], line_of_key(f[0])) if is_text else place) for f in further]
            waiting += reversed(rows)

    def _inside(self, value: ast.expr, function: FunctionRef) -> tuple[Part | None, list[ast.expr]]:
        """Return what a value is by itself, and the values that it hands on."""
        if isinstance(value, ast.Call):
            return self._of_call(value, function)
        if isinstance(value, ast.Attribute):
            words = words_of(value.attr)
            if words == ["value"]:
                return None, [value.value]
            answer = self._answer(value.value, function) if words in ANSWER_FIELDS else []
            return self._field(words, value.value, function), answer
        if isinstance(value, ast.Subscript):
            return self._of_item(value, function)
        return _by_kind(value)

    def _answer(self, owner: ast.expr, function: FunctionRef) -> list[ast.expr]:
        """Return the model calls whose answer the owner of a field such as `content` is."""
        is_name = isinstance(owner, ast.Name)
        values = self._own_values(function).get(last_name(owner), []) if is_name else [owner]
        calls = (value.value if isinstance(value, ast.Await) else value for value in values)
        return [c for c in calls if isinstance(c, ast.Call) and called_name(c) in MODEL_CALLS]

    def _field(self, words: list[str], owner: ast.expr, function: FunctionRef) -> Part:
        part = _part_of(words, owner, self.own)
        is_evidence = part == "open" and bool(EVIDENCE_FIELDS.intersection(words))
        return "evidence" if is_evidence and _is_of_evidence(owner, function) else part

    def _of_item(
        self, item: ast.Subscript, function: FunctionRef
    ) -> tuple[Part | None, list[ast.expr]]:
        key = constant_text(item.slice)
        if key is not None and not _is_judge(key):
            return self._field(words_of(key), item.value, function), []
        is_returned = isinstance(item.value, ast.Call) and called_name(item.value) in self._by_name
        return None, [] if is_returned and _place_of(item) is not None else [item.value]

    def _of_call(self, call: ast.Call, function: FunctionRef) -> tuple[Part | None, list[ast.expr]]:
        name = called_name(call)
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        if name in self._by_name:
            return None, []
        if name in LOOKUPS and call.args:
            key = constant_text(call.args[1 if name == "getattr" and len(call.args) > 1 else 0])
            if key is not None and not _is_judge(key):
                owner, words = receiver or call.args[0], words_of(key)
                answer = self._answer(owner, function) if words in ANSWER_FIELDS else []
                return self._field(words, owner, function), answer
            return None, [*call.args[1:], *([receiver] if receiver is not None else [])]
        if name in TEXT_METHODS and receiver is not None:
            return None, [receiver]
        if name in MODEL_CALLS:
            # A model words what it is given, and may add anything.
            return "open", [*call.args, *(keyword.value for keyword in call.keywords)]
        if name in NUMBERS:
            return "plain", []
        if name in {"items", "values", "keys"} and receiver is not None:
            return None, [receiver]
        if name in HANDING_ON:
            key_functions = {keyword.arg for keyword in call.keywords} & {"key"}
            values = [*call.args, *(k.value for k in call.keywords if k.arg not in key_functions)]
            return None, [*values, *([receiver] if name == "format" and receiver else [])]
        return "open", []

    def _returns_of(self, value: ast.expr) -> list[Value]:
        """Return what a call of a function returns, or of a pair that it returns one part."""
        place = _place_of(value) if isinstance(value, ast.Subscript) else None
        call = value.value if isinstance(value, ast.Subscript) and place is not None else value
        if not isinstance(call, ast.Call):
            return []
        return [
            (_part_at(returned, place), function)
            for function in self._by_name.get(called_name(call), [])
            for returned in returned_by(function)
        ]

    def _values_of(self, name: str, function: FunctionRef) -> list[Value]:
        """Return what a name is set to, filled with, taken from or passed as."""
        values = self._own_values(function).get(name, [])
        if values:
            return [(value, function) for value in values]
        if name in parameter_names(function):
            return list(self._passed(name, function))
        return [(value, function) for value in constants_of(name, function)]

    def _own_values(self, function: FunctionRef) -> dict[str, list[ast.expr]]:
        if function.key not in self._values:
            self._values[function.key] = values_in(function)
        return self._values[function.key]

    def _passed(self, name: str, function: FunctionRef) -> Iterator[Value]:
        for caller in self.functions:
            if function.name in caller.site.mentions and caller.key != function.key:
                for call in walk(caller.site.node):
                    if isinstance(call, ast.Call) and called_name(call) == function.name:
                        argument = argument_of(call, name, function)
                        if argument is not None:
                            yield argument, caller


def _by_kind(value: ast.expr) -> tuple[Part | None, list[ast.expr]]:
    if isinstance(value, ast.Constant):
        return ("fixed" if value.value and isinstance(value.value, str) else None), []
    if isinstance(value, ast.JoinedStr):
        parts = [p.value for p in value.values if isinstance(p, ast.FormattedValue)]
        return "fixed", parts
    if isinstance(value, ast.BinOp) and not isinstance(value.op, ast.Add | ast.Mod):
        return "plain", []
    if isinstance(value, ast.Compare | ast.UnaryOp):
        return None, []
    members = _members_of(value)
    return (None, members) if members is not None else ("open", [])


def _members_of(value: ast.expr) -> list[ast.expr] | None:
    """Return the values of which a value is one, or has some; None where that is not known."""
    if isinstance(value, ast.IfExp):
        return [value.body, value.orelse]
    if isinstance(value, ast.BinOp):
        return [value.left, value.right]
    if isinstance(value, ast.ListComp | ast.GeneratorExp | ast.SetComp):
        return [value.elt]
    if isinstance(value, ast.List | ast.Tuple | ast.Set):
        return value.elts
    if isinstance(value, ast.BoolOp | ast.Dict):
        return value.values
    if isinstance(value, ast.DictComp | ast.Starred | ast.Await):
        return [value.value]
    return None


def _part_of(words: list[str], owner: ast.expr | None, own: str) -> Part:
    """Return what a name or a field of an owner holds."""
    owners = set(words_of(last_name(owner))) if owner is not None else set()
    if own in words:
        # An opinion's own remediation is the judge's word.
        return "arguments" if owners & OPINION_NAMES else "own"
    if owners & EVIDENCE_NAMES and (REASONS | EVIDENCE_FIELDS).intersection(words):
        return "evidence"
    if REASONS.intersection(words):
        return "arguments"
    if "instruction" in words or ("pattern" in words and {"success", "failure"} & set(words)):
        return "rubric"
    return "plain" if PLAIN.intersection(words) else "open"


def _is_of_evidence(owner: ast.expr, function: FunctionRef) -> bool:
    """Return true for the `e` of `for e in evidences`."""
    return isinstance(owner, ast.Name) and any(
        isinstance(node, ast.For | ast.AsyncFor | ast.comprehension)
        and isinstance(node.target, ast.Name)
        and node.target.id == owner.id
        and bool(words_in(node.iter) & EVIDENCE_NAMES)
        for node in walk(function.site.node)
    )


def _is_judge(key: str) -> bool:
    words = set(words_of(key))
    return bool(words & (PROSECUTION | DEFENSE) or "techlead" in words or {"tech", "lead"} <= words)


def values_in(function: FunctionRef) -> dict[str, list[ast.expr]]:
    """Return the values of local names: those they are set to and those added to them."""
    values: dict[str, list[ast.expr]] = {}
    nodes = list(walk(function.site.node))
    for node in nodes:
        settings: list[tuple[str, ast.expr]] = []
        if isinstance(node, LOOPS):
            rows = _rows_of(node.iter, nodes)
            settings = [pair for row in rows for pair in _pairs(node.target, row)]
        for target, value in settings or _settings_at(node):
            values.setdefault(target, []).append(value)
    return values


def _rows_of(rows: ast.expr, nodes: Sequence[ast.AST]) -> list[ast.expr]:
    """Return the tuples that a loop takes one after another; none where one is not known."""
    if isinstance(rows, ast.Call) and called_name(rows) in SAME_ROWS and rows.args:
        return _rows_of(rows.args[0], nodes)
    if isinstance(rows, ast.Subscript) and isinstance(rows.slice, ast.Slice):
        return _rows_of(rows.value, nodes)
    if not isinstance(rows, ast.Name):
        members = _members_of_list(rows)
    elif any(isinstance(node, ast.arg) and node.arg == rows.id for node in nodes):
        members = None
    else:
        members = _members_of_name(rows.id, nodes)
    if members is None or not all(isinstance(member, ast.Tuple) for member in members):
        return []
    return members


def _members_of_name(name: str, nodes: Sequence[ast.AST]) -> list[ast.expr] | None:
    members: list[ast.expr] = []
    for node in nodes:
        for target, value in _settings_at(node):
            if target != name:
                continue
            is_added = isinstance(node, ast.Call) and called_name(node) in ADDING
            added = [value] if is_added else _members_of_list(value)
            if added is None or isinstance(node, LOOPS):
                return None
            members += added
    return members


def _members_of_list(value: ast.expr) -> list[ast.expr] | None:
    lists = ast.List | ast.Tuple | ast.Set | ast.ListComp | ast.GeneratorExp | ast.SetComp
    return _members_of(value) if isinstance(value, lists) else None


def constants_of(name: str, function: FunctionRef) -> list[ast.expr]:
    """Return what a name is set to at the top of the function's file."""
    return [
        statement.value
        for statement in function.source.tree.body
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None
        for target in (
            statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        )
        if isinstance(target, ast.Name) and target.id == name
    ]


def _settings_at(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _pairs(target, node.value)
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
        if node.value is not None:
            yield from _pairs(node.target, node.value)
    elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
        yield from _pairs(node.target, node.iter)
    elif isinstance(node, ast.Call) and called_name(node) in FILLING:
        holder = node.func.value if isinstance(node.func, ast.Attribute) else None
        if isinstance(holder, ast.Name):
            yield from ((holder.id, argument) for argument in node.args)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield names with their values; of `a, b = f()` each name has all that f() returns."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple | ast.List):
        for place, part in enumerate(target.elts):
            if isinstance(value, ast.Call):
                # `final, dissent = resolve(...)`: the part of what is returned.
                item: ast.expr = ast.Subscript(value, ast.Constant(place), ast.Load())
                yield from _pairs(part, ast.fix_missing_locations(ast.copy_location(item, value)))
            else:
                yield from _pairs(part, _part_at(value, place))
    elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
        yield target.value.id, value


def _part_at(value: ast.expr, place: int | None) -> ast.expr:
    members = value.elts if isinstance(value, ast.Tuple | ast.List) else []
    return members[place] if place is not None and place < len(members) else value


def _place_of(item: ast.Subscript) -> int | None:
    place = item.slice.value if isinstance(item.slice, ast.Constant) else None
    return place if type(place) is int else None


@dataclass(frozen=True, slots=True)
class Text:
    """Value of a text; `is_kept` where a record or the report gets it, not a name alone.

    What only a name holds may be for a model, which puts it into its own words.
    """

    value: ast.expr
    function: FunctionRef
    is_kept: bool = False


def named_texts(node: ast.AST, word: str) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the texts that get a name with this word, with true where a record gets them."""
    values: list[tuple[str, ast.expr | None, bool]] = []
    if isinstance(node, ast.keyword):
        values = [(node.arg or "", node.value, True)]
    elif isinstance(node, ast.Dict):
        values = [
            (constant_text(key) or "", value, True)
            for key, value in zip(node.keys, node.values, strict=True)
        ]
    elif isinstance(node, ast.Assign):
        values = [(_target_name(t), node.value, _is_field(t)) for t in node.targets]
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        values = [(_target_name(node.target), node.value, _is_field(node.target))]
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Attribute):
            # What the text is added to may be anybody's.
            values.append((node.target.attr, node.target.value, True))
    elif isinstance(node, ast.Call) and called_name(node) in FILLING:
        holder = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        values = [(_target_name(holder), argument, _is_field(holder)) for argument in node.args]
    for name, value, is_kept in values:
        words = set(words_of(name))
        if word in words and not words & RULE_NAMES and value and may_be_text(value):
            yield value, is_kept


def _is_field(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute | ast.Subscript)


def _target_name(target: ast.expr) -> str:
    if isinstance(target, ast.Subscript):
        return constant_text(target.slice) or _target_name(target.value)
    return last_name(target)


def may_be_text(value: ast.expr) -> bool:
    if isinstance(value, ast.Constant):
        return isinstance(value.value, str) and bool(value.value.strip())
    if isinstance(value, ast.Call):
        return called_name(value) not in COUNTS
    # `[c for c in criteria if c.dissent]` picks what has one.
    if isinstance(value, ast.ListComp | ast.GeneratorExp) and isinstance(value.elt, ast.Name):
        return not any("dissent" in words_in(test) for g in value.generators for test in g.ifs)
    return not isinstance(value, ast.Compare)


def returned_by(function: FunctionRef) -> list[ast.expr]:
    rows = (node for node in walk(function.site.node) if isinstance(node, ast.Return))
    return [row.value for row in rows if row.value is not None and may_be_text(row.value)]


def places_holding(
    texts: Iterable[Text], wanted: frozenset[Part], reader: ValueReader
) -> list[tuple[FunctionRef, int]]:
    """Return the lines on which the texts take such a value; those for want of any come last."""
    rows = [p for text in texts for p in reader.places_of((text.value, text.function), wanted)]
    places = {(*function.key, line): (function, line) for function, line in rows}
    return sorted(places.values(), key=lambda place: leaves_for_want(place[0].site.node, place[1]))


def leaves_for_want(function: ast.AST, line: int) -> bool:
    """Return true in the body of `if not opinions:` that ends its function or the loop's round."""
    return any(
        isinstance(node, ast.If)
        and node.body[0].lineno <= line <= (node.body[-1].end_lineno or 0)
        and isinstance(node.body[-1], BLOCK_ENDS)
        and _is_want(node.test)
        for node in walk(function)
    )


def _is_want(test: ast.expr) -> bool:
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    return all(isinstance(p, ast.UnaryOp) and isinstance(p.op, ast.Not) for p in parts)


def first_places(
    texts: list[Text], parts: Mapping[int, set[Part]]
) -> list[tuple[FunctionRef, int]]:
    """Return each line once: first the text itself, not where a name of it is handed on.

    What is written where there is nothing to judge comes last.
    """
    texts = sorted(
        texts,
        key=lambda text: (
            leaves_for_want(text.function.site.node, text.value.lineno),
            "own" in parts[id(text)],
            not isinstance(text.value, ast.JoinedStr | ast.BinOp | ast.Constant),
        ),
    )
    places = {(*text.function.key, text.value.lineno): text for text in reversed(texts)}
    return [(text.function, text.value.lineno) for text in reversed(places.values())]
