"""Features of a sentence in other languages than English that may speak to whoever grades.

`lexicon.toml` lists words of each role by language; a sentence is read in every language of which
two of its words play a role.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

_NEAR = 4  # words, or groups of three letters in scripts that join words
_LONGEST_STEM = 14
_MOST_WORDS = 50_000
_WORD = re.compile(r"\w+")
_CODE_SIGNS = re.compile(r"[`{}()\[\]=<>\\|│→]")
_OTHER_NUMBER = re.compile(r"\b(?!5\b)\d")
_LATIN_OR_CYRILLIC = re.compile("[\u0000-\u052f\u2000-\u206f]*")
_ACCENTS = re.compile("[\u0300-\u036f]")
_INSIDE = "inside"
# What somebody says who wants something; the other roles also describe a project.
_WANTS = ("grader", "ask", "lenient", "appeal", "decided", "you", "award", "reset", "office")
_GRADES = ("grader", "bench", "mark")
_WHYS = (
    (("appeal",), "begs, promises or threatens for a grade"),
    (("decided", "office"), "claims that the grade is already decided"),
    (("reset", "you", "bench"), "addresses the grading model"),
)
_ASKS = "asks for a score"


class Reading(NamedTuple):
    """Names of a sentence's features in one language, and the roles of its words."""

    features: list[str]
    roles: frozenset[str]


class Lexicon(NamedTuple):
    """Bits of roles by word and by stem, one group of bits for each language."""

    roles: tuple[str, ...]
    languages: tuple[str, ...]
    words: dict[str, int]
    stems: dict[str, int]
    inside: dict[str, int]
    inside_pattern: re.Pattern[str]


@cache
def lexicon() -> Lexicon:
    """Return the words of lexicon.toml as bits."""
    tables = tomllib.loads((Path(__file__).parent / "lexicon.toml").read_text("utf-8"))
    inside_table = tables.pop(_INSIDE)
    roles = tuple(tables)
    languages = (*dict.fromkeys(key for role in roles for key in tables[role]), _INSIDE)
    words: dict[str, int] = {}
    stems: dict[str, int] = {}
    inside: dict[str, int] = {}

    def bit(role: str, language: str) -> int:
        return 1 << (roles.index(role) + len(roles) * languages.index(language))

    for role in roles:
        for language, listed in tables[role].items():
            for word in folded(listed).split():
                table = stems if word.endswith("*") else words
                key = word.rstrip("*")
                table[key] = table.get(key, 0) | bit(role, language)

    for role, listed in inside_table.items():
        for word in folded(listed).split():
            inside[word] = inside.get(word, 0) | bit(role, _INSIDE)

    words["5"] = sum(bit("five", language) for language in languages)
    inside["5"] = bit("five", _INSIDE)
    pattern = "|".join(sorted(map(re.escape, inside), key=len, reverse=True))
    return Lexicon(roles, languages, words, stems, inside, re.compile(pattern))


class _Bits(dict[str, int]):
    """Bits of the words that were met so far."""

    def __missing__(self, word: str) -> int:
        if len(self) > _MOST_WORDS:
            self.clear()
        table = lexicon()
        bits = table.words.get(word, 0)
        for length in range(2, min(len(word), _LONGEST_STEM) + 1):
            bits |= table.stems.get(word[:length], 0)
        self[word] = bits
        return bits


_bits = _Bits()


def folded(text: str) -> str:
    """Return the text in lower case without accents."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFD", text.lower().replace("ß", "ss"))
    return unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))


def bits_of(sentence: str) -> int:
    """Return the roles of its words, one group of bits for each language."""
    bits = 0
    for word in _WORD.findall(sentence):
        bits |= _bits[word]
    if not sentence.isascii() and not _LATIN_OR_CYRILLIC.fullmatch(sentence):
        for word in lexicon().inside_pattern.findall(sentence):
            bits |= lexicon().inside[word]
    return bits


@lru_cache(_MOST_WORDS)
def languages_of(bits: int) -> tuple[int, ...]:
    """Return the numbers of the languages in which these words play two roles."""
    width = len(lexicon().roles)
    mask = (1 << width) - 1
    return tuple(
        number
        for number in range(len(lexicon().languages))
        if (bits >> width * number & mask).bit_count() > 1
    )


def readings_of(sentence: str, bits: int) -> Iterator[Reading]:
    """Yield its features in each language in which its words play two roles."""
    table = lexicon()
    words = _WORD.findall(sentence)
    shape = _shape_of(sentence)

    for number in languages_of(bits):
        language = table.languages[number]
        marks = list(_marks(sentence if language == _INSIDE else words, number))
        roles = frozenset(role for _, names in marks for role in names)
        length = len(sentence) // 3 if language == _INSIDE else len(words)
        features = [*shape, *_role_features(marks, roles), *_length_features(length, len(marks))]
        if language == _INSIDE:
            features.append(language)
        yield Reading(features, roles)


def _marks(words: str | list[str], number: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield place and roles of the words that have one in this language."""
    table = lexicon()
    shift, mask = len(table.roles) * number, (1 << len(table.roles)) - 1
    placed = (
        [
            (match.start() // 3, table.inside[match[0]])
            for match in table.inside_pattern.finditer(words)
        ]
        if isinstance(words, str)
        else [(place, _bits[word]) for place, word in enumerate(words)]
    )
    for place, bits in placed:
        if bits >> shift & mask:
            yield place, _names(bits >> shift & mask)


@cache
def _names(bits: int) -> tuple[str, ...]:
    return tuple(role for number, role in enumerate(lexicon().roles) if bits >> number & 1)


def _role_features(
    marks: list[tuple[int, tuple[str, ...]]], roles: frozenset[str]
) -> Iterator[str]:
    yield from roles
    yield from (f"{a} & {b}" for a, b in combinations(sorted(roles), 2))
    near = {
        f"{min(a, b)} ~ {max(a, b)}"
        for number, (place, names) in enumerate(marks)
        for other, other_names in marks[number + 1 : number + 3]
        if other - place <= _NEAR
        for a in names
        for b in other_names
    }
    yield from near
    yield from (f"{count} roles" for count in range(3, min(len(roles), 7) + 1))
    yield from (f"begins with {role}" for place, names in marks[:1] if place == 0 for role in names)
    wants = len(roles.intersection(_WANTS))
    yield from (f"wants {count}" for count in range(1, min(wants, 3) + 1))
    if roles.intersection(_GRADES):
        yield "grades"


def _length_features(length: int, marked: int) -> Iterator[str]:
    yield from (f"{count} words" for count in (4, 5, 7, 9, 13, 18, 25, 35) if length >= count)
    yield from (
        f"{share} of words" for share in (0.25, 0.35, 0.5, 0.65) if marked >= share * length
    )


def _shape_of(sentence: str) -> list[str]:
    signs = len(_CODE_SIGNS.findall(sentence))
    shape = ["always"]
    if signs:
        shape.append("code sign")
    if signs > 2:
        shape.append("code signs")
    if _OTHER_NUMBER.search(sentence):
        shape.append("number")
    return shape


def is_on_grading(roles: frozenset[str]) -> bool:
    """Return whether these roles speak of a mark, or of somebody who marks."""
    return not roles.isdisjoint(_GRADES) or roles >= {"award", "five"}


def why_of(roles: frozenset[str]) -> str:
    """Return the end of "this passage ..." for a sentence to whoever grades."""
    return next((why for some, why in _WHYS if roles.intersection(some)), _ASKS)
