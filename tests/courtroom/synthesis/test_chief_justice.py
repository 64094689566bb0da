"""The Chief Justice, rule by rule: review, decision, caps and sums."""

from courtroom.models.audit_report import Points
from courtroom.models.facts import establish
from courtroom.synthesis.chief_justice import contested
from courtroom.synthesis.constitutions import preset
from courtroom.synthesis.rules import (
    Constitution,
    SecurityOverride,
    VarianceReEvaluation,
    WeightedAverage,
)
from tests.courtroom.synthesis.bench_records import (
    NOTHING_FOUND,
    bench,
    check,
    criterion,
    failure,
    levels,
    opinion,
    outcome,
    piece,
    result,
    rubric,
    unsafe,
    verdict,
)

TWO = rubric(criterion("quality"), criterion("safety", weight=2))


def test_one_opinion_is_no_quorum_and_gives_no_score():
    neutral = piece()
    opinions = [
        opinion("Prosecutor", 2, neutral),
        failure("Defense"),
        failure("TechLead", "abstained"),
    ]
    judged = verdict("default", opinions, evidence=(neutral,))
    only = judged.criteria[0]

    assert (only.final_score, only.needs_review, only.resolution) == (None, True, ("quorum",))
    assert only.rationale == (
        "1 of 3 judges gave an opinion and 2 are needed. "
        "Defense: timeout (no answer in time); Tech Lead: abstained (no answer in time)"
    )
    assert (judged.status, judged.overall_score) == ("degraded", None)


def test_failure_is_a_row_without_a_score_and_two_judges_decide():
    neutral = piece()
    opinions = [
        opinion("Prosecutor", 2, neutral),
        opinion("Defense", 3, neutral),
        failure("TechLead"),
    ]
    judged = verdict("default", opinions, evidence=(neutral,)).criteria[0]

    assert judged.final_score == 3
    assert [(row.judge, row.score, row.failure) for row in judged.opinions] == [
        ("Prosecutor", 2, None),
        ("Defense", 3, None),
        ("TechLead", None, "timeout"),
    ]


def test_architecture_criterion_without_the_tech_lead_is_averaged():
    neutral = piece()
    case = {"evidence": (neutral,), "rubric_": rubric(criterion(architecture=True))}
    judged = verdict("default", bench((2, 4, 1), neutral)[:2], **case).criteria[0]
    assert (judged.final_score, judged.resolution) == (
        3,
        ("weighted_average", "dissent_requirement"),
    )


def test_judges_without_weight_are_averaged_when_alone():
    neutral = piece()
    constitution = Constitution(id="lead", rules=(WeightedAverage(prosecutor=0, defense=0),))
    judged = verdict(constitution, bench((2, 4, 5), neutral)[:2], evidence=(neutral,)).criteria[0]
    assert judged.final_score == 3


def test_opinions_without_citations_need_review():
    judged = verdict("default", bench((2, 3, 3)), evidence=(piece(),)).criteria[0]
    assert (judged.final_score, judged.resolution) == (None, ("fact_supremacy",))
    assert judged.rationale == (
        "No opinion is supported by what it cites. "
        "Prosecutor cites no evidence; Defense cites no evidence; Tech Lead cites no evidence."
    )


def test_prosecutor_citing_only_met_checks_is_raised_to_the_lowest_supported_score():
    good = piece()
    judged = result(
        "default", (1, 4, 4), evidence=(good,), outcomes=(outcome("tests", True, good),)
    )
    assert (judged.final_score, judged.rules[0].rule) == (4, "fact_supremacy")
    assert (judged.rules[0].before, judged.rules[0].after) == (3.25, 4.0)


def test_supported_defense_above_the_others_is_not_lowered():
    good, bad = piece("tests"), piece("docs", found=False)
    opinions = [
        opinion("Prosecutor", 1, bad),
        opinion("Defense", 2, good),
        opinion("TechLead", 1, bad),
    ]

    judged = verdict(
        "default",
        opinions,
        evidence=(good, bad),
        outcomes=(outcome("tests", True, good), outcome("docs", False, bad)),
        rubric_=rubric(criterion("quality", check("tests"), check("docs"))),
    ).criteria[0]

    assert (judged.final_score, judged.resolution) == (1, ("weighted_average",))


def test_judge_failing_in_the_second_round_keeps_the_first_opinion():
    neutral = piece()
    opinions = [
        *bench((1, 5, 3), neutral),
        *bench((2, 3, 3), neutral, round_number=2)[:2],
        failure("TechLead", round_number=2),
    ]
    judged = verdict("default", opinions, evidence=(neutral,)).criteria[0]

    assert judged.final_score == 3
    assert judged.rules[0].why == (
        "Second round: Prosecutor 1, Defense 5, Tech Lead 3 "
        "became Prosecutor 2, Defense 3, Tech Lead 3."
    )


