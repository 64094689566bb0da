"""Repositories with hand-made labels, and their audits by the heuristic bench. Nothing is fetched.

A folder holds OWNER+NAME.json, labels {repo, head, pdf, facts, scores}; another one holds
OWNER+NAME/repo, the git directories.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from courtroom.analysis.git.snapshot import Snapshot
from courtroom.models.audit_report import AuditReport

# Seconds for one audit.
DEADLINE = 120


@dataclass(frozen=True, slots=True)
class LabelledWork:
    """One repository with its label. `folder` keeps its PDF and report from run to run."""

    name: str
    label: Mapping[str, Any]
    git_dir: Path
    folder: Path

    @property
    def snapshot(self) -> Snapshot:
        return Snapshot(self.git_dir.absolute(), self.label["head"], None, malformed_objects=False)

    @property
    def report_file(self) -> Path:
        return self.folder / f"{self.name}.json"

    def pdf(self) -> Path | None:
        """Return the student's report as it was committed at that revision."""
        path = self.folder / f"{self.name}.pdf"
        if not self.label["pdf"]:
            return None
        if not path.exists():
            file = f"{self.label['head']}:{self.label['pdf']}"
            show = ["git", "--git-dir", str(self.git_dir), "show", file]
            path.write_bytes(subprocess.run(show, capture_output=True, check=True).stdout)
        return path

    def audit(self) -> subprocess.CompletedProcess[str]:
        """Audit the work in a process of its own, which writes the report's file."""
        command = [sys.executable, "-m", "courtroom", str(self.git_dir)]
        command += ["--ref", self.label["head"], "--allow-local", "--quiet"]
        command += ["--json", str(self.report_file)]
        command += ["--markdown", str(self.report_file.with_suffix(".md"))]
        pdf = self.pdf()
        command += ["--pdf", str(pdf)] if pdf else []
        return subprocess.run(
            command, capture_output=True, text=True, timeout=DEADLINE, check=False
        )

    def report(self) -> AuditReport:
        if not self.report_file.exists():
            self.audit()
        return AuditReport.model_validate_json(self.report_file.read_text("utf-8"))


def labelled_work(label_file: Path, repos: Path, folder: Path) -> LabelledWork:
    label = json.loads(label_file.read_text("utf-8"))
    return LabelledWork(label_file.stem, label, repos / label_file.stem / "repo", folder)
