"""Audit repositories with hand-made labels, and print the agreement of reports and labels.

`python -m benchmarks.cohort --repos DIR --labels DIR`: DIR/OWNER+NAME/repo are git directories,
DIR/OWNER+NAME.json are labels {repo, head, pdf, facts, scores}. Nothing is fetched.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from time import perf_counter
from typing import Any

from benchmarks.agreement import (
    Overlap,
    agreement_of,
    f1_of,
    overlap,
    print_criteria,
    scalars,
    sets,
)
from benchmarks.labelled_work import LabelledWork, labelled_work

# Lines of the list of worst scores.
WORST = 12
# Rounds that a constitution may ask for at most, and the first.
MOST_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class LabelledAudit:
    """One repository: a person's label, and the report of the audit ({} when there is none)."""

    name: str
    label: Mapping[str, Any]
    report: Mapping[str, Any]

    @property
    def scores(self) -> Iterator[tuple[str, int | None, int | None]]:
        """(criterion, label, report); None is no score."""
        reported = {row["id"]: row["final_score"] for row in self.report.get("criteria", ())}
        for criterion, labelled in self.label["scores"].items():
            yield criterion, labelled["score"], reported.get(criterion)


def main() -> None:
    cli = argparse.ArgumentParser(prog="python -m benchmarks.cohort", description=__doc__)
    cli.add_argument("--repos", type=Path, required=True)
    cli.add_argument("--labels", type=Path, required=True)
    options = cli.parse_args()

    with tempfile.TemporaryDirectory(prefix="cohort-") as folder:
        audits = [
            _audit(labelled_work(path, options.repos, Path(folder)))
            for path in sorted(options.labels.glob("*.json"))
        ]

    _print_facts(audits)
    _print_sets(audits)
    _print_scores(audits)
    _print_judges([row for audit in audits for row in audit.report.get("criteria", ())])


def _audit(work: LabelledWork) -> LabelledAudit:
    begin = perf_counter()
    done = work.audit()
    seconds = perf_counter() - begin
    print(f"{work.name}: exit {done.returncode} in {seconds:.1f} s {_last_line(done.stderr)}")
    file = work.report_file
    return LabelledAudit(
        work.name, work.label, json.loads(file.read_text("utf-8")) if file.exists() else {}
    )


def _last_line(text: str) -> str:
    return next(reversed(text.strip().splitlines()), "")


def _print_facts(audits: list[LabelledAudit]) -> None:
    agreed: dict[str, list[bool]] = {}
    print("\nscalar facts")
    for audit in audits:
        expected, reported = scalars(audit.label["facts"]), scalars(audit.report.get("facts", {}))
        for name, value in expected.items():
            agreed.setdefault(name, []).append(value == reported[name])
            if value != reported[name]:
                print(f"  {audit.name} {name}: label {value!r}, report {reported[name]!r}")

    for name, results in agreed.items():
        print(f"{name:34} {sum(results)}/{len(results)}")

    total = [result for results in agreed.values() for result in results]
    print(f"scalar accuracy {fmean(total) if total else 0:.3f} over {len(total)}")


def _print_sets(audits: list[LabelledAudit]) -> None:
    overlaps: dict[str, list[Overlap]] = {}
    print("\nsets")
    for audit in audits:
        expected, reported = sets(audit.label["facts"]), sets(audit.report.get("facts", {}))
        for name, members in expected.items():
            overlaps.setdefault(name, []).append(overlap(members, reported[name]))
            if members != reported[name]:
                missed, extra = (
                    sorted(map(str, odd))[:6]
                    for odd in (members - reported[name], reported[name] - members)
                )
                print(f"  {audit.name} {name}: missed {missed}, extra {extra}")

    for name, items in overlaps.items():
        total = sum(items, Overlap(0, 0, 0))
        print(
            f"{name:34} F1 {f1_of(name, items):.3f} "
            f"(found {total.common}, extra {total.extra}, missed {total.missed})"
        )


def _print_scores(audits: list[LabelledAudit]) -> None:
    rows = [(audit.name, *score) for audit in audits for score in audit.scores]
    both = [
        (name, criterion, label, report)
        for name, criterion, label, report in rows
        if label is not None and report is not None
    ]
    pairs = [(label, report) for _, _, label, report in both]
    one_sided = sum((label is None) != (report is None) for _, _, label, report in rows)
    print("\nscores of the heuristic bench, the worst first")

    for name, criterion, label, report in sorted(both, key=lambda row: -abs(row[2] - row[3]))[
        :WORST
    ]:
        if label != report:
            print(f"  {name} {criterion}: label {label}, report {report}")

    print_criteria(both)
    print(f"{agreement_of(pairs)} scored by one side only {one_sided}")


def _print_judges(criteria: list[Mapping[str, Any]]) -> None:
    """Print how far the judges lie apart, in the first round and at the end."""
    rounds = [[_spread(row, last) for row in criteria] for last in (1, MOST_ROUNDS)]
    first, final = (
        [sum(spread == points for spread in spreads) for points in range(5)] for spreads in rounds
    )
    heard = sum(any(o["round"] > 1 for o in row["opinions"]) for row in criteria)
    dissent = fmean(bool(row["dissent"]) for row in criteria) if criteria else 0
    print(f"\ncriteria by spread of 0 to 4 points: first round {first}, at the end {final}")
    print(f"heard again {heard} of {len(criteria)}, with a dissent {dissent:.2f}")


def _spread(row: Mapping[str, Any], last: int) -> int | None:
    """Return the spread of the opinions after this round; None where no judge gave a score."""
    # Opinions come by round, so a later one replaces that of the same judge.
    scores = {
        o["judge"]: o["score"]
        for o in row["opinions"]
        if o["score"] is not None and 1 <= o["round"] <= last
    }
    return max(scores.values()) - min(scores.values()) if scores else None


if __name__ == "__main__":
    main()
