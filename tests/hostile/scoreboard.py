"""A pytest plugin (`-p tests.hostile.scoreboard`): what was tried, what came of it, and what it
cost at worst.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

MEBIBYTE = 1024 * 1024
HEADS = ("tried", "as expected", "worst s", "worst MB", "connections", "files outside", "unescaped")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    rows: dict[str, list[tuple[bool, dict[str, Any]]]] = {}
    for passed, toll in _tolls(terminalreporter):
        rows.setdefault(toll["kind"], []).append((passed, toll))
    if not rows:
        return
    rows["all"] = [case for cases in rows.values() for case in cases]
    terminalreporter.section("hostile input")
    terminalreporter.write_line(" " * 14 + "".join(f"{head:>15}" for head in HEADS))
    for kind, cases in rows.items():
        terminalreporter.write_line(f"{kind:14}" + "".join(f"{cell:>15}" for cell in _cells(cases)))


def _tolls(reporter: pytest.TerminalReporter) -> Iterator[tuple[bool, dict[str, Any]]]:
    for outcome in ("passed", "failed"):
        for report in reporter.getreports(outcome):
            if report.when == "call":
                tolls = (value for name, value in report.user_properties if name == "hostile")
                yield from ((outcome == "passed", toll) for toll in tolls)


def _cells(cases: list[tuple[bool, dict[str, Any]]]) -> tuple[str, ...]:
    tolls = [toll for _, toll in cases]
    return (
        str(sum(toll["cases"] for toll in tolls)),
        str(sum(toll["cases"] for passed, toll in cases if passed)),
        f"{max(toll['seconds'] for toll in tolls):.1f}",
        str(max(toll["memory"] for toll in tolls) // MEBIBYTE),
        *(
            str(sum(toll[name] for toll in tolls))
            for name in ("connections", "outside", "unescaped")
        ),
    )
