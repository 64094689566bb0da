"""Find sentences to whoever grades the work, by the roles that their words play together.

A fixed phrase is reworded in a minute; what it has to say is not. A sentence that asks for a mark,
claims that one is decided or begs for one speaks of graders, marks, the best of them, giving,
leniency, decisions, rules, need. `lexicon.toml` lists words of each role, `weights.json` what a role
and two roles in one sentence count; words of ordinary projects only count against. The weights are
fitted by `benchmarks/fit_grader_address.py` on phrases written for it and on harmless projects.
"""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import combinations
from math import log2
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from courtroom.analysis.prompt_injection.sentences import Kind, Sentence, sentences_of

# At it one of thirty projects that a fit left out is flagged, and seven of 1,064 documents of
# packages; at 2.0 four of thirty.
THRESHOLD = 3.0
# Sources and data of a project about judging are full of its words.
_OTHER_THAN_PROSE = 0.5
# The same holds for records of judging: so many lines, and as large a share of the text.
_COURT_LINES, _COURT_SHARE, _RECORD_OF_JUDGING = 20, 0.3, 2.0
_NEAR = 4  # words, or groups of three letters in scripts that join words
_LONGEST_STEM = 14
_MOST_WORDS = 50_000
# A text of a megabyte can hold so many sentences that weighing them all takes nine seconds.
_MOST_WEIGHED = 20_000
_WORD = re.compile(r"\w+")
_CODE_SIGNS = re.compile(r"[`{}()\[\]=<>\\|│→]")
_OTHER_NUMBER = re.compile(r"\b(?!5\b)\d")
_LATIN_OR_CYRILLIC = re.compile("[\u0000-\u052f\u2000-\u206f]*")
# "Award 5 only if every claim is proven" is a rule, and a text about attacks quotes them.
_EXCUSE = re.compile(
    r"\b(?:only (?:if|when|where)|if (?:all|and|each|every|any|a|the)|unless|provided that|when (?:a|all|the)"
    r"|inject\w*|jailbreak\w*|attack\w*|adversar\w*|malicious|payloads?|saniti[sz]\w*)\b"
)
_CYRILLIC_OR_GREEK, _LATIN = re.compile("[\u0370-\u052f]"), re.compile("[a-z]")
_ACCENTS = re.compile("[\u0300-\u036f]")
_DATA = Path(__file__).parent
_INSIDE = "inside"
# What somebody says who wants something; the other roles also describe a project.
_WANTS = ("grader", "ask", "lenient", "appeal", "decided", "you", "award", "reset", "office")
_GRADES = ("grader", "bench", "mark", "measure")
_WHYS = (
    (("appeal",), "begs, promises or threatens for a grade"),
    (("decided", "office"), "claims that the grade is already decided"),
    (("reset", "you", "bench"), "addresses the grading model"),
)
_ASKS = "asks for a score"


class Address(NamedTuple):
    """Sentence that speaks to whoever grades; `why` completes "this passage ..."."""

    sentence: Sentence
    why: str


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
    court: int


@cache
def lexicon() -> Lexicon:
    """Return the words of lexicon.toml as bits."""
    tables = tomllib.loads((_DATA / "lexicon.toml").read_text("utf-8"))
    inside_table = tables.pop(_INSIDE)
    roles = (*(role for role in tables if role != "court"), "court")
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
    return Lexicon(roles, languages, words, stems, inside, re.compile(pattern), bit("court", "en"))


@cache
def _weights() -> dict[str, float]:
    weights: dict[str, float] = json.loads((_DATA / "weights.json").read_text("utf-8"))
    return weights


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


def reading_view(view: str, foreign_view: str) -> str:
    """Return the lines of `view`, those in Cyrillic or Greek from `foreign_view`."""
    if view.isascii():
        return view
    pairs = zip(view.split("\n"), foreign_view.split("\n"), strict=True)
    return "\n".join(
        foreign if len(_CYRILLIC_OR_GREEK.findall(foreign)) > len(_LATIN.findall(foreign)) else line
        for line, foreign in pairs
    )


def addresses_in(text: str, kind: Kind) -> list[Address]:
    """Return the sentences of a text in lower case that speak to whoever grades."""
    candidates, court_lines, weighed = [], set(), 0
    for sentence in sentences_of(folded(text), kind):
        bits = bits_of(sentence.text)
        if bits & lexicon().court:
            court_lines.add(sentence.line_start)
        if languages_of(bits):
            weighed += 1
            points, roles = max(map(_points, readings_of(sentence.text, bits)), key=itemgetter(0))
            # A licence grants and asks too, but speaks of no mark and nobody who marks.
            is_on_grading = not roles.isdisjoint(_GRADES) or roles >= {"award", "five"}
            if points > THRESHOLD and is_on_grading and not _EXCUSE.search(sentence.text):
                candidates.append((points, roles, sentence))
        if weighed >= _MOST_WEIGHED:
            break

    if not candidates:
        return []
    bar = THRESHOLD + penalty(kind, len(court_lines), text.count("\n") + 1)
    return [
        Address(sentence, _why(roles)) for points, roles, sentence in candidates if points > bar
    ]


def _points(reading: Reading) -> tuple[float, frozenset[str]]:
    return sum(_weights().get(name, 0) for name in reading.features), reading.roles


def penalty(kind: Kind, court_lines: int, lines: int) -> float:
    """Return by how many points a sentence must stand out more in such a text."""
    points = 0.8 * log2(1 + court_lines / 4)
    if court_lines >= _COURT_LINES and court_lines > _COURT_SHARE * lines:
        points += _RECORD_OF_JUDGING
    return points + (_OTHER_THAN_PROSE if kind != "prose" else 0)


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
    mask = (1 << width - 1) - 1
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
        if language == "en":
            features += [f"word {word}" for word in set(words)]
        else:
            features += ["foreign", language] if language == _INSIDE else ["foreign"]
        yield Reading(features, roles)


def _marks(words: str | list[str], number: int) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield place and roles of the words that have one in this language."""
    table = lexicon()
    shift, mask = len(table.roles) * number, (1 << len(table.roles) - 1) - 1
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


def _why(roles: frozenset[str]) -> str:
    return next((why for some, why in _WHYS if roles.intersection(some)), _ASKS)
