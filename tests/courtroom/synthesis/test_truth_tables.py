"""Each preset against the whole table of the system that it reproduces: 2,375 rows."""

from __future__ import annotations

from collections.abc import Iterator

from courtroom.synthesis.constitutions import preset
from courtroom.synthesis.truth_table import BenchFlags, TruthRow, truth_table
from tests.courtroom.synthesis.truth_tables import (
    bench_of,
    decisions,
    read_table,
    rows_of_default,
)


def _decided(
    name: str, rows: list[dict[str, str]], flags: dict[int, BenchFlags] | BenchFlags
) -> Iterator[tuple[dict[str, str], TruthRow]]:
    for number, row in enumerate(rows):
        circumstances = flags if isinstance(flags, BenchFlags) else flags[number]
        yield row, decisions(name, circumstances)[bench_of(row)]


def test_weighted_average_decides_every_bench_as_described() -> None:
    rows = read_table("weighted_average")
    flags = {
        number: BenchFlags(
            prosecutor_argument=row["prosecutor_argument"], confidence=float(row["mean_confidence"])
        )
        for number, row in enumerate(rows)
    }
    wrong = [
        (row, decided)
        for row, decided in _decided("weighted-average", rows, flags)
        if (row["final"], row["decided_by"], row["dissent"] == "yes")
        != (str(decided.score), decided.decided_by, decided.has_dissent)
    ]
    assert (len(rows), wrong) == (500, [])


def test_opinions_only_decides_every_bench_as_described() -> None:
    rows = read_table("opinions_only")
    flags = {
        number: BenchFlags(prosecutor_argument=row["prosecutor_argument"])
        for number, row in enumerate(rows)
    }
    wrong = [
        (row, decided)
        for row, decided in _decided("opinions-only", rows, flags)
        if not _is_as_described(row, decided)
    ]
    assert (len(rows), wrong) == (750, [])


def _is_as_described(row: dict[str, str], decided: TruthRow) -> bool:
    """A cap holds, agreement stands but for the cap, and a wide spread is marked and explained."""
    cap, score, rules = int(row["cap"]), decided.score, {rule.rule for rule in decided.rules}
    is_high = "variance_re_evaluation" in rules
    return (
        score is not None
        and score <= cap
        and ("security_override" in rules) == (cap < 5)
        and (row["unanimous"] == "no" or score == min(decided.scores[0], cap))
        and (is_high, decided.has_dissent) == (row["high_variance"] == "yes",) * 2
    )


def test_points_based_decides_every_bench_as_described() -> None:
    rows = read_table("points_based")
    flags = {
        number: BenchFlags(
            architecture=row["architecture"] == "yes",
            security_evidence=row["security_evidence"] == "yes",
            unsupported=None if row["defense_supported"] == "yes" else "Defense",
        )
        for number, row in enumerate(rows)
    }
    wrong = [
        (row, decided)
        for row, decided in _decided("points-based", rows, flags)
        # An empty final score is not described: only the most that it may be.
        if row["final"] not in ("", str(decided.score))
        or decided.score is None
        or decided.score > int(row["at_most"])
        or decided.has_dissent != (row["dissent"] == "yes")
    ]
    assert (len(rows), wrong) == (1000, [])


def test_governance_hears_every_bench_again_that_the_description_says() -> None:
    rows = read_table("governance")
    decided = _decided("governance", rows, BenchFlags())
    wrong = [row for row, d in decided if d.is_reheard != (row["heard_again"] == "yes")]
    assert (len(rows), wrong) == (125, [])


def test_default_decides_every_bench_as_its_own_table_says() -> None:
    rows = read_table("default")
    assert len(rows) == 875
    assert list(rows_of_default()) == rows


def test_opinions_only_sets_aside_a_judge_who_cites_what_was_not_shown() -> None:
    rows = truth_table(preset("opinions-only"), BenchFlags(inventive="Defense"))
    by_bench = {row.scores: row for row in rows}
    assert by_bench[1, 5, 1].score == 1
    assert by_bench[1, 5, 1].rules[0].why == "Set aside for citing what was not shown: Defense."
    assert all(row.score in {1, 5} for row in rows if row.scores[0] == row.scores[2] in {1, 5})


def test_criterion_needs_review_when_too_few_opinions_cite_what_was_shown() -> None:
    constitution = preset("opinions-only").model_copy(update={"quorum": 3})
    row = truth_table(constitution, BenchFlags(inventive="TechLead"))[0]
    assert (row.score, row.decided_by) == (None, "citation_check")
    assert row.rules[0].why == (
        "2 of 3 judges gave an opinion that counts and 3 are needed."
        " Set aside for citing what was not shown: Tech Lead."
    )
