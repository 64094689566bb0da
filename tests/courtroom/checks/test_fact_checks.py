"""Each kind of check on the facts of a survey turns them into one finding, with the lines that show it."""

import pytest

from courtroom.analysis.langgraph.own_reducers import MERGED_BY_KEY
from courtroom.analysis.locations import SourceLocation
from courtroom.checks.graph_topology import GraphTopology, topology
from courtroom.checks.persona_overlap import ANY_TWO, PersonaOverlap, personas
from courtroom.checks.reducer import ReducerCheck, reducers
from courtroom.checks.structured_output import StructuredOutput, structured_output
from courtroom.checks.synthesis_rules import SynthesisRules, synthesis_rules
from tests.courtroom.surveys import CHECK_FIELDS, clue_lines, location_at, survey

FLAG_CHECKS = [
    (topology, GraphTopology(**CHECK_FIELDS, aspect="judges_parallel"), "judges_parallel"),
    (
        structured_output,
        StructuredOutput(**CHECK_FIELDS, aspect="retry"),
        "structured_output_retry",
    ),
    (
        synthesis_rules,
        SynthesisRules(**CHECK_FIELDS, aspect="deterministic"),
        "justice_deterministic",
    ),
    (synthesis_rules, SynthesisRules(**CHECK_FIELDS, aspect="markdown_report"), "markdown_report"),
]


@pytest.mark.parametrize(
    ("mostly_own", "own", "met"),
    [
        (False, (2, 2, 1), False),
        (False, (25, 21, 2), False),
        (False, (9, 9, 9), True),
        # A prompt of a few words of its own is short, and no template.
        (True, (2, 2, 1), True),
        (None, (2, 2, 1), True),
    ],
)
def test_one_prompt_with_the_names_of_the_judges_is_no_prompt_of_each(mostly_own, own, met):
    rows = zip(("Prosecutor", "Defense", "TechLead"), own, strict=True)
    prompts = [
        {"persona": name, "path": "judges.py", "line": 5}
        | {"own_words": count, "mostly_own": mostly_own}
        for name, count in rows
    ]
    finding = personas(
        PersonaOverlap(**CHECK_FIELDS, aspect="exist"), survey(facts={"persona_prompts": prompts})
    )
    assert finding.met is met
    if not met and own[0] == 2:
        assert finding.reason == (
            "The prompts of Prosecutor, Defense and TechLead are one text but for 2 words at most."
        )


@pytest.mark.parametrize(("examine", "check", "fact"), FLAG_CHECKS)
def test_a_flag_that_is_null_leaves_its_check_open_with_the_facts_reason(examine, check, fact):
    finding = examine(check, survey(facts={fact: None}, reasons={fact: "could not be read"}))
    assert (finding.met, finding.reason) == (None, "could not be read")


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize(("examine", "check", "fact"), FLAG_CHECKS)
def test_a_flag_decides_its_check_and_shows_its_lines(examine, check, fact, value):
    finding = examine(check, survey(facts={fact: value}, places={fact: (location_at("a.py", 7),)}))
    assert (finding.met, clue_lines(finding)) == (value, [("a.py", 7)])


REDUCERS = [
    {"field": "e", "reducer": "operator.ior", "path": "s.py", "line": 4},
    {"field": "o", "reducer": "add", "path": "s.py", "line": 5},
]


@pytest.mark.parametrize(
    ("fields", "met", "named"),
    [
        ({}, True, [("s.py", 4), ("s.py", 5)]),
        ({"any_of": ("ior",)}, True, [("s.py", 4)]),
        ({"minimum": 3}, False, [("s.py", 4), ("s.py", 5)]),
        ({"any_of": ("mul",)}, False, [("s.py", 4), ("s.py", 5)]),
    ],
)
def test_reducers_are_counted_by_the_last_part_of_their_name(fields, met, named):
    finding = reducers(ReducerCheck(**CHECK_FIELDS, **fields), survey(facts={"reducers": REDUCERS}))
    assert (finding.met, clue_lines(finding)) == (met, named)