def test_spread_after_the_second_round_is_decided_by_the_tech_lead():
    neutral = piece()
    opinions = [*bench((1, 5, 3), neutral), *bench((1, 5, 2), neutral, round_number=2)]
    judged = verdict("default", opinions, evidence=(neutral,)).criteria[0]

    assert (judged.final_score, judged.resolution) == (
        2,
        ("variance_re_evaluation", "dissent_requirement"),
    )
    assert judged.rules[0].why.endswith(
        "The judges differ by 4 points, more than 2: the Tech Lead decides, 2."
    )


def test_average_is_not_named_when_the_tech_lead_decides_the_same():
    judged = result("points-based", (1, 5, 3))
    assert (judged.final_score, judged.resolution) == (
        3,
        ("variance_re_evaluation", "dissent_requirement"),
    )


def test_constitution_may_average_a_wide_spread():
    constitution = Constitution(
        id="mean", rules=(VarianceReEvaluation(then="average"), WeightedAverage())
    )
    judged = result(constitution, (1, 5, 4))

    assert (judged.final_score, judged.resolution) == (
        4,
        ("variance_re_evaluation", "weighted_average"),
    )


def test_spread_at_the_limit_gets_no_second_round():
    assert contested(rubric(), preset("default"), bench((2, 4, 3)), 1, NOTHING_FOUND) == ()


def test_disputed_criteria_come_in_rubric_order():
    opinions = [*bench((1, 5, 3), on="safety"), *bench((5, 1, 3), on="quality")]
    assert contested(TWO, preset("default"), opinions, 1, NOTHING_FOUND) == ("quality", "safety")


def test_constitution_without_second_rounds_disputes_nothing():
    assert contested(rubric(), preset("points-based"), bench((1, 5, 3)), 1, NOTHING_FOUND) == ()
    assert contested(rubric(), preset("opinions-only"), bench((1, 5, 3)), 1, NOTHING_FOUND) == ()


def test_no_second_round_below_the_quorum():
    assert contested(rubric(), preset("governance"), bench((1, 5, 3))[:2], 1, NOTHING_FOUND) == ()


def security_case(flaw, *, met=False):
    return {
        "evidence": (flaw, piece()),
        "outcomes": (outcome("no_shell", met, flaw), outcome("tests", True, piece())),
        "rubric_": rubric(criterion("quality", unsafe(), check())),
    }


def test_absent_unsafe_call_never_triggers_the_security_cap():
    clean = piece(
        "no_shell", found=False, tags=("security",), content="no os.system() call in 12 files"
    )
    assert result("default", (5, 5, 5), **security_case(clean, met=True)).final_score == 5


def test_detected_safeguard_is_no_flaw():
    safeguard = piece("no_shell", tags=("security",))
    assert result("default", (5, 5, 5), **security_case(safeguard, met=True)).final_score == 5


def test_evidence_of_low_confidence_confirms_no_flaw():
    unsure = piece("no_shell", tags=("security",), confidence=0.69)
    assert result("default", (5, 5, 5), **security_case(unsure)).final_score == 5
    sure = piece("no_shell", tags=("security",), confidence=0.7)
    assert result("default", (5, 5, 5), **security_case(sure)).final_score == 3


def test_argument_text_never_triggers_the_default_cap():
    neutral = piece()
    opinions = [
        opinion("Prosecutor", 4, neutral, argument="os.system, injection, a security flaw!")
    ]
    judged = verdict(
        "default", [*opinions, *bench((4, 5, 5), neutral)[1:]], evidence=(neutral,)
    ).criteria[0]

    assert judged.final_score == 5


def test_flaw_in_another_criterion_does_not_cap_this_one():
    flaw, good = piece("no_shell", tags=("security",)), piece()
    judged = verdict(
        "default",
        [*bench((5, 5, 5), good), *bench((5, 5, 5), flaw, good, on="safety")],
        evidence=(flaw, good),
        outcomes=(outcome("no_shell", False, flaw), outcome("tests", True, good)),
        rubric_=rubric(criterion("quality", check()), criterion("safety", unsafe())),
    )

    assert [c.final_score for c in judged.criteria] == [5, 3]


def test_score_under_the_cap_keeps_its_value_and_names_the_rule():
    flaw = piece("no_shell", tags=("security",))
    judged = result("default", (3, 3, 3), **security_case(flaw))
    fired = judged.rules[1]

    assert (judged.final_score, fired.rule, fired.before, fired.after) == (
        3,
        "security_override",
        3.0,
        3.0,
    )


def test_dissent_names_the_judges_their_arguments_and_evidence():
    good, bad = piece("tests", 3), piece("docs", found=False)
    opinions = [
        opinion("Prosecutor", 2, bad, argument="No docs\nat all."),
        opinion("Defense", 4, good, argument="Tests exist."),
        opinion("TechLead", 3, good, bad),
    ]
    judged = verdict("default", opinions, evidence=(good, bad)).criteria[0]

    assert judged.dissent == (
        "The judges differ by 2 points. "
        f"Prosecutor gave 2: “No docs at all.” ({bad.id} at docs.py:1). "
        f"Defense gave 4: “Tests exist.” ({good.id} at tests.py:3). "
        f"Tech Lead gave 3: “Because.” ({good.id} at tests.py:3, {bad.id} at docs.py:1)."
    )


