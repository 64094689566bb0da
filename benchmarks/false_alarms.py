"""Print every hit of the danger detectors in these repositories, for a person to judge.

`python -m benchmarks.false_alarms --repos GIT_DIR ...` reads the newest commit of each. Precision
is what a reader finds: the figures and the way they were found stand in docs/false-alarms.md.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from courtroom.analysis.git.snapshot import Snapshot, read_lines
from courtroom.analysis.survey import survey_repository
from courtroom.models.case import MEBIBYTE, Limits

# Large packages are read whole: a file that is left out would hide its hits.
LIMITS = Limits(
    source_file_bytes=4 * MEBIBYTE,
    source_bytes=400 * MEBIBYTE,
    child_memory_bytes=4096 * MEBIBYTE,
    child_cpu_seconds=900,
    child_seconds=1800,
)
LINE_CHARACTERS = 160
# Prefix, and the facts: possible hits are no accusations, and show what a rule sets aside.
KINDS_OF_HITS = (
    ("", "unsafe_calls", "committed_secrets"),
    ("possible: ", "possible_unsafe_calls", "possible_secrets"),
)


def main() -> None:
    cli = argparse.ArgumentParser(prog="python -m benchmarks.false_alarms", description=__doc__)
    cli.add_argument("--repos", type=Path, nargs="+", required=True)

    total: Counter[str] = Counter()
    for git_dir in cli.parse_args().repos:
        total += _print_hits(git_dir.absolute())

    for detector, hits in sorted(total.items()):
        print(f"{detector:40} {hits}")


def _print_hits(git_dir: Path) -> Counter[str]:
    """Print detector, place and line (a secret redacted) of each hit; return hits by detector."""
    snapshot = Snapshot(git_dir, "HEAD", None, malformed_objects=False)
    survey = survey_repository(snapshot, (), LIMITS)
    for code, message in survey.errors:
        print(f"{git_dir}: {code}: {message}")

    hits = sorted(_hits(survey.facts), key=lambda hit: (hit[0], hit[1]["path"], hit[1]["line"]))
    places = [(place["path"], place["line"], place["line"]) for _, place in hits]
    for (detector, place), line in zip(hits, read_lines(snapshot, places), strict=True):
        text = (line or "").strip()[:LINE_CHARACTERS]
        print(f"{detector}\t{git_dir}\t{place['path']}:{place['line']}\t{text}")

    return Counter(detector for detector, _ in hits)


def _hits(facts: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for prefix, calls, secrets in KINDS_OF_HITS:
        yield from ((prefix + call["kind"], call) for call in facts[calls] or ())
        for secret in facts[secrets] or ():
            yield f"{prefix}committed_secret ({secret['kind']})", secret


if __name__ == "__main__":
    main()
