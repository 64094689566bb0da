"""Steps by the kind of a check, as far as the facts of the work tell what to change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from courtroom.analysis.langgraph.judging.rule_words import ENSURED, NEVER_HOLDS, UNCALLED
from courtroom.checks.phrases import listed, place_of
from courtroom.models.check import CheckBase
from courtroom.models.evidence import CheckOutcome, Evidence
from courtroom.models.rubric import Criterion
from courtroom.synthesis.advice import code_steps, graph_steps, report_steps, wiring_steps
from courtroom.synthesis.advice.work import Step, Work, placed

Pieces = Sequence[Evidence]


def steps_of(
    check: CheckBase, criterion: Criterion, outcome: CheckOutcome, pieces: Pieces, work: Work
) -> tuple[Step, ...]:
    """Return what mends the unmet check, each step once; () where the facts do not tell it."""
    if check.kind == "commit_history":
        steps = report_steps.history_steps(_of(check, "aspect"), outcome.reason)
    elif check.kind == "synthesis_rules":
        # A missing rule belongs into the code that holds the others.
        lifting = [row for row in work.facts.get("loose_caps") or () if row["is_lifted"]]
        if _of(check, "aspect") == "security_override" and lifting:
            return tuple(map(_capped_last, lifting))
        idle = next((piece for piece in pieces if NEVER_HOLDS in piece.rationale.lower()), None)
        if idle is not None:
            return (_brought_to_life(idle),)
        uncalled = next((p for p in pieces if p.rationale.lower().startswith(UNCALLED)), None)
        if uncalled is not None:
            return (_to_be_called(uncalled),)
        ensuring = next((p for p in pieces if ENSURED in p.rationale.lower()), None)
        if ensuring is not None:
            return (_citations_kept(ensuring),)
        has_place = any(piece.location.path for piece in pieces)
        place = None if has_place else work.place_of_kind(criterion, check.kind)
        is_report = _of(check, "aspect") == "markdown_report"
        lost = graph_steps.flow_steps(lambda f: is_report and bool(f.get("written")), work)
        if step := _rule_of_this_work(_of(check, "aspect"), work, place or Step("")):
            return (step,)
        steps = iter([*lost] or ([] if place is None else [place]))
    else:
        steps = STEPS[check.kind](check, pieces, work) if check.kind in STEPS else iter(())
    return tuple(dict.fromkeys(steps))


def _rule_of_this_work(aspect: str, work: Work, place: Step) -> Step | None:
    """Return how the rule can be had where the rubric's advice does not fit this work."""
    far = work.names.get("far", "two")
    if aspect == "fact_supremacy" and work.opinion_cites is False:
        action = (
            "Let the judges give the evidence that they cite with each score, by a field of"
            f" {work.opinion_schema}, or of what it lists, and in the prompt; leave a score out"
            " where that evidence shows the opposite of its reason."
        )
    elif aspect == "fact_supremacy" and work.facts.get("full_panels"):
        action = (
            "Leave an opinion out where the evidence that it cites shows the opposite of what it"
            f" says{code_steps.shorter_panels(work)}."
        )
    elif aspect == "variance_re_evaluation" and work.facts.get("plain_judges"):
        action = (
            f"Where the scores of a criterion lie more than {far} apart, look at its evidence again"
            " before the verdict: judges without a model answer the same a second time."
        )
    elif aspect == "variance_re_evaluation" and work.graph and work.nodes("judge"):
        # A function that computes the verdict cannot ask: the graph can.
        judges = work.names.get("judge") or listed(work.nodes("judge"))
        last = listed(work.verdict_nodes) or "the Chief Justice"
        gives = "give" if len(work.verdict_nodes) > 1 else "gives"
        action = (
            f"Where the scores of a criterion lie more than {far} apart, lead the graph back to"
            f" {judges} once, with the others' arguments, before {last} {gives} the"
            f" verdict.{_latest_opinions(last, work)}"
        )
        place = Step("", work.graph["path"], work.graph["state_graph_line"])
    elif aspect == "security_override" and (idle := _test_that_never_holds(work)):
        action = (
            f"Limit the score to {work.names.get('cap', '3')} where a detective's finding"
            f"{work.names.get('evidence_at', '')} confirms a security flaw, not where judges alone say"
            f" so. See {idle} first: a test there never holds, and such a rule may hang on it."
        )
    elif aspect == "markdown_report" and (made := work.facts.get("unwritten_reports")):
        action = f"Write what {made[0]['name']}() makes here to a Markdown file, whole."
        place = Step("", made[0]["path"], made[0]["line"])
    elif aspect == "dissent_reasons" and work.facts.get("dissent_content") == "fixed":
        action = (
            "Quote in the dissent what the judges argue, and on which evidence, in place of the"
            " fixed text."
        )
    else:
        return None
    return replace(place, action=action, is_exact=True)


