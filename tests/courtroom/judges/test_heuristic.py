import asyncio
import json

import pytest

from courtroom.checks.commit_history import CommitHistory
from courtroom.judges.heuristic import HeuristicBench, group_outcomes, score_of
from courtroom.models.evidence import Location
from courtroom.models.judge_answer import PERSONAS, JudgeFailure, JudicialOpinion
from courtroom.rubric_import.read_rubric import shipped_rubric
from tests.courtroom.judges.questions import check, make_evidence, make_question, without_subject

BENCH = HeuristicBench()


def opinion_of(question):
    return asyncio.run(BENCH.answer([question]))[0].opinion


def scores(met, unmet, **more):
    return [opinion_of(make_question(persona, met, unmet, **more)).score for persona in PERSONAS]


def of(concern, *names, **fields):
    return [check(name, concern=concern, **fields) for name in names]


ONE_OF_EACH = [*of("risk", "secure"), *of("effort", "tried"), *of("function", "runs")]


@pytest.mark.parametrize(
    ("met", "unmet", "expected"),
    [
        ("secure tried runs", "", [5, 5, 5]),
        ("tried runs", "secure", [2, 5, 4]),
        ("secure runs", "tried", [4, 3, 4]),
        ("secure tried", "runs", [4, 5, 4]),
        ("secure", "tried runs", [3, 2, 2]),
        ("", "secure tried runs", [1, 1, 1]),
    ],
)
def test_own_concern_counts_twice_for_prosecutor_and_defense(met, unmet, expected):
    assert scores(tuple(met.split()), tuple(unmet.split()), checks=ONE_OF_EACH) == expected


def test_judges_agree_where_a_gap_is_neither_grave_nor_a_merit_speaks_against_it():
    assert scores(("a", "b"), ("c", "d")) == [3, 3, 3]


def test_grave_gap_costs_the_prosecutor_a_point():
    risk = of("risk", "d")
    assert scores(("a", "b", "c"), ("d",), checks=risk) == [2, 4, 4]


def test_merit_gives_the_defense_a_point_where_something_is_missing():
    effort = of("effort", "a")
    assert scores(("a", "b"), ("c", "d"), checks=effort) == [3, 4, 3]
    assert scores(("a", "b"), (), checks=effort) == [5, 5, 5]


def test_absent_flaw_is_no_merit():
    absent = [check("a", effort=True, polarity="negative")]
    assert scores(("a", "b"), ("c", "d"), checks=absent)[1] == 3


def test_effort_of_an_older_rubric_is_a_concern_of_the_defense():
    assert scores(("a",), ("b", "c"), checks=[check("a", effort=True)])[1] == 4


def test_five_is_for_no_gap_unless_the_defense_finds_a_merit():
    tiny = [check("tiny", weight=0.01)]
    assert scores(("a", "b"), ("tiny",), checks=tiny) == [4, 4, 4]
    assert scores(("a", "b"), ("tiny",), checks=[*tiny, *of("effort", "a")]) == [4, 5, 4]


def test_criterion_without_checks_is_not_judged():
    answer = opinion_of(make_question("TechLead"))
    assert isinstance(answer, JudgeFailure)
    assert (answer.failure, "no checks" in answer.message) == ("abstained", True)


def test_mostly_unestablished_criterion_is_not_judged_with_a_reason():
    answer = opinion_of(make_question("Defense", met=("a",), unknown=("b", "c")))
    assert isinstance(answer, JudgeFailure)
    assert "could not look" in answer.message


def test_unestablished_check_lowers_no_score():
    assert scores(("a", "b"), (), unknown=("c",)) == scores(("a", "b"), ())


def test_missing_essential_check_limits_prosecutor_and_tech_lead_to_three():
    essential = [check("core", essential=True, weight=0.1)]
    assert scores(("a", "b", "c"), ("core",), checks=essential) == [2, 4, 3]


def test_work_without_any_of_several_essential_parts_gets_at_most_two():
    core = [check(name, essential=True, weight=0.1) for name in ("core", "heart")]
    beside = ("a", "b", "c", "d")
    assert scores(beside, ("core", "heart"), checks=core) == [1, 2, 2]
    assert scores((*beside, "heart"), ("core",), checks=core) == [2, 5, 3]


def test_absent_flaw_does_not_stand_for_an_essential_part():
    core = [check(name, essential=True, weight=0.1) for name in ("core", "heart")]
    flaw = check("flaw", essential=True, polarity="negative")
    assert scores(("a", "b", "flaw"), ("core", "heart"), checks=[*core, flaw]) == [1, 2, 2]


