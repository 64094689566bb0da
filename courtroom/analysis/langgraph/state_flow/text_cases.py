"""Cases of the texts that a state may hold: nothing, the empty text, and any other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import product

from courtroom.analysis.langgraph.state_access import StateAccess
from courtroom.analysis.langgraph.state_class import class_and_ancestors
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.symbolic_execution.values import HOLE, Template, Value

# Keys whose cases are combined.
MOST_TEXTS = 3
# Any text that is not empty: nothing is known of it but its truth.
SOME_TEXT = Template(f"{HOLE}?{HOLE}")
_TEXT = re.compile(r"(?:(?:typing\.)?(?:NotRequired|Required|Optional)\[)*str(?: \| None)?\]*")


def text_keys(symbols: SymbolTable, access: StateAccess) -> frozenset[str]:
    """Return the keys that the state declares as a text or nothing."""
    site = access.state.site
    classes = class_and_ancestors(symbols, site) if site else []
    return frozenset(
        statement.target.id
        for owner in classes
        for statement in owner.node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
        if _TEXT.fullmatch(ast.unparse(statement.annotation).strip("\"'"))
    )


def text_cases(keys: Iterable[str]) -> Iterator[dict[str, Value]]:
    """Yield what may lie under the keys together."""
    names = sorted(keys)
    for values in product((None, "", SOME_TEXT), repeat=len(names)):
        yield dict(zip(names, values, strict=True))
