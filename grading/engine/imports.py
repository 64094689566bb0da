"""Reports of students' own auditors, read by the courtroom.

Importing it is cheap; the courtroom's reader, imported inside its functions, loads no langgraph.
`repository_reports` clones, and is for jobs only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.conf import settings

from grading.core.errors import FeedbackRefused, InputRefused
from grading.engine.report import parse_report
from grading.engine.repository_access import opened_repository
from grading.models import Audit

if TYPE_CHECKING:
    from courtroom import CriteriaMatch


@dataclass(frozen=True, slots=True)
class RepositoryReport:
    """Report in a submitted repository: its text, or the problem that prevented reading it."""

    path: str
    text: str | None
    problem: str = ""


def read_report_text(text: str, *, name: str = "") -> dict[str, Any]:
    """Return the parsed report, an ImportedReport as JSON. Raises FeedbackRefused (file)."""
    from courtroom import CourtroomError, read_report

    try:
        return read_report(text, name=name).model_dump(mode="json")
    except CourtroomError as error:
        raise FeedbackRefused("file", error.code, error.message) from error


def matched_criteria(reading: Mapping[str, Any], document: Mapping[str, Any]) -> dict[int, str]:
    """Return the rubric's criterion ids by the report's places, matched by id, else by name."""
    return dict(_match(reading, document).matched)


def unmatched_criteria(reading: Mapping[str, Any], document: Mapping[str, Any]) -> int:
    """Return the number of the report's criteria that the rubric lacks."""
    return len(_match(reading, document).unmatched)


def _match(reading: Mapping[str, Any], document: Mapping[str, Any]) -> CriteriaMatch:
    from courtroom import ImportedReport, Rubric, matched_criteria

    return matched_criteria(ImportedReport.model_validate(reading), Rubric.from_stored(document))


def repository_reports(audit: Audit) -> list[RepositoryReport]:
    """Return the reports that this audit saw in the repository, at the audited commit.

    It clones the repository: for jobs only. Raises InputRefused if that fails.
    """
    from courtroom import CourtroomError, read_repository_reports

    paths = parse_report(audit.report or {}).audit_files.paths
    submission = audit.submission
    if not paths:
        return []
    try:
        with opened_repository(submission, "reports in the repository") as access:
            files_read = read_repository_reports(
                submission.repo_url,
                # The branch may have moved since the audit.
                ref=submission.resolved_commit or submission.ref or None,
                paths=paths,
                allow_local=settings.ALLOW_LOCAL_REPOSITORIES,
                access=access,
            )
    except CourtroomError as error:
        raise InputRefused(error.code, error.message) from error
    return [
        RepositoryReport(path, files_read.texts.get(path), files_read.unread.get(path, ""))
        for path in dict.fromkeys(paths)
    ]
