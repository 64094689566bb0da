"""Steps for the clone, the judges and the rules, from facts of a work."""

from dataclasses import replace
from typing import Any

import pytest

from courtroom.analysis.langgraph.judging.rule_words import ENSURED, ENSURES
from courtroom.checks.python_class import PythonClass
from courtroom.checks.reducer import ReducerCheck
from courtroom.checks.synthesis_rules import SynthesisRules
from courtroom.models.evidence import CheckOutcome
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.synthesis.advice import code_steps
from courtroom.synthesis.advice.kinds import steps_of
from courtroom.synthesis.advice.work import Work
from tests.courtroom.synthesis.advised_work import PLACE, work
from tests.courtroom.synthesis.bench_records import piece

RUBRIC = shipped_rubric("self_audit")

FIRST, SECOND = {"path": "c.py", "line": 4}, {"path": "c.py", "line": 9}


@pytest.mark.parametrize(
    ("bound", "named"),
    [
        (["JudgeScore", "JudgeScore"], "JudgeScore"),
        (["JudgeScore", "JudicialOpinion"], "JudicialOpinion"),
        ([], "JudicialOpinion"),
    ],
)
def test_repeated_answer_must_fit_the_schema_that_the_calls_are_bound_to(bound, named):
    calls = [{"schema": schema, "by_judge": True} for schema in bound]
    facts = work(structured_output_calls=calls, pydantic_models=["JudicialOpinion"])
    (step,) = code_steps.answer_steps("retry", [], facts)
    assert f"does not fit {named};" in step.action


@pytest.mark.parametrize(
    ("danger", "call", "words"),
    [
        ("unsafe_deserialisation", "yaml.load", "Use yaml.safe_load."),
        ("unsafe_deserialisation", "pickle.loads", "Load this data in a form that holds no code"),
        ("tls_unverified", "requests.get", "Leave the check of certificates on."),
    ],
)
def test_danger_is_mended_by_what_is_called(danger, call, words):
    facts = work(unsafe_calls=[PLACE | {"kind": danger, "call": call}])
    (step,) = code_steps.danger_steps([danger], facts)
    assert step.action.startswith(words)
    assert (step.path, step.line) == ("graph.py", 9)


def test_class_that_lacks_some_fields_is_to_get_those_alone():
    check = PythonClass(
        id="c", goal="g", any_of=("Opinion",), snippet="score: int\nargument: str\nrank: int"
    )
    lacking = piece(
        rationale="s.py:3 defines class Opinion(BaseModel) without the fields argument and rank."
    )
    outcome = CheckOutcome(check="c", met=False, reason="", evidence=(lacking.id,))
    (step,) = steps_of(check, RUBRIC.criteria[0], outcome, [lacking], work())
    assert (step.action, step.snippet, step.is_exact) == (
        (
            "Give Opinion the fields argument and rank, and pass them wherever the code builds Opinion: a"
            " call without a required field raises an error."
        ),
        "argument: str\nrank: int",
        True,
    )


@pytest.mark.parametrize(
    ("facts", "begins"),
    [
        ({"graph": None, "detectives_parallel": False}, "Once LangGraph builds the graph, keep"),
        ({}, None),
    ],
)
def test_reducer_is_to_be_added_where_a_graph_applies_it(facts, begins):
    check = ReducerCheck(id="c", goal="g", advice="Keep the evidence under a reducer.")
    outcome = CheckOutcome(check="c", met=False, reason="")
    steps = steps_of(check, RUBRIC.criteria[0], outcome, [], work(**facts))
    assert [step.action.startswith(begins) for step in steps] == ([True] if begins else [])


def test_clone_by_gitpython_is_not_told_to_pass_a_timeout_that_it_lacks():
    facts = work(clone_function={"name": "fetch", "path": "t.py", "line": 1})
    quote = type("Piece", (), {"content": "Repo.clone_from(url, folder)"})()
    (step,) = code_steps.clone_steps("timeout", [quote], facts)
    assert step.action.startswith("Run git clone by subprocess.run with timeout=120 in fetch")


