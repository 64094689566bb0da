"""The kind `graph_run`: what LangGraph does with the graph, run with empty nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from courtroom.checks.from_facts import from_facts, from_stored_facts, line_clue, nothing, unknown
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import clauses, listed, more_of_this_kind
from courtroom.checks.result import Clue, Finding, could_not_look, present
from courtroom.checks.subjects import Subjects
from courtroom.models.check import CheckBase
from courtroom.models.graph_run import (
    EndlessLoop,
    GraphRunFact,
    InnerRuns,
    KeyFault,
    RepeatedNode,
    StubRuns,
)

if TYPE_CHECKING:
    from courtroom.analysis.survey import Survey
    from courtroom.models.fact_model import Place

Fault = Literal["refused", "repeated", "idle", "endless", "conflicts", "doubled"]
# A fault in a sentence, with the lines that show it.
Statement = tuple[str, tuple["Place", ...]]
# Sentences of one reason; the others are counted.
MOST_SENTENCES = 3
# The key that LangGraph gives a state which is a plain dict.
ROOT = "__root__"
TIMES = {2: "twice", 3: "three times"}
FAULTS: dict[str, str] = {
    "refused": "LangGraph refuses to compile the graph",
    "repeated": "A node runs twice, as branches have different lengths",
    "idle": "A node never runs",
    "endless": "A loop never ends",
    "conflicts": "Nodes of one step write a key without a reducer",
    "doubled": "A list is added to itself",
}
# The words where a fault is not there.
SOUND: dict[str, str] = {
    "refused": "it compiles",
    "repeated": "no node runs twice because branches differ in length",
    "idle": "a route leads to every node",
    "endless": "a way leads out of every loop",
    "conflicts": "no two nodes of one step write a key that takes one write",
    "doubled": "no list of the state was recognised that is added to itself",
}


class GraphRun(CheckBase):
    """LangGraph runs the graph, with empty nodes and along its routes, without any of `faults`."""

    kind: Literal["graph_run"] = "graph_run"
    faults: tuple[Fault, ...] = Field(min_length=1)


def graph_run(check: GraphRun, survey: Survey) -> Finding:
    """The run of the graph and of those inside its nodes, in the faults that the check names."""
    document = survey.facts.get("graph_run")
    if document is None:
        rows = survey.facts.get("doubled_alone") or () if "doubled" in check.faults else ()
        faults = [KeyFault.model_validate(row) for row in rows]
        alone: list[Statement] = [(_doubled_sentence(row), row.places) for row in faults]
        return _faulty(alone, f"{FAULTS['doubled']}.", survey) if alone else _not_run(survey)
    fact = GraphRunFact.model_validate(document)

    statements = [
        (fault, statement)
        for runs in (fact, *fact.inner)
        for fault in check.faults
        for statement in _statements(runs, fault)
    ]
    if statements:
        first = FAULTS[statements[0][0]]
        return _faulty([statement for _, statement in statements], f"{first}.", survey)
    gaps = [
        runs.unknown[fault]
        for runs in (fact, *fact.inner)
        for fault in check.faults
        if fault in runs.unknown
    ]
    return could_not_look(f"{gaps[0]}.") if gaps else _sound(check, fact, survey)


def _not_run(survey: Survey) -> Finding:
    """Without a graph there is nothing to run, where the survey has looked everywhere."""
    if survey.facts.get("graph") is None and survey.facts.get("detectives_parallel") is False:
        return nothing(
            survey.reasons.get("graph", "No StateGraph is built."), "a StateGraph", survey
        )
    return unknown("graph_run", survey)


def _faulty(statements: list[Statement], fault: str, survey: Survey) -> Finding:
    sentences = [sentence for sentence, _ in statements[:MOST_SENTENCES]]
    left = len(statements) - len(sentences)
    reason = " ".join(sentences) + more_of_this_kind(left)
    clues = [
        line_clue(place.model_dump(), sentence)
        for sentence, places in statements
        for place in places[:2]
    ]
    return present(reason, clues or [_graph_clue(survey, reason)], met=False, fault=fault)


def _sound(check: GraphRun, fact: GraphRunFact, survey: Survey) -> Finding:
    count = fact.combinations
    routes = (
        f"{count} combinations of its routes" if count > 1 else "the only route that a run takes"
    )
    run = f"By LangGraph's rules the graph ran with empty nodes along {routes}"
    words = clauses(SOUND[fault] for fault in check.faults)
    rows = [row for runs in (fact, *fact.inner) for row in runs.steps.items()]
    missed = tuple(name for name, steps in rows if not steps)
    beside = ""
    if missed and "idle" in check.faults:
        way = "way" if len(missed) == 1 else "ways"
        beside = f" No run takes the {way} to {_names(missed)}."
    clue = _graph_clue(survey, f"{run}: {words}.{beside}")
    return Finding(True, f"{run}.{beside}", (clue,), has_reservation=bool(beside))


def _graph_clue(survey: Survey, reason: str) -> Clue:
    graph = survey.facts["graph"]
    return line_clue({"path": graph["path"], "line": graph["state_graph_line"]}, reason)


def _statements(runs: StubRuns, fault: Fault) -> Iterator[Statement]:
    inside = f"Inside {_names(runs.at)}: " if isinstance(runs, InnerRuns) else ""
    for sentence, places in _SENTENCES[fault](runs):
        yield inside + sentence, places


def _refused(runs: StubRuns) -> Iterator[Statement]:
    for reason in runs.refused:
        yield f"LangGraph refuses to compile the graph: {reason}.", ()


def _repeated(runs: StubRuns) -> Iterator[Statement]:
    for repeat in runs.repeated or ():
        yield _repeat_sentence(repeat), repeat.places


def _repeat_sentence(repeat: RepeatedNode) -> str:
    choices = " and ".join(
        f"`{choice.from_}` leads to {_names(choice.to)}" for choice in repeat.choices
    )
    times = TIMES.get(len(repeat.steps), f"{len(repeat.steps)} times")
    where = f"Where {choices}, " if choices else ""
    after = _followers_sentences(repeat)
    after += "".join(
        f" What {_names(row.nodes)} {'returns' if len(row.nodes) == 1 else 'return'} under"
        f" `{row.key}` is{' then' if {*row.nodes} <= {*repeat.routed} else ''} there {times}."
        for row in repeat.added
    )
    after += "".join(
        f" {_names(row.nodes)} {'looks' if len(row.nodes) == 1 else 'look'} at `{row.key}` before"
        f" {'it adds' if len(row.nodes) == 1 else 'they add'} to it, and may add nothing again."
        for row in repeat.guarded
    )
    return (
        f"{where}`{repeat.node}` runs {times}, in steps {listed(map(str, repeat.steps))}: the"
        f" branches from {_name(repeat.fork)} take {listed(map(str, repeat.lengths))} steps, and"
        f" no join waits.{after}"
    )


def _followers_sentences(repeat: RepeatedNode) -> str:
    certain = tuple(name for name in repeat.followers if name not in repeat.routed)
    sentence = f" {_names(certain)} {_run(certain)} again after it." if certain else ""
    if not repeat.routed:
        return sentence
    routers = "router" if len(repeat.routers) == 1 else "routers"
    return (
        f"{sentence} {_names(repeat.routed)} {_run(repeat.routed)} again where the {routers} after"
        f" {_names(repeat.routers)} {'decides' if routers == 'router' else 'decide'} the same each"
        " time."
    )


def _run(names: tuple[str, ...]) -> str:
    return "runs" if len(names) == 1 else "run"


def _idle(runs: StubRuns) -> Iterator[Statement]:
    for idle in runs.idle or ():
        yield (
            f"`{idle.node}` never runs: no route leads to it.",
            (idle.place,) if idle.place else (),
        )


def _endless(runs: StubRuns) -> Iterator[Statement]:
    for loop in runs.endless or ():
        why = (
            "no route that is taken ends the loop" if not loop.routers else _decides_the_same(loop)
        )
        yield (
            f"{_names(loop.nodes)} {_run(loop.nodes)} until the recursion limit: {why}.",
            loop.places,
        )


def _decides_the_same(loop: EndlessLoop) -> str:
    is_one = len(loop.routers) == 1
    routers = f"the router{'' if is_one else 's'} after {_names(loop.routers)}"
    return (
        f"{routers} {'decides' if is_one else 'decide'} the same in each round, as no node of the"
        f" loop changes {_names(loop.keys)}"
    )


def _conflicts(runs: StubRuns) -> Iterator[Statement]:
    faults = runs.conflicts or ()
    for nodes in dict.fromkeys(fault.nodes for fault in faults):
        rows = [fault for fault in faults if fault.nodes == nodes]
        keys = tuple(fault.key for fault in rows)
        have = "it has" if len(keys) == 1 else "they have"
        subject = (
            "update the state in the same step, and it is a plain dict, which takes one update"
            if ROOT in keys
            else f"write {_names(keys)} in the same step, and {have} no reducer"
        )
        places = tuple(dict.fromkeys(place for fault in rows for place in fault.places))
        yield f"{_names(nodes)} {subject}: LangGraph stops with InvalidUpdateError.", places


def _doubled(runs: StubRuns) -> Iterator[Statement]:
    for fault in runs.doubled or ():
        yield _doubled_sentence(fault), fault.places


def _doubled_sentence(fault: KeyFault) -> str:
    is_one = len(fault.nodes) == 1
    if fault.is_rebuilt:
        return (
            f"{_names(fault.nodes)} {'makes' if is_one else 'make'} the entries of `{fault.key}`"
            f" anew and {'returns' if is_one else 'return'} them, and its reducer adds them to"
            " those that are there: all entries are doubled."
        )
    verb = "returns" if is_one else "return"
    if fault.is_alone:
        return (
            f"Whenever {_names(fault.nodes)} {_run(fault.nodes)}, {'it' if is_one else 'they'}"
            f" {verb} what `{fault.key}` held before, and its reducer adds it once more: the"
            " entries that are there are doubled."
        )
    also = (
        f" What {_names(fault.also)} {'holds' if len(fault.also) == 1 else 'hold'} by then, as of a"
        " checkpoint of an earlier run, is returned and doubled too."
        if fault.also
        else ""
    )
    return (
        f"{_names(fault.nodes)} {verb} what `{fault.key}` held before, and its reducer adds it"
        f" once more: all entries are doubled.{also}"
    )


_SENTENCES: dict[Fault, Callable[[StubRuns], Iterator[Statement]]] = {
    "refused": _refused,
    "repeated": _repeated,
    "idle": _idle,
    "endless": _endless,
    "conflicts": _conflicts,
    "doubled": _doubled,
}


def _names(names: tuple[str, ...]) -> str:
    return listed(map(_name, names))


def _name(name: str) -> str:
    return name if name in {"START", "END"} else f"`{name}`"


def _fault(_: GraphRun) -> str:
    return "LangGraph does not run the graph as it should."


def _subjects(_: GraphRun) -> Subjects:
    return Subjects(("graph",))


KIND = CheckKind(
    model=GraphRun,
    detective="RepoInvestigator",
    detect=from_facts(graph_run),
    replay=from_stored_facts(graph_run),
    fault=_fault,
    subjects=_subjects,
    label=Label(
        title="Run of the graph",
        about="What LangGraph does with the graph, run with empty nodes along all its routes.",
        fields={"faults": "None of these faults"},
        choices=FAULTS,
    ),
    concern="risk",
    order=85,
)
