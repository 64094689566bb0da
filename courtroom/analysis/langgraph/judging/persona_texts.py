"""Texts of the personas in the code: constants, entries, classes, functions, and their frame."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from courtroom.analysis.langgraph.graph_evaluator import GraphEvaluator
from courtroom.analysis.langgraph.judging.persona_branches import persona_branches
from courtroom.analysis.langgraph.judging.persona_names import (
    PERSONAS,
    PersonaText,
    persona_in,
)
from courtroom.analysis.langgraph.judging.text_overlap import plain_words
from courtroom.analysis.python.call_graph import OWN_OBJECT, FunctionRef
from courtroom.analysis.python.mentions import (
    is_attribute_loaded,
    is_attribute_read,
    is_mentioned,
)
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.attributes import attribute_of
from courtroom.analysis.python.symbolic_execution.evaluator import OutOfFuel
from courtroom.analysis.python.symbolic_execution.value_operations import as_text
from courtroom.analysis.python.symbolic_execution.values import (
    Class,
    DictValue,
    Function,
    Instance,
    ListValue,
    Template,
    Value,
    choices_of,
)
from courtroom.analysis.python.tree_walk import (
    as_written,
    called_name,
    constant_text,
    fields_of,
    walk,
    words_of,
)

# Shorter texts are labels, not prompts.
MIN_WORDS = 8
# The same where a judge has nothing longer.
MIN_SHORT_WORDS = 3
# A persona shorter than this is a sentence in a common template (FACTS: the assembled prompts are
# compared then).
SENTENCE_WORDS = 25
FUEL = 40_000
# Names of texts in an opinion: a judge without a model writes them itself, they are no prompt.
OPINION_WORDS = frozenset(
    {"argument", "rationale", "reason", "reasoning", "verdict", "summary", "error", "message"}
)
# Keys of the state that only a judge's node writes.
UPDATED_KEYS = frozenset({"opinions", "judicial_opinions"})
MESSAGE_CALLS = frozenset({"from_messages", "invoke", "ainvoke"})
# What these are given, a person reads and no model.
OUTPUT_CALLS = frozenset(
    {"print", "debug", "info", "warning", "warn", "error", "exception", "critical", "log"}
)
LOOKUPS = frozenset({"get", "getattr", "pop", "setdefault", "getenv"})
EXCEPTION_ENDINGS = ("Error", "Exception")
# Calls that put texts together, and those that fill a list with them.
FILLING_CALLS = frozenset({"append", "extend", "insert"})
WRITTEN_TEXTS = (ast.Constant, ast.JoinedStr, ast.BinOp)
TEXT_CALLS = FILLING_CALLS | {"join", "strip", "rstrip", "lstrip", "format", "str"}


def is_long(text: PersonaText) -> bool:
    return len(plain_words(text.text)) >= MIN_WORDS


def texts_in_code(
    symbols: SymbolTable,
    judges: Iterable[FunctionRef],
    unfollowed: list[str],
    unused: list[PersonaText],
) -> Iterator[PersonaText]:
    """Yield texts of personas; those that no code uses are put into `unused` instead."""
    # A bench without a prosecutor is none.
    if not any("rosecut" in source.text.lower() for source in symbols.codebase.production):
        return
    for source in symbols.codebase.production:
        if not _names_persona(source):
            continue
        evaluator = GraphEvaluator(symbols, lambda _: True, FUEL, reads_data=False)
        try:
            module = evaluator.load_module(source)
        except (OutOfFuel, RecursionError):
            unfollowed.append(source.path)
            continue

        named = list(_named_texts(symbols, source, module.scope.names, unused))
        yield from named
        yield from _dict_texts_in_functions(evaluator, source)
        complete_personas = {
            text.persona for text in named if len(plain_words(text.text)) >= SENTENCE_WORDS
        }
        yield from _texts_in_functions(evaluator, source, complete_personas)
        own = [judge for judge in judges if judge.source is source]
        yield from _texts_in_branches(evaluator, own, complete_personas)


def _names_persona(source: SourceFile) -> bool:
    """Return true for a file of a bench, or with a class or a function named after a persona."""
    return "rosecut" in source.text.lower() or any(
        persona_in(statement.name) is not None
        for statement in source.tree.body
        if isinstance(statement, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    )


def _named_texts(
    symbols: SymbolTable,
    source: SourceFile,
    values: Mapping[str, Value],
    unused: list[PersonaText],
) -> Iterator[PersonaText]:
    """Yield constants, dict entries and class attributes that are named after a persona."""
    for statement in source.tree.body:
        if isinstance(statement, ast.ClassDef):
            for name, text in _texts_in_class(source, statement, values.get(statement.name)):
                if is_attribute_read(symbols, name):
                    yield text
                else:
                    unused.append(text)
        target = _target_name(statement)
        if target is None or not isinstance(statement, ast.Assign | ast.AnnAssign):
            continue

        persona = persona_in(target)
        value = values.get(target)
        if persona is not None:
            text = _persona_text(persona, source, statement, _text_of(value))
            if is_mentioned(symbols, source, target):
                yield text
            else:
                unused.append(text)
        elif isinstance(value, DictValue) and isinstance(statement.value, ast.Dict):
            yield from _texts_in_dict(source, statement.value, value)


def _target_name(statement: ast.stmt) -> str | None:
    targets = (
        statement.targets
        if isinstance(statement, ast.Assign)
        else [getattr(statement, "target", None)]
    )
    return targets[0].id if targets and isinstance(targets[0], ast.Name) else None


def _persona_text(
    persona: str, source: SourceFile, node: ast.stmt | ast.expr, text: str
) -> PersonaText:
    return PersonaText(persona, source.path, node.lineno, node.end_lineno or node.lineno, text)


def _texts_in_dict(source: SourceFile, node: ast.Dict, value: DictValue) -> Iterator[PersonaText]:
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        key = constant_text(key_node)
        persona = persona_in(key) if key is not None else None
        # An entry that is a name is found where the name is defined.
        if persona is not None and key_node is not None and not isinstance(value_node, ast.Name):
            text = _text_of(value.entries.get(key))
            end = value_node.end_lineno or key_node.lineno
            yield PersonaText(persona, source.path, key_node.lineno, end, text)


def _texts_in_class(
    source: SourceFile, node: ast.ClassDef, value: Value
) -> Iterator[tuple[str, PersonaText]]:
    """Yield the attributes of a judge's class, by name."""
    persona = persona_in(node.name)
    if persona is None or not isinstance(value, Class):
        return
    for statement in node.body:
        target = _target_name(statement)
        if target is not None:
            text = _text_of(value.scope.names.get(target))
            yield target, _persona_text(persona, source, statement, text)


