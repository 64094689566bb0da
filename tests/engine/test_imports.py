"""The doors to imported reports and to commits: plain values for the site, its own errors, no langgraph, no database."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.test import override_settings

from grading.core.errors import FeedbackRefused, InputRefused
from grading.engine import commits as engine_commits
from grading.engine import imports as engine_imports
from grading.engine.imports import RepositoryReport
from grading.models import Audit, Submission
from tests.factories.repositories import Commit, make_repository
from tests.factories.work import rubric_document

REPORT = "# Self audit\n\n## 1. Tidy: 4/5\n\n## Style\nScore: 2/5\n"
OWN, PDF = "audit/report_onself_generated/report.md", "audit/report_bypeer_received/report.pdf"


@pytest.fixture
def audit(tmp_path: Path) -> Any:
    """Of a repository with a report of each kind, one of which has gone since."""
    commit = make_repository(tmp_path / "work.git", [Commit(files={OWN: REPORT, PDF: b"%PDF-1.7"})])
    paths = {"generated": ["audit/peer/gone.md"], "self": [OWN], "received": [PDF]}
    submission = SimpleNamespace(
        repo_url=str(tmp_path / "work.git"), resolved_commit=commit, ref=""
    )
    return SimpleNamespace(report={"facts": {"minmax": paths}}, submission=submission)


def test_a_report_is_json_whose_criteria_are_matched_by_place() -> None:
    reading = engine_imports.read_report_text(REPORT, name=OWN)
    assert reading["about"] == "self"
    assert [row["score"]["value"] for row in reading["criteria"]] == [4, 2]
    document = rubric_document("tidy", "tested")
    assert engine_imports.matched_criteria(reading, document) == {0: "tidy"}
    assert engine_imports.unmatched_criteria(reading, document) == 1


def test_what_is_no_report_is_refused_beside_the_file() -> None:
    with pytest.raises(FeedbackRefused) as refused:
        engine_imports.read_report_text("%PDF-1.7")
    assert (refused.value.field, refused.value.code) == ("file", "report_no_text")


@override_settings(ALLOW_LOCAL_REPOSITORIES=True)
def test_the_reports_an_audit_saw_come_from_the_commit_that_was_judged(audit: Any) -> None:
    assert engine_imports.repository_reports(cast("Audit", audit)) == [
        RepositoryReport("audit/peer/gone.md", None, "There is no such file at this commit."),
        RepositoryReport(OWN, REPORT),
        RepositoryReport(
            PDF,
            None,
            (
                "A PDF cannot be imported. "
                "Commit the Markdown or JSON that it was made from in the same folder."
            ),
        ),
    ]


@pytest.mark.parametrize("report", [None, {}, {"facts": None}, {"facts": {"minmax": None}}])
def test_an_audit_that_saw_no_reports_costs_no_clone(audit: Any, report: Any) -> None:
    audit.report = report
    assert engine_imports.repository_reports(cast("Audit", audit)) == []


@override_settings(ALLOW_LOCAL_REPOSITORIES=False)
def test_a_repository_that_cannot_be_had_any_more_is_refused(audit: Any) -> None:
    with pytest.raises(InputRefused) as refused:
        engine_imports.repository_reports(cast("Audit", audit))
    assert refused.value.code == "url_not_https"


@override_settings(ALLOW_LOCAL_REPOSITORIES=True)
def test_a_commit_is_looked_up_in_the_repository_of_its_submission(audit: Any) -> None:
    submission = cast("Submission", audit.submission)
    touch = engine_commits.commit_touches(submission, submission.resolved_commit, OWN)
    assert (touch.exists, touch.touches) == (True, True)


@pytest.mark.processes
def test_reading_a_report_pays_for_no_langgraph() -> None:
    script = "import sys; from courtroom import read_report; read_report('# A'); print('langgraph' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
