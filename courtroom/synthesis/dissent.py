"""Dissent as text: who differs, how far, and on what; the same record, the same text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import accumulate, islice

from courtroom.models.evidence import Evidence
from courtroom.models.judge_answer import JudicialOpinion
from courtroom.models.statement import sentences_of
from courtroom.synthesis.opinions import TITLES, Opinions, spread_of

# The opinions themselves stand in the report in full.
QUOTED_CHARACTERS = 160
QUOTED_PIECES = 2
# Sentences with which a judge says what its score is in spite of.
CONTRARY = re.compile(r"(?:Not \d|Against (?:it|this)|In its favour|But|However|Yet)\b")


def dissent_text(opinions: Opinions, evidence: Mapping[str, Evidence]) -> str:
    """Return how far the judges differ, and what each score turns on with its evidence."""
    spread = spread_of(opinion.score for opinion in opinions.values())
    points = "1 point" if spread == 1 else f"{spread} points"
    sides = (_side(opinion, evidence) for opinion in opinions.values())
    return " ".join([f"The judges differ by {points}.", *sides])


def shorten(text: str, limit: int) -> str:
    """Return one line with normalised spaces, cut at a word with an ellipsis beyond the limit."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    return (line[: limit + 1].rpartition(" ")[0] or line[:limit]).rstrip(" ,;:") + "…"


def _gist(argument: str) -> str:
    """Return the first sentences of an argument, as many as are short enough, and its other side."""
    line = " ".join(argument.split())
    if len(line) <= QUOTED_CHARACTERS:
        return line
    sentences = sentences_of(line)
    lengths = accumulate(len(sentence) + 1 for sentence in sentences)
    whole = sum(length <= QUOTED_CHARACTERS + 1 for length in lengths) or 1
    contrary = filter(CONTRARY.match, sentences[whole:])
    quoted = (*sentences[:whole], *islice(contrary, 1))
    return " ".join(shorten(sentence, QUOTED_CHARACTERS) for sentence in quoted)


def _side(opinion: JudicialOpinion, evidence: Mapping[str, Evidence]) -> str:
    claim = f"{TITLES[opinion.judge]} gave {opinion.score}"
    return f"{claim}: “{_gist(opinion.argument)}” ({_quoted(opinion, evidence)})."


def _quoted(opinion: JudicialOpinion, evidence: Mapping[str, Evidence]) -> str:
    pieces = [evidence[i] for i in opinion.cited_evidence if i in evidence]
    references = [_reference(piece) for piece in pieces[:QUOTED_PIECES]]
    rest = [f"{len(pieces) - QUOTED_PIECES} more"] if len(pieces) > QUOTED_PIECES else []
    return ", ".join(references + rest) or "no evidence"


def _reference(piece: Evidence) -> str:
    place = piece.location.words
    return f"{piece.id} at {place}" if place else piece.id
