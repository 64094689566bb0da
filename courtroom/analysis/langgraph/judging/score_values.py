"""Values in runs of the Chief Justice's code: scores, opinions, judges, and what is open."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from courtroom.analysis.langgraph.judging.persona_names import PERSONAS, persona_in
from courtroom.analysis.python.symbolic_execution.values import (
    DictValue,
    Function,
    ListValue,
    Symbol,
    Unknown,
    Value,
)
from courtroom.analysis.python.tree_walk import words_of

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

# Types of values that hold no others.
ATOMS = (str, int, float, type(None), Symbol, Function)

Scores = Mapping[str, int]


class NotCovered(Exception):
    """Code, or a number of runs, that the search does not cover."""


class Unfollowed(NotCovered):
    """Value that a run cannot be followed with; the expression around it may be open."""


@dataclass(frozen=True, slots=True)
class Open(Unknown, Symbol):
    """Value that is not known; two of the same number are the same."""

    number: int


@dataclass(frozen=True, slots=True)
class Judge(Symbol):
    """Name of a judge, however the code spells it."""

    persona: str


@dataclass(frozen=True, slots=True)
class Opinion(Symbol):
    persona: str


def is_settled(value: Value) -> bool:
    """Return true for a single value of the run, also where it is not known."""
    if isinstance(value, ListValue | DictValue):
        return value.is_closed
    return isinstance(value, ATOMS)


def key_of(value: Value) -> Hashable:
    """Return what equal values have in common; NotCovered where it holds too many others."""
    for _ in parts_of(value):
        pass
    return _key_of(value)


def _key_of(value: Value) -> Hashable:
    if not is_settled(value):
        raise NotCovered
    if isinstance(value, ListValue):
        return ("list", value.is_ordered, *map(_key_of, value.members))
    if isinstance(value, DictValue):
        return ("dict", *((_key_of(k), _key_of(v)) for k, v in value.entries.items()))
    return ("function", id(value.node)) if isinstance(value, Function) else (type(value), value)


def parts_of(value: Value) -> Iterator[Value]:
    """Yield the values that a value holds, in lists and as values of tables, and itself."""
    left = [value]
    for _ in range(MOST_PARTS):
        if not left:
            return
        part = left.pop()
        yield part
        if isinstance(part, ListValue):
            left += part.members
        elif isinstance(part, DictValue):
            left += part.entries.values()
    raise NotCovered


def holds_score(value: Value) -> bool:
    """Return true for what holds a score or an opinion."""
    return any(isinstance(p, Opinion) or type(p) in {int, float} for p in parts_of(value))


def is_same(left: Value, right: Value) -> bool | None:
    """Return whether two values are one opinion or name one judge; None where others decide."""
    if isinstance(left, Open) or isinstance(right, Open):
        return None
    if isinstance(left, Judge) or isinstance(right, Judge):
        return _persona_of(left) == _persona_of(right)
    return left == right if isinstance(left, Opinion) or isinstance(right, Opinion) else None


def is_in(member: Value, owner: Value) -> bool | None:
    """Return whether a judge is in a list, a table or a text; None where others decide."""
    if isinstance(owner, Judge) and isinstance(member, str):
        return member.lower() in SPELLINGS[owner.persona]
    if isinstance(owner, DictValue):
        return spelling_in(owner, member) in owner.entries if is_settled(member) else None
    if not isinstance(owner, ListValue) or not isinstance(member, Judge | Opinion):
        return None
    results = [is_same(member, other) for other in owner.members]
    return None if None in results else True in results


def _persona_of(value: Value) -> str | None:
    if isinstance(value, Judge):
        return value.persona
    return persona_in(value) if isinstance(value, str) else None


def spelling_in(table: DictValue, key: Value) -> Value:
    """Return the key under which a table has what `key` names; `key` where it has none."""
    persona = _persona_of(key)
    if persona is None or key in table.entries:
        return key
    return next((name for name in table.entries if _persona_of(name) == persona), key)


@lru_cache(maxsize=1000)
def _words_of(name: str) -> frozenset[str]:
    return frozenset(words_of(name))


def by_name(name: str, scores: Scores) -> Value:
    """Return the opinions or scores that a value of this name holds; None for another one."""
    words = _words_of(name)
    personas = [persona for persona, own in JUDGES.items() if words & own]
    if len(personas) == 1 and not words & OPINIONS:
        persona = personas[0]
        return scores[persona] if "score" in words else Opinion(persona)
    if personas or words - OPINIONS - {"scores", "judge", "criterion", "group"}:
        return None
    if words & OPINIONS:
        return ListValue([Opinion(persona) for persona in JUDGES])
    return ListValue([*scores.values()]) if words == {"scores"} else None
