"""200 stored reports of ten criteria judged again in one process: `python -m benchmarks.resynthesis`."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.material import report, repository
from courtroom.case import Case
from courtroom.hearing import hold_audit
from courtroom.justice.constitutions import preset
from courtroom.record import AuditReport
from courtroom.resynthesis import resynthesise
from courtroom.rubric_reading.reader import shipped_rubric

REPORTS = 200
AT_MOST_SECONDS = 2.0


async def stored() -> str:
    """A report as it is stored: JSON text."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        source, pdf = repository(Path(name), files=20), report(Path(name), pages=10)
        case = Case(
            repo_url=str(source),
            pdf=pdf,
            rubric=shipped_rubric("self_audit"),
            constitution=preset("default"),
            allow_local=True,
        )
        told = [event.report async for event in hold_audit(case) if event.report]
    return json.dumps(told[-1].as_json())


def main() -> None:
    rubric, texts = shipped_rubric("self_audit"), [asyncio.run(stored())] * REPORTS
    for name in ("default", "opinions-only"):
        begin, cpu = perf_counter(), process_time()
        reports = [AuditReport.model_validate_json(text) for text in texts]
        read = perf_counter() - begin
        anew = [resynthesise(one, rubric, preset(name)) for one in reports]
        took, cpu = perf_counter() - begin, process_time() - cpu
        print(f"{len(anew)} reports of {len(anew[0].criteria)} criteria under {name}: {took:.2f} s, of which "
              f"{read:.2f} s to read them; {cpu:.2f} s of CPU (at most {AT_MOST_SECONDS} s)")  # fmt: skip


if __name__ == "__main__":
    main()
