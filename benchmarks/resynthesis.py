"""Time 200 stored reports judged again in one process: `python -m benchmarks.resynthesis`."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.material import report, repository
from courtroom.models.audit_report import AuditReport
from courtroom.models.case import Case
from courtroom.replay.resynthesis import resynthesise
from courtroom.replay.rubric_preview import RubricRevision, preview_rubric
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.run_audit import hold_audit
from courtroom.synthesis.constitutions import preset

# A large course.
REPORTS = 200
# Goal: an instructor waits for this.
AT_MOST_SECONDS = 2.0


async def stored_report() -> str:
    """Return a report as it is stored: JSON text."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        source, pdf = repository(Path(name), files=20), report(Path(name), pages=10)
        case = Case(
            repo_url=str(source),
            pdf=pdf,
            rubric=shipped_rubric("self_audit"),
            constitution=preset("default"),
            allow_local=True,
        )
        reports = [event.report async for event in hold_audit(case) if event.report]

    # The report is the last event.
    return json.dumps(reports[-1].as_json())


def main() -> None:
    texts = [asyncio.run(stored_report())] * REPORTS
    for name in ("default", "opinions-only"):
        judge_again(texts, name)
    preview_changes(texts)


def judge_again(texts: list[str], name: str) -> None:
    """Resynthesise and seal the whole reports, one at a time, as they come from a store."""
    rubric, rules = shipped_rubric("self_audit"), preset(name)
    begin, cpu = perf_counter(), process_time()
    digests = [
        resynthesise(AuditReport.model_validate_json(t), rubric, rules).digest for t in texts
    ]
    print_times(f"{len(digests)} reports judged again under {name}", begin, cpu)


def preview_changes(texts: list[str]) -> None:
    """Preview the verdicts that an instructor sees before publishing, from parsed reports."""
    rubric = shipped_rubric("self_audit")
    heavier = [criterion.model_copy(update={"weight": 2.0}) for criterion in rubric.criteria]
    reworded = [
        criterion.model_copy(
            update={
                "checks": tuple(
                    c.model_copy(update={"weight": c.weight + 1}) for c in criterion.checks
                )
            }
        )
        for criterion in rubric.criteria
    ]

    for label, criteria in (("weights of criteria", heavier), ("weights of every check", reworded)):
        revision = RubricRevision(rubric, rubric.model_copy(update={"criteria": tuple(criteria)}))
        documents = [json.loads(text) for text in texts]
        begin, cpu = perf_counter(), process_time()
        scores = [
            preview_rubric(document, revision, preset("default")).verdict.overall_score
            for document in documents
        ]
        print_times(f"{len(scores)} reports previewed with other {label}", begin, cpu)


def print_times(label: str, begin: float, cpu: float) -> None:
    wall, busy = perf_counter() - begin, process_time() - cpu
    print(f"{label}: {wall:.2f} s, {busy:.2f} s of CPU (at most {AT_MOST_SECONDS} s)")


if __name__ == "__main__":
    main()
