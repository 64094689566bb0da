"""Time model judges against an endpoint of 1.0 s per call: `python -m benchmarks.judges`.

Every run is a whole audit in a process of its own. The seconds run from the first judge's call to
the last answer. Then what an audit costs, at the prices below, when every judge that may ask does.
Arguments are repositories, or REPOSITORY=REPORT.pdf: their audits only measure the costs.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.material import report, repository

# Odd, so that the median is a run.
RUNS = 5
# Time of each call at the endpoint.
SECONDS = 1.0
# Seconds without and with one call of each criterion first, the screening included; dollars
# without and with a cache.
SECONDS_AT_MOST = {"cold": 2.7, "warm": 2.7}
DOLLARS_AT_MOST = {"without a prefix cache": 0.08, "with one": 0.05}
# US dollars for a million tokens.
PRICE = {"input": 0.25, "cached_input": 0.025, "output": 2.0}
NO_CACHE = PRICE | {"cached_input": PRICE["input"]}


def audit(arguments: list[str], *, seconds: float, **environment: str) -> dict[str, Any]:
    """Run one audit; return the endpoint's counts and the seconds of the judges."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.endpoint", str(seconds)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as endpoint:
        assert endpoint.stdin
        assert endpoint.stdout
        models = dict.fromkeys(("PROSECUTOR_MODEL", "DEFENSE_MODEL", "TECH_LEAD_MODEL"), "model")
        url = f"http://127.0.0.1:{endpoint.stdout.readline().strip()}/v1"
        timed = subprocess.run(
            [sys.executable, "-m", "benchmarks.timed_audit", *arguments],
            env=os.environ
            | models
            | {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": url}
            | environment,
            capture_output=True,
            text=True,
            check=True,
        )
        endpoint.stdin.close()
        return json.loads(endpoint.stdout.readline()) | json.loads(timed.stdout)


def show(name: str, runs: list[dict[str, Any]]) -> None:
    seconds = sorted(run["seconds"] for run in runs)
    calls, flight = {run["calls"] for run in runs}, min(run["in_flight"] for run in runs)
    print(
        f"  {name}: median {median(seconds):.2f} s ({seconds[0]:.2f} to {seconds[-1]:.2f}), "
        f"calls {calls}, in flight {flight} or more"
    )


def speed(folder: Path) -> None:
    source, pdf = repository(folder, files=20), report(folder, pages=10)
    arguments = [str(source), str(pdf)]
    print(
        f"10 criteria, 3 judges, {SECONDS} s per call, {RUNS} runs; "
        "from the first call to the last answer"
    )

    for name, goal, environment in (
        ("all at once", SECONDS_AT_MOST["cold"], {}),
        (
            "one call of each criterion first",
            SECONDS_AT_MOST["warm"],
            {"MODEL_CACHES_PREFIXES": "true"},
        ),
        ("one call of a judge for all criteria", None, {"JUDGES_BATCH": "per_judge"}),
    ):
        # Asking adds calls: here the 30 of every audit are timed.
        once = environment | {"JUDGES_MAY_ASK": "false"}
        show(
            f"{name}{f' (at most {goal} s)' if goal else ''}",
            [audit(arguments, seconds=SECONDS, **once) for _ in range(RUNS)],
        )


def cost(name: str, arguments: list[str]) -> dict[str, float]:
    """Print tokens and dollars of one audit, without and with a prefix cache; return the dollars."""
    dollars = {}
    for kind, price, warm_up in (
        ("without a prefix cache", NO_CACHE, "false"),
        ("with one", PRICE, "true"),
    ):
        run = audit(
            arguments,
            # Long enough for the order of calls to be that of the warm-up.
            seconds=0.05,
            MODEL_PRICES=json.dumps({"model": price}),
            MODEL_CACHES_PREFIXES=warm_up,
        )
        usage = run["usage"]
        cached = usage["cached_tokens"] if warm_up == "true" else 0
        dollars[kind] = usage["cost_usd"]
        print(
            f"  {name}, {kind}: {usage['calls']} calls, {usage['prompt_tokens']:,} tokens in"
            f" ({cached:,} cached), {usage['completion_tokens']:,} out: ${usage['cost_usd']:.4f}"
        )
    return dollars


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        speed(Path(folder))
        print("costs of one audit in which every judge that may ask does")
        cost("the generated repository", [str(repository(Path(folder), files=24))])

    works = [argument.split("=", 1) for argument in sys.argv[1:]]
    bills = [cost(Path(work[0]).parent.name, work) for work in works]
    for kind, limit in DOLLARS_AT_MOST.items() if bills else ():
        amounts = sorted(bill[kind] for bill in bills)
        print(
            f"  {len(bills)} repositories, {kind}: median ${median(amounts):.4f},"
            f" most ${amounts[-1]:.4f} (at most ${limit})"
        )


if __name__ == "__main__":
    main()