def _texts_in_functions(
    evaluator: GraphEvaluator, source: SourceFile, complete_personas: set[str]
) -> Iterator[PersonaText]:
    """Yield the texts that a function named after a persona assembles.

    Personas that have a text of some length under their own name are left out.
    """
    for site in source.functions:
        persona = persona_in(f"{site.owner.name if site.owner else ''} {site.node.name}")
        if persona is None or persona in complete_personas:
            continue
        for node, value in _values_in_function(evaluator, FunctionRef(source, site)):
            yield replace(
                _persona_text(persona, source, node, _text_of(value)),
                is_in_function=True,
                is_of_sentences=_is_of_sentences(node),
            )


def _dict_texts_in_functions(
    evaluator: GraphEvaluator, source: SourceFile
) -> Iterator[PersonaText]:
    """Yield the entries of a dict inside a function from which one is chosen by persona."""
    for site in source.functions:
        for node in walk(site.node):
            if isinstance(node, ast.Dict) and _count_personas(node) > 1:
                value = evaluator.evaluate(node, evaluator.load_module(source).scope)
                if isinstance(value, DictValue):
                    yield from _texts_in_dict(source, node, value)


def _texts_in_branches(
    evaluator: GraphEvaluator, judges: Iterable[FunctionRef], complete_personas: set[str]
) -> Iterator[PersonaText]:
    """Yield texts that the judges' functions choose by persona.

    A name that a branch chooses is found where it is defined.
    """
    for function in judges:
        scope = evaluator.load_module(function.source).scope
        texts = [
            _persona_text(
                persona, function.source, value, _text_of(evaluator.evaluate(value, scope))
            )
            for persona, statements in persona_branches(function.site.node)
            if persona not in complete_personas
            for value in filter(None, map(_text_set_in, statements))
        ]
        prompted = {text.persona for text in texts if is_long(text)}
        for text in texts:
            is_short = MIN_SHORT_WORDS <= len(plain_words(text.text)) < MIN_WORDS
            is_third = len(prompted) == len(PERSONAS) - 1 and text.persona not in prompted
            yield replace(text, is_beside_prompts=is_short and is_third)