def _test_that_never_holds(work: Work) -> str:
    """Return the place of a comparison of the Chief Justice that no run passes; "" without one."""
    faults = (work.facts.get("state_flow") or {}).get("faults") or ()
    rows = (fault for fault in faults if fault["kind"] == "impossible_test")
    return next((place_of(row["path"], row["line"]) for row in rows), "")


def _latest_opinions(last: str, work: Work) -> str:
    """Sentence, with a space before it, where a list keeps the opinions of the first round too."""
    rows = (row for row in work.facts.get("reducers") or () if "opinion" in row["field"].lower())
    field = next((row["field"] for row in rows if row["reducer"].endswith("add")), None)
    if field is None:
        return ""
    return (
        f" `{field}` then holds both rounds: a judge is to return its new opinion alone, and {last}"
        " to take each judge's latest, where that is not so yet."
    )


def _capped_last(row: Mapping[str, Any]) -> Step:
    action = "Apply the cap for security after this line, so that nothing sets the score after it."
    return replace(placed(action, row), is_exact=True)


def _brought_to_life(piece: Evidence) -> Step:
    reason = piece.rationale[len(NEVER_HOLDS) :].removeprefix(": ").rstrip(".")
    remark = f" ({reason})" if reason else ""
    action = f"Change this condition, so that the rule can apply: it never holds{remark}."
    return Step(action, piece.location.path, piece.location.line_start, is_exact=True)


def _to_be_called(piece: Evidence) -> Step:
    name = piece.rationale[len(UNCALLED) :].partition("(")[0]
    action = (
        f"See that {name}() does what this rule asks for, call it where the score is computed, and"
        " use what it returns: nothing calls it."
    )
    return Step(action, piece.location.path, piece.location.line_start, is_exact=True)


def _citations_kept(piece: Evidence) -> Step:
    action = (
        "Keep what the judge cited, and add nothing in its place: an opinion that cites no evidence"
        " is what this rule is for."
    )
    return Step(action, piece.location.path, piece.location.line_start, is_exact=True)


def _of(check: CheckBase, parameter: str) -> Any:
    # Each kind has its parameters; the base has none of them.
    return getattr(check, parameter)


STEPS: dict[str, Callable[[CheckBase, Pieces, Work], Iterator[Step]]] = {
    "python_class": lambda c, p, _: code_steps.class_steps(c.snippet or "", p),
    "reducer": lambda c, _, w: wiring_steps.reducer_steps(c.advice or "", w),
    "graph_topology": lambda c, _, w: wiring_steps.topology_steps(_of(c, "aspect"), w),
    "graph_run": lambda c, _, w: graph_steps.run_steps(_of(c, "faults"), w),
    "state_flow": lambda c, _, w: graph_steps.flow_steps(_of(c, "concerns"), w),
    "sandboxed_clone": lambda c, p, w: code_steps.clone_steps(_of(c, "aspect"), p, w),
    "structured_output": lambda c, p, w: code_steps.answer_steps(_of(c, "aspect"), p, w),
    "persona_overlap": lambda c, _, w: code_steps.prompt_steps(
        _of(c, "aspect"), _of(c, "words"), w
    ),
    "unsafe_call": lambda c, _, w: code_steps.danger_steps(_of(c, "any_of"), w),
    "failing_code": lambda c, _, w: code_steps.failing_steps(_of(c, "part"), w),
    "own_outputs": lambda c, p, w: code_steps.output_steps(_of(c, "aspect"), p, w),
    "diagram": lambda c, p, w: report_steps.diagram_steps(_of(c, "aspect"), p, w),
    "pdf_concept": lambda c, p, _: report_steps.term_steps(_of(c, "term"), p),
    "pdf_paths": lambda c, p, w: report_steps.claim_steps(_of(c, "aspect"), w, p),
}
