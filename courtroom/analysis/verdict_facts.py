"""Facts on the verdict: who gives the score, the rules of synthesis, and the report."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from courtroom.analysis.fact_writer import FactWriter
from courtroom.analysis.langgraph.judging.averaged_scores import averaged_scores
from courtroom.analysis.langgraph.judging.awaited_words import MOST_WORDS, quoted, reads_denials
from courtroom.analysis.langgraph.judging.criterion_ids import CriterionIds
from courtroom.analysis.langgraph.judging.dead_conditions import DeadConditions
from courtroom.analysis.langgraph.judging.dissent_content import read_dissent_content
from courtroom.analysis.langgraph.judging.dissent_rule import is_for_model_alone
from courtroom.analysis.langgraph.judging.early_caps import early_caps
from courtroom.analysis.langgraph.judging.evidence_words import vain_words
from courtroom.analysis.langgraph.judging.idle_rules import idle_rules
from courtroom.analysis.langgraph.judging.kept_results import kept_results
from courtroom.analysis.langgraph.judging.lifted_facts import lifted_facts
from courtroom.analysis.langgraph.judging.loose_rules import (
    ARCHITECTURE,
    loose_caps,
    raising_caps,
    words_for_facts,
)
from courtroom.analysis.langgraph.judging.lost_dissents import is_dissent_lost
from courtroom.analysis.langgraph.judging.made_evidence import MadeEvidence
from courtroom.analysis.langgraph.judging.markdown_reports import markdown_reports
from courtroom.analysis.langgraph.judging.opinion_model import opinion_model
from courtroom.analysis.langgraph.judging.re_evaluation import claimed_re_evaluations
from courtroom.analysis.langgraph.judging.remediation_content import (
    advice_heading,
    fixed_remediations,
    is_asked_of_model,
    read_remediation,
)
from courtroom.analysis.langgraph.judging.report_delivery import Delivery, DeliveryReader
from courtroom.analysis.langgraph.judging.rule_detection import (
    RuleReading,
    is_security_cap,
    read_rules,
)
from courtroom.analysis.langgraph.judging.rule_words import (
    ENSURED,
    ENSURES,
    EVIDENCE,
    NEVER_HOLDS,
    SECURITY,
    SPREAD,
    UNCALLED,
)
from courtroom.analysis.langgraph.judging.score_bounds import ScoreBounds, longest_list
from courtroom.analysis.langgraph.judging.score_changes import ChangeReader, words_in
from courtroom.analysis.langgraph.judging.score_runs import USUAL_SCALE
from courtroom.analysis.langgraph.judging.search_gaps import layer_gap, reading_gap
from courtroom.analysis.langgraph.judging.second_verdicts import second_verdicts
from courtroom.analysis.langgraph.judging.security_ground import read_security_ground
from courtroom.analysis.langgraph.judging.state_texts import StateTexts
from courtroom.analysis.langgraph.judging.summary_content import fixed_summaries
from courtroom.analysis.langgraph.judging.uncalled_helpers import (
    uncalled_helpers,
    uncalled_rules,
)
from courtroom.analysis.langgraph.judging.verdict_source import (
    MODEL_CALLS,
    OPINION_WORDS,
    model_made_scores,
    reads_opinions,
)
from courtroom.analysis.langgraph.state_flow.heard_keys import HeardKeys
from courtroom.analysis.project.entry_points import SURE
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import last_name, tests_around, walk, words_of
from courtroom.analysis.rule_obstacles import NEVER_APPLIES

# Calls that make one number of several.
ARITHMETIC = frozenset({"sum", "min", "max", "round", "mean", "median", "fmean"})
# Words for what the judges say, in names; a score may be one that is set already.
OPINION_NAMES = OPINION_WORDS - frozenset(words_of("score scores verdict verdicts rating ratings"))
# Words in names of functions that apply one rule.
ONE_RULE = EVIDENCE | SECURITY | SPREAD
FOR_MODEL_ALONE = (
    "The Chief Justice's code gives a dissent to a model alone: what the report says of it is up to"
    " that model."
)
REMEDIATION_ASKED = (
    "the Chief Justice's code asks a model for the remediation: what the report says of it is up to"
    " that model"
)
TEXT_ALONE = (
    "Where scores lie far apart, code looks at what judges cite or argue again, and writes a text"
    " on it: no score changes by that."
)
MADE_HERE = "The function that makes the text of the Markdown report begins here."
# What a report on the verdict speaks of.
VERDICT_PARTS = OPINION_WORDS | frozenset(words_of("criterion criteria dissent remediation"))


def record_verdict(writer: FactWriter) -> None:
    """Record who gives the score, the rules that are applied, and what writes the report."""
    justice = writer.layers.justice
    by_model = list(model_made_scores(writer.symbols, justice))
    is_deterministic = not by_model and reads_opinions(justice)
    gap = layer_gap(writer.call_graph, writer.layers, "justice")
    # Where a model gives the score, that place decides.
    writer.set_flag("justice_deterministic", is_deterministic, "" if by_model else gap)

    for function, line in by_model:
        writer.add_location(
            "justice_deterministic", function.source.path, line, note="a model gives the score here"
        )

    if place := place_of_verdict(justice):
        node = place.site.node
        writer.add_location(
            "justice", place.source.path, node.lineno, node.end_lineno, f"{node.name} begins here."
        )

    writer.set_rows("averaged_scores", _rows(averaged_scores(justice)), gap)
    reader = _delivery_reader(writer)
    second = second_verdicts(writer.symbols, writer.layers, reader) if justice else ()
    writer.set_rows("second_verdicts", _rows(second), gap)
    _rules(writer, gap)
    _kept_results(writer)
    _dissent(writer, gap)
    _remediation(writer, gap)

    writer.set_rows("fixed_summaries", _rows(fixed_summaries(justice)), gap)
    _report(writer, reader)
    _without_run(writer)


def _without_run(writer: FactWriter) -> None:
    """Record that no rule is applied where no run reaches the Chief Justice, with those it holds."""
    for row in writer.facts.get("unreached_layers") or ():
        if row["part"] == "justice":
            row["rules"] = [rule for rule, held in writer.facts["rules"].items() if held]
            writer.facts["rules"] |= dict.fromkeys(row["rules"], False)
            return


def _rows(places: Iterable[tuple[FunctionRef, int]]) -> list[dict[str, Any]]:
    return [{"path": function.source.path, "line": line} for function, line in places]


def _delivery_reader(writer: FactWriter) -> DeliveryReader:
    built_in = writer.graph.builder.path if writer.graph.builder else ""
    return DeliveryReader(writer.call_graph, writer.layers, built_in, _declared_starts(writer))


def _report(writer: FactWriter, reader: DeliveryReader) -> None:
    """Record the Markdown reports that a run writes out, or why it writes none."""
    deliveries = [reader.read(report) for report in markdown_reports(writer.symbols)]
    written = [delivery for delivery in deliveries if delivery.is_written]
    gaps = (delivery.gap for delivery in deliveries if delivery.is_written is None)
    gap = reading_gap(writer.symbols.codebase) or next(gaps, "")
    writer.set_flag("markdown_report", bool(written), gap)
    if written:
        _show_reports(writer, written)
    for delivery in deliveries if writer.facts["markdown_report"] is False else ():
        source, line = delivery.place
        writer.add_location("markdown_report", source.path, line, note=delivery.note)


def _show_reports(writer: FactWriter, written: Sequence[Delivery]) -> None:
    """Record where reports are written, then the functions that make their text."""
    # What only a detective or a judge reaches is none, if anything else is a report.
    before = _before_the_verdict(writer)
    places = [delivery.report.function for delivery in written]
    places = [function for function in places if function.key not in before] or places
    for keys in (_keys(writer.layers.in_use), _keys(_of_the_program(writer))):
        places = [function for function in places if function.key in keys] or places
    # A report of the evidence alone is no verdict.
    places = list(filter(_speaks_of_scores, places)) or places
    listed = sorted(places, key=_is_unnamed_report)
    writes = {delivery.report.function.key: delivery.place for delivery in written}
    # Code after the graph may expect another type of report.
    of_justice = _keys(writer.layers.justice)
    makers = [function for function in listed if function.key in of_justice] or listed
    titled = {row.report.function.key for row in written if row.report.has_title}
    # A part of it, as on remediation, is no report beside the whole one.
    whole = [function for function in listed if function.key in titled]
    makers = [function for function in whole if function in makers] or whole or makers
    for source, line in (writes[function.key] for function in makers):
        writer.add_location("markdown_report", source.path, line)
    for function in makers:
        writer.add_location("markdown_report", *function.key, note=MADE_HERE)
    kept = writer.locations.get("dissent", [])
    if kept and is_dissent_lost(writer.symbols, writer.call_graph, listed):
        path, line = listed[0].key
        note = (
            "The Chief Justice's code writes down a dissent, which the Markdown report of"
            f" {path}:{line} does not print."
        )
        writer.locations["dissent"] = [replace(kept[0], note=note), *kept[1:]]


def _declared_starts(writer: FactWriter) -> frozenset[str]:
    entries = (writer.facts.get("scope") or {}).get("entry_points", [])
    return frozenset(entry["target"] for entry in entries if entry["declared_by"] in SURE)


def _dissent(writer: FactWriter, gap: str) -> None:
    """Record what the dissent holds; "none" where the code writes down no dissent."""
    is_written = writer.facts["rules"]["dissent"]
    if is_written and is_for_model_alone(writer.layers.justice):
        rows = writer.locations["dissent"]
        writer.locations["dissent"] = [replace(row, note=FOR_MODEL_ALONE) for row in rows]
    reading = read_dissent_content(writer.layers.justice) if is_written else None
    if is_written is False:
        writer.facts["dissent_content"] = "none"
        return
    content = reading.content if reading else None
    if content is None or (gap and content != "arguments"):
        unclear = "what the text of a dissent holds could not be followed"
        writer.set_unknown(["dissent_content"], gap or unclear)
        return
    writer.facts["dissent_content"] = content
    for function, line in reading.places if reading else ():
        writer.add_location("dissent_content", function.source.path, line)
    for function, line in reading.notes if reading else ():
        note = "A judge is quoted in a note on security alone."
        writer.add_location("dissent_content", function.source.path, line, note=note)


def _remediation(writer: FactWriter, gap: str) -> None:
    reading = read_remediation(writer.layers.justice)
    content = reading.content if reading else None
    if content is None or (gap and content != "findings"):
        unclear = "what the text of the remediation holds could not be followed"
        absent = "no text of a remediation was recognised"
        if reading is None and is_asked_of_model(writer.layers.justice):
            absent = REMEDIATION_ASKED
        elif reading is None and (advice := advice_heading(writer.symbols.codebase.production)):
            heading, source, line = advice
            absent = f"what stands under “{heading}” ({source.path}:{line}) could not be followed"
        reason = gap or (unclear if reading else absent)
        writer.set_unknown(["remediation_content", "fixed_remediations"], reason)
        return
    writer.facts["remediation_content"] = content
    is_given = content == "findings"
    writer.facts["fixed_remediations"] = _rows(
        fixed_remediations(writer.layers.justice) if is_given else ()
    )
    for function, line in reading.places if reading else ():
        writer.add_location("remediation_content", function.source.path, line)


def place_of_verdict(justice: Sequence[FunctionRef]) -> FunctionRef | None:
    """Return the function that sets a score by the opinions, before one that adds up scores."""
    functions = [function for function in justice if ONE_RULE.isdisjoint(words_of(function.name))]
    without_texts = [function for function in functions if not _makes_text(function)]
    setter = _setter_of_score(without_texts) or _setter_of_score(functions)
    return setter or next(iter(justice), None)


def _setter_of_score(functions: Sequence[FunctionRef]) -> FunctionRef | None:
    computing = list(filter(_computes_scores, functions))
    by_opinions = list(filter(_names_opinions, computing or functions))
    setting = [function for function in by_opinions if ChangeReader([function]).changes()]
    # An opinion has a `score`; other names of scores are those of results.
    of_opinions = (f for f in setting if computing and "score" in f.site.mentions)
    return next(of_opinions, None) or next(
        iter(setting or (computing and by_opinions) or computing), None
    )


def _makes_text(function: FunctionRef) -> bool:
    """Return true for a function that is annotated to return a text, a flag, or None in its place."""
    return_type = function.site.node.returns
    nodes = walk(return_type) if return_type else ()
    types = {last_name(node) for node in nodes} - {"", "Optional"}
    return bool(types) and types <= {"str", "bool"}


def _names_opinions(function: FunctionRef) -> bool:
    return any(OPINION_NAMES.intersection(words_of(name)) for name in function.site.mentions)


def _computes_scores(function: FunctionRef) -> bool:
    """Return true for code that takes opinions or scores into a number, not what hands them on."""
    mentions = function.site.mentions
    return bool(mentions & ARITHMETIC) and any("score" in name.lower() for name in mentions)


def _before_the_verdict(writer: FactWriter) -> set[tuple[str, int]]:
    """Return the keys of functions that only detectives or judges reach, or that ask a model."""
    layers = writer.layers
    starts = [node for name, node in layers.nodes.items() if layers.roles[name] == "detective"]
    before = {
        function.key for function in (*writer.call_graph.reachable_from(starts), *layers.judges)
    }
    asking = {f.key for f in layers.justice if f.site.mentions & MODEL_CALLS}
    return (before - {function.key for function in layers.justice}) | asking


def _of_the_program(writer: FactWriter) -> list[FunctionRef]:
    """Return what the graph's nodes reach, and what the file names where the product starts."""
    symbols = writer.symbols
    main = symbols.codebase.files.get((writer.facts.get("scope") or {}).get("main") or "")
    nodes = walk(main.tree) if main else ()
    names = sorted({node.id for node in nodes if isinstance(node, ast.Name)})
    starts = [
        FunctionRef(*entry) for name in names for entry in symbols.functions_by_name.get(name, [])
    ]
    return writer.call_graph.reachable_from([*writer.layers.nodes.values(), *starts])