@pytest.mark.parametrize(
    ("call", "is_option"),
    [
        ('subprocess.run(["git", "clone", url, folder])', True),
        ("subprocess.run(['git', 'clone', '--', url, folder])", False),
        ("Repo.clone_from(url, folder)", False),
    ],
)
def test_only_an_address_that_git_may_read_as_an_option_is_said_to_be_one(call, is_option):
    facts = work(clone_function={"name": "fetch", "path": "t.py", "line": 1})
    quote = type("Piece", (), {"content": call})()
    (step,) = code_steps.clone_steps("url_validated", [quote], facts)
    assert ("is an option to git" in step.action) is is_option
    # A clone of a path copies a repository, and reads no other file.
    assert ("a path may lead to any repository on the machine" in step.action) is not is_option


@pytest.mark.parametrize("refusal", ["ValueError", "RuntimeError", ""])
def test_refused_address_is_not_to_be_raised_where_that_ends_the_run(refusal):
    clone = {"name": "fetch", "path": "t.py", "line": 1, "address": "url"}
    facts = work(clone_function=clone | {"refusal": refusal})
    (step,) = code_steps.clone_steps("url_validated", [], facts)
    assert (f"raise {refusal}(" in (step.snippet or "")) is bool(refusal)
    assert ("in which fetch reports a failing clone" in step.action) is (not refusal)


@pytest.mark.parametrize(
    ("documented", "forms", "has_example"),
    [
        ([], "https: or git@", True),
        (["ssh"], "https:, ssh: or git@", True),
        (["path"], "https: or git@", False),
    ],
)
def test_addresses_that_the_work_documents_are_not_refused(documented, forms, has_example):
    clone = {"name": "fetch", "path": "t.py", "line": 1, "address": "url"}
    facts = work(clone_function=clone | {"documented": documented})
    (step,) = code_steps.clone_steps("url_validated", [], facts)
    assert f"begin with {forms}: " in step.action
    assert ("Let a local path, which the work documents, pass" in step.action) is (not has_example)
    assert bool(step.snippet) is has_example
    assert ('"ssh:"' in (step.snippet or "")) is ("ssh" in documented)


def test_line_that_fails_in_a_function_is_named_once_with_its_lines():
    row = {
        "path": "a.py",
        "part": "graph",
        "function": "doc",
        "why": "uses pages, which is nowhere",
    }
    facts = work(failing_code={"lines": [row | {"line": line} for line in (3, 5, 8)]})
    (step,) = code_steps.failing_steps("graph", facts)
    assert step.line == 3
    assert step.action == (
        "Mend this line: doc uses pages, which is nowhere (also in lines 5 and 8)."
    )


def test_failing_lookup_is_mended_as_the_fault_in_the_flow_of_data_is():
    why = "asks `dim` for `logic`, which no entry of rubric.json has: the lookup fails"
    place = {"path": "a.py", "line": 3}
    row = place | {"part": "judges", "function": "judge", "why": why}
    fault = place | {"kind": "other_key", "sentence": f"judge {why}", "other": None}
    facts = work(failing_code={"lines": [row]}, state_flow={"faults": [fault]})
    (step,) = code_steps.failing_steps("judges", facts)
    assert step.action.startswith("Ask for a key that the rubric has, or put this one into each of")
    assert step.is_urgent


def test_file_that_the_repository_lacks_is_to_be_committed():
    why = "opens rubric/week.json, which the repository does not have"
    row = {"path": "a.py", "line": 3, "part": "graph", "function": "setup", "why": why}
    facts = work(failing_code={"lines": [row | {"file": "rubric/week.json"}]})
    (step,) = code_steps.failing_steps("graph", facts)
    assert step.action == (
        "Commit rubric/week.json, or open a file that is there: no run gets past this line."
    )


