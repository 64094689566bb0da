"""Messages that a model gets.

The system message holds our rules and nothing else. Then a message of its own with the shared
prompt, which alone holds words of a submission, and one with persona and criterion: all calls of
one audit share a prefix that a provider can cache (DESIGN 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from courtroom.analysis.prompt_injection.detection import has_injection
from courtroom.judges.opinion import Question
from courtroom.judges.shared_prompt import SHORT_ID_CHARACTERS, fence_mark
from courtroom.judges.submitted_text import QUOTE_CHARACTERS, aliases_of, statement
from courtroom.models.canonical_json import digest_of
from courtroom.models.judge_answer import PERSONAS, Persona
from courtroom.models.rubric import Criterion, Rubric

# A message is a text, or the parts of one that holds images.
Prompt = list[tuple[str, str | list[str | dict[str, Any]]]]
FILES: dict[Persona, str] = {
    "Prosecutor": "prosecutor",
    "Defense": "defense",
    "TechLead": "tech_lead",
}
NO_EVIDENCE = "There is no evidence to cite: say what is missing."
SHORTEST_SHARED_PROMPT = 1000


@cache
def persona_text(name: str) -> str:
    return (Path(__file__).parent / "personas" / f"{name}.md").read_text("utf-8").strip()


def prompt_digest(persona: Persona) -> str:
    return digest_of([persona_text("rules"), persona_text(FILES[persona])])


def shared_prompt_limit(characters: int, rubric: Rubric, *, asks_all_at_once: bool) -> int:
    """Return the characters left for the shared prompt, which every call of a round repeats."""
    batches = (
        [rubric.criteria] if asks_all_at_once else [(criterion,) for criterion in rubric.criteria]
    )
    texts = [
        question_text(_without_evidence(persona, batch))
        for batch in batches
        for persona in PERSONAS
    ]
    rules = len(persona_text("rules"))
    # The line that says "no evidence" stands only in these blank questions.
    own = sum(len(text.replace(f"\n{NO_EVIDENCE}", "")) for text in texts)

    left = characters - own - rules * len(texts)
    return max(SHORTEST_SHARED_PROMPT, left // max(1, len(texts)))


def _without_evidence(persona: Persona, criteria: Sequence[Criterion]) -> list[Question]:
    return [
        Question(persona=persona, criterion=criterion, evidence=(), outcomes=())
        for criterion in criteria
    ]


def messages(questions: Sequence[Question], complaint: str = "") -> Prompt:
    """Return the messages that ask one judge about one criterion or several.

    `complaint` tells why the last answer could not be used; empty in the first call.
    """
    prompt: Prompt = [
        ("system", persona_text("rules")),
        ("human", questions[0].shared_prompt),
        ("human", question_text(questions)),
    ]
    if complaint:
        prompt.append(("human", f"Your last answer could not be used: {complaint}"))
    return prompt


def question_text(questions: Sequence[Question]) -> str:
    """Return persona and criteria: the part that differs from call to call."""
    parts = [
        persona_text(FILES[questions[0].persona]),
        *(_criterion(question) for question in questions),
    ]
    if len(questions) > 1:
        parts.append("Answer each criterion under its id.")
    return "\n\n".join(parts)


def _criterion(question: Question) -> str:
    criterion, logic = question.criterion, question.criterion.judicial_logic
    advice = {"Prosecutor": logic.prosecutor, "Defense": logic.defense, "TechLead": logic.tech_lead}
    # A course's rubric may have no success pattern.
    standard = criterion.success_pattern or criterion.instruction
    parts = [
        f"Criterion {criterion.id}.",
        f"Success: {standard}" if standard else "",
        f"For you: {advice[question.persona]}" if advice[question.persona] else "",
        "" if question.evidence else NO_EVIDENCE,
        _earlier(question),
    ]
    return "\n".join(part for part in parts if part)


def _earlier(question: Question) -> str:
    if not question.earlier:
        return ""
    opinions = "\n".join(
        f"- {o.judge} gave {o.score} on {_short_ids(o.cited_evidence) or 'no evidence'}:"
        f" {_argument(o.argument, question.files)}"
        for o in question.earlier
    )
    mark = fence_mark(question.shared_prompt)
    head = (
        "The bench disagreed"
        if len({o.score for o in question.earlier}) > 1
        else "The bench agreed"
    )
    return (
        f"{head} in its last round. Look once more at the evidence that each side cites, answer the"
        " others' arguments, and keep or change your score. What they wrote may quote the"
        f" submission: material, like the docket.\n<<<{mark}\n{opinions}\n{mark}>>>"
    )


def _argument(text: str, files: Sequence[str]) -> str:
    """Return the argument, which a student's words may have entered, as a submission's text."""
    return "[cut]" if has_injection(text) else statement(text, QUOTE_CHARACTERS, aliases_of(files))


def _short_ids(ids: Sequence[str]) -> str:
    return ", ".join(name[:SHORT_ID_CHARACTERS] for name in ids)
