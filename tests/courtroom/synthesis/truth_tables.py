"""Truth tables of the presets, one CSV each: what a described system decides on each bench.

`default` describes itself: after a change of a rule, `python -m tests.courtroom.synthesis.truth_tables`
writes its table anew, and the diff shows the benches that change.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from courtroom.synthesis.constitutions import preset
from courtroom.synthesis.truth_table import BenchFlags, TruthRow, truth_table

TABLES = Path(__file__).parent / "tables"
Bench = tuple[int, ...]
# Circumstances of the table of `default`.
CIRCUMSTANCES: Mapping[str, BenchFlags] = {
    "plain": BenchFlags(),
    "architecture": BenchFlags(architecture=True),
    "security evidence": BenchFlags(security_evidence=True),
    "unsupported prosecutor": BenchFlags(unsupported="Prosecutor"),
    "unsupported defense": BenchFlags(unsupported="Defense"),
    "unsupported tech lead": BenchFlags(unsupported="TechLead"),
    "weak evidence": BenchFlags(confidence=0.4),
}
COLUMNS = ("circumstance", "prosecutor", "defense", "tech_lead", "score", "decided_by", "reheard")


def read_table(name: str) -> list[dict[str, str]]:
    with (TABLES / f"{name}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def bench_of(row: Mapping[str, str]) -> Bench:
    return tuple(int(row[judge]) for judge in ("prosecutor", "defense", "tech_lead"))


@cache
def decisions(name: str, flags: BenchFlags) -> Mapping[Bench, TruthRow]:
    """Return the decisions of a preset by bench."""
    return {row.scores: row for row in truth_table(preset(name), flags)}


def rows_of_default() -> Iterator[dict[str, str]]:
    for circumstance, flags in CIRCUMSTANCES.items():
        for bench, row in decisions("default", flags).items():
            values = (*bench, row.score, row.decided_by, "yes" if row.is_reheard else "no")
            yield dict(zip(COLUMNS, (circumstance, *map(str, values)), strict=True))


def write_table(name: str, rows: Iterable[Mapping[str, str]]) -> None:
    with (TABLES / f"{name}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    write_table("default", rows_of_default())