@pytest.mark.parametrize(("is_essential", "expected"), [(True, [1, 1, 1]), (False, [3, 3, 3])])
def test_what_stands_beside_an_absent_subject_lifts_no_score(is_essential, expected):
    graph = [check("graph", essential=is_essential)]
    given = []
    for persona in PERSONAS:
        question = make_question(persona, ("a", "b"), ("graph", "edges"), checks=graph)
        given.append(opinion_of(without_subject(question, "edges", stated_by="graph")).score)
    assert given == expected


def test_security_evidence_limits_the_prosecutor_to_three():
    flaw = make_evidence("hole", tags=("security",))
    assert scores(("a", "b"), (), extra_evidence=(flaw,)) == [3, 5, 5]


def test_absent_flaw_is_no_security_evidence():
    absent = make_evidence("hole", found=False, tags=("security",))
    assert scores(("a", "b"), (), extra_evidence=(absent,)) == [5, 5, 5]


def test_second_round_weighs_every_concern_the_same():
    sides = [*of("risk", "secure"), *of("effort", "tried")]
    first, second = (
        scores(("tried",), ("secure",), checks=sides, round_number=number) for number in (1, 2)
    )
    assert (first, second) == ([1, 5, 3], [2, 4, 3])


@pytest.mark.parametrize(
    ("persona", "cited"), [("Prosecutor", "b"), ("Defense", "a"), ("TechLead", "b")]
)
def test_judge_cites_only_evidence_of_its_side(persona, cited):
    answer = opinion_of(make_question(persona, ("a",), ("b",)))
    assert isinstance(answer, JudicialOpinion)
    assert answer.cited_evidence == (make_evidence(cited, found=cited == "a").id,)
    assert not any(words in answer.argument for words in ("Against it: ", "In its favour"))


@pytest.mark.parametrize(
    ("persona", "met", "unmet", "score"),
    [("Prosecutor", ("a", "b", "c"), ("d",), 4), ("Defense", ("a",), ("b", "c", "d"), 2)],
)
def test_score_in_spite_of_the_turning_item_names_the_evidence_against_it(
    persona, met, unmet, score
):
    question = make_question(persona, met, unmet)
    answer = opinion_of(question)
    own, other = answer.cited_evidence
    sides = {item.id: item.found for item in question.evidence}
    assert (answer.score, sides[own], sides[other]) == (
        score,
        persona == "Defense",
        persona == "Prosecutor",
    )
    words = "In its favour: goal of a" if persona == "Prosecutor" else "Against it: no b"
    assert answer.argument.endswith(f" {words} ({other}).")


def test_what_stands_against_an_opinion_is_named_by_its_evidence_without_its_place():
    question = make_question("Prosecutor", ("a", "b", "c"), ("d",))
    outcomes = tuple(
        o.model_copy(update={"reason": f"goal of {o.check} (src/{o.check}.py:3)."})
        for o in question.outcomes
    )
    answer = opinion_of(question.model_copy(update={"outcomes": outcomes}))
    assert answer.argument.endswith(f" In its favour: goal of a ({answer.cited_evidence[1]}).")


def test_same_question_gives_same_bytes_and_other_question_other_key():
    first, again = (
        opinion_of(make_question("Defense", ("a",), ("b",))),
        opinion_of(make_question("Defense", ("a",), ("b",))),
    )
    other = opinion_of(make_question("Defense", ("b",), ("a",)))
    assert json.dumps(first.model_dump()) == json.dumps(again.model_dump())
    assert first.key != other.key


def arguments(met, unmet, **more):
    return [opinion_of(make_question(persona, met, unmet, **more)).argument for persona in PERSONAS]


def test_each_opinion_names_its_turning_item_with_its_place_and_no_other():
    assert arguments(("tried", "runs"), ("secure",), checks=ONE_OF_EACH) == [
        "The only check that is not met: no secure. See secure.py.",
        "Of 2 checks that are met I put first: goal of tried. See tried.py.",
        "For it I put first: goal of runs. See runs.py. Not 5, as no secure.",
    ]


def test_what_was_done_is_better_than_an_absent_flaw_and_every_check_met_counts():
    absent = [check("a", polarity="negative")]
    argument = arguments(("a", "b"), ("c",), checks=absent)[1]
    assert argument == "Of 2 checks that are met I put first: goal of b. See b.py."


def test_search_without_a_match_is_not_counted_as_met():
    question = make_question("Defense", ("a", "b", "c"), ("d",), reserved="ac")
    search = {"found": False, "content": "Looked for a shell.", "location": Location()}
    evidence = [
        piece.model_copy(update=search) if piece.check == "b" else piece
        for piece in question.evidence
    ]
    argument = opinion_of(question.model_copy(update={"evidence": tuple(evidence)})).argument
    assert argument == "Of 2 checks that are met I put first: goal of a. See a.py."


