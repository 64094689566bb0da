"""Copies of abstract values, and texts by which two of them are told apart."""

from __future__ import annotations

from dataclasses import replace

from courtroom.analysis.python.symbolic_execution.values import (
    DictValue,
    Instance,
    ListValue,
    OneOf,
    Value,
)

# Parts of a value that is copied: one that holds itself twice would have no end.
MOST_PARTS = 2_000


def is_small(value: Value) -> bool:
    left = [value]
    for _ in range(MOST_PARTS):
        if not left:
            return True
        part = left.pop()
        if isinstance(part, ListValue):
            left += part.members
        elif isinstance(part, DictValue):
            left += part.entries.values()
        elif isinstance(part, Instance):
            left += part.attributes.values()
        elif isinstance(part, OneOf):
            left += part.choices
    return False


def copied_state(state: dict[str, Value]) -> dict[str, Value]:
    return {key: copied(value) for key, value in state.items()}


def copied(value: Value) -> Value:
    """Return the value made anew: code that is followed may change it."""
    if isinstance(value, ListValue):
        return replace(value, members=[copied(member) for member in value.members])
    if isinstance(value, DictValue):
        return replace(value, entries={k: copied(v) for k, v in value.entries.items()})
    if isinstance(value, Instance):
        return replace(value, attributes={k: copied(v) for k, v in value.attributes.items()})
    if isinstance(value, OneOf):
        # What an update may have brought in each round stands there once.
        choices = [*{written_down(choice): copied(choice) for choice in value.choices}.values()]
        return OneOf(choices) if len(choices) > 1 else choices[0]
    return value


def written_down(value: object) -> str:
    """Return a text that two values share where the same is known of them."""
    if isinstance(value, ListValue):
        marks = f"{value.is_open}{value.doubt is None}{value.settled}"
        return f"[{', '.join(map(written_down, value.members))}]{marks}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {written_down(v)}" for k, v in value.items()) + "}"
    if isinstance(value, DictValue):
        return f"{written_down(value.entries)}{value.is_open}{value.doubt is None}"
    if isinstance(value, Instance):
        return f"{value.kind.node.name}{written_down(value.attributes)}"
    if isinstance(value, OneOf):
        return f"<{' | '.join(map(written_down, value.choices))}>"
    if value is None or isinstance(value, str | int | float):
        return f"{type(value).__name__} {value!r}"
    return f"{type(value).__name__} {getattr(value, 'text', getattr(value, 'dotted', ''))}"
