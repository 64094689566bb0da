"""Features of an English sentence that say whether it speaks to whoever grades.

`english.toml` lists words of the roles that play together in such sentences: who marks, what is
given, praise, pity, rules, decisions, not looking. A sentence has the roles of its words, pairs of
roles, its length, the share of words that are neither plain nor of a role, and its words.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

_WORD = re.compile(r"[^\W_]+(?:[’'][a-z]+)?")  # noqa: RUF001 -- the apostrophe of word processors
_CODE_SIGN = re.compile(r"[`{}()\[\]=<>\\|│→_/@$]")
_DIGIT, _OTHER_NUMBER = re.compile(r"\d"), re.compile(r"\b(?!5\b)\d")
_LONGEST_STEM, _MOST_WORDS = 14, 60
_NEAR, _NEAR_ROLES = 3, 3
_LENGTHS = (4, 6, 8, 11, 15, 20, 27, 35)
_UNKNOWN_SHARES = (0.05, 0.12, 0.2, 0.3, 0.4, 0.5)
_MOST_UNKNOWN = 6
_REMEMBERED = 50_000
# What a flag says, by the first group of roles of which a sentence has two words.
_WHYS = (
    (frozenset({"hardship", "gift", "threat"}), "begs, promises or threatens for a grade"),
    (frozenset({"over", "law"}), "claims that the grade is already decided"),
    (frozenset({"machine", "play"}), "addresses the grading model"),
)
_ASKS = "asks for a score"


class Table(NamedTuple):
    """Values by word and by stem."""

    words: dict[str, frozenset[str]]
    stems: dict[str, frozenset[str]]

    def values_of(self, word: str) -> frozenset[str]:
        stems = (word[:length] for length in range(2, min(len(word), _LONGEST_STEM) + 1))
        lists = (self.stems[stem] for stem in stems if stem in self.stems)
        return self.words.get(word, frozenset()).union(*lists)


def _table(lists: dict[str, str]) -> Table:
    words: dict[str, frozenset[str]] = {}
    stems: dict[str, frozenset[str]] = {}
    for name, listed in lists.items():
        for word in listed.split():
            table, key = (stems if word.endswith("*") else words), word.rstrip("*")
            table[key] = table.get(key, frozenset()) | {name}
    return Table(words, stems)


@cache
def _lists() -> dict[str, dict[str, str]]:
    return tomllib.loads((Path(__file__).parent / "english.toml").read_text("utf-8"))


@cache
def _role_table() -> Table:
    return _table(_lists()["roles"])


@cache
def _context_table() -> Table:
    return _table(_lists()["context"])


@cache
def _plain_words() -> frozenset[str]:
    return frozenset(_lists()["plain"]["words"].split())


class _Roles(dict[str, tuple[str, ...]]):
    """Roles of the words that were met so far."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) > _REMEMBERED:
            self.clear()
        roles = self[word] = tuple(sorted(_role_table().values_of(word)))
        return roles


_roles = _Roles()


def role_bits_of(word: str) -> int:
    """Return the roles of a word as a bit set."""
    return sum(1 << _role_numbers()[role] for role in _roles[word])


@cache
def _role_numbers() -> dict[str, int]:
    return {role: number for number, role in enumerate(_lists()["roles"])}


def words_of(sentence: str) -> list[str]:
    """Return the first words of a sentence in lower case."""
    return _WORD.findall(sentence)[:_MOST_WORDS]


def context_of(word: str) -> frozenset[str]:
    """Return "judging" or "law" for a word that such texts are full of."""
    return _context_table().values_of(word)


def features_of(sentence: str, words: list[str]) -> set[str]:
    """Return the features of a sentence with two roles at least, else none."""
    placed = [(place, _roles[word]) for place, word in enumerate(words)]
    roles = sorted({role for _, some in placed for role in some})
    if len(roles) < 2:
        return set()

    unknown = sum(
        not some and word not in _plain_words()
        for word, (_, some) in zip(words, placed, strict=True)
    )
    return {
        *roles,
        *(f"{a}&{b}" for a, b in combinations(roles, 2)),
        *_near([(place, some) for place, some in placed if some]),
        *(f"begins {role}" for role in placed[0][1]),
        *_shape(sentence, len(words), unknown),
        *(f"word {word}" for word in words),
        f"first {words[0]}",
    }


def _near(marks: list[tuple[int, tuple[str, ...]]]) -> Iterator[str]:
    for number, (place, roles) in enumerate(marks):
        for other, other_roles in marks[number + 1 : number + 1 + _NEAR_ROLES]:
            if other - place <= _NEAR:
                yield from (f"{a}~{b}" for a in roles for b in other_roles)


def _shape(sentence: str, length: int, unknown: int) -> Iterator[str]:
    yield from (f"{count} words" for count in _LENGTHS if length >= count)
    yield from (f"{share} unknown" for share in _UNKNOWN_SHARES if unknown > share * length)
    yield f"{min(unknown, _MOST_UNKNOWN)} unknown words"
    signs = len(_CODE_SIGN.findall(sentence))
    if signs:
        yield "code sign"
    if signs > 2:
        yield "code signs"
    if _DIGIT.search(sentence):
        yield "digit"
    if _OTHER_NUMBER.search(sentence):
        yield "number"
    if sentence.endswith("?"):
        yield "question"


def why_of(words: list[str]) -> str:
    """Return the end of "this passage ..." for a sentence to whoever grades."""
    roles = [role for word in words for role in _roles[word]]
    return next((why for group, why in _WHYS if sum(map(group.__contains__, roles)) > 1), _ASKS)
