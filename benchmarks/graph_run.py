"""Print what LangGraph does with the graphs of submissions, run with empty nodes.

    python -m benchmarks.graph_run --repos DIR [--labels DIR] [WORD ...]

DIR/OWNER+NAME/repo are git directories. With labels (OWNER+NAME.json) those that have one are read
at the labelled commit, otherwise all at HEAD; with words, those whose names hold one of them. Every
statement is there to be read against the code.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from courtroom.analysis.git.snapshot import Snapshot
from courtroom.analysis.survey import Survey, survey_repository
from courtroom.checks.graph_run import Fault, GraphRun, graph_run
from courtroom.models.case import Limits

FAULTS: tuple[Fault, ...] = get_args(Fault)
WORDS = {True: "sound", False: "FAULT", None: "open"}


def main() -> None:
    cli = argparse.ArgumentParser(prog="python -m benchmarks.graph_run", description=__doc__)
    cli.add_argument("--repos", type=Path, required=True)
    cli.add_argument("--labels", type=Path)
    cli.add_argument("words", nargs="*")
    options = cli.parse_args()

    for name, git_dir, commit in _works(options.repos, options.labels):
        if not options.words or any(word in name for word in options.words):
            snapshot = Snapshot(git_dir.absolute(), commit, None, malformed_objects=False)
            _print_run(name, survey_repository(snapshot, (), Limits()))


def _works(repos: Path, labels: Path | None) -> Iterator[tuple[str, Path, str]]:
    for git_dir in sorted(repos.glob("*/repo")):
        name = git_dir.parent.name
        if labels is None:
            head = ["git", "--git-dir", str(git_dir), "rev-parse", "HEAD"]
            done = subprocess.run(head, capture_output=True, text=True, check=True)
            yield name, git_dir, done.stdout.strip()
        elif (label := labels / f"{name}.json").exists():
            yield name, git_dir, json.loads(label.read_text("utf-8"))["head"]


def _print_run(name: str, survey: Survey) -> None:
    print(f"\n{name}")
    fact = survey.facts["graph_run"]
    if fact is None:
        print(f"  not run: {survey.reasons['graph_run']}")
        return

    print(f"  {fact['combinations']} combinations of routes")
    for node, steps in fact["steps"].items():
        print(f"  {node:28} {', '.join(map(str, steps)) or 'never'}")
    for fault in FAULTS:
        finding = graph_run(GraphRun(id=fault, goal=fault, faults=(fault,)), survey)
        print(f"  {fault:10} {WORDS[finding.met]}  {'' if finding.met else finding.reason}")


if __name__ == "__main__":
    main()
