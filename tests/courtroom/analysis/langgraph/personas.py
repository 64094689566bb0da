"""Texts of three judges, and the reading of the prompts of a work."""

from __future__ import annotations

from courtroom.analysis.langgraph.judging.persona_prompts import PersonaReading, read_personas
from tests.courtroom.sources import layers_of, symbols_of

HARSH = (
    "Trust nobody. Look for gaps, shortcuts and flaws in every artefact, charge what "
    "is missing and argue for the lowest score that the evidence can carry."
)
KIND = (
    "Reward effort and intent. Find what is good in unfinished work, explain the "
    "idea behind it and speak for the highest score that can be defended honestly."
)
DRY = (
    "Ask only whether it runs and can be maintained. Ignore stories and feelings, "
    "weigh modularity, debt and cost, and settle what the other two leave open."
)
FRAME = " ".join(
    f"Common rule number {number} applies to every judge of this court without exception."
    for number in range(20)
)


def read(
    code: str, files: dict[str, str] | None = None, data: dict[str, str] | None = None
) -> PersonaReading:
    symbols = symbols_of({"src/judges.py": code})
    symbols.codebase.data.update(data or {})
    _, layers = layers_of(symbols)
    return read_personas(symbols, layers, files or {})


def prompt_lines(reading: PersonaReading) -> list[tuple[str, int]]:
    return [(prompt.persona, prompt.line) for prompt in reading.prompts]