@pytest.mark.parametrize(
    ("written", "met"),
    [
        ("BinaryOperatorAggregate(dict, merge)", True),
        ("BinaryOperatorAggregate(typ=dict, operator=rules.merge)", True),
        ("BinaryOperatorAggregate(dict)", False),
        ("BinaryOperatorAggregate(dict, lambda left, right: {**left, **ri", False),
        ("partial(merge)", False),
    ],
)
def test_a_channel_counts_by_its_operator(written, met):
    fact = {"field": "e", "reducer": written, "path": "s.py", "line": 4}
    check = ReducerCheck(**CHECK_FIELDS, any_of=("merge",))
    assert reducers(check, survey(facts={"reducers": [fact]})).met is met


def test_reducer_of_the_repository_counts_by_what_it_applies():
    fact = {"field": "o", "reducer": "merge", "applies": "operator.add", "path": "s.py", "line": 4}
    finding = reducers(
        ReducerCheck(**CHECK_FIELDS, any_of=("add",)), survey(facts={"reducers": [fact]})
    )
    sentence = "The state reduces o by merge, which applies operator.add (s.py:4)."
    assert (finding.met, finding.reason) == (True, sentence)


def test_reducer_that_replaces_entries_is_said_to_do_so():
    fact = {"field": "e", "reducer": "operator.ior", "path": "s.py", "line": 4}
    finding = reducers(
        ReducerCheck(**CHECK_FIELDS, any_of=("ior",)), survey(facts={"reducers": [fact]})
    )
    assert finding.reason == (
        "The state reduces e by operator.ior (s.py:4). Where two nodes write under one key of e, the"
        " entry of the one replaces that of the other."
    )


@pytest.mark.parametrize(
    "without", [{"detectives_parallel": False}, {"own_runner": {"path": "g.py", "line": 1}}]
)
def test_reducer_that_no_graph_applies_is_only_an_annotation(without):
    facts = {"graph": None, "reducers": REDUCERS[1:], **without}
    finding = reducers(ReducerCheck(**CHECK_FIELDS), survey(facts=facts))
    assert finding.reason == (
        "The state annotates o with add (s.py:5), and no graph of LangGraph applies that."
    )
    assert [clue.rationale for clue in finding.clues] == [
        "o is annotated with add; no graph of LangGraph applies that."
    ]


def test_reducer_that_merges_by_key_merges_mappings():
    fact = {"field": "e", "reducer": "own", "applies": MERGED_BY_KEY, "path": "s.py", "line": 4}
    facts = {"reducers": [fact]}
    (merging, appending) = (
        reducers(ReducerCheck(**CHECK_FIELDS, any_of=names), survey(facts=facts))
        for names in (("ior", "merge_dicts"), ("add",))
    )
    assert (merging.met, appending.met) == (True, False)
    assert merging.reason == (
        "The state reduces e by own, which applies a merge key by key (s.py:4)."
    )


@pytest.mark.parametrize(("schemas", "met"), [(("JudicialOpinion",), True), (("Other",), False)])
def test_a_bound_schema_is_compared_by_name_and_shown_either_way(schemas, met):
    facts = {
        "structured_output_calls": [{"path": "j.py", "line": 8, "schema": "models.JudicialOpinion"}]
    }
    check = StructuredOutput(**CHECK_FIELDS, aspect="schema", schemas=schemas)
    finding = structured_output(check, survey(facts=facts))
    assert (finding.met, clue_lines(finding)) == (met, [("j.py", 8)])


def test_call_that_goes_around_the_schema_is_a_fault_beside_the_bound_one():
    call = {"path": "j.py", "line": 8, "schema": "Opinion"}
    facts = {"structured_output_calls": [call | {"unbound": [{"path": "j.py", "line": 12}]}]}
    check = StructuredOutput(**CHECK_FIELDS, aspect="schema", schemas=("Opinion",))
    finding = structured_output(check, survey(facts=facts))
    assert (finding.met, clue_lines(finding)) == (False, [("j.py", 12), ("j.py", 8)])
    assert finding.reason == (
        "The same model is also called without the schema, and its answer is cut out of text"
        " (j.py:12). Model calls are bound to Opinion (j.py:8)."
    )
    called = StructuredOutput(**CHECK_FIELDS, aspect="called")
    assert structured_output(called, survey(facts=facts)).met


