"""JSON schema of a judge's answer, and our own validation: not every server enforces the schema.

For one criterion the answer is one opinion. For several it holds one opinion under each criterion's
id, and each is valid or not by itself. Where a judge may ask, an answer may name places to read
instead of a score.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from courtroom.judges.citations import can_cite, resolve
from courtroom.judges.completion import FILTERED, TRUNCATED, Completion
from courtroom.judges.material import short_id
from courtroom.judges.opinion import Question
from courtroom.judges.provider_failures import CallFailed
from courtroom.models.judge_answer import Score

FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)
CITATION = re.compile(r"E-[0-9a-f]{4}(?![0-9a-f])")
ALIAS = re.compile(r"\bf([1-9]\d{0,4})\b(?![./])")
SCORES = [1, 2, 3, 4, 5]
NO_SCORE = "score: Input should be 1, 2, 3, 4 or 5"
SHORTEST_ARGUMENT = 50
MOST_PLACES, PLACE_CHARACTERS = 3, 300


class ModelAnswer(BaseModel):
    """Opinion as the model sent it; citations are as it wrote them.

    Without a score it names places to read in `ask`.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    reasoning: str
    cited_evidence: list[str]
    score: Score | None
    ask: list[str] = []

    @property
    def places(self) -> list[str]:
        """Return the places that the judge asks to read; none where it gave a score."""
        texts = [text.encode("utf-8", "replace").decode("utf-8").strip() for text in self.ask]
        asked = [text[:PLACE_CHARACTERS] for text in dict.fromkeys(texts) if text]
        return asked[:MOST_PLACES] if self.score is None else []


def schema_for(questions: Sequence[Question]) -> dict[str, Any]:
    if len(questions) == 1:
        return _opinion_schema(questions[0])
    return object_schema(
        {question.criterion.id: _opinion_schema(question) for question in questions}
    )


def _opinion_schema(question: Question) -> dict[str, Any]:
    """Return the schema of one opinion.

    The score is an enum, which servers enforce even where they ignore bounds. Reasoning comes
    first, so that the score follows from it.
    """
    strings = {"type": "array", "items": {"type": "string"}}
    opinion = {"reasoning": {"type": "string"}, "cited_evidence": strings}
    if not question.may_ask:
        return object_schema({**opinion, "score": {"type": "integer", "enum": SCORES}})
    score = {"type": ["integer", "null"], "enum": [*SCORES, None]}
    return object_schema({**opinion, "score": score, "ask": strings})


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object with exactly these keys."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def parse_answers(
    completion: Completion, questions: Sequence[Question]
) -> Mapping[str, ModelAnswer | CallFailed]:
    """Return an opinion, or its error, for each criterion. Raises CallFailed without any JSON."""
    value = parse_json(completion)
    if len(questions) == 1:
        return {questions[0].criterion.id: _parse_answer(value, questions[0])}
    if not isinstance(value, dict):
        raise CallFailed("out_of_schema", "not an object with one opinion for each criterion")
    return {
        question.criterion.id: _parse_answer(value.get(question.criterion.id), question)
        for question in questions
    }


def parse_json(completion: Completion) -> Any:
    """Return the answer as a JSON value. Raises CallFailed for a refusal or anything but JSON."""
    if completion.refusal:
        raise CallFailed("refusal", completion.refusal)
    if completion.finish_reason in FILTERED:
        raise CallFailed("filtered", "The provider withheld the answer.")
    if completion.finish_reason in TRUNCATED:
        raise CallFailed("truncated", "The answer was cut short.")
    # Some models wrap their JSON in a Markdown fence.
    fenced = FENCE.match(completion.text)
    try:
        return json.loads(fenced[1] if fenced else completion.text)
    except (ValueError, RecursionError) as error:
        raise CallFailed("invalid", f"not the JSON that was asked for: {error}") from error


def _parse_answer(value: Any, question: Question) -> ModelAnswer | CallFailed:
    try:
        answer = ModelAnswer.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(str(part) for part in first["loc"])
        return CallFailed("out_of_schema", f"{path}: {first['msg']}".lstrip(": "))
    if answer.score is None and not (question.may_ask and answer.places):
        return CallFailed("out_of_schema", NO_SCORE)
    weakness = "" if answer.places else _weakness(answer, question)
    return CallFailed("unfounded", weakness) if weakness else answer


def _weakness(answer: ModelAnswer, question: Question) -> str:
    """Return why nobody could act on the argument or check it, "" if somebody can."""
    if len(answer.reasoning.strip()) < SHORTEST_ARGUMENT:
        return f"The argument has fewer than {SHORTEST_ARGUMENT} characters."
    if can_cite(question) and not resolve(answer.cited_evidence, question).ids:
        return "It cites no line and no item that it was shown."
    return ""


def argument_of(answer: ModelAnswer, question: Question) -> str:
    """Return the reasoning with the ids and the paths that stand in the report."""
    ids = {short_id(item): item.id for item in question.evidence}
    text = with_paths(answer.reasoning, question)
    return CITATION.sub(lambda match: ids.get(match[0], match[0]), text)


def with_paths(text: str, question: Question) -> str:
    """Return the text with the paths that its aliases stand for."""
    paths = question.material.files

    def path_of(match: re.Match[str]) -> str:
        return paths[int(match[1]) - 1] if int(match[1]) <= len(paths) else match[0]

    return ALIAS.sub(path_of, text)
