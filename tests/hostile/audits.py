"""One whole audit, as a worker holds it, without a site."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from courtroom import hold_audit
from courtroom.models.case import Case
from courtroom.models.errors import InputRefused
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.synthesis.constitutions import preset


@dataclass(frozen=True, slots=True)
class Refusal:
    code: str
    message: str

    @property
    def is_a_sentence(self) -> bool:
        """Return whether it is a readable sentence, without words of git."""
        text = self.message
        return text[0].isupper() and text.endswith(".") and " " in text and "fatal:" not in text


def audited(
    repo_url: Path | str, folder: Path, *, pdf: Path | None = None, rubric: str = "general"
) -> Any:
    """The report as JSON, or the Refusal. The audit's own files are made under `folder` and gone at
    its end.
    """
    case = Case(
        repo_url=str(repo_url),
        pdf=pdf,
        rubric=shipped_rubric(rubric),
        constitution=preset("default"),
        allow_local=True,
    )
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        return asyncio.run(_report(case))
    except InputRefused as refused:
        return Refusal(refused.code, refused.message)
    finally:
        tempfile.tempdir = before
        assert list(folder.iterdir()) == []


async def _report(case: Case) -> Any:
    events = [event async for event in hold_audit(case)]
    assert events[-1].report is not None
    return events[-1].report.as_json()