def test_check_with_a_reservation_is_the_best_only_where_all_have_one():
    checks = [check("a", weight=3), check("b"), check("c", polarity="negative")]
    for reserved, best in (("a", "b"), ("ab", "c"), ("abc", "a")):
        words = arguments("abc", (), checks=checks, reserved=reserved)
        assert words[2] == f"For it I put first: goal of {best}. See {best}.py."


def test_only_check_met_is_named_so():
    assert arguments(("a",), ("c",))[1] == "The only check that is met: goal of a. See a.py."


@pytest.mark.parametrize(("limits", "best"), [((3, 15), "b"), ((15, 3), "a")])
def test_hardest_of_checks_that_differ_in_their_limit_is_the_best(limits, best):
    counts = [
        CommitHistory(id=name, goal=f"goal of {name}", aspect="more_than", minimum=limit)
        for name, limit in zip("ab", limits, strict=True)
    ]
    argument = arguments(("a", "b"), ("c",), checks=counts)[1]
    assert argument == f"Of 2 checks that are met I put first: goal of {best}. See {best}.py."


def test_judge_who_finds_nothing_says_so():
    assert arguments(("a", "b"), ())[0] == "No check of this criterion failed."
    words = "No check of this criterion failed; 1 of 2 met with a reservation."
    assert arguments(("a", "b"), (), reserved="a")[0] == words
    nothing = "I looked for something to credit and found nothing in 1 check."
    assert arguments((), ("a",))[1] == nothing


def test_checks_that_one_fact_shows_are_counted_as_the_report_lists_them():
    question = make_question("Prosecutor", ("a", "b", "c"), (), reserved="c")
    outcomes = [
        outcome.model_copy(update={"reason": "One line of a.py shows it"})
        if outcome.check != "c"
        else outcome
        for outcome in question.outcomes
    ]
    alike = question.model_copy(update={"outcomes": tuple(outcomes)})
    words = "No check of this criterion failed; 1 of 2 met with a reservation."
    assert opinion_of(alike).argument == words
    defense = make_question("Defense", ("a", "b", "c"), ()).model_copy(
        update={"outcomes": tuple(outcomes)}
    )
    assert opinion_of(defense).argument.startswith("Of 2 checks that are met I put first: ")


@pytest.mark.parametrize(("unmet", "is_said"), [((), False), (("c",), True)])
def test_tech_lead_who_does_not_give_five_says_why(unmet, is_said):
    argument = arguments(("a", "b"), unmet)[2]
    assert argument.endswith("Not 5, as no c.") is is_said


def test_prosecutor_turns_on_an_essential_gap_before_a_risk():
    checks = [*of("risk", "a", weight=9), *of("function", "b", essential=True)]
    argument = arguments((), ("a", "b"), checks=checks)[0]
    assert argument == "Of 2 faults I put first: no b. See b.py."


def test_gravest_fault_is_one_that_the_plan_ranks_first():
    checks = [*of("risk", "a", weight=0.5), *of("function", "b", weight=9)]
    argument = arguments((), ("a", "b"), checks=checks)[0]
    assert argument == "Of 2 faults I put first: no b. See b.py."


def test_tech_lead_turns_on_what_does_not_work_where_it_is_essential_or_costs_two_points():
    core = [check("core", essential=True, weight=0.1)]
    against = "Against it I put first: no"
    assert f"{against} core." in arguments(("a", "b"), ("core",), checks=core)[2]
    assert f"{against} b." in arguments(("a",), ("b", "c"))[2]
    assert f"{against} c." in arguments(("a", "b"), ("c", "d"))[2]
    assert "For it I put first: goal of a." in arguments(("a", "b"), ("c",))[2]


def test_fact_of_the_turning_item_stands_in_the_opinion_and_its_place_once():
    question = make_question("Prosecutor", (), ("a",))
    outcome = question.outcomes[0].model_copy(update={"reason": "Line a.py is empty"})
    opinion = opinion_of(question.model_copy(update={"outcomes": (outcome,)}))
    assert opinion.argument == "The only check that is not met: no a. Line a.py is empty."


def test_opinion_gives_the_first_fact_of_its_item_and_leaves_the_rest_to_the_checks():
    question = make_question("Prosecutor", (), ("a",))
    reason = "It says “Wait. Go on” in a.py. Line b.py is empty."
    outcome = question.outcomes[0].model_copy(update={"reason": reason})
    opinion = opinion_of(question.model_copy(update={"outcomes": (outcome,)}))
    assert (
        opinion.argument == "The only check that is not met: no a. It says “Wait. Go on” in a.py."
    )


def test_second_round_names_the_item_without_repeating_its_fact():
    question = make_question("TechLead", (), ("a",), round_number=2)
    outcome = question.outcomes[0].model_copy(update={"reason": "Line a.py is empty"})
    opinion = opinion_of(question.model_copy(update={"outcomes": (outcome,)}))
    assert opinion.argument == "Against it I put first: no a. See a.py."


