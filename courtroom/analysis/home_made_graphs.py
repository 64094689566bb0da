"""Facts on a graph that a StateGraph of the repository's own builds and runs."""

from __future__ import annotations

from courtroom.analysis.fact_writer import FactWriter
from courtroom.analysis.langgraph import parallelism
from courtroom.analysis.langgraph.graph_values import GraphBuilder
from courtroom.analysis.langgraph.topology import GraphReading
from courtroom.analysis.python.tree_walk import last_name, walk

PARALLEL = ("detectives_parallel", "judges_parallel")
# What runs functions side by side.
CONCURRENT = frozenset(
    {"ThreadPoolExecutor", "ProcessPoolExecutor", "Thread", "gather", "create_task", "TaskGroup"}
)


def record_home_made(writer: FactWriter, graph: GraphReading, builder: GraphBuilder) -> None:
    """Record the shape of a graph that a class of the repository's own builds and runs.

    Where neither that class nor another one of its file does anything side by side, nothing is
    parallel, however it is wired.
    """
    flags = parallelism.flags_of(builder, graph.routes)
    classes = builder.home_made.source.classes if builder.home_made is not None else ()
    is_concurrent = any(
        last_name(node) in CONCURRENT for own_class in classes for node in walk(own_class)
    )
    alone = {} if is_concurrent else dict.fromkeys(PARALLEL, False)
    writer.facts.update(flags.values | alone)
    writer.reasons.update({k: v for k, v in flags.reasons.items() if k not in alone})
    for flag, deciding in flags.departures.items():
        for departure in deciding if flag not in alone else ():
            writer.add_location(flag, departure.path, departure.line, note=departure.words)
