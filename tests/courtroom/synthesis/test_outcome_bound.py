"""Bound of a model's score: at most one above the outcomes, and never unnoticed."""

import pytest

from courtroom.models.canonical_json import canonical_json
from courtroom.models.judge_answer import OUTCOMES_ROUND, PERSONAS
from courtroom.synthesis.constitutions import PRESETS
from tests.courtroom.synthesis.bench_records import (
    bench,
    check,
    criterion,
    failure,
    outcome,
    piece,
    rubric,
    verdict,
)

NAMES = ("tests", "docs", "ci", "types")


def by_model(opinions, model="gpt"):
    return [opinion.model_copy(update={"model": model}) for opinion in opinions]


def judged(
    scores,
    met,
    *,
    constitution="default",
    further=(),
    model="gpt",
    essential=(),
    more=(),
    unknown=(),
):
    """Judge four checks of equal weight, `met` of them met, by judges that cite everything."""
    checks = [check(name, essential=name in essential) for name in NAMES]
    pieces = [piece(name, found=name in NAMES[:met]) for name in NAMES]
    outcomes = [
        outcome(name, None) if met is None or name in unknown else outcome(name, n < met, pieces[n])
        for n, name in enumerate(NAMES)
    ]
    evidence = (*pieces, *further)
    return verdict(
        constitution,
        [*by_model(bench(scores, *evidence), model), *more],
        evidence=evidence,
        outcomes=outcomes,
        rubric_=rubric(criterion("quality", *checks)),
    ).criteria[0]


@pytest.mark.parametrize("constitution", PRESETS)
@pytest.mark.parametrize(("met", "highest"), [(0, 2), (1, 3), (2, 4), (3, 5), (4, 5)])
def test_model_scores_at_most_one_above_what_the_outcomes_allow(constitution, met, highest):
    further = [piece("other", line) for line in range(1, 6)]
    result = judged((5, 5, 5), met, constitution=constitution, further=further)
    assert result.final_score == highest
    assert ("outcome_bound" in result.resolution) == (highest < 5)


def test_report_names_the_unmet_checks_and_both_scores():
    result = judged((2, 5, 3), 1)
    (rule,) = [rule for rule in result.rules if rule.rule == "outcome_bound"]
    assert (rule.before, rule.after) == (3.25, 2.75)
    assert rule.why.startswith("No file matches docs/**.")
    assert "There is docs" not in rule.why
    assert rule.why.endswith("Defense gave 5: taken as 3.")


def test_unmet_essential_check_allows_three():
    assert judged((5, 5, 5), 3, essential=("types",)).final_score == 4


def test_checks_that_were_not_established_bound_nothing():
    result = judged((5, 5, 5), None, further=[piece("other")])
    assert (result.final_score, "outcome_bound" in result.resolution) == (5, False)


def test_check_that_was_not_established_counts_half_beside_an_unmet_one():
    result = judged((5, 5, 5), 1, unknown=NAMES[2:])
    # 1 + 4 x (1 + 2 / 2) / 4 = 3 is allowed; as if met, the two would make it 4.
    assert result.final_score == 4


def test_heuristic_bench_is_not_bounded():
    result = judged((5, 5, 5), 1, model="heuristic/2")
    assert (result.final_score, "outcome_bound" in result.resolution) == (5, False)


def test_low_score_of_a_model_is_not_raised():
    assert judged((1, 1, 1), 4, further=[piece("other")]).final_score == 1


def test_cited_lines_in_the_file_of_an_unmet_check_do_not_lift_the_bound():
    location = piece("types").location.model_copy(update={"line_start": 7})
    assert judged((5, 5, 5), 2, further=[piece("cited", location=location)]).final_score == 4


def second_hearing(*scores):
    return by_model(
        bench(scores, piece("tests"), piece("types", found=False), round_number=OUTCOMES_ROUND)
    )


def test_score_that_the_outcomes_confirm_stands():
    result = judged((4, 4, 4), 2, more=second_hearing(3, 3, 3))
    assert (result.final_score, result.needs_review) == (4, False)
    assert result.rules[-1].rule == "second_hearing"
    assert len(result.opinions) == len(result.second_hearing) == 3


def test_gap_above_one_goes_to_a_person_with_the_reason():
    result = judged((4, 4, 4), 2, more=second_hearing(2, 2, 2))
    assert (result.final_score, result.needs_review) == (None, True)
    assert "On the outcomes of the checks alone the judges come to 2" in result.rationale
    assert (result.rules[-1].before, result.rules[-1].after) == (4, None)


def test_second_hearing_that_failed_goes_to_a_person():
    failures = [failure(judge, round_number=OUTCOMES_ROUND) for judge in PERSONAS]
    result = judged((4, 4, 4), 2, more=failures)
    assert (result.final_score, result.needs_review) == (None, True)
    assert "too few judges answered" in result.rationale


def test_record_without_a_second_hearing_does_not_name_one():
    assert '"second_hearing":' not in canonical_json(judged((4, 4, 4), 2).model_dump(mode="json"))


@pytest.mark.parametrize(
    ("model", "tags", "score"),
    [("gpt", ("integrity",), None), ("gpt", (), 5), ("heuristic/2", ("integrity",), 5)],
)
def test_doubtful_text_on_a_criterion_without_checks_goes_to_a_person(model, tags, score):
    evidence = (piece("other"), piece("words", tags=tags))
    result = verdict(
        "default",
        by_model(bench((5, 5, 5), evidence[0]), model),
        evidence=evidence,
        outcomes=[],
        rubric_=rubric(criterion("quality")),
    ).criteria[0]
    assert (result.final_score, "second_hearing" in result.resolution) == (score, score is None)
