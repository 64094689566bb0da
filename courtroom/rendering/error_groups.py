"""Errors of a report with the same cause as one line; the report's JSON keeps each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

# More criteria are counted, not named.
MOST_NAMES = 3


class Failure(Protocol):
    """Error as the courtroom's report and the site's hold it."""

    @property
    def stage(self) -> str: ...
    @property
    def code(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def judge(self) -> str | None: ...
    @property
    def criterion(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class ErrorGroup:
    """Errors with one cause: the stages where it struck, the first message, and how often."""

    stages: tuple[str, ...]
    code: str
    message: str
    count: int
    criteria: tuple[str, ...]

    @property
    def extent(self) -> str:
        """Return how often and on which criteria, in words; "" for one error about no criterion."""
        times = f"{self.count} times" if self.count > 1 else ""
        names = ", ".join(self.criteria)
        if len(self.criteria) > MOST_NAMES:
            names = f"{len(self.criteria)} criteria"
        place = f"on {names}" if names else ""
        return ", ".join(part for part in (times, place) if part)


def group_errors(errors: Iterable[Failure]) -> list[ErrorGroup]:
    """Return the groups in the order of their first errors."""
    groups: dict[tuple[str, ...], list[Failure]] = {}
    for error in errors:
        groups.setdefault(_cause(error), []).append(error)
    return [
        ErrorGroup(
            stages=tuple(dict.fromkeys(error.stage for error in group)),
            code=group[0].code,
            message=group[0].message,
            count=len(group),
            criteria=tuple(dict.fromkeys(e.criterion for e in group if e.criterion)),
        )
        for group in groups.values()
    ]


def _cause(error: Failure) -> tuple[str, ...]:
    # Seconds and sums of money differ from call to call.
    return "" if error.judge else error.stage, error.code, re.sub(r"\d+", "#", error.message)
