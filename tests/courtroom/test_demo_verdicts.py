"""Each demo submission is judged as its story deserves; whoever reads the demo must be able to
trust it.
"""

import asyncio
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from courtroom import (
    AuditReport,
    BenchSettings,
    Case,
    Known,
    constitution_of,
    hold_audit,
    shipped_rubric,
)
from courtroom.models.record import CriterionResult
from grading.demo.people import STUDENTS
from grading.demo.reports import write_report
from grading.demo.stories import publish_repository

CODE_CRITERIA = 7
Verdict = Callable[[str], AuditReport]


@pytest.fixture(scope="module")
def verdict(tmp_path_factory) -> Verdict:
    folder = tmp_path_factory.mktemp("demo")
    return cache(lambda name: asyncio.run(_audit(name, folder)))


async def _audit(name: str, folder: Path) -> AuditReport:
    publish_repository(name, folder / f"{name}.git")
    rubric = shipped_rubric("self_audit")
    case = Case(
        repo_url=str(folder / f"{name}.git"),
        pdf=write_report(name, folder / f"{name}.pdf"),
        rubric=rubric,
        constitution=constitution_of(rubric),
        allow_local=True,
    )
    events = [event async for event in hold_audit(case, bench=BenchSettings(), known=Known())]
    report = events[-1].report
    assert report is not None
    return report


def criterion(report: AuditReport, name: str) -> CriterionResult:
    return next(one for one in report.criteria if one.id == name)


def score(report: AuditReport, name: str) -> int:
    given = criterion(report, name).final_score
    assert given is not None
    return given


def overall(report: AuditReport) -> float:
    assert report.overall_score is not None
    return report.overall_score


def test_careful_work_is_seen_as_such(verdict):
    report = verdict("tribunal")
    assert overall(report) >= 4.3
    assert min(score(report, one.id) for one in report.criteria) >= 4


def test_half_of_the_work_lies_between(verdict):
    report = verdict("code-court")
    assert (
        overall(verdict("ultimate-auditor")) + 0.5
        < overall(report)
        < overall(verdict("tribunal")) - 0.5
    )
    assert report.facts.pdf_hallucinated_paths == ("court/settings.py",)


def test_a_graph_in_one_line_is_no_orchestration(verdict):
    report = verdict("review-pipeline")
    assert score(report, "graph_orchestration") <= 2
    assert (report.facts.detectives_parallel, report.facts.judges_parallel) == (False, False)
    assert report.facts.pdf_diagram == "linear"


def test_a_shell_fed_with_the_address_caps_the_safety_of_the_tools(verdict):
    report = verdict("quick-auditor")
    assert score(report, "safe_tool_engineering") <= 2
    assert "security_override" in criterion(report, "safe_tool_engineering").resolution
    calls = (
        report.facts.os_system_calls,
        report.facts.shell_true_calls,
        report.facts.eval_exec_calls,
    )
    assert [[place.line for place in found or ()] for found in calls] == [[10, 11], [16, 20], [28]]
    assert score(report, "graph_orchestration") >= 3


def test_good_code_in_one_commit_has_no_history(verdict):
    report = verdict("auditor-final")
    assert score(report, "git_forensic_analysis") <= 2
    assert report.facts.bulk_upload is True
    assert score(report, "graph_orchestration") >= 4


def test_keywords_without_a_program_are_worth_nothing(verdict):
    report = verdict("ultimate-auditor")
    assert overall(report) <= 2
    of_the_code = [
        one for one in report.criteria if not one.id.startswith(("theoretical", "report", "swarm"))
    ]
    assert len(of_the_code) == CODE_CRITERIA
    assert [one.id for one in of_the_code if score(report, one.id) > 2] == []
    assert report.facts.pdf_terms is not None
    assert "substantive" not in report.facts.pdf_terms.values()


@pytest.mark.parametrize("name", [student.repository for student in STUDENTS])
def test_every_score_rests_on_evidence_of_the_record(name, verdict):
    report = verdict(name)
    known = {piece.id for piece in report.evidence}
    cited = [set(opinion.cited_evidence) for one in report.criteria for opinion in one.opinions]
    assert (report.status, len(cited), report.errors) == ("verdict", 30, ())
    assert all(ids and ids <= known for ids in cited)
