"""Time the offline audit of a small submission against its necessary parts, then the detectives."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks import detectives
from benchmarks.material import report, repository
from benchmarks.stopwatch import in_turn, median_of

# Odd, so that the median is a run.
RUNS = 7


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        whole_audit(Path(name))
        detectives.compare(Path(name))


def whole_audit(folder: Path) -> None:
    source, pdf = repository(folder, files=20), report(folder, pages=10)
    audit = [
        sys.executable,
        "-m",
        "courtroom",
        str(source),
        "--pdf",
        str(pdf),
        "--allow-local",
        "--quiet",
    ]
    libraries = [sys.executable, "-c", "import langgraph.graph"]
    clone = [
        "git",
        "clone",
        "--quiet",
        "--bare",
        "--no-local",
        str(source),
        str(folder / "clone.git"),
    ]
    # git refuses to clone into a folder that exists.
    drop = ["sh", "-c", f'rm -rf {folder / "clone.git"}; exec "$0" "$@"', *clone]

    audits, imports, clones = in_turn([audit, libraries, drop], runs=RUNS)
    wall, floor, cloned = (median_of(runs, "wall") for runs in (audits, imports, clones))
    print(f"offline audit, 20 Python files and a 10-page PDF, {RUNS} runs, medians")
    cpu, peak = median_of(audits, "cpu"), median_of(audits, "peak_mb")
    print(f"  wall {wall:.2f} s   cpu {cpu:.2f} s   peak {peak:.0f} MB")
    print(f"  importing langgraph alone {floor:.2f} s: ratio {wall / floor:.2f}")
    print(f"  a bare clone alone {cloned:.3f} s: ratio {wall / cloned:.1f}")


if __name__ == "__main__":
    main()
