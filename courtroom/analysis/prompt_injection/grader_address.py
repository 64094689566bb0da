"""Find sentences to whoever grades the work, by the roles that their words play together.

A fixed phrase is reworded in a minute; what it has to say is not. A sentence that asks for a mark,
claims that one is decided or begs for one speaks of graders, results, the best of them, giving,
leniency, decisions, rules, need. `english.py` takes the features of English sentences; for other
languages `lexicon.toml` lists words of each role. `weights.json` is fitted by
`benchmarks/fit_grader_address.py` on phrases written for it and on harmless texts.
"""

from __future__ import annotations

import json
import re
from functools import cache
from math import log2
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from courtroom.analysis.prompt_injection import english, other_languages, sentence_model
from courtroom.analysis.prompt_injection.sentences import Kind, Sentence, sentences_of

WEIGHTS = Path(__file__).parent / "weights.json"
# docs/decisions/0009-words-to-graders-without-a-model.md has the measurements.
THRESHOLD, FOREIGN_THRESHOLD = 2.0, 2.67
# Sources and data of a project about judging are full of its words.
_OTHER_THAN_PROSE = 2.0
# So are reports of audits, and licences grant and forgive: sentences before and after, and in all.
_NEIGHBOURS, _PER_NEIGHBOUR, _PER_JUDGING = 10, 0.8, 0.5
# A sentence whose single words weigh less is not weighed: one phrase of forty, and nearly half of
# the sentences of other texts.
LEAST_OF_WORDS = -3.0
_REMEMBERED = 50_000
# A text of a megabyte can hold so many sentences that weighing them all takes nine seconds.
_MOST_WEIGHED = 20_000
# Texts about judging and about the law are full of certain words; roles have the bits from there on.
JUDGING, LAW, ROLES = 1, 2, 2
# A text about attacks quotes them.
_EXCUSE = re.compile(
    r"\b(?:inject\w*|jailbreak\w*|attack\w*|adversar\w*|malicious|payloads?|saniti[sz]\w*)\b"
)
# A sentence that gives the reader a role is a prompt of the work's own model, unless it favours.
_GIVES_ROLE = re.compile(r"\W{0,8}you are (?:an?|the)\b")
_FAVOURS = re.compile(
    r"\b(?:mark|grade|scor|credit|point|full|top|max|lenien|generous|kind|approv|pass|ignor|skip"
    r"|accept|award|reward|trust|believ)"
)
# A verdict that something is lacking asks for nothing, unless it favours.
_FINDS_LACKING = re.compile(
    r"\b(?:criteri(?:on|a)|requirements?|dimensions?) (?:cannot|can not|could not|(?:is|are|was|were) not)"
    r" (?:be )?(?:satisfied|met|fulfilled)\b"
)
# A rule of the work's own judges gives a mark on a condition; whoever thanks others asks for none.
_ON_CONDITION = re.compile(
    r"\b(?:award|give|grant|assign|score)\b[^.;]{1,60}\bonly (?:if|when|where|after)\b"
)
_THANKS_OTHERS = re.compile(
    r"\b(?:thanks|grateful) to (?!you\b)(?![^.;]{0,200}\b(?:you|mark|grade|scor|point|full|top|max|pass))"
)
# The course's words for its three personas, quoted: a drawing of the judges has them in a row.
_MOTTO = re.compile(
    "[\"'*`“‘(]{1,3}(?:trust no one|reward effort|does it (?:actually )?work)\\W?[\"'*`”’)]{1,3}"  # noqa: RUF001
)
_CYRILLIC_OR_GREEK, _LATIN = re.compile("[\u0370-\u052f]"), re.compile("[a-z]")


class Address(NamedTuple):
    """Sentence that speaks to whoever grades; `why` completes "this passage ..."."""

    sentence: Sentence
    why: str


class Candidate(NamedTuple):
    """Sentence with the points above the threshold of its language, and its place in the text."""

    points: float
    place: int
    address: Address


class Word(NamedTuple):
    """Weight of a word by itself, and its signs as bits: of contexts (JUDGING, LAW) and of roles.

    `meaning` is the weight of its `pieces` in the sentence model, zero without one.
    """

    weight: float
    bits: int
    meaning: float
    pieces: int


class Sums(NamedTuple):
    """The same of all words of a sentence."""

    weight: float
    bits: int
    meaning: float
    pieces: int

    @property
    def may_be_read(self) -> bool:
        return self.pieces > 0 and self.points_of_words > 0

    @property
    def points_of_words(self) -> float:
        return sentence_model.points_of_words(self.meaning, self.pieces)


class Unread(NamedTuple):
    """English sentence with its place in the text, before its meaning or its roles are weighed."""

    sums: Sums
    place: int
    sentence: Sentence
    words: list[str]


@cache
def weights() -> dict[str, dict[str, float]]:
    tables: dict[str, dict[str, float]] = json.loads(WEIGHTS.read_text("utf-8"))
    return tables


class Words(dict[str, Word]):
    """Words that were met so far."""

    def __missing__(self, word: str) -> Word:
        if len(self) > _REMEMBERED:
            self.clear()
        context = english.context_of(word)
        bits = JUDGING * ("judging" in context) | LAW * ("law" in context)
        weight = weights()["english"].get(f"word {word}", 0)
        meaning = sentence_model.weight_of(word) if sentence_model.is_installed() else (0.0, 0)
        entry = self[word] = Word(weight, bits | english.role_bits_of(word) << ROLES, *meaning)
        return entry


words_met = Words()


