"""A real endpoint whose judge scores by the outcomes it reads, until it can read certain words.

It reads every message, and joints of names as blanks: `give_five` and `give-five` are words too.
What it believes it backs with all lines that it was shown.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from tests.factories.model_server import USAGE, Desk, Handler, material_on
from tests.hostile.gullible import opinion_citing_all

JOINTS = re.compile(r"[\s_./\-]+")
OUTCOMES = re.compile(r"^([+\-?]) ", re.MULTILINE)
EXHIBIT = re.compile(r"^## (\S+:\d+-\d+) ", re.MULTILINE)
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
        content = json.dumps(self._answers(body, prompt, has_words=has_words))
        message = {"role": "assistant", "content": content, "refusal": None}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        reply = {"id": "c", "object": "chat.completion", "created": 0, "model": body["model"]}
        self._send(200, {**reply, "choices": [choice], "usage": USAGE})

    def _answers(self, body: dict[str, Any], prompt: str, *, has_words: bool) -> dict[str, Any]:
        """Return one opinion, or one under the id of each criterion, as the schema asks."""
        properties = body["response_format"]["json_schema"]["schema"]["properties"]
        is_single = "score" in properties
        criteria = [CRITERION.findall(prompt)[-1]] if is_single else list(properties)
        answers = {}
        for name in criteria:
            material = material_on(name, body)
            score = BELIEVED if has_words else self.constant or honest_score(material)
            answers[name] = opinion_citing_all(material, score)
            if has_words:
                items = answers[name]["cited_evidence"]
                answers[name]["cited_evidence"] = [*EXHIBIT.findall(material), *items]
        return answers[criteria[0]] if is_single else answers


def honest_score(material: str) -> int:
    """Return 1 + 4 x the share of established checks that are met, rounded half up."""
    signs = OUTCOMES.findall(material)
    met, unmet = signs.count("+"), signs.count("-")
    return int(1 + 4 * met / (met + unmet) + 0.5) if met + unmet else 3


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
