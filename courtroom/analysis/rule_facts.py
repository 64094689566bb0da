"""Facts on the rules of the verdict: where each is applied, else what keeps it from that."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from courtroom.analysis.fact_writer import FactWriter
from courtroom.analysis.langgraph.judging.awaited_words import MOST_WORDS, quoted, reads_denials
from courtroom.analysis.langgraph.judging.criterion_ids import CriterionIds
from courtroom.analysis.langgraph.judging.dead_conditions import DeadConditions
from courtroom.analysis.langgraph.judging.early_caps import early_caps
from courtroom.analysis.langgraph.judging.evidence_words import vain_words
from courtroom.analysis.langgraph.judging.idle_rules import idle_rules
from courtroom.analysis.langgraph.judging.impossible_values import cap_behind, foreign_names
from courtroom.analysis.langgraph.judging.kept_results import kept_results
from courtroom.analysis.langgraph.judging.lifted_facts import lifted_facts
from courtroom.analysis.langgraph.judging.lone_lead_weights import lone_lead_weights
from courtroom.analysis.langgraph.judging.loose_rules import (
    loose_caps,
    raising_caps,
    words_for_facts,
)
from courtroom.analysis.langgraph.judging.made_evidence import MadeEvidence
from courtroom.analysis.langgraph.judging.opinion_model import opinion_model
from courtroom.analysis.langgraph.judging.persona_names import persona_in
from courtroom.analysis.langgraph.judging.re_evaluation import claimed_re_evaluations
from courtroom.analysis.langgraph.judging.rule_detection import (
    RuleReading,
    is_security_cap,
    read_rules,
)
from courtroom.analysis.langgraph.judging.rule_inputs import CITED, InputReader
from courtroom.analysis.langgraph.judging.rule_places import (
    condition_line,
    ground_places,
    score_lines,
)
from courtroom.analysis.langgraph.judging.rule_words import (
    ENSURED,
    ENSURES,
    NEVER_HOLDS,
    UNCALLED,
    WAITS_FOR_WORD,
)
from courtroom.analysis.langgraph.judging.score_bounds import ScoreBounds, longest_list
from courtroom.analysis.langgraph.judging.score_changes import ChangeReader, ScoreChange, words_in
from courtroom.analysis.langgraph.judging.score_runs import USUAL_SCALE
from courtroom.analysis.langgraph.judging.security_ground import read_security_ground
from courtroom.analysis.langgraph.judging.state_texts import StateTexts
from courtroom.analysis.langgraph.judging.tech_lead_rule import lines_of_weights
from courtroom.analysis.langgraph.judging.uncalled_helpers import (
    uncalled_helpers,
    uncalled_rules,
)
from courtroom.analysis.langgraph.judging.weight_scope import ARCHITECTURE
from courtroom.analysis.langgraph.state_flow.heard_keys import HeardKeys
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import constant_text, tests_around, walk, words_of
from courtroom.analysis.rule_obstacles import NEVER_APPLIES

# By the fields of a reading, what limits its rule.
LIMITS = {
    "is_tie_break": "The Tech Lead's score counts most where scores lie apart.",
    "is_of_near_scores": "The Tech Lead's score counts most where scores do not lie far apart.",
    "takes_highest": "A rule on the Tech Lead's opinion takes the highest score, whoever gave it.",
    "is_text_alone": (
        "Where scores lie far apart, code looks at what judges cite or argue again, and writes a"
        " text on it: no score changes by that."
    ),
    "is_lifting": "A rule lets facts raise a score, and none lets them lower one.",
    "is_of_far_scores": "A rule lets facts overrule opinions only where scores lie far apart.",
}


def record_rules(writer: FactWriter, gap: str) -> None:
    """Record every rule: where it is applied, else where its condition never holds."""
    evidence = MadeEvidence(writer.symbols)
    criteria = CriterionIds(writer.symbols)
    texts = StateTexts(writer.symbols, writer.state_keys or frozenset())
    bounds = _bounds(writer)
    conditions = DeadConditions(
        writer.symbols,
        writer.layers.justice,
        writer.state_keys,
        evidence,
        _heard_with(writer),
        criteria.lacks,
        lambda test, function: (
            texts.is_passed_by_none(test, function) or bounds.rules_out(test, function)
        ),
    )
    rules = read_rules(writer.call_graph, writer.layers, writer.graph, conditions)
    writer.facts["rules"] = {
        rule: True
        if reading.lines
        else None
        if gap and not (reading.dead or reading.by_opinions or reading.misplaced or reading.uncited)
        else False
        for rule, reading in rules.items()
    }
    writer.facts["loose_caps"] = [
        {
            "path": rule.function.source.path,
            "line": rule.line,
            "sentence": rule.sentence,
            "is_lifted": rule.is_lifted,
        }
        for rule in loose_caps(writer.layers.justice)
    ]
    lone = lone_lead_weights(rules["functionality_weight"].lines)
    rows = [{"path": function.source.path, "line": line} for function, line in lone]
    writer.set_rows("lone_lead_weights", rows, gap)
    _record_idle_rules(writer, rules)
    caps, facts = (rules[rule].lines for rule in ("security_override", "fact_supremacy"))
    writer.misordered_rules = list(early_caps(writer.layers.justice, caps, facts))
    writer.misordered_rules += raising_caps(writer.layers.justice, caps, _scale(writer))
    if all(row["rule"] != "fact_supremacy" for row in writer.facts["idle_rules"]):
        writer.misordered_rules += lifted_facts(writer.layers.justice, facts)
    enough = rules["fact_supremacy"].enough
    if enough and not reads_denials(enough, writer.layers.justice):
        writer.misordered_rules.append(words_for_facts(*facts[0], enough))
    ground = read_security_ground(writer.layers.justice, conditions)
    if ground and (ground != "none" or writer.facts["rules"]["security_override"] is not None):
        writer.facts["security_ground"] = ground
    else:
        unclear = "the conditions of the cap for security do not tell what they read"
        writer.set_unknown(["security_ground"], unclear if ground is None else gap)
    functions = {function.name: function for function in writer.layers.justice}
    changes = ChangeReader(writer.layers.justice, conditions).changes()
    _record_ground(writer, changes, rules["security_override"])
    proofs, weights = score_lines(changes), lines_of_weights(writer.layers.justice, changes)
    for rule, reading in rules.items():
        if writer.facts["rules"][rule] is None:
            writer.reasons[f"rules.{rule}"] = gap
        lines = proofs | (weights if rule == "functionality_weight" else {})
        for place, line in reading.lines:
            note = "" if rule == "security_override" else _limit_of(reading, rule)
            if rule == "fact_supremacy" and not note:
                note = _waits_in_vain(writer, conditions)
            if rule == "functionality_weight" and not note:
                note = _elsewhere(criteria.reached_at(place, line, functions))
            at = lines.get((place.key, line), line)
            writer.add_location(rule, place.source.path, at, note=note)
        if not reading.lines:
            _locate_obstacles(writer, rule, reading, _Grounds(criteria, conditions, texts, bounds))
    _locate_dead_cap(writer)
    _kept_results(writer)


def _locate_dead_cap(writer: FactWriter) -> None:
    """Record a cap by what the Prosecutor gives that waits for another spelling of its name."""
    rule = "security_override"
    if writer.facts["rules"][rule] is not False or writer.locations.get(rule):
        return
    for test in foreign_names(writer.call_graph, writer.layers):
        if persona_in(test.text) == "Prosecutor" and cap_behind(test):
            note = (
                f"a cap of the score by what the Prosecutor gives waits for `{test.field}` to be"
                f" {test.text!r}, which the judges never write"
            )
            writer.add_location(rule, test.function.source.path, test.line, note=note)


def _record_ground(
    writer: FactWriter, changes: Iterable[ScoreChange], reading: RuleReading
) -> None:
    """Record where the conditions of the caps for security read what they rest on."""
    keys = {(function.key, line) for function, line in reading.lines}
    caps = [change for change in changes if (change.function.key, change.line) in keys]
    functions = {function.name: function for function in writer.layers.justice}
    by_evidence = writer.facts["security_ground"] == "evidence"
    for place, line in ground_places(caps, InputReader(functions), by_evidence=by_evidence):
        note = _waits_for(reading)
        writer.add_location("security_ground", place.source.path, line, note=note)


def _kept_results(writer: FactWriter) -> None:
    """Note at a loop back to the judges that a reducer drops the verdicts of its second round."""
    places = writer.locations.get("variance_re_evaluation", [])
    builder = writer.graph.builder
    if not builder or any(place.note or place.path != builder.path for place in places):
        return
    reducers = [row["reducer"] for row in writer.facts.get("reducers") or ()]
    for reducer, field, value in kept_results(writer.symbols, reducers) if places else ():
        note = (
            f"Judges are heard again where scores lie far apart, and {reducer}() keeps the verdict"
            f" of the first round: a later one needs a greater `{field}`, which is {value} in both."
        )
        writer.locations["variance_re_evaluation"] = [replace(place, note=note) for place in places]


@dataclass(frozen=True, slots=True)
class _Grounds:
    """Readers that tell why a condition never holds."""

    criteria: CriterionIds
    conditions: DeadConditions
    texts: StateTexts
    bounds: ScoreBounds

    def why(self, place: FunctionRef, line: int, functions: Mapping[str, FunctionRef]) -> str:
        text = self.criteria.missing_at(place, line, functions)
        if text:
            return f"no criterion of the work has “{text}” in its id"
        part = self.conditions.dead_part(place, line)
        tests = tests_around(place.site.node, line)
        reasons = (self.bounds.reason(test, place) for test in tests)
        reason = self.texts.reason_at(place, line) or next(filter(None, reasons), "")
        return reason or (f"`{part}`" if part else "")

    def line_of(self, place: FunctionRef, line: int) -> int:
        """Return the line of the condition that never holds."""
        return condition_line(place, line, lambda test: self.conditions.never_holds(test, place))

    def waiting_for_findings(
        self, functions: Mapping[str, FunctionRef]
    ) -> list[tuple[FunctionRef, int]]:
        """Return changes of a score that wait in vain for a list of what evidence contradicts."""
        changes = ChangeReader([*functions.values()], self.conditions).changes()
        return [
            (change.function, change.line)
            for change in changes
            if change.is_dead and not is_security_cap(change)
            if self.texts.is_of_findings(change.function, change.line)
        ]


def _names(test: ast.expr, text: str) -> bool:
    return any(constant_text(node) == text for node in walk(test))


def _reads(test: ast.expr, words: frozenset[str]) -> bool:
    return not words.isdisjoint(words_in(test))


def _bounds(writer: FactWriter) -> ScoreBounds:
    accesses, inputs = writer.state_accesses, writer.graph.inputs
    longest = longest_list(writer.symbols, accesses[0], inputs) if accesses else None
    model = opinion_model(writer.symbols)
    return ScoreBounds(writer.symbols, writer.layers.judges, model, longest)


def _heard_with(writer: FactWriter) -> Callable[[str, str], bool] | None:
    accesses = writer.state_accesses
    if not accesses:
        return None
    return HeardKeys(writer.symbols, writer.graph, accesses[0], writer.layers.roles).is_filled


def _locate_obstacles(
    writer: FactWriter,
    rule: str,
    reading: RuleReading,
    grounds: _Grounds,
) -> None:
    """Record the lines that keep a rule from being applied, the gravest first."""
    # A rule that does set the score by the spread says more than a text that claims it.
    if rule == "variance_re_evaluation" and not reading.final:
        for function, line, text in claimed_re_evaluations(writer.layers.justice):
            note = f"the code writes “{text}”, and looks at nothing again"
            writer.add_location(rule, function.source.path, line, note=note)
    for word in reading.misplaced:
        note = (
            f"{WAITS_FOR_WORD}{word.word}” in arguments on {word.criterion}; of the rubric's"
            f" criteria {word.home} speaks of it, and this one does not"
        )
        line = condition_line(word.function, word.line, partial(_names, text=word.word))
        writer.add_location(rule, word.function.source.path, line, note=note)
    if reading.ensured:
        judge, at = reading.ensured
        judge_line = f"{judge.source.path}:{at}"
        note = f"this rule waits for an opinion that cites no evidence, and {judge_line} {ENSURES}"
        for place, effect in reading.uncited:
            line = condition_line(place, effect, partial(_reads, words=CITED))
            writer.add_location(rule, place.source.path, line, note=note)
        writer.add_location(rule, judge.source.path, at, note=ENSURED)
    obstacles = (
        (reading.by_opinions, "this rule reads what judges say or score, and no evidence"),
        (reading.final, "a rule sets the score by their spread, and nothing is judged again"),
    )
    for places, note in obstacles:
        for place, line in places:
            writer.add_location(rule, place.source.path, line, note=note)
    functions = {function.name: function for function in writer.layers.justice}
    dead = reading.dead or (
        grounds.waiting_for_findings(functions) if rule == "fact_supremacy" else []
    )
    for place, line in dead:
        why = grounds.why(place, line, functions)
        note = f"{NEVER_HOLDS}: {why}" if why else NEVER_HOLDS
        writer.add_location(rule, place.source.path, grounds.line_of(place, line), note=note)
    for place, line, verb in _uncalled(writer, rule, reading):
        note = f"{UNCALLED}{place.shown_name}(), which {verb} this rule"
        writer.add_location(rule, place.source.path, line, note=note)


def _uncalled(
    writer: FactWriter, rule: str, reading: RuleReading
) -> list[tuple[FunctionRef, int, str]]:
    """Return functions without a call that hold the rule, else those that are named after it."""
    if reading.uncalled:
        return [(place, line, "holds") for place, line in reading.uncalled]
    helpers = uncalled_rules(uncalled_helpers(writer.symbols, writer.layers), rule)
    return [(helper, helper.key[1], "is named after") for helper in helpers]


def _record_idle_rules(writer: FactWriter, rules: Mapping[str, RuleReading]) -> None:
    """Record the class of an opinion, and the rules that change no score of its scale."""
    model = opinion_model(writer.symbols)
    if model is None:
        writer.set_unknown(["opinion_model"], "no class of an opinion with a score was recognised")
    else:
        writer.facts["opinion_model"] = {
            "path": model.source.path,
            "line": model.node.lineno,
            "name": model.node.name,
            "fields": model.fields,
            "lowest": model.scale[0],
            "highest": model.scale[-1],
        }
    writer.facts["idle_rules"] = [
        {
            "path": idle.function.source.path,
            "line": idle.line,
            "rule": idle.rule,
            "function": idle.function.shown_name,
        }
        for idle in idle_rules(rules, writer.layers.justice, _scale(writer))
    ]


def _scale(writer: FactWriter) -> range:
    model = opinion_model(writer.symbols)
    return model.scale if model else USUAL_SCALE


def _waits_for(cap: RuleReading) -> str:
    """Return which words of an argument set a cap off, which a denial has too; "" for others."""
    if cap.awaited:
        words = " or ".join(quoted(cap.awaited))
        return f"this cap waits for {words} in an opinion, which a denial has as well"
    words = " or ".join(quoted(cap.enough))
    return f"{words} in an opinion sets this cap off, also in a denial" if words else ""


def _limit_of(reading: RuleReading, rule: str) -> str:
    """Return the sentence on a rule that applies to some scores or opinions alone; "" for others."""
    for name, sentence in LIMITS.items():
        if getattr(reading, name):
            return sentence
    if reading.heavier_keys:
        keys = " and ".join(quoted(reading.heavier_keys))
        return f"Of the three judges the Tech Lead weighs most, and {keys} weighs more than that."
    if reading.penalties:
        numbers = " and ".join(reading.penalties)
        return (
            f"A rule lets facts overrule opinions only by taking {numbers} off the score: every"
            " opinion stays in it."
        )
    words = " or ".join(quoted(reading.awaited))
    if not words:
        return ""
    if rule == "functionality_weight":
        return (
            f"The Tech Lead's score counts most where an argument has {words}, which a denial has as"
            " well."
        )
    return f"A rule lets facts overrule only opinions whose argument has {words}."


def _waits_in_vain(writer: FactWriter, conditions: DeadConditions) -> str:
    """Return the sentence on a rule of facts whose every way waits for words that no evidence has."""
    justice = writer.layers.justice
    vain = list(vain_words(writer.symbols, justice))
    if len({(row.word, row.field, row.key) for row in vain}) != 1:
        return ""
    tests, passed_by_none = {id(row.test) for row in vain}, conditions.is_passed_by_none
    without = replace(
        conditions,
        is_passed_by_none=lambda test, function: (
            id(test) in tests or (passed_by_none is not None and passed_by_none(test, function))
        ),
    )
    if read_rules(writer.call_graph, writer.layers, writer.graph, without)["fact_supremacy"].lines:
        return ""
    row = vain[0]
    return (
        f"A rule lets facts overrule opinions, but {NEVER_APPLIES}: it waits for “{row.word}”"
        f" in the {row.field} of evidence under `{row.key}`, where no code writes that."
    )


def _elsewhere(criteria: Collection[str]) -> str:
    """Return the sentence on criteria where a rule on architecture applies; "" where it is there."""
    if not criteria or any(ARCHITECTURE.intersection(words_of(name)) for name in criteria):
        return ""
    names = " and ".join(sorted(criteria)[:MOST_WORDS])
    more = f", and {len(criteria) - MOST_WORDS} more" if len(criteria) > MOST_WORDS else ""
    return f"By the ids of the rubric's criteria, the Tech Lead's score counts most in {names}{more} alone."
