"""Rules and pairs of rules that do nothing, and benches that no rule decides."""

from __future__ import annotations

from typing import Any

import pytest

from courtroom.synthesis.constitutions import PRESETS
from courtroom.synthesis.rule_review import RulePair, circumstances, review_rules
from courtroom.synthesis.rules import (
    AnyRule,
    CitationCheck,
    Constitution,
    DissentRequirement,
    FactSupremacy,
    FunctionalityWeight,
    SecurityOverride,
    VarianceReEvaluation,
    WeightedAverage,
)
from courtroom.synthesis.truth_table import BenchFlags, truth_table


def rules(*listed: AnyRule, **fields: Any) -> Constitution:
    return Constitution(id="own", rules=listed, **fields)


@pytest.mark.parametrize("name", PRESETS)
def test_no_rule_of_a_preset_is_idle_or_without_effect(name: str) -> None:
    review = review_rules(PRESETS[name])
    assert (review.idle, review.ineffective) == ((), ())


def test_rule_that_never_fires_is_idle() -> None:
    every = FunctionalityWeight(applies_to="every_criterion")
    assert review_rules(rules(every, WeightedAverage())).idle == ("weighted_average",)
    never = VarianceReEvaluation(spread_above=4)
    assert review_rules(rules(never, WeightedAverage())).idle == ("variance_re_evaluation",)


def test_rule_that_fires_without_effect_is_ineffective() -> None:
    review = review_rules(rules(SecurityOverride(cap=5), WeightedAverage()))
    assert (review.idle, review.ineffective) == ((), ("security_override",))


def test_lower_cap_hides_the_higher_one_where_both_fire() -> None:
    weak = FactSupremacy(overrule_unsupported=False, weak_below=0.9, weak_cap=2)
    cap = SecurityOverride(cap=3, min_confidence=0.2)
    review = review_rules(rules(cap, weak, WeightedAverage()))
    assert review.pairs == (
        RulePair("fact_supremacy", "security_override", 125, ("security_override",)),
    )


def test_caps_on_apart_confidences_never_meet() -> None:
    weak = FactSupremacy(overrule_unsupported=False, weak_below=0.5, weak_cap=2)
    cap = SecurityOverride(cap=3, min_confidence=0.7)
    review = review_rules(rules(cap, weak, WeightedAverage()))
    assert review.pairs == (RulePair("fact_supremacy", "security_override", 0),)


def test_rules_that_both_have_an_effect_on_a_bench_are_no_pair() -> None:
    assert review_rules(rules(DissentRequirement(), WeightedAverage())).pairs == ()


def test_benches_without_a_rule_that_decides_are_undecided() -> None:
    [alone] = review_rules(rules(SecurityOverride())).undecided
    assert (alone.reason, len(alone.benches)) == ("stand_in", 125)
    [agreed] = review_rules(rules(WeightedAverage(on_unanimity=False))).undecided
    assert (agreed.reason, agreed.benches) == ("agreement", tuple((n, n, n) for n in range(1, 6)))
    strict = rules(CitationCheck(), WeightedAverage(), quorum=3)
    [left] = review_rules(strict).undecided
    assert (left.reason, len(left.benches), left.flags.inventive) == (
        "citation_check",
        125,
        "Prosecutor",
    )


def test_circumstances_are_those_that_the_rules_can_tell_apart() -> None:
    assert circumstances(rules(WeightedAverage())) == (BenchFlags(),)
    cap = SecurityOverride(min_confidence=0.7)
    assert circumstances(rules(cap, WeightedAverage())) == (
        BenchFlags(),
        BenchFlags(security_evidence=True),
    )
    weak = FactSupremacy(overrule_unsupported=False, weak_below=0.9)
    assert [
        (flags.security_evidence, flags.confidence)
        for flags in circumstances(rules(cap, weak, WeightedAverage()))
    ] == [(False, 1.0), (False, 0.7), (False, 0.0), (True, 1.0), (True, 0.7)]


def test_open_guard_is_tried_as_true_and_as_false() -> None:
    pytest.importorskip("cel_expr_python")
    guarded = rules(SecurityOverride(when="facts.commit_count > 3"), WeightedAverage())
    assert review_rules(guarded).ineffective == ()
    row = truth_table(guarded, BenchFlags(security_evidence=True))[-1]
    capped = truth_table(guarded, BenchFlags(security_evidence=True, open_guards=True))[-1]
    free = truth_table(guarded, BenchFlags(security_evidence=True, open_guards=False))[-1]
    assert [row.score, capped.score, free.score] == [None, 3, 5]


def test_guard_that_never_holds_makes_its_rule_idle() -> None:
    pytest.importorskip("cel_expr_python")
    never = WeightedAverage(when="spread > 4")
    review = review_rules(rules(never))
    assert (review.idle, [row.reason for row in review.undecided]) == (
        ("weighted_average",),
        ["stand_in"],
    )