@pytest.mark.parametrize(
    ("row", "action"),
    [
        (
            {"set_at": 3, "is_constant": True},
            "Move SCALE out of ask, where alone it exists: judge and lead (lines 7 and 9) use it too.",
        ),
        (
            {"set_at": 3, "is_constant": False},
            (
                "Set SCALE in judge and lead (lines 7 and 9) too: it exists only inside ask, which sets it in"
                " line 3."
            ),
        ),
        (
            {"set_at": 3, "is_constant": False, "at_hand": "state['SCALE']"},
            (
                "Take `state['SCALE']` for SCALE, which judge and lead (lines 7 and 9) use and nothing sets"
                " there."
            ),
        ),
        (
            {"set_at": None, "returns_before": [{"path": "a.py", "line": 5}]},
            (
                "Define or import SCALE, which judge and lead (lines 7 and 9) use and nothing defines. Look at"
                " the return at a.py:5 too: a run that ends there never comes to this line."
            ),
        ),
        (
            {"set_at": None, "caught_at": 11},
            (
                "Define or import SCALE, which judge and lead (lines 7 and 9) use and nothing defines. Then"
                " look at what follows in its `try`, which this line kept from running: the handler in line 11"
                " hides what fails there too."
            ),
        ),
        (
            {"set_at": None},
            "Define or import SCALE, which judge and lead (lines 7 and 9) use and nothing defines.",
        ),
    ],
)
def test_missing_definition_is_one_step_for_all_that_use_it(row, action):
    row |= {"path": "a.py", "part": "judges", "name": "SCALE"}
    row["why"] = "uses SCALE, which exists only inside ask"
    uses = [row | {"function": "judge", "line": 7}, row | {"function": "lead", "line": 9}]
    (step,) = code_steps.failing_steps("judges", work(failing_code={"lines": uses}))
    assert (step.line, step.action) == (3 if row.get("is_constant") else 7, action)


def test_step_for_the_line_that_the_check_shows_first_comes_first():
    row = {"path": "a.py", "part": "graph", "function": "look", "why": "uses it", "set_at": None}
    uses = [
        row | {"line": 2, "name": "LAST", "nodes": ["vision"]},
        row | {"line": 4, "name": "SECOND", "nodes": [], "caught_at": 9},
        row | {"line": 6, "name": "FIRST", "nodes": ["look"]},
    ]
    facts = work(failing_code={"lines": uses}, graph_run={"idle": [{"node": "vision"}]})
    steps = code_steps.failing_steps("graph", facts)
    assert [step.line for step in steps] == [6, 4, 2]


def test_score_of_a_committed_audit_is_named():
    audits = [{"about": "self", "score": 2.9, "path": "audit/a.md"}]
    facts = work(claimed_scores=[{"score": 4.2, "agrees": False}], own_audits=audits)
    (step,) = code_steps.output_steps("claimed", [], facts)
    assert (
        step.action
        == "Give the score as 2.9, as audit/a.md does, in place of 4.2 and any other overall score in"
        " the report, and any scores per criterion as they stand there."
    )


def test_score_of_an_audit_that_the_code_could_not_have_written_is_not_named():
    audits = [{"about": "self", "score": 5, "path": "a.md", "unlike_code": "By hand."}]
    facts = work(claimed_scores=[{"score": 4.2, "agrees": False}], own_audits=audits)
    (step,) = code_steps.output_steps("claimed", [], facts)
    assert step.action == "Commit the audit that gives 4.2, or take this score out in the report."


def test_score_that_an_audit_without_a_judgement_gives_is_not_named():
    audits = [{"about": "self", "score": 3, "path": "a.json", "repository": None}]
    failed = {"text": "a.md holds placeholders.", "places": [{"path": "a.md", "line": 3}]}
    claims = [{"score": score, "agrees": False} for score in (4.2, 3.9)]
    facts = work(claimed_scores=claims, own_audits=audits, audits_without_judgement=[failed])
    (step,) = code_steps.output_steps("claimed", [], facts)
    assert step.action == (
        "Run the auditor again, and name the score that it gives in place of 4.2, 3.9 and any other"
        " overall score in the report: a.md holds placeholders."
    )


def test_clone_that_nothing_calls_is_called_before_it_is_mended():
    function = {"name": "fetch", "path": "t.py", "line": 3, "is_uncalled": True}
    (step,) = code_steps.clone_steps("in_tempdir", (), work(clone_function=function))
    assert step.action == "Call fetch from a detective: nothing that runs does."


def test_clone_without_a_deadline_gets_one_also_where_nothing_calls_it():
    function = {"name": "fetch", "path": "t.py", "line": 3, "is_uncalled": True}
    facts = work(clone_function=function, clone_timeout=False)
    (step,) = code_steps.clone_steps("timeout", (), facts)
    assert step.action.startswith("Give the clone in fetch a deadline")


