"""A real audit of 30 opinions, judged by llama.cpp's own server with a model of random weights.

    python3 -m venv .venv/llama
    .venv/llama/bin/pip install xllamacpp==2026.10.11549 gguf==0.19.0
    .venv/bin/python -m benchmarks.llama_cpp .venv/llama/bin/python REPOSITORY

The model answers rubbish in the form that its grammar enforces. So what is shown is the protocol:
in which form it was asked, and that every answer is a score with citations or a typed failure.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from courtroom.judges.connection_trial import try_models
from courtroom.models.audit_report import AuditReport
from courtroom.models.case import BenchSettings, Case
from courtroom.models.judge_answer import PERSONAS
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.run_audit import hold_audit
from courtroom.synthesis.constitutions import constitution_of

SERVER = Path(__file__).parent / "llama_server.py"
# Small, because a model of characters reads and writes one token for each. The server takes two calls
# at a time, and the deadline includes the waiting for it.
EXHIBIT_CHARACTERS, ANSWER_TOKENS, DEADLINE_SECONDS = 1000, 200, 900.0


@contextmanager
def llama_server(python: str) -> Iterator[str]:
    """Yield the address of the server, started by the Python that has its packages."""
    process = subprocess.Popen(
        [python, str(SERVER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.stdin.close()
        process.wait()


def settings_of(address: str) -> BenchSettings:
    return BenchSettings.model_validate(
        {
            "kind": "llm",
            "models": dict.fromkeys(PERSONAS, "random"),
            "api_key": "none",
            "base_url": f"{address}/v1",
            "concurrency": 2,
            "deadline_seconds": DEADLINE_SECONDS,
            "max_completion_tokens": ANSWER_TOKENS,
            "exhibit_characters": EXHIBIT_CHARACTERS,
            "screen": False,
        }
    )


async def audit(repository: str, bench: BenchSettings) -> AuditReport:
    rubric = shipped_rubric("self_audit")
    case = Case(
        repo_url=repository,
        rubric=rubric,
        constitution=constitution_of(rubric),
        allow_local=True,
    )
    report = None
    async for event in hold_audit(case, bench=bench):
        report = event.report or report
        if event.kind == "opinion":
            print(".", end="", file=sys.stderr, flush=True)
    assert report is not None
    return report


async def show_trial(bench: BenchSettings) -> None:
    async for trial in try_models(bench):
        answer = trial.answer or f"{trial.failure}: {trial.message}"
        print(f"trial: {answer!r} in {trial.seconds:.2f} s, {dict(trial.usage.answer_forms)}")


def show(report: AuditReport, seconds: float) -> None:
    rows = [row for criterion in report.criteria for row in criterion.opinions]
    outcomes = Counter(row.failure or f"score {row.score}" for row in rows)
    print(f"{len(rows)} opinions in {seconds:.0f} s: {dict(sorted(outcomes.items()))}")
    print(f"status {report.status}, overall score {report.overall_score}")
    print(f"usage {report.usage.model_dump(exclude_defaults=True)}")
    for message in sorted({row.argument for row in rows if row.failure})[:5]:
        print(f"  {message}")


def main() -> None:
    python, repository = sys.argv[1:3]
    with llama_server(python) as address:
        bench = settings_of(address)
        asyncio.run(show_trial(bench))
        start = perf_counter()
        report = asyncio.run(audit(repository, bench))
        show(report, perf_counter() - start)


if __name__ == "__main__":
    main()
