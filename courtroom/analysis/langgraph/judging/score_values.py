"""Values in runs of the Chief Justice's code: scores, opinions, judges, and what is open."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from courtroom.analysis.langgraph.judging.persona_names import PERSONAS, persona_in
from courtroom.analysis.python.tree_walk import words_of

# Numbers beyond this are none of scores.
MOST_NUMBER = 1e6
# Values inside each other: `a = [a, a]` doubles them with each line.
MOST_PARTS = 1000
# Names of a value that holds an opinion or a score of one judge.
JUDGES: dict[str, frozenset[str]] = {
    "Prosecutor": PERSONAS["Prosecutor"] | {"pros", "p"},
    "Defense": PERSONAS["Defense"] | {"def", "d"},
    "TechLead": PERSONAS["TechLead"] | {"tech", "t", "tl"},
}
# Spellings in which a text is looked for.
SPELLINGS = {
    "Prosecutor": "prosecutor",
    "Defense": "defense defence",
    "TechLead": "techlead tech lead tech_lead tech-lead",
}
OPINIONS = frozenset(words_of("opinions ops"))

Scores = Mapping[str, float]


class NotCovered(Exception):
    """Code, or a number of runs, that the search does not cover."""


@dataclass(frozen=True, slots=True)
class Open:
    """Value that is not known; two of the same number are the same."""

    number: int


@dataclass(frozen=True, slots=True)
class Judge:
    """Name of a judge, however the code spells it."""

    persona: str


@dataclass(frozen=True, slots=True)
class Opinion:
    persona: str


@dataclass(frozen=True, slots=True)
class Lambda:
    node: ast.Lambda


def key_of(value: Any) -> Hashable:
    """Return what equal values have in common; NotCovered where it holds too many others."""
    for _ in parts_of(value):
        pass
    return _key_of(value)


def _key_of(value: Any) -> Hashable:
    if isinstance(value, list | tuple):
        return ("list", *map(_key_of, value))
    if isinstance(value, dict):
        return ("dict", *((_key_of(k), _key_of(v)) for k, v in value.items()))
    if isinstance(value, Lambda):
        return ("lambda", id(value.node))
    return (type(value).__name__, value) if isinstance(value, bool) else value


def parts_of(value: Any) -> Iterator[Any]:
    """Yield the values that a value holds, in lists and as values of tables, and itself."""
    left = [value]
    for _ in range(MOST_PARTS):
        if not left:
            return
        part = left.pop()
        yield part
        if isinstance(part, list | tuple):
            left += part
        elif isinstance(part, dict):
            left += part.values()
    raise NotCovered


def is_list(value: Any) -> bool:
    return isinstance(value, list)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def bounded(value: Any) -> Any:
    if abs(value) > MOST_NUMBER:
        raise NotCovered
    return value


def is_known(value: Any) -> bool:
    """Return true for what holds a score or an opinion."""
    return any(isinstance(part, Opinion) or is_number(part) for part in parts_of(value))


def joined(left: list[Any], right: list[Any]) -> list[Any]:
    """Return the entries of both lists; NotCovered where they are too many."""
    if len(left) + len(right) > MOST_PARTS:
        raise NotCovered
    return [*left, *right]


def is_same_judge(left: Any, right: Any) -> bool | None:
    """Return whether two values name one judge; None where one of them is open."""
    if isinstance(left, Open) or isinstance(right, Open):
        return None
    return persona_of(left) == persona_of(right)


def persona_of(value: Any) -> str | None:
    if isinstance(value, Judge):
        return value.persona
    return persona_in(value) if isinstance(value, str) else None


def spelling_in(table: Mapping[Any, Any], key: Any) -> Any:
    """Return the key under which a table has what `key` names; `key` where it has none."""
    persona = persona_of(key)
    own = (name for name in table if name == key or (persona and persona_of(name) == persona))
    return next(own, key)


def in_table(table: Mapping[Any, Any], key: Any) -> list[Any]:
    """Return the value under a key, in a list; [] where there is none."""
    name = spelling_in(table, key)
    return [table[name]] if name in table else []


def by_name(name: str, scores: Scores) -> Any:
    """Return the opinions or scores that a value of this name holds; None for another one."""
    words = set(words_of(name))
    personas = [persona for persona, own in JUDGES.items() if words & own]
    if len(personas) == 1 and not words & OPINIONS:
        persona = personas[0]
        return scores[persona] if "score" in words else Opinion(persona)
    if personas or words - OPINIONS - {"scores", "judge", "criterion", "group"}:
        return None
    if words & OPINIONS:
        return [Opinion(persona) for persona in JUDGES]
    return list(scores.values()) if words == {"scores"} else None


class Left(Exception):
    """End of a block of the code that is run: return, `continue`, `break`, or an error."""

    def __init__(self, kind: str, value: Any = None) -> None:
        super().__init__(kind)
        self.kind, self.value = kind, value
