"""Parsers of argparse as the code of the work makes them, made again from their constants.

No code of the work runs: a parser that is not made of constants, line after line, is not read.
"""

from __future__ import annotations

import argparse
import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.tree_walk import called_name, constant_text, keyword_of, walk

MOST_ARGUMENTS = 60
# Several of them share out the words in very many ways.
MOST_LISTS = 2
MOST_COUNTED = 20
_ADDING = frozenset({"add_argument", "add_parser"})
_ACTIONS = frozenset(
    {
        *("store", "store_true", "store_false", "store_const", "append", "append_const"),
        *("count", "extend", "help", "version"),
    }
)
_STORING = ("store_const", "append_const")
_NARGS = {"OPTIONAL": "?", "ZERO_OR_MORE": "*", "ONE_OR_MORE": "+", "REMAINDER": "..."}
# What a parser may be made with, as it changes nothing that is taken.
_PARSER_WORDS = frozenset({"prog", "usage", "description", "epilog", "formatter_class"})
_PARSER_SETTINGS = {"add_help", "allow_abbrev"}
_ARGUMENT_WORDS = frozenset(
    {
        "action",
        "choices",
        "const",
        "default",
        "dest",
        "help",
        "metavar",
        "nargs",
        "required",
        "type",
    }
) | {"version"}


class Refused(Exception):
    """The message of argparse on words that a parser does not take."""


class _Unread(Exception):
    """Raised where a parser is not made of constants."""


_FAILURES = (argparse.ArgumentError, AttributeError, IndexError, KeyError, TypeError, ValueError)


class _Parser(argparse.ArgumentParser):
    """A parser that prints nothing and ends no process."""

    def error(self, message: str) -> NoReturn:
        raise Refused(message)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:  # noqa: ARG002
        raise Refused(message or "")

    def _print_message(self, message: str, file: Any = None) -> None:
        pass


@dataclass(frozen=True, slots=True)
class ParserReading:
    """A parser, and the line that makes it."""

    parser: argparse.ArgumentParser
    path: str
    line: int

    def refusal(self, words: Sequence[str]) -> str:
        """Return what argparse says of these words, "" where it takes them."""
        try:
            _, left = self.parser.parse_known_args(list(words))
        except Refused as refused:
            return str(refused)
        # Settings that argparse takes at first, such as a number for a name.
        except _FAILURES:
            return ""
        return f"unrecognized arguments: {' '.join(left)}" if left else ""


def read_parser(source: SourceFile) -> ParserReading | None:
    """Return the one parser that a file makes; None where it makes none, several or an unread one."""
    made = [call.node for call in source.calls if _is_parser(source, call.node)]
    text = source.text.replace("parse_args(sys.argv[1:])", "")
    if len(made) != 1 or "parse_known_args" in text or "sys.argv" in text:
        return None
    adding = sum(called_name(call.node) in _ADDING for call in source.calls)
    blocks = (node.body for node in source.tree.body if isinstance(node, ast.If))
    functions = (site.node.body for site in source.functions)
    for body in (source.tree.body, *blocks, *functions):
        if any(getattr(statement, "value", None) is made[0] for statement in body):
            reading = _Reading(made[0])
            try:
                parser = reading.follow(body)
            # What argparse refuses as well as what cannot be read.
            except (_Unread, *_FAILURES):
                return None
            if parser is None or reading.added < adding:
                return None
            return ParserReading(parser, source.path, made[0].lineno)
    return None


def _is_parser(source: SourceFile, call: ast.Call) -> bool:
    match call.func:
        case ast.Name(name):
            return source.imports.get(name) == "argparse.ArgumentParser"
        case ast.Attribute(ast.Name(name), "ArgumentParser"):
            return source.imports.get(name) == "argparse"
    return False


