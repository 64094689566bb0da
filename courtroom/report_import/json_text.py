"""JSON that strangers wrote: bounded in depth and numbers, with the line of each part."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from courtroom.models.errors import ReportRefused
from courtroom.report_import.text_cleaning import shown
from courtroom.rubric_import.json_lines import JsonPath, lines_of

# The deepest report known from practice has 9.
MOST_LEVELS = 100
MOST_PARTS = 200_000
LONGEST_NUMBER = 30
_BEGINS = re.compile(r'\s*(?:\{\s*(?:"|\})|\[\s*(?:[\{\[\]"\d]|true|false|null))')


def looks_like_json(text: str, name: str) -> bool:
    """Whether a text is to be read as JSON, by its beginning; a list of Markdown may begin with a bracket too."""
    return _BEGINS.match(text[:2000]) is not None and (
        name.lower().endswith(".json") or not text.lstrip().startswith("[")
    )


def parsed(text: str) -> Any:
    """The value. Raises ReportRefused: report_invalid_json. Numbers out of bounds, NaN and Infinity become null."""
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
    _bound(data)
    return _shown(data)


def lines_by_path(text: str) -> Mapping[JsonPath, int]:
    """The 1-based line of each part of a text that was parsed."""
    return lines_of(text)


def _number(written: str) -> float | int | None:
    if len(written) > LONGEST_NUMBER:
        return None
    number = float(written)
    return (
        int(number)
        if number.is_integer() and abs(number) < 1e15
        else number
        if abs(number) < 1e15
        else None
    )


def _bound(data: Any) -> None:
    """Raises ReportRefused when the value is nested too deeply or has too many parts."""
    level, parts = [data], 0
    for _ in range(MOST_LEVELS):
        level = [part for whole in level for part in _within(whole)]
        parts += len(level)
        if not level:
            return
        if parts > MOST_PARTS:
            raise ReportRefused(
                "report_too_large",
                f"The report has more than {MOST_PARTS} parts. Give the report alone, without its raw evidence.",
            )
    raise _too_deep()


def _shown(data: Any) -> Any:
    """The value with its strings as they are seen: escapes bring back what the text was rid of."""
    if isinstance(data, str):
        return shown(data)
    if isinstance(data, dict):
        return {shown(key): _shown(part) for key, part in data.items()}
    return [_shown(part) for part in data] if isinstance(data, list) else data


def _within(whole: Any) -> list[Any]:
    if isinstance(whole, dict):
        return list(whole.values())
    return whole if isinstance(whole, list) else []


def _too_deep() -> ReportRefused:
    return ReportRefused(
        "report_invalid_json", f"The report is nested deeper than {MOST_LEVELS} levels."
    )
