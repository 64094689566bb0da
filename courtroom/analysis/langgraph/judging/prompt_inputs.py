"""Values that reach the request to a judge's model: evidence, a text of the criterion, its id alone.

A request is followed back through names, parameters, attributes and the functions that make its
parts, to constants and to the keys of the state. What cannot be followed may hold anything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from courtroom.analysis.langgraph.judging.blank_texts import TEXTS, BlankTexts
from courtroom.analysis.langgraph.judging.dead_conditions import argument_of, parameter_names
from courtroom.analysis.langgraph.judging.structured_calls import SCHEMA_BINDERS
from courtroom.analysis.langgraph.judging.text_values import values_in
from courtroom.analysis.python.call_graph import BUILTINS, OWN_OBJECT, CallGraph, FunctionRef
from courtroom.analysis.python.source_files import FunctionNode, FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import ClassSite
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    push_children,
    walk,
    words_of,
)

# Words of names and keys under which evidence is kept.
EVIDENCE = frozenset(
    words_of("evidence evidences ev evs fact facts finding findings exhibits forensics")
)
RUBRIC = frozenset(words_of("rubric rubrics dimension dimensions criterion criteria"))
# Words of keys that hold neither evidence nor a rubric.
PLAIN = frozenset(
    words_of(
        """repo repository url urls pdf path github branch commit judge judges persona role name
        names id ids model temperature round retry retries count iteration title key"""
    )
)
# Words of keys of a criterion that hold no more than its name.
NAMES = frozenset(words_of("id ids name names title key dimension criterion"))
# Words beside which a text is on the judge: `role_description`.
OF_JUDGE = frozenset(words_of("role persona personas judge judges sentencing"))
MODELS = frozenset(words_of("llm llms model models client"))
LOOKUPS = frozenset({"get", "getattr", "pop", "setdefault"})
# Calls that read a file or an address: of what they return, no more is known than its path.
READING = frozenset({"open", "read_text", "read_bytes", "urlopen", "request", "fetch"})
# Words in the path of a file that holds no evidence.
PROMPT_FILES = RUBRIC | frozenset(words_of("prompt prompts persona personas template templates"))
# Calls whose answer is no part of what they are given.
NO_PARTS = frozenset(words_of("len bool isinstance getenv time now sleep uuid4"))
# Words of a text that is more than a name.
LEAST_WORDS = 6
MOST_STEPS = 4000


@dataclass(frozen=True, slots=True)
class _Value:
    """Expression in a function, or at the top of a file; `is_name`: only its id or name is taken."""

    node: ast.expr
    source: SourceFile
    site: FunctionSite | None
    is_name: bool = False


@dataclass(slots=True)
class PromptInputs:
    """Parts of a request: its written texts, the keys of its tables, and words of what it takes.

    `gap`: the first value that could not be followed, "" without any.
    """

    has_evidence: bool = False
    has_rubric: bool = False
    has_criterion: bool = False
    has_id: bool = False
    texts: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    gap: str = ""


@dataclass
class PromptReader:
    """Reader of the requests in the functions that a judge's node reaches."""

    call_graph: CallGraph
    node: FunctionRef
    functions: Sequence[FunctionRef]
    _locals: dict[tuple[str, int], dict[str, list[ast.expr]]] = field(default_factory=dict)

    def inputs_of(self, call: ast.Call, function: FunctionRef) -> PromptInputs:
        """Return what is in a request's arguments, and in the prompt that its receiver holds."""
        inputs = PromptInputs()
        source, site = function.source, _innermost(function, call)
        waiting = [_Value(value, source, site) for value in _handed(call)]
        if isinstance(call.func, ast.Attribute):
            waiting.append(_Value(call.func.value, source, site))
        visited: set[tuple[int, bool, int]] = set()
        while waiting:
            value = waiting.pop()
            key = id(value.node), value.is_name, value.site.node.lineno if value.site else 0
            if key in visited:
                continue
            visited.add(key)
            if len(visited) > MOST_STEPS:
                inputs.gap = inputs.gap or "too many values to be followed"
                break
            waiting += self._parts(value, inputs)
        return inputs

    def is_mistaken(self, function: FunctionRef) -> bool:
        """Return true for an inner function that was taken for that of the same name in another."""
        return _outermost(function.site) not in self._reached and any(
            candidate.name == function.name and _outermost(candidate.site) in self._reached
            for candidate in self.functions
        )

    def _parts(self, value: _Value, inputs: PromptInputs) -> list[_Value]:
        """Return the values that a value is made of, and note what it is by itself."""
        node = value.node
        if isinstance(node, ast.Name):
            return self._of_name(node, value, inputs)
        if isinstance(node, ast.Attribute):
            return self._of_field(node.attr, node.value, value, inputs)
        if isinstance(node, ast.Subscript):
            key = constant_text(node.slice)
            if key is None:
                return [_at(node.value, value)]
            if self._is_blank(node, set(words_of(key)), value):
                return self._owner_of_blank(node.value, value)
            return self._of_field(key, node.value, value, inputs)
        if isinstance(node, ast.Call):
            return self._of_call(node, value, inputs)
        if isinstance(node, ast.Lambda | ast.Yield | ast.YieldFrom):
            _open(inputs, value)
            return []
        _note_texts(node, value, inputs)
        return [_at(part, value) for part in _members(node)]

    def _of_name(self, node: ast.Name, value: _Value, inputs: PromptInputs) -> list[_Value]:
        words = set(words_of(node.id))
        if words & MODELS:
            return []
        if self._is_state(node, value):
            _open(inputs, value)
            return []
        values = self._values_of(node.id, value, inputs)
        if not self._is_blank(node, words, value):
            _note(inputs, value, words, is_followed=self._are_made(values))
        if values is None:
            if node.id not in BUILTINS and node.id != "__file__":
                _open(inputs, value)
            return []
        return values

    def _are_made(self, values: Sequence[_Value] | None) -> bool:
        """Return true for what functions of the repository give: they are read to their returns."""
        return bool(values) and all(
            isinstance(v.node, ast.Call) and bool(self.call_graph.called_by(v.source, v.node))
            for v in values or ()
        )

    def _values_of(self, name: str, value: _Value, inputs: PromptInputs) -> list[_Value] | None:
        """Return what a name is set to or passed as; None where that is not known."""
        site = value.site
        while site is not None:
            function = FunctionRef(value.source, site)
            own = self._own_values(function).get(name, [])
            if name in _all_parameters(function):
                passed = self._passed(name, function, value)
                return (
                    None if passed is None else [*passed, *(_in(v, function, value) for v in own)]
                )
            if own:
                self._note_filled(name, function, inputs)
                return [_in(v, function, value) for v in own]
            site = site.outer
        return self._of_module(name, value)

    def _own_values(self, function: FunctionRef) -> dict[str, list[ast.expr]]:
        if function.key not in self._locals:
            values = values_in(function)
            for name, more in _further_values(function.site.node):
                values.setdefault(name, []).append(more)
            self._locals[function.key] = values
        return self._locals[function.key]

    def _note_filled(self, name: str, function: FunctionRef, inputs: PromptInputs) -> None:
        """Leave open what a function of the repository may add to a list that it is handed."""
        for node in walk(function.site.node):
            if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
                continue
            call = node.value
            is_handed = any(last_name(argument) == name for argument in call.args)
            if is_handed and self.call_graph.called_by(function.source, call):
                inputs.gap = inputs.gap or f"{function.source.path}:{call.lineno}"

    def _of_module(self, name: str, value: _Value) -> list[_Value] | None:
        source, statement = self.call_graph.definition(value.source, name)
        if source is None:
            return [] if name in value.source.imports else None
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            return [_Value(statement.value, source, None, value.is_name)]
        # A class or a function by its name is no text.
        return [] if isinstance(statement, ast.ClassDef | ast.FunctionDef) else None

    def _passed(self, name: str, function: FunctionRef, value: _Value) -> list[_Value] | None:
        """Return what the calls of a function pass for a parameter; None where one is not known."""
        values: list[_Value] = []
        is_rest = name not in parameter_names(function)
        default = _default_of(name, function)
        for source, site, call in self._calls_of(function):
            if is_rest:
                values += [_Value(v, source, site, value.is_name) for v in _handed(call)]
                continue
            argument = _argument(call, name, function)
            if argument is not None:
                values.append(_Value(argument, source, site, value.is_name))
            elif default is not None:
                values.append(_Value(default, function.source, None, value.is_name))
            else:
                return None
        return values if values or is_rest else None

    def _calls_of(
        self, function: FunctionRef
    ) -> Iterator[tuple[SourceFile, FunctionSite | None, ast.Call]]:
        """Yield the calls of a function in the node's code, else those anywhere."""
        name, owner = function.name, function.site.owner
        if name == "__init__" and owner is not None:
            name = owner.name
        calls = self.call_graph.calls_by_name
        rows = list(calls.get(name, ()))
        if name[:1].isupper():
            # A class that inherits from this one calls it as `super().__init__()`.
            rows += (row for row in calls.get("__init__", ()) if name in row[0].text)
        everywhere = [(source, call.function, call.node) for source, call in rows]
        inside = [
            row for row in everywhere if row[1] is not None and _outermost(row[1]) in self._reached
        ]
        yield from inside or everywhere

    @cached_property
    def _reached(self) -> set[FunctionNode]:
        return {function.site.node for function in self.functions}

    def _of_field(
        self, key: str, owner: ast.expr, value: _Value, inputs: PromptInputs
    ) -> list[_Value]:
        words = set(words_of(key))
        _note(inputs, value, words)
        if self._is_state(owner, value):
            if not words & (RUBRIC | EVIDENCE) and not words <= PLAIN:
                _open(inputs, value)
            return []
        if isinstance(owner, ast.Name) and owner.id in OWN_OBJECT:
            return self._of_self(key, value, inputs)
        return [_Value(owner, value.source, value.site, value.is_name or words <= NAMES)]

    def _of_self(self, name: str, value: _Value, inputs: PromptInputs) -> list[_Value]:
        owner = value.site.owner if value.site is not None else None
        values = [
            _Value(attribute, home.source, site, value.is_name)
            for home in self._family(value.source, owner)
            for site, attribute in _set_in(home, name)
        ]
        if not values and not set(words_of(name)) & MODELS:
            _open(inputs, value)
        return values

    def _family(self, source: SourceFile, owner: ast.ClassDef | None) -> list[ClassSite]:
        """Return a class and the repository's classes that it inherits from."""
        family = [ClassSite(source, owner)] if owner is not None else []
        # The list grows while it is walked; a class is in it once, so a cycle ends.
        for site in family:
            for base in site.node.bases:
                parent = self.call_graph.symbols.find_class(site.source, base)
                if parent is not None and parent not in family:
                    family.append(parent)
        return family

    def _of_call(self, call: ast.Call, value: _Value, inputs: PromptInputs) -> list[_Value]:
        name = called_name(call)
        words = set(words_of(name))
        own = self.call_graph.called_by(value.source, call)
        _note(inputs, value, words, is_followed=bool(own))
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        if name in LOOKUPS and call.args:
            owner = receiver if receiver is not None else call.args[0]
            place = 0 if receiver is not None else 1
            key = constant_text(call.args[place]) if len(call.args) > place else None
            defaults = [_at(argument, value) for argument in call.args[place + 1 :]]
            if key is not None and self._is_blank(call, set(words_of(key)), value):
                return self._owner_of_blank(owner, value)
            if key is not None:
                return [*self._of_field(key, owner, value, inputs), *defaults]
            return [_at(owner, value), *defaults]
        if name in NO_PARTS:
            return []
        if name in SCHEMA_BINDERS:
            return [_at(receiver, value)] if receiver is not None else []
        arguments = [_at(argument, value) for argument in _handed(call)]
        if own:
            return [
                _Value(row.value, function.source, function.site, value.is_name)
                for function in own
                for row in walk(function.site.node)
                if isinstance(row, ast.Return) and row.value is not None
            ]
        if name in READING:
            _note_file(call, value, inputs)
        elif self._is_unknown(call, value):
            _open(inputs, value)
        return [*arguments, *([_at(receiver, value)] if receiver is not None else [])]

    def _is_unknown(self, call: ast.Call, value: _Value) -> bool:
        """Return true for code that is neither a library's, a class, nor a method of an object."""
        symbols = self.call_graph.symbols
        is_own = called_name(call) in symbols.functions_by_name
        return (
            (is_own or isinstance(call.func, ast.Name))
            and self.call_graph.is_unknown(value.source, call)
            and symbols.find_class(value.source, call.func) is None
        )

    def _is_blank(self, node: ast.expr, words: set[str], value: _Value) -> bool:
        """Return true for a text of the criterion that no entry of the rubric has."""
        if value.site is None or words.isdisjoint(TEXTS | RUBRIC):
            return False
        return self._blank_texts.is_blank(node, FunctionRef(value.source, value.site))

    def _owner_of_blank(self, owner: ast.expr, value: _Value) -> list[_Value]:
        """Return the owner of a blank text: its name may be that of evidence, but no text is taken."""
        is_state = self._is_state(owner, value)
        return [] if is_state else [_Value(owner, value.source, value.site, True)]

    @cached_property
    def _blank_texts(self) -> BlankTexts:
        return BlankTexts(self.call_graph.symbols)

    def _is_state(self, node: ast.expr, value: _Value) -> bool:
        if not isinstance(node, ast.Name):
            return False
        if words_of(node.id)[-1:] == ["state"]:
            return True
        names = [name for name in parameter_names(self.node) if name not in OWN_OBJECT]
        is_here = value.site is not None and value.site.node is self.node.site.node
        return is_here and names[:1] == [node.id]


