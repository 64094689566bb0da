"""The dissent: who argued what on which evidence, in the same words for the same record."""

from __future__ import annotations

from collections.abc import Mapping

from courtroom.models.record import Evidence, JudicialOpinion
from courtroom.synthesis.opinions import TITLES, Opinions, listing, spread_of

QUOTED_CHARACTERS = 300
QUOTED_PIECES = 5
RATIONALE_CHARACTERS = 120


def dissent_text(opinions: Opinions, evidence: Mapping[str, Evidence]) -> str:
    """Both ends of the bench, each with its evidence; whoever stood between them is named with the score."""
    scores = {judge: opinion.score for judge, opinion in opinions.items()}
    low = min(opinions.values(), key=lambda opinion: opinion.score)
    high = max(opinions.values(), key=lambda opinion: opinion.score)
    apart = f"The bench is {spread_of(scores.values())} apart ({listing(scores)})."
    return " ".join([apart, _side(low, evidence), _side(high, evidence)])


def shortened(text: str, limit: int = QUOTED_CHARACTERS) -> str:
    """One line, white space normalised, cut at a word with an ellipsis when longer than the limit."""
    line = " ".join(text.split())
    if len(line) <= limit:
        return line
    return (line[: limit + 1].rpartition(" ")[0] or line[:limit]).rstrip(" ,;:") + "…"


def place_of(piece: Evidence) -> str:
    """`src/graph.py:12`, `page 3`, `commit 1a2b3c4d`, or empty for the whole submission."""
    place = piece.location
    if place.path:
        return f"{place.path}:{place.line_start}" if place.line_start else place.path
    if place.page:
        return f"page {place.page}"
    return f"commit {place.commit[:8]}" if place.commit else ""


def _side(opinion: JudicialOpinion, evidence: Mapping[str, Evidence]) -> str:
    argued = f"{TITLES[opinion.judge]} argued for {opinion.score}"
    return f"{argued} on {_quoted(opinion, evidence)}: “{shortened(opinion.argument)}”"


def _quoted(opinion: JudicialOpinion, evidence: Mapping[str, Evidence]) -> str:
    pieces = [evidence[i] for i in opinion.cited_evidence if i in evidence]
    named = [_named(piece) for piece in pieces[:QUOTED_PIECES]]
    more = [f"{len(pieces) - QUOTED_PIECES} more"] if len(pieces) > QUOTED_PIECES else []
    return ", ".join(named + more) or "no evidence"


def _named(piece: Evidence) -> str:
    place = place_of(piece)
    return f"{piece.id} ({f'{place}, ' if place else ''}{shortened(piece.rationale, RATIONALE_CHARACTERS)})"
