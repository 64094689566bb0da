"""Checks on the Chief Justice: rules, the cap for security, dissent, remediation, report."""

import pytest

from courtroom.checks.structured_output import StructuredOutput, structured_output
from courtroom.checks.synthesis_rules import SynthesisRules, synthesis_rules
from tests.courtroom.surveys import CHECK_FIELDS, clue_lines, location_at, survey

LINE = {"path": "judges.py", "line": 9}


@pytest.mark.parametrize("met", [True, False])
def test_a_synthesis_rule_is_read_from_the_facts(met):
    facts = {"rules": {"dissent": met}}
    finding = synthesis_rules(
        SynthesisRules(**CHECK_FIELDS, aspect="dissent"),
        survey(facts=facts, places={"dissent": (location_at("x.py", 1),)}),
    )
    assert (finding.met, clue_lines(finding)) == (met, [("x.py", 1)])


def test_a_rule_that_is_absent_is_said_to_have_been_looked_for():
    check = SynthesisRules(**CHECK_FIELDS, aspect="dissent")
    (clue,) = synthesis_rules(check, survey(facts={"rules": {"dissent": False}})).clues
    assert (clue.statement or "").startswith("Looked for it in ")


def test_a_rule_that_is_not_established_leaves_its_check_open():
    rules = {"security_override": None, "dissent": True}
    reasons = {"rules.security_override": "a.py:3 calls resolve, which could not be followed"}
    finding = synthesis_rules(
        SynthesisRules(**CHECK_FIELDS, aspect="security_override"),
        survey(facts={"rules": rules}, reasons=reasons),
    )

    assert (finding.met, finding.reason) == (None, reasons["rules.security_override"])


@pytest.mark.parametrize(
    ("ground", "met"), [("evidence", True), ("either", False), ("opinions", False)]
)
def test_what_the_cap_for_security_reads_is_shown_at_the_cap(ground, met):
    finding = synthesis_rules(
        SynthesisRules(**CHECK_FIELDS, aspect="security_by_evidence"),
        survey(
            facts={"security_ground": ground},
            places={"security_override": (location_at("x.py", 4),)},
        ),
    )
    assert (finding.met, clue_lines(finding)) == (met, [("x.py", 4)])


def test_words_that_a_cap_for_security_waits_for_stand_beside_what_it_reads():
    note = "this cap waits for “security flaw” in an opinion, which a denial has as well"
    places = {"security_override": (location_at("x.py", 4, note),)}
    read = survey(facts={"security_ground": "opinions"}, places=places)
    check = SynthesisRules(**CHECK_FIELDS, aspect="security_by_evidence")
    finding = synthesis_rules(check, read)
    assert finding.reason == (
        f"The cap for security reads what judges say or score: at x.py:4 {note}."
    )
    assert [clue.rationale for clue in finding.clues] == [f"T{note[1:]}."]


@pytest.mark.parametrize(
    ("content", "met"), [("arguments", True), ("scores", False), ("fixed", False), ("none", False)]
)
def test_dissent_has_to_give_what_judges_argue(content, met):
    finding = synthesis_rules(
        SynthesisRules(**CHECK_FIELDS, aspect="dissent_reasons"),
        survey(
            facts={"dissent_content": content},
            places={"dissent_content": (location_at("x.py", 4),)},
        ),
    )
    assert (finding.met, clue_lines(finding)) == (met, [("x.py", 4)])


def test_judge_that_a_note_on_security_quotes_is_named_beside_the_dissent():
    note = "A judge is quoted in a note on security alone."
    places = {"dissent_content": (location_at("x.py", 4), location_at("x.py", 9, note))}
    finding = synthesis_rules(
        SynthesisRules(**CHECK_FIELDS, aspect="dissent_reasons"),
        survey(facts={"dissent_content": "scores"}, places=places),
    )
    assert finding.met is False
    assert finding.reason.endswith(
        "it gives nothing that a judge argues (x.py:4). A judge is quoted in a note on security"
        " alone (x.py:9)."
    )


@pytest.mark.parametrize(("content", "met"), [("findings", True), ("fixed", False), (None, None)])
def test_remediation_has_to_give_what_the_audit_brought(content, met):
    finding = synthesis_rules(
        SynthesisRules(**CHECK_FIELDS, aspect="remediation"),
        survey(
            facts={"remediation_content": content},
            reasons={"remediation_content": "not followed"},
            places={"remediation_content": (location_at("x.py", 4),)},
        ),
    )
    assert finding.met is met


