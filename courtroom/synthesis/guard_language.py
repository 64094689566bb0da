"""CEL through cel-expr-python (requirements/guards.in); the only module that knows the library.

The library is imported with the first guard. Length and nesting are bounded before it sees the
text. Further bounds are its own (10,000 turns of all loops), those below, what a turn may do
(guard_loops) and how large a fact may be (guard_variables). Regular expressions are refused: the
library compiles one again in every turn, up to 0.26 s each, and no other thread of the process runs
meanwhile. Of 650 texts made to be slow, on four sets of facts as large as they may be, the worst
took 1.0 s (eight times `contains`, in 9,500 turns) and the largest 130 MB. So guards need no child
process; where a person waits for many of them, guard_time bounds their sum.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from courtroom.models.errors import RubricRefused
from courtroom.models.nesting import MOST_CHARACTERS, nesting_of
from courtroom.synthesis.guard_errors import GuardError, first_guard_error
from courtroom.synthesis.guard_loops import MOST_LOOPS, refuse_costly_loops
from courtroom.synthesis.guard_time import measured
from courtroom.synthesis.guard_variables import TOO_LARGE, variable_types

LOOPS = re.compile(r"\b(?:all|exists|exists_one|existsOne|filter|map)\b")
# A word anywhere, in texts too: a comment may stand between a function and its bracket.
REGULAR_EXPRESSION = re.compile(r"\bmatches\b")
MISSING = re.compile(r'No value with name "([^"]*)" found')
MOST_NESTING = 20
MOST_SUMS = 8


@dataclass(frozen=True, slots=True)
class GuardContext:
    """Variables in the library's form, made once for all guards of a criterion.

    `too_large` are names whose values no guard is given.
    """

    activation: Any
    too_large: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CompiledGuard:
    """Guard that compiled without an error."""

    expression: Any

    def answer(self, guard_context: GuardContext) -> bool | str:
        """Return the guard's value, or the reason why it has none.

        Raises InputRefused (guards_too_slow) where the time of guards is limited.
        """
        try:
            with measured():
                value = self.expression.eval(guard_context.activation)
        except RuntimeError as error:
            return _reason(str(error), guard_context)
        result = value.plain_value() if value.type() == _cel().Type.BOOL else None
        return result if isinstance(result, bool) else _reason(str(value.value()), guard_context)


def guard_context(variables: Mapping[str, Any]) -> GuardContext:
    """Return the variables for guards. Raises RubricRefused (rubric_guard_unavailable)."""
    given = {name: value for name, value in variables.items() if value is not TOO_LARGE}
    return GuardContext(_environment().Activation(given), frozenset(variables.keys() - given))


@lru_cache(maxsize=256)
def compile_guard(text: str) -> CompiledGuard | GuardError:
    """Return the compiled guard or its error. Raises RubricRefused (rubric_guard_unavailable)."""
    environment = _environment()
    # Checked before compiling: the library has no bound on memory.
    if error := _text_error(text):
        return error
    try:
        expression = environment.compile(text)
    except RuntimeError as failure:
        return first_guard_error(text, str(failure))

    result = expression.return_type()
    if result != _cel().Type.BOOL:
        return GuardError(
            0, f"A guard is true or false; this one is of the type {result.name().lower()}."
        )
    return refuse_costly_loops(expression.serialize()) or CompiledGuard(expression)


def _text_error(text: str) -> GuardError | None:
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
    return None


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


def _reason(error: str, context: GuardContext) -> str:
    """Return the library's sentence without its error codes, or ours for a value too large."""
    if (missing := MISSING.search(error)) and missing[1] in context.too_large:
        return f"{missing[1].removeprefix('known.')} is too large for a guard"
    return re.sub(r"^[A-Z_]+: | \[[A-Z_]+\]$", "", error)
