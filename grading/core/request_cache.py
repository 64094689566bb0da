"""Cache for the length of one request, such as for the user's role and their place in a cohort.

Outside a request nothing is cached: jobs, commands and the next request see revoked access at once.
"""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Answer = TypeVar("Answer")
_answers: ContextVar[dict[Hashable, Any] | None] = ContextVar("answers", default=None)


@contextmanager
def request_cache() -> Iterator[None]:
    """Cache answers until the end of one request."""
    before = _answers.set({})
    try:
        yield
    finally:
        _answers.reset(before)


def cached(*question: Hashable, ask: Callable[[], Answer]) -> Answer:
    """Return the answer of `ask`, called once per request for a question (kind, primary keys)."""
    answers = _answers.get()
    if answers is None:
        return ask()
    if question not in answers:
        answers[question] = ask()
    answer: Answer = answers[question]
    return answer
