"""Names that nothing binds, and keywords that a model of the repository ignores."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterator

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable
from courtroom.analysis.python.tree_walk import last_name, walk

# Names that Python gives to a module besides the builtins.
GIVEN = frozenset(
    {"__name__", "__file__", "__doc__", "__path__", "__package__", "__spec__", "__loader__"}
)
# Validators of a whole model may rename what they get.
BEFORE = frozenset({"model_validator", "root_validator"})
# No written model has so many ancestors.
MOST_PARENTS = 8
KNOWN = frozenset(dir(builtins)) | GIVEN | {"__class__", "reveal_type", "WindowsError"}


def undefined_names(in_use: list[FunctionRef]) -> Iterator[FlowFault]:
    """Yield names that functions of a run use and that nothing defines."""
    tables: dict[str, dict[int, set[str]]] = {}
    reported: set[tuple[str, str]] = set()
    for function in in_use:
        source, node = function.source, function.site.node
        if source.path not in tables:
            tables[source.path] = _undefined_in(source)
        for name in sorted(tables[source.path].get(node.lineno, ())):
            line = _line_of(node, name)
            if line and (source.path, name) not in reported:
                reported.add((source.path, name))
                sentence = (
                    f"{function.name}() uses `{name}`, which {source.path} neither defines nor"
                    " imports: a run that comes here raises NameError"
                )
                place = source.path, node.lineno
                yield FlowFault("undefined_name", sentence, source.path, line, place)


def _undefined_in(source: SourceFile) -> dict[int, set[str]]:
    """Return, by the line of each function, the names that it reads and that nothing binds."""
    if source.star_imports or "globals()" in source.text or "exec(" in source.text:
        return {}
    try:
        top = symtable.symtable(source.text, source.path, "exec")
    except (SyntaxError, ValueError, RecursionError):
        return {}
    bound = {symbol.get_name() for symbol in top.get_symbols() if _is_bound(symbol)} | KNOWN
    stack: list[symtable.SymbolTable] = list(top.get_children())
    functions: dict[int, set[str]] = {}
    # The list grows while it is read: tables inside a function follow it.
    for table in stack:
        stack += table.get_children()
        bound |= {
            symbol.get_name() for symbol in table.get_symbols() if symbol.is_declared_global()
        }
        if table.get_type() == "function":
            names = {
                s.get_name() for s in table.get_symbols() if s.is_global() and s.is_referenced()
            }
            functions.setdefault(table.get_lineno(), set()).update(names)
    return {line: names - bound for line, names in functions.items() if names - bound}


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()


def _line_of(node: ast.AST, name: str) -> int:
    """Return the line where the code of a function reads a name; 0 for an annotation alone."""
    passed_over: set[int] = set()
    for holder in walk(node):
        parts: list[ast.AST] = list(_annotated(holder))
        if isinstance(holder, ast.Try) and any(map(_catches_names, holder.handlers)):
            parts.append(holder)
        passed_over |= {id(inner) for part in parts for inner in walk(part)}
    return next(
        (
            inner.lineno
            for inner in walk(node)
            if isinstance(inner, ast.Name) and inner.id == name
            if isinstance(inner.ctx, ast.Load) and id(inner) not in passed_over
        ),
        0,
    )


def _catches_names(handler: ast.ExceptHandler) -> bool:
    return handler.type is not None and "NameError" in ast.dump(handler.type)


def _annotated(node: ast.AST) -> Iterator[ast.expr]:
    annotation = getattr(node, "annotation", None)
    returns = getattr(node, "returns", None)
    yield from (part for part in (annotation, returns) if isinstance(part, ast.expr))


def ignored_fields(symbols: SymbolTable, in_use: list[FunctionRef]) -> Iterator[FlowFault]:
    """Yield keywords that are passed to a Pydantic model without such a field: it drops them."""
    fields: dict[tuple[str, int], frozenset[str] | None] = {}
    for function in in_use:
        for node in walk(function.site.node):
            if not isinstance(node, ast.Call) or not node.keywords:
                continue
            site = symbols.find_class(function.source, node.func)
            if site is None:
                continue
            key = site.source.path, site.node.lineno
            if key not in fields:
                fields[key] = _fields_of(symbols, site)
            known = fields[key]
            for keyword in node.keywords if known is not None else ():
                if keyword.arg is not None and keyword.arg not in (known or ()):
                    sentence = (
                        f"{function.name}() passes `{keyword.arg}` to {site.node.name}, which has"
                        " no such field: Pydantic drops it"
                    )
                    yield FlowFault(
                        "ignored_field", sentence, function.source.path, keyword.value.lineno, key
                    )


def _fields_of(symbols: SymbolTable, site: ClassSite) -> frozenset[str] | None:
    """Return the fields of a Pydantic model that ignores all others; None for other classes."""
    homes, names = [site], set[str]()
    for home in homes:
        for base in home.node.bases:
            parent = symbols.find_class(home.source, base)
            if parent is not None and len(homes) < MOST_PARENTS:
                homes.append(parent)
            elif symbols.dotted_name(home.source, base) != "pydantic.BaseModel":
                return None
        for statement in home.node.body:
            if isinstance(statement, ast.AnnAssign):
                names.add(last_name(statement.target))
            if _takes_other_names(statement):
                return None
    return frozenset(names) if len(homes) < MOST_PARENTS else None


def _takes_other_names(statement: ast.stmt) -> bool:
    """Return true for what may let a model take a name that is no field of it."""
    if isinstance(statement, ast.FunctionDef):
        decorators = {
            last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
            for decorator in statement.decorator_list
        }
        return statement.name == "__init__" or bool(decorators & BEFORE)
    text = ast.dump(statement)
    return "alias" in text or "extra" in text
