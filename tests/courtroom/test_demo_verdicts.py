"""Verdicts of the demo submissions: each is judged as its story deserves."""

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
from courtroom.models.audit_report import CriterionResult
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
    return next(row for row in report.criteria if row.id == name)


def score(report: AuditReport, name: str) -> int:
    given = criterion(report, name).final_score
    assert given is not None
    return given


def overall(report: AuditReport) -> float:
    assert report.overall_score is not None
    return report.overall_score


def test_careful_work_gets_high_scores(verdict):
    report = verdict("tribunal")
    assert overall(report) >= 4.3
    assert min(score(report, row.id) for row in report.criteria) >= 4


def test_half_finished_work_scores_in_between(verdict):
    report = verdict("code-court")
    assert (
        overall(verdict("ultimate-auditor")) + 0.5
        < overall(report)
        < overall(verdict("tribunal")) - 0.5
    )
    assert report.facts.pdf_hallucinated_paths == ("court/settings.py",)


def test_single_chain_graph_scores_low_on_orchestration(verdict):
    report = verdict("review-pipeline")
    assert score(report, "graph_orchestration") <= 2
    assert (report.facts.detectives_parallel, report.facts.judges_parallel) == (False, False)
    assert report.facts.pdf_diagram == "linear"


def test_shell_with_user_input_caps_tool_safety(verdict):
    report = verdict("quick-auditor")
    assert score(report, "safe_tool_engineering") <= 2
    assert "security_override" in criterion(report, "safe_tool_engineering").resolution

    calls = (
        report.facts.os_system_calls,
        report.facts.shell_true_calls,
        report.facts.eval_exec_calls,
    )

    assert [[place.line for place in places or ()] for places in calls] == [
        [10, 11],
        [16, 20],
        [28],
    ]
    assert score(report, "graph_orchestration") >= 3


def test_single_commit_scores_low_on_history(verdict):
    report = verdict("auditor-final")
    assert score(report, "git_forensic_analysis") <= 2
    assert report.facts.bulk_upload is True
    assert score(report, "graph_orchestration") >= 4


def test_keywords_without_a_program_score_low(verdict):
    report = verdict("ultimate-auditor")
    assert overall(report) <= 2

    of_the_code = [
        row for row in report.criteria if not row.id.startswith(("theoretical", "report", "swarm"))
    ]

    assert len(of_the_code) == CODE_CRITERIA
    assert [row.id for row in of_the_code if score(report, row.id) > 2] == []
    assert report.facts.pdf_terms is not None
    assert "substantive" not in report.facts.pdf_terms.values()


@pytest.mark.parametrize("name", [student.repository for student in STUDENTS])
def test_every_score_cites_recorded_evidence(name, verdict):
    report = verdict(name)
    evidence_ids = {piece.id for piece in report.evidence}
    opinions = [opinion for row in report.criteria for opinion in row.opinions]
    cited = [set(opinion.cited_evidence) for opinion in opinions]
    assert len([opinion for opinion in opinions if opinion.round == 1]) == 30
    assert (report.status, report.errors) == ("verdict", ())
    assert all(ids and ids <= evidence_ids for ids in cited)