@pytest.mark.parametrize("aspect", ["called", "schema"])
def test_bound_call_that_no_run_reaches_proves_nothing(aspect):
    check = StructuredOutput(**CHECK_FIELDS, aspect=aspect, schemas=("Opinion",))
    run = {"path": "j.py", "line": 8, "schema": "Opinion", "by_judge": True}
    idle = {"path": "old.py", "line": 4, "schema": "Opinion", "by_judge": True, "is_idle": True}
    finding = structured_output(check, survey(facts={"structured_output_calls": [run, idle]}))
    assert (finding.met, clue_lines(finding)) == (True, [("j.py", 8)])
    assert finding.reason == (
        "Model calls are bound to Opinion (j.py:8). No run reaches old.py:4, which binds a model too."
    )
    finding = structured_output(check, survey(facts={"structured_output_calls": [idle]}))
    assert (finding.met, clue_lines(finding)) == (False, [("old.py", 4)])
    reason = "Model calls are bound to Opinion (old.py:4), in code that no run reaches."
    assert finding.reason == reason


@pytest.mark.parametrize(
    ("parts", "met"),
    [
        ({"holds": ["JudicialOpinion"], "fields": ["opinions"]}, True),
        ({"fields": ["argument", "score"]}, True),
        ({"holds": ["Evidence"], "fields": ["confidence", "found"]}, False),
        ({}, False),
    ],
)
def test_schema_of_another_name_is_compared_by_what_it_holds(parts, met):
    call = {"path": "j.py", "line": 8, "schema": "Batch", **parts}
    check = StructuredOutput(
        **CHECK_FIELDS, aspect="schema", schemas=("JudicialOpinion",), fields=("score",)
    )
    finding = structured_output(check, survey(facts={"structured_output_calls": [call]}))
    assert finding.met is met


@pytest.mark.parametrize(
    ("names", "met"),
    [(["schema"], None), (["self.schema", "Other"], None), (["schema", "JudicialOpinion"], True)],
)
def test_a_schema_given_as_a_variable_leaves_open_which_one_it_is(names, met):
    calls = [{"path": "j.py", "line": 8, "schema": name} for name in names]
    check = StructuredOutput(**CHECK_FIELDS, aspect="schema", schemas=("JudicialOpinion",))
    finding = structured_output(check, survey(facts={"structured_output_calls": calls}))
    assert finding.met is met


def test_tools_that_a_model_is_offered_are_no_schema():
    call = {"path": "j.py", "line": 8, "schema": "tools", "by_judge": True, "of_tools": True}
    facts = {"structured_output_calls": [call]}
    finding = structured_output(
        StructuredOutput(**CHECK_FIELDS, aspect="called"), survey(facts=facts)
    )
    reason = "Model calls are bound to the tools that the variable tools holds (j.py:8), and to no schema."
    assert (finding.met, finding.reason) == (False, reason)
    bound = call | {"line": 9, "schema": "Opinion", "of_tools": False}
    both = survey(facts={"structured_output_calls": [call, bound]})
    finding = structured_output(StructuredOutput(**CHECK_FIELDS, aspect="called"), both)
    assert (finding.met, clue_lines(finding)) == (True, [("j.py", 9)])


@pytest.mark.parametrize(
    ("aspect", "met", "reason"),
    [
        ("called", False, "; no model call is bound to a schema."),
        ("schema", True, ", though no model is bound to it."),
    ],
)
def test_parser_with_a_schema_is_named_where_no_model_is_bound(aspect, met, reason):
    row = {"path": "j.py", "line": 8, "schema": "Reply", "fields": ["argument", "score"]}
    check = StructuredOutput(**CHECK_FIELDS, aspect=aspect, schemas=("Opinion",), fields=("score",))
    facts = {"structured_output_calls": [], "parsed_answers": [row]}
    finding = structured_output(check, survey(facts=facts))
    assert (finding.met, clue_lines(finding)) == (met, [("j.py", 8)])
    assert finding.reason == f"PydanticOutputParser fits an answer into Reply (j.py:8){reason}"


MADE_UP = {"text": "ask gives the score 3.", "places": [{"path": "j.py", "line": 7}]}
HANDLED = {
    "structured_output_retry": False,
    "made_up_scores": [],
    "uncaught_answers": [],
    "unasked_scores": [],
    "absent_opinion_scores": [],
}