def test_error_of_a_clone_is_caught_in_the_node_that_it_leaves():
    escaping = [{"name": "RuntimeError", "node": "look", "path": "n.py", "line": 9}]
    function = {"name": "fetch", "path": "t.py", "line": 3, "escaping": escaping}
    (step,) = code_steps.clone_steps("errors_handled", (), work(clone_function=function))
    assert step.action == "Catch RuntimeError in look, and hand the message on to the report."
    assert (step.path, step.line) == ("n.py", 9)


def test_deadline_belongs_to_the_process_that_the_works_own_function_starts():
    runner = {"name": "run_command", "path": "sandbox.py", "line": 16}
    function = {"name": "fetch", "path": "t.py", "line": 3, "runner": runner}
    (step,) = code_steps.clone_steps("timeout", (), work(clone_function=function))
    assert (step.path, step.line) == ("sandbox.py", 16)
    assert step.action.startswith("Give the processes of run_command a deadline")


def test_judges_without_a_model_are_to_ask_one_before_it_is_bound():
    judge = {"name": "prosecutor", "path": "judges.py", "line": 4}
    facts = work(plain_judges=[judge], pydantic_models=["Opinion"])
    (step,) = code_steps.answer_steps("called", [], facts)
    assert (step.path, step.line, step.is_exact) == ("judges.py", 4, True)
    assert step.action == (
        "Let the judges ask a model, bound by with_structured_output to Opinion: prosecutor computes"
        " its opinion without one."
    )
    assert not [*code_steps.answer_steps("called", [], work(plain_judges=[]))]


@pytest.mark.parametrize(
    ("call", "is_bindable"),
    [
        ("reply = await llm.ainvoke(messages)", True),
        ("reply = self.client.chat.completions.create(", False),
        ("reply = provider.chat(messages, max_tokens=2048)", False),
        ("reply = requests.post(URL, json=body, timeout=60)", False),
    ],
)
@pytest.mark.parametrize("aspect", ["called", "schema"])
def test_only_a_call_that_may_be_one_of_langchain_is_to_be_bound(call, is_bindable, aspect):
    facts = work(pydantic_models=["Opinion"])
    steps = [*code_steps.answer_steps(aspect, [piece(content=call)], facts)]
    advised = [step.action for step in steps if step.is_exact]
    assert advised == (
        [] if is_bindable else [code_steps.OTHER_CLIENT.format(schema="Opinion", also="")]
    )


def test_advice_on_a_call_names_the_other_calls_of_judges():
    calls = [
        piece(line=line, rationale="A judge's model.", content="client.chat.completions.create(")
        for line in (3, 7, 9)
    ]
    facts = work(pydantic_models=["Opinion"])
    (retry,) = code_steps.answer_steps("retry", calls, facts)
    (schema,) = code_steps.answer_steps("schema", calls[:2], facts)

    assert retry.action.endswith(", and no score; do the same at tests.py:7 and 9.")
    assert schema.action.endswith(" binds to it; do the same at tests.py:7.")


def test_made_up_score_is_to_be_replaced_where_it_is_written():
    score = {"text": "It gives the score 3.", "places": [{"path": "j.py", "line": 7}]}
    (step,) = code_steps.answer_steps("handled", [], work(made_up_scores=[score]))

    assert (step.action, step.path, step.line) == (code_steps.NO_MADE_UP_SCORE, "j.py", 7)
    assert not [*code_steps.answer_steps("handled", [], work(made_up_scores=[]))]
    other = {"text": "It gives the score 1.", "places": [{"path": "j.py", "line": 19}]}
    (step,) = code_steps.answer_steps("handled", [], work(made_up_scores=[score, other]))
    assert (step.line, step.action.rpartition("; ")[2]) == (7, "do the same at j.py:19.")