def _innermost(function: FunctionRef, node: ast.AST) -> FunctionSite:
    """Return the function around a node, inside another one."""
    sites = [
        site
        for site in function.source.functions
        if function.site.node.lineno <= site.node.lineno <= getattr(node, "lineno", 0)
        and any(inner is node for inner in walk(site.node))
    ]
    return max(sites, key=lambda site: site.node.lineno, default=function.site)


def _outermost(site: FunctionSite) -> FunctionNode:
    while site.outer is not None:
        site = site.outer
    return site.node


def _at(node: ast.expr, value: _Value) -> _Value:
    return _Value(node, value.source, value.site, value.is_name)


def _in(node: ast.expr, function: FunctionRef, value: _Value) -> _Value:
    return _Value(node, function.source, function.site, value.is_name)


def _open(inputs: PromptInputs, value: _Value) -> None:
    place = f"{value.source.path}:{value.node.lineno}"
    inputs.gap = inputs.gap or f"`{ast.unparse(value.node)[:60]}` at {place}"


def _note(
    inputs: PromptInputs, value: _Value, words: set[str], *, is_followed: bool = False
) -> None:
    """Note what a name, a key or a called function says of itself.

    Where it is followed to what it holds, its own name proves no text of the rubric.
    """
    inputs.has_evidence |= bool(words & EVIDENCE)
    inputs.has_id |= not words.isdisjoint({"id", "ids"})
    if words & RUBRIC:
        inputs.has_criterion = True
        is_text = not value.is_name and not words & {"id", "ids", "name", "names"}
        inputs.has_rubric |= is_text and not is_followed
    inputs.has_rubric |= bool(words & TEXTS) and not (is_followed or words & OF_JUDGE)