def _text_set_in(statement: ast.stmt) -> ast.expr | None:
    """Return the text that a statement assigns or returns, unless it is part of an opinion."""
    if isinstance(statement, ast.Assign):
        if _names_opinion(_target_name(statement) or ""):
            return None
    elif not isinstance(statement, ast.Return):
        return None
    value = statement.value
    return value if isinstance(value, WRITTEN_TEXTS) else None


def _count_personas(node: ast.Dict) -> int:
    personas = {persona_in(constant_text(key) or "") for key in node.keys}
    return len(personas - {None})


def _values_in_function(
    evaluator: GraphEvaluator, function: FunctionRef
) -> Iterator[tuple[ast.stmt | ast.expr, Value]]:
    """Yield what a function assigns and returns, and the texts it passes on, with their values."""
    node = function.site.node
    scope = evaluator.load_module(function.source).scope
    # Each function has the whole fuel: one long function must not hide the others.
    evaluator.fuel = FUEL
    opinion_names = _names_in_opinions(node)
    opinions = _parts_of_opinions(node)

    try:
        arguments = [_self_value(evaluator, function, scope.names)] if function.site.owner else []
        frame = evaluator.enter(Function(node, function.source, scope), arguments, {})
        for inner in walk(node):
            if isinstance(inner, ast.Call) and not _fills_opinion(inner, opinion_names):
                for place, text in _passed_texts(inner, opinions, function):
                    yield place, evaluator.evaluate(text, frame.scope)
            elif isinstance(inner, ast.Return) and inner.value is not None:
                value = evaluator.evaluate(inner.value, frame.scope)
                if not _is_output(value):
                    yield inner, value
            elif isinstance(inner, ast.Assign | ast.AnnAssign):
                name = _target_name(inner)
                if name and name not in opinion_names and not _names_opinion(name):
                    yield inner, frame.scope.names.get(name)
                for text in _kept_text(evaluator.symbols, inner):
                    yield inner, evaluator.evaluate(text, frame.scope)
    except (OutOfFuel, RecursionError):
        return


def _passed_texts(
    call: ast.Call, opinions: set[int], function: FunctionRef
) -> Iterator[tuple[ast.stmt | ast.expr, ast.expr]]:
    """Yield place and text of each argument, and at the end of all longer texts together."""
    passed = _text_arguments(call, opinions)
    for argument in passed:
        yield _first_text(argument, function) or argument, argument
    longer = [argument for argument in passed if len(_words_in(argument)) >= MIN_WORDS]
    if len(longer) > 1:
        whole = ast.copy_location(ast.Tuple(longer, ast.Load()), longer[0])
        whole.end_lineno = longer[-1].end_lineno
        yield whole, whole


def _is_of_sentences(node: ast.AST) -> bool:
    parts = node.elts if isinstance(node, ast.Tuple) else []
    return bool(parts) and all(len(_words_in(part)) < SENTENCE_WORDS for part in parts)


def _words_in(node: ast.expr) -> list[str]:
    return plain_words(constant_text(node) or "")


def _first_text(messages: ast.expr, function: FunctionRef) -> ast.stmt | None:
    """Return where the function, or its class, sets the first text that a list of messages names."""
    if not isinstance(messages, ast.List):
        return None
    parts = (node for node in walk(messages) if isinstance(node, ast.Name | ast.Attribute))
    texts = {
        as_written(statement.targets[0]): statement
        for node in (function.site.node, *constructors_of(function.site.owner))
        for statement in walk(node)
        if isinstance(statement, ast.Assign) and isinstance(statement.value, WRITTEN_TEXTS)
    }
    return next((texts[name] for part in parts if (name := as_written(part)) in texts), None)


def constructors_of(owner: ast.ClassDef | None) -> Iterator[ast.FunctionDef]:
    """Yield the constructor that a class itself defines."""
    for statement in owner.body if owner is not None else ():
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
            yield statement


