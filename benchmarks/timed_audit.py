"""Run one audit with the bench of the environment: `python -m benchmarks.timed_audit REPO [PDF]`.

Prints one JSON line: the seconds from the first judge's call to the last answer, and the usage.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from courtroom.cli import bench_of
from courtroom.graph.state import JUDGES
from courtroom.models.case import Case
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.run_audit import hold_audit
from courtroom.synthesis.constitutions import constitution_of


async def timed_audit(repository: str, pdf: Path | None) -> dict[str, Any]:
    rubric, began, ended = shipped_rubric("self_audit"), None, 0.0
    usage: dict[str, Any] = {}
    case = Case(
        repo_url=repository,
        pdf=pdf,
        rubric=rubric,
        constitution=constitution_of(rubric),
        allow_local=True,
    )

    # Reading the inputs is not counted.
    async for event in hold_audit(case, bench=bench_of("llm", os.environ)):
        if event.stage in JUDGES.values():
            began = began or perf_counter()
        if event.kind == "opinion":
            ended = perf_counter()
        if event.report is not None:
            usage = event.report.usage.model_dump()

    return {"seconds": ended - (began or ended), "usage": usage}


if __name__ == "__main__":
    pdf_path = Path(sys.argv[2]) if sys.argv[2:] else None
    print(json.dumps(asyncio.run(timed_audit(sys.argv[1], pdf_path))))