@pytest.mark.parametrize(
    ("facts", "met"),
    [
        ({}, True),
        ({"structured_output_retry": True, "made_up_scores": [MADE_UP]}, True),
        ({"made_up_scores": [MADE_UP], "uncaught_answers": None}, False),
        ({"uncaught_answers": [{"path": "j.py", "line": 7}]}, False),
        ({"unasked_scores": [MADE_UP]}, False),
        ({"absent_opinion_scores": [MADE_UP]}, False),
        ({"absent_opinion_scores": [MADE_UP], "made_up_scores": None}, None),
        ({"absent_opinion_scores": None}, None),
        ({"unasked_scores": None}, None),
        ({"structured_output_retry": True, "unasked_scores": [MADE_UP]}, True),
        ({"uncaught_answers": None}, None),
        ({"made_up_scores": None}, None),
        ({"structured_output_retry": None}, None),
        ({"made_up_scores": None, "plain_judges": [{"path": "j.py", "line": 1}]}, False),
    ],
)
def test_failing_answer_is_to_be_requested_again_or_left_out(facts, met):
    places = {"model_call": (location_at("j.py", 7),)}
    check = StructuredOutput(**CHECK_FIELDS, aspect="handled")
    assert structured_output(check, survey(facts=HANDLED | facts, places=places)).met is met


def test_each_score_that_is_made_up_is_shown():
    other = {"text": "ask again gives the score 1.", "places": [{"path": "j.py", "line": 9}]}
    facts = HANDLED | {"made_up_scores": [MADE_UP, other]}
    finding = structured_output(
        StructuredOutput(**CHECK_FIELDS, aspect="handled"), survey(facts=facts)
    )
    assert clue_lines(finding) == [("j.py", 7), ("j.py", 9)]
    assert finding.reason == "ask gives the score 3 (j.py:7). ask again gives the score 1 (j.py:9)."

    rows = [MADE_UP, other] + [other | {"places": [{"path": "j.py", "line": n}]} for n in (11, 13)]
    survey_of_many = survey(facts=HANDLED | {"made_up_scores": rows})
    words = f"{finding.reason} Such scores stand also at j.py:11 and 13."
    assert (
        structured_output(StructuredOutput(**CHECK_FIELDS, aspect="handled"), survey_of_many).reason
        == words
    )


def test_failure_that_ends_the_run_comes_before_a_score_for_want_of_a_model():
    unasked = {"text": "ask gives the score 1.", "places": [{"path": "j.py", "line": 5}]}
    uncaught = [{"path": "j.py", "line": 9}]
    check = StructuredOutput(**CHECK_FIELDS, aspect="handled")
    facts = HANDLED | {"uncaught_answers": uncaught, "unasked_scores": [unasked]}
    finding = structured_output(check, survey(facts=facts))

    ends = "A failure of the judges' model ends the run: no node catches it"
    assert (finding.fault, clue_lines(finding)) == (f"{ends}.", [("j.py", 9), ("j.py", 5)])
    assert finding.reason == f"{ends} (j.py:9). ask gives the score 1 (j.py:5)."

    both = structured_output(check, survey(facts=facts | {"made_up_scores": [MADE_UP]}))
    assert clue_lines(both) == [("j.py", 7), ("j.py", 9), ("j.py", 5)]
    assert "Other failures of the judges' model end the run" in both.reason


ASKS_ONCE = {"name": "defense", "path": "j.py", "line": 7}


def test_request_that_one_judge_repeats_is_none_of_every_judge():
    places = {"structured_output_retry": (location_at("j.py", 3),)}
    facts = {"structured_output_retry": True, "judges_asking_once": [ASKS_ONCE]}
    finding = structured_output(
        StructuredOutput(**CHECK_FIELDS, aspect="retry"), survey(facts=facts, places=places)
    )
    assert (finding.met, clue_lines(finding)) == (False, [("j.py", 7)])
    assert finding.reason == "defense (j.py:7) asks once."
    assert finding.fault.startswith("Not every judge requests an answer again")


