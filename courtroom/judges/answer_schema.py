"""JSON schema of a judge's answer, and our own validation: not every server enforces the schema.

For one criterion the answer is one opinion. For several it holds one opinion under each criterion's
id, and each is valid or not by itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from courtroom.judges.opinion import Question
from courtroom.judges.provider_failures import CallFailed
from courtroom.judges.providers import FILTERED, TRUNCATED, Completion
from courtroom.judges.shared_prompt import short_id
from courtroom.models.judge_answer import Score

FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)
CITATION = re.compile(r"E-[0-9a-f]{4}(?![0-9a-f])")
ALIAS = re.compile(r"\bf([1-9]\d{0,4})\b(?![./])")


class ModelAnswer(BaseModel):
    """Opinion as the model sent it; `cited_evidence` holds short ids of the prompt, or whole ids."""

    model_config = ConfigDict(extra="forbid", strict=True)

    reasoning: str
    cited_evidence: list[str]
    score: Score


def schema_for(questions: Sequence[Question]) -> dict[str, Any]:
    if len(questions) == 1:
        return _opinion_schema(questions[0])
    return _object({question.criterion.id: _opinion_schema(question) for question in questions})


def _opinion_schema(question: Question) -> dict[str, Any]:
    """Return the schema of one opinion.

    Score and citations are enums, which servers enforce even where they ignore bounds. Reasoning
    comes first, so that the score follows from it.
    """
    short_ids = sorted({short_id(item) for item in question.evidence})
    prompt = question.shared_prompt
    citable = [name for name in short_ids if name in prompt] if prompt else short_ids
    item: dict[str, Any] = {"type": "string", "enum": citable} if citable else {"type": "string"}
    return _object(
        {
            "reasoning": {"type": "string"},
            "cited_evidence": {"type": "array", "items": item},
            "score": {"type": "integer", "enum": [1, 2, 3, 4, 5]},
        }
    )


def _object(properties: dict[str, Any]) -> dict[str, Any]:
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
        return {questions[0].criterion.id: _parse_answer(value)}
    if not isinstance(value, dict):
        raise CallFailed("out_of_schema", "not an object with one opinion for each criterion")
    return {
        question.criterion.id: _parse_answer(value.get(question.criterion.id))
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


def _parse_answer(value: Any) -> ModelAnswer | CallFailed:
    try:
        return ModelAnswer.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(str(part) for part in first["loc"])
        return CallFailed("out_of_schema", f"{path}: {first['msg']}".lstrip(": "))


def cited_ids(answer: ModelAnswer, question: Question) -> list[str]:
    """Return citations as ids of evidence; one that matches nothing stays, to be counted."""
    ids: list[str] = []
    for citation in answer.cited_evidence:
        matches = [item.id for item in question.evidence if citation in (item.id, short_id(item))]
        ids += matches or [citation]
    return ids


def argument_of(answer: ModelAnswer, question: Question) -> str:
    """Return the reasoning with the ids and the paths that stand in the report."""
    ids, paths = {short_id(item): item.id for item in question.evidence}, question.files

    def path_of(match: re.Match[str]) -> str:
        return paths[int(match[1]) - 1] if int(match[1]) <= len(paths) else match[0]

    text = ALIAS.sub(path_of, answer.reasoning)
    return CITATION.sub(lambda match: ids.get(match[0], match[0]), text)
