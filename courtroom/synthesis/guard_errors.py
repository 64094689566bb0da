"""Errors in guards: the compiler's first error and its character, in words for an instructor."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from courtroom.synthesis.guard_variables import variable_types

_FIRST = re.compile(r"ERROR: <input>:(-?\d+):(-?\d+): ([^\n]*)")
_UNEXPECTED = re.compile(
    r"Syntax error: (?:mismatched input|extraneous input|token recognition error at:"
    r"|no viable alternative at input) '(.*?)'(?: expecting .*)?$"
)
_UNDECLARED = re.compile(r"undeclared reference to '([^']*)'")
_OVERLOAD = re.compile(r"found no matching overload for '([^']*)' applied to '\((.*)\)'")
_HINTS = {
    "=": " To compare, write ==.",
    "and": " Write &&.",
    "or": " Write ||.",
    "not": " Write !.",
}
_OPERATORS = {"@in": "in", "_[_]": "[ ]", "_?_:_": "? :"}


@dataclass(frozen=True, slots=True)
class GuardError:
    """Error in a guard. `offset`: its 0-based character; the length if the guard ends too early."""

    offset: int
    message: str


def first_guard_error(text: str, error: str) -> GuardError:
    """Return the first error of the compiler's output."""
    # The compiler lists every error; a person fixes the first and tries again.
    match = _FIRST.search(error)
    if match is None or int(match[1]) < 1:
        return GuardError(0, "The guard is nested too deeply.")
    offset = _offset(text, int(match[1]), int(match[2]))
    message = match[3].removesuffix(" [INVALID_ARGUMENT]")

    if unexpected := _UNEXPECTED.match(message):
        return GuardError(offset, _unexpected(unexpected[1].strip()))
    if undeclared := _UNDECLARED.match(message):
        return _undeclared(text, offset, undeclared[1].split("."))
    if overload := _OVERLOAD.match(message):
        return GuardError(offset, _overload(overload[1], overload[2]))
    return GuardError(offset, f"{message[:1].upper()}{message[1:]}.")


def _offset(text: str, line: int, column: int) -> int:
    before = text.split("\n")[: line - 1]
    return min(sum(len(part) + 1 for part in before) + column - 1, len(text))


def _unexpected(symbol: str) -> str:
    if symbol == "<EOF>":
        return "The guard ends too early."
    return f"“{symbol}” is not understood here.{_HINTS.get(symbol, '')}"


def _undeclared(text: str, offset: int, parts: Sequence[str]) -> GuardError:
    """Return the error at the first part of the name that does not exist."""
    name, index = ".".join(parts), _first_unknown(parts)
    pattern = r"\s*\.\s*".join(f"({re.escape(part)})" for part in parts)
    places = [
        match.start(index + 1) for match in re.finditer(pattern, text) if match.start() <= offset
    ]
    flag = f"known.{name}"
    near = [flag] if flag in variable_types() else get_close_matches(name, variable_types(), n=1)
    hint = f"; perhaps {near[0]} is meant" if near else ""
    return GuardError(places[-1] if places else offset, f"There is nothing named {name}{hint}.")


def _first_unknown(parts: Sequence[str]) -> int:
    for end in range(1, len(parts)):
        if not any(name.startswith(".".join(parts[:end]) + ".") for name in variable_types()):
            return end - 1
    return len(parts) - 1


def _overload(operator: str, types: str) -> str:
    sign = _OPERATORS.get(operator, operator.replace("_", "") or operator)
    hint = ""
    if {"double", "int"} <= set(types.split(", ")):
        hint = " Write whole numbers with a fraction there: 2.0."
    return f"{sign} cannot be applied to {types.replace(', ', ' and ')}.{hint}"
