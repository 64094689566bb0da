"""Identities of people, and the marks by which they are found in a text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from grading.peer_review.redaction.common_words import COMMON_WORDS, NEVER_A_NAME
from grading.peer_review.redaction.letter_positions import fold

# Marks of this length are also found inside longer words, as in “byanalovelace”.
MIN_INSIDE_WORD = 7
# A name's word of two letters (Li, Bo) counts only with a capital.
MIN_WORD = 3
# Shorter words inside a handle occur by chance in ordinary text.
MIN_HANDLE_WORD = 4
# A word in the account names of so many people identifies nobody.
COMMON_FROM = 3
COMMON_THING_FROM = 2
# Names are searched in both ASCII spellings: Jörg as “jorg”, by fold(), and as “joerg”.
_DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Person:
    """Names, email addresses and accounts of one person.

    `handles` are logins, numbers and accounts that own repositories. `things` are names of
    repositories, files and groups: they identify a person only if nobody else has them. People of
    one `owner_group` (a group, or one repository) share theirs; it is empty for nobody's things.
    """

    names: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()
    handles: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    owner_group: str = ""


@dataclass(frozen=True, slots=True)
class Identity:
    """People to withhold: all who might be meant, not only the one who is.

    If one name alone were withheld from a list of names, the gap would reveal it. What several of
    `counted` have identifies nobody; None counts all `people`. A reader who could add to them
    would make another's name readable by taking it too.
    """

    people: tuple[Person, ...]
    counted: tuple[Person, ...] | None = None

    def with_person(self, person: Person) -> Identity:
        return Identity((*self.people, person), self.counted)


@dataclass(frozen=True, slots=True)
class Mark:
    """Letters to search for, as fold() returns them.

    `kind` says how far they may be apart: a `word` not at all unless it is spelled out, a `handle`
    by signs, a `phrase` by spaces too. `capital`: found only where written with a capital.
    """

    letters: str
    kind: Literal["word", "handle", "phrase"]
    capital: bool = False


# An identity is a whole cohort, and all texts of a page share it.
@lru_cache(maxsize=8)
def marks_of(identity: Identity) -> tuple[Mark, ...]:
    """Return all marks of these people, the longest first."""
    marks: dict[str, Mark] = {}
    for mark in _all_marks(identity):
        present = marks.get(mark.letters)
        # The wider mark wins: without a capital before with one, a phrase before the rest.
        if present is None or (present.capital and not mark.capital) or mark.kind == "phrase":
            marks[mark.letters] = mark
    # The search takes the first mark that matches at a place, so the longest must come first.
    return tuple(sorted(marks.values(), key=lambda mark: (-len(mark.letters), mark.letters)))


def _all_marks(identity: Identity) -> Iterator[Mark]:
    for person in identity.people:
        for name in person.names:
            yield from _marks_of_name(name)
        for address in person.addresses:
            yield from _marks_of_address(address)
    yield from _marks_of_accounts(identity)


def _marks_of_name(name: str) -> Iterator[Mark]:
    """Yield the full name, its reversals, first with last, initial with last, and each word."""
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
    if word in NEVER_A_NAME or not word.isalpha():
        return
    if not word.isascii():
        yield Mark(word, "word")
    elif len(word) >= MIN_WORD:
        yield Mark(word, "word", capital=word in COMMON_WORDS)
    elif len(word) == MIN_WORD - 1:
        yield Mark(word, "word", capital=True)


def _marks_of_address(address: str) -> Iterator[Mark]:
    """Yield the address as it is and with its signs in words: ana (at) example dot org."""
    yield from _handle(address)
    local, _, domain = address.partition("@")
    in_words = domain.replace(".", " dot ")
    for name in (local, local.replace(".", " dot ")):
        yield from _handle(f"{name} at {in_words}", "phrase")


def _marks_of_accounts(identity: Identity) -> Iterator[Mark]:
    """Yield handles, local parts of addresses, their longer words, and things.

    Skipped is what several owner groups have.
    """
    theirs = _Accounts(identity.people)
    counted = theirs if identity.counted is None else _Accounts(identity.counted)
    for handle in theirs.handles:
        if counted.handles.owners(handle) < COMMON_FROM:
            yield from _handle(handle)
    for word in theirs.handle_words:
        if len(word) >= MIN_HANDLE_WORD and counted.handle_words.owners(word) < COMMON_FROM:
            yield from _word(word)
    for thing in theirs.things:
        # A repository's name that two groups share identifies neither of them.
        if counted.things.owners(thing) < COMMON_THING_FROM:
            yield from _handle(thing, "phrase")


class _Accounts:
    """Handles, the words in them, and things of some people, each with its owner groups."""

    def __init__(self, people: Iterable[Person]) -> None:
        self.handles, self.handle_words, self.things = _OwnerIndex(), _OwnerIndex(), _OwnerIndex()
        for number, person in enumerate(people):
            owner_group = person.owner_group or str(number)
            local_parts = (address.partition("@")[0] for address in person.addresses)
            for handle in (*person.handles, *local_parts):
                self.handles.add(fold(handle), owner_group)
                for word in map(fold, _WORD.findall(handle)):
                    self.handle_words.add(word, owner_group)
            for thing in person.things:
                self.things.add(fold(thing), owner_group)


class _OwnerIndex:
    """Owner groups by word."""

    def __init__(self) -> None:
        self._groups_by_word: defaultdict[str, set[str]] = defaultdict(set)

    def add(self, word: str, owner_group: str) -> None:
        self._groups_by_word[word].add(owner_group)

    def owners(self, word: str) -> int:
        return len(self._groups_by_word.get(word, ()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._groups_by_word)


def _handle(handle: str, kind: Literal["handle", "phrase"] = "handle") -> Iterator[Mark]:
    letters = fold(handle)
    if letters in NEVER_A_NAME or len(letters) < MIN_WORD:
        return
    # An account named “river” must not hide every river.
    if letters.isalpha() and letters in COMMON_WORDS:
        yield Mark(letters, "word", capital=True)
    elif not letters.isdigit() or len(letters) >= MIN_HANDLE_WORD:
        yield Mark(letters, kind)