@pytest.mark.parametrize("location", [Location(), Location(commit="1a2b3c4d")])
def test_absent_thing_and_a_history_have_no_place(location):
    question = make_question("Prosecutor", (), ("a",))
    absent = question.evidence[0].model_copy(update={"location": location})
    opinion = opinion_of(question.model_copy(update={"evidence": (absent,)}))
    assert opinion.argument == "The only check that is not met: no a."


def test_security_flaw_of_no_check_is_what_the_prosecutor_turns_on():
    flaw = make_evidence("hole", tags=("security",))
    opinion = opinion_of(make_question("Prosecutor", ("a",), extra_evidence=(flaw,)))
    assert opinion.argument == "A security flaw is confirmed at hole.py."
    assert flaw.id in opinion.cited_evidence


def test_second_round_says_what_has_changed_for_the_judge():
    prosecutor, _, lead = arguments(("tried",), ("secure",), checks=ONE_OF_EACH, round_number=2)
    assert prosecutor.endswith(
        " After the others' arguments I count checks on risk once, not twice."
    )
    assert lead == "Against it I put first: no secure. See secure.py."


def test_second_round_that_leaves_a_score_says_so():
    hearings = [
        make_question("Prosecutor", ("a", "b"), ("c", "d"), round_number=number)
        for number in (1, 2)
    ]
    first = opinion_of(hearings[0])
    again = opinion_of(hearings[1].model_copy(update={"earlier": (first,)}))
    assert again.argument.endswith(" on risk once, not twice: my score stays 3.")


@pytest.mark.parametrize("persona", PERSONAS)
def test_check_that_does_not_apply_counts_as_if_it_were_unmet(persona):
    question = make_question(persona, ("a",), ("b", "c"), checks=of("risk", "b"))
    hanging = without_subject(question, "b", "c")
    assert opinion_of(hanging).score == opinion_of(question).score


def test_all_checks_without_their_subject_are_no_reason_to_abstain():
    opinion = opinion_of(without_subject(make_question("TechLead", (), ("a", "b")), "a", "b"))
    assert (opinion.score, opinion.argument) == (
        1,
        "Against it I put first: no StateGraph is built. See no_graph.py.",
    )


def test_root_cause_is_one_fault_however_many_checks_hang_on_it():
    question = make_question("Prosecutor", (), ("a", "b", "c"))
    assert opinion_of(without_subject(question, "a", "b")).argument.startswith(
        "Of 2 faults I put first: no StateGraph is built."
    )
    assert opinion_of(without_subject(question, "a", "b", "c")).argument.startswith(
        "The only fault: no StateGraph is built."
    )


def test_faults_that_one_fact_shows_are_one():
    question = make_question("Prosecutor", (), ("a", "b", "c"))
    outcomes = [o.model_copy(update={"reason": "Two are missing"}) for o in question.outcomes[:2]]
    same = question.model_copy(update={"outcomes": (*outcomes, question.outcomes[2])})
    assert opinion_of(same).argument.startswith("Of 2 faults I put first: ")


def test_check_that_states_the_root_cause_is_the_same_fault():
    question = without_subject(make_question("Prosecutor", (), ("a", "b")), "b")
    stating, hanging = question.outcomes
    stated = stating.model_copy(update={"reason": hanging.reason})
    opinion = opinion_of(question.model_copy(update={"outcomes": (stated, hanging)}))
    assert opinion.argument.startswith("The only fault: ")


ACCURACY = {
    check.id.removeprefix("accuracy."): check
    for check in next(
        row for row in shipped_rubric("self_audit").criteria if row.id == "report_accuracy"
    ).checks
}


def _accuracy(unmet, unknown=()):
    met = ACCURACY.keys() - {*unmet, *unknown}
    checks = [check.model_copy(update={"id": name}) for name, check in ACCURACY.items()]
    order = [name for name in ACCURACY if name in met]
    question = make_question("TechLead", order, unmet, unknown, checks=checks)
    return score_of(question, group_outcomes(question))


def test_report_without_a_diagram_is_not_capped_for_its_accuracy():
    assert _accuracy(["flow_matches"]) == 4
    assert _accuracy(["claims_hold", "most_claims_hold"]) == 3


def test_sentence_less_lifts_a_report_that_names_no_file_by_one_point_at_most():
    paths, few = ["all_exist", "most_exist"], ["names_files", "well_supported"]
    unknown = [*paths, "flow_matches", "names_exist", "score_as_claimed"]
    assert _accuracy([*few, "claims_hold"], unknown) == 2
    assert _accuracy(few, unknown) == 3
