"""Guards that ask whether there is a work to read: its address, the path of its clone.

What they let pass was not examined: after a clone that succeeded, any work is the same to them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)

EXITS = (ast.Return, ast.Raise, ast.Continue, ast.Break, ast.Assert)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# Words of a name that says where the work is.
ACCESS = frozenset(words_of("url path link repo repository dir directory folder address"))
# Without a criterion there is nothing to look for.
CRITERIA = frozenset({"criterion", "criteria", "dimension", "dimensions", "dim", "dims"})
# Words of a call or an error of fetching it.
FETCHING = frozenset(words_of("clone cloned cloning fetch download checkout"))
# Words of a call that opens the report, of the path it gets, and of a key of how that went.
OPENING = frozenset({"ingest", "load", "open", "parse", "read"})
DOCUMENT = frozenset({"pdf", "report", "document", "doc"})
OUTCOMES = frozenset(words_of("err error exc exception ok success successful"))
# Calls on a path or an address that look at nothing inside the work.
PLAIN_TESTS = frozenset({"get", "Path", "exists", "is_dir", "isdir", "strip", "startswith", "str"})
# These take a text that is no name of a file.
WITH_TEXT = frozenset({"get", "startswith"})


@dataclass(frozen=True, slots=True)
class AccessGuards:
    """Guards of one function; `names` hold an address, the path of a clone, or its error;
    `openings` what opening the report gave, its error as well. `keys` choose what to look for.

    Without names every test may be about what was examined.
    """

    names: frozenset[str] | None
    openings: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()

    def always_holds(self, value: ast.expr) -> bool:
        """Return true for a text or test that holds whatever the work: `repo_path is not None`."""
        is_denied = isinstance(value, ast.UnaryOp) or any(
            isinstance(node, ast.Is | ast.Eq)
            for compare in walk(value)
            if isinstance(compare, ast.Compare)
            for node in compare.ops
        )
        return not is_denied and AccessGuards(self.names).is_guard(value)

    def is_guard(self, test: ast.expr) -> bool:
        """Return true for a test of these names alone."""
        if self.names is None:
            return False
        nodes = list(walk(test))
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        named = {last_name(call.func) for call in calls}
        parts = {id(node) for call in calls for node in walk(call.func)}
        leaves = [n for n in nodes if isinstance(n, ast.Name) and n.id not in {"os", *named}]
        texts = [n for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
        allowed = {
            id(arg) for call in calls if last_name(call.func) in WITH_TEXT for arg in call.args
        }
        allowed |= {id(node.slice) for node in nodes if isinstance(node, ast.Subscript)}
        return (
            bool(leaves)
            and named <= PLAIN_TESTS
            and all(self._is_plain(leaf, nodes) for leaf in leaves)
            and all(not text.value or id(text) in allowed for text in texts)
            and not any(isinstance(n, ast.BinOp) and id(n) not in parts for n in nodes)
        )

    def _is_plain(self, leaf: ast.Name, nodes: Iterable[ast.AST]) -> bool:
        """Return true for such a name, for criteria, and for the state in `state["repo_path"]`."""
        if leaf.id in (self.names or ()) or not CRITERIA.isdisjoint(words_of(leaf.id)):
            return True
        keys = [key for holder, key in map(_lookup, nodes) if holder is leaf]
        if leaf.id in self.openings:
            return all(_is_outcome(key) for key in keys)
        return any(map(_is_about_access, keys))

    def may_leave(self, statement: ast.stmt) -> bool:
        """Return whether the statement may leave the function or loop by more than a failed fetch."""
        if isinstance(statement, EXITS):
            return True
        if isinstance(statement, DEFINITIONS):
            return False
        inner = [*getattr(statement, "body", ()), *getattr(statement, "orelse", ())]
        inner += getattr(statement, "finalbody", ())
        if isinstance(statement, ast.Match):
            inner += [part for case in statement.cases for part in case.body]
        if isinstance(statement, ast.If) and self.is_guard(statement.test):
            inner = [part for part in inner if not isinstance(part, EXITS)]
        if isinstance(statement, ast.Try | ast.TryStar):
            inner += self._parts_of_handlers(statement)
        return any(map(self.may_leave, inner))

    def _parts_of_handlers(self, statement: ast.Try | ast.TryStar) -> list[ast.stmt]:
        """Return what the handlers do, without exits to which only a failed fetch leads."""
        nodes = (node for part in statement.body for node in walk(part))
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        looks = [call for call in calls if called_name(call) not in PLAIN_TESTS]
        parts: list[ast.stmt] = []
        for handler in statement.handlers:
            kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
            is_of_fetch = all(kind is not None and _is_fetch(last_name(kind)) for kind in kinds)
            if self.names is not None and (is_of_fetch or all(map(_is_access, looks))):
                parts += [part for part in handler.body if not isinstance(part, EXITS)]
            else:
                parts += handler.body
        return parts


NO_GUARDS = AccessGuards(None)


def guards_of(function: FunctionRef) -> AccessGuards:
    node = function.site.node
    arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
    access = {argument.arg for argument in arguments if _is_about_access(argument.arg)}
    openings: set[str] = set()
    others: set[str] = set()
    for part in walk(node):
        if not isinstance(part, ast.Assign | ast.AnnAssign | ast.With):
            continue
        nodes = [node for value in _values(part) for node in walk(value)]
        made = [node for node in nodes if isinstance(node, ast.Call)]
        calls = {called_name(call) for call in made}
        names = _targets(part)
        if any(map(_is_fetch, calls)):
            access |= names
        elif any(map(_is_opening, made)):
            openings |= names
        elif calls <= PLAIN_TESTS:
            access |= {name for name in names if _is_about_access(name)}
        else:
            others |= names
    return AccessGuards(frozenset(access - others), frozenset(openings - others))


def _values(part: ast.Assign | ast.AnnAssign | ast.With) -> list[ast.expr]:
    if isinstance(part, ast.With):
        return [item.context_expr for item in part.items]
    return [part.value] if part.value else []


def _targets(part: ast.Assign | ast.AnnAssign | ast.With) -> set[str]:
    if isinstance(part, ast.With):
        targets = [item.optional_vars for item in part.items if item.optional_vars]
    else:
        targets = part.targets if isinstance(part, ast.Assign) else [part.target]
    return {n.id for target in targets for n in walk(target) if isinstance(n, ast.Name)}


def _lookup(node: ast.AST) -> tuple[ast.expr | None, str]:
    """Return the mapping and the key of `state.get("key")` and `state["key"]`."""
    match node:
        case ast.Call(func=ast.Attribute(value=holder, attr="get"), args=[key, *_]):
            return holder, constant_text(key) or ""
        case ast.Subscript(value=holder, slice=key):
            return holder, constant_text(key) or ""
    return None, ""


def _is_about_access(name: str) -> bool:
    return not ACCESS.isdisjoint(words_of(name))


def _is_fetch(name: str) -> bool:
    return not FETCHING.isdisjoint(words_of(name))


def _is_access(call: ast.Call) -> bool:
    return _is_fetch(called_name(call)) or _is_opening(call)


def _is_opening(call: ast.Call) -> bool:
    """Return true for `ingest_pdf(pdf_path)`: it opens the report and looks for nothing in it."""
    given = {word for argument in call.args[:1] for word in words_of(last_name(argument))}
    is_document = not DOCUMENT.isdisjoint(given) and not ACCESS.isdisjoint(given)
    return is_document and not OPENING.isdisjoint(words_of(called_name(call)))


def _is_outcome(key: str) -> bool:
    return not OUTCOMES.isdisjoint(words_of(key))
