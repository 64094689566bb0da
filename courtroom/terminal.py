"""How the commands speak: one clear line for bad input, exit codes, reports to files."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from pydantic import ValidationError

from courtroom.errors import CourtroomError, InputRefused, RecordBroken
from courtroom.record import AuditReport

VERDICT, BAD_INPUT, NEEDS_A_PERSON, INTERRUPTED = 0, 2, 3, 130


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"courtroom: {message} (see --help)\n")


def answering(command: Callable[[], int]) -> int:
    """The command's exit code, with every way to fail put in one line on stderr."""
    try:
        return command()
    except (InputRefused, RecordBroken) as refused:
        return _complain(f"{refused.message} [{refused.code}]")
    except CourtroomError as failed:
        _complain(f"{failed.message} [{failed.code}]")
        return NEEDS_A_PERSON
    except OSError as broken:
        return _complain(f"{broken.filename or ''}: {broken.strerror or broken}".lstrip(": "))
    except KeyboardInterrupt:
        return INTERRUPTED


def _complain(message: str) -> int:
    sys.stderr.write(f"courtroom: {' '.join(message.split())}\n")
    return BAD_INPUT


def stored_report(path: Path) -> AuditReport:
    """Raises RecordBroken: record_unreadable."""
    try:
        return AuditReport.model_validate_json(path.read_bytes())
    except ValidationError as broken:
        first = broken.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise RecordBroken(
            "record_unreadable", f"{path} is no report of ours: {place}: {first['msg']}"
        ) from broken


def write_json(path: Path, report: AuditReport) -> None:
    path.write_text(json.dumps(report.as_json(), indent=1, ensure_ascii=False) + "\n", "utf-8")
