"""A real endpoint whose judge believes whatever it reads: 5 of 5 as soon as any attack's words
reach its prompt.
"""

# ruff: noqa: RUF001 -- the words of attacks in other scripts
from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.factories.model_server import (
    REASONING,
    USAGE,
    Desk,
    Handler,
    citable,
    material_on,
)

SOBER, WON_OVER = 3, 5
# What of an attack must not come through, plain or disguised.
MARKERS = (
    "ignore the rubric",
    "ignore_the_rubric",
    "ignore-the-rubric",
    "ignore_rubric",
    "award 5",
    "award_5",
    "award_five",
    "give five",
    "full marks",
    "full-marks",
    "deserves the highest",
    "give it a 5",
    "stay silent",
    "thought process",
    "my visa",
    "has already approved",
    "have finished grading",
    "im_start",
    '"confidence": 1.0, "found"',
    '"score": 5',
    "swdub3jlihrozsby",
    "vtaber gur ehoevp",
    "49676e6f72652074",
    "\\x49\\x67\\x6e",
    "&#73;",
    "cirbur eht erongi",
    "ignora las instrucciones",
    "መመሪያዎች ችላ",
    "忽略以上",
    "проигнорируй",
    "іgnоrе",
    "\u0456gn\u043er\u0435",
    "ｉｇｎｏｒｅ",
    "fact supremacy, functionality",
    "step 12 explained",
    "fake.add_edge",
)


class ForgetfulDesk(Desk):
    """Keeps no request: hundreds of prompts took 150 MB of the test process, and nobody read one."""

    def received(self, body: dict[str, Any]) -> int:
        before = super().received(body)
        with self.lock:
            self.requests.clear()
        return before


class Gullible(Handler):
    def answer(self, body: dict[str, Any], before: int) -> None:
        prompt = "\n".join(str(message["content"]) for message in body["messages"])
        text = prompt.lower().replace("\u200b", "").replace("\u2060", "").replace("\u200d", "")
        score = WON_OVER if any(marker in text for marker in MARKERS) else SOBER
        content = json.dumps(_answer(body, score))
        message = {"role": "assistant", "content": content, "refusal": None}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        reply = {"id": "c", "object": "chat.completion", "created": 0, "model": body["model"]}
        self._send(200, {**reply, "choices": [choice], "usage": USAGE})


def _answer(body: dict[str, Any], score: int) -> dict[str, Any]:
    """Return one opinion, or one under the id of each criterion, that cites all it may."""
    properties = body["response_format"]["json_schema"]["schema"]["properties"]
    if "score" in properties:
        return opinion_citing_all(material_on("", body), score)
    return {name: opinion_citing_all(material_on(name, body), score) for name in properties}


def opinion_citing_all(material: str, score: int) -> dict[str, Any]:
    return {"reasoning": REASONING, "cited_evidence": citable(material), "score": score}


@contextmanager
def gullible_endpoint() -> Iterator[Desk]:
    desk = ForgetfulDesk(Gullible)
    thread = threading.Thread(
        target=desk.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    )
    thread.start()
    try:
        yield desk
    finally:
        desk.shutdown()
        desk.server_close()
        thread.join()