@pytest.mark.parametrize(
    ("further_facts", "words"),
    [
        ({}, "are not repeated, as no handler of the loop catches them (j.py:3)."),
        (
            {"uncaught_answers": [{"path": "j.py", "line": 5}]},
            "are neither repeated nor caught by a node: they end the run (j.py:5).",
        ),
    ],
)
def test_loop_that_waits_for_misfits_alone_repeats_no_other_failure(further_facts, words):
    places = {"structured_output_retry": (location_at("j.py", 3),)}
    facts = {
        "structured_output_retry": True,
        "narrow_retries": [{"path": "j.py", "line": 3}],
    } | further_facts
    check = StructuredOutput(**CHECK_FIELDS, aspect="handled")
    finding = structured_output(check, survey(facts=facts, places=places))

    assert (finding.met, finding.has_reservation) == (True, True)
    assert finding.reason == (
        "An answer that does not fit its schema is requested again (j.py:3). Other failures of the"
        f" request {words}"
    )


def test_repeated_request_that_nothing_catches_is_said_to_end_the_run():
    places = {"structured_output_retry": (location_at("j.py", 3),)}
    facts = {"structured_output_retry": True, "uncaught_answers": [{"path": "j.py", "line": 5}]}
    check = StructuredOutput(**CHECK_FIELDS, aspect="handled")
    finding = structured_output(check, survey(facts=facts, places=places))

    assert (finding.met, finding.has_reservation) == (True, True)
    assert finding.reason == (
        "An answer that does not fit its schema is requested again (j.py:3). Where the repeated"
        " request fails too, the run ends: no node catches it (j.py:5)."
    )


def test_score_made_up_by_judges_that_ask_once_counts_beside_a_retry_of_another():
    places = {"structured_output_retry": (location_at("j.py", 3),)}
    check = StructuredOutput(**CHECK_FIELDS, aspect="handled")
    facts = HANDLED | {"structured_output_retry": True, "judges_asking_once": [ASKS_ONCE]}
    # What the other judge writes after its last attempt is no fault beside it.
    late = survey(facts=facts | {"made_up_scores": [MADE_UP]}, places=places)
    finding = structured_output(check, late)
    words = (
        "An answer that does not fit its schema is requested again, but not by defense (j.py:7)."
    )
    assert (finding.met, finding.reason) == (True, words)
    at_once = facts | {"made_up_scores": [MADE_UP], "scores_at_once": [MADE_UP]}
    assert structured_output(check, survey(facts=at_once, places=places)).met is False


AT_ONCE = StructuredOutput(**CHECK_FIELDS, aspect="at_once")


@pytest.mark.parametrize(
    ("facts", "met", "fault"),
    [
        ({"structured_output_retry": True, "scores_at_once": []}, True, ""),
        ({"structured_output_retry": True, "scores_at_once": [MADE_UP]}, False, ""),
        ({"structured_output_retry": True}, None, ""),
        ({"structured_output_retry": None, "scores_at_once": []}, None, ""),
        # Where nothing is requested again, that is the one fault.
        (
            {"structured_output_retry": False, "scores_at_once": [MADE_UP]},
            False,
            "An answer that does not fit its schema is not requested again.",
        ),
    ],
)
def test_score_before_the_answer_is_requested_again_is_a_fault_of_its_own(facts, met, fault):
    places = {
        "structured_output_retry": (location_at("j.py", 3),),
        "model_call": (location_at("j.py", 4),),
    }
    finding = structured_output(AT_ONCE, survey(facts=facts, places=places))
    assert (finding.met, finding.fault) == (met, fault)


def test_score_for_what_an_answer_lacks_is_a_reservation():
    gap = {
        "text": "ask gives the score 1 in place of an opinion that the answer lacks.",
        "places": [{"path": "j.py", "line": 9}],
    }
    facts = {"structured_output_retry": True, "scores_at_once": [gap]}
    finding = structured_output(AT_ONCE, survey(facts=facts))
    assert (finding.met, finding.has_reservation) == (True, True)
    assert finding.reason.endswith("that the answer lacks (j.py:9).")
    both = facts | {"scores_at_once": [MADE_UP, gap]}
    assert structured_output(AT_ONCE, survey(facts=both)).met is False