def test_dissent_quotes_whole_sentences_of_a_long_argument():
    tests = piece("tests")
    long = "Nothing is read (src/a.py:3). " + "Much more is wrong with it " * 8
    opinions = [opinion("Prosecutor", 1, tests, argument=long), *bench((1, 4, 4), tests)[1:]]
    dissent = verdict("default", opinions, evidence=(tests,)).criteria[0].dissent or ""
    assert "Prosecutor gave 1: “Nothing is read (src/a.py:3).” (" in dissent


def test_dissent_quotes_of_a_long_argument_what_its_score_is_in_spite_of():
    tests = piece("tests")
    for_it = f"For it I put first: the clone is isolated. It clones {'so ' * 60}well."
    against = "Not 5, as nothing sets a deadline."
    opinions = [
        *bench((1, 4, 4), tests)[:2],
        opinion("TechLead", 4, tests, argument=f"{for_it} {against}"),
    ]
    dissent = verdict("default", opinions, evidence=(tests,)).criteria[0].dissent or ""
    gist = f"For it I put first: the clone is isolated. {against}"
    assert f"Tech Lead gave 4: “{gist}” (" in dissent


def test_agreement_is_told_whatever_rule_decides():
    tests = piece("tests")
    same = [opinion(judge, 4, tests) for judge in ("Prosecutor", "Defense", "TechLead")]
    averaged = verdict("default", same, evidence=(tests,)).criteria[0]
    assert (averaged.rationale, averaged.dissent) == ("The judges agree on 4.", None)

    built = rubric(criterion("quality", architecture=True))
    by_lead = verdict("default", same, evidence=(tests,), rubric_=built).criteria[0]
    assert by_lead.rationale.startswith("The judges agree on 4. ")


def test_evidence_of_a_criterion_is_that_of_its_checks_and_judges():
    own, cited, foreign = piece("tests"), piece("docs"), piece("other")
    judged = verdict(
        "default",
        bench((3, 3, 3), cited),
        evidence=(foreign, cited, own),
        outcomes=(outcome("tests", True, own),),
    ).criteria[0]

    assert judged.evidence == (own.id, cited.id)


def test_unexamined_check_is_open_with_a_reason():
    row = verdict("default", bench((3, 3, 3))).criteria[0].checks[0]
    assert (row.met, row.reason) == (None, "This check was not examined.")


def test_overall_score_is_the_weighted_mean_rounded_half_up():
    neutral = piece()
    both = [*bench((3, 3, 3), neutral), *bench((4, 4, 4), neutral, on="safety")]

    assert verdict("default", both, evidence=(neutral,), rubric_=TWO).overall_score == 3.7

    quarters = rubric(
        *(criterion(name, weight=w) for name, w in (("quality", 0.3), ("safety", 0.1)))
    )
    tie = verdict("default", both, evidence=(neutral,), rubric_=quarters)

    assert tie.overall_score == 3.3


def test_criterion_in_review_is_in_neither_sum_and_marks_the_verdict():
    neutral = piece()
    two = rubric(criterion("quality", max_points=10), criterion("safety", max_points=90))
    judged = verdict("default", bench((3, 3, 3), neutral), evidence=(neutral,), rubric_=two)
    assert (judged.status, judged.overall_score) == ("needs_review", 3.0)
    assert judged.points == Points(earned=5, possible=10)


def test_rubric_without_points_has_no_points():
    assert verdict("default", bench((3, 3, 3), piece()), evidence=(piece(),)).points is None


def test_five_levels_match_five_scores():
    ladder = tuple(levels(10, "a", "b", "c", "d"))
    five = rubric(
        criterion(
            levels=(*ladder, ladder[-1].model_copy(update={"id": "e", "name": "e"})), max_points=10
        )
    )
    names = [result("default", (s, s, s), rubric_=five).level for s in (5, 4, 3, 2, 1)]

    assert names == ["a", "b", "c", "d", "e"]


def test_unestablished_feedback_excludes_nothing():
    neutral = piece()
    feedback = rubric(criterion("quality", check(), exclude_when="no_exchange"))
    judged = verdict("default", bench((2, 2, 2), neutral), evidence=(neutral,), rubric_=feedback)

    assert (judged.criteria[0].excluded, judged.criteria[0].final_score) == (False, 2)


def test_lack_of_evidence_names_the_missing_facts_and_reasons():
    facts = establish({}, {"graph": "the clone ran out of time"})
    judged = verdict("governance", bench((4, 4, 4)), facts=facts).criteria[0]
    assert judged.rationale == (
        "The detectives found 0 pieces of evidence, and 5 are needed."
        " Not established: the clone ran out of time."
        " Check that this commit and this report are the ones to be judged, then submit again."
    )


def test_constitution_may_set_a_lower_cap():
    flaw = piece("no_shell", tags=("security",))
    constitution = Constitution(id="strict", rules=(SecurityOverride(cap=1), WeightedAverage()))
    assert result(constitution, (5, 5, 5), **security_case(flaw)).final_score == 1
