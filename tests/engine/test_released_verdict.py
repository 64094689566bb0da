"""Typed value of what a student was told; its JSON in the database never changes."""

from __future__ import annotations

from typing import Any

import pytest

from grading.engine.released_verdict import parse_released, verdict_as_it_counts
from grading.engine.report import parse_report
from grading.grades.queries.final_scores import released_value_of
from tests.factories.example_report import report_json
from tests.factories.people import everywhere
from tests.factories.work import AuditFactory


def released(**fields: Any) -> dict[str, Any]:
    row = {"id": "git", "name": "Git", "score": 4, "verdict_score": 2, "override_reason": "Seen."}
    return {"audit": "a", "submission": "s2", "attempt": 2, "criteria": [row]} | fields


@pytest.mark.django_db
def test_everything_that_is_released_is_parsed_as_it_was_stored() -> None:
    audit = AuditFactory(done=True, report=report_json(criteria=2))
    with everywhere():
        stored = released_value_of(audit)
    parsed = parse_released(stored)
    assert parsed is not None
    assert parsed.model_dump(include=set(stored)) == stored | {
        "criteria": tuple(stored["criteria"])
    }


def test_nothing_released_is_none() -> None:
    assert (parse_released(None), parse_released({})) == (None, None)


def test_a_release_that_names_no_verdict_was_the_verdict() -> None:
    parsed = parse_released(released(criteria=[{"id": "git", "score": 3}]))
    assert parsed is not None
    assert [(row.score, row.verdict_score) for row in parsed.criteria] == [(3, 3)]


def test_each_attempt_has_the_release_that_is_about_it() -> None:
    earlier = released(submission="s1", attempt=1, at="2026-11-20T12:00:00+00:00")
    parsed = parse_released(released(earlier=[earlier]))
    assert parsed is not None
    abouts = [parsed.about(key) for key in ("s2", "s1", "s0")]
    assert [value and value.attempt for value in abouts] == [2, 1, None]
    assert abouts[1] is not None
    assert f"{abouts[1].at}" == "2026-11-20 12:00:00+00:00"


def test_a_verdict_that_nobody_changed_counts_as_it_is() -> None:
    criterion = parse_report(report_json(criteria=1)).criteria[0]
    counts = verdict_as_it_counts(criterion)
    assert (counts.id, counts.score, counts.verdict_score, counts.override_reason) == (
        criterion.id,
        criterion.final_score,
        criterion.final_score,
        None,
    )
