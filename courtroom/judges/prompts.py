"""What a model is shown. Order: fixed rules, the docket, then persona and criterion last, so that all calls
of one audit share one prefix that a provider can cache (DESIGN 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from courtroom.judges.opinion import Brief
from courtroom.judges.shared_prompt import LABEL_CHARACTERS, quotation
from courtroom.models.record import PERSONAS, Persona, digest_of
from courtroom.models.rubric import Criterion, Rubric

# A message is text, or the parts of one that shows pictures.
Prompt = list[tuple[str, str | list[str | dict[str, Any]]]]
FILES: dict[Persona, str] = {
    "Prosecutor": "prosecutor",
    "Defense": "defense",
    "TechLead": "tech_lead",
}
NO_EVIDENCE = "There is no evidence to cite: say what is missing."
# Between the parts of a prompt.
BETWEEN_CHARACTERS = 4
SMALLEST_DOCKET = 1000


@cache
def persona_text(name: str) -> str:
    return (Path(__file__).parent / "personas" / f"{name}.md").read_text("utf-8").strip()


def prompt_digest(persona: Persona) -> str:
    return digest_of([persona_text("rules"), persona_text(FILES[persona])])


def room_for_docket(characters: int, rubric: Rubric, *, together: bool) -> int:
    """What is left of an audit's prompt characters for the docket, when it is sent with every call of a hearing."""
    batches = [rubric.criteria] if together else [(criterion,) for criterion in rubric.criteria]
    questions = [question(_blank(persona, batch)) for batch in batches for persona in PERSONAS]
    around = len(persona_text("rules")) + BETWEEN_CHARACTERS
    asked = sum(len(text.replace(f"\n{NO_EVIDENCE}", "")) for text in questions)
    left = characters - asked - around * len(questions)
    return max(SMALLEST_DOCKET, left // max(1, len(questions)))


def _blank(persona: Persona, criteria: Sequence[Criterion]) -> list[Brief]:
    return [Brief(persona=persona, criterion=one, evidence=(), outcomes=()) for one in criteria]


def messages(briefs: Sequence[Brief], complaint: str = "") -> Prompt:
    """One judge's question on one criterion or several; `complaint` says why the last answer was of no use."""
    prompt: Prompt = [
        ("system", f"{persona_text('rules')}\n\n{briefs[0].docket}"),
        ("human", question(briefs)),
    ]
    if complaint:
        prompt.append(("human", f"Your last answer could not be used: {complaint}"))
    return prompt


def question(briefs: Sequence[Brief]) -> str:
    """Persona and criteria: what differs from call to call."""
    parts = [persona_text(FILES[briefs[0].persona]), *(_criterion(brief) for brief in briefs)]
    if len(briefs) > 1:
        parts.append("Answer each criterion under its id.")
    return "\n\n".join(parts)


def _criterion(brief: Brief) -> str:
    criterion, logic = brief.criterion, brief.criterion.judicial_logic
    advice = {"Prosecutor": logic.prosecutor, "Defense": logic.defense, "TechLead": logic.tech_lead}
    standard = criterion.success_pattern or criterion.instruction
    parts = [
        f"Criterion {criterion.id}.",
        f"Success: {standard}" if standard else "",
        f"For you: {advice[brief.persona]}" if advice[brief.persona] else "",
        "" if brief.evidence else NO_EVIDENCE,
        _earlier(brief),
    ]
    return "\n".join(part for part in parts if part)


def _earlier(brief: Brief) -> str:
    if not brief.earlier:
        return ""
    said = "\n".join(
        f"- {o.judge} gave {o.score} on {_labels(o.cited_evidence) or 'no evidence'}: {quotation(o.argument)}"
        for o in brief.earlier
    )
    head = (
        "The bench disagreed" if len({o.score for o in brief.earlier}) > 1 else "The bench agreed"
    )
    return (
        f"{head} in its last round. Look once more at the evidence that each side cites, answer the others'"
        f" arguments, and keep or change your score.\n{said}"
    )


def _labels(ids: Sequence[str]) -> str:
    return ", ".join(name[:LABEL_CHARACTERS] for name in ids)
