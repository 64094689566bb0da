"""Tables of our own: all commits, the tree with its modules' outlines, and diagrams as read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from courtroom.analysis.git.git_process import READING, run_git
from courtroom.analysis.git.history import LATEST_SECOND
from courtroom.analysis.git.snapshot import Snapshot, TreeEntry
from courtroom.analysis.project.globs import matches
from courtroom.analysis.project.project_files import TESTS
from courtroom.analysis.prompt_injection.repository_text import kind_of
from courtroom.analysis.python.source_files import is_vendored
from courtroom.analysis.sandbox.bubblewrap import Reach
from courtroom.analysis.security.committed_secrets import redacted
from courtroom.exhibits.sheets import COMMITS, DIAGRAMS, TREE, Sheet
from courtroom.exhibits.text_blocks import defined_names
from courtroom.exhibits.units import Outline
from courtroom.models.errors import ChildFailed
from courtroom.models.evidence import Location
from courtroom.models.facts import DiagramFact, Facts, GraphFact

# Commits at each end of the history that are shown.
MOST_COMMITS = 100
SUBJECT_CHARACTERS = 100
# Counting the lines of two hundred commits takes 0.1 s; a history made to be slow is not counted.
COUNT_SECONDS = 5
MOST_PATHS, MOST_NAMES, NAMES_CHARACTERS = 150, 12, 120
MOST_ARROWS, LABEL_CHARACTERS = 40, 40
COMMITS_HEAD = "commit  date (UTC)  author  added and removed lines  subject"
UNCOUNTED = "not counted"

_FORMAT = "--format=%x00%H%x1f%P%x1f%ae%x1f%at%x1f%s%x1f"
_ADDED, _REMOVED = (
    re.compile(r"(?<!\d)(\d{1,9}) insertion"),
    re.compile(r"(?<!\d)(\d{1,9}) deletion"),
)
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_FIELDS = 6

Row = list[str]


def commit_table(snapshot: Snapshot) -> Sheet | None:
    """Return the first and the last hundred commits, oldest first; None where git cannot say."""
    try:
        shas = _git(snapshot, "rev-list", "--reverse", snapshot.commit).decode().split()
        chosen = [*shas[:MOST_COMMITS], *shas[MOST_COMMITS:][-MOST_COMMITS:]]
        rows = _commit_rows(snapshot, chosen)
    except ChildFailed:
        return None

    authors: dict[str, int] = {}
    numbers = [authors.setdefault(row[2].lower(), len(authors) + 1) for row in rows]
    lines = [COMMITS_HEAD]
    lines += [_commit_line(row, number) for row, number in zip(rows, numbers, strict=True)]
    ids = ["", *(row[0] for row in rows)]
    left_out = len(shas) - len(rows)
    if left_out:
        lines.insert(MOST_COMMITS + 1, f"{left_out} commits in between are left out")
        ids.insert(MOST_COMMITS + 1, "")
    place = Location(commit=snapshot.commit)
    return Sheet(COMMITS, "commits", lines, place, tuple(ids))


def _commit_rows(snapshot: Snapshot, shas: Sequence[str]) -> list[Row]:
    """Return sha, parents, email, time, subject and changes of the commits."""
    words = ("log", "--no-walk=unsorted", "--stdin", "--encoding=UTF-8", _FORMAT)
    stdin = "".join(f"{sha}\n" for sha in shas).encode()
    try:
        listing = _git(snapshot, *words, "--shortstat", stdin=stdin)
    except ChildFailed:
        listing = _git(snapshot, *words, stdin=stdin).replace(
            b"\x1f\n", f"\x1f{UNCOUNTED}\n".encode()
        )
    commits = listing.decode(errors="replace").split("\0")[1:]
    rows = [commit.split("\x1f") for commit in commits]
    # A subject may contain the separator: the last field holds the changes, whatever is between.
    return [[*row[:4], " ".join(row[4:-1]), row[-1]] for row in rows if len(row) >= _FIELDS]


def _git(snapshot: Snapshot, *words: str, stdin: bytes = b"") -> bytes:
    done = run_git(
        [f"--git-dir={snapshot.git_dir}", *words],
        limits=replace(READING, cpu_seconds=COUNT_SECONDS, wall_seconds=4 * COUNT_SECONDS),
        stdin=stdin,
        reach=Reach(reads=(snapshot.git_dir,)),
    )
    if done.returncode != 0:
        raise ChildFailed("child_died", f"git {words[0]} could not read the repository.")
    return done.stdout


def _commit_line(row: Row, author: int) -> str:
    sha, parents, _, seconds, subject, changes = row
    when = datetime.fromtimestamp(min(int(seconds or 0), LATEST_SECOND), UTC)
    clean = redacted(_UNPRINTABLE.sub("\ufffd", subject))[:SUBJECT_CHARACTERS]
    added, removed = _ADDED.search(changes), _REMOVED.search(changes)
    counts = f"+{added[1] if added else 0} -{removed[1] if removed else 0}"
    if len(parents.split()) > 1:
        counts = "merge"
    elif UNCOUNTED in changes:
        counts = UNCOUNTED
    return f"{sha[:7]}  {when:%Y-%m-%d %H:%M}  author {author}  {counts}  {clean}"


def tree_table(
    entries: Sequence[TreeEntry],
    files: Mapping[str, Sequence[str]],
    outline: Outline,
) -> Sheet:
    """Return the paths with their sizes; modules also name what they define."""
    own = [entry for entry in entries if not is_vendored(entry.path)]
    # The files nearest to the root first, where the tree is cut.
    nearest = sorted(own, key=lambda entry: (entry.path.count("/"), entry.path))[:MOST_PATHS]
    rows = [_tree_line(entry, files, outline) for entry in sorted(nearest, key=lambda e: e.path)]
    left_out = len(entries) - len(nearest)
    if left_out:
        rows.append(f"{left_out} more files, deeper in the tree or of other projects")
    return Sheet(TREE, "tree", rows, Location())


def _tree_line(entry: TreeEntry, files: Mapping[str, Sequence[str]], outline: Outline) -> str:
    path = redacted(_UNPRINTABLE.sub("\ufffd", entry.path))
    if entry.path not in files:
        return f"{path}  {entry.size} bytes"
    names = [unit.name for unit in outline.units.get(entry.path, ()) if not unit.owner]
    if matches(entry.path, TESTS):
        names = []
    elif not names and kind_of(entry.path) == "code":
        names = defined_names(files[entry.path])
    names = [name for name in names if not name.startswith("_")][:MOST_NAMES]
    listed = f": {', '.join(names)}"[:NAMES_CHARACTERS] if names else ""
    count = len(files[entry.path])
    return f"{path}  {count} line{'' if count == 1 else 's'}{listed}"


def diagram_table(facts: Facts) -> Sheet | None:
    """Return the report's diagrams as they were read, and beside them the code's own graph."""
    diagrams = [
        diagram
        for diagram in facts.diagrams or ()
        if diagram.page and (diagram.arrows or diagram.side_by_side)
    ]
    if not diagrams:
        return None
    rows = [row for diagram in diagrams for row in _diagram_lines(diagram)]
    rows += _graph_lines(facts.graph) if facts.graph else ()
    return Sheet(DIAGRAMS, "diagrams", rows, Location())


def _diagram_lines(diagram: DiagramFact) -> Iterator[str]:
    yield f"page {diagram.page}, read from: {diagram.drawn_as}"
    for start, end in diagram.arrows[:MOST_ARROWS]:
        yield f"  {_label(start)} -> {_label(end)}"
    # Arrows tell what stands side by side; without them it is all that is known.
    for names in () if diagram.arrows else diagram.side_by_side:
        yield f"  side by side: {', '.join(map(_label, names))}"


def _graph_lines(graph: GraphFact) -> Iterator[str]:
    yield "the graph of the code"
    for start, end in graph.edges[:MOST_ARROWS]:
        yield f"  {_label(start)} -> {_label(end)}"
    for route in graph.conditional[:MOST_ARROWS]:
        yield f"  {_label(route.from_)} -> one or more of: {', '.join(map(_label, route.to))}"


def _label(name: str) -> str:
    return _UNPRINTABLE.sub(" ", name)[:LABEL_CHARACTERS]
