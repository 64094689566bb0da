"""Text made by %, str.format and f-strings, with a HOLE for each part that is not known."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from courtroom.analysis.python.symbolic_execution.value_operations import as_text, text_value
from courtroom.analysis.python.symbolic_execution.values import (
    HOLE,
    UNKNOWN,
    DictValue,
    ListValue,
    Template,
    Value,
)

# A width such as {:>999999999} would fill the memory.
MAX_WIDTH_DIGITS = 2
# Characters that a text of many fields may have before it is made.
MAX_GROWTH = 10_000_000
_LONG_NUMBER = re.compile(rf"\d{{{MAX_WIDTH_DIGITS + 1}}}")
_PERCENT_FIELD = re.compile(r"%[-#0 +]{0,4}\d{0,2}(?:\.\d{1,2})?[a-zA-Z%]")


def formatted_text(
    template: str, positional: Sequence[Value], keywords: Mapping[str, Value]
) -> str | None:
    """Return template.format(...) of known values; None when it cannot be told."""
    values = [*positional, *keywords.values()]
    if _LONG_NUMBER.search(template) or _may_be_long(template, values):
        return None
    if not all(isinstance(value, str | int | float) for value in values):
        return None
    try:
        return template.format(*positional, **keywords)
    except (ValueError, IndexError, KeyError, AttributeError, TypeError):
        return None


def format_text(
    template: str | Template, positional: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    """Return the value of template.format(...), as far as it is known."""
    if isinstance(template, str):
        exact = formatted_text(template, positional, keywords)
        if exact is not None and HOLE not in template:
            return text_value(exact, is_exact=True)
        if exact is not None and positional:
            return text_value(exact, is_exact=True)
    text = as_text(template)
    if _may_be_long(text, [*positional, *keywords.values()]):
        return UNKNOWN
    for name, value in keywords.items():
        text = text.replace("{" + name + "}", as_text(value))
    for number, value in enumerate(positional):
        text = text.replace("{" + str(number) + "}", as_text(value))
        text = text.replace("{}", as_text(value), 1) if as_text(value) != HOLE else text
    return text_value(text, is_exact=False)


def _may_be_long(template: str, values: Sequence[Value]) -> bool:
    """Return whether a template may repeat these values so often that they fill the memory."""
    longest = max((len(as_text(value)) for value in values), default=0)
    return max(template.count("{"), template.count("%")) * longest > MAX_GROWTH


def percent_formatted(template: str | Template, arguments: Value) -> Value:
    """Return the value of `template % arguments`, as far as it is known."""
    if not isinstance(template, str) or _LONG_NUMBER.search(template):
        return Template(as_text(template))
    if isinstance(arguments, ListValue) and not arguments.is_open:
        values: Sequence[Value] = arguments.members
    elif isinstance(arguments, DictValue):
        return _percent_by_name(template, arguments)
    else:
        values = [arguments]
    if _may_be_long(template, values):
        return UNKNOWN
    if not all(isinstance(value, str | int | float) for value in values):
        holes = iter(values)
        text = _PERCENT_FIELD.sub(lambda _: as_text(next(holes, HOLE)), template)
        return text_value(text, is_exact=False)
    try:
        return text_value(template % tuple(values), is_exact=True)
    except (ValueError, TypeError, KeyError):
        return Template(template)


def _percent_by_name(template: str, arguments: DictValue) -> Value:
    values = {
        name: value
        for name, value in arguments.entries.items()
        if isinstance(value, str | int | float)
    }
    if _may_be_long(template, [*values.values()]):
        return UNKNOWN
    try:
        return text_value(template % values, is_exact=not arguments.is_open)
    except (ValueError, TypeError, KeyError):
        return Template(template)
