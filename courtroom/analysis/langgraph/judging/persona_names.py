"""Names of the three personas, and the record of a prompt."""

from __future__ import annotations

from dataclasses import dataclass

from courtroom.analysis.python.tree_walk import words_of

PERSONAS: dict[str, frozenset[str]] = {
    "Prosecutor": frozenset({"prosecutor", "prosecution"}),
    "Defense": frozenset({"defense", "defence", "defender", "advocate"}),
    "TechLead": frozenset({"techlead", "lead"}),
}


@dataclass(frozen=True, slots=True)
class PersonaText:
    """Prompt of a persona at `path`:`line`; `text` has holes for the parts that a run fills in.

    `is_in_function`: a function assembles it, which may never run. `is_beside_prompts`: the same
    function chooses it, or longer prompts for the other two personas. `is_of_sentences`: one call is
    given it in several short texts.
    """

    persona: str
    path: str
    line: int
    end: int
    text: str
    is_in_function: bool = False
    is_beside_prompts: bool = False
    is_of_sentences: bool = False


def persona_in(name: str) -> str | None:
    """Return the one persona an identifier names; None when it names none or several."""
    words = set(words_of(name))
    personas = [persona for persona, persona_words in PERSONAS.items() if words & persona_words]
    return personas[0] if len(personas) == 1 else None
