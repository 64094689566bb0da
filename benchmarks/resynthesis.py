"""200 stored reports of ten criteria judged again in one process: `python -m
benchmarks.resynthesis`.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.material import report, repository
from courtroom.models.case import Case
from courtroom.models.record import AuditReport
from courtroom.replay.resynthesis import resynthesise
from courtroom.replay.rubric_preview import RubricRevision, preview_rubric
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.run_audit import hold_audit
from courtroom.synthesis.constitutions import preset

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
    texts = [asyncio.run(stored())] * REPORTS
    for name in ("default", "opinions-only"):
        judge_again(texts, name)
    foresee_change(texts)


def judge_again(texts: list[str], name: str) -> None:
    """The whole report anew, sealed; one at a time, as they come from a store."""
    rubric, rules = shipped_rubric("self_audit"), preset(name)
    begin, cpu = perf_counter(), process_time()
    digests = [
        resynthesise(AuditReport.model_validate_json(t), rubric, rules).digest for t in texts
    ]
    show(f"{len(digests)} reports judged again under {name}", begin, cpu)


def foresee_change(texts: list[str]) -> None:
    """What an instructor is shown before publishing: the verdicts only, from reports that are
    parsed already.
    """
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
    for what, criteria in (("weights of criteria", heavier), ("weights of every check", reworded)):
        revision = RubricRevision(rubric, rubric.model_copy(update={"criteria": tuple(criteria)}))
        documents = [json.loads(text) for text in texts]
        begin, cpu = perf_counter(), process_time()
        scores = [
            preview_rubric(one, revision, preset("default")).verdict.overall_score
            for one in documents
        ]
        show(f"{len(scores)} reports foreseen with other {what}", begin, cpu)


def show(what: str, begin: float, cpu: float) -> None:
    print(
        f"{what}: {perf_counter() - begin:.2f} s, {process_time() - cpu:.2f} s of CPU (at most {AT_MOST_SECONDS} s)"
    )


if __name__ == "__main__":
    main()
