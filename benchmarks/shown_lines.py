"""Measure how many of the lines that a careful reader named stand in the exhibits of the judges.

`python -m benchmarks.shown_lines --repos DIR --labels DIR`: folders as for benchmarks.cohort. A
reader's `scores.*.why` names places such as `src/state.py:250-299, :75-157`. Nothing is fetched.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from time import process_time

from benchmarks.labelled_work import LabelledWork, labelled_work
from courtroom.analysis.git.snapshot import list_tree
from courtroom.analysis.pdf.read_pdf import read_pdf
from courtroom.exhibits.selection import DEFAULT_ROOM, lay_out
from courtroom.judges.material import ON_WORDING
from courtroom.judges.submitted_text import exhibit_lines
from courtroom.models.case import Limits
from courtroom.models.exhibit import CriterionExhibits
from courtroom.replay.report_reuse import dossier_of
from courtroom.rubric_import.shipped_rubrics import load_shipped

RUBRIC = "self_audit"
GOAL = 0.85
# The repositories on which the selection was tuned; the others were looked at afterwards.
TUNED_ON = 5

_PATH = r"[\w./-]+\.\w{1,8}"
_SPAN = r"\d{1,5}(?:\s?-\s?\d{1,5})?"
# path:10-40, :75-157, "lines 72-85", or numbers alone in brackets, which continue the last path.
_PLACES = re.compile(
    rf"(?P<path>{_PATH})(?::(?P<spans>{_SPAN}(?:,\s?:?{_SPAN})*))?(?![\w/])"
    rf"|(?<![\w.]):(?P<more>{_SPAN}(?:,\s?:?{_SPAN})*)"
    rf"|\blines? (?P<lines>{_SPAN}(?:(?:,| and) {_SPAN})*)"
    rf"|\((?P<bare>{_SPAN}(?:[,;]\s?{_SPAN})*)\)"
    rf"|(?<=[,;] )(?P<tail>{_SPAN})(?=[),;])"
)
_NUMBERS = re.compile(r"(\d{1,5})(?:\s?-\s?(\d{1,5}))?")

Line = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Row:
    """One criterion of one repository: lines named and shown, and characters used.

    `folded` are the shown lines of which a prompt keeps nothing, such as those of docstrings.
    """

    repository: str
    criterion: str
    named: frozenset[Line]
    shown: frozenset[Line]
    characters: int
    folded: frozenset[Line] = frozenset()

    @property
    def share(self) -> float:
        return len(self.named & self.shown) / len(self.named)


def main() -> None:
    cli = argparse.ArgumentParser(prog="python -m benchmarks.shown_lines", description=__doc__)
    cli.add_argument("--repos", type=Path, required=True)
    cli.add_argument("--labels", type=Path, required=True)
    cli.add_argument("--room", type=int, default=DEFAULT_ROOM)
    cli.add_argument("--reports", type=Path, help="keep reports here, and use those that are there")
    cli.add_argument("--only", choices=("tuned", "others"), help="a part of the repositories")
    cli.add_argument("--missed", action="store_true", help="list the lines that are not shown")
    options = cli.parse_args()

    labels = sorted(options.labels.glob("*.json"))
    tuned, others = labels[:TUNED_ON], labels[TUNED_ON:]
    chosen = {"tuned": tuned, "others": others, None: labels}[options.only]
    with tempfile.TemporaryDirectory(prefix="shown-lines-") as folder:
        reports = options.reports or Path(folder)
        works = [labelled_work(path, options.repos, reports) for path in chosen]
        rows = [row for work in works for row in _rows(work, options.room)]

    if options.missed:
        _print_missed(rows)
    _print_repositories(rows)
    names = {path.stem for path in tuned}
    _print_shares(f"the {len(tuned)} tuned on", [row for row in rows if row.repository in names])
    _print_shares("the others", [row for row in rows if row.repository not in names])
    _print_shares("all", rows)


def _rows(work: LabelledWork, room: int) -> Iterator[Row]:
    rubric, limits = load_shipped(RUBRIC), Limits()
    pdf, dossier = work.pdf(), dossier_of(work.report())
    reading = read_pdf(pdf, limits) if pdf else None
    begin = process_time()
    bundles = lay_out(work.snapshot, dossier, rubric, reading, limits=limits, room=room)
    seconds = process_time() - begin
    print(f"{work.name}: exhibits in {seconds:.2f} s of processor time beside the child's")

    on_wording = {c.id for c in rubric.criteria if any(k.kind in ON_WORDING for k in c.checks)}
    paths = [entry.path for entry in list_tree(work.snapshot, limits)]
    for bundle in bundles:
        why = work.label["scores"].get(bundle.criterion_id, {}).get("why", "")
        named = frozenset(named_lines(why, paths))
        yield Row(
            work.name,
            bundle.criterion_id,
            named,
            frozenset(_shown_lines(bundle)),
            sum(exhibit.characters for exhibit in bundle.exhibits),
            frozenset(folded_lines(bundle, shows_strings=bundle.criterion_id in on_wording)),
        )


def named_lines(why: str, paths: Sequence[str]) -> Iterator[Line]:
    """Yield path and line of every place in a sentence; a place without a path continues the last.

    A path may be abbreviated by its end; one that the tree does not hold, or holds twice, is left
    out with what continues it.
    """
    current = ""
    for place in _PLACES.finditer(why):
        if place["path"]:
            resolved = _resolve(place["path"], paths)
            # A word such as `operator.ior` is no path.
            current = resolved or ("" if place["spans"] else current)
        spans = place["spans"] or place["more"] or place["lines"] or place["bare"] or place["tail"]
        if current and spans:
            for match in _NUMBERS.finditer(spans):
                first, last = int(match[1]), int(match[2] or match[1])
                yield from ((current, line) for line in range(first, last + 1))


def _resolve(path: str, paths: Sequence[str]) -> str:
    if path in paths:
        return path
    ending = [known for known in paths if known.endswith(f"/{path}")]
    return ending[0] if len(ending) == 1 else ""


def _shown_lines(bundle: CriterionExhibits) -> Iterator[Line]:
    for exhibit in bundle.exhibits:
        place = exhibit.location
        if place.path and place.line_start and place.line_end:
            yield from ((place.path, n) for n in range(place.line_start, place.line_end + 1))


def folded_lines(bundle: CriterionExhibits, *, shows_strings: bool) -> Iterator[Line]:
    for exhibit in bundle.exhibits:
        place = exhibit.location
        if place.path and place.line_start:
            written = exhibit.text.split("\n")
            kept = exhibit_lines(exhibit, shows_strings=shows_strings)
            for number, (line, rest) in enumerate(zip(written, kept, strict=True)):
                if line.strip() and not rest.strip():
                    yield place.path, place.line_start + number


def _print_missed(rows: Sequence[Row]) -> None:
    for row in rows:
        missed = sorted(row.named - row.shown)
        if missed:
            listed = " ".join(f"{path.rpartition('/')[2]}:{line}" for path, line in missed)
            count = f"{len(missed)}/{len(row.named)}"
            print(f"  {row.repository} {row.criterion} misses {count}: {listed}")


def _print_repositories(rows: Sequence[Row]) -> None:
    print("\nshare of the named lines that are shown, by repository")
    for name in dict.fromkeys(row.repository for row in rows):
        own = [row for row in rows if row.repository == name and row.named]
        cells = [f"{row.criterion[:12]} {row.share:.2f}" for row in own]
        print(f"{name:42} {_share(own):.2f}   {', '.join(cells)}")


def _print_shares(title: str, rows: Sequence[Row]) -> None:
    if not rows:
        return
    print(f"\n{title}: {len({row.repository for row in rows})} repositories, goal {GOAL}")
    for criterion in dict.fromkeys(row.criterion for row in rows):
        own = [row for row in rows if row.criterion == criterion]
        named = [row for row in own if row.named]
        share = f"{_share(named):.3f}" if named else "  -  "
        used = fmean(row.characters for row in own)
        print(
            f"{criterion:34} {share} of {sum(len(row.named) for row in named):4} lines,"
            f" named in {len(named):2} of {len(own):2}, {used:6.0f} characters"
        )

    named = [row for row in rows if row.named]
    used = fmean(row.characters for row in rows)
    mean = fmean(row.share for row in named) if named else 0.0
    print(
        f"{'all':34} {_share(named):.3f} of {sum(len(row.named) for row in named):4} lines,"
        f" mean of criteria {mean:.3f}, {used:6.0f} characters"
    )
    lines = sum(len(row.named) for row in named)
    kept = sum(len((row.named & row.shown) - row.folded) for row in named)
    print(f"{'with what prompts keep of them':34} {kept / lines if lines else 0:.3f}")


def _share(rows: Sequence[Row]) -> float:
    named = sum(len(row.named) for row in rows)
    return sum(len(row.named & row.shown) for row in rows) / named if named else 0.0


if __name__ == "__main__":
    main()