def test_dissent_that_could_not_be_followed_leaves_the_check_open():
    finding = synthesis_rules(
        SynthesisRules(**CHECK_FIELDS, aspect="dissent_reasons"),
        survey(facts={"dissent_content": None}, reasons={"dissent_content": "not followed"}),
    )
    assert (finding.met, finding.reason) == (None, "not followed")


def test_cap_for_security_that_does_not_tell_what_it_reads_leaves_the_check_open():
    finding = synthesis_rules(
        SynthesisRules(**CHECK_FIELDS, aspect="security_by_evidence"),
        survey(facts={"security_ground": None}, reasons={"security_ground": "not told"}),
    )
    assert (finding.met, finding.reason) == (None, "not told")


def test_score_written_for_a_failed_answer_is_named_beside_the_requests_made_again():
    failed = "ask gives the score {} in place of an answer that failed."
    rows = [
        {"text": failed.format(score), "places": [{"path": "b.py", "line": line}]}
        for score, line in ((4, 7), (3, 9), (2, 11), (1, 13))
    ]
    none = "ask gives the score 3 to an answer that has none."
    rows += [{"text": none, "places": [{"path": "b.py", "line": 20}]}]
    facts = {"structured_output_retry": True, "made_up_scores": rows}
    finding = structured_output(
        StructuredOutput(**CHECK_FIELDS, aspect="retry"),
        survey(facts=facts, places={"structured_output_retry": (location_at("a.py", 2),)}),
    )
    assert (finding.met, clue_lines(finding)) == (True, [("a.py", 2), ("b.py", 7)])
    assert finding.reason == (
        "An answer that does not fit its schema is requested again (a.py:2). ask gives the score 4"
        " in place of an answer that failed (b.py:7). There are at least 3 more of this kind. ask gives the"
        " score 3 to an answer that has none (b.py:20)."
    )
    check = StructuredOutput(**CHECK_FIELDS, aspect="retry")
    absent = [
        {"text": f"justice counts {text} absent.", "places": [{"path": "j.py", "line": 5}]}
        for text in ("3 where an opinion is", "1 where all opinions are")
    ]
    with_absent = structured_output(check, survey(facts=facts | {"absent_opinion_scores": absent}))
    assert with_absent.reason.endswith(" justice counts 3 where an opinion is absent (j.py:5).")
    once = survey(facts=facts | {"structured_output_retry": False})
    assert "ask gives" not in structured_output(check, once).reason


def test_report_that_is_not_written_says_where_its_way_ends():
    note = "only a part of the report is written"
    places = {"markdown_report": (location_at("run.py", 8, note),)}
    work = survey(facts={"markdown_report": False}, places=places)
    finding = synthesis_rules(SynthesisRules(**CHECK_FIELDS, aspect="markdown_report"), work)
    assert (finding.met, clue_lines(finding)) == (False, [("run.py", 8)])
    assert finding.reason == (
        "No code writes the verdict as a Markdown report: at run.py:8 only a part of the report is"
        " written."
    )


def test_report_that_the_state_drops_is_not_written():
    fault = {"sentence": "justice returns `report`, which is lost", "path": "j.py", "line": 3}
    fault |= {"written": {"path": "run.py", "line": 8}, "callers": [{"path": "run.py", "line": 7}]}
    check = SynthesisRules(**CHECK_FIELDS, aspect="markdown_report")
    facts = {"markdown_report": True, "state_flow": {"faults": [fault], "unread": {}}}
    finding = synthesis_rules(check, survey(facts=facts))

    assert (finding.met, clue_lines(finding)) == (False, [("run.py", 8), ("run.py", 7)])
    assert finding.reason == (
        "The file that run.py:8 writes holds no report: justice returns `report`, which is lost."
    )


@pytest.mark.parametrize(("by_code", "places"), [(True, ["j.py", "page.py"]), (False, ["j.py"])])
def test_second_verdict_of_a_caller_stands_beside_the_one_by_code(by_code, places):
    facts = {"justice_deterministic": by_code, "second_verdicts": [{"path": "page.py", "line": 7}]}
    finding = synthesis_rules(
        SynthesisRules(**CHECK_FIELDS, aspect="deterministic"),
        survey(facts=facts, places={"justice": (location_at("j.py", 4),)}),
    )
    sentence = (
        "A caller of the graph shows another verdict: it averages the judges' scores anew"
        " (page.py:7)."
    )
    assert (finding.met, finding.has_reservation) == (by_code, by_code)
    assert finding.reason.endswith(sentence) == by_code
    assert [path for path, _ in clue_lines(finding)] == places


