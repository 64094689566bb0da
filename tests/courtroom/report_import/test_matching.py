"""Which criterion of the rubric a report means, in whatever spelling."""

import pytest

from courtroom import matched_criteria, read_report
from courtroom.models.rubric import Criterion, Rubric
from courtroom.report_import.imported_report import ImportedCriterion, ImportedReport
from courtroom.rubric_import.read_rubric import shipped_rubric


def told(*names: str, ids: tuple[str | None, ...] = ()) -> ImportedReport:
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
def test_a_name_is_known_whatever_its_ornament(spelling: str) -> None:
    match = matched_criteria(told(spelling), shipped_rubric("self_audit"))
    assert dict(match.matched) == {0: "git_forensic_analysis"}
    assert dict(match.unmatched) == {}
    assert len(match.missing) == 9


def test_an_id_goes_before_a_name() -> None:
    report = told("Swarm Visual", "Report Accuracy", ids=("theoretical_depth", None))
    match = matched_criteria(report, shipped_rubric("self_audit"))
    assert dict(match.matched) == {0: "theoretical_depth", 1: "report_accuracy"}


def test_what_stands_in_parentheses_may_be_left_out() -> None:
    match = matched_criteria(told("Theoretical Depth"), shipped_rubric("self_audit"))
    assert dict(match.matched) == {0: "theoretical_depth"}


def test_what_cannot_be_matched_is_said() -> None:
    report = told("Git Forensic Analysis", "Style", "git_forensic_analysis")
    match = matched_criteria(report, shipped_rubric("self_audit"))
    assert dict(match.matched) == {0: "git_forensic_analysis"}
    assert dict(match.unmatched) == {
        1: "The rubric has no criterion “Style”.",
        2: "Another criterion of the report is taken for “git_forensic_analysis” already.",
    }


def test_a_name_that_two_criteria_share_matches_neither() -> None:
    twins = tuple(Criterion(id=f"tests-{n}", name="Tests") for n in (1, 2))
    rubric = Rubric(id="twins", name="Twins", version="1", criteria=twins)
    match = matched_criteria(told("Tests", "tests 2"), rubric)
    assert dict(match.matched) == {1: "tests-2"}


def test_a_report_as_it_is_read() -> None:
    text = "### 1. Development Progress: 21/35\n\n### Feedback & Co\nScore: 3/5\n"
    match = matched_criteria(read_report(text), shipped_rubric("points"))
    assert dict(match.matched) == {0: "development_progress"}
    assert match.missing == (
        "feedback_implementation",
        "proactive_communication",
        "agent_feedback_relevance",
    )
