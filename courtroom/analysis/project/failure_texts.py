"""Texts of the work's code that stand in for a judge's argument, and where they stand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from courtroom.analysis.project.repeated_arguments import without_score
from courtroom.analysis.python.tree_walk import constant_text, fields_of, walk

if TYPE_CHECKING:
    from courtroom.analysis.python.source_files import SourceFile

ARGUMENTS = ("argument", "reasoning", "rationale", "justification", "explanation", "opinion")
# A text of fewer characters in the code stands in many arguments by chance.
LEAST_WRITTEN = 12
_FAILED = re.compile(
    r"\b(?:errors?|fail(?:ed|ure|ing)?|exception|exceeded|unavailable|incomplete|unable|skipped"
    r"|timed out|could not|cannot)\b",
    re.IGNORECASE,
)


def failure_texts(sources: Iterable[SourceFile]) -> tuple[str, ...]:
    """Return how arguments begin that an exception handler writes beside a score."""
    handlers = (
        handler
        for source in sources
        if "score" in source.text and "except" in source.text
        for handler in walk(source.tree)
        if isinstance(handler, ast.ExceptHandler)
    )
    return tuple(dict.fromkeys(text for handler in handlers for text in _beginnings(handler)))


def _beginnings(handler: ast.ExceptHandler) -> Iterator[str]:
    for node in walk(handler):
        fields = fields_of(node)
        value = next((fields[name] for name in ARGUMENTS if name in fields), None)
        if value is None or "score" not in fields:
            continue
        for option in (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,):
            texts = [constant_text(part) or "" for part in getattr(option, "values", [option])]
            begin = words_in(texts[0]) if texts else ""
            if len(begin) >= LEAST_WRITTEN and _FAILED.search(" ".join(texts)):
                yield begin


def origin_of(argument: str, code: Sequence[SourceFile]) -> str:
    """Return the place of the argument in the code, and the score beside it; "" for no place."""
    written = words_in(argument)
    for source in code:
        for text, line, score in _stand_ins(source):
            if text in written:
                return f"{source.path}:{line}, which gives it a score of {score}"
    for source in code:
        for constant, _ in source.strings:
            if isinstance(constant.value, str) and words_in(constant.value) == without_score(
                written
            ):
                return f"{source.path}:{constant.lineno}"
    return ""


def _stand_ins(source: SourceFile) -> Iterator[tuple[str, int, object]]:
    """Yield text, line and score of calls and dictionaries that hold a text and a fixed score."""
    for node in walk(source.tree):
        fields = fields_of(node)
        score = fields.pop("score", None)
        if not isinstance(score, ast.Constant):
            continue
        for value in fields.values():
            # A judge's name may stand before this text, and an error's own text behind it.
            parts = (part for part in walk(value) if isinstance(part, ast.Constant))
            texts = [(words_in(p.value), p.lineno) for p in parts if isinstance(p.value, str)]
            text, line = max(texts, key=lambda row: len(row[0]), default=("", 0))
            if len(text) >= LEAST_WRITTEN:
                yield text, line, score.value


def words_in(text: str) -> str:
    """Return the text with one space between its words."""
    return " ".join(text.split())
