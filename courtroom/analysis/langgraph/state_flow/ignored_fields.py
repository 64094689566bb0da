"""Keywords that a model of the repository ignores."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, listed
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable
from courtroom.analysis.python.tree_walk import last_name, walk

# Validators of a whole model may rename what they get.
BEFORE = frozenset({"model_validator", "root_validator"})
# No written model has so many ancestors.
MOST_PARENTS = 8


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
            declared = fields[key]
            ignored = [
                keyword
                for keyword in node.keywords
                if declared is not None and keyword.arg is not None and keyword.arg not in declared
            ]
            if ignored:
                names = listed(str(keyword.arg) for keyword in ignored)
                sentence = (
                    f"{function.name}() passes {names} to {site.node.name}, which has no such"
                    " field: Pydantic drops it"
                )
                line = ignored[0].value.lineno
                yield FlowFault("ignored_field", sentence, function.source.path, line, key)


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