def test_judge_that_is_left_out_is_given_no_score_by_what_comes_after_it():
    score = {"text": "It gives the score 3.", "places": [{"path": "j.py", "line": 7}]}
    node = {"text": "The node fill gives the score 3 and asks no model.", "places": [FIRST]}
    default = {
        "text": "decide counts 3 where an opinion is absent.",
        "places": [FIRST, SECOND],
    }
    facts = work(made_up_scores=[score], unasked_scores=[node], absent_opinion_scores=[default])
    then = ". Drop the score that is then written for an absent opinion (c.py:4 and 9; in the node fill)."
    steps = [*code_steps.answer_steps("handled", [], facts)]
    assert [step.action.endswith(then) for step in steps] == [True, True]
    (retry,) = code_steps.answer_steps("retry", [], facts)
    assert retry.action.endswith(f", and no score{then}")

    (alone,) = code_steps.answer_steps("handled", [], work(absent_opinion_scores=[default]))
    assert (alone.action, alone.line) == (code_steps.NO_SCORE_UNHEARD, 4)


@pytest.mark.parametrize("is_retried", [True, False])
def test_score_that_comes_at_once_gives_way_to_another_request(is_retried):
    score = {"text": "It gives the score 3.", "places": [{"path": "j.py", "line": 7}]}
    facts = work(scores_at_once=[score], structured_output_retry=is_retried)
    (step,) = code_steps.answer_steps("at_once", [], facts)
    (retry,) = code_steps.answer_steps("retry", [], facts)

    # Where no call is repeated, one step mends both.
    assert step == retry if not is_retried else step.action == code_steps.NO_SCORE_AT_ONCE


def test_failure_that_nothing_catches_is_mended_beside_a_written_score():
    score = {"text": "It gives the score 3.", "places": [{"path": "j.py", "line": 7}]}
    facts = work(uncaught_answers=[{"path": "j.py", "line": 9}], unasked_scores=[score])
    caught, unasked = code_steps.answer_steps("handled", [], facts)

    assert (caught.action, unasked.action) == (code_steps.CATCH, code_steps.NO_UNASKED_SCORE)
    assert (caught.line, unasked.line) == (9, 7)
    assert "that no judge's opinion stands here" in unasked.action


def test_score_that_is_lifted_above_a_cap_is_capped_after_it():
    cap = {"path": "j.py", "line": 9, "sentence": "x", "is_lifted": True}
    check = SynthesisRules(id="c", goal="a goal", aspect="security_override")
    facts = work(loose_caps=[cap, cap | {"line": 4, "is_lifted": False}])
    outcome = CheckOutcome(check="c", met=False, reason="x", evidence=("E-1",))
    (step,) = steps_of(check, RUBRIC.criteria[0], outcome, [], facts)
    assert (step.path, step.line, step.is_exact) == ("j.py", 9, True)


@pytest.mark.parametrize(
    ("rows", "end"),
    [
        ([1, 4, 7], "; do the same at j.py:4 and 7."),
        ([1], "."),
        # The call that the evidence shows is none of these.
        ([4, 7], "."),
    ],
)
def test_each_judges_own_call_is_to_be_repeated(rows, end):
    calls = [{"path": "j.py", "line": line, "schema": "X", "by_judge": True} for line in rows]
    facts = work(structured_output_calls=[*calls, {**PLACE, "schema": "Y", "by_judge": False}])
    (step,) = code_steps.answer_steps("retry", [piece("j", 1)], facts)
    assert step.action.endswith(f"and no score{end}")


def test_criteria_that_no_audit_judges_are_one_thing_to_find_out():
    places = [{"path": path, "line": 1} for path in ("a.md", "b.md", "rubric.json")]
    facts = work(unjudged_criteria=[{"text": "2 of 10 are judged nowhere.", "places": places}])
    (step,) = code_steps.output_steps("covered", [], facts)
    assert (step.action, step.path) == ("", "a.md")


def test_prompts_are_lengthened_once_for_all_checks_of_their_length():
    prompts = [{"persona": "Defense", "path": "p.py", "line": 1, "own_words": 12}]
    facts = work(persona_prompts=prompts)
    short, long = (list(code_steps.prompt_steps("told", words, facts)) for words in (20, 60))
    assert short == long


