"""Worked examples of every preset: three scores and the facts in, the verdict out."""

import pytest

from courtroom.models.audit_report import Points
from courtroom.models.errors import RubricRefused
from courtroom.models.facts import establish
from courtroom.synthesis.chief_justice import contested
from courtroom.synthesis.constitutions import PRESETS, constitution_of, preset
from courtroom.synthesis.rules import Constitution, FactSupremacy, WeightedAverage
from tests.courtroom.synthesis.bench_records import (
    NOTHING_FOUND,
    bench,
    check,
    criterion,
    levels,
    opinion,
    outcome,
    piece,
    result,
    rubric,
    unsafe,
    verdict,
)

POINTS_RUBRIC = rubric(
    criterion(
        "progress", max_points=35, levels=levels(35, "Complete", "Partial", "Superficial", "Absent")
    ),
    criterion(
        "feedback",
        max_points=20,
        levels=levels(20, "Integrated", "Selective", "Ignored", "No Exchange"),
        exclude_when="no_exchange",
    ),
    criterion(
        "communication", max_points=20, levels=levels(20, "Driver", "Engaged", "Reactive", "Absent")
    ),
    criterion(
        "relevance", max_points=25, levels=levels(25, "Forensic", "Targeted", "Noise", "None")
    ),
)
SCORES = {
    "progress": (4, 4, 4),
    "feedback": (2, 4, 3),
    "communication": (1, 1, 1),
    "relevance": (3, 4, 4),
}


def reports(**minmax):
    return establish({"minmax": {"generated": [], "self": [], "received": []} | minmax}, {})


def points_verdict(facts):
    neutral = piece()
    opinions = [o for name, scores in SCORES.items() for o in bench(scores, neutral, on=name)]
    return verdict(
        "points-based", opinions, evidence=(neutral,), rubric_=POINTS_RUBRIC, facts=facts
    )


def test_unknown_constitution_is_refused_with_the_existing_names():
    with pytest.raises(RubricRefused) as refused:
        preset("majority")
    assert refused.value.code == "rubric_constitution_unknown"
    assert (
        refused.value.message
        == f"There is no constitution 'majority'. There are: {', '.join(PRESETS)}."
    )


def test_constitution_holds_each_rule_once():
    with pytest.raises(ValueError, match="a constitution holds each rule once: weighted_average"):
        Constitution(id="twice", rules=(WeightedAverage(), WeightedAverage(tech_lead=1)))


def test_average_without_any_weight_is_refused():
    with pytest.raises(ValueError, match="at least one judge must weigh more than 0"):
        WeightedAverage(prosecutor=0, defense=0, tech_lead=0)


def test_rubric_uses_a_preset_or_its_own_constitution():
    own = Constitution(id="own", rules=(FactSupremacy(),))
    named, brought = (rubric().model_copy(update={"constitution": c}) for c in ("governance", own))
    assert constitution_of(named) == PRESETS["governance"]
    assert constitution_of(brought) == own


def test_six_presets_are_shipped():
    assert list(PRESETS) == [
        "default",
        "weighted-average",
        "overrides",
        "opinions-only",
        "points-based",
        "governance",
    ]


def test_weighted_average_of_2_4_3_is_3_with_dissent():
    judged = result("weighted-average", (2, 4, 3))
    assert (judged.final_score, judged.resolution) == (
        3,
        ("weighted_average", "dissent_requirement"),
    )
    assert judged.rules[0].after == 3.0
    assert judged.dissent is not None


def test_weighted_average_caps_at_3_when_the_prosecutor_names_a_security_flaw():
    neutral = piece()
    opinions = [
        opinion("Prosecutor", 1, neutral, argument="The clone is a Security hole."),
        *bench((1, 5, 4), neutral)[1:],
    ]
    judged = verdict("weighted-average", opinions, evidence=(neutral,)).criteria[0]

    assert judged.final_score == 3
    assert judged.resolution == ("weighted_average", "security_override", "dissent_requirement")
    assert (judged.rules[1].before, judged.rules[1].after) == (3.5, 3.0)


def test_weighted_average_caps_at_2_when_the_evidence_is_weak():
    weak, sure = [piece(line=line, confidence=0.4) for line in (1, 2, 3)], piece("docs")
    pieces = (*weak[1:], sure, weak[0])
    judged = verdict("weighted-average", bench((4, 5, 5), *weak), evidence=pieces).criteria[0]
    assert (judged.final_score, judged.resolution) == (2, ("weighted_average", "fact_supremacy"))
    assert (judged.rules[1].before, judged.rules[1].after) == (4.75, 2.0)


def test_weighted_average_rounds_half_to_even_and_default_rounds_half_up():
    assert result("weighted-average", (2, 4, 2)).final_score == 2
    assert result("default", (2, 4, 2)).final_score == 3


def test_overrides_gives_1_5_3_a_second_round_and_judges_the_new_opinions():
    neutral = piece()
    first, second = bench((1, 5, 3), neutral), bench((3, 4, 4), neutral, round_number=2)

    assert contested(rubric(), preset("overrides"), first, 1, NOTHING_FOUND) == ("quality",)
    assert contested(rubric(), preset("overrides"), [*first, *second], 2, NOTHING_FOUND) == ()

    judged = verdict("overrides", [*first, *second], evidence=(neutral,)).criteria[0]

    assert judged.final_score == 4
    assert judged.resolution == ("variance_re_evaluation", "weighted_average")
    assert (judged.rules[0].before, judged.rules[0].after) == (3.0, 3.75)
    assert [row.round for row in judged.opinions] == [1, 1, 1, 2, 2, 2]


