"""Measured and simulated evenings side by side, as a table in Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.load.figures import Figures

ROWS = {
    "requests": "requests",
    "p95 of pages, s": "pages_p95",
    "p95 of submissions, s": "submissions_p95",
    "p95 of polls, s": "polls_p95",
    "median wait of an audit, s": "wait_p50",
    "p95 of waits, s": "wait_p95",
    "last report read after, s": "last_read",
}
PROGRAMS = ("web", "postgres", "worker")


def comparison_of(pairs: Sequence[tuple[Figures, Figures]]) -> str:
    """Return each figure as measured / simulated, and how far the simulation is off."""
    heads = " | ".join(
        f"{measured.students} students, {measured.cores:.2f} cores" for measured, _ in pairs
    )
    lines = [f"| measured / simulated | {heads} |", "|---" * (len(pairs) + 1) + "|"]
    for name, field in ROWS.items():
        figures = [
            (getattr(measured, field), getattr(simulated, field)) for measured, simulated in pairs
        ]
        lines.append(f"| {name} | {' | '.join(_cells(figures))} |")
    for program in PROGRAMS:
        busy = [(measured.busy[program], simulated.busy[program]) for measured, simulated in pairs]
        lines.append(f"| cores busy, {program} | {' | '.join(_cells(busy))} |")
    return "\n".join(lines)


def _cells(figures: Sequence[tuple[float, float]]) -> Iterator[str]:
    for measured, simulated in figures:
        off = f"{simulated / measured - 1:+.0%}" if measured else "-"
        yield f"{measured:.3g} / {simulated:.3g} ({off})"
