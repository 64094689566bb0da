"""The answer a judge must give: its JSON schema, and our own validation, since servers do not all enforce it.

One criterion: one opinion. Several: one opinion under each criterion's id, each of them good or bad alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from courtroom.judges.opinion import Brief
from courtroom.judges.provider_failures import Unusable
from courtroom.judges.providers import CUT_SHORT, WITHHELD, Spoken
from courtroom.judges.shared_prompt import label
from courtroom.models.record import Score

FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*)\n\s*```\s*\Z", re.DOTALL)
CITATION = re.compile(r"E-[0-9a-f]{4}(?![0-9a-f])")


class Reply(BaseModel):
    """One opinion as it was sent; `cited_evidence` are labels of the docket, or ids."""

    model_config = ConfigDict(extra="forbid", strict=True)

    reasoning: str
    cited_evidence: list[str]
    score: Score


def schema_for(briefs: Sequence[Brief]) -> dict[str, Any]:
    if len(briefs) == 1:
        return _opinion_schema(briefs[0])
    return _object({brief.criterion.id: _opinion_schema(brief) for brief in briefs})


def _opinion_schema(brief: Brief) -> dict[str, Any]:
    """Score and citations are enums: servers that ignore bounds still enforce these. Reasoning comes first."""
    labels = sorted({label(item) for item in brief.evidence})
    shown = [name for name in labels if name in brief.docket] if brief.docket else labels
    item: dict[str, Any] = {"type": "string", "enum": shown} if shown else {"type": "string"}
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


def read(spoken: Spoken, briefs: Sequence[Brief]) -> Mapping[str, Reply | Unusable]:
    """An opinion or what is wrong with it for each criterion. Raises Unusable when none can be had of it."""
    value = json_of(spoken)
    if len(briefs) == 1:
        return {briefs[0].criterion.id: _reply(value)}
    if not isinstance(value, dict):
        raise Unusable("out_of_schema", "not an object with one opinion for each criterion")
    return {brief.criterion.id: _reply(value.get(brief.criterion.id)) for brief in briefs}


def json_of(spoken: Spoken) -> Any:
    """What was sent, as a value. Raises Unusable for what is no answer, or not the JSON that was asked for."""
    if spoken.refusal:
        raise Unusable("refusal", spoken.refusal)
    if spoken.finish in WITHHELD:
        raise Unusable("filtered", "The provider withheld the answer.")
    if spoken.finish in CUT_SHORT:
        raise Unusable("truncated", "The answer was cut short.")
    fenced = FENCE.match(spoken.text)
    try:
        return json.loads(fenced[1] if fenced else spoken.text)
    except (ValueError, RecursionError) as error:
        raise Unusable("invalid", f"not the JSON that was asked for: {error}") from error


def _reply(value: Any) -> Reply | Unusable:
    try:
        return Reply.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return Unusable("out_of_schema", f"{place}: {first['msg']}".lstrip(": "))


def cited_ids(reply: Reply, brief: Brief) -> list[str]:
    """Citations as ids of evidence; one that names nothing shown here stays as it is, to be counted."""
    found: list[str] = []
    for cited in reply.cited_evidence:
        shown = [item.id for item in brief.evidence if cited in (item.id, label(item))]
        found += shown or [cited]
    return found


def argument_of(reply: Reply, brief: Brief) -> str:
    """The reasoning with each label of the docket written out as the id that stands in the report."""
    ids = {label(item): item.id for item in brief.evidence}
    return CITATION.sub(lambda match: ids.get(match[0], match[0]), reply.reasoning)