def _speaks_of_scores(function: FunctionRef) -> bool:
    return bool(words_in(function.site.node) & VERDICT_PARTS)


def _keys(functions: Sequence[FunctionRef]) -> set[tuple[str, int]]:
    return {function.key for function in functions}


def _rules(writer: FactWriter, gap: str) -> None:
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
    for rule, reading in rules.items():
        if writer.facts["rules"][rule] is None:
            writer.reasons[f"rules.{rule}"] = gap
        for place, line in reading.lines:
            note = _waits_for(reading) if rule == "security_override" else _limit_of(reading, rule)
            if rule == "fact_supremacy" and not note:
                note = _waits_in_vain(writer, conditions)
            if rule == "functionality_weight" and not note:
                note = _elsewhere(criteria.reached_at(place, line, functions))
            writer.add_location(rule, place.source.path, line, note=note)
        if not reading.lines:
            _locate_obstacles(writer, rule, reading, _Grounds(criteria, conditions, texts, bounds))


def _kept_results(writer: FactWriter) -> None:
    """Note at a loop back to the judges that a reducer drops the verdicts of its second round."""
    places = writer.locations.get("variance_re_evaluation", [])
    builder = writer.graph.builder
    if not builder or any(place.note or place.path != builder.path for place in places):
        return
    reducers = [row["reducer"] for row in writer.facts.get("reducers") or ()]
    for reducer, field, value in kept_results(writer.symbols, reducers) if places else ():
        note = (
            f"Judges are heard again where scores lie far apart, and {reducer}() keeps the verdict of"
            f" the first round: a later one needs a greater `{field}`, which is {value} in both."
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
    if rule == "variance_re_evaluation":
        for function, line, text in claimed_re_evaluations(writer.layers.justice):
            note = f"the code writes “{text}”, and looks at nothing again"
            writer.add_location(rule, function.source.path, line, note=note)
    for word in reading.misplaced:
        note = (
            f"this rule waits for “{word.word}” in arguments on {word.criterion}; the rubric speaks of"
            f" it under {word.home}, not there"
        )
        writer.add_location(rule, word.function.source.path, word.line, note=note)
    if reading.ensured:
        judge, at = reading.ensured
        judge_line = f"{judge.source.path}:{at}"
        note = f"this rule waits for an opinion that cites no evidence, and {judge_line} {ENSURES}"
        for place, line in reading.uncited:
            writer.add_location(rule, place.source.path, line, note=note)
        writer.add_location(rule, judge.source.path, at, note=ENSURED)
    obstacles = (
        (reading.by_opinions, "this rule reads what judges say or score, and no evidence"),
        (reading.final, "a rule settles the spread of scores, and nothing is judged again"),
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
        writer.add_location(rule, place.source.path, line, note=note)
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
        return f"this cap waits for {words} in an argument, which a denial has as well"
    words = " or ".join(quoted(cap.enough))
    return f"{words} in an argument sets this cap off, also in a denial" if words else ""


def _limit_of(reading: RuleReading, rule: str) -> str:
    """Return the sentence on a rule that applies to some scores or opinions alone; "" for others."""
    if reading.is_tie_break:
        return "The Tech Lead's score counts most where scores lie apart."
    if reading.takes_highest:
        return "A rule on the Tech Lead's opinion takes the highest score, whoever gave it."
    if reading.heavier_keys:
        keys = " and ".join(quoted(reading.heavier_keys))
        return f"Of the three judges the Tech Lead weighs most, and {keys} weighs more than that."
    if reading.is_text_alone:
        return TEXT_ALONE
    if reading.is_lifting:
        return "A rule lets facts raise a score, and none lets them lower one."
    words = " or ".join(quoted(reading.awaited))
    if not words:
        return ""
    if rule == "functionality_weight":
        return (
            f"The Tech Lead's score counts most only where an argument has {words}, which a denial has"
            " as well."
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


def _is_unnamed_report(function: FunctionRef) -> tuple[bool, bool]:
    """Sort functions that are named after the report first."""
    text = function.source.text.split("\n")[function.site.node.lineno - 1].lower()
    return "markdown" not in text, "report" not in text
