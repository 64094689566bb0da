"""Explanation of a score in plain sentences, from the record alone."""

from __future__ import annotations

from typing import Any

import pytest

from courtroom.synthesis import rules
from grading.engine.released_verdict import parse_released
from grading.engine.report import parse_report
from grading.report_pages.criterion import RULES, criterion_views
from tests.factories.example_report import report_json

FROM_THAT = (
    "From that, the Prosecutor, who looks for gaps and flaws, gave 4; "
    "the Defense, who looks for effort and intent, "
    "gave 5; the Tech Lead, who asks if it works and can be maintained, gave 5."
)


def explained(criterion: dict[str, Any], released: dict[str, Any] | None = None) -> list[str]:
    report = report_json(criteria=1)
    report["criteria"][0] |= criterion
    return list(criterion_views(parse_report(report), parse_released(released))[0].explained)


def test_explanation_goes_from_checks_to_unmet_goals() -> None:
    assert explained({}) == [
        (
            "0 of 2 checks passed. "
            "1 could not be established; that counts neither for nor against you."
        ),
        FROM_THAT,
        "The score is the judges' average, weighted as the rules say.",
        "The score is 5 of 5.",
        "What keeps the score down: No call goes through a shell.",
    ]


@pytest.mark.parametrize(
    ("criterion", "sentence"),
    [
        (
            {"checks": []},
            "The rubric has no checks for this criterion: the judges used the general evidence.",
        ),
        (
            {"final_score": None, "needs_review": True},
            (
                "Too few judges answered, so there is no score until a person reviews it. "
                "This is not a low score."
            ),
        ),
        (
            {"excluded": True},
            "It is excluded from the total, as the rules say, and lowers nothing.",
        ),
        (
            {
                "rules": [
                    {"rule": "security_override", "before": 4.0, "after": 3.0, "why": "os.system"}
                ]
            },
            "A security problem was confirmed. It caps the score, whatever else is good.",
        ),
    ],
)
def test_special_case_is_explained(criterion: dict[str, Any], sentence: str) -> None:
    assert [row for row in explained(criterion) if row == sentence] == [sentence]


def test_judge_without_an_answer_gave_no_score() -> None:
    opinions = report_json(criteria=1)["criteria"][0]["opinions"]
    opinions[0] |= {"score": None, "failure": "timeout"}
    assert (
        "the Prosecutor, who looks for gaps and flaws, gave no score;"
        in explained({"opinions": opinions})[1]
    )


def test_rule_that_fired_twice_is_explained_once() -> None:
    fired = [{"rule": "weighted_average", "before": None, "after": 4.0, "why": ""}] * 2
    assert len(explained({"rules": fired})) == len(explained({"rules": fired[:1]}))


def test_every_rule_has_a_sentence() -> None:
    kinds = {rule.model_fields["kind"].default for rule in rules.GuardedRule.__subclasses__()}
    # Two apply whatever the constitution.
    assert kinds | {"outcome_bound", "second_hearing"} == set(RULES)
