"""Measured costs, as `python -m benchmarks.load --costs FILE` writes them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

Seconds = dict[str, float]
MEASURED = Path(__file__).parent / "measured"


@dataclass(frozen=True, slots=True)
class Costs:
    """Processor seconds by program (web, postgres, valkey, the students, worker, ...).

    Of a request by its kind (a submission with its email), of an audit, and of each second in which
    nothing happens. `rows` and `bytes` are what a student leaves.
    """

    requests: dict[str, Seconds]
    audit: Seconds
    idle: Seconds
    rows: dict[str, float]
    bytes: dict[str, float]


def read_costs(file: Path) -> Costs:
    return Costs(**json.loads(file.read_text(encoding="utf-8")))
