"""Our own reports are read back, from JSON and from Markdown."""

import asyncio
import json

import pytest

from courtroom import hold_audit, read_report, render_markdown
from courtroom.models.audit_report import AuditReport, CriterionResult, OpinionRow
from courtroom.report_import.imported_report import ImportedReport
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.synthesis.constitutions import preset
from tests.courtroom.report_import.report_values import notes, pair
from tests.factories.student_project import case_of, student_repository


@pytest.fixture(scope="module", params=["self_audit", "points"])
def report(request, tmp_path_factory) -> AuditReport:
    rubric = shipped_rubric(request.param)
    repository = student_repository(tmp_path_factory.mktemp("submission"))
    case = case_of(repository, rubric=rubric, constitution=preset(str(rubric.constitution)))

    async def hold() -> AuditReport:
        report = [event async for event in hold_audit(case)][-1].report
        assert report is not None
        return report

    return asyncio.run(hold())


def judged(report: AuditReport, ticks: str = "") -> list[object]:
    """Remove the ticks, as the import does: a code span is read as the words in it."""
    return [
        (
            c.name,
            c.final_score,
            c.level,
            c.excluded,
            c.dissent and c.dissent.replace(ticks, ""),
            _different_opinions(c, ticks),
        )
        for c in report.criteria
    ]


def _different_opinions(criterion: CriterionResult, ticks: str) -> list[object]:
    """Opinions with one for each judge and score: of a judge who keeps a score, the longest.

    A judge who gives none is read with the kind of failure before its words.
    """
    opinions: dict[object, tuple[object, ...]] = {}
    for o in sorted(criterion.opinions, key=lambda o: -len(o.argument)):
        if o.score is not None:
            argument = o.argument.replace(ticks, "")
            opinions.setdefault((o.judge, o.score), (o.judge, o.score, argument, o.cited_evidence))
    return [opinions[o.judge, o.score] for o in _firsts(criterion)]


def _firsts(criterion: CriterionResult) -> list[OpinionRow]:
    """Return the first opinion of each judge with each score."""
    scored = [o for o in criterion.opinions if o.score is not None]
    rows = {(o.judge, o.score): o for o in reversed(scored)}
    return [o for o in scored if rows[o.judge, o.score] is o]


def imported(report: ImportedReport) -> list[object]:
    return [
        (
            c.name,
            c.score and c.score.value,
            c.level,
            c.excluded,
            c.dissent,
            [(o.judge, o.score.value, o.argument, o.cited) for o in c.opinions if o.score],
        )
        for c in report.criteria
    ]


def changes(report: AuditReport, ticks: str = "") -> set[object]:
    return {
        (c.name, change.path, change.line, change.action.replace(ticks, ""), change.priority)
        for c in report.criteria
        for change in c.remediation
    }


def imported_changes(report: ImportedReport) -> set[object]:
    return {
        (report.criteria[f.criterion].name, f.path, f.line, f.action, f.priority)
        for f in report.findings
        if f.criterion is not None and f.action
    }


def test_own_json_is_read_back_unchanged(report: AuditReport) -> None:
    read = read_report(json.dumps(report.as_json()), name="report.json")

    assert (read.layout, read.repo_url, read.commit) == (
        "report@1 JSON",
        report.repo_url,
        report.commit,
    )
    assert pair(read.overall) == (report.overall_score, 5)
    assert [criterion.id for criterion in read.criteria] == [
        criterion.id for criterion in report.criteria
    ]
    assert imported(read) == judged(report)
    assert imported_changes(read) == changes(report)
    assert len(read.findings) == len(changes(report))
    # A judge who gives no score is named in a note.
    failures = [o for c in report.criteria for o in c.opinions if o.failure]
    assert len(notes(read)) == len(failures)


def test_own_markdown_is_read_back_unchanged(report: AuditReport) -> None:
    published = report.model_copy(update={"repo_url": "https://example.org/team/work"})
    read = read_report(render_markdown(published, date="21 November 2026"), name="report.md")

    assert (read.layout, read.repo_url, read.commit, read.date) == (
        "report@1 Markdown",
        "https://example.org/team/work",
        report.commit,
        "21 November 2026",
    )
    assert pair(read.overall) == (report.overall_score, 5)
    assert imported(read) == judged(report, ticks="`")
    assert imported_changes(read) == changes(report, ticks="`")
    assert notes(read) == []
