"""Dissent as text: every judge's argument and evidence; the same record, the same text."""

from __future__ import annotations

from collections.abc import Mapping

from courtroom.models.evidence import Evidence
from courtroom.models.judge_answer import JudicialOpinion
from courtroom.synthesis.opinions import TITLES, Opinions, list_scores, spread_of

QUOTED_CHARACTERS = 300
QUOTED_PIECES = 5
RATIONALE_CHARACTERS = 120


def dissent_text(opinions: Opinions, evidence: Mapping[str, Evidence]) -> str:
    """Return what each judge argued on which evidence, after their scores."""
    scores = {judge: opinion.score for judge, opinion in opinions.items()}
    summary = f"The judges differ by {spread_of(scores.values())} points ({list_scores(scores)})."
    return " ".join([summary, *(_side(opinion, evidence) for opinion in opinions.values())])


def shorten(text: str, limit: int = QUOTED_CHARACTERS) -> str:
    """Return one line with normalised spaces, cut at a word with an ellipsis beyond the limit."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    return (line[: limit + 1].rpartition(" ")[0] or line[:limit]).rstrip(" ,;:") + "…"


def _side(opinion: JudicialOpinion, evidence: Mapping[str, Evidence]) -> str:
    claim = f"{TITLES[opinion.judge]} argued for {opinion.score}"
    return f"{claim} on {_quoted(opinion, evidence)}: “{shorten(opinion.argument)}”"


def _quoted(opinion: JudicialOpinion, evidence: Mapping[str, Evidence]) -> str:
    pieces = [evidence[i] for i in opinion.cited_evidence if i in evidence]
    references = [_reference(piece) for piece in pieces[:QUOTED_PIECES]]
    rest = [f"{len(pieces) - QUOTED_PIECES} more"] if len(pieces) > QUOTED_PIECES else []
    return ", ".join(references + rest) or "no evidence"


def _reference(piece: Evidence) -> str:
    location = piece.location.words
    details = [location, shorten(piece.rationale, RATIONALE_CHARACTERS)]
    return f"{piece.id} ({', '.join(details if location else details[1:])})"