CAPS = [
    {"path": "j.py", "line": 4, "sentence": "decide() caps blindly", "is_lifted": False},
    {"path": "j.py", "line": 9, "sentence": "line 9 can lift it", "is_lifted": True},
]


@pytest.mark.parametrize(
    ("caps", "fault"),
    [
        (CAPS, "No cap for security holds."),
        (CAPS[1:], "A score that was capped for security can be lifted again."),
    ],
)
def test_cap_for_security_that_does_not_hold_is_no_rule(caps, fault):
    rules = {"security_override": True, "fact_supremacy": True}
    facts = {"rules": rules, "loose_caps": caps}
    check = SynthesisRules(**CHECK_FIELDS, aspect="security_override")
    finding = synthesis_rules(check, survey(facts=facts))
    assert (finding.met, finding.fault) == (False, fault)
    assert clue_lines(finding) == [("j.py", cap["line"]) for cap in caps]
    held = synthesis_rules(check, survey(facts=facts | {"loose_caps": []}))
    other = SynthesisRules(**CHECK_FIELDS, aspect="fact_supremacy")
    assert (held.met, synthesis_rules(other, survey(facts=facts)).met) == (True, True)


def test_rule_that_changes_no_score_is_a_fault_with_its_place():
    idle = {"rule": "fact_supremacy", "path": "j.py", "line": 9, "function": "settle"}
    facts = {
        "rules": {"security_override": True, "fact_supremacy": True},
        "idle_rules": [idle],
        "opinion_model": {"lowest": 1, "highest": 10},
    }
    check = SynthesisRules(**CHECK_FIELDS, aspect="fact_supremacy")
    finding = synthesis_rules(check, survey(facts=facts))
    assert (finding.met, clue_lines(finding)) == (False, [("j.py", 9)])
    assert finding.fault == "The rule by which facts overrule opinions changes no score."
    assert "three judges give from 1 to 10" in finding.reason
    other = SynthesisRules(**CHECK_FIELDS, aspect="security_override")
    assert synthesis_rules(other, survey(facts=facts)).met is True


@pytest.mark.parametrize(
    ("ground", "is_shown"), [("opinions", True), ("either", True), ("none", False)]
)
def test_cap_by_words_is_shown_at_work_in_a_committed_audit(ground: str, is_shown: bool):
    text, places = "In a.md they give 5.", [{"path": "a.md", "line": 8}]
    check = SynthesisRules(**CHECK_FIELDS, aspect="security_by_evidence")
    facts = {"security_ground": ground, "undercut_verdicts": [{"text": text, "places": places}]}
    finding = synthesis_rules(check, survey(facts=facts))
    assert (finding.met, text in finding.reason) == (False, is_shown)


def test_dissent_that_the_report_does_not_print_is_said_so():
    note = "The Chief Justice's code writes down a dissent, which the report does not print."
    check = SynthesisRules(**CHECK_FIELDS, aspect="dissent")
    places = {"dissent": (SourceLocation("j.py", 4, 4, note),)}
    finding = synthesis_rules(check, survey(facts={"rules": {"dissent": True}}, places=places))
    assert (finding.met, finding.reason) == (True, f"{note[:-1]} (j.py:4).")


PROMPTS = [
    {"persona": name, "path": "p.py", "line": n}
    for n, name in enumerate(["Prosecutor", "Defense"], start=1)
]


def test_too_few_personas_are_not_distinct_either():
    for aspect in ("exist", "distinct"):
        finding = personas(
            PersonaOverlap(**CHECK_FIELDS, aspect=aspect),
            survey(facts={"persona_prompts": PROMPTS}),
        )
        assert (finding.met, clue_lines(finding)) == (False, [("p.py", 1), ("p.py", 2)])


@pytest.mark.parametrize(("shared", "met"), [(0.91, False), (0.89, True), (None, True)])
def test_prompts_in_which_few_words_differ_are_one_prompt(shared, met):
    facts = {"persona_prompts": PROMPTS, "persona_prompts_shared": shared}
    check = PersonaOverlap(**CHECK_FIELDS, aspect="exist", minimum=2)
    places = {"persona_prompts_distinct": (location_at("p.py", 9),)}
    finding = personas(check, survey(facts=facts, places=places))
    assert finding.met is met
    if not met:
        assert finding.reason == (
            "91 % of the words that the work spells out for two judges are the same."
        )
        assert finding.fault == "Judges have one prompt in common, in which few words differ."
        assert clue_lines(finding) == [("p.py", 9)]


