"""Next steps: what a step says it raises is what an audit of the work with it gives."""

import pytest

from courtroom.checks.commit_history import CommitHistory
from courtroom.checks.diagram import Diagram
from courtroom.checks.pdf_concept import PdfConcept
from courtroom.checks.state_flow import StateFlow
from courtroom.models.facts import establish
from courtroom.models.root_cause import RootCause
from courtroom.rendering.markdown_report import render_markdown
from courtroom.rendering.verdict_explanation import explain
from courtroom.synthesis.constitutions import preset
from courtroom.synthesis.evidence_weight import dossier_of
from courtroom.synthesis.next_steps import next_steps
from tests.courtroom.synthesis.bench_records import (
    NOTHING_KNOWN,
    bench,
    check,
    criterion,
    outcome,
    piece,
    rubric,
    unsafe,
    verdict,
)
from tests.courtroom.synthesis.faulty_auditor import DETECTIVES, JUDGES, STATE, WORK, audited

# What carries out the step of a criterion, by file.
RETRIED = {
    "src/judges.py": JUDGES.replace(
        "    try:\n        return llm.invoke(text)\n    except Exception:\n",
        "    for _ in range(3):\n        try:\n            return llm.invoke(text)\n"
        "        except Exception:\n            continue\n    if text:\n",
    )
}
READ_LATER = {
    "src/state.py": STATE.replace("    final", "    folder: str\n    final"),
    "src/detectives.py": DETECTIVES.replace('    folder = state.get("folder")\n', "")
    .replace("bool(folder))]}}\n\n\ndef agg", "bool(state))]}}\n\n\ndef agg")
    .replace(
        'return {"proofs": {}}',
        'folder = state.get("folder")\n    return {"proofs": {"all": [folder]}}',
    ),
}


# The same work with its judges side by side, which leaves room for the steps of other criteria.
IN_A_ROW = """\
flow.add_edge("prosecutor", "defense")
flow.add_edge("defense", "tech_lead")
flow.add_edge("tech_lead", "chief_justice")
"""
SIDE_BY_SIDE = """\
flow.add_edge("aggregator", "defense")
flow.add_edge("aggregator", "tech_lead")
flow.add_edge(["prosecutor", "defense", "tech_lead"], "chief_justice")
"""
PARALLEL = WORK | {"src/graph.py": WORK["src/graph.py"].replace(IN_A_ROW, SIDE_BY_SIDE)}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    return audited(tmp_path_factory.mktemp("before") / "a.git", PARALLEL)


@pytest.mark.parametrize(
    ("criterion_id", "mended"),
    [("structured_output_enforcement", RETRIED), ("state_management_rigor", READ_LATER)],
)
def test_step_raises_its_criterion_as_it_says(tmp_path, criterion_id, mended):
    before, after = (
        audited(tmp_path / f"{number}.git", work, criterion_id)
        for number, work in enumerate((PARALLEL, PARALLEL | mended))
    )
    (step,) = before.next_steps
    scores = [audit.criteria[0].final_score for audit in (before, after)]
    assert scores == [step.score_now, step.score_then]
    assert (step.score_then or 0) > step.score_now


def test_step_has_place_effect_and_effort_in_markdown_and_explanation(report):
    step = next(s for s in report.next_steps if s.criterion_id == "structured_output_enforcement")
    assert (step.path, step.line, step.places) == ("src/judges.py", 11, 1)
    assert step.sentence.endswith(
        " (src/judges.py:11): raises Structured Output Enforcement from 4 to 5; effort: medium."
    )
    assert "**What to do next**" in render_markdown(report)
    assert f"   2. {step.sentence}\n" in explain(report)


def test_place_of_a_step_stands_behind_its_order(report):
    step = report.next_steps[0].model_copy(
        update={"action": "Lead on to END. It stops there.", "path": "g.py", "line": 7, "places": 1}
    )
    assert step.sentence.startswith(f"Lead on to END (g.py:7). It stops there: {step.effect}; ")


def test_step_whose_action_names_its_place_gives_it_once(report):
    step = next(s for s in report.next_steps if s.criterion_id == "structured_output_enforcement")
    placed = step.model_copy(update={"action": "Ask again in src/judges.py:11."})
    assert placed.sentence.startswith("Ask again in src/judges.py:11: raises ")


def test_missing_part_says_that_its_effect_is_open(report):
    first = report.next_steps[0]
    assert (first.action, first.score_then, first.effort) == (
        "Hand in the PDF report.",
        None,
        "large",
    )
    assert first.effect == (
        "Theoretical Depth (Documentation) is 1, Report Accuracy (Cross-Reference) is 1 and"
        " Architectural Diagram Analysis is 1; what this makes of them depends on how it is done"
    )


