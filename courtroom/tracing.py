"""Spans of an audit by OpenTelemetry's API, which does nothing until a program gives a tracer.

A span holds ids, numbers and codes, never words: nothing of a submission, a prompt or an answer.
The tracer is not the process's global one, to which packages of some providers write prompts.
"""

from __future__ import annotations

import re
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from opentelemetry.context import Context
from opentelemetry.trace import (
    NoOpTracer,
    Span,
    SpanKind,
    StatusCode,
    Tracer,
    get_current_span,
)
from opentelemetry.util.types import Attributes, AttributeValue

# The courtroom imports OpenTelemetry's names from here.
__all__ = [
    "AttributeValue",
    "Span",
    "SpanKind",
    "code_of",
    "get_current_span",
    "mark_failed",
    "past_span",
    "span",
    "use_tracer",
]
CODE = re.compile(r"[a-z][a-z0-9_]*")
_tracer: Tracer = NoOpTracer()


def use_tracer(tracer: Tracer | None) -> None:
    """Write this process's spans to the tracer from now on; None writes none."""
    global _tracer  # noqa: PLW0603 -- one for the process, as its threads share an audit
    _tracer = tracer or NoOpTracer()


def code_of(error: BaseException) -> str:
    """Return the typed code of an error, else its class: its message may quote a submission."""
    code = getattr(error, "code", None) or getattr(error, "kind", None)
    if isinstance(code, str) and CODE.fullmatch(code):
        return code
    return "cancelled" if isinstance(error, CancelledError) else type(error).__name__


def mark_failed(span: Span, code: str) -> None:
    span.set_attribute("error.type", code)
    span.set_status(StatusCode.ERROR)


@contextmanager
def span(
    name: str,
    attributes: Attributes = None,
    *,
    context: Context | None = None,
    kind: SpanKind = SpanKind.INTERNAL,
    code: Callable[[BaseException], str] = code_of,
) -> Iterator[Span]:
    """Open a span below `context`, else below the current one; an exception leaves its `code`."""
    with _tracer.start_as_current_span(
        name, context, kind, attributes, record_exception=False, set_status_on_exception=False
    ) as opened:
        try:
            yield opened
        except BaseException as error:
            mark_failed(opened, code(error))
            raise


def past_span(
    name: str, attributes: Attributes, *, context: Context, begin_ns: int, end_ns: int
) -> Span:
    """Record a span that is over; times are nanoseconds since 1970."""
    recorded = _tracer.start_span(name, context, attributes=attributes, start_time=begin_ns)
    recorded.end(end_ns)
    return recorded
