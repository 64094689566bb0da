"""Files and description of the image: what the site runs, and nothing else."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.image.composition import IMAGE, ROOT

# Measured: 713 MB, of which the packages are 390, the model of sentences is 92 and Debian with git is 180.
USER = 10001
MOST_BYTES = 740 * 1000**2
LABELS = {
    "org.opencontainers.image.title": "Automaton Auditor",
    "org.opencontainers.image.description": "Grades software projects by a digital courtroom",
    "org.opencontainers.image.licenses": "Apache-2.0",
}
SITE = {
    *("LICENSE", "auditor_site", "courtroom", "grading", "manage.py", "requirements", "rubric"),
    *("static", "templates", "var"),
}
# Programs that build others or bring packages, by any version, and pip as a file of Python's own.
TOOL = re.compile(
    r"/s?bin/(?:[\w.-]*-)?(?:cc|c\+\+|gcc|g\+\+|clang|ld|as|make|rustc|cargo|go|pip|uv|poetry|npm)"
    r"[\d.-]*$|/pip-[\d.]+[^/]*\.whl$|/(?:pip|ensurepip|setuptools)/__init__\.py$"
)


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    words = ["podman", "image", "inspect", IMAGE]
    done = subprocess.run(words, check=True, stdout=subprocess.PIPE)
    described: dict[str, Any] = json.loads(done.stdout)[0]
    return described


@pytest.fixture(scope="module")
def paths(files: Path) -> list[str]:
    """Every path in the image but those of /dev, which a container has from its runtime."""
    start = len(str(files))
    paths = (
        f"{top[start:]}/{name}"
        for top, folders, names in os.walk(files)
        for name in (*folders, *names)
    )
    return [path for path in paths if not path.startswith("/dev/")]


def test_image_is_the_site_of_an_ordinary_user(description: dict[str, Any], files: Path) -> None:
    users = (files / "etc" / "passwd").read_text()
    assert description["User"] == "auditor"
    assert f"\nauditor:x:{USER}:{USER}:" in users
    assert description["Labels"].items() >= LABELS.items()
    assert re.fullmatch(
        r"[0-9a-f]{40}(-dirty)?", description["Labels"]["org.opencontainers.image.revision"]
    )


def test_image_is_small(description: dict[str, Any]) -> None:
    assert description["Size"] < MOST_BYTES


def test_image_holds_the_locked_packages_and_no_other(files: Path) -> None:
    names = ("runtime.txt", "sentences.txt")
    lock = "".join((ROOT / "requirements" / name).read_text() for name in names)
    locked = [Requirement(line) for line in re.findall(r"^(\w\S*==.*?) \\$", lock, re.MULTILINE)]
    (folder,) = (files / "opt" / "auditor" / "lib").glob("python3.*/site-packages")
    installed = {
        (canonicalize_name(package.name), package.version)
        for package in distributions(path=[str(folder)])
    }

    named = {(canonicalize_name(package.name), str(package.specifier)[2:]) for package in locked}
    # A marker is about the Python of the base.
    conditional = {canonicalize_name(package.name) for package in locked if package.marker}
    assert installed - named == set()
    assert {name for name, _ in named - installed} - conditional == set()


def test_image_holds_the_site_without_tests(files: Path) -> None:
    assert {path.name for path in (files / "site").iterdir()} == SITE
    tests = {path for path in (files / "site").rglob("test*.py") if not is_of_the_demo(path)}
    assert tests == set()


def test_image_holds_no_compiler_and_no_installer(paths: list[str]) -> None:
    assert list(filter(TOOL.search, paths)) == []


def test_user_owns_the_uploads_alone(files: Path, paths: list[str]) -> None:
    """Everything else stays as it was built, even where an operator lets the image be written."""
    status = {path: os.lstat(f"{files}{path}") for path in paths}
    assert {path for path in paths if status[path].st_uid == USER} == {"/data/media"}
    assert {path for path in paths if is_open_to_all(status[path].st_mode)} == set()


def is_open_to_all(mode: int) -> bool:
    """Return whether everybody may change this, be it a file or what others have in a folder."""
    return bool(mode & stat.S_IWOTH) and not (stat.S_ISLNK(mode) or mode & stat.S_ISVTX)


def is_of_the_demo(path: Path) -> bool:
    """Return whether this is a student's test in the cohort of `seed_demo`."""
    return "grading/demo/repositories" in path.as_posix()
