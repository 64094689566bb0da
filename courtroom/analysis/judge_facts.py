"""Facts on the judges: their calls of models, schemas, retries, prompts and written scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from courtroom.analysis.fact_writer import FactWriter
from courtroom.analysis.langgraph.judging.absent_opinions import absent_opinion_scores
from courtroom.analysis.langgraph.judging.answer_retries import (
    blind_loops,
    judges_by_retry,
    narrow_retries,
    retries,
)
from courtroom.analysis.langgraph.judging.bent_scores import bent_scores
from courtroom.analysis.langgraph.judging.bypassed_calls import bypasses
from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.made_up_scores import (
    computed_stand_in,
    made_up_scores,
    scores_at_once,
    unasked_scores,
)
from courtroom.analysis.langgraph.judging.persona_names import PERSONAS
from courtroom.analysis.langgraph.judging.persona_prompts import MAX_SHARED, read_personas
from courtroom.analysis.langgraph.judging.prompt_files import is_prompt_file
from courtroom.analysis.langgraph.judging.refused_opinions import full_panels, refused_places
from courtroom.analysis.langgraph.judging.search_gaps import layer_gap, reading_gap
from courtroom.analysis.langgraph.judging.structured_calls import (
    BoundCall,
    classes_of,
    is_idle,
    judging_calls,
    model_calls,
    model_name,
    parsing_calls,
    structured_calls,
)
from courtroom.analysis.langgraph.judging.text_overlap import mostly_own
from courtroom.analysis.langgraph.judging.unbound_calls import unbound_calls
from courtroom.analysis.langgraph.judging.uncaught_answers import uncaught_answers
from courtroom.analysis.locations import shown
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable

PROMPT_FACTS = (
    "persona_prompts",
    "persona_prompts_distinct",
    "persona_prompts_shared",
    "persona_prompts_framed",
)


def record_calls(writer: FactWriter) -> None:
    """Record the calls that are bound to a schema, which are the judges', and what is repeated."""
    layers = writer.layers
    helpers = judging_calls(layers.in_use, layers.judges)
    judging = [*layers.judges, *helpers]
    running = [*layers.in_use, *judging]
    # What nothing calls shows the least of how the judges are asked.
    calls = sorted(structured_calls(writer.symbols), key=lambda call: not call.is_in(running))
    gap = layer_gap(writer.call_graph, layers, "judge")
    idle_files = _idle_files(writer)
    rows = []
    bypassed: dict[str, dict[str, Any]] = {}
    for call in calls:
        row = _row(call, writer.symbols) | ({"of_tools": True} if call.is_of_tools else {})
        if not call.is_in(running) and is_idle(call, writer.symbols, idle_files):
            row["is_idle"] = True
        is_by_judge = call.is_in(judging) or call.is_named_after_judges
        if is_by_judge:
            bound = f"{'the tools in ' * call.is_of_tools}{call.schema}" or "a schema"
            note = f"A model is bound to {bound} here."
            writer.add_location("judging_calls", call.source.path, call.line, note=note)
            if call.source.path not in bypassed:
                bypassed[call.source.path] = _bypassed(call)
            row |= _unbound(call, judging) | bypassed[call.source.path]
        # That a call is no judge's is known where their code is.
        is_known = is_by_judge or (layers.judges and not gap)
        rows.append(row | ({"by_judge": is_by_judge} if is_known else {}))
    writer.facts["structured_output_calls"] = rows
    writer.facts["parsed_answers"] = [
        _row(call, writer.symbols)
        for call in parsing_calls(writer.symbols)
        if call.is_in(judging) or call.is_named_after_judges
    ]

    lines = list(retries(layers.judges)) or list(retries(helpers))
    writer.set_flag("structured_output_retry", bool(lines), "" if lines else gap)
    for source, line in model_calls(judging):
        writer.add_location("model_call", source.path, line, note="A judge's model is called here.")
    for source, line in lines:
        writer.add_location("structured_output_retry", source.path, line)
    narrow = narrow_retries(judging, lines)
    rows = [{"path": source.path, "line": line} for source, line in narrow]
    writer.set_rows("narrow_retries", rows, "" if lines else gap)
    blind = [] if lines else blind_loops(judging)
    rows = [{"path": source.path, "line": line} for source, line in blind]
    writer.set_rows("blind_retries", rows, "" if lines else gap)
    _record_asked_once(writer, lines, gap)

    _record_uncaught(writer, gap)
    model = model_name(layers.judges)
    gap = (
        f"a model may be called by {model}"
        if model
        else layer_gap(writer.call_graph, layers, "judge")
    )
    writer.set_rows("plain_judges", [] if gap else _judge_nodes(layers), gap)