def _note_file(call: ast.Call, value: _Value, inputs: PromptInputs) -> None:
    words = {
        word for node in walk(call) for word in words_of(constant_text(node) or last_name(node))
    }
    if words & EVIDENCE or not words & PROMPT_FILES:
        _open(inputs, value)
    # A file of prompts may hold a text of each criterion.
    inputs.has_rubric = True


def _note_texts(node: ast.expr, value: _Value, inputs: PromptInputs) -> None:
    text = constant_text(node) or ""
    if not value.is_name and len(text.split()) >= LEAST_WORDS:
        inputs.texts.append(text)
    if isinstance(node, ast.Dict):
        inputs.keys |= {name for key in node.keys if (name := constant_text(key)) is not None}


def _members(node: ast.expr) -> list[ast.expr]:
    """Return the parts of an expression whose values may be in its own."""
    if isinstance(node, ast.Compare | ast.UnaryOp):
        return []
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.SetComp):
        return [node.elt]
    if isinstance(node, ast.DictComp):
        return [node.key, node.value]
    stack: list[ast.AST] = []
    push_children(node, stack)
    return [part for part in stack if isinstance(part, ast.expr)]


def _handed(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _argument(call: ast.Call, name: str, function: FunctionRef) -> ast.expr | None:
    keyword = next((k.value for k in call.keywords if k.arg == name), None)
    if keyword is not None:
        return keyword
    if any(k.arg is None for k in call.keywords) or name not in parameter_names(function):
        return None
    if called_name(call) == "partial" and call.args:
        names = parameter_names(function)
        place = names.index(name) + 1
        return call.args[place] if place < len(call.args) else None
    return argument_of(call, name, function)


def _default_of(name: str, function: FunctionRef) -> ast.expr | None:
    arguments = function.site.node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    pairs = list(zip(reversed(plain), reversed(arguments.defaults), strict=False))
    pairs += [(a, d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d]
    return next((default for argument, default in pairs if argument.arg == name), None)


def _all_parameters(function: FunctionRef) -> set[str]:
    arguments = function.site.node.args
    rest = [a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None]
    return {*parameter_names(function), *rest}


def _further_values(function: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield what `with`, `update` and `except` give local names."""
    for node in walk(function):
        if isinstance(node, ast.withitem) and node.optional_vars is not None:
            yield last_name(node.optional_vars), node.context_expr
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name, ast.Constant("")
        elif isinstance(node, ast.Call) and called_name(node) == "update":
            receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
            if isinstance(receiver, ast.Name):
                yield from ((receiver.id, value) for value in _handed(node))


def _targets(statement: ast.Assign | ast.AnnAssign) -> Iterable[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else [statement.target]


def _set_in(home: ClassSite, name: str) -> Iterator[tuple[FunctionSite | None, ast.expr]]:
    """Yield what a class and its methods set as an attribute, each with its method."""
    sites: list[tuple[FunctionSite | None, Iterable[ast.AST]]] = [(None, home.node.body)]
    sites += [(s, walk(s.node)) for s in home.source.functions if s.owner is home.node]
    for site, nodes in sites:
        for node in nodes:
            if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
                continue
            if any(_is_attribute(target, name, site) for target in _targets(node)):
                yield site, node.value


def _is_attribute(target: ast.expr, name: str, site: FunctionSite | None) -> bool:
    if site is None:
        return last_name(target) == name
    is_own = isinstance(target, ast.Attribute) and last_name(target.value) in OWN_OBJECT
    return is_own and last_name(target) == name
