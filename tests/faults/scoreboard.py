"""A pytest plugin (`-p tests.faults.scoreboard`): faults tried, their outcome and recovery time."""

import pytest

HEADS = ("tried", "as expected", "worst s")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    rows: dict[str, list[tuple[bool, float]]] = {}
    for outcome in ("passed", "failed"):
        for report in terminalreporter.getreports(outcome):
            faults = [value for name, value in report.user_properties if name == "fault"]
            if report.when == "call" and faults:
                case = (outcome == "passed", max(fault["seconds"] for fault in faults))
                rows.setdefault(faults[0]["kind"].replace("_", " "), []).append(case)

    if rows:
        _print(terminalreporter, dict(sorted(rows.items())))


def _print(reporter: pytest.TerminalReporter, rows: dict[str, list[tuple[bool, float]]]) -> None:
    rows = rows | {"all": [case for cases in rows.values() for case in cases]}
    reporter.section("faults")
    reporter.write_line(" " * 72 + "".join(f"{head:>12}" for head in HEADS))

    for kind, cases in rows.items():
        cells = (
            len(cases),
            sum(passed for passed, _ in cases),
            f"{max(seconds for _, seconds in cases):.1f}",
        )
        reporter.write_line(f"{kind[:71]:72}" + "".join(f"{cell:>12}" for cell in cells))
