"""Weights of checks that `benchmarks.calibrate_weights` learns from labelled works."""

import asyncio
import json
from itertools import repeat

import pytest

from benchmarks.calibrate_weights import CriterionFit, Example, weighted, write_weights
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.run_audit import hold_audit
from tests.factories.student_project import case_of, student_repository

RUBRIC = shipped_rubric("self_audit")
CRITERION = weighted(next(c for c in RUBRIC.criteria if c.id == "theoretical_depth"), (1, 1, 1, 1))
CHECKS = [check.id for check in CRITERION.checks]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    repository = student_repository(tmp_path_factory.mktemp("calibration"))

    async def final_report():
        return [event async for event in hold_audit(case_of(repository, rubric=RUBRIC))][-1].report

    return asyncio.run(final_report())


def example(report, label, unmet):
    """Return a labelled work that meets every check of the criterion but those."""
    rows = [
        row.model_copy(update={"checks": tuple(_answered(report, c, unmet) for c in row.checks)})
        if row.id == CRITERION.id
        else row
        for row in report.criteria
    ]
    changed = report.model_copy(update={"criteria": tuple(rows)})
    return Example("a work", {CRITERION.id: label}, changed)


def _answered(report, check, unmet):
    """Return the check as met or not, with the evidence of another one that was so."""
    met = check.check not in unmet
    like = next(c for row in report.criteria for c in row.checks if c.met is met and c.evidence)
    return check.model_copy(update={"met": met, "evidence": like.evidence, "not_applicable": None})


def fit(*examples):
    return CriterionFit(RUBRIC, CRITERION, examples)


def test_weights_stay_where_the_scores_agree(report):
    assert fit(example(report, 5, ()), example(report, 4, CHECKS[:1])).fitted() == (1, 1, 1, 1)


def test_check_that_readers_miss_more_grows_heavier(report):
    works = [example(report, 3, CHECKS[:1]) for _ in range(3)]
    learnt = fit(*works, example(report, 4, CHECKS[1:2]))
    assert learnt.fitted()[0] > 1
    assert [score for *_, score in learnt.rows(repeat(learnt.fitted()))] == [3, 3, 3, 4]


def test_work_that_is_left_out_teaches_nothing(report):
    learnt = fit(example(report, 1, CHECKS[:1]), example(report, 4, CHECKS[1:2]))
    assert learnt.fitted() != (1, 1, 1, 1)
    assert learnt.fitted(left_out=0) == (1, 1, 1, 1)


def test_work_without_a_label_has_no_row(report):
    unlabelled = fit(example(report, None, ()))
    assert list(unlabelled.rows_left_out()) == []


def test_written_weights_are_the_only_change_of_the_rubric(tmp_path):
    before = RUBRIC.model_dump(mode="json")
    file = tmp_path / "rubric.json"
    file.write_text(json.dumps(before), "utf-8")
    weights = {check.id: check.weight for check in RUBRIC.checks}

    write_weights(file, weights | {CHECKS[0]: 3.5})

    after = json.loads(file.read_text("utf-8"))
    changed = next(c for c in after["criteria"] if c["id"] == CRITERION.id)["checks"][0]
    assert changed["weight"] == 3.5
    changed["weight"] = weights[CHECKS[0]]
    assert after == before