@pytest.mark.parametrize(("own", "is_same"), [((5, 5, 10), True), ((5, 5, 90), False)])
def test_prompts_that_are_alike_for_want_of_own_words_are_mended_by_one_step(own, is_same):
    names = ("Prosecutor", "Defense", "TechLead")
    prompts = [
        {"persona": name, "path": "p.py", "line": 1, "own_words": count}
        for name, count in zip(names, own, strict=True)
    ]
    facts = work(persona_prompts=prompts, persona_prompts_distinct=False)
    (prompt_step,) = code_steps.prompt_steps("told", 20, facts)
    assert prompt_step.action.startswith(
        "Keep what all judges need in one short common text, and say in"
    )
    rest = [list(code_steps.prompt_steps(aspect, 60, facts)) for aspect in ("exist", "distinct")]
    assert rest == ([[replace(prompt_step, is_exact=True)]] * 2 if is_same else [[], []])


def test_prompts_that_say_enough_of_their_own_are_freed_from_common_passages():
    names = ("Prosecutor", "Defense", "TechLead")
    prompts = [
        {"persona": name, "path": "p.py", "line": line, "own_words": 70}
        for line, name in enumerate(names, start=1)
    ]
    facts = work(persona_prompts=prompts, persona_prompts_distinct=False)
    (step,) = code_steps.prompt_steps("distinct", 60, facts)
    assert step.action == (
        "Move the passages that several prompts have in the same words into one text beside the"
        " criterion, and leave in each prompt what is this judge's own (p.py:1, 2 and 3)."
    )
    facts = work(persona_prompts=prompts, persona_prompts_distinct=True)
    assert list(code_steps.prompt_steps("distinct", 60, facts)) == []


def test_braces_that_format_reads_as_a_value_are_to_be_doubled():
    why = "has braces in an f-string that are read as a value with a format"
    row = {"path": "a.py", "line": 3, "part": "judges", "function": "judge", "why": why}
    (step,) = code_steps.failing_steps("judges", work(failing_code={"lines": [row]}))
    assert step.action == f"Double the braces that stand for themselves: judge {why}."


@pytest.mark.parametrize("aspect", ["security_override", "security_by_evidence"])
def test_rule_whose_condition_never_holds_is_not_to_be_built_anew(aspect):
    check = SynthesisRules(id="c", goal="a goal", aspect=aspect)
    outcome = CheckOutcome(check="c", met=False, reason="x", evidence=("E-1",))
    idle_piece = piece(
        "justice", 9, rationale="The condition of this rule never holds: `x` is unset."
    )
    (step,) = steps_of(check, RUBRIC.criteria[0], outcome, [idle_piece], work())
    assert (step.path, step.line, step.is_exact) == ("justice.py", 9, True)
    assert step.action == (
        "Change this condition, so that the rule can apply: it never holds (`x` is unset)."
    )


def test_rule_that_stands_in_a_function_without_a_call_is_to_be_called():
    check = SynthesisRules(id="c", goal="a goal", aspect="fact_supremacy")
    outcome = CheckOutcome(check="c", met=False, reason="x", evidence=("E-1",))
    uncalled = piece(
        "justice", 9, rationale="Nothing calls Rules.facts_win(), which holds this rule."
    )
    (step,) = steps_of(check, RUBRIC.criteria[0], outcome, [uncalled], work())

    assert (step.path, step.line, step.is_exact) == ("justice.py", 9, True)
    assert step.action == (
        "See that Rules.facts_win() does what this rule asks for, call it where the score is computed,"
        " and use what it returns: nothing calls it."
    )


def test_citations_are_to_be_kept_where_the_judges_code_adds_them():
    check = SynthesisRules(id="c", goal="a goal", aspect="fact_supremacy")
    outcome = CheckOutcome(check="c", met=False, reason="x", evidence=("E-1",))
    pieces = [
        piece("justice", 9, rationale=f"judges.py:4 {ENSURES}"),
        piece("judges", 4, rationale=ENSURED),
    ]
    (step,) = steps_of(check, RUBRIC.criteria[0], outcome, pieces, work())

    assert (step.path, step.line, step.is_exact) == ("judges.py", 4, True)
    assert step.action.startswith("Keep what the judge cited")


MODEL = "class Opinion(BaseModel):\n    judge: str\n    criterion: str\n"


def rule_steps(aspect, quoted="", **facts):
    check = SynthesisRules(id="c", goal="a goal", aspect=aspect)
    outcome = CheckOutcome(check="c", met=False, reason="x", evidence=("E-1",))
    evidence: dict[str, Any] = {"E-2": type("Quote", (), {"content": quoted})}
    advised = Work({"pydantic_models": ["Opinion"], **facts}, evidence, {})
    return [step.action for step in steps_of(check, RUBRIC.criteria[0], outcome, [], advised)]


