"""One audit with the bench that the environment describes: `python -m benchmarks.timed_audit REPO
[PDF]`.

Prints the seconds from the first judge's call to the last answer, as the court itself sees them.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from time import perf_counter

from courtroom.cli import bench_of
from courtroom.graph.wiring import JUDGES
from courtroom.models.case import Case
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.run_audit import hold_audit
from courtroom.synthesis.constitutions import constitution_of


async def judged_within(repository: str, pdf: Path | None) -> float:
    rubric, began, ended = shipped_rubric("self_audit"), None, 0.0
    case = Case(
        repo_url=repository,
        pdf=pdf,
        rubric=rubric,
        constitution=constitution_of(rubric),
        allow_local=True,
    )
    async for event in hold_audit(case, bench=bench_of("llm", os.environ)):
        if event.stage in JUDGES.values():
            began = began or perf_counter()
        if event.kind == "opinion":
            ended = perf_counter()
    return ended - (began or ended)


if __name__ == "__main__":
    given = sys.argv[2:3]
    print(asyncio.run(judged_within(sys.argv[1], Path(given[0]) if given else None)))