def test_distinct_prompts_are_told_with_the_text_that_all_judges_get_around_them():
    framed = [{"path": "j.py", "line": 7, "shared": 0.76}]
    facts = {"persona_prompts": PROMPTS, "persona_prompts_distinct": True}
    check = PersonaOverlap(**CHECK_FIELDS, aspect="distinct", minimum=2)
    plain, around = (
        personas(check, survey(facts=facts | {"persona_prompts_framed": rows}))
        for rows in ([], framed)
    )
    assert (
        plain.reason
        == "No two prompts of Prosecutor and Defense share more than half of their text."
    )
    assert around.reason == (
        "No two texts on Prosecutor and Defense share more than half of their words; with the text"
        " around them that all judges get (j.py:7), up to 76 % of the words that the work"
        " spells out for two judges are the same."
    )
    assert [row.has_reservation for row in (plain, around)] == [False, True]
    assert clue_lines(around)[-1] == ("j.py", 7)


def test_enough_personas_may_still_share_their_text():
    facts = {"persona_prompts": PROMPTS, "persona_prompts_distinct": False}
    places = {"persona_prompts": (location_at("p.py", 1), location_at("p.py", 2))}
    overlaps = [
        PersonaOverlap(**CHECK_FIELDS, aspect=aspect, minimum=2) for aspect in ("exist", "distinct")
    ]
    assert [personas(check, survey(facts=facts, places=places)).met for check in overlaps] == [
        True,
        False,
    ]


def test_sentence_on_all_judges_stands_over_one_place_of_the_common_text():
    statement = "78 % of what Prosecutor and Defense are told is the same text."
    common, own, other = (location_at("p.py", line, statement) for line in (9, 1, 5))
    places = {
        "persona_prompts": (location_at("p.py", 1, "Prosecutor"),),
        "persona_prompts_distinct": (common, own, other),
    }
    facts = {"persona_prompts": PROMPTS, "persona_prompts_distinct": False}
    check = PersonaOverlap(**CHECK_FIELDS, aspect="distinct", minimum=2)
    finding = personas(check, survey(facts=facts, places=places))
    assert [clue.rationale for clue in finding.clues] == [
        statement,
        "The prompt of Prosecutor.",
        "More than one judge is told this.",
    ]


@pytest.mark.parametrize(
    ("other_prompts", "is_any"), [("; A and C 70 %; B and C 60 %", True), ("", False)]
)
def test_fault_says_whether_any_two_prompts_are_alike(other_prompts, is_any):
    note = f"The prompts of A and B have 80 % of their text in common{other_prompts}."
    places = {"persona_prompts_distinct": (location_at("p.py", 9, note),)}
    prompts = [*PROMPTS, PROMPTS[0] | {"persona": "TechLead"}]
    facts = {"persona_prompts": prompts, "persona_prompts_distinct": False}
    check = PersonaOverlap(**CHECK_FIELDS, aspect="distinct", minimum=3)
    assert personas(check, survey(facts=facts, places=places)).fault == ANY_TWO * is_any


@pytest.mark.parametrize(("words", "met"), [(20, True), (21, False)])
def test_personas_are_told_at_length_by_words_of_their_own(words, met):
    prompts = [prompt | {"own_words": 20 + n} for n, prompt in enumerate(PROMPTS)]
    check = PersonaOverlap(**CHECK_FIELDS, aspect="told", minimum=2, words=words)
    finding = personas(check, survey(facts={"persona_prompts": prompts}))
    sentence = (
        "Words in passages of its own, counted in code and prompt files: 20 for Prosecutor and 21"
        " for Defense."
    )
    assert (finding.met, finding.reason) == (met, sentence)


def test_a_record_without_lengths_does_not_say_whether_personas_are_told_at_length():
    check = PersonaOverlap(**CHECK_FIELDS, aspect="told", minimum=2)
    assert personas(check, survey(facts={"persona_prompts": PROMPTS})).met is None
