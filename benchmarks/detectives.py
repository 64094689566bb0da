"""Time the detectives on a generated repository against a clone and bare parsing of its files.

`python -m benchmarks.detectives` prints times, ratios, peak memory and growth. Each side is a
process of its own: timed from inside without its start, its memory measured from outside with all
its children. The second ratio is that of a process which keeps its readers, as a worker does from
its first audit on; the memory of those cannot be measured, and is that of ordinary children.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from time import perf_counter

from benchmarks.material import repository
from benchmarks.stopwatch import in_turn, median_of

RUNS = 5
# Numbers of Python files.
SIZES = (100, 500, 1000, 2000)
COMMITS = 500
SMALL = 5
# Goals of the project: times the yardstick, and megabytes at the largest size.
GOAL_RATIO, GOAL_MEGABYTES = 2.0, 300


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        compare(Path(name))


def compare(folder: Path) -> None:
    """Measure every size, and print a line for each, the ratios and the growth."""
    print(f"detectives against a bare clone and ast.parse in one process, {RUNS} runs, medians")
    seconds: dict[int, float] = {}
    for size in SIZES:
        source = str(repository(folder, files=size, commits=min(size, COMMITS)))
        sides = [_side(name, source) for name in ("examine", "examine_again", "yardstick")]
        examined, again, floor = in_turn(sides, runs=RUNS)
        seconds[size], kept, least = (
            median_of(runs, "own_seconds") for runs in (examined, again, floor)
        )
        peak = max(run.peak_mb for run in examined)
        print(
            f"  {size:5} files  {seconds[size]:.2f} s, {kept:.2f} s with readers kept,"
            f" against {least:.2f} s: ratio {seconds[size] / least:.2f}, {kept / least:.2f}"
            f" (goal {GOAL_RATIO})   peak {peak:.0f} MB (goal {GOAL_MEGABYTES})"
        )

    _read_this_project()
    first, last = SIZES[0], SIZES[-1]
    print(
        f"  {last // first} times the files take {seconds[last] / seconds[first]:.1f} times as long"
    )


def _read_this_project() -> None:
    """Print what this project itself costs: a graph, judges and rules among thousands of files.

    Repeated walks through all functions of a graph show here, not in generated files.
    """
    project = str(Path(__file__).parents[1])
    [[examined], [floor]] = in_turn(
        [_side(name, project) for name in ("examine", "yardstick")], runs=1
    )
    ratio = examined.own_seconds / floor.own_seconds
    print(
        f"  this project  {examined.own_seconds:.1f} s, {examined.cpu:.1f} s of processor time,"
        f" once: ratio {ratio:.2f}   peak {examined.peak_mb:.0f} MB"
    )


def _side(name: str, source: str) -> list[str]:
    return [sys.executable, "-m", "benchmarks.detectives", name, source]


def examine(source: Path, folder: Path) -> float:
    """Return the seconds from address to dossier: clone, history, survey, checks, verification."""
    # Imported in the function: the yardstick's process must not pay for it.
    from courtroom.analysis.git.snapshot import take_snapshot
    from courtroom.detectives.evidence_aggregator import aggregate
    from courtroom.detectives.repo_investigator import investigate
    from courtroom.detectives.targeting import owed
    from courtroom.inputs import read_repository
    from courtroom.models.case import Limits
    from courtroom.rubric_import.read_rubric import shipped_rubric

    rubric, limits = shipped_rubric("self_audit"), Limits()
    repository_checks = rubric.model_copy(
        update={"criteria": tuple(c for c in rubric.criteria if c.target_artifact == "github_repo")}
    )
    checks = owed(repository_checks)["RepoInvestigator"]

    begin = perf_counter()
    snapshot = take_snapshot(str(source), ref=None, into=folder, limits=limits, allow_local=True)
    result = investigate(read_repository(snapshot, checks, limits), snapshot, checks)
    dossier = aggregate([result], snapshot, repository_checks, None)
    seconds = perf_counter() - begin

    assert dossier.facts.graph is not None, dossier.facts.unknown

    return seconds


def examine_again(source: Path, folder: Path) -> float:
    """Return the seconds of `examine` in a process whose readers have read a small work before."""
    from courtroom.analysis.warm_readers import end_readers, prepare_readers

    small, first, second = (folder / name for name in ("small", "first", "second"))
    for place in (small, first, second):
        place.mkdir()

    prepare_readers()
    try:
        examine(repository(small, files=SMALL), first)
        return examine(source, second)
    finally:
        end_readers()


def yardstick(source: Path, folder: Path) -> float:
    """Return the seconds of a bare clone of the same kind, and of parsing its files in this
    process.
    """
    begin = perf_counter()
    clone = folder / "clone.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", "--no-local", source, clone], check=True)
    names = _git(clone, "ls-tree", "-r", "--name-only", "HEAD").decode().splitlines()
    names_to_read = "".join(f"HEAD:{name}\n" for name in names if name.endswith(".py"))
    trees: list[ast.Module] = []
    for text in _bodies(_git(clone, "cat-file", "--batch", stdin=names_to_read)):
        # This project holds files that are broken on purpose.
        with suppress(SyntaxError):
            trees.append(ast.parse(text))
    seconds = perf_counter() - begin

    assert trees

    return seconds


def _git(clone: Path, *words: str, stdin: str = "") -> bytes:
    done = subprocess.run(
        ["git", "-C", clone, *words], input=stdin.encode(), check=True, capture_output=True
    )
    return done.stdout


def _bodies(output: bytes) -> list[bytes]:
    """Split the output of `git cat-file`."""
    bodies, position = [], 0
    while position < len(output):
        start = output.index(b"\n", position) + 1
        end = start + int(output[position:start].split()[2])
        bodies.append(output[start:end])
        position = end + 1
    return bodies


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        sides = {"examine": examine, "examine_again": examine_again, "yardstick": yardstick}
        side = sides[sys.argv[1]]
        with tempfile.TemporaryDirectory(prefix="benchmark-") as place:
            print(side(Path(sys.argv[2]), Path(place)))
