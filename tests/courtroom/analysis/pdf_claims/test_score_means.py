"""Means of the judges' scores, beside the plain ones that become a verdict."""

from __future__ import annotations

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.claims import checked_claims
from courtroom.analysis.pdf_claims.score_means import means_of_scores
from courtroom.detectives.evidence_aggregator import with_means

UNCALLED = (
    "def settle(prosecutor, defense, tech_lead):\n    return (prosecutor + 2 * tech_lead) / 3\n"
)
CALL = "VERDICT = settle\n"
MIXED = UNCALLED + CALL


@pytest.mark.parametrize(
    "mean",
    [
        "(prosecutor + defense + 2 * tech_lead) / 4",
        "0.2 * prosecutor.score + 0.3 * defense.score + 0.5 * tech_lead.score",
        "round((prosecutor.score + tech_lead.score) / 2)",
        "sum(op.score for op in opinions) / len(opinions)",
        "sum([opinion.score for opinion in opinions]) / len(opinions)",
    ],
)
def test_mean_of_several_judges_is_recognised_at_its_line(mean: str) -> None:
    source = f"def settle(prosecutor, defense, tech_lead, opinions):\n    return {mean}\n{CALL}"
    assert means_of_scores({"a.py": source}) == [{"path": "a.py", "line": 2}]


def test_weighted_sum_that_grows_in_a_loop_is_a_mean_where_it_is_divided() -> None:
    source = (
        "def settle(opinions):\n    total = shares = 0\n    for op in opinions:\n"
        "        total += op.score * weight(op)\n        shares += weight(op)\n"
        "    return total / shares\n" + CALL
    )
    assert means_of_scores({"a.py": source}) == [{"path": "a.py", "line": 6}]


@pytest.mark.parametrize(
    "value",
    [
        "sum(c.final_score for c in criteria) / len(criteria)",
        "sum(op.score for op in opinions) / total",
        "prosecutor + defense",
        "(prosecutor + prosecutor) / 2",
        "(prosecutor + bonus) / 2",
        "prosecutor * defense / 2",
        "sorted(scores)[1]",
        "total / count",
    ],
)
def test_other_sums_and_quotients_are_no_mean_of_judges(value: str) -> None:
    source = f"def settle(prosecutor, defense, opinions, criteria):\n    return {value}\n{CALL}"
    assert means_of_scores({"a.py": source, "b.py": "not python(", "c.md": MIXED}) == []


def test_mean_in_a_function_that_nothing_calls_is_not_counted() -> None:
    recursive = UNCALLED.replace("(prosecutor +", "(settle(1, 2, 3) + prosecutor +")
    for source in (UNCALLED, recursive):
        assert means_of_scores({"a.py": source}) == []
    looked_up = 'RULE = globals()["settle"]\n'
    for other in (CALL, looked_up, "from a import settle\n", "RULE = getattr(court, rule)\n"):
        assert means_of_scores({"a.py": UNCALLED, "b.py": other}) == [{"path": "a.py", "line": 2}]


def test_report_that_denies_averages_is_contradicted_by_a_weighted_mean() -> None:
    report = PdfReading(pages=("The Chief Justice never averages scores.",))
    code = with_means({"averaged_scores": []}, report, {"": "a.py", "a.py": MIXED})
    (held,) = checked_claims(report, code)
    assert (held.claim.feature, held.standing) == ("no_averages", "contradicted")
    assert code["averaged_scores"] == [{"path": "a.py", "line": 2}]


def test_means_are_looked_for_only_where_the_report_speaks_of_averages() -> None:
    sources = {"": "a.py", "a.py": MIXED}
    facts: dict[str, list[object]] = {"averaged_scores": []}
    assert with_means(facts, PdfReading(pages=("It has rules.",)), sources) is facts
    assert with_means(facts, None, sources) is facts
    plain = {"averaged_scores": [{"path": "b.py", "line": 1}]}
    assert with_means(plain, PdfReading(pages=("It averages nothing.",)), sources) is plain