@dataclass(slots=True)
class _Reading:
    """Objects of argparse by the names that a body gives them, from one line to the next."""

    made: ast.Call
    names: dict[str, Any] = field(default_factory=dict)
    added: int = 0
    lists: int = 0

    def follow(self, body: Sequence[ast.stmt]) -> argparse.ArgumentParser | None:
        """Return the parser when a body hands it on or asks it; None where it never does."""
        parser = None
        for statement in body:
            value = getattr(statement, "value", None)
            made: Any = None
            if value is self.made:
                made = parser = _Parser(**_constants(self.made, _PARSER_SETTINGS, _PARSER_WORDS))
            elif isinstance(value, ast.Call) and self._owner(value) is not None:
                if called_name(value) == "add_argument":
                    self._add(self._owner(value), value)
                    continue
                made = self._made_by(value)
            if made is not None:
                self.names[_name_set(statement)] = made
                continue
            uses = self._uses(statement)
            if uses & {"", "parse_args"}:
                is_handed_on = isinstance(statement, ast.Return) or "parse_args" in uses
                return parser if is_handed_on else None
        return None

    def _owner(self, call: ast.Call) -> Any:
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        return self.names.get(owner.id) if isinstance(owner, ast.Name) else None

    def _made_by(self, call: ast.Call) -> Any:
        """Return what a method of argparse gives that is kept under a name; None for the others."""
        owner, method = self._owner(call), called_name(call)
        if method == "add_argument_group":
            return owner.add_argument_group()
        if method == "add_mutually_exclusive_group":
            return owner.add_mutually_exclusive_group(**_constants(call, {"required"}, frozenset()))
        if method == "add_subparsers":
            ignored = frozenset({"title", "description", "help"})
            return owner.add_subparsers(
                **_constants(call, {"required", "dest", "metavar"}, ignored)
            )
        if method == "add_parser":
            self.added += 1
            name = constant_text(call.args[0]) if len(call.args) == 1 else None
            if name is None or keyword_of(call, "aliases") is not None:
                raise _Unread
            wanted = _constants(call, _PARSER_SETTINGS, _PARSER_WORDS | {"help"})
            return owner.add_parser(name, **wanted)
        return None

    def _add(self, owner: Any, call: ast.Call) -> None:
        self.added += 1
        flags = [constant_text(flag) for flag in call.args]
        if not all(flags) or self.added > MOST_ARGUMENTS:
            raise _Unread
        owner.add_argument(*flags, **self._settings(call))

    def _settings(self, call: ast.Call) -> dict[str, Any]:
        given = {keyword.arg or "": keyword.value for keyword in call.keywords}
        if given.keys() - _ARGUMENT_WORDS:
            raise _Unread
        wanted = _constants(call, {"required", "dest", "metavar"}, _ARGUMENT_WORDS)
        action, nargs, choices = (given.get(name) for name in ("action", "nargs", "choices"))
        if action is not None:
            wanted["action"] = _action(action)
            # Such an action has to have its value.
            wanted |= {"const": True} if wanted["action"] in _STORING else {}
            wanted |= {"version": ""} if wanted["action"] == "version" else {}
        if nargs is not None:
            wanted["nargs"] = _nargs(nargs)
            self.lists += wanted["nargs"] in ("*", "+", "...")
        if self.lists > MOST_LISTS:
            raise _Unread
        if isinstance(choices, ast.List | ast.Tuple) and "type" not in given:
            texts = [constant_text(choice) for choice in choices.elts]
            wanted |= {"choices": texts} if None not in texts else {}
        return wanted

    def _uses(self, statement: ast.stmt) -> set[str]:
        """Return the methods that a statement calls of these objects; "" where it hands one on.

        Raises _Unread where it may change one.
        """
        methods, handed_on = set(), 0
        for node in walk(statement):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.value.id in self.names:
                    methods.add(node.attr)
                    handed_on -= 1
            elif isinstance(node, ast.Name) and node.id in self.names:
                handed_on += 1
        if any(method.startswith("add_") for method in methods):
            raise _Unread
        return methods | ({""} if handed_on > 0 else set())


def _name_set(statement: ast.stmt) -> str:
    """Return the one name that a statement sets, "" where it sets none or several."""
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def _constants(call: ast.Call, wanted: set[str], ignored: frozenset[str]) -> dict[str, Any]:
    """Return the wanted keywords of a call. Raises _Unread where one is no constant, or unknown."""
    values: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg in wanted:
            if not isinstance(keyword.value, ast.Constant):
                raise _Unread
            values[keyword.arg] = keyword.value.value
        elif keyword.arg not in ignored:
            raise _Unread
    return values


def _action(node: ast.expr) -> Any:
    if isinstance(node, ast.Attribute) and node.attr == "BooleanOptionalAction":
        return argparse.BooleanOptionalAction
    text = constant_text(node)
    if text not in _ACTIONS:
        raise _Unread
    return text


def _nargs(node: ast.expr) -> Any:
    if isinstance(node, ast.Attribute) and node.attr in _NARGS:
        return _NARGS[node.attr]
    value = node.value if isinstance(node, ast.Constant) else ""
    is_count = isinstance(value, int) and 0 < value <= MOST_COUNTED
    if not is_count and value not in ("?", "*", "+"):
        raise _Unread
    return value
