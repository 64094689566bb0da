"""The kind `synthesis_rules`: does the work's own verdict follow rules in code, and which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from courtroom.analysis.langgraph.judging.rule_words import WAITS_FOR_WORD
from courtroom.analysis.langgraph.node_roles import role_by_name
from courtroom.checks.from_facts import (
    Sentences,
    decided,
    flag,
    from_facts,
    from_stored_facts,
    line_clue,
    of_absence,
    unknown,
    with_place,
    with_reach,
)
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import in_full, listed, place_of, sentence_of
from courtroom.checks.result import MOST_CLUES, Finding, present
from courtroom.checks.state_flow import fault_sentence, with_undercut_verdict
from courtroom.checks.subjects import Subject, Subjects, is_held, unreached
from courtroom.models.check import CheckBase

if TYPE_CHECKING:
    from courtroom.analysis.locations import SourceLocation
    from courtroom.analysis.survey import Survey

DETERMINISTIC = (
    "Code without a model computes the verdict from the opinions.",
    "No code that computes the verdict from the opinions was found.",
)
SECOND = "A caller of the graph shows another verdict: it averages the judges' scores anew."
LONE_GROUPS = (
    "Opinions are grouped by an id whose first part names the judge: no group has the opinions of two"
    " judges, and no rule compares them."
)
BY_MODEL = "A model gives the score."
MARKDOWN = (
    "The verdict is written as a Markdown report.",
    "No code writes the verdict as a Markdown report.",
)
UNWRITTEN = "No code writes out the whole Markdown report that {}."
FIXED_PART = "Some of the remediation is fixed words: no argument and no evidence is in it."
FIXED_SUMMARY = "The executive summary is fixed words: no score and no argument is in it."
RULES: dict[str, Sentences] = {
    "security_override": (
        "A rule caps the score for security.",
        "No rule caps the score for security.",
    ),
    "fact_supremacy": (
        "A rule lets facts overrule opinions.",
        "No rule lets facts overrule opinions.",
    ),
    "functionality_weight": (
        "A rule gives the Tech Lead the most weight.",
        "No rule gives the Tech Lead the most weight.",
    ),
    "dissent": (
        "The Chief Justice's code writes down a dissent.",
        "The Chief Justice's code writes down no dissent.",
    ),
    "variance_re_evaluation": (
        "A rule re-evaluates scores that lie far apart.",
        "No rule re-evaluates scores that lie far apart.",
    ),
}
# By what the conditions of the cap read.
GROUNDS = {
    "evidence": "The cap for security reads evidence.",
    "either": "The cap for security reads evidence, but what judges say or score is enough for it.",
    "opinions": "The cap for security reads what judges say or score.",
    "none": "No rule caps the score for security, by evidence or otherwise.",
}
# By what the texts of dissents hold.
DISSENTS = {
    "arguments": "The dissent gives what the judges argue.",
    "scores": "The dissent is a fixed sentence around scores or names: it gives nothing that a judge argues.",
    "fixed": "The dissent is a fixed text: it gives nothing that a judge argues.",
    "none": RULES["dissent"][1],
}
REMEDIATIONS = {
    "findings": "The remediation gives what judges argue or cite, or what detectives report.",
    "rubric": "The remediation repeats the rubric: no argument and no evidence is in it.",
    "fixed": "The remediation is fixed words and names: no argument and no evidence is in it.",
}
# By aspect: the fact on a text, what the text should hold, and the sentences.
TEXTS: dict[str, tuple[str, str, Mapping[str, str]]] = {
    "dissent_reasons": ("dissent_content", "arguments", DISSENTS),
    "remediation": ("remediation_content", "findings", REMEDIATIONS),
}

# Checks on how a rule is carried out, which do not apply where it is absent.
RULES_OF: dict[str, Subject] = {"security_by_evidence": "cap", "dissent_reasons": "dissent"}
# Rules whose places say where alone they apply, or what becomes of them.
LIMITED = frozenset({"functionality_weight", "fact_supremacy", "dissent", "variance_re_evaluation"})
# Caps for security that are none.
NO_CAP = "No cap for security holds."
NEEDS_NO_EVIDENCE = "The cap for security needs no evidence."
IDLE = {
    "security_override": "The cap for security changes no score.",
    "fact_supremacy": "The rule by which facts overrule opinions changes no score.",
    "functionality_weight": "The rule on the Tech Lead changes no score.",
}
# Of a rule that is there, for arguments that hardly speak of its word.
OF_ANOTHER = "The rule by which facts overrule opinions waits for a word of another criterion."
USUAL_MODEL = {"lowest": 1, "highest": 5}
LIFTED = "A score that was capped for security can be lifted again."


class SynthesisRules(CheckBase):
    kind: Literal["synthesis_rules"] = "synthesis_rules"
    aspect: Literal[
        "deterministic",
        "security_override",
        "fact_supremacy",
        "functionality_weight",
        "dissent",
        "variance_re_evaluation",
        "markdown_report",
        "security_by_evidence",
        "dissent_reasons",
        "remediation",
    ]


def synthesis_rules(check: SynthesisRules, survey: Survey) -> Finding:
    """The rules of the verdict that are carried out in code."""
    if check.aspect == "deterministic":
        by_model = "justice_deterministic" in survey.fact_locations
        sentences = DETERMINISTIC[0], BY_MODEL if by_model else DETERMINISTIC[1]
        finding = flag("justice_deterministic", "justice", survey, sentences)
        finding = with_reach("justice", finding, survey)
        finding = _with_places(finding, "lone_groups", LONE_GROUPS, survey)
        return _with_places(finding, "second_verdicts", SECOND, survey)
    if check.aspect == "markdown_report":
        report = _lost_report(survey) or _report(survey)
        return _with_places(report, "fixed_summaries", FIXED_SUMMARY, survey)
    if check.aspect == "security_by_evidence":
        return with_reach("justice", _security_ground(survey), survey)
    if check.aspect in TEXTS:
        return with_reach("justice", _text_content(check.aspect, survey), survey)
    return _rule(check, survey)


def _rule(check: SynthesisRules, survey: Survey) -> Finding:
    """A rule that a run applies, or why none does."""
    rules = survey.facts.get("rules")
    if rules is None:
        return unknown("rules", survey)
    if rules[check.aspect] is None:
        return unknown(f"rules.{check.aspect}", survey)
    absence = unreached("justice", survey.facts) if is_held(check.aspect, survey.facts) else None
    if absence:
        return of_absence(absence)
    idle = next(
        (r for r in survey.facts.get("idle_rules") or () if r["rule"] == check.aspect), None
    )
    if idle:
        return _idle(idle, survey)
    loose = survey.facts.get("loose_caps")
    if check.aspect == "security_override" and rules[check.aspect] and loose:
        return _loose(loose)
    # Where a rule is missing, lines that would apply it show why they do not.
    locations = survey.fact_locations.get(check.aspect, ())
    is_narrow = bool(locations) and locations[0].note.startswith(WAITS_FOR_WORD)
    holds, fails = RULES[check.aspect]
    sentences = _with_obstacle((holds, OF_ANOTHER if is_narrow else fails), locations)
    is_limited = check.aspect in LIMITED and bool(locations and locations[0].note)
    if is_limited:
        # A tie-break is all the weight there is; a rule of facts may wait for a word.
        sentences = locations[0].note, sentences[1]
    finding = decided(rules[check.aspect], locations, survey, sentences)
    fault = OF_ANOTHER if is_narrow else ""
    finding = replace(_in_sentences(finding), has_reservation=is_limited, fault=fault)
    return _with_doubled(finding, survey) if check.aspect == "functionality_weight" else finding


def _with_doubled(finding: Finding, survey: Survey) -> Finding:
    """The finding on weights, with the judges whose opinions the run of the graph adds again."""
    repeats = (survey.facts.get("graph_run") or {}).get("repeated") or ()
    rows = [row for repeat in repeats for row in repeat.get("added", ())]
    judges = {name: row for row in rows for name in row["nodes"] if role_by_name(name) == "judge"}
    loops = survey.facts.get("lone_lead_weights") or ()
    if not finding.met or not judges or not loops:
        return finding
    row = next(iter(judges.values()))
    sentence = (
        f"What {listed(f'`{name}`' for name in judges)} {'returns' if len(judges) == 1 else 'return'}"
        f" under `{row['key']}` is there more than once, as nodes run again: the weight takes the"
        " Tech Lead's opinion once, and those of the others as often as they are there."
    )
    clues = (*finding.clues, line_clue(loops[0], sentence))
    sentence = with_place(sentence, loops[0]["path"], loops[0]["line"])
    reason = f"{finding.reason} {sentence}"
    return replace(finding, reason=reason, clues=clues[:MOST_CLUES], has_reservation=True)


def _in_sentences(finding: Finding) -> Finding:
    clues = (replace(clue, rationale=_as_sentence(clue.rationale)) for clue in finding.clues)
    return replace(finding, clues=tuple(clues))


def _as_sentence(note: str) -> str:
    return note if note.endswith(".") else sentence_of(note)


def _with_places(finding: Finding, fact: str, sentence: str, survey: Survey) -> Finding:
    """The finding that is met, and what the rows of a fact say against it."""
    rows = survey.facts.get(fact) or ()
    if not rows or not finding.met:
        return finding
    reason = with_place(sentence, rows[0]["path"], rows[0]["line"])
    clues = (*finding.clues, *(line_clue(row, sentence) for row in rows[:MOST_CLUES]))
    reason = f"{finding.reason} {reason}"
    return replace(finding, reason=reason, clues=clues, has_reservation=True)


def _report(survey: Survey) -> Finding:
    locations = survey.fact_locations.get("markdown_report", ())
    made, sentences = survey.facts.get("unwritten_reports"), MARKDOWN
    if made:
        place = place_of(made[0]["path"], made[0]["line"])
        sentences = MARKDOWN[0], UNWRITTEN.format(f"{made[0]['name']}() makes ({place})")
    # Where nothing takes the text, the function that makes it is the place.
    is_maker = made and locations and locations[0].line_start == made[0]["line"]
    if not is_maker:
        sentences = _with_obstacle(sentences, locations)
    return flag("markdown_report", "markdown_report", survey, sentences)


def _lost_report(survey: Survey) -> Finding | None:
    """The file that is written without the report, because the state drops it; else nothing."""
    for fault in (survey.facts.get("state_flow") or {}).get("faults", ()):
        written = fault.get("written")
        if written:
            place = place_of(written["path"], written["line"])
            reason = f"The file that {place} writes holds no report: {fault_sentence(fault)}"
            clues = [
                line_clue(written, reason),
                *(line_clue(row, reason) for row in fault["callers"]),
            ]
            return present(reason, clues, met=False)
    return None


def _loose(rows: Sequence[Mapping[str, Any]]) -> Finding:
    """No cap for security holds: what is wrong with each."""
    clues = [line_clue(row, f"{row['sentence']}.") for row in rows]
    reasons = [
        with_place(clue.rationale, row["path"], row["line"])
        for row, clue in zip(rows, clues, strict=True)
    ]
    fault = LIFTED if all(row["is_lifted"] for row in rows) else NO_CAP
    return present(in_full(reasons), clues, met=False, fault=fault)


def _idle(row: Mapping[str, Any], survey: Survey) -> Finding:
    """A rule that is in the code and changes no score."""
    model = survey.facts.get("opinion_model") or USUAL_MODEL
    fault = IDLE[row["rule"]]
    reason = (
        f"{fault.removesuffix('.')}: whatever three judges give from {model['lowest']} to"
        f" {model['highest']} and whatever else holds, {row['function']}() gives the same without"
        " it."
    )
    clue = line_clue(row, reason)
    return present(with_place(reason, row["path"], row["line"]), [clue], met=False, fault=fault)


def _with_obstacle(sentences: Sentences, locations: Sequence[SourceLocation]) -> Sentences:
    """The sentences, the second with what keeps the first of these lines from applying the rule."""
    holds, fails = sentences
    if locations and locations[0].note:
        place = place_of(locations[0].path, locations[0].line_start)
        fails = f"{fails.removesuffix('.')}: at {place} {locations[0].note}."
    return holds, fails


def _security_ground(survey: Survey) -> Finding:
    ground = survey.facts.get("security_ground")
    if ground is None:
        return unknown("security_ground", survey)
    places = survey.fact_locations
    locations = places.get("security_ground") or places.get("security_override", ())
    sentences = _with_obstacle((GROUNDS["evidence"], GROUNDS[ground]), locations)
    finding = _in_sentences(decided(ground == "evidence", locations, survey, sentences))
    if not finding.met and ground != "none":
        finding = with_undercut_verdict(finding, survey)
    return replace(finding, fault=NEEDS_NO_EVIDENCE) if ground == "either" else finding


def _text_content(aspect: str, survey: Survey) -> Finding:
    """Return whether a text of the Chief Justice holds what it should."""
    fact, wanted, sentences = TEXTS[aspect]
    content = survey.facts.get(fact)
    if content is None:
        return unknown(fact, survey)
    locations = survey.fact_locations.get(fact, ())
    finding = decided(content == wanted, locations, survey, (sentences[wanted], sentences[content]))
    notes = [with_place(row.note, row.path, row.line_start) for row in locations if row.note]
    finding = replace(finding, reason=" ".join([finding.reason, *notes[:1]]))
    if aspect != "remediation":
        return finding
    return _with_places(finding, "fixed_remediations", FIXED_PART, survey)


def _fault(check: SynthesisRules) -> str:
    others = {
        "deterministic": (DETERMINISTIC[0], "No code without a model computes the verdict."),
        "markdown_report": MARKDOWN,
        "security_by_evidence": (GROUNDS["evidence"], "No cap for security reads evidence."),
        "dissent_reasons": (
            DISSENTS["arguments"],
            "The dissent does not give what the judges argue.",
        ),
        "remediation": (
            REMEDIATIONS["findings"],
            "Nothing that judges argue or detectives report is in the remediation.",
        ),
    }
    return (RULES | others)[check.aspect][1]


def _subjects(check: SynthesisRules) -> Subjects:
    # A report may be written without a verdict.
    if check.aspect == "markdown_report":
        return Subjects()
    if check.aspect in RULES_OF:
        return Subjects(("synthesis", RULES_OF[check.aspect]))
    is_root = check.aspect == "deterministic"
    return Subjects(("synthesis", "justice_run"), "no_synthesis" if is_root else None)


KIND = CheckKind(
    model=SynthesisRules,
    detective="RepoInvestigator",
    detect=from_facts(synthesis_rules),
    replay=from_stored_facts(synthesis_rules),
    fault=_fault,
    subjects=_subjects,
    label=Label(
        title="Rules of the verdict",
        about="Whether the work's own verdict follows rules, and which.",
    ),
    order=130,
)
