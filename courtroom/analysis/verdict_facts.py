"""Facts on the verdict: who gives the score, the rules of synthesis, and the report."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from courtroom.analysis.fact_writer import FactWriter
from courtroom.analysis.langgraph.judging.averaged_scores import averaged_scores
from courtroom.analysis.langgraph.judging.dissent_content import read_dissent_content
from courtroom.analysis.langgraph.judging.dissent_rule import is_for_model_alone
from courtroom.analysis.langgraph.judging.lone_groups import lone_groups
from courtroom.analysis.langgraph.judging.lost_dissents import is_dissent_lost
from courtroom.analysis.langgraph.judging.markdown_reports import markdown_reports
from courtroom.analysis.langgraph.judging.remediation_content import (
    advice_heading,
    fixed_remediations,
    is_asked_of_model,
    read_remediation,
)
from courtroom.analysis.langgraph.judging.report_delivery import Delivery, DeliveryReader
from courtroom.analysis.langgraph.judging.rule_words import (
    EVIDENCE,
    SECURITY,
    SPREAD,
)
from courtroom.analysis.langgraph.judging.score_changes import ChangeReader, words_in
from courtroom.analysis.langgraph.judging.search_gaps import layer_gap, reading_gap
from courtroom.analysis.langgraph.judging.second_verdicts import second_verdicts
from courtroom.analysis.langgraph.judging.summary_content import fixed_summaries
from courtroom.analysis.langgraph.judging.verdict_source import (
    MODEL_CALLS,
    OPINION_WORDS,
    model_made_scores,
    reads_opinions,
)
from courtroom.analysis.project.entry_points import SURE
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import last_name, walk, words_of
from courtroom.analysis.rule_facts import record_rules

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
    writer.set_rows("lone_groups", _rows(lone_groups(writer.symbols, justice)), gap)
    second = second_verdicts(writer.symbols, writer.layers, reader) if justice else ()
    writer.set_rows("second_verdicts", _rows(second), gap)
    record_rules(writer, gap)
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
    kept = [] if written else [row for row in deliveries if _is_kept(row, reader)]
    writer.set_rows("unwritten_reports", [_maker(row) for row in kept], gap)
    if written:
        _show_reports(writer, written)
    for delivery in (kept or deliveries) if writer.facts["markdown_report"] is False else ():
        source, line = delivery.place
        writer.add_location("markdown_report", source.path, line, note=delivery.note)


def _is_kept(delivery: Delivery, reader: DeliveryReader) -> bool:
    """Return whether a run makes a report that stays in the state or is only shown in part."""
    return delivery.is_written is False and reader.is_of_run(delivery.report.function)


def _maker(delivery: Delivery) -> dict[str, Any]:
    function = delivery.report.function
    line = function.site.node.lineno
    return {"path": function.source.path, "line": line, "name": function.shown_name}


def _show_reports(writer: FactWriter, written: Sequence[Delivery]) -> None:
    """Record where reports are written, then the functions that make their text."""
    written = _without_parts(written)
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
    argued = writer.facts.get("dissent_content") in ("scores", "fixed")
    for path, line in _printed_arguments(listed)[:1] if argued else ():
        note = "What the judges argue is printed apart from it."
        writer.add_location("dissent_content", path, line, note=note)
    kept = writer.locations.get("dissent", [])
    if kept and is_dissent_lost(writer.symbols, writer.call_graph, listed):
        path, line = listed[0].key
        note = (
            "The Chief Justice's code writes down a dissent, which the Markdown report of"
            f" {path}:{line} does not print."
        )
        writer.locations["dissent"] = [replace(kept[0], note=note), *kept[1:]]


def _printed_arguments(reports: Iterable[FunctionRef]) -> list[tuple[str, int]]:
    """Return the lines on which reports fill in the argument of an opinion."""
    return [
        (function.source.path, part.lineno)
        for function in reports
        for node in walk(function.site.node)
        if isinstance(node, ast.FormattedValue)
        for part in walk(node.value)
        if isinstance(part, ast.Attribute) and part.attr == "argument"
    ]


def _without_parts(written: Sequence[Delivery]) -> list[Delivery]:
    """Return the reports whose text no other one takes in and returns: a summary is a part.

    A report with a title of its own that is written elsewhere is whole, whoever shows it again.
    """
    by_maker = {delivery.report.function.key: delivery for delivery in written}

    def is_part(delivery: Delivery) -> bool:
        key = delivery.report.function.key
        return any(
            other in delivery.returned_by
            and key not in taker.returned_by
            and not (delivery.report.has_title and delivery.place != taker.place)
            for other, taker in by_maker.items()
            if other != key
        )

    return [delivery for delivery in written if not is_part(delivery)]


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


def _is_unnamed_report(function: FunctionRef) -> tuple[bool, bool]:
    """Sort functions that are named after the report first."""
    text = function.source.text.split("\n")[function.site.node.lineno - 1].lower()
    return "markdown" not in text, "report" not in text
