"""A wing of the only door to the courtroom (engine.py): reports that students' own auditors wrote.

Importing it is cheap; the courtroom's reader, imported inside its functions, is light: models, no langgraph.
`repository_reports` clones, and is for jobs only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.conf import settings

from grading.core.errors import FeedbackRefused, InputRefused
from grading.engine.report import parse_report
from grading.models import Audit

if TYPE_CHECKING:
    from courtroom import CriteriaMatch


@dataclass(frozen=True, slots=True)
class RepositoryReport:
    """A report that lies in a submitted repository: its text, or the problem that kept it from being read."""

    path: str
    text: str | None
    problem: str = ""


def read_report_text(text: str, *, name: str = "") -> dict[str, Any]:
    """What could be understood of a report, as the JSON of courtroom's ImportedReport. Raises FeedbackRefused (file)."""
    from courtroom import CourtroomError, read_report

    try:
        return read_report(text, name=name).model_dump(mode="json")
    except CourtroomError as error:
        raise FeedbackRefused("file", error.code, error.message) from error


def matched_criteria(reading: Mapping[str, Any], document: Mapping[str, Any]) -> dict[int, str]:
    """Which criterion of the rubric (its id) each of the report's is, by its place: by id, else by name."""
    return dict(_match(reading, document).matched)


def unmatched_criteria(reading: Mapping[str, Any], document: Mapping[str, Any]) -> int:
    """How many of the report's criteria are none of the rubric's."""
    return len(_match(reading, document).unmatched)


def _match(reading: Mapping[str, Any], document: Mapping[str, Any]) -> CriteriaMatch:
    from courtroom import ImportedReport, Rubric, matched_criteria

    return matched_criteria(ImportedReport.model_validate(reading), Rubric.from_stored(document))


def repository_reports(audit: Audit) -> list[RepositoryReport]:
    """The reports that this audit saw in the repository (facts.minmax), at the commit that was judged.

    Clones the repository: for jobs only. Raises InputRefused when it cannot be had any more.
    """
    from courtroom import CourtroomError, read_repository_reports

    files = parse_report(audit.report or {}).audit_files
    paths = [*files.generated, *files.own, *files.received]
    submission = audit.submission
    if not paths:
        return []
    try:
        found = read_repository_reports(
            submission.repo_url,
            ref=submission.resolved_commit or submission.ref or None,
            paths=paths,
            allow_local=settings.ALLOW_LOCAL_REPOSITORIES,
        )
    except CourtroomError as error:
        raise InputRefused(error.code, error.message) from error
    return [
        RepositoryReport(path, found.texts.get(path), found.unread.get(path, ""))
        for path in dict.fromkeys(paths)
    ]
