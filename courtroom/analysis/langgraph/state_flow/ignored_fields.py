"""Keywords that a model of the repository ignores."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, joined
from courtroom.analysis.langgraph.state_flow.undeclared_keys import near_name
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.model_fields import Fields, model_fields
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import walk


def ignored_fields(symbols: SymbolTable, in_use: list[FunctionRef]) -> Iterator[FlowFault]:
    """Yield keywords that are passed to a Pydantic model without such a field: it drops them.

    Calls of one function that pass the same ones are one fault, at the first of them.
    """
    fields: dict[tuple[str, int], Fields | None] = {}
    for function in in_use:
        calls: dict[tuple[str, str, tuple[str, int]], list[int]] = {}
        for node in walk(function.site.node):
            if not isinstance(node, ast.Call) or not node.keywords:
                continue
            site = symbols.find_class(function.source, node.func)
            if site is None:
                continue
            key = site.source.path, site.node.lineno
            if key not in fields:
                fields[key] = model_fields(symbols, site)
            declared = fields[key]
            ignored = [
                keyword
                for keyword in node.keywords
                if declared is not None and keyword.arg is not None and keyword.arg not in declared
            ]
            if ignored:
                unset_fields = frozenset(declared or ()) - {
                    keyword.arg for keyword in node.keywords
                }
                names = joined([_with_near(str(keyword.arg), unset_fields) for keyword in ignored])
                lines = calls.setdefault((names, site.node.name, key), [])
                lines.append(ignored[0].value.lineno)
        for (names, model, place), lines in calls.items():
            times = f" in {len(lines)} calls" if len(lines) > 1 else ""
            sentence = (
                f"{function.name}() passes {names}{times} to {model}, which has no such field:"
                " Pydantic drops it"
            )
            yield FlowFault("ignored_field", sentence, function.source.path, min(lines), place)


def _with_near(name: str, unset_fields: frozenset[str]) -> str:
    near_field = near_name(name, unset_fields)
    return f"`{name}`" + (f" (there is `{near_field}`)" if near_field else "")
