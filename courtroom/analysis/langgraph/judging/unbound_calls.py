"""Calls of a judge's model that go around the schema to which the same function binds it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from courtroom.analysis.langgraph.judging.structured_calls import (
    SCHEMA_BINDERS,
    BoundCall,
    holds_line,
    is_model_call,
)
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import FunctionSite
from courtroom.analysis.python.tree_walk import called_name, last_name, line_of_call, walk

# Calls that cut an answer out of text.
CUTTERS = frozenset(
    {"loads", "literal_eval", "search", "match", "fullmatch", "findall", "finditer"}
)
# Calls that hold what was cut out to the fields of a model.
VALIDATORS = frozenset(
    {
        "model_validate",
        "model_validate_json",
        "parse_obj",
        "parse_raw",
        "validate_python",
        "validate_json",
        "PydanticOutputParser",
    }
)


def unbound_calls(call: BoundCall, judges: Sequence[FunctionRef]) -> list[int]:
    """Return the lines where the model of a bound call is asked for text that is then cut apart.

    They stand in the judge's function that binds it, or in a method of the same object. Empty where
    the text is validated: then the schema holds it all the same.
    """
    around = _functions_around(call, judges)
    parts = [node for site in around for node in walk(site.node)]
    if not call.model or _is_bound_for_good(call.model, parts):
        return []
    calls = [node for node in parts if isinstance(node, ast.Call)]
    lines = sorted({line_of_call(node) for node in calls if _asks_plainly(node, call.model, parts)})
    if not lines:
        return []
    called = set(map(called_name, calls))
    helpers = [f.site.node for f in judges if f.name in called]
    parts += [node for helper in helpers for node in walk(helper)]
    is_cut = any(isinstance(node, ast.Call) and called_name(node) in CUTTERS for node in parts)
    return lines if is_cut and not any(_validates(node, call) for node in parts) else []


def _functions_around(call: BoundCall, judges: Sequence[FunctionRef]) -> list[FunctionSite]:
    """Return the outermost function around the call; of `self.llm`, the methods of its class."""
    own = [judge.site for judge in judges if judge.source is call.source]
    holders = [site for site in own if holds_line(site.node, call.line)]
    if call.model.startswith("self."):
        owners = {id(site.owner) for site in holders if site.owner is not None}
        return [site for site in own if id(site.owner) in owners]
    return [site for site in holders if site.outer is None][:1]


def _is_bound_for_good(model: str, parts: Sequence[ast.AST]) -> bool:
    """Return true for `llm = llm.with_structured_output(Opinion)`: the name is the bound one."""
    return any(
        isinstance(node, ast.Assign)
        and any(ast.unparse(target) == model for target in node.targets)
        and _binds(node.value)
        for node in parts
    )


def _binds(node: ast.AST) -> bool:
    return any(last_name(inner) in SCHEMA_BINDERS for inner in walk(node))


def _asks_plainly(node: ast.AST, model: str, parts: Sequence[ast.AST]) -> bool:
    """Return true for `llm.invoke(...)` and `(prompt | llm).invoke(...)`, in one step or two."""
    if not is_model_call(node) or not isinstance(node.func, ast.Attribute):
        return False
    receiver = node.func.value
    chains = [receiver, *(_assigned(receiver.id, parts) if isinstance(receiver, ast.Name) else ())]
    return any(_leads_to(chain, model) for chain in chains)


def _assigned(name: str, parts: Sequence[ast.AST]) -> Iterator[ast.expr]:
    for node in parts:
        if isinstance(node, ast.Assign) and any(last_name(t) == name for t in node.targets):
            yield node.value


def _leads_to(chain: ast.expr, model: str) -> bool:
    if isinstance(chain, ast.BinOp):
        ends = chain.left, chain.right
        return not _binds(chain) and any(_leads_to(end, model) for end in ends)
    return ast.unparse(chain) == model


def _validates(node: ast.AST, call: BoundCall) -> bool:
    """Return true for a validator, and for `Opinion(**parsed)`, which is one."""
    if not isinstance(node, ast.Call):
        return False
    is_whole = any(keyword.arg is None for keyword in node.keywords)
    is_schema = called_name(node) == call.schema.rpartition(".")[2]
    return called_name(node) in VALIDATORS or (is_schema and is_whole)
