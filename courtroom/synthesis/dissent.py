"""Dissent as text: who differs, how far, and on what; the same record, the same text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise

from courtroom.models.evidence import Evidence
from courtroom.models.judge_answer import JudicialOpinion
from courtroom.models.statement import SENTENCE_END
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
    ends = [match.end() for match in SENTENCE_END.finditer(line)]
    sentences = [line[i:j].strip() for i, j in pairwise([0, *ends, len(line)])]
    first = line[: max((end for end in ends if end <= QUOTED_CHARACTERS), default=0)]
    contrary = [
        shorten(sentence, QUOTED_CHARACTERS)
        for sentence in sentences
        if CONTRARY.match(sentence) and sentence not in first
    ]
    return " ".join([first or shorten(sentences[0], QUOTED_CHARACTERS), *contrary[:1]])


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
