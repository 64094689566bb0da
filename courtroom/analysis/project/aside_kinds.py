"""Kinds of files that are not the product: by folder, file name and git attributes.

A file that an entry point reaches is the product all the same: `submission_scope` decides that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from courtroom.analysis.project.globs import matches
from courtroom.analysis.python.source_files import VENDORED, is_test_path

# Folder names of each kind, in lower case; the topmost such folder of a path decides.
FOLDERS: Mapping[str, frozenset[str]] = {
    "test": frozenset({"test", "tests", "testing", "__tests__", "e2e"}),
    "fixture": frozenset(
        {
            "fixture",
            "fixtures",
            "testdata",
            "test_data",
            "test-data",
            "golden",
            "goldens",
            "snapshots",
            "__snapshots__",
            "mocks",
            "__mocks__",
            "cassettes",
        }
    ),
    "example": frozenset(
        {
            "demo",
            "demos",
            "example",
            "examples",
            "sample",
            "samples",
            "tutorial",
            "tutorials",
            "cookbook",
            "playground",
            "scratch",
        }
    ),
    "benchmark": frozenset({"bench", "benchmark", "benchmarks"}),
    "archive": frozenset(
        {
            "archive",
            "archived",
            "archives",
            "backup",
            "backups",
            "bak",
            "deprecated",
            "legacy",
            "obsolete",
            "old",
        }
    ),
    "generated": frozenset({"generated", "__generated__"}),
    "vendored": frozenset(
        {
            "third_party",
            "thirdparty",
            "third-party",
            "_vendor",
            "vendored",
            "cloned_repo",
            "cloned_repos",
            "clones",
            "checkouts",
            "temp_repo",
            "temp_repos",
        }
    ),
}
COMPILED = "__pycache__"
_KIND_OF_FOLDER = {name: kind for kind, names in FOLDERS.items() for name in names}
_TEST_FOLDER = re.compile(r"(?:unit|integration|functional|e2e|smoke)[_-]?tests?")
_ARCHIVE = r"(?:old|backup|bak|archived?|deprecated|legacy|obsolete)"
_ARCHIVE_FOLDER = re.compile(rf"{_ARCHIVE}[_-].{{1,80}}|.{{1,80}}[_-]{_ARCHIVE}")
_ARCHIVE_FILE = re.compile(
    rf"(?:{_ARCHIVE}_.{{1,80}}|.{{1,80}}[_-]{_ARCHIVE}|.{{1,80}}[ -]copy\d*)"
)
# A file named after backups may as well make them.
_BACKUP_FILE = re.compile(r"backup_(.{1,80})|(.{1,80})[_-]backup")
_GENERATED_FILE = re.compile(r".{1,120}_pb2(?:_grpc)?\.pyi?")
_VERSION = re.compile(r"(.{0,80}?[_-]?v)(\d{1,3})")
# `path linguist-vendored`, `=true` or unset by a leading minus or `=false`.
_ATTRIBUTE = re.compile(r"(-?)linguist-(vendored|generated)(?:=(\w{1,10}))?")


@dataclass(frozen=True, slots=True)
class Aside:
    """Why a path is set apart: its `kind`, the topmost `place` it belongs to, and a `reason`."""

    kind: str
    place: str
    reason: str


def aside_paths(paths: Iterable[str], attributes: str = "", freed: str = "") -> dict[str, Aside]:
    """Return what is set apart, by path; `attributes` is the text of .gitattributes.

    Folders of the kind `freed` are taken as the product: what is inside them is told apart anew.
    """
    all_paths = list(paths)
    rules = [] if freed in ("vendored", "generated") else _attribute_rules(attributes)
    former = _former_versions(all_paths)
    present = frozenset(path.lower() for path in all_paths)
    aside: dict[str, Aside] = {}
    for path in all_paths:
        kind = _by_attributes(path, rules) or _by_path(path, freed, former, present)
        if kind is not None:
            aside[path] = kind
    return aside


def _by_path(
    path: str, freed: str, former: Mapping[str, str], present: frozenset[str]
) -> Aside | None:
    parts = PurePosixPath(path).parts
    for depth, part in enumerate(parts[:-1], start=1):
        place = "/".join(parts[:depth])
        if part == COMPILED:
            return Aside("generated", f"{place}/", f"a folder named {part}, of compiled code")
        if part in VENDORED:
            return Aside("vendored", f"{place}/", f"a folder named {part}")
        kind = kind_of_folder(part.lower())
        if kind is not None and kind != freed:
            return Aside(kind, f"{place}/", f"a folder named {part}")
        if place in former and freed != "archive":
            return Aside("archive", f"{place}/", f"{former[place]} stands beside it")
    return _by_name(path, freed, present) if parts else None


def _by_name(path: str, freed: str, present: frozenset[str]) -> Aside | None:
    if freed != "test" and is_test_path(path):
        return Aside("test", path, "a test by its name")
    if freed != "archive" and _is_former_version(PurePosixPath(path.lower()), present):
        return Aside("archive", path, "a former version by its name")
    if freed != "generated" and _GENERATED_FILE.fullmatch(PurePosixPath(path).name):
        return Aside("generated", path, "generated by protoc")
    return None


def _is_former_version(path: PurePosixPath, present: frozenset[str]) -> bool:
    backup = _BACKUP_FILE.fullmatch(path.stem)
    if backup is None:
        return _ARCHIVE_FILE.fullmatch(path.stem) is not None
    return str(path.with_stem(backup[1] or backup[2])) in present


def is_named_by(glob: str, kind: str) -> bool:
    """Return whether a rubric's pattern asks for files of a kind, as `tests/**` does for tests."""
    if kind in {"vendored", "generated"} and not VENDORED.isdisjoint(glob.split("/")):
        return True
    words = {*FOLDERS[kind], "spec"} if kind == "test" else FOLDERS[kind]
    return any(word in glob.lower() for word in words)