def _kept_text(symbols: SymbolTable, statement: ast.Assign | ast.AnnAssign) -> Iterator[ast.expr]:
    """Yield the text of `self.system_prompt = "..."` where some code reads that attribute."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    if not isinstance(target, ast.Attribute) or not isinstance(statement.value, WRITTEN_TEXTS):
        return
    is_own = isinstance(target.value, ast.Name) and target.value.id in OWN_OBJECT
    if is_own and not _names_opinion(target.attr) and is_attribute_loaded(symbols, target.attr):
        yield statement.value


def _parts_of_opinions(function: ast.AST) -> set[int]:
    """Return the ids of all that is put into a record with a score: no model is told it."""
    return {
        id(part)
        for node in walk(function)
        for fields in [fields_of(node)]
        if "score" in fields and any(map(_names_opinion, fields))
        for value in fields.values()
        for part in walk(value)
    }


def _names_in_opinions(function: ast.AST) -> set[str]:
    """Return the names whose text an opinion with a score holds: the judge writes it itself.

    Lists of parts that are joined to it are among them, unless another call is given them as well.
    """
    names = {
        part.id
        for node in walk(function)
        for fields in [fields_of(node)]
        if "score" in fields
        for name, value in fields.items()
        if _names_opinion(name)
        for part in walk(value)
        if isinstance(part, ast.Name)
    }
    parts = _parts_of_texts(function)
    sent = _names_in_other_calls(function)
    queue = list(names)
    for name in queue:  # the list grows while it is read
        queue += parts.get(name, set()) - sent - set(queue)
    return set(queue)


def _parts_of_texts(function: ast.AST) -> dict[str, set[str]]:
    """Return, by the name of a text, the names of the texts that it is assembled from."""
    parts: dict[str, set[str]] = {}
    for node in walk(function):
        values: list[ast.expr] = []
        name: str | None = None
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            name, values = _target_name(node), [node.value] if node.value else []
        elif isinstance(node, ast.Call):
            name, values = _filled_name(node), node.args
        if name:
            parts.setdefault(name, set()).update(*map(_names_of_text, values))
    return parts


def _names_of_text(value: ast.expr) -> set[str]:
    """Return the names in a text, without those that a call of anything else is given."""
    if isinstance(value, ast.Name):
        return {value.id}
    if isinstance(value, ast.Call) and called_name(value) not in TEXT_CALLS:
        return set()
    inner = (child for child in ast.iter_child_nodes(value) if isinstance(child, ast.expr))
    return set[str]().union(*map(_names_of_text, inner))


def _names_in_other_calls(function: ast.AST) -> set[str]:
    calls = (
        node
        for node in walk(function)
        if isinstance(node, ast.Call)
        and called_name(node) not in TEXT_CALLS
        and "score" not in fields_of(node)
    )
    arguments = (
        value for call in calls for value in (*call.args, *(k.value for k in call.keywords))
    )
    return {part.id for value in arguments for part in walk(value) if isinstance(part, ast.Name)}


def _filled_name(call: ast.Call) -> str | None:
    """Return the name of the list that a call fills."""
    method = call.func
    if not isinstance(method, ast.Attribute) or method.attr not in FILLING_CALLS:
        return None
    return method.value.id if isinstance(method.value, ast.Name) else None


def _fills_opinion(call: ast.Call, opinion_names: set[str]) -> bool:
    """Return true for `argument_parts.append("...")`: a part of what the judge writes itself."""
    name = _filled_name(call)
    return name is not None and (name in opinion_names or _names_opinion(name))


def _is_output(value: Value) -> bool:
    """Return true for what a node returns, and for an opinion: their texts are no prompt."""
    records = [choice.entries for choice in choices_of(value) if isinstance(choice, DictValue)]
    return any(
        UPDATED_KEYS.intersection(map(str, entries))
        or ("score" in entries and any(_names_opinion(str(name)) for name in entries))
        for entries in records
    )


def _text_arguments(call: ast.Call, opinions: set[int]) -> list[ast.expr]:
    """Return the texts that a call is given, without those of `opinions`, which are ids of parts."""
    keywords = [keyword.value for keyword in call.keywords if not _names_opinion(keyword.arg or "")]
    name = called_name(call)
    # A default of a lookup is part of the text around it.
    if name in OUTPUT_CALLS | LOOKUPS or name.endswith(EXCEPTION_ENDINGS):
        return []
    # A prompt may be given as a list of messages.
    messages = (ast.List,) if called_name(call) in MESSAGE_CALLS else ()
    arguments = [value for value in (*call.args, *keywords) if id(value) not in opinions]
    named = [keyword.value for keyword in call.keywords if keyword.arg == "messages"]
    return [
        argument
        for argument in arguments
        if isinstance(argument, (*WRITTEN_TEXTS, *messages))
        or (argument in named and isinstance(argument, ast.List))
    ]


def _names_opinion(name: str) -> bool:
    return bool(set(words_of(name)) & OPINION_WORDS)


def _self_value(
    evaluator: GraphEvaluator, function: FunctionRef, names: Mapping[str, Value]
) -> Value:
    """Return an object of the function's class, with the texts that its constructor sets."""
    owner = names.get(function.site.owner.name) if function.site.owner else None
    if not isinstance(owner, Class):
        return None
    instance = Instance(owner)
    constructor = attribute_of(evaluator, owner, "__init__")
    if isinstance(constructor, Function) and function.name != "__init__":
        evaluator.call(constructor, [instance], {})
    return instance