def of(name, met, *pieces):
    """Return an outcome with the pieces that show it."""
    evidence_rows = pieces or (piece(name, found=bool(met)),)
    return outcome(name, met, *evidence_rows), evidence_rows


def steps(criteria, rows, *, score, facts=NOTHING_KNOWN):
    """Return the next steps where every judge gives this score, citing all evidence."""
    outcomes = [row for row, _ in rows]
    evidence = [evidence_rows for _, pieces in rows for evidence_rows in pieces]
    opinions = [opinion for row in criteria for opinion in bench([score] * 3, *evidence, on=row.id)]
    judged = verdict(
        "default", opinions, evidence=evidence, outcomes=outcomes, rubric_=rubric(*criteria)
    )
    dossier = dossier_of(evidence, outcomes, facts)
    return next_steps(rubric(*criteria), preset("default"), dossier, judged.criteria)


def test_steps_are_at_most_three_and_of_different_criteria():
    criteria = [
        criterion(name, check(f"{name}.a", advice=f"Do {name} a."), check(f"{name}.b"))
        for name in ("first", "second", "third", "fourth")
    ]
    rows = [of(f"{c.id}.{part}", part == "b") for c in criteria for part in "ab"]
    chosen = steps(criteria, rows, score=3)
    assert [step.criterion_id for step in chosen] == ["first", "second", "third"]


def test_steps_of_one_criterion_fill_what_others_leave():
    checks = [check(name, advice=f"Do {name}.", weight=2) for name in ("a", "b", "c", "d")]
    criteria = [criterion("quality", *checks, check("e"))]
    rows = [of(name, name == "e") for name in "abcde"]
    assert len(steps(criteria, rows, score=2)) == 3


def test_score_that_the_checks_do_not_give_is_told_apart_from_theirs():
    criteria = [criterion("quality", check("a", advice="Add a."), check("b"))]
    (step,) = steps(criteria, [of("a", False), of("b", True)], score=5)
    assert step.by_checks
    assert step.effect == "raises Quality by the checks from 3 to 5"


@pytest.mark.parametrize("has_others", [True, False])
def test_step_that_brings_what_others_are_about_leaves_their_outcome_open(has_others):
    aspects = ["present", "parallel"][: 1 + has_others]
    diagrams = [Diagram(id=a, goal=a, aspect=a, advice=f"Draw {a}.") for a in aspects]
    criteria = [criterion("quality", *diagrams, check("text"))]
    row, evidence_rows = of("parallel", None)
    cause = RootCause(code="no_diagram", sentence="There is none.")
    hanging = (
        [(row.model_copy(update={"not_applicable": cause}), evidence_rows)] if has_others else []
    )
    rows = [of("present", False), of("text", True), *hanging]
    (step,) = (s for s in steps(criteria, rows, score=3) if s.action == "Draw present.")
    assert step.effect.startswith("raises Quality ")
    assert step.effect.endswith(", without the checks that depend on it") is has_others


def history_check(aspect):
    return CommitHistory(id=aspect, goal="The history grows", aspect=aspect, advice="Commit more.")


def test_step_names_what_else_its_check_asks_for():
    faults = [
        {"kind": kind, "sentence": "it is lost", "path": "a.py", "line": line, "other": None}
        for kind, line in (("unused_result", 3), ("unread_write", 9))
    ]
    facts = establish({"state_flow": {"faults": faults, "unread": {}}}, {})
    flow_check = StateFlow(id="flow", goal="It flows", faults=("unused_result", "unread_write"))
    rows = [of("flow", False), of("b", True)]
    (step,) = steps([criterion("quality", flow_check, check("b"))], rows, score=3, facts=facts)
    assert step.places == 1
    assert step.effect == "raises Quality from 3 to 5, together with 1 other change at a.py:9"


def test_step_on_the_history_takes_new_commits():
    criteria = [criterion("quality", history_check("more_than"), check("b"))]
    (step,) = steps(criteria, [of("more_than", False), of("b", True)], score=3)
    assert step.effect == "raises Quality from 3 to 5 once enough new commits have come"


def test_order_of_work_that_is_written_is_no_step():
    criteria = [criterion("quality", history_check("progression"), check("b"))]
    assert steps(criteria, [of("progression", False), of("b", True)], score=3) == ()


