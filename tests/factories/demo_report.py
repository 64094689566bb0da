"""Report of a demo student's work, as the offline bench judges it: as long as real ones are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from courtroom.models.case import Case
from courtroom.rubric_import.shipped_rubrics import load_shipped
from courtroom.run_audit import hold_audit
from courtroom.synthesis.constitutions import constitution_of
from grading.demo.reports import write_report
from grading.demo.stories import publish_repository


async def demo_report(work: str, folder: Path) -> dict[str, Any]:
    """Audit the work of this name with its PDF. Takes about three seconds."""
    publish_repository(work, folder / "work.git")
    rubric = load_shipped("self_audit")
    case = Case(
        repo_url=str(folder / "work.git"),
        pdf=write_report(work, folder / "report.pdf"),
        rubric=rubric,
        constitution=constitution_of(rubric),
        allow_local=True,
    )
    return [event.report async for event in hold_audit(case) if event.report][-1].as_json()
