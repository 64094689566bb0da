"""Checks that rest on facts the survey established: state, graph, clone, safety, judges, synthesis rules.

A fact that is null is not established, and neither is the check; only a fact that was established decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from courtroom.analysis.locations import SourceLocation
from courtroom.analysis.survey import Survey
from courtroom.detectives.findings import Clue, Finding, absent, could_not_look, present
from courtroom.detectives.source_checks import clue_of
from courtroom.models.rubric import (
    CheckBase,
    GraphTopology,
    PersonaOverlap,
    ReducerCheck,
    SandboxedClone,
    StructuredOutput,
    SynthesisRules,
    UnsafeCallCheck,
)

# Kinds with a fact of their own; the others stand together in `unsafe_calls`.
UNSAFE_FACTS = {
    "os_system": "os_system_calls",
    "shell_true": "shell_true_calls",
    "eval_exec": "eval_exec_calls",
    "committed_secret": "committed_secrets",
}
UNSAFE_WORDS = {
    "os_system": "a call of os.system",
    "shell_true": "a call through a shell",
    "eval_exec": "a call of eval or exec",
    "unsafe_deserialisation": "loading data that can run code",
    "sql_from_strings": "a query put together from strings",
    "path_traversal": "a path that outside data decides",
    "tls_unverified": "certificates that are not checked",
    "committed_secret": "a committed secret",
}
CLONE_FACTS = {
    "in_tempdir": "clone_in_tempdir",
    "timeout": "clone_timeout",
    "errors_handled": "clone_errors_handled",
    "url_validated": "url_validated",
}
# Which edges to show for a flag of the graph. They choose what is quoted, never what is established.
EDGE_WORDS = {
    "detectives_parallel": re.compile(
        r"investigat|analyst|inspect|detective|repo|doc|vision", re.IGNORECASE
    ),
    "fan_in_before_judges": re.compile(r"aggregat|collect|join|sync|merge|evidence", re.IGNORECASE),
    "judges_parallel": re.compile(r"judge|prosecut|defen[cs]e|tech", re.IGNORECASE),
    "fan_in_before_justice": re.compile(r"justice|chief|verdict|synthes|opinion", re.IGNORECASE),
}


def reducers(check: ReducerCheck, survey: Survey) -> Finding:
    """The state's reducers, all or those named, are at least `minimum`."""
    fact = survey.facts.get("reducers")
    if fact is None:
        return _unknown("reducers", survey)
    fitting = [
        r for r in fact if not check.any_of or r["reducer"].rsplit(".", 1)[-1] in check.any_of
    ]
    named = f" among {' or '.join(check.any_of)}" if check.any_of else ""
    reason = f"The graph's state has {len(fitting)} reducers{named} ({len(fact)} in all)."
    clues = [_line(r, f"{r['field']} is reduced by {r['reducer']}.") for r in fitting]
    if not clues:
        return _nothing(reason, "state_class", survey)
    return present(reason, clues, met=len(fitting) >= check.minimum)


def topology(check: GraphTopology, survey: Survey) -> Finding:
    """What the wiring of the main graph shows."""
    if check.aspect == "exists":
        return _graph_exists(survey)
    value = survey.facts.get(check.aspect)
    if value is None:
        return _unknown(check.aspect, survey)
    places = survey.fact_locations.get(check.aspect) or _telling(
        check.aspect, survey.fact_locations.get("graph", ())
    )
    return _decided(check.aspect, value, places, survey)


def _telling(aspect: str, edges: tuple[SourceLocation, ...]) -> tuple[SourceLocation, ...]:
    """The edges that touch the nodes in question, if their names tell; else all of them."""
    words = EDGE_WORDS.get(aspect)
    return tuple(edge for edge in edges if words and words.search(edge.note)) or edges


def _graph_exists(survey: Survey) -> Finding:
    graph = survey.facts.get("graph")
    if graph is not None:
        line = {"path": graph["path"], "line": graph["state_graph_line"]}
        reason = f"A graph of {len(graph['nodes'])} nodes is built."
        return present(reason, [_line(line, "The StateGraph is made here.")])
    if survey.facts.get("detectives_parallel") is None:
        return _unknown("graph", survey)
    return _nothing(survey.reasons.get("graph", "No StateGraph is built."), "graph", survey)


