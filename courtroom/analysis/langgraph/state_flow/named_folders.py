"""Folders that are deleted before a clone and whose name is the end of its address."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, values_set_once, walk
from courtroom.analysis.security.address_checks import names_url, validations

_SPLITS = frozenset({"split", "rsplit", "partition", "rpartition"})
# Calls of a text that leave a name of dots as it is.
_KEEPING = _SPLITS | {"join", "replace", "rstrip", "strip", "removesuffix", "Path", "str", "lower"}


def named_folders(in_use: Sequence[FunctionRef]) -> Iterator[FlowFault]:
    """Yield removals of a folder that an address such as `https://host/..` makes the one above."""
    for function in in_use:
        calls = [node for node in walk(function.site.node) if isinstance(node, ast.Call)]
        removals = [call for call in calls if called_name(call) == "rmtree" and call.args]
        values = values_set_once(function.site.node) if removals else {}
        for call in removals:
            if _is_of_address(call.args[0], values) and not any(
                validations(function, call, [function])
            ):
                sentence = (
                    f"{function.shown_name}() deletes a folder whose name is the end of the address:"
                    " for one that ends in “/..” it is the folder above"
                )
                yield FlowFault("named_folder", sentence, function.source.path, call.lineno)


def _is_of_address(path: ast.expr, values: dict[str, ast.expr]) -> bool:
    """Return whether a joined path ends in a part of an address that nothing has cleaned."""
    for _ in range(4):
        if isinstance(path, ast.Name) and path.id in values:
            path = values[path.id]
        elif isinstance(path, ast.BinOp) and isinstance(path.op, ast.Div):
            path = path.right
        elif (
            isinstance(path, ast.Call)
            and called_name(path) in {"join", "str", "Path"}
            and path.args
        ):
            path = path.args[-1]
    calls = [node for node in walk(path) if isinstance(node, ast.Call)]
    names = [node.id for node in walk(path) if isinstance(node, ast.Name)]
    return (
        any(called_name(call) in _SPLITS for call in calls)
        and all(called_name(call) in _KEEPING for call in calls)
        and any(map(names_url, names))
    )