def test_flaw_that_is_mended_caps_the_score_no_more():
    criteria = [criterion("quality", unsafe(advice="Use a list."), check("b", weight=9))]
    flaw = piece("no_shell", tags=("security",))
    (step,) = steps(criteria, [of("no_shell", False, flaw), of("b", True)], score=3)
    assert (step.score_now, step.score_then) == (3, 5)


def test_grave_fault_that_raises_nothing_alone_comes_before_a_slight_one_that_does():
    grave = [check(name, weight=1.5, advice=f"Add {name}.") for name in ("a", "b")]
    criteria = [
        criterion("other", check("c", advice="Add c.", weight=0.1), check("d")),
        criterion("quality", *grave, check("e", weight=8)),
    ]
    rows = [of(name, name in "de") for name in "cdabe"]
    first, _, last = steps(criteria, rows, score=4)
    assert (first.action, first.score_now, first.score_then) == ("Add a.", 4, 4)
    assert first.effect == (
        "Quality stays 4 with this step alone, and is 5 together with 1 other change at b.py:1"
    )
    assert last.action == "Add c."


def test_of_many_helpers_the_number_is_given_alone():
    names = ["a", "b", "c", "d", "e"]
    checks = [check(name, essential=True, advice=f"Add {name}.") for name in names]
    criteria = [criterion("quality", *checks, check("met", weight=20, essential=True))]
    rows = [*(of(name, False) for name in names), of("met", True)]
    assert steps(criteria, rows, score=3)[0].effect == (
        "Quality stays 3 with this step alone, and is 5 together with at most 4 other changes"
    )


def test_what_a_run_does_comes_before_words_and_before_what_nothing_uses():
    faults = [
        {"kind": kind, "sentence": "it is lost", "path": "a.py", "line": line, "other": None}
        for kind, line in (("unused_result", 3), ("unread_write", 9))
    ]
    facts = establish({"state_flow": {"faults": faults, "unread": {}}}, {})
    flows = [
        StateFlow(id=kind, goal=kind, faults=(kind,)) for kind in ("unused_result", "unread_write")
    ]
    criteria = [criterion(flow.id, flow, check(f"{flow.id}.b")) for flow in flows]
    rows = [
        of(id_, met) for flow in flows for id_, met in ((flow.id, False), (f"{flow.id}.b", True))
    ]
    assert [step.line for step in steps(criteria, rows, score=3, facts=facts)] == [9, 3]


def test_history_comes_after_what_can_be_mended_now():
    criteria = [
        criterion("commits", history_check("more_than"), check("b")),
        criterion("quality", check("c", advice="Add c."), check("d")),
    ]
    rows = [of("more_than", False), of("b", True), of("c", False), of("d", True)]
    assert [step.criterion_id for step in steps(criteria, rows, score=3)] == ["quality", "commits"]


@pytest.mark.parametrize("is_explained", [True, False])
def test_report_in_which_two_criteria_find_nothing_is_to_be_written_once(is_explained):
    term = PdfConcept(id="term", goal="It is explained", term="State", advice="Explain it.")
    drawn = Diagram(id="drawn", goal="It is drawn", aspect="present", advice="Draw it.")
    criteria = [
        criterion("theory", term),
        criterion("visual", drawn),
        criterion("code", check("c")),
    ]
    rows = [of("term", is_explained), of("drawn", False), of("c", True)]
    listed_steps = steps(criteria, rows, score=1)
    if is_explained:
        assert [step.action for step in listed_steps] == ["Draw it."]
        return
    (step,) = listed_steps
    assert (step.effort, step.action.split(" that ")[0]) == ("large", "Write a report")
    assert step.effect == (
        "Theory is 1 and Visual is 1; what this makes of them depends on how it is done"
    )


def test_security_flaw_comes_first_even_where_it_raises_nothing_alone():
    checks = [check(name, essential=True, weight=9) for name in ("a", "b")]
    criteria = [
        criterion("other", check("c", advice="Add c."), check("d")),
        criterion("quality", unsafe(advice="Use a list."), *checks),
    ]
    flaw = piece("no_shell", tags=("security",))
    rows = [of("c", False), of("d", True), of("no_shell", False, flaw)]
    chosen = steps(criteria, [*rows, of("a", False), of("b", False)], score=1)
    assert chosen[0].effect == (
        "Quality stays 1 with this step alone, and is 3 together with 1 other change at a.py:1"
    )
    assert chosen[1].criterion_id == "other"


def test_met_work_has_no_next_step():
    assert steps([criterion("quality", check("a"))], [of("a", True)], score=5) == ()