def clone(check: SandboxedClone, survey: Survey) -> Finding:
    """Of the function that clones: that it exists, and how it does it."""
    function = survey.facts.get("clone_function")
    if function is None and survey.facts.get("clone_in_tempdir") is None:
        return _unknown("clone_function", survey)
    if function is None:
        reason = survey.reasons.get(
            "clone_function", "No function that clones a repository was found."
        )
        return _nothing(reason, "clone_function", survey)
    if check.aspect == "exists":
        reason = f"{function['name']} clones the repository."
        return present(
            reason,
            _clues(survey.fact_locations.get("clone_function", ())) or [_line(function, reason)],
        )
    return _flag(CLONE_FACTS[check.aspect], "clone_function", survey)


def unsafe_calls(check: UnsafeCallCheck, survey: Survey) -> Finding:
    """Dangerous calls and committed secrets; met, being negative, when there are none."""
    needed = [UNSAFE_FACTS.get(kind, "unsafe_calls") for kind in check.any_of]
    unknown = next((fact for fact in needed if survey.facts.get(fact) is None), None)
    if unknown:
        return _unknown(unknown, survey)
    wanted, kinds = (
        check.polarity == "positive",
        ", ".join(UNSAFE_WORDS[kind] for kind in check.any_of),
    )
    clues = [clue for kind in check.any_of for clue in _dangers(kind, survey)]
    if not clues:
        return absent(f"Not found: {kinds}.", _searched(kinds, survey), met=not wanted)
    return present(f"Found in {len(clues)} places: {kinds}.", clues, met=wanted)


def _dangers(kind: str, survey: Survey) -> list[Clue]:
    """Each place of one kind, with what is known of the value; a secret is named by its kind only."""
    if kind == "committed_secret":
        return [
            _line(one, f"A secret is committed here: {one['kind']}.")
            for one in survey.facts["committed_secrets"]
        ]
    found = survey.facts[UNSAFE_FACTS.get(kind, "unsafe_calls")]
    known = {
        (one["path"], one["line"]): one
        for one in survey.facts.get("unsafe_calls") or ()
        if one["kind"] == kind
    }
    places = found if kind in UNSAFE_FACTS else known.values()
    return [
        _line(
            place,
            f"Here: {UNSAFE_WORDS[kind]}{_source(known.get((place['path'], place['line'])))}.",
        )
        for place in places
    ]


def _source(call: Mapping[str, Any] | None) -> str:
    if call is None or call["from_outside"] is None:
        return ""
    return (
        ", with a value from outside" if call["from_outside"] else ", with a value written out here"
    )


def structured_output(check: StructuredOutput, survey: Survey) -> Finding:
    """Model calls bound to a schema: any, one of these schemas, or asked again when the answer does not fit."""
    if check.aspect == "retry":
        return _flag("structured_output_retry", "structured_output_calls", survey)
    calls = survey.facts.get("structured_output_calls")
    if calls is None:
        return _unknown("structured_output_calls", survey)
    wanted = check.schemas if check.aspect == "schema" else ()
    fitting = [call for call in calls if not wanted or call["schema"].rsplit(".", 1)[-1] in wanted]
    named = f" to {' or '.join(wanted)}" if wanted else ""
    if fitting:
        clues = [_line(call, f"Bound to {call['schema'] or 'a schema'}.") for call in fitting]
        return present(f"{len(fitting)} model calls are bound{named}.", clues)
    reason = f"No model call is bound{named or ' to a schema'}."
    others = [
        _line(call, f"Bound to {call['schema'] or 'an unnamed schema'} instead.") for call in calls
    ]
    return (
        present(reason, others, met=False)
        if others
        else _nothing(reason, "structured_output_calls", survey)
    )


