"""Matching of a report's criteria to those of the rubric, in any spelling."""

import pytest

from courtroom import matched_criteria, read_report
from courtroom.models.rubric import Criterion, Rubric
from courtroom.report_import.imported_report import ImportedCriterion, ImportedReport
from courtroom.rubric_import.read_rubric import shipped_rubric


def report_of(*names: str, ids: tuple[str | None, ...] = ()) -> ImportedReport:
    pairs = zip(names, ids or (None,) * len(names), strict=True)
    return ImportedReport(
        layout="test", criteria=tuple(ImportedCriterion(name=n, id=i) for n, i in pairs)
    )


@pytest.mark.parametrize(
    "spelling",
    [
        "Git Forensic Analysis",
        "git forensic analysis",
        "git_forensic_analysis",
        "GIT-FORENSIC-ANALYSIS",
        "3. Git Forensic Analysis",
        "Criterion 3: Git Forensic Analysis",
        "✅ Git Forensic Analysis",
        "[PASS] Git Forensic Analysis",
    ],
)
def test_name_matches_with_any_ornament(spelling: str) -> None:
    match = matched_criteria(report_of(spelling), shipped_rubric("self_audit"))
    assert dict(match.matched) == {0: "git_forensic_analysis"}
    assert dict(match.unmatched) == {}
    assert len(match.missing) == 9


def test_id_is_matched_before_the_name() -> None:
    report = report_of("Swarm Visual", "Report Accuracy", ids=("theoretical_depth", None))
    match = matched_criteria(report, shipped_rubric("self_audit"))
    assert dict(match.matched) == {0: "theoretical_depth", 1: "report_accuracy"}


def test_name_without_its_parentheses_matches() -> None:
    match = matched_criteria(report_of("Theoretical Depth"), shipped_rubric("self_audit"))
    assert dict(match.matched) == {0: "theoretical_depth"}


def test_unmatched_criterion_has_its_reason() -> None:
    report = report_of("Git Forensic Analysis", "Style", "git_forensic_analysis")
    match = matched_criteria(report, shipped_rubric("self_audit"))
    assert dict(match.matched) == {0: "git_forensic_analysis"}
    assert dict(match.unmatched) == {
        1: "The rubric has no criterion “Style”.",
        2: "Another criterion of the report already matches “git_forensic_analysis”.",
    }


def test_name_that_two_criteria_share_matches_neither() -> None:
    twins = tuple(Criterion(id=f"tests-{n}", name="Tests") for n in (1, 2))
    rubric = Rubric(id="twins", name="Twins", version="1", criteria=twins)
    match = matched_criteria(report_of("Tests", "tests 2"), rubric)
    assert dict(match.matched) == {1: "tests-2"}


def test_report_read_from_text_is_matched() -> None:
    text = "### 1. Development Progress: 21/35\n\n### Feedback & Co\nScore: 3/5\n"
    match = matched_criteria(read_report(text), shipped_rubric("points"))

    assert dict(match.matched) == {0: "development_progress"}
    assert match.missing == (
        "feedback_implementation",
        "proactive_communication",
        "agent_feedback_relevance",
    )