def _text_of(value: Value) -> str:
    """Return all text in a value: a string, the strings of a list or of a dict's values."""
    texts: list[str] = []
    for choice in choices_of(value):
        if isinstance(choice, str | Template):
            texts.append(as_text(choice))
        elif isinstance(choice, ListValue):
            texts += [_text_of(member) for member in choice.members]
        elif isinstance(choice, DictValue):
            texts += [_text_of(member) for member in choice.entries.values()]
    return "\n".join(filter(None, texts))


def common_frame(symbols: SymbolTable, judges: Iterable[FunctionRef]) -> PersonaText | None:
    """Return the longest text with holes that the judges' code makes.

    It is the template around a persona of one sentence.
    """
    templates = (template for function in judges for template in _templates(symbols, function))
    return max(templates, key=lambda template: len(plain_words(template.text)), default=None)


def _templates(symbols: SymbolTable, function: FunctionRef) -> Iterator[PersonaText]:
    evaluator = GraphEvaluator(symbols, lambda _: False, FUEL, reads_data=False)
    texts: dict[ast.stmt | ast.expr, str] = {}
    try:
        for node, value in _values_in_function(evaluator, function):
            templates = [c.text for c in _with_messages(value) if isinstance(c, Template)]
            if text := min(filter(plain_words, templates), key=len, default=""):
                texts[node] = text
    except (OutOfFuel, RecursionError):
        pass
    for node, text in texts.items():
        if not _is_extended(node, texts, function.site.node):
            yield _persona_text("", function.source, node, text)


def _with_messages(value: Value) -> Iterator[Value]:
    """Yield the choices of a value, and the texts of a list of messages: ("system", text)."""
    for choice in choices_of(value):
        yield choice
        for member in choice.members if isinstance(choice, ListValue) else ():
            yield from member.members if isinstance(member, ListValue) else ()


def _is_extended(
    node: ast.stmt | ast.expr, texts: Mapping[ast.stmt | ast.expr, str], function: ast.AST
) -> bool:
    """Return true for a prompt with a few words added, as for another attempt: `prompt + hint`.

    The shorter one is used elsewhere as well; what is only a step to the longer one is not.
    """
    inner = list(walk(node))
    names = (part for part in inner if isinstance(part, ast.Name))
    read = {part.id for part in names if isinstance(part.ctx, ast.Load)}
    size = len(plain_words(texts[node]))
    return any(
        _target_name(other) in read
        and other is not node
        and len(plain_words(text)) * 2 >= size
        and _is_read_beside(_target_name(other), inner, function)
        for other, text in texts.items()
        if isinstance(other, ast.stmt)
    )


def _is_read_beside(name: str | None, parts: list[ast.AST], function: ast.AST) -> bool:
    inside = set(map(id, parts))
    return any(
        isinstance(node, ast.Name)
        and node.id == name
        and isinstance(node.ctx, ast.Load)
        and id(node) not in inside
        for node in walk(function)
    )
