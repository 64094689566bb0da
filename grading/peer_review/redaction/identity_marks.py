"""What gives people away, and the marks by which a text is searched for it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from grading.peer_review.redaction.common_words import ALSO_WORDS, NEVER_ALONE
from grading.peer_review.redaction.letter_positions import fold

# Anything as long as this is also found inside longer words, as in “byanalovelace”.
LONG = 7
SHORTEST_WORD = 3
SHORTEST_OF_A_HANDLE = 4
# A word of an account's name that so many others have as well tells nothing.
MANY = 3
_DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Person:
    """`names` as people write them; `addresses` e-mail; `handles` logins, numbers, accounts that own repositories;
    `things` names of repositories, files and groups, which only count as somebody's if nobody else has them.
    `band`: people of one band share what they have (a group, or one repository); empty for nobody's."""

    names: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    handles: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    band: str = ""


@dataclass(frozen=True, slots=True)
class Identity:
    """Everybody who is not to be known. All who might be meant, not only the one who is: if one name alone were
    withheld from a list of names, it would be told by that."""

    people: tuple[Person, ...]

    def and_also(self, person: Person) -> Identity:
        return Identity((*self.people, person))


@dataclass(frozen=True, slots=True)
class Mark:
    """`letters` as fold() gives them. How far they may stand apart: a `word` not at all unless it is spelled out,
    a `handle` by signs, a `phrase` by spaces too. `capital`: only where it is written with one."""

    letters: str
    kind: Literal["word", "handle", "phrase"]
    capital: bool = False


@lru_cache(maxsize=8)
def marks_of(identity: Identity) -> tuple[Mark, ...]:
    """Every way in which these people may be written, the longest first."""
    marks: dict[str, Mark] = {}
    for mark in _all_marks(identity):
        known = marks.get(mark.letters)
        if known is None or (known.capital and not mark.capital) or mark.kind == "phrase":
            marks[mark.letters] = mark
    return tuple(sorted(marks.values(), key=lambda mark: (-len(mark.letters), mark.letters)))


def _all_marks(identity: Identity) -> Iterator[Mark]:
    for person in identity.people:
        for name in person.names:
            yield from _marks_of_name(name)
        for address in person.addresses:
            yield from _marks_of_address(address)
    yield from _marks_of_accounts(identity.people)


def _marks_of_name(name: str) -> Iterator[Mark]:
    """The whole, backwards, first with last, initial with last, and each word of it."""
    for spelling in dict.fromkeys((name, name.casefold().translate(_DIGRAPHS))):
        words = [fold(word) for word in re.split(r"[\s,;/]+", spelling) if fold(word)]
        if len(words) > 1:
            first, last = words[0], words[-1]
            orders = (
                "".join(words),
                "".join(reversed(words)),
                last + "".join(words[:-1]),
                first + last,
                last + first,
            )
            yield from (Mark(order, "phrase") for order in dict.fromkeys(orders))
            yield from (
                Mark(short, "handle")
                for short in (first[0] + last, last + first[0])
                if len(short) > 3
            )
        for word in (*words, *map(fold, _WORD.findall(spelling))):
            yield from _word(word)


def _word(word: str) -> Iterator[Mark]:
    if word in NEVER_ALONE or not word.isalpha():
        return
    if not word.isascii():
        yield Mark(word, "word")
    elif len(word) >= SHORTEST_WORD:
        yield Mark(word, "word", capital=word in ALSO_WORDS)
    elif len(word) == SHORTEST_WORD - 1:
        yield Mark(word, "word", capital=True)


def _marks_of_address(address: str) -> Iterator[Mark]:
    """As it is, and with its signs in words: ana (at) example dot org."""
    yield from _handle(address)
    local, _, domain = address.partition("@")
    in_words = domain.replace(".", " dot ")
    for name in (local, local.replace(".", " dot ")):
        yield from _handle(f"{name} at {in_words}", "phrase")


def _marks_of_accounts(people: Iterable[Person]) -> Iterator[Mark]:
    """Handles, local parts of addresses and their longer words, and things: unless several bands have them."""
    whole, parts, things = _Owners(), _Owners(), _Owners()
    for number, person in enumerate(people):
        band = person.band or str(number)
        for handle in (
            *person.handles,
            *(address.partition("@")[0] for address in person.addresses),
        ):
            whole.add(fold(handle), band)
            for word in map(fold, _WORD.findall(handle)):
                parts.add(word, band)
        for thing in person.things:
            things.add(fold(thing), band)
    for handle in whole.of_fewer_than(MANY):
        yield from _handle(handle)
    for word in parts.of_fewer_than(MANY):
        if len(word) >= SHORTEST_OF_A_HANDLE:
            yield from _word(word)
    for thing in things.of_fewer_than(2):
        yield from _handle(thing, "phrase")


class _Owners:
    """Which bands have what."""

    def __init__(self) -> None:
        self._bands: defaultdict[str, set[str]] = defaultdict(set)

    def add(self, what: str, band: str) -> None:
        self._bands[what].add(band)

    def of_fewer_than(self, many: int) -> list[str]:
        return [what for what, bands in self._bands.items() if len(bands) < many]


def _handle(handle: str, kind: Literal["handle", "phrase"] = "handle") -> Iterator[Mark]:
    letters = fold(handle)
    if letters in NEVER_ALONE or len(letters) < SHORTEST_WORD:
        return
    if letters.isalpha() and letters in ALSO_WORDS:
        yield Mark(letters, "word", capital=True)
    elif not letters.isdigit() or len(letters) >= SHORTEST_OF_A_HANDLE:
        yield Mark(letters, kind)
