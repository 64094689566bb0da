"""Files that the command line writes: the formats of a report, and of a refused audit."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from courtroom.models.audit_report import AuditReport
from courtroom.models.refused_audit import RefusedAudit
from courtroom.rendering.junit_report import render_junit, render_refused_junit
from courtroom.rendering.markdown_report import render_markdown
from courtroom.rendering.refused_markdown import render_refused
from courtroom.rendering.sarif_report import render_refused_sarif, render_sarif


def render_json(record: AuditReport | RefusedAudit) -> str:
    return json.dumps(record.as_json(), indent=1, ensure_ascii=False) + "\n"


@dataclass(frozen=True, slots=True)
class FileFormat:
    """Option that names the file, what its help says, and the text for either record."""

    option: str
    help: str
    of_report: Callable[[AuditReport], str]
    of_refused: Callable[[RefusedAudit], str]


FORMATS = (
    FileFormat("--json", "write the report's JSON here", render_json, render_json),
    FileFormat("--markdown", "write the Markdown here", render_markdown, render_refused),
    FileFormat("--sarif", "write its findings as SARIF 2.1.0", render_sarif, render_refused_sarif),
    FileFormat("--junit", "write its checks as JUnit XML", render_junit, render_refused_junit),
)


def add_file_options(cli: argparse.ArgumentParser) -> None:
    for file_format in FORMATS:
        cli.add_argument(file_format.option, type=Path, metavar="FILE", help=file_format.help)


def write_files(options: argparse.Namespace, record: AuditReport | RefusedAudit) -> None:
    """Write the record to each file that the options name."""
    for file_format in FORMATS:
        path: Path | None = getattr(options, file_format.option.removeprefix("--"))
        if path is None:
            continue
        if isinstance(record, AuditReport):
            path.write_text(file_format.of_report(record), "utf-8")
        else:
            path.write_text(file_format.of_refused(record), "utf-8")
