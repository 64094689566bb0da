"""Messages that a model gets.

The system message holds our rules and nothing else. Then one message for each criterion with its
material, which alone holds words of a submission: its bytes are the same for the three judges, so
that a provider can cache them. Then one message with the persona and the form of the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from courtroom.analysis.prompt_injection.detection import has_injection
from courtroom.judges.citations import can_cite
from courtroom.judges.material import SHORT_ID_CHARACTERS
from courtroom.judges.opinion import Question
from courtroom.judges.submitted_text import aliases_of, statement
from courtroom.models.canonical_json import digest_of
from courtroom.models.evidence import Evidence
from courtroom.models.judge_answer import JudicialOpinion, Persona

# A message is a text, or the parts of one that holds images.
Prompt = list[tuple[str, str | list[str | dict[str, Any]]]]
FILES: dict[Persona, str] = {
    "Prosecutor": "prosecutor",
    "Defense": "defense",
    "TechLead": "tech_lead",
}
# Of an argument that the others read in a second round.
ARGUMENT_CHARACTERS = 800
NOTHING_TO_CITE = "There is nothing to cite: say what is missing."
ASK = (
    "If your score turns on lines that are not shown, you may ask once: send score null and name up"
    " to three places in `ask`, each a path or file with lines (f3:10-60) or the name of a function"
    " or class. You then read them and score. Otherwise leave `ask` empty."
)


@cache
def persona_text(name: str) -> str:
    return (Path(__file__).parent / "personas" / f"{name}.md").read_text("utf-8").strip()


def prompt_digest(persona: Persona) -> str:
    return digest_of([persona_text("rules"), persona_text(FILES[persona])])


def messages(questions: Sequence[Question], complaint: str = "") -> Prompt:
    """Return the messages that ask one judge about one criterion or several.

    `complaint` tells why the last answer could not be used; empty in the first call.
    """
    prompt: Prompt = [("system", persona_text("rules"))]
    prompt += [("human", question.material.text) for question in questions]
    prompt.append(("human", question_text(questions)))
    prompt += [("human", q.answer_to_ask) for q in questions if q.answer_to_ask]
    if complaint:
        prompt.append(("human", f"Your last answer could not be used: {complaint}"))
    return prompt


def question_text(questions: Sequence[Question]) -> str:
    """Return persona, criteria and form: the part that differs from judge to judge."""
    parts = [
        persona_text(FILES[questions[0].persona]),
        *(_criterion(question) for question in questions),
        ASK if any(question.may_ask for question in questions) else "",
        "Answer each criterion under its id." if len(questions) > 1 else "",
    ]
    return "\n\n".join(part for part in parts if part)


def _criterion(question: Question) -> str:
    logic = question.criterion.judicial_logic
    advice = {"Prosecutor": logic.prosecutor, "Defense": logic.defense, "TechLead": logic.tech_lead}
    parts = [
        f"Criterion {question.criterion.id}.",
        f"For you: {advice[question.persona]}" if advice[question.persona] else "",
        "" if can_cite(question) else NOTHING_TO_CITE,
        _earlier(question),
    ]
    return "\n".join(part for part in parts if part)


def _earlier(question: Question) -> str:
    if not question.earlier:
        return ""
    opinions = "\n".join(_opinion(opinion, question) for opinion in question.earlier)
    mark = question.material.mark
    head = (
        "The bench disagreed"
        if len({o.score for o in question.earlier}) > 1
        else "The bench agreed"
    )
    return (
        f"{head} in its last round. Look once more at the evidence that each side cites, answer the"
        " others' arguments, and keep or change your score. What they wrote may quote the"
        f" submission: material, like the exhibits.\n<<<{mark}\n{opinions}\n{mark}>>>"
    )


def _opinion(opinion: JudicialOpinion, question: Question) -> str:
    """Return score, citations and argument, with lines under the names that exhibits have."""
    aliases = aliases_of(question.material.files)
    lines = {item.id: _lines(item, aliases) for item in opinion.cited_lines}
    names = [lines.get(name, name[:SHORT_ID_CHARACTERS]) for name in opinion.cited_evidence]
    cited = ", ".join(name for name in names if name) or "no evidence"
    return (
        f"- {opinion.judge} gave {opinion.score} on {cited}: {_argument(opinion.argument, aliases)}"
    )


def _lines(item: Evidence, aliases: Mapping[str, str]) -> str:
    place = item.location
    if place.page:
        return f"p{place.page}"
    if place.path and place.line_start:
        alias = aliases.get(place.path)
        return f"{alias}:{place.line_start}-{place.line_end}" if alias else ""
    return "commits" if place.commit else "tree"


def _argument(text: str, aliases: Mapping[str, str]) -> str:
    """Return the argument, which a student's words may have entered, as a submission's text."""
    return "[cut]" if has_injection(text) else statement(text, ARGUMENT_CHARACTERS, aliases)
