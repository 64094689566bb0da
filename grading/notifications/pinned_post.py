"""POST of an event to a webhook's pinned address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from grading.engine.pinned_requests import exchange
from grading.engine.repository_addresses import Pinned

MAX_ANSWER_BYTES = 2000
MAX_ANSWER_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Answer:
    """Result of a POST.

    `status` is None without an answer; `error` is a sentence, empty if it was accepted (2xx).
    """

    status: int | None
    text: str
    error: str

    @property
    def is_accepted(self) -> bool:
        return not self.error


def post(pinned: Pinned, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send the body and read the start of the answer. Never raises because of the other side."""
    reply = exchange(pinned, "POST", body=body, headers=headers, most_bytes=MAX_ANSWER_BYTES)
    if reply.status is None:
        return Answer(None, "", reply.error)
    text = reply.body.decode(errors="replace").replace("\x00", "")
    return Answer(reply.status, text[:MAX_ANSWER_CHARACTERS], _status_error(reply.status))


def _status_error(status: int) -> str:
    match status // 100:
        case 2:
            return ""
        case 3:
            return "It redirects to another address. Redirects aren't followed: use that address."
        case _:
            return f"It answered {status}."
