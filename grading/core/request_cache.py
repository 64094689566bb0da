"""What a request asks again and again, and the database answers once: the role of who asks, their place in a cohort.

Outside a request nothing is remembered: jobs, commands and the next request see what was taken away since.
"""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Answer = TypeVar("Answer")
_answers: ContextVar[dict[Hashable, Any] | None] = ContextVar("answers", default=None)


@contextmanager
def remembering() -> Iterator[None]:
    """One request: until its end each question is asked once."""
    before = _answers.set({})
    try:
        yield
    finally:
        _answers.reset(before)


def remembered(*question: Hashable, ask: Callable[[], Answer]) -> Answer:
    """What `ask` answers, asked once per request for the same question: its kind, and primary keys."""
    answers = _answers.get()
    if answers is None:
        return ask()
    if question not in answers:
        answers[question] = ask()
    answer: Answer = answers[question]
    return answer
