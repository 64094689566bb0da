"""What is wrong with a guard, and under which character: the compiler's first error, in words for an instructor."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from courtroom.synthesis.guard_variables import vocabulary

_FIRST = re.compile(r"ERROR: <input>:(-?\d+):(-?\d+): ([^\n]*)")
_UNEXPECTED = re.compile(
    r"Syntax error: (?:mismatched input|extraneous input|token recognition error at:|no viable alternative at input)"
    r" '(.*?)'(?: expecting .*)?$"
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
class GuardFault:
    """`offset`: the 0-based character of the guard that is wrong; its length when it ends too early."""

    offset: int
    message: str


def fault_in(text: str, error: str) -> GuardFault:
    """Of what the compiler said about the text, the first error."""
    found = _FIRST.search(error)
    if found is None or int(found[1]) < 1:
        return GuardFault(0, "The guard is nested too deeply.")
    offset, said = (
        _offset(text, int(found[1]), int(found[2])),
        found[3].removesuffix(" [INVALID_ARGUMENT]"),
    )
    if unexpected := _UNEXPECTED.match(said):
        return GuardFault(offset, _unexpected(unexpected[1].strip()))
    if undeclared := _UNDECLARED.match(said):
        return _undeclared(text, offset, undeclared[1].split("."))
    if overload := _OVERLOAD.match(said):
        return GuardFault(offset, _overload(overload[1], overload[2]))
    return GuardFault(offset, f"{said[:1].upper()}{said[1:]}.")


def _offset(text: str, line: int, column: int) -> int:
    before = text.split("\n")[: line - 1]
    return min(sum(len(part) + 1 for part in before) + column - 1, len(text))


def _unexpected(what: str) -> str:
    if what == "<EOF>":
        return "The guard ends too early."
    return f"“{what}” is not understood here.{_HINTS.get(what, '')}"


def _undeclared(text: str, offset: int, parts: Sequence[str]) -> GuardFault:
    """Under the first part of the name that leads nowhere."""
    name, wrong = ".".join(parts), _first_wrong(parts)
    pattern = r"\s*\.\s*".join(f"({re.escape(part)})" for part in parts)
    places = [
        match.start(wrong + 1) for match in re.finditer(pattern, text) if match.start() <= offset
    ]
    known = f"known.{name}"
    near = [known] if known in vocabulary() else get_close_matches(name, vocabulary(), n=1)
    hint = f"; perhaps {near[0]} is meant" if near else ""
    return GuardFault(places[-1] if places else offset, f"There is nothing named {name}{hint}.")


def _first_wrong(parts: Sequence[str]) -> int:
    for end in range(1, len(parts)):
        if not any(known.startswith(".".join(parts[:end]) + ".") for known in vocabulary()):
            return end - 1
    return len(parts) - 1


def _overload(operator: str, types: str) -> str:
    sign = _OPERATORS.get(operator, operator.replace("_", "") or operator)
    hint = ""
    if {"double", "int"} <= set(types.split(", ")):
        hint = " Write whole numbers with a fraction there: 2.0."
    return f"{sign} cannot be applied to {types.replace(', ', ' and ')}.{hint}"
