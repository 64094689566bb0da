"""Reports of an xdist worker, sent only where the process that prints them reads them.

Of each test a worker sends six messages. A run without details prints what came of the test alone:
the report of its call, and those of a setup or teardown that did not pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

# Its hooks send the messages (xdist/remote.py, which gives it no name).
SENDER = "WorkerInteractor"
UNREAD = ("pytest_runtest_logstart", "pytest_runtest_logfinish")


def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    if not hasattr(config, "workerinput") or has_details(config):
        return

    for sending in _hooks(config, "pytest_runtest_logreport"):
        sending.function = _only_what_counts(sending.function)
    for name in UNREAD:
        for sending in _hooks(config, name):
            sending.function = _send_nothing


def has_details(config: pytest.Config) -> bool:
    """Return whether the run prints or writes more of a test than what came of it."""
    option = config.option
    # 0 asks for all durations.
    has_durations = option.durations is not None
    return has_durations or option.verbose > 0 or bool(option.xmlpath)


def is_read(report: pytest.TestReport) -> bool:
    """Return whether a run without details counts the report, or may show what it holds."""
    return report.when == "call" or not report.passed or bool(report.sections)


def _hooks(config: pytest.Config, name: str) -> list[Any]:
    """Return the sender's hooks; pluggy declares their functions final."""
    hooks = getattr(config.hook, name).get_hookimpls()
    return [hook for hook in hooks if type(hook.plugin).__name__ == SENDER]


def _only_what_counts(send: Callable[..., object]) -> Callable[..., object]:
    def send_report(report: pytest.TestReport) -> None:
        if is_read(report):
            send(report)

    return send_report


def _send_nothing(*_: object) -> None:
    """Leave the beginning and the end of a test to its report."""
