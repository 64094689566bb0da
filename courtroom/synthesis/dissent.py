"""Dissent as text: both sides with their arguments and evidence; the same record, the same text."""

from __future__ import annotations

from collections.abc import Mapping

from courtroom.models.evidence import Evidence
from courtroom.models.judge_answer import JudicialOpinion
from courtroom.synthesis.opinions import TITLES, Opinions, list_scores, spread_of

QUOTED_CHARACTERS = 300
QUOTED_PIECES = 5
RATIONALE_CHARACTERS = 120


def dissent_text(opinions: Opinions, evidence: Mapping[str, Evidence]) -> str:
    """Return the lowest and the highest opinion with their evidence, after all three scores."""
    scores = {judge: opinion.score for judge, opinion in opinions.items()}
    # Of equal scores the first judge in order is quoted, so the text is stable.
    low = min(opinions.values(), key=lambda opinion: opinion.score)
    high = max(opinions.values(), key=lambda opinion: opinion.score)
    spread = spread_of(scores.values())
    summary = f"The judges differ by {spread} points ({list_scores(scores)})."
    return " ".join([summary, _side(low, evidence), _side(high, evidence)])


def shorten(text: str, limit: int = QUOTED_CHARACTERS) -> str:
    """Return one line with normalised spaces, cut at a word with an ellipsis beyond the limit."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    return (line[: limit + 1].rpartition(" ")[0] or line[:limit]).rstrip(" ,;:") + "…"


def format_location(piece: Evidence) -> str:
    """Return `src/graph.py:12`, `page 3`, `commit 1a2b3c4d`, or "" for the whole submission."""
    location = piece.location
    if location.path:
        line = location.line_start
        return f"{location.path}:{line}" if line else location.path
    if location.page:
        return f"page {location.page}"
    return f"commit {location.commit[:8]}" if location.commit else ""


def _side(opinion: JudicialOpinion, evidence: Mapping[str, Evidence]) -> str:
    claim = f"{TITLES[opinion.judge]} argued for {opinion.score}"
    return f"{claim} on {_quoted(opinion, evidence)}: “{shorten(opinion.argument)}”"


def _quoted(opinion: JudicialOpinion, evidence: Mapping[str, Evidence]) -> str:
    pieces = [evidence[i] for i in opinion.cited_evidence if i in evidence]
    references = [_reference(piece) for piece in pieces[:QUOTED_PIECES]]
    rest = [f"{len(pieces) - QUOTED_PIECES} more"] if len(pieces) > QUOTED_PIECES else []
    return ", ".join(references + rest) or "no evidence"


def _reference(piece: Evidence) -> str:
    location = format_location(piece)
    details = [location, shorten(piece.rationale, RATIONALE_CHARACTERS)]
    return f"{piece.id} ({', '.join(details if location else details[1:])})"