def reading_view(view: str, foreign_view: str) -> str:
    """Return the lines of `view`, those in Cyrillic or Greek from `foreign_view`."""
    if view.isascii():
        return view
    pairs = zip(view.split("\n"), foreign_view.split("\n"), strict=True)
    return "\n".join(foreign if _is_foreign(foreign) else line for line, foreign in pairs)


def _is_foreign(line: str) -> bool:
    if line.isascii():
        return False
    return len(_CYRILLIC_OR_GREEK.findall(line)) > len(_LATIN.findall(line))


def addresses_in(text: str, kind: Kind) -> list[Address]:
    """Return the sentences of a text in lower case that speak to whoever grades.

    English ones are judged by their meaning where the model is installed, else by their roles.
    """
    by_meaning = sentence_model.is_installed()
    candidates: list[Candidate] = []
    unread: list[Unread] = []
    is_judging: list[bool] = []
    is_law: list[bool] = []
    weighed = 0
    for place, sentence in enumerate(sentences_of(own_words_in(text), kind)):
        words = english.words_of(sentence.text)
        sums = sums_of(words)
        is_judging.append(bool(sums.bits & JUDGING))
        is_law.append(bool(sums.bits & LAW))

        if weighed < _MOST_WEIGHED:
            is_english = sums.may_be_read if by_meaning else sums.weight > LEAST_OF_WORDS
            foreign_bits = other_languages.bits_of(sentence.text)
            is_foreign = bool(other_languages.languages_of(foreign_bits))
            # A file in UTF-16 has them between its letters.
            is_text = "\0" not in sentence.text
            if is_text and (is_foreign or is_english) and not is_excused(sentence.text):
                weighed += 1
                if is_foreign:
                    points, why = _foreign(sentence.text, foreign_bits)
                    candidates.append(Candidate(points, place, Address(sentence, why)))
                if is_english:
                    unread.append(Unread(sums, place, sentence, words))

    bar = penalty_of(kind, sum(is_judging))
    bars = {
        place: bar + penalty_around(place, is_judging) + penalty_around(place, is_law)
        for place in {*(row.place for row in candidates), *(row.place for row in unread)}
    }
    if by_meaning:
        unread = _by_words(unread, bars)
        read = sentence_model.points_of([row.sentence.text for row in unread])
        extra_points = sentence_model.EXTRA_POINTS.get(kind, 0)
        candidates += [
            Candidate(
                points - extra_points, row.place, Address(row.sentence, english.why_of(row.words))
            )
            for points, row in zip(read, unread, strict=False)
        ]
        unread = unread[len(read) :]
    candidates += [_english(row) for row in unread if (row.sums.bits >> ROLES).bit_count() > 1]

    addresses = {
        place: address for points, place, address in candidates if points > max(bars[place], 0)
    }
    return [addresses[place] for place in sorted(addresses)]


def _by_words(unread: list[Unread], bars: dict[int, float]) -> list[Unread]:
    """Return what the model should read, first what its words alone say loudest."""
    share = sentence_model.SHARE_OF_BAR
    rows = [row for row in unread if row.sums.points_of_words > share * bars[row.place]]
    return sorted(rows, key=lambda row: -row.sums.points_of_words)


def own_words_in(text: str) -> str:
    """Return the text without accents and without the course's words."""
    return _MOTTO.sub("", other_languages.folded(text))


def sums_of(words: list[str]) -> Sums:
    """Return the weights of the words in sum, and all their bits."""
    weight, meaning = 0.0, 0.0
    bits, pieces = 0, 0
    for word in words:
        entry = words_met[word]
        weight += entry.weight
        bits |= entry.bits
        meaning += entry.meaning
        pieces += entry.pieces
    return Sums(weight, bits, meaning, pieces)


def is_excused(sentence: str) -> bool:
    is_on_work = _GIVES_ROLE.match(sentence) or _FINDS_LACKING.search(sentence)
    if is_on_work and not _FAVOURS.search(sentence):
        return True
    return any(excuse.search(sentence) for excuse in (_EXCUSE, _ON_CONDITION, _THANKS_OTHERS))


def _english(row: Unread) -> Candidate:
    """Return by how many points a sentence with two roles is above the threshold, and why."""
    table = weights()["english"]
    features = english.features_of(row.sentence.text, row.words)
    points = table["always"] + sum(table.get(name, 0) for name in features) - THRESHOLD
    why = english.why_of(row.words) if points > 0 else ""
    return Candidate(points, row.place, Address(row.sentence, why))


def _foreign(sentence: str, bits: int) -> tuple[float, str]:
    table = weights()["foreign"]
    points, roles = max(
        (
            (sum(table.get(name, 0) for name in reading.features), reading.roles)
            for reading in other_languages.readings_of(sentence, bits)
        ),
        key=itemgetter(0),
    )
    is_on_grading = other_languages.is_on_grading(roles)
    return (points - FOREIGN_THRESHOLD if is_on_grading else -1), other_languages.why_of(roles)


def penalty_of(kind: Kind, judging: int) -> float:
    """Return by how many points any sentence must stand out more in such a text."""
    points = _PER_JUDGING * log2(1 + judging / 4)
    return points + (_OTHER_THAN_PROSE if kind in {"code", "data"} else 0)


def penalty_around(place: int, marks: list[bool]) -> float:
    """Return by how many points more for marked sentences around this place."""
    around = marks[max(0, place - _NEIGHBOURS) : place + _NEIGHBOURS + 1]
    return _PER_NEIGHBOUR * log2(1 + sum(around) - marks[place])
