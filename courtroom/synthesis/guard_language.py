"""CEL through cel-expr-python (requirements/guards.in); the only module that knows the library.

The library is imported with the first guard. Length and nesting are bounded before it sees the
text. Further bounds are its own (10,000 turns of all loops) and those below, because a few nested
loops or sums could still fill the memory. Regular expressions are refused: the library compiles one
again in every turn, up to 0.26 s each, and no other thread of the process runs meanwhile. Within
these bounds 6,288 texts made to be slow took at most 0.3 s and 41 MB, so guards need no child
process.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from courtroom.models.check import MOST_CHARACTERS
from courtroom.models.errors import RubricRefused
from courtroom.models.nesting import nesting_of
from courtroom.synthesis.guard_errors import GuardError, first_guard_error
from courtroom.synthesis.guard_variables import variable_types

LOOPS = re.compile(r"\b(?:all|exists|exists_one|existsOne|filter|map)\b")
# A word anywhere, in texts too: a comment may stand between a function and its bracket.
REGULAR_EXPRESSION = re.compile(r"\bmatches\b")
MOST_NESTING = 20
MOST_LOOPS = 3
MOST_SUMS = 8


@dataclass(frozen=True, slots=True)
class GuardContext:
    """Variables in the library's form, made once for all guards of a criterion."""

    activation: Any


@dataclass(frozen=True, slots=True)
class CompiledGuard:
    """Guard that compiled without an error."""

    expression: Any

    def answer(self, guard_context: GuardContext) -> bool | str:
        """Return the guard's value, or the reason why it has none."""
        try:
            value = self.expression.eval(guard_context.activation)
        except RuntimeError as error:
            return _readable(str(error))
        result = value.plain_value() if value.type() == _cel().Type.BOOL else None
        return result if isinstance(result, bool) else _readable(str(value.value()))


def guard_context(variables: Mapping[str, Any]) -> GuardContext:
    """Return the variables for guards. Raises RubricRefused (rubric_guard_unavailable)."""
    return GuardContext(_environment().Activation(variables))


@lru_cache(maxsize=256)
def compile_guard(text: str) -> CompiledGuard | GuardError:
    """Return the compiled guard or its error. Raises RubricRefused (rubric_guard_unavailable)."""
    environment = _environment()
    # Checked before compiling: the library has no bound on memory.
    if len(text) > MOST_CHARACTERS:
        return GuardError(0, f"The limit is {MOST_CHARACTERS} characters; there are {len(text)}.")
    if nesting_of(text) > MOST_NESTING:
        return GuardError(0, f"A guard has at most {MOST_NESTING} brackets within each other.")
    if found := REGULAR_EXPRESSION.search(text):
        message = "A guard cannot use matches: use contains, startsWith or endsWith."
        return GuardError(found.start(), message)
    if len(LOOPS.findall(text)) > MOST_LOOPS or text.count("+") > MOST_SUMS:
        message = (
            f"A guard has at most {MOST_LOOPS} loops (exists, all, filter, map)"
            f" and {MOST_SUMS} sums."
        )
        return GuardError(0, message)
    try:
        expression = environment.compile(text)
    except RuntimeError as error:
        return first_guard_error(text, str(error))
    result = expression.return_type()
    if result != _cel().Type.BOOL:
        return GuardError(
            0, f"A guard is true or false; this one is of the type {result.name().lower()}."
        )
    return CompiledGuard(expression)


@cache
def _environment() -> Any:
    variables = {name: _type(signature) for name, signature in variable_types().items()}
    return _cel().NewEnv(variables=variables)


def _type(signature: str) -> Any:
    """Return the CEL type. Lists and maps are built from types: the library does not parse them."""
    types = _cel().Type
    if signature.startswith("list("):
        return types.List(_type(signature[5:-1]))
    if signature.startswith("map(string, "):
        return types.Map(types.STRING, _type(signature[12:-1]))
    return types(signature)


def _cel() -> Any:
    try:
        return import_module("cel_expr_python.cel")
    except ImportError as error:
        message = (
            "A rule of this rubric has a guard (“when”), and this installation cannot read guards: "
            "the packages of requirements/guards.txt are missing."
        )
        raise RubricRefused("rubric_guard_unavailable", message) from error


def _readable(error: str) -> str:
    """Return the library's sentence without its error codes."""
    return re.sub(r"^[A-Z_]+: | \[[A-Z_]+\]$", "", error)
