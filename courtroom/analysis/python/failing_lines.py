"""Lines that fail whenever they run: names that nothing defines, texts that cannot be formatted.

A name may also be used in a comprehension before the `for` that sets it.

Only what the source shows beyond doubt counts. A file that makes names while it runs is left out.
"""

from __future__ import annotations

import ast
import builtins
import re
import symtable
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from string import Formatter

from courtroom.analysis.python.certain_nodes import NodeMark, mark_of
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    push_children,
    walk,
)

# Calls by which a file may define names that its text does not show.
NAME_MAKERS = frozenset({"exec", "eval", "globals", "vars", "setattr", "__import__"})
MODULE_NAMES = frozenset(dir(builtins)) | {"WindowsError"}
# Format of a text: fill and direction, width, number of characters.
_TEXT_FORMAT = re.compile(r"(?:.?[<>^])?\d*(?:\.\d*)?s?", re.DOTALL)
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
# What has no format of its own: "{...}" of JSON inside an f-string is read as one of these.
_WITHOUT_FORMAT = (ast.Dict, ast.Set, ast.List, ast.Tuple)


@dataclass(frozen=True, slots=True, order=True)
class FailingLine:
    """Line, and why it fails, as the end of a sentence.

    `name` is the name that nothing defines there, and `set_at` the line of the function that does;
    `is_constant` is true where it needs nothing of that function. `mark` is that of the node.
    """

    line: int
    why: str
    mark: NodeMark
    name: str = ""
    set_at: int = 0
    is_constant: bool = False


def failing_lines(
    source: SourceFile, functions: Collection[FunctionSite]
) -> dict[FunctionSite, list[FailingLine]]:
    """Return the lines that fail, of each of these functions of one file that has some."""
    undefined = _undefined_names(source)
    texts = _module_texts(source.tree)
    failing = {
        function: sorted(
            {
                *_uses(function, undefined, source),
                *_early_uses(function.node),
                *_failing_formats(function.node, texts),
            }
        )
        for function in functions
    }
    return {function: lines for function, lines in failing.items() if lines}


def _undefined_names(source: SourceFile) -> frozenset[str]:
    """Return names that some scope looks up in the module, where nothing defines them."""
    if source.star_imports or any(called_name(c.node) in NAME_MAKERS for c in source.calls):
        return frozenset()
    try:
        module, *inner = _scopes(symtable.symtable(source.text, source.path, "exec"))
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()

    defined = {s.get_name() for s in module.get_symbols() if _is_defined(s)}
    looked_up = {s.get_name() for s in module.get_symbols() if s.is_referenced()}
    for scope in inner:
        for symbol in scope.get_symbols():
            if symbol.is_global() and symbol.is_referenced():
                looked_up.add(symbol.get_name())
            if symbol.is_declared_global() and symbol.is_assigned():
                defined.add(symbol.get_name())
    names = looked_up - defined - MODULE_NAMES
    return frozenset(name for name in names if not name.startswith("__"))


