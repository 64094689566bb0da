"""The kind `pinned_dependencies`: does a lock file or an exact version pin every dependency.

A manifest is pinned by a lock file beside it (or above it, where the tool keeps one lock for a
workspace), or when each of its dependencies names an exact version. A manifest without dependencies
counts for nothing. Where no manifest lists a dependency the check is not established: a project
that depends on nothing has nothing to pin, and `file_exists` asks for a manifest.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

from courtroom.analysis.locations import SourceLocation
from courtroom.checks.fault_words import matching
from courtroom.checks.from_sources import NOT_SEARCHED, location_clue, on_survey
from courtroom.checks.kind import CheckKind, Label, NeedsSubmission
from courtroom.checks.result import Finding, could_not_look, present
from courtroom.models.check import CheckBase, SearchTexts

if TYPE_CHECKING:
    from courtroom.analysis.code_search import Searches
    from courtroom.analysis.survey import Survey
    from courtroom.checks.sources import Sources

LONGEST_LINE = 1000
NO_MANIFEST = "No dependency manifest with a dependency was found: there is nothing to pin."


class PinnedDependencies(CheckBase):
    """A lock file, or an exact version of each dependency, for every manifest matching `paths`."""

    kind: Literal["pinned_dependencies"] = "pinned_dependencies"
    paths: SearchTexts = ("**",)


def _detect(check: PinnedDependencies, sources: Sources) -> Finding:
    return on_survey(sources, lambda survey: pinning(check, survey))


def pinning(check: PinnedDependencies, survey: Survey) -> Finding:
    """The answer from one location for each manifest: with a line where it is not pinned."""
    if check.id in survey.unanswered:
        return could_not_look(survey.unanswered[check.id])
    locations = survey.locations.get(check.id)
    if locations is None:
        return could_not_look(NOT_SEARCHED)
    if not locations:
        return could_not_look(NO_MANIFEST)

    unpinned = [location for location in locations if location.line_start is not None]
    clues = [location_clue(location) for location in unpinned or locations]
    if unpinned:
        reason = (
            f"{len(unpinned)} of {len(locations)} dependency manifests are not pinned:"
            f" {', '.join(location.path for location in unpinned)}."
        )
    else:
        reason = f"Every dependency manifest is pinned ({len(locations)} of {len(locations)})."
    return present(reason, clues, met=(not unpinned) == check.is_positive)


# -- in the confined child ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Dependency:
    """`is_exact`: this very version and no other.

    `line` is 1-based, or null: then it is the first line with `needle`, behind `after`. It is
    looked for when it is shown: a hostile manifest may list a hundred thousand dependencies.
    """

    name: str
    is_exact: bool
    line: int | None = None
    needle: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """A kind of manifest: its name, its parser, its lock files, and where those may be.

    `is_lock_required`: its versions alone pin nothing, because their contents are not recorded.
    """

    pattern: re.Pattern[str]
    parse: Callable[[str], Iterator[Dependency]]
    locks: tuple[str, ...]
    is_workspace: bool = False
    is_lock_required: bool = False


def search(searches: Searches, check: Mapping[str, Any]) -> list[SourceLocation]:
    """One location for each manifest, those that are not pinned first. Raises NotAnswerable."""
    from courtroom.analysis.code_search import NotAnswerable
    from courtroom.analysis.project.globs import matches

    paths = list(searches.paths(("**",)))
    pinned: list[SourceLocation] = []
    unpinned: list[SourceLocation] = []
    unreadable: list[str] = []
    for path in paths:
        manifest = _manifest_for(path)
        if manifest is None or not matches(path, check["paths"]):
            continue
        try:
            location = _location(path, manifest, searches, set(paths))
        # A student's file may be no TOML, hold a list for a table, or nest without end.
        except (ValueError, RecursionError, TypeError, AttributeError):
            unreadable.append(path)
            continue
        if location is not None:
            (pinned if location.line_start is None else unpinned).append(location)

    # One manifest that is not pinned decides, whatever stands in those that cannot be read.
    if unreadable and not unpinned:
        raise NotAnswerable(f"The dependency manifest {unreadable[0]} could not be read.")
    if not (pinned or unpinned):
        raise NotAnswerable(NO_MANIFEST)
    return [*unpinned, *pinned]


def _manifest_for(path: str) -> Manifest | None:
    return next((manifest for manifest in MANIFESTS if manifest.pattern.search(path)), None)


def _location(
    path: str, manifest: Manifest, searches: Searches, tree: set[str]
) -> SourceLocation | None:
    """Null for a manifest without dependencies. Raises ValueError for one that cannot be parsed."""
    from courtroom.analysis.git.blobs import BINARY_PROBE, text_of

    content = searches.reader.read(path)
    if content is None or b"\0" in content[:BINARY_PROBE]:
        raise ValueError(path)
    text = text_of(content)
    dependencies = list(manifest.parse(text))
    if not dependencies:
        return None

    lock = _lock_of(path, text, manifest, searches, tree)
    if lock:
        return SourceLocation(path, None, None, f"Pinned by {lock}.")
    loose = [d for d in dependencies if manifest.is_lock_required or not d.is_exact]
    if not loose:
        return SourceLocation(path, None, None, "Every dependency has an exact version.")
    more = f", nor are {len(loose) - 1} more" if len(loose) > 1 else ""
    line = _line_of(loose[0], text)
    return SourceLocation(path, line, line, f"{loose[0].name} is not pinned{more}.")


def _lock_of(
    path: str, text: str, manifest: Manifest, searches: Searches, tree: set[str]
) -> str | None:
    """The file of the tree that locks this manifest."""
    file = PurePosixPath(path)
    folders = [file.parent, *(file.parents if manifest.is_workspace else ())]
    candidates = [str(folder / lock) for folder in folders for lock in manifest.locks]
    # pip-compile writes requirements.txt from requirements.in.
    if file.suffix == ".in":
        candidates.append(str(file.with_suffix(".txt")))
    # pip reads a constraints file (-c) beside the requirements: it may hold the exact versions.
    candidates += [str(file.parent / name) for name in _CONSTRAINTS.findall(text)]
    lock = next((candidate for candidate in candidates if candidate in tree), None)
    return lock or (
        _compiled_requirements(file, searches) if file.name == "pyproject.toml" else None
    )


def _compiled_requirements(pyproject: PurePosixPath, searches: Searches) -> str | None:
    """A requirements file beside it that pip-compile or uv wrote from it."""
    folder = "" if str(pyproject.parent) == "." else f"{pyproject.parent}/"
    globs = (f"{folder}requirements*.txt", f"{folder}requirements/*.txt")
    # Both tools name the file they compiled from in the first lines of their output.
    for path, text in searches.texts(globs):
        if "autogenerated by" in text[:400] and "pyproject.toml" in text:
            return path
    return None


_CONSTRAINTS = re.compile(r"^(?:-c|--constraint)[\s=]+(\S+)", re.MULTILINE)
_REQUIREMENT = re.compile(r"^([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(.*)$")
_COMMIT = re.compile(r"[@#][0-9a-f]{40}\b")
_ARCHIVE = re.compile(r"\.(?:whl|zip|tar\.gz|tgz)(?:#|$)")
_SEMVER = re.compile(r"=?\s*v?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?")
_GEM = re.compile(r"""^\s*gem[\s(]+["']([^"']+)["'](.*)$""")
_GO_REQUIRE = re.compile(r"^\s*(?:require\s+)?((?=[\w~-]+\.[\w.~-])[\w.~-]++(?:/\S+)?)\s+v\d\S*")
# Dependencies of the project on itself or on its neighbours.
_LOCAL = ("file:", "link:", "workspace:", "portal:")


def _pip(text: str) -> Iterator[Dependency]:
    """Lines of a requirements file; options, includes and local paths are no dependencies."""
    start, whole = 1, ""
    for number, line in _short_lines(text):
        # A requirement may run over several lines; evidence points at its first.
        start = start if whole else number
        whole += line.split(" #")[0].rstrip()
        if whole.endswith("\\"):
            whole = whole[:-1]
            continue
        dependency = _requirement(whole, start)
        whole = ""
        if dependency:
            yield dependency


def _requirement(text: str, line: int | None) -> Dependency | None:
    match = _REQUIREMENT.match(text.strip())
    # An option, or a local path: neither comes from a package index.
    if match is None or "/" in text.split("@", maxsplit=1)[0].split(";", maxsplit=1)[0]:
        return None
    return Dependency(match[1], _is_exact_requirement(match[2]), line, needle=text)


def _is_exact_requirement(specifier: str) -> bool:
    specifier = specifier.split(";", maxsplit=1)[0].split(" --", maxsplit=1)[0].strip()
    if specifier.startswith("@"):
        return bool(_COMMIT.search(specifier) or _ARCHIVE.search(specifier))
    # "==1.*" and "==1,!=1.2" leave a choice.
    return specifier.startswith("==") and "*" not in specifier and "," not in specifier


def _pyproject(text: str) -> Iterator[Dependency]:
    document = tomllib.loads(text)
    project, tool = document.get("project", {}), document.get("tool", {})
    lists = [
        project.get("dependencies", []),
        *project.get("optional-dependencies", {}).values(),
        *document.get("dependency-groups", {}).values(),
        *tool.get("pdm", {}).get("dev-dependencies", {}).values(),
        tool.get("uv", {}).get("dev-dependencies", []),
    ]
    for entry in (entry for entries in lists for entry in entries):
        dependency = _requirement(entry, None) if isinstance(entry, str) else None
        if dependency:
            yield dependency

    poetry = tool.get("poetry", {})
    groups = (group.get("dependencies", {}) for group in poetry.get("group", {}).values())
    tables = [poetry.get("dependencies", {}), poetry.get("dev-dependencies", {}), *groups]
    for table in tables:
        for name, value in table.items():
            # Poetry lists the interpreter among the dependencies.
            if name != "python":
                yield from _table_entry(name, value, _is_exact_poetry)


def _is_exact_poetry(version: str) -> bool:
    return re.fullmatch(r"(?:={1,3}\s*)?v?\d+\.\d[\w.+-]*", version.strip()) is not None


def _pipfile(text: str) -> Iterator[Dependency]:
    document = tomllib.loads(text)
    for section in ("packages", "dev-packages"):
        for name, value in document.get(section, {}).items():
            yield from _table_entry(name, value, _is_exact_requirement)


def _cargo(text: str) -> Iterator[Dependency]:
    document = tomllib.loads(text)
    targets = document.get("target", {}).values()
    for part in (document, document.get("workspace", {}), *targets):
        for section in ("dependencies", "dev-dependencies", "build-dependencies"):
            for name, value in part.get(section, {}).items():
                yield from _table_entry(name, value, _is_exact_crate)


def _is_exact_crate(version: str) -> bool:
    return re.fullmatch(r"=\s*\d+\.\d+\.\d\S*", version.strip()) is not None


def _table_entry(
    name: str, value: Any, is_exact_version: Callable[[str], bool]
) -> Iterator[Dependency]:
    """`name = "1.0"` or `name = {version = "1.0"}`; a local path or an inherited one is none."""
    table = value if isinstance(value, dict) else {"version": str(value)}
    if "path" in table or table.get("workspace"):
        return
    revision = str(table.get("rev") or table.get("ref") or "")
    # A branch or a tag can move; only a commit pins a git dependency.
    is_exact = (
        re.fullmatch(r"[0-9a-f]{40}", revision) is not None
        if "git" in table
        else is_exact_version(str(table.get("version", "")))
    )
    yield Dependency(name, is_exact, needle=name)


def _package_json(text: str) -> Iterator[Dependency]:
    """Peer dependencies are left out: they are ranges on purpose."""
    document = json.loads(text)
    for section in ("dependencies", "devDependencies", "optionalDependencies"):
        for name, version in document.get(section, {}).items():
            if not str(version).startswith(_LOCAL):
                is_exact = bool(_SEMVER.fullmatch(version) or _COMMIT.search(version))
                yield Dependency(name, is_exact, needle=f'"{name}"', after=f'"{section}"')


def _composer(text: str) -> Iterator[Dependency]:
    """PHP itself and its extensions come with the platform."""
    document = json.loads(text)
    for section in ("require", "require-dev"):
        for name, version in dict(document.get(section, {})).items():
            if "/" in name:
                is_exact = bool(_SEMVER.fullmatch(version))
                yield Dependency(name, is_exact, needle=f'"{name}"', after=f'"{section}"')


def _go_mod(text: str) -> Iterator[Dependency]:
    for number, line in _short_lines(text):
        match = _GO_REQUIRE.match(line)
        if match:
            # Versions in go.mod are exact, but only go.sum records the contents.
            yield Dependency(match[1], is_exact=True, line=number)


def _gemfile(text: str) -> Iterator[Dependency]:
    for number, line in _short_lines(text):
        match = _GEM.match(line)
        if match and "path:" not in match[2]:
            is_exact = re.search(r"""^\s*,\s*["']=?\s*\d[\w.]*["']""", match[2]) is not None
            yield Dependency(match[1], is_exact, line=number)


def _short_lines(text: str) -> Iterator[tuple[int, str]]:
    """Numbered lines. Raises ValueError for one so long that patterns would be slow on it."""
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > LONGEST_LINE:
            raise ValueError(number)
        yield number, line


def _line_of(dependency: Dependency, text: str) -> int:
    """The 1-based line of the dependency; 1 where its name is written in another way."""
    if dependency.line is not None:
        return dependency.line
    place = text.find(dependency.needle, max(0, text.find(dependency.after)))
    return text.count("\n", 0, place) + 1 if place >= 0 else 1


MANIFESTS = (
    Manifest(re.compile(r"(?:^|/)requirements[^/]*\.(?:txt|in)$"), _pip, ()),
    Manifest(re.compile(r"(?:^|/)requirements/[^/]+\.(?:txt|in)$"), _pip, ()),
    Manifest(
        re.compile(r"(?:^|/)pyproject\.toml$"),
        _pyproject,
        ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml", "pixi.lock"),
        is_workspace=True,
    ),
    Manifest(re.compile(r"(?:^|/)Pipfile$"), _pipfile, ("Pipfile.lock",)),
    Manifest(
        re.compile(r"(?:^|/)package\.json$"),
        _package_json,
        (
            "package-lock.json",
            "npm-shrinkwrap.json",
            "yarn.lock",
            "pnpm-lock.yaml",
            "bun.lock",
            "bun.lockb",
        ),
        is_workspace=True,
    ),
    Manifest(re.compile(r"(?:^|/)Cargo\.toml$"), _cargo, ("Cargo.lock",), is_workspace=True),
    Manifest(re.compile(r"(?:^|/)go\.mod$"), _go_mod, ("go.sum",), is_lock_required=True),
    Manifest(re.compile(r"(?:^|/)Gemfile$"), _gemfile, ("Gemfile.lock",)),
    Manifest(re.compile(r"(?:^|/)composer\.json$"), _composer, ("composer.lock",)),
)


def _fault(check: PinnedDependencies) -> str:
    return matching(
        check.is_positive,
        "A list of dependencies does not pin all its versions.",
        "Every list of dependencies pins its versions.",
    )


KIND = CheckKind(
    model=PinnedDependencies,
    detective="RepoInvestigator",
    detect=_detect,
    search="courtroom.checks.pinned_dependencies:search",
    replay=NeedsSubmission("No report holds the text of the manifests."),
    fault=_fault,
    label=Label(
        title="Pinned dependencies",
        about="Every dependency manifest has a lock file beside it, or names exact versions.",
        fields={"paths": "In manifests"},
    ),
    concern="risk",
    order=25,
)