def kind_of_folder(name: str) -> str | None:
    """Return the kind of files that a folder of this name, in lower case, sets apart."""
    kind = _KIND_OF_FOLDER.get(name)
    if kind is None and _TEST_FOLDER.fullmatch(name):
        return "test"
    if kind is None and _ARCHIVE_FOLDER.fullmatch(name):
        return "archive"
    return kind


def _former_versions(paths: Iterable[str]) -> dict[str, str]:
    """Return each folder v1 that a folder v2 stands beside, with that folder."""
    folders: dict[str, dict[int, str]] = {}
    for folder in {
        str(parent) for path in paths for parent in PurePosixPath(path).parents if parent.name
    }:
        name = _VERSION.fullmatch(folder.rpartition("/")[2].lower())
        if name is not None:
            stem = f"{folder.rpartition('/')[0]}/{name[1]}"
            folders.setdefault(stem, {})[int(name[2])] = folder
    return {
        folder: versions[max(versions)]
        for versions in folders.values()
        for number, folder in versions.items()
        if number < max(versions)
    }


def _attribute_rules(text: str) -> list[tuple[str, str, bool]]:
    """Return (pattern, kind, is set) of each linguist attribute, in the order of the lines."""
    rules: list[tuple[str, str, bool]] = []
    for line in text.splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        for word in words[1:]:
            attribute = _ATTRIBUTE.fullmatch(word)
            if attribute is not None:
                is_set = not attribute[1] and (attribute[3] or "true").lower() != "false"
                rules.append((_as_glob(words[0]), attribute[2], is_set))
    return rules


def _as_glob(pattern: str) -> str:
    """Return git's pattern as one of ours: without a slash, it holds in every folder."""
    if pattern.endswith("/"):
        pattern += "**"
    return pattern if "/" in pattern else f"**/{pattern}"


def _by_attributes(path: str, rules: list[tuple[str, str, bool]]) -> Aside | None:
    aside: Aside | None = None
    for pattern, kind, is_set in rules:
        if matches(path, (pattern,)):
            # The last rule that matches holds, as in git.
            reason = f"linguist-{kind} in .gitattributes"
            aside = Aside(kind, pattern, reason) if is_set else None
    return aside