def test_opinions_only_accepts_unanimity_without_evidence():
    flaw = piece("no_shell", tags=("security",))
    without = verdict("opinions-only", bench((3, 3, 3))).criteria[0]
    against = verdict(
        "opinions-only",
        bench((3, 3, 3)),
        evidence=(flaw,),
        outcomes=(outcome("no_shell", False, flaw),),
    ).criteria[0]

    assert (without.final_score, without.resolution, without.rules) == (3, (), ())
    assert (against.final_score, against.rules) == (3, ())


def test_opinions_only_may_fire_several_rules():
    judged = result("opinions-only", (1, 5, 4), rubric_=rubric(criterion(architecture=True)))
    assert judged.final_score == 4
    assert judged.resolution == (
        "variance_re_evaluation",
        "functionality_weight",
        "dissent_requirement",
    )


def test_points_based_gives_72_of_100():
    judged = points_verdict(reports(received=["audit/received/a.md"]))
    assert [c.points for c in judged.criteria] == [35, 12, 0, 25]
    assert [c.level for c in judged.criteria] == ["Complete", "Selective", "Absent", "Forensic"]
    assert judged.points == Points(earned=72, possible=100)


@pytest.mark.parametrize("facts", [reports(), reports(generated=["audit/onpeer/a.md"])])
def test_points_based_gives_60_of_80_when_no_report_was_received(facts):
    judged = points_verdict(facts)
    assert [c.excluded for c in judged.criteria] == [False, True, False, False]
    assert judged.points == Points(earned=60, possible=80)

    left_out = judged.criteria[1]

    assert (left_out.final_score, left_out.points, left_out.level) == (None, None, "No Exchange")
    assert (left_out.needs_review, left_out.resolution, judged.status) == (
        False,
        ("no_exchange",),
        "verdict",
    )


def test_low_score_never_maps_to_the_excluded_level():
    neutral = piece()
    judged = verdict(
        "points-based",
        bench((1, 1, 1), neutral, on="feedback"),
        evidence=(neutral,),
        rubric_=rubric(POINTS_RUBRIC.criteria[1]),
        facts=reports(received=["audit/received/a.md"]),
    )

    assert (judged.criteria[0].level, judged.criteria[0].points) == ("Ignored", 4)
    assert judged.points == Points(earned=4, possible=20)


def test_points_based_lowers_an_unsupported_defense_to_the_higher_other_score():
    for_it, against = piece("tests"), piece("docs", found=False)
    opinions = [
        opinion("Prosecutor", 2, against),
        opinion("Defense", 4, against),
        opinion("TechLead", 3, for_it, against),
    ]

    judged = verdict(
        "points-based",
        opinions,
        evidence=(for_it, against),
        outcomes=(outcome("tests", True, for_it), outcome("docs", False, against)),
        rubric_=rubric(criterion("quality", check("tests"), check("docs"))),
    ).criteria[0]

    assert judged.final_score == 3
    assert judged.resolution == ("fact_supremacy",)
    assert judged.rules[0].why == (
        f"Defense gave 4 but cites only what speaks against it ({against.id}):"
        " the higher score of the others, 3, decides."
    )


def test_points_based_uses_the_tech_lead_on_an_architecture_criterion_with_dissent():
    judged = result("points-based", (1, 5, 4), rubric_=rubric(criterion(architecture=True)))
    assert judged.final_score == 4
    assert judged.resolution == (
        "variance_re_evaluation",
        "functionality_weight",
        "dissent_requirement",
    )
    assert judged.dissent is not None


def test_governance_gives_no_score_below_the_minimum_of_evidence():
    few = [piece(line=line) for line in (1, 2)]
    judged = verdict("governance", bench((4, 4, 4), few[0]), evidence=few)
    assert (judged.status, judged.overall_score, judged.points) == ("degraded", None, None)
    assert [(c.final_score, c.needs_review, c.resolution) for c in judged.criteria] == [
        (None, True, ("insufficient_evidence",))
    ]


def test_governance_needs_review_when_one_judge_fails():
    enough = [piece(line=line) for line in range(1, 6)]
    judged = verdict("governance", bench((4, 4, 4), enough[0])[:2], evidence=enough)
    assert (judged.criteria[0].resolution, judged.status) == (("quorum",), "degraded")


@pytest.mark.parametrize(
    ("second", "final"),
    [((3, 3, 3), 3), ((1, 5, 4), 3), ((3, 5, 5), 3), ((5, 5, 5), 3), ((1, 2, 2), 2)],
)
def test_default_gives_1_5_4_a_second_round_and_security_evidence_caps_the_result(second, final):
    flaw, neutral = piece("no_shell", tags=("security",)), piece()
    safety, first = rubric(criterion("quality", unsafe())), bench((1, 5, 4), flaw, neutral)

    assert contested(safety, preset("default"), first, 1, NOTHING_FOUND) == ("quality",)

    judged = verdict(
        "default",
        [*first, *bench(second, flaw, neutral, round_number=2)],
        evidence=(flaw, neutral),
        outcomes=(outcome("no_shell", False, flaw),),
        rubric_=safety,
    ).criteria[0]

    assert judged.final_score == final
    assert "security_override" in judged.resolution


def test_default_caps_a_supported_high_score_at_3_on_security_evidence():
    flaw, good = piece("no_shell", tags=("security",)), piece("tests")
    judged = verdict(
        "default",
        bench((4, 5, 4), flaw, good),
        evidence=(flaw, good),
        outcomes=(outcome("no_shell", False, flaw), outcome("tests", True, good)),
        rubric_=rubric(criterion("quality", unsafe(), check())),
    ).criteria[0]

    assert (judged.final_score, judged.resolution) == (3, ("weighted_average", "security_override"))
    assert judged.rules[1].why == f"Confirmed security evidence: {flaw.id}. The score is at most 3."
