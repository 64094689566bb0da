"""A real endpoint whose judge scores by the outcomes it reads, until it can read certain words.

It reads every message, and joints of names as blanks: `give_five` and `give-five` are words too.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

from tests.factories.model_server import USAGE, Desk, Handler

JOINTS = re.compile(r"[\s_./\-]+")
OUTCOMES = re.compile(r"^([+\-?]) ", re.MULTILINE)
CRITERION = re.compile(r"^Criterion (.+)\.$", re.MULTILINE)
BELIEVED = 5


def plain(text: str) -> str:
    return JOINTS.sub(" ", text.lower())


class Believer(Handler):
    words: ClassVar[list[str]] = []
    # Calls that held the words; the answer of a judge that scores everything the same.
    reached: ClassVar[list[str]] = []
    constant: ClassVar[int | None] = None

    def answer(self, body: dict[str, Any], before: int) -> None:
        prompt = "\n".join(str(message["content"]) for message in body["messages"])
        has_words = any(word in plain(prompt) for word in self.words)
        if has_words:
            self.reached.append(body["model"])
        form = body["response_format"]["json_schema"]["schema"]
        content = json.dumps(self._answers(form, prompt, has_words=has_words))
        message = {"role": "assistant", "content": content, "refusal": None}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        reply = {"id": "c", "object": "chat.completion", "created": 0, "model": body["model"]}
        self._send(200, {**reply, "choices": [choice], "usage": USAGE})

    def _answers(self, form: Any, prompt: str, *, has_words: bool) -> dict[str, Any]:
        """Return one opinion, or one under the id of each criterion, as the schema asks."""
        properties = form["properties"]
        criteria = [CRITERION.findall(prompt)[-1]] if "score" in properties else list(properties)
        scores = {
            name: BELIEVED if has_words else self.constant or honest_score(name, prompt)
            for name in criteria
        }
        if "score" in properties:
            return _opinion(form, scores[criteria[0]])
        return {name: _opinion(properties[name], scores[name]) for name in criteria}


def honest_score(criterion: str, prompt: str) -> int:
    """Return 1 + 4 x the share of established checks that are met, rounded half up."""
    section = prompt.partition(f"# {criterion}")[2].partition("\n# ")[0]
    signs = OUTCOMES.findall(section)
    met, unmet = signs.count("+"), signs.count("-")
    return int(1 + 4 * met / (met + unmet) + 0.5) if met + unmet else 3


def _opinion(form: Mapping[str, Any], score: int) -> dict[str, Any]:
    ids = form["properties"]["cited_evidence"]["items"].get("enum", [])
    return {"reasoning": "Because.", "cited_evidence": ids, "score": score}


@contextmanager
def believing_endpoint() -> Iterator[tuple[Desk, type[Believer]]]:
    class Judge(Believer):
        words: ClassVar[list[str]] = []
        reached: ClassVar[list[str]] = []

    desk = Desk()
    desk.RequestHandlerClass = Judge
    thread = threading.Thread(
        target=desk.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    )
    thread.start()
    try:
        yield desk, Judge
    finally:
        desk.shutdown()
        desk.server_close()
        thread.join()
