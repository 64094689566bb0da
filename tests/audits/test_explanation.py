"""How a criterion came to its score, in plain sentences that follow from the record alone."""

from __future__ import annotations

from typing import Any

import pytest

from courtroom.synthesis import rules
from grading.engine.released_verdict import parse_released
from grading.engine.report import parse_report
from grading.report_pages.criterion import RULES, criterion_views
from tests.factories.example_report import report_json

FROM_THAT = (
    "From that, the Prosecutor, who looks for gaps and flaws, gave 4; the Defense, who looks for effort and intent, "
    "gave 5; the Tech Lead, who asks whether it works and lasts, gave 5."
)


def explained(criterion: dict[str, Any], told: dict[str, Any] | None = None) -> list[str]:
    report = report_json(criteria=1)
    report["criteria"][0] |= criterion
    return list(criterion_views(parse_report(report), parse_released(told))[0].explained)


def test_the_record_is_told_from_checks_to_what_keeps_it_from_more() -> None:
    assert explained({}) == [
        "Of 2 checks, 0 came out as asked and 1 did not; 1 could not be established, which counts neither for nor against you.",
        FROM_THAT,
        "The score is the judges' average, each with the weight that the rules give them.",
        "So it stands at 5 of 5.",
        "What keeps it from more: No call goes through a shell.",
    ]


@pytest.mark.parametrize(
    ("criterion", "sentence"),
    [
        (
            {"checks": []},
            "The rubric ties this criterion to no checks: the judges had the general evidence.",
        ),
        (
            {"final_score": None, "needs_review": True},
            "Too few judges could answer, so there is no score until a person has looked: this is not a low score.",
        ),
        (
            {"excluded": True},
            "It was left out of the sum: the rules say when, and it lowers nothing.",
        ),
        (
            {
                "rules": [
                    {"rule": "security_override", "before": 4.0, "after": 3.0, "why": "os.system"}
                ]
            },
            "A security problem was confirmed, and that sets a ceiling, whatever else is good.",
        ),
    ],
)
def test_what_is_not_as_usual_is_said(criterion: dict[str, Any], sentence: str) -> None:
    assert [each for each in explained(criterion) if each == sentence] == [sentence]


def test_a_judge_without_an_answer_gave_no_score_and_not_a_low_one() -> None:
    opinions = report_json(criteria=1)["criteria"][0]["opinions"]
    opinions[0] |= {"score": None, "failure": "timeout"}
    assert (
        "the Prosecutor, who looks for gaps and flaws, gave no score;"
        in explained({"opinions": opinions})[1]
    )


def test_each_rule_is_explained_once_whatever_its_order() -> None:
    fired = [{"rule": "weighted_average", "before": None, "after": 4.0, "why": ""}] * 2
    assert len(explained({"rules": fired})) == len(explained({"rules": fired[:1]}))


def test_every_rule_of_a_constitution_has_its_sentence() -> None:
    kinds = {rule.model_fields["kind"].default for rule in rules.GuardedRule.__subclasses__()}
    assert kinds == set(RULES)