def _idle_files(writer: FactWriter) -> frozenset[str]:
    """Return the files to which no import leads; none where the graph stands in one of them."""
    unreached = frozenset((writer.facts.get("scope") or {}).get("unreached", ()))
    graph = (writer.facts.get("graph") or {}).get("path")
    return unreached if graph and graph not in unreached else frozenset()


def _unbound(call: BoundCall, judging: Sequence[FunctionRef]) -> dict[str, Any]:
    lines = unbound_calls(call, judging)
    places = [{"path": call.source.path, "line": line} for line in lines]
    return {"unbound": places} if places else {}


def _bypassed(call: BoundCall) -> dict[str, Any]:
    """Return the branches of the call's file that leave a model unbound which another one binds."""
    rows = [{"path": b.source.path, "line": b.line, "test": b.test} for b in bypasses(call.source)]
    return {"bypassed": rows} if rows else {}


def _record_uncaught(writer: FactWriter, gap: str) -> None:
    layers = writer.layers
    nodes = [node for name, node in layers.nodes.items() if layers.roles[name] == "judge"]
    places = uncaught_answers(nodes, layers.judges)
    if places is None or (gap and not places):
        unclear = "where a failure of the judges' model is caught could not be followed"
        writer.set_unknown(["uncaught_answers"], gap or unclear)
        return
    writer.facts["uncaught_answers"] = [{"path": path, "line": line} for path, line in places]


def _record_asked_once(
    writer: FactWriter, lines: Sequence[tuple[SourceFile, int]], gap: str
) -> None:
    """Record the judges that do not repeat a call that failed, where another one does."""
    judges = {
        function.name: writer.call_graph.reachable_from([function])
        for name, function in writer.layers.nodes.items()
        if writer.layers.roles[name] == "judge"
    }
    again, once = judges_by_retry(judges, lines)
    once = once if again else []
    writer.asking_once = [function for name in once for function in judges[name]]
    rows = [
        {"name": name, "path": source.path, "line": line}
        for name in once
        for source, line in list(model_calls(judges[name]))[:1]
    ]
    writer.set_rows("judges_asking_once", rows, gap)


def _judge_nodes(layers: Layers) -> list[dict[str, Any]]:
    """Return the functions of the graph's judge nodes; names alone make no judge."""
    judges = (node for name, node in layers.nodes.items() if layers.roles[name] == "judge")
    # One function may run at several nodes.
    once = {judge.key: judge for judge in judges}
    return [
        {"name": judge.name, "path": judge.source.path, "line": judge.site.node.lineno}
        for judge in once.values()
    ]


def _row(call: BoundCall, symbols: SymbolTable) -> dict[str, Any]:
    row = {"path": call.source.path, "line": call.line, "schema": call.schema}
    return row | _parts_of_schema(classes_of(call, symbols), symbols)


def _parts_of_schema(classes: list[ClassSite], symbols: SymbolTable) -> dict[str, Any]:
    """Return the classes that a schema holds, and the fields of all of them; {} without a class."""
    fields = {name for site in classes for name in symbols.field_names(site.source, site.node)}
    held = [site.node.name for site in classes[1:]]
    return {**({"holds": held} if held else {}), **({"fields": sorted(fields)} if fields else {})}


