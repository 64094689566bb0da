"""The action for GitHub, its script run as a runner does: by bash, with variables and files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.factories.student_project import student_repository

ROOT = Path(__file__).resolve().parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]
(AUDIT,) = [step for step in STEPS if step.get("id") == "audit"]


def run_audit(folder: Path, workspace: Path, **inputs: str) -> tuple[int, dict[str, str], str]:
    """Run the step; return its exit code, outputs, and what it printed."""
    (folder / "auditor").symlink_to(sys.prefix)
    chosen = {name: row.get("default", "") for name, row in ACTION["inputs"].items()} | inputs
    expressions = {
        name: re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)
        for name, value in AUDIT["env"].items()
    }
    variables = {name: chosen[match[1]] for name, match in expressions.items() if match}
    assert variables.keys() == AUDIT["env"].keys()

    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", AUDIT["run"]],
        cwd=workspace,
        capture_output=True,
        text=True,
        check=False,
        env=variables
        | {
            "PATH": os.environ["PATH"],
            "RUNNER_TEMP": str(folder),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_WORKSPACE": str(workspace),
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        },
    )
    lines = (folder / "output").read_text().splitlines()
    outputs = dict(line.split("=", 1) for line in lines)
    return done.returncode, outputs, done.stdout + done.stderr


def clone(repository: Path, folder: Path, *options: str) -> Path:
    command = ["git", "clone", "--quiet", *options, repository.as_uri(), str(folder)]
    subprocess.run(command, check=True)
    return folder


@pytest.mark.processes
def test_audit_stops_below_the_threshold_with_every_file_written(tmp_path: Path) -> None:
    workspace = clone(student_repository(tmp_path / "origin"), tmp_path / "a space")
    # A module of the submission that Python would take first, if it started there.
    (workspace / "argparse.py").write_text("raise SystemExit(9)")
    code, outputs, printed = run_audit(tmp_path, workspace, **{"fail-under": "5"})
    assert (code, outputs["code"], printed) == (4, "4", "")
    folder = Path(outputs["folder"])
    names = {path.name for path in folder.iterdir()}
    assert names == {"report.json", "report.md", "report.sarif", "report.junit.xml"}
    assert (tmp_path / "summary.md").read_text() == (folder / "report.md").read_text()


@pytest.mark.processes
def test_history_that_is_cut_off_is_no_work_to_audit(tmp_path: Path) -> None:
    origin = student_repository(tmp_path / "origin")
    workspace = clone(origin, tmp_path / "work", "--depth=1")
    code, outputs, printed = run_audit(tmp_path, workspace)
    assert (code, "code" in outputs, "fetch-depth: 0" in printed) == (2, False, True)


def test_no_step_writes_an_input_into_its_script() -> None:
    assert [step["name"] for step in STEPS if "${{" in step.get("run", "")] == []


def test_findings_are_uploaded_for_a_verdict_alone() -> None:
    (upload,) = [step for step in STEPS if "upload-sarif" in step.get("uses", "")]
    assert 'contains(fromJSON(\'["0", "4"]\'), steps.audit.outputs.code)' in upload["if"]
