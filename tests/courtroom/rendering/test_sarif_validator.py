"""SARIF files before Microsoft's validator, with its rules for code scanning and the schema.

`npm ci --prefix tests/courtroom/rendering/sarif_multitool` installs it. Without it this test is
skipped; with REQUIRE_PEERS=1 (CI) it fails.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from courtroom.models.audit_report import AuditReport
from courtroom.models.errors import UrlRefused
from courtroom.models.refused_audit import refused_audit
from courtroom.rendering.sarif_report import render_refused_sarif, render_sarif
from tests.courtroom.rendering.hostile_report import hostile_report
from tests.factories.example_report import report_json

FOLDER = Path(__file__).parent / "sarif_multitool"
TOOL = FOLDER / "node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool"
ABSENT = f"`npm ci --prefix tests/courtroom/rendering/{FOLDER.name}` is needed to validate SARIF."
FAULT = re.compile(r"^(\S+)\(\d+,\d+\): (error|warning) (\w+)", re.MULTILINE)
# Without a home on the web there is no address to name, and the version is a digest.
UNAVOIDABLE = {"SARIF2005"}


@pytest.fixture
def tool() -> Path:
    if not TOOL.is_file():
        (pytest.fail if os.environ.get("REQUIRE_PEERS") == "1" else pytest.skip)(ABSENT)
    # npm installs it without its scripts, which would do this.
    TOOL.chmod(0o755)
    return TOOL


@pytest.mark.processes
def test_files_have_no_fault_by_schema_and_rules_of_code_scanning(
    tool: Path, tmp_path: Path
) -> None:
    refused = refused_audit("http://e.example", None, UrlRefused("url_not_https", "No."), "now")
    texts = {
        "verdict": render_sarif(AuditReport.model_validate(report_json())),
        "hostile": render_sarif(hostile_report()),
        "refused": render_refused_sarif(refused),
        # Shows that the validator speaks.
        "broken": render_refused_sarif(refused).replace('"results"', '"outcomes"'),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.sarif").write_text(text)

    done = subprocess.run(
        [tool, "validate", *tmp_path.glob("*.sarif"), "--rule-kind", "Sarif;Ghas"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1", "HOME": str(tmp_path)},
    )
    faults = {(Path(path).stem, rule) for path, _, rule in FAULT.findall(done.stdout)}
    unexpected = {fault for fault in faults if fault[1] not in UNAVOIDABLE}
    assert unexpected == {("broken", "JSON1005"), ("broken", "GH1014")}
    assert "4 files scanned" in done.stdout
