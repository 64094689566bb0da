"""Endpoint whose judge answers as a function of what it is sent says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.factories.model_server import REASONING, USAGE, Desk, Handler, citable, model_endpoint

Body = dict[str, Any]
Judge = Callable[[Body], dict[str, Any]]


def opinion(*cited: str, score: int | None = 4, **fields: Any) -> dict[str, Any]:
    return {"reasoning": REASONING, "cited_evidence": list(cited), "score": score, **fields}


def material_of(body: Body) -> str:
    """Return the message that the three judges of a criterion share."""
    text: str = body["messages"][1]["content"]
    return text


def may_ask(body: Body) -> bool:
    form = body["response_format"]["json_schema"]["schema"]["properties"]
    return "ask" in form


def citing_items(body: Body) -> dict[str, Any]:
    """Answer with the items that the material names."""
    return opinion(*citable(material_of(body)))


@contextmanager
def judge_endpoint(judge: Judge) -> Iterator[Desk]:
    """Yield an endpoint at which this judge answers every call about one criterion."""

    class ScriptedJudge(Handler):
        def answer(self, body: Body, before: int) -> None:
            content = json.dumps(judge(body))
            message = {"role": "assistant", "content": content, "refusal": None}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            reply = {"id": "c", "object": "chat.completion", "created": 0, "model": body["model"]}
            self._send(200, {**reply, "choices": [choice], "usage": USAGE})

    with model_endpoint(ScriptedJudge) as desk:
        yield desk
