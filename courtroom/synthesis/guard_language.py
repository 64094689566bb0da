"""CEL, by way of cel-expr-python (requirements/guards.in): the only file that knows the library.

It is imported with the first guard; a site without guards does without it. Bounded by the length of the text, the
library's own limits (nesting, 10,000 turns of all loops) and the two below: a few loops or sums inside one another
could still fill the memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from courtroom.models.errors import RubricRefused
from courtroom.synthesis.guard_errors import GuardFault, fault_in
from courtroom.synthesis.guard_variables import vocabulary

LOOPS = re.compile(r"\b(?:all|exists|exists_one|existsOne|filter|map)\b")
MOST_LOOPS = 3
MOST_SUMS = 8


@dataclass(frozen=True, slots=True)
class Situation:
    """Variables as the library has them: made once for all the guards of a criterion."""

    activation: Any


@dataclass(frozen=True, slots=True)
class Program:
    """A guard that was found to be sound."""

    expression: Any

    def answer(self, situation: Situation) -> bool | str:
        """Whether it holds; or, in words, why that cannot be said."""
        try:
            value = self.expression.eval(situation.activation)
        except RuntimeError as error:
            return _told(str(error))
        said = value.plain_value() if value.type() == _cel().Type.BOOL else None
        return said if isinstance(said, bool) else _told(str(value.value()))


def situation(variables: Mapping[str, Any]) -> Situation:
    """Raises RubricRefused: rubric_guard_unavailable."""
    return Situation(_environment().Activation(variables))


@lru_cache(maxsize=256)
def compiled(text: str) -> Program | GuardFault:
    """The guard ready to be asked, or what is wrong with it. Raises RubricRefused: rubric_guard_unavailable."""
    environment = _environment()
    if len(LOOPS.findall(text)) > MOST_LOOPS or text.count("+") > MOST_SUMS:
        message = f"A guard has at most {MOST_LOOPS} loops (exists, all, filter, map) and {MOST_SUMS} sums."
        return GuardFault(0, message)
    try:
        expression = environment.compile(text)
    except RuntimeError as error:
        return fault_in(text, str(error))
    result = expression.return_type()
    if result != _cel().Type.BOOL:
        return GuardFault(
            0, f"A guard is true or false; this one is of the type {result.name().lower()}."
        )
    return Program(expression)


@cache
def _environment() -> Any:
    variables = {name: _type(signature) for name, signature in vocabulary().items()}
    return _cel().NewEnv(variables=variables)


def _type(signature: str) -> Any:
    """A list or a map is made of types; written out, the library takes it for a type of its own."""
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


def _told(error: str) -> str:
    """The library's sentence without its codes."""
    return re.sub(r"^[A-Z_]+: | \[[A-Z_]+\]$", "", error)