def personas(check: PersonaOverlap, survey: Survey) -> Finding:
    """That there are enough persona prompts, and that they differ."""
    prompts = survey.facts.get("persona_prompts")
    if prompts is None:
        return _unknown("persona_prompts", survey)
    clues = _clues(survey.fact_locations.get("persona_prompts", ())) or [
        _line(p, f"The prompt of {p['persona']}.") for p in prompts
    ]
    reason = f"{len(prompts)} persona prompts were found."
    if not clues:
        return _nothing(reason, "persona_prompts", survey)
    if check.aspect == "exist" or len(prompts) < check.minimum:
        return present(reason, clues, met=len(prompts) >= check.minimum)
    if check.aspect == "told":
        return _told_at_length(check, prompts, clues)
    return _flag("persona_prompts_distinct", "persona_prompts", survey)


def _told_at_length(
    check: PersonaOverlap, prompts: Sequence[Mapping[str, Any]], clues: list[Clue]
) -> Finding:
    """A stance without what to look for and how to score it leads no judge anywhere of its own."""
    counts = [count for prompt in prompts if (count := prompt.get("own_words")) is not None]
    if len(counts) < len(prompts):
        return could_not_look("This record does not say how long the persona prompts are.")
    told = ", ".join(f"{p['persona']} {count}" for p, count in zip(prompts, counts, strict=True))
    long_enough = [count for count in counts if count >= check.words]
    return present(f"Words of their own: {told}.", clues, met=len(long_enough) >= check.minimum)


def synthesis_rules(check: SynthesisRules, survey: Survey) -> Finding:
    """Which rules of the verdict are carried out in code."""
    if check.aspect == "deterministic":
        return _flag("justice_deterministic", "justice", survey)
    if check.aspect == "markdown_report":
        return _flag("markdown_report", "markdown_report", survey)
    rules = survey.facts.get("rules")
    if rules is None:
        return _unknown("rules", survey)
    places = survey.fact_locations.get(check.aspect) or survey.fact_locations.get("rules", ())
    return _decided(check.aspect, rules[check.aspect], places, survey)


def _flag(name: str, fallback: str, survey: Survey) -> Finding:
    """A yes-or-no fact with its own places, or those of the fact it was read from."""
    value = survey.facts.get(name)
    if value is None:
        return _unknown(name, survey)
    return _decided(
        name,
        value,
        survey.fact_locations.get(name) or survey.fact_locations.get(fallback, ()),
        survey,
    )


def _decided(name: str, value: bool, places: Sequence[SourceLocation], survey: Survey) -> Finding:
    words = name.replace("_", " ")
    reason = f"The code shows: {words}." if value else f"The code does not show: {words}."
    clues = _clues(places, reason)
    return present(reason, clues, met=value) if clues else _nothing(reason, name, survey, met=value)


def _clues(places: Sequence[SourceLocation], reason: str = "") -> list[Clue]:
    """Each line once: a loop makes several edges on one line."""
    notes: dict[tuple[str, int | None, int | None], list[str]] = {}
    for place in places:
        notes.setdefault((place.path, place.line_start, place.line_end), []).append(place.note)
    return [
        clue_of(
            SourceLocation(*span, " ".join(filter(None, [reason, "; ".join(dict.fromkeys(said))])))
        )
        for span, said in notes.items()
    ]


def _line(place: dict[str, Any], rationale: str) -> Clue:
    return Clue(
        rationale=rationale, path=place["path"], line_start=place["line"], line_end=place["line"]
    )


def _unknown(name: str, survey: Survey) -> Finding:
    return could_not_look(survey.reasons.get(name, f"The survey left {name} open."))


def _nothing(reason: str, name: str, survey: Survey, *, met: bool = False) -> Finding:
    return absent(reason, _searched(name.replace("_", " "), survey), met=met)


def _searched(words: str, survey: Survey) -> str:
    count = survey.facts.get("python_file_count")
    files = f"{count} Python files" if count is not None else "Python files"
    return f"Looked for {words} in the {files} of the repository: nothing was found."


FACT_CHECKS: Mapping[type[CheckBase], Callable[[Any, Survey], Finding]] = {
    ReducerCheck: reducers,
    GraphTopology: topology,
    SandboxedClone: clone,
    UnsafeCallCheck: unsafe_calls,
    StructuredOutput: structured_output,
    PersonaOverlap: personas,
    SynthesisRules: synthesis_rules,
}
