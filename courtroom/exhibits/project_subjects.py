"""Requests on any project: history, clone function, dangerous calls, README, tree, CI and tests."""

from __future__ import annotations

import re
from collections.abc import Iterator

from courtroom.analysis.project.globs import matches
from courtroom.analysis.project.project_files import CI, README, TESTS
from courtroom.exhibits.material import LARGE, MEDIUM, Material
from courtroom.exhibits.room import Request, whole_sheet
from courtroom.exhibits.sheets import COMMITS, TREE
from courtroom.exhibits.units import unique

# Usual names of the files that a program starts in, where no function is called main.
ENTRY_POINTS = tuple(
    f"{folder}{name}.*"
    for folder in ("", "src/", "cmd/*/", "lib/", "app/")
    for name in ("main", "index", "app", "server", "cli")
)
_CLONES = re.compile(r"""["']clone["']|git clone|clone_from""")
_DANGERS = re.compile(
    r"subprocess\.|os\.(?:system|popen)|\b(?:eval|exec)\(|pickle\.|yaml\.load"
    r"|verify\s*=|\.execute\(|child_process|innerHTML|exec\.Command|\bsystem\("
)


def commits(material: Material) -> Iterator[Request]:  # noqa: ARG001 -- the form of a subject
    yield whole_sheet(COMMITS, "all commits")


def clone(material: Material) -> Iterator[Request]:
    place = material.facts.clone_function
    unit = material.unit_at(place.path, place.line) if place else None
    units = (
        [unit] if unit else [u for u in material.functions if material.lines_matching(u, _CLONES)]
    )
    yield from material.wholes(units, "clones a repository", LARGE)
    yield from material.neighbours(units)
    named = material.functions_named(frozenset({"clone"}))
    yield from material.wholes(named, "named after cloning", MEDIUM)
    yield from material.neighbours(named)
    for owner in unique(o for u in units for o in material.outline.named(u.owner)):
        yield material.whole(owner, "the class of the clone function", (owner.first,), LARGE)


def project(material: Material) -> Iterator[Request]:
    yield from _files(material, README, "README", 1)
    yield whole_sheet(TREE, "the tree, with what its modules define").capped(LARGE)
    yield from _files(material, CI, "runs on every change", 2)
    entries = [u for u in material.functions if u.name == "main" and not u.owner]
    yield from material.wholes(entries, "an entry point", MEDIUM)
    if not entries:
        yield from _files(material, ENTRY_POINTS, "an entry point", 2)
    yield from _files(material, TESTS, "a test", 3)


def _files(material: Material, globs: tuple[str, ...], title: str, most: int) -> Iterator[Request]:
    paths = [path for path in material.paths if matches(path, globs)]
    return (whole_sheet(path, title).capped(MEDIUM) for path in paths[:most])


def dangers(material: Material) -> Iterator[Request]:
    """Yield the calls that could be dangerous, whether or not a check objects to them."""
    yield from material.matching(material.functions, _DANGERS, "runs or loads something", MEDIUM)
    yield from material.matching_text(_DANGERS, "runs or loads something", MEDIUM)