@pytest.mark.parametrize(("written", "places"), [(True, ["j.py", "s.py"]), (False, ["j.py"])])
def test_fixed_summary_stands_beside_the_report_that_is_written(written, places):
    facts = {"markdown_report": written, "fixed_summaries": [{"path": "s.py", "line": 7}]}
    finding = synthesis_rules(
        SynthesisRules(**CHECK_FIELDS, aspect="markdown_report"),
        survey(facts=facts, places={"markdown_report": (location_at("j.py", 4),)}),
    )
    sentence = "The executive summary is fixed words: no score and no argument is in it (s.py:7)."
    assert (finding.met, finding.has_reservation) == (written, written)
    assert finding.reason.endswith(sentence) == written
    assert [path for path, _ in clue_lines(finding)] == places


@pytest.mark.parametrize(("content", "places"), [("findings", 2), ("fixed", 1)])
def test_part_of_fixed_words_is_said_of_a_remediation_that_holds_more(content, places):
    facts = {"remediation_content": content, "fixed_remediations": [{"path": "r.py", "line": 7}]}
    finding = synthesis_rules(
        SynthesisRules(**CHECK_FIELDS, aspect="remediation"),
        survey(facts=facts, places={"remediation_content": (location_at("j.py", 4),)}),
    )
    sentence = (
        "Some of the remediation is fixed words: no argument and no evidence is in it (r.py:7)."
    )
    is_given = content == "findings"
    assert (finding.met, finding.has_reservation) == (is_given, is_given)
    assert finding.reason.endswith(sentence) == is_given
    assert len(finding.clues) == places


def test_rule_that_waits_for_a_word_of_another_criterion_is_not_said_to_be_missing():
    note = "this rule waits for “metacognition” in arguments on state"
    work = survey(
        facts={"rules": {"fact_supremacy": False}},
        places={"fact_supremacy": (location_at("a.py", 3, note),)},
    )
    finding = synthesis_rules(SynthesisRules(**CHECK_FIELDS, aspect="fact_supremacy"), work)
    assert (finding.met, finding.reason) == (
        False,
        (
            "The rule by which facts overrule opinions waits for a word of another criterion: at a.py:3"
            f" {note}."
        ),
    )
    assert finding.fault == finding.reason.partition(":")[0] + "."


def test_weight_of_the_tech_lead_has_a_reservation_where_opinions_are_added_again():
    added = {"key": "opinions", "nodes": ["prosecutor", "tech_lead"], "places": [LINE]}
    facts = {
        "rules": {"functionality_weight": True},
        "graph_run": {"repeated": [{"added": [added]}]},
        "lone_lead_weights": [{"path": "justice.py", "line": 9}],
    }
    places = {"functionality_weight": (location_at("x.py", 4),)}
    check = SynthesisRules(**CHECK_FIELDS, aspect="functionality_weight")
    finding = synthesis_rules(check, survey(facts=facts, places=places))

    assert (finding.met, finding.has_reservation) == (True, True)
    assert "What `prosecutor` and `tech_lead` return under `opinions`" in finding.reason
    assert clue_lines(finding) == [("x.py", 4), ("justice.py", 9)]

    without_loops = survey(facts=facts | {"lone_lead_weights": []}, places=places)
    assert not synthesis_rules(check, without_loops).has_reservation
    added["nodes"] = ["repo_investigator"]
    assert not synthesis_rules(check, survey(facts=facts, places=places)).has_reservation


def test_verdict_on_groups_of_one_judge_has_that_reservation():
    row = {"path": "justice.py", "line": 9}
    places = {"justice": (location_at("justice.py", 4),)}
    check = SynthesisRules(**CHECK_FIELDS, aspect="deterministic")
    facts = {"justice_deterministic": True, "lone_groups": [row]}
    finding = synthesis_rules(check, survey(facts=facts, places=places))
    assert (finding.met, finding.has_reservation) == (True, True)
    assert "Opinions are grouped by an id whose first part names the judge" in finding.reason
    assert clue_lines(finding) == [("justice.py", 4), ("justice.py", 9)]
