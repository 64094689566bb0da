"""Steps for the answers of the judges' model and for what is made of them, from facts of a work."""

from courtroom.checks.synthesis_rules import SynthesisRules
from courtroom.models.evidence import CheckOutcome
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.synthesis.advice import code_steps
from courtroom.synthesis.advice.kinds import steps_of
from tests.courtroom.synthesis.advised_work import work


def test_model_that_wants_all_opinions_is_changed_before_a_judge_is_left_out():
    score = {"text": "", "places": [{"path": "judges.py", "line": 9}]}
    panel = {
        "text": "Result refuses fewer than 3 opinions.",
        "places": [{"path": "s.py", "line": 4}],
    }
    for aspect in ("handled", "retry"):
        facts = work(made_up_scores=[score], full_panels=[panel])
        (step,) = code_steps.answer_steps(aspect, [], facts)
        assert step.action.endswith(
            ". Change this before: Result refuses fewer than 3 opinions (s.py:4)."
        )


def test_model_that_wants_all_opinions_is_changed_before_facts_leave_one_out():
    panel = {
        "text": "Result refuses fewer than 3 opinions.",
        "places": [{"path": "s.py", "line": 4}],
    }
    check = SynthesisRules(id="c", goal="a goal", aspect="fact_supremacy")
    outcome = CheckOutcome(check="c", met=False, reason="x")
    criterion = shipped_rubric("self_audit").criteria[0]
    (step,) = steps_of(check, criterion, outcome, [], work(full_panels=[panel]))
    assert step.action == (
        "Leave an opinion out where the evidence that it cites shows the opposite of what it says."
        " Change this before: Result refuses fewer than 3 opinions (s.py:4)."
    )


def test_scores_by_place_are_to_be_taken_by_judge_before_a_judge_is_left_out():
    score = {"text": "", "places": [{"path": "judges.py", "line": 9}]}
    default = {
        "text": "verdict counts 3 for the last in its list of scores where an opinion is absent.",
        "places": [{"path": "v.py", "line": 7}],
    }
    facts = work(made_up_scores=[score], absent_opinion_scores=[default])
    (step,) = code_steps.answer_steps("handled", [], facts)
    assert step.action.endswith(
        ". Drop the score that is then written for an absent opinion (v.py:7)."
        " Take each score by its judge, not by its place in a list (v.py:7)."
    )


def test_loop_that_takes_any_answer_is_to_go_on_where_one_does_not_fit():
    calls = [{"schema": "Opinion", "by_judge": True}]
    facts = work(structured_output_calls=calls, blind_retries=[{"path": "j.py", "line": 7}])
    (step,) = code_steps.answer_steps("retry", [], facts)
    assert (step.path, step.line) == ("j.py", 7)
    assert step.action == (
        "Let this loop go on also where the answer does not fit Opinion; after its last attempt record"
        " that the judge failed, and no score."
    )


def test_report_that_a_run_makes_is_to_be_written_whole():
    check = SynthesisRules(id="c", goal="a goal", aspect="markdown_report")
    outcome = CheckOutcome(check="c", met=False, reason="x", evidence=("E-1",))
    made = [{"path": "justice.py", "line": 8, "name": "Justice.to_markdown"}]
    (step,) = steps_of(
        check, shipped_rubric("self_audit").criteria[0], outcome, [], work(unwritten_reports=made)
    )

    assert (step.path, step.line, step.is_exact) == ("justice.py", 8, True)
    assert step.action == ("Write what Justice.to_markdown() makes here to a Markdown file, whole.")


def test_words_of_a_name_in_a_common_prompt_are_not_counted():
    alike = [
        {"path": "j.py", "line": 9, "persona": persona, "own_words": 1, "mostly_own": False}
        for persona in ("Prosecutor", "Defense", "TechLead")
    ]
    own = alike[2] | {"own_words": 12}
    mixed = "; now it is 12 for TechLead and little more than the name for Prosecutor and Defense"
    for prompts, end in (
        (alike, "; now it is little more than the name for Prosecutor, Defense and TechLead."),
        (
            [*alike[:2], own],
            f"{mixed}, as counted in code and prompt files.",
        ),
    ):
        facts = work(persona_prompts=prompts, persona_prompts_distinct=False)
        (step,) = code_steps.prompt_steps("told", 20, facts)
        assert step.action.endswith(f"words that no other prompt has{end}")


def test_audit_that_once_gave_a_claimed_score_is_named():
    audits = [{"about": "self", "score": 3.4, "path": "audit/b.md"}]
    earlier = {"path": "a.md", "score": 3.2, "maximum": 5, "next_commit": "c" * 40}
    claim = {"score": 3.2, "maximum": 5, "text": "3.2/5", "agrees": False}
    facts = {"claimed_scores": [claim], "own_audits": audits}
    end = (
        "the score as 3.4, as audit/b.md does, in place of 3.2 and any other overall score in the report,"
        " and any scores per criterion as they stand there."
    )
    for score, start in (
        (3.2, "Say that the score is that of a.md, which gave it until commit cccccccc, or give "),
        (2.8, "Give "),
    ):
        row = earlier | {"score": score}
        (step,) = code_steps.output_steps("claimed", [], work(**facts, earlier_audits=[row]))
        assert step.action == f"{start}{end}"


def test_score_of_a_judge_that_asks_once_has_one_step_with_the_record_of_its_failure():
    score = {"text": "", "places": [{"path": "judges.py", "line": 9}]}
    facts = {"made_up_scores": [score], "scores_at_once": [score], "structured_output_retry": True}
    once = work(**facts, judges_asking_once=[{"path": "judges.py", "line": 7, "name": "judge"}])
    assert [*code_steps.answer_steps("at_once", [], once)] == [
        *code_steps.answer_steps("handled", [], once)
    ]
    (step,) = code_steps.answer_steps("at_once", [], work(**facts))
    assert step.action == (
        "Request the answer again in place of this score; if the last attempt fails too, record that"
        " the judge failed."
    )


def test_score_by_the_default_of_a_field_is_taken_out_of_the_field():
    text = "Answer gives the score 3 to an answer that has none, by the default of the field."
    score = {"text": text, "places": [{"path": "j.py", "line": 7}]}
    facts = work(scores_at_once=[score], made_up_scores=[score], structured_output_retry=True)
    for aspect in ("at_once", "handled"):
        (step,) = code_steps.answer_steps(aspect, [], facts)
        assert step.action == code_steps.NO_DEFAULT


def test_comparison_that_never_holds_is_named_beside_the_cap_that_may_hang_on_it():
    check = SynthesisRules(id="c", goal="a goal", aspect="security_override")
    outcome = CheckOutcome(check="c", met=False, reason="x")
    fault = {"kind": "impossible_test", "path": "v.py", "line": 7, "sentence": "x", "other": None}
    facts = work(state_flow={"faults": [fault], "unread": {}})
    (step,) = steps_of(check, shipped_rubric("self_audit").criteria[0], outcome, [], facts)
    assert step.action == (
        "Limit the score to 3 where a detective's finding confirms a security flaw, not where judges"
        " alone say so. See v.py:7 first: a test there never holds, and such a rule may hang on it."
    )