def _scopes(top: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    stack = [top]
    while stack:
        scope = stack.pop()
        yield scope
        stack += scope.get_children()


def _is_defined(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _uses(
    function: FunctionSite, undefined: frozenset[str], source: SourceFile
) -> Iterator[FailingLine]:
    # The mentions of a function are there already; most functions stop here.
    names = undefined & function.mentions
    if not names:
        return
    outermost = function
    while outermost.outer is not None:
        outermost = outermost.outer
    # A name that is bound anywhere around may be a closure's.
    names -= _bound_in(outermost.node)
    for node in _evaluated(function.node):
        if isinstance(node, ast.Name) and node.id in names:
            yield _undefined(node, source)


def _early_uses(function: ast.AST) -> Iterator[FailingLine]:
    """Yield uses in a comprehension before the `for` that sets the name.

    `[o for o in rows if o == k for k in names]` looks for k too early. The source of the first
    `for` is evaluated outside, where the name may be another one.
    """
    for node in walk(function):
        if not isinstance(node, _COMPREHENSIONS):
            continue
        late = [_stored_in(generator.target) for generator in node.generators]
        known: set[str] = set()
        for place, generator in enumerate(node.generators):
            unset = set[str]().union(*late[place:]) - known
            names = [name for name in _loaded_in(generator.iter) if place and name.id in unset]
            known |= late[place]
            names += [
                n for test in generator.ifs for n in _loaded_in(test) if n.id in unset - known
            ]
            for name in names:
                why = f"uses {name.id} before the for that sets it"
                yield FailingLine(name.lineno, why, mark_of(name))


def _stored_in(target: ast.expr) -> set[str]:
    return {node.id for node in walk(target) if isinstance(node, ast.Name)}


def _loaded_in(expression: ast.expr) -> Iterator[ast.Name]:
    """Yield the names that are evaluated at once: a lambda or a comprehension has its own."""
    stack: list[ast.AST] = [expression]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node
        if not isinstance(node, ast.Lambda | _COMPREHENSIONS):
            push_children(node, stack)


def _undefined(use: ast.Name, source: SourceFile) -> FailingLine:
    """Return the use of a name that the module lacks: another function may have one like it."""
    name, begin = use.id, f"uses {use.id}, which"
    for site in source.functions:
        if name in site.mentions and name in _bound_in(site.node):
            line, is_constant = _assignment(name, site)
            why = f"{begin} exists only inside {site.qualname}"
            return FailingLine(use.lineno, why, mark_of(use), name, line, is_constant)
    return FailingLine(use.lineno, f"{begin} nothing defines", mark_of(use), name)


def _assignment(name: str, site: FunctionSite) -> tuple[int, bool]:
    """Return the line that sets the name in a function, and whether by constants alone."""
    for node in walk(site.node):
        if isinstance(node, ast.Assign) and any(last_name(t) == name for t in node.targets):
            is_constant = not any(isinstance(part, ast.Name) for part in walk(node.value))
            return node.lineno, is_constant
    return 0, False


def value_at_hand(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> str | None:
    """Return the code by which a function reads a value of this name from an argument of its own."""
    arguments = function.args
    own = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    for node in walk(function):
        key: str | None = None
        value: ast.AST | None = None
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            key, value = constant_text(node.slice), node.value
        elif isinstance(node, ast.Call) and last_name(node.func) == "get" and node.args:
            key = constant_text(node.args[0])
            value = node.func.value if isinstance(node.func, ast.Attribute) else None
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            key, value = node.attr, node.value
        if key == name and isinstance(value, ast.Name) and value.id in own:
            return ast.unparse(node)
    return None


def _bound_in(function: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in walk(function):
        if isinstance(node, ast.Name):
            names |= {node.id} if not isinstance(node.ctx, ast.Load) else set()
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
        elif isinstance(
            node,
            ast.FunctionDef
            | ast.AsyncFunctionDef
            | ast.ClassDef
            | ast.ExceptHandler
            | ast.MatchAs
            | ast.MatchStar,
        ):
            names |= {node.name} if node.name else set()
        elif isinstance(node, ast.MatchMapping):
            names |= {node.rest} if node.rest else set()
    return names


def _evaluated(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes that run when the function does: no annotation, nothing tried for a name."""
    stack: list[ast.AST] = list(reversed(function.body))
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, ast.AnnAssign):
            stack += [node.value] if node.value else []
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            stack += reversed(node.body)
        elif isinstance(node, ast.Try) and any(map(_handles_name, node.handlers)):
            stack += reversed([*node.handlers, *node.orelse, *node.finalbody])
        else:
            push_children(node, stack)


def _handles_name(handler: ast.ExceptHandler) -> bool:
    return handler.type is not None and any(
        isinstance(node, ast.Name) and node.id == "NameError" for node in walk(handler.type)
    )


def _module_texts(module: ast.Module) -> dict[str, str]:
    """Return the texts of names that the module assigns a constant, once."""
    values: dict[str, list[ast.expr | None]] = {}
    for node in module.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    values.setdefault(target.id, []).append(node.value)
    texts = {
        name: constant_text(assigned[0]) for name, assigned in values.items() if len(assigned) == 1
    }
    return {name: text for name, text in texts.items() if text is not None}


def _failing_formats(function: ast.AST, texts: Mapping[str, str]) -> Iterator[FailingLine]:
    for node in walk(function):
        if isinstance(node, ast.FormattedValue) and _cannot_format(node):
            why = "has braces in an f-string that are read as a value with a format"
            yield FailingLine(node.lineno, why, mark_of(node))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            text = _formatted_text(node.func, texts)
            absent = _absent_field(text, node) if text else ""
            if absent:
                why = f"formats a text that asks for {absent}"
                yield FailingLine(node.lineno, why, mark_of(node))


def _cannot_format(field: ast.FormattedValue) -> bool:
    """Return true for {"score": 3} in an f-string: the text "score" with the format " 3"."""
    if not isinstance(field.format_spec, ast.JoinedStr) or not field.format_spec.values:
        return False
    if isinstance(field.value, _WITHOUT_FORMAT):
        return True
    if constant_text(field.value) is None or field.conversion != -1:
        return False
    parts = [constant_text(part) for part in field.format_spec.values]
    text = "".join(part if part is not None else "0" for part in parts)
    return not _TEXT_FORMAT.fullmatch(text)


def _formatted_text(called: ast.Attribute, texts: Mapping[str, str]) -> str:
    if called.attr != "format":
        return ""
    if isinstance(called.value, ast.Name):
        return texts.get(called.value.id, "")
    return constant_text(called.value) or ""


def _absent_field(text: str, call: ast.Call) -> str:
    """Return a field of the text that the call does not give; "" if all are or may be given."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(not k.arg for k in call.keywords):
        return ""
    given = {keyword.arg for keyword in call.keywords}
    try:
        fields = [field for _, field, _, _ in Formatter().parse(text) if field]
    except ValueError:
        return "a field with a single brace"
    names = (re.split(r"[.\[]", field, maxsplit=1)[0] for field in fields)
    absent = next((n for n in names if n and not n.isdigit() and n not in given), "")
    return f"{absent.strip()[:40]!r}, which is not given" if absent else ""
