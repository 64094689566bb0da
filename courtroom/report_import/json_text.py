"""Untrusted JSON: bounded in depth, size and numbers."""

from __future__ import annotations

import json
import re
from typing import Any

from courtroom.models.errors import ReportRefused
from courtroom.report_import.text_cleaning import visible_text

# The deepest report known from practice has 9.
MOST_LEVELS = 100
MOST_VALUES = 200_000
LONGEST_NUMBER = 30
# Beyond this a float no longer counts single units.
LARGEST_NUMBER = 1e15
_JSON_START = re.compile(r'\s*(?:\{\s*(?:"|\})|\[\s*(?:[\{\[\]"\d]|true|false|null))')


def looks_like_json(text: str, name: str) -> bool:
    """Return true for a text that begins as JSON.

    Markdown may begin with a bracket too, so a list counts only in a .json file.
    """
    is_json = _JSON_START.match(text[:2000]) is not None
    return is_json and (name.lower().endswith(".json") or not text.lstrip().startswith("["))


def parse_json(text: str) -> Any:
    """Return the value; numbers out of bounds, NaN and Infinity become null.

    Raises ReportRefused: report_invalid_json, report_too_large.
    """
    try:
        data = json.loads(
            text, parse_constant=lambda _: None, parse_int=_number, parse_float=_number
        )
    except json.JSONDecodeError as error:
        message = (
            f"The report is not valid JSON: line {error.lineno}, column {error.colno}: {error.msg}."
        )
        raise ReportRefused("report_invalid_json", message) from error
    except RecursionError as error:
        raise _too_deep() from error

    _check_size(data)
    return _visible(data)


def _number(digits: str) -> float | int | None:
    # int() refuses more than 4300 digits, and takes time that grows as their square.
    if len(digits) > LONGEST_NUMBER:
        return None

    number = float(digits)
    if not abs(number) < LARGEST_NUMBER:
        return None
    return int(number) if number.is_integer() else number


def _check_size(data: Any) -> None:
    """Raise ReportRefused for a value that is nested too deeply or has too many parts."""
    level, count = [data], 0

    for _ in range(MOST_LEVELS):
        level = [child for parent in level for child in _children(parent)]
        count += len(level)
        if not level:
            return
        if count > MOST_VALUES:
            message = f"The report has more than {MOST_VALUES} JSON values."
            advice = "Upload the report alone, without its raw evidence."
            raise ReportRefused("report_too_large", f"{message} {advice}")
    raise _too_deep()


def _visible(data: Any) -> Any:
    """Clean the strings again: JSON escapes bring back characters that the text was rid of."""
    if isinstance(data, str):
        return visible_text(data)
    if isinstance(data, dict):
        return {visible_text(key): _visible(value) for key, value in data.items()}
    return [_visible(item) for item in data] if isinstance(data, list) else data


def _children(parent: Any) -> list[Any]:
    if isinstance(parent, dict):
        return list(parent.values())
    return parent if isinstance(parent, list) else []


def _too_deep() -> ReportRefused:
    message = f"The report is nested deeper than {MOST_LEVELS} levels."
    return ReportRefused("report_invalid_json", message)