@pytest.mark.parametrize(
    "quoted", ["", "opinion = ask()", f"{MODEL}    cited_evidence: list[str]\n"]
)
def test_opinion_that_may_cite_is_given_no_field_for_it(quoted):
    assert rule_steps("fact_supremacy", quoted) == []


def test_opinion_without_citations_needs_a_field_for_them_first():
    (action,) = rule_steps("fact_supremacy", MODEL)
    # An opinion may list the scores of several criteria.
    assert "by a field of Opinion, or of what it lists, and in the prompt" in action


@pytest.mark.parametrize(
    ("fields", "is_lacking"), [(["cited_evidence", "score"], False), (["score"], True)]
)
def test_fields_of_the_opinion_tell_whether_it_can_cite(fields, is_lacking):
    model = {"name": "Opinion", "fields": fields, "lowest": 1, "highest": 5}
    # A quotation of the class may be cut off before the field.
    assert bool(rule_steps("fact_supremacy", MODEL, opinion_model=model)) is is_lacking


def test_judges_are_heard_again_by_the_graph():
    graph = {"path": "graph.py", "state_graph_line": 7, "nodes": ["prosecutor", "defense", "judge"]}
    check = SynthesisRules(id="c", goal="a goal", aspect="variance_re_evaluation")
    outcome = CheckOutcome(check="c", met=False, reason="x", evidence=("E-1",))
    (step,) = steps_of(check, RUBRIC.criteria[0], outcome, [], Work({"graph": graph}, {}, {}))
    assert (step.path, step.line, step.is_exact) == ("graph.py", 7, True)
    assert "more than two apart, lead the graph back to prosecutor" in step.action


@pytest.mark.parametrize(
    ("nodes", "reducer", "end"),
    [
        (
            ["chief_justice", "synthesis_check"],
            "operator.add",
            (
                "before chief_justice gives the verdict. `opinions` then holds both rounds: a judge"
                " is to return its new opinion alone, and chief_justice to take each judge's latest,"
                " where that is not so yet."
            ),
        ),
        (["synthesis_node"], "merge_by_judge", "before synthesis_node gives the verdict."),
        ([], "merge_by_judge", "before the Chief Justice gives the verdict."),
        (
            ["chief_justice", "final_verdict"],
            "keep",
            "before chief_justice and final_verdict give the verdict.",
        ),
    ],
)
def test_second_hearing_is_read_by_the_node_that_gives_the_verdict(nodes, reducer, end):
    graph = {"path": "graph.py", "state_graph_line": 7, "nodes": ["prosecutor", *nodes]}
    check = SynthesisRules(id="c", goal="a goal", aspect="variance_re_evaluation")
    outcome = CheckOutcome(check="c", met=False, reason="x", evidence=("E-1",))
    facts = {"graph": graph, "reducers": [{"field": "opinions", "reducer": reducer}]}
    (step,) = steps_of(check, RUBRIC.criteria[0], outcome, [], Work(facts, {}, {}))
    assert step.action.endswith(end)


def test_limits_of_rules_are_those_of_the_scale():
    model = {"name": "Opinion", "fields": ["score"], "lowest": 1, "highest": 100}
    names = Work({"opinion_model": model}, {}, {}).names
    assert (names["cap"], names["far"]) == ("60", "50 of 100 points")
    usual = Work({"opinion_model": model | {"highest": 5}}, {}, {}).names
    assert {"cap", "far"}.isdisjoint(usual)


def test_fixed_dissent_is_to_quote_the_judges():
    (action,) = rule_steps("dissent_reasons", dissent_content="fixed")
    assert action.endswith("on which evidence, in place of the fixed text.")
    assert rule_steps("dissent_reasons", dissent_content="scores") == []


def test_judges_without_a_model_are_not_asked_again():
    judges = [{"name": "prosecutor", "path": "j.py", "line": 4}]
    (action,) = rule_steps("variance_re_evaluation", plain_judges=judges)
    assert action.endswith("judges without a model answer the same a second time.")
    assert rule_steps("variance_re_evaluation", plain_judges=[]) == []