def record_prompts(writer: FactWriter) -> None:
    """Record the prompts of the three judges, and whether they differ enough."""
    paths = [
        path
        for path in writer.reader.blobs
        if is_prompt_file(path) and writer.symbols.codebase.is_product(path)
    ]
    files = {
        path: raw.decode("utf-8", "replace") for path, raw in writer.reader.read_all(paths).items()
    }
    personas = read_personas(writer.symbols, writer.layers, files, _idle_files(writer))
    own = mostly_own({prompt.persona: prompt.text for prompt in personas.prompts})
    writer.facts["persona_prompts"] = [
        {
            "persona": prompt.persona,
            "path": prompt.path,
            "line": prompt.line,
            "own_words": personas.own_words[prompt.persona],
            "mostly_own": prompt.persona in own,
        }
        for prompt in personas.prompts
    ]
    gap = reading_gap(writer.symbols.codebase)
    if not personas.prompts:
        gap = gap or _untold(writer)
    if personas.unfollowed:
        gap = f"{personas.unfollowed[0]} is too long to be followed to its end"
    if gap and len(personas.prompts) < len(PERSONAS):
        writer.set_unknown(PROMPT_FACTS, gap)
        return
    writer.prompts, writer.prompt_texts = personas.prompts, personas.texts
    writer.facts["persona_prompts_distinct"] = personas.are_distinct
    if personas.shared:
        writer.facts["persona_prompts_shared"] = round(max(personas.shared.values()), 2)
    else:
        gap = "fewer than two judges' prompts were recognised, so none were compared"
        writer.set_unknown(("persona_prompts_shared",), gap)
    is_framed = personas.are_distinct and personas.told_shared > MAX_SHARED
    writer.facts["persona_prompts_framed"] = [
        {"path": text.path, "line": text.line, "shared": round(personas.told_shared, 2)}
        for text in (personas.beside,)
        if text is not None and is_framed
    ]
    for text in personas.shared_places:
        note = personas.too_close
        writer.add_location("persona_prompts_distinct", text.path, text.line, text.end, note)
    for prompt in personas.prompts:
        writer.add_location("persona_prompts", prompt.path, prompt.line, prompt.end, prompt.persona)


def _untold(writer: FactWriter) -> str:
    """Return where the judges ask a model, which is told something that was not read; or ""."""
    places = model_calls(writer.layers.judges)
    return next(
        (
            f"the judges ask a model at {source.path}:{line}, and what it is told could not be read"
            for source, line in places
        ),
        "",
    )


def record_written_scores(writer: FactWriter) -> None:
    """Record the scores that the code writes in place of answers, and of opinions that are absent."""
    layers = writer.layers
    gap = layer_gap(writer.call_graph, layers, "judge")
    if not layers.judges:
        gap = "no code of judges was found"
    if writer.facts["plain_judges"]:
        gap = "the judges call no model"
    failing = (writer.facts.get("failing_code") or {}).get("lines", ())
    is_refused = refused_places(writer.symbols, failing)
    for name, scores, unclear in (
        (
            "made_up_scores",
            made_up_scores(layers.judges, layers.justice),
            computed_stand_in(layers.judges),
        ),
        ("scores_at_once", scores_at_once(layers.judges, writer.asking_once), ""),
        ("unasked_scores", unasked_scores(layers.judges, _silent_nodes(writer)), ""),
    ):
        places = [
            shown(text, (f.source.path, line))
            for f, line, text in scores
            if not is_refused(f.source, line)
        ]
        writer.set_rows(name, places, gap or unclear)
    writer.set_rows("bent_scores", bent_scores(layers.judges), gap)
    gap = layer_gap(writer.call_graph, layers, "justice")
    absent = absent_opinion_scores(layers.justice, is_refused)
    writer.set_rows("absent_opinion_scores", absent, gap)
    panels = full_panels(writer.symbols)
    writer.set_rows("full_panels", panels, reading_gap(writer.symbols.codebase))


def _silent_nodes(writer: FactWriter) -> dict[str, list[FunctionRef]]:
    """Return what nodes run that ask no model beside judges that do; not those of other layers."""
    layers = writer.layers
    if not any(True for _ in model_calls(layers.judges)):
        return {}
    reached = {
        name: writer.call_graph.reachable_from([node])
        for name, node in layers.nodes.items()
        if layers.roles[name] not in {"detective", "justice"}
    }
    return {name: reach for name, reach in reached.items() if not model_name(reach)}
