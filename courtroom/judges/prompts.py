"""What a model is shown. Order: fixed rules, rubric, evidence, then persona and criterion last, so that all
calls of one audit share one prefix that a provider can cache (DESIGN 8).

What students wrote reaches a prompt only as short, normalised quotations inside a fence whose mark cannot be
guessed but is the same from run to run.
"""

from __future__ import annotations

import hmac
import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from courtroom.judges.opinion import Brief
from courtroom.record import Evidence, Persona, canonical_json, digest_of
from courtroom.rubric import Criterion, Rubric

QUOTE_CHARACTERS = 200
FILES: dict[Persona, str] = {"Prosecutor": "prosecutor", "Defense": "defense", "TechLead": "tech_lead"}
# Format, surrogate, private-use and unassigned characters can hide text from a person (DESIGN 8).
INVISIBLE = {"Cf", "Cs", "Co", "Cn"}


@cache
def persona_text(name: str) -> str:
    return (Path(__file__).parent / "personas" / f"{name}.md").read_text("utf-8").strip()


def prompt_digest(persona: Persona) -> str:
    return digest_of([persona_text("rules"), persona_text(FILES[persona])])


def quotation(text: str) -> str:
    """Text of a submission as a judge may see it: normalised, without invisible characters, short."""
    visible = "".join(
        c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) not in INVISIBLE
    )
    flat = " ".join(visible.split())
    return flat if len(flat) <= QUOTE_CHARACTERS else flat[: QUOTE_CHARACTERS - 1] + "…"


def docket(rubric: Rubric, evidence: Sequence[Evidence], secret: str) -> str:
    """The rubric and all evidence of an audit as one text: the prefix that every call shares."""
    rows = "\n".join(canonical_json(_row(item)) for item in evidence)
    mark = hmac.new(secret.encode(), rows.encode("utf-8", "replace"), "sha256").hexdigest()[:20]
    criteria = "\n\n".join(_criterion_text(criterion) for criterion in rubric.criteria)
    return f"# Rubric\n\n{criteria}\n\n# Docket\n\n<<<{mark}\n{rows}\n{mark}>>>"


def _criterion_text(criterion: Criterion) -> str:
    parts = [
        f"## {criterion.id}: {criterion.name}",
        criterion.instruction,
        f"Success: {criterion.success_pattern}" if criterion.success_pattern else "",
        f"Failure: {criterion.failure_pattern}" if criterion.failure_pattern else "",
    ]
    return "\n".join(part for part in parts if part)


def _row(item: Evidence) -> dict[str, object]:
    """One item; text that addresses the graders is cut, its place is kept."""
    place = item.location
    quote = "[cut]" if "integrity" in item.tags else quotation(item.content or "")
    row: dict[str, object] = {
        "id": item.id,
        "looked_for": item.goal,
        "found": item.found,
        "why": quotation(item.rationale),
        "confidence": item.confidence,
        "path": quotation(place.path or ""),
        "line": place.line_start,
        "page": place.page,
        "quote": quote,
        "tags": list(item.tags),
    }
    return {name: value for name, value in row.items() if value not in (None, "", [])}


def question(brief: Brief) -> str:
    """Persona and criterion: what differs from call to call."""
    logic = brief.criterion.judicial_logic
    advice = {"Prosecutor": logic.prosecutor, "Defense": logic.defense, "TechLead": logic.tech_lead}[
        brief.persona
    ]
    ids = ", ".join(item.id for item in brief.evidence) or "none: say what is missing"
    parts = [
        persona_text(FILES[brief.persona]),
        f"The criterion before you: {brief.criterion.id} ({brief.criterion.name}).",
        f"The instructor asks of you here: {advice}" if advice else "",
        f"Evidence you may cite: {ids}.",
        _earlier(brief),
    ]
    return "\n\n".join(part for part in parts if part)


def _earlier(brief: Brief) -> str:
    if not brief.earlier:
        return ""
    said = "\n".join(
        f"- {o.judge} gave {o.score} on {', '.join(o.cited_evidence) or 'no evidence'}: {quotation(o.argument)}"
        for o in brief.earlier
    )
    return f"The bench disagreed and hears this criterion again. Look once more at the evidence each side cites.\n{said}"
