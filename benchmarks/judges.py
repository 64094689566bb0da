"""Time model judges against an endpoint of 1.0 s per call: `python -m benchmarks.judges`.

Every run is a whole audit in a process of its own. The seconds run from the first judge's call to
the last answer. Arguments are repositories: their audits only measure the prompts.
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
# Seconds without and with a warm-up call, calls in flight, characters, and their shared part.
GOALS = {"cold": 1.6, "warm": 2.7, "in_flight": 25, "characters": 160_000, "shared": 0.85}


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
        return json.loads(endpoint.stdout.readline()) | {"seconds": float(timed.stdout)}


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
        ("all at once", GOALS["cold"], {}),
        ("one warm-up call first", GOALS["warm"], {"MODEL_CACHES_PREFIXES": "true"}),
        ("one call of a judge for all criteria", None, {"JUDGES_BATCH": "per_judge"}),
    ):
        show(
            f"{name}{f' (at most {goal} s)' if goal else ''}",
            [audit(arguments, seconds=SECONDS, **environment) for _ in range(RUNS)],
        )

    for batch in ("per_criterion", "per_judge"):
        size("the generated repository", audit(arguments, seconds=0, JUDGES_BATCH=batch), batch)


def size(name: str, run: dict[str, Any], batch: str = "per_criterion") -> None:
    share = run["shared"] / max(1, run["characters"])
    print(
        f"  {name}, {batch}: {run['characters']:,} characters in {run['calls']} prompts, "
        f"{share:.0%} shared"
    )


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        speed(Path(folder))

    runs = [audit([path], seconds=0) for path in sys.argv[1:]]
    for path, run in zip(sys.argv[1:], runs, strict=True):
        size(path, run)

    if runs:
        shares = [run["shared"] / run["characters"] for run in runs]
        characters = median(run["characters"] for run in runs)
        print(
            f"  median of {len(runs)}: {characters:,.0f} characters "
            f"(at most {GOALS['characters']:,}), "
            f"{median(shares):.0%} shared (at least {GOALS['shared']:.0%})"
        )


if __name__ == "__main__":
    main()
