"""Which code a run reaches: the function that clones, and what stands in for a graph."""

from __future__ import annotations

import re
from collections.abc import Iterator

from courtroom.analysis.fact_writer import FactWriter
from courtroom.analysis.langgraph.judging.search_gaps import reading_gap
from courtroom.analysis.langgraph.state_flow.deleted_clone import deleted_clones
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowReading
from courtroom.analysis.langgraph.state_flow.shallow_history import shallow_histories
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.mentions import is_mentioned

# Files beside the Python code that may run it.
_RUNNING = re.compile(
    r"\.(?:ipynb|sh|ps1|bat|ya?ml|toml)$|(?:^|/)(?:makefile|justfile|dockerfile|procfile)[^/]*$",
    re.IGNORECASE,
)
# Files that tell how it is run.
_TELLING = re.compile(r"(?:^|/)readme[^/]*$", re.IGNORECASE)
PARALLEL_FLAGS = (
    "detectives_parallel",
    "judges_parallel",
    "fan_in_before_judges",
    "fan_in_before_justice",
    "conditional_error_route",
)


def drop_runner(writer: FactWriter) -> None:
    """Record that no graph runs where functions run side by side in a work without a court.

    What only runs detectives in threads stands in for no graph of detectives, judges and verdict.
    """
    layers, runner = writer.layers, writer.facts.get("own_runner")
    is_of_library = runner is not None and "." in runner["name"]
    has_court = layers.judges or layers.justice or reading_gap(writer.symbols.codebase)
    if is_of_library and not has_court:
        writer.facts |= {"own_runner": None, **dict.fromkeys(PARALLEL_FLAGS, False)}
        writer.reasons = {k: v for k, v in writer.reasons.items() if k not in PARALLEL_FLAGS}


def is_uncalled(writer: FactWriter, function: FunctionRef) -> bool:
    """Return whether neither the graph's nodes nor code beside them lead to the function.

    Without a graph only a name that stands nowhere in the code tells it.
    """
    is_in_use = any(other.key == function.key for other in writer.layers.in_use)
    if is_in_use or writer.call_graph.is_started(function.name):
        return False
    if writer.graph.builder is not None:
        return not writer.layers.unfollowed
    is_registered = function.name.startswith("__") or function.site.node.decorator_list
    is_open = is_registered or writer.facts["detectives_parallel"] is None
    return not (
        is_open
        or is_mentioned(writer.symbols, function.source, function.name)
        or named_outside(writer, function.name)
    )


def losses_if_called(writer: FactWriter, function: FunctionRef) -> Iterator[str]:
    """Yield what a run would lose of a clone that no run makes so far, once one makes it."""
    if not is_uncalled(writer, function):
        return
    reading = FlowReading()
    deleted_clones(writer.symbols, [function], reading)
    functions = (
        FunctionRef(source, site)
        for source in writer.symbols.codebase.production
        for site in source.functions
    )
    others = [other for other in functions if other.key != function.key]
    reading.add(shallow_histories([function, *others]))
    for fault in reading.faults:
        if fault.path == function.source.path:
            yield f"{fault.sentence} ({fault.path}:{fault.line})"


def named_outside(writer: FactWriter, name: str) -> str:
    """Return a notebook, script or manifest that has the name as a word, "" where none has."""
    return _outside(writer, _RUNNING, rf"\b{re.escape(name)}\b")


def imported_outside(writer: FactWriter, module: str) -> str:
    """Return a file beside the Python code that imports the module or names its file; else ""."""
    stem = re.escape(module.rpartition(".")[2])
    imports = rf"\b(?:from|import|-m)\s{{1,4}}[\w.]{{0,80}}\b{stem}\b"
    running = _outside(writer, _RUNNING, rf"{imports}|\b{stem}\.py\b")
    return running or _outside(writer, _TELLING, imports)


def _outside(writer: FactWriter, files: re.Pattern[str], wanted: str) -> str:
    paths = [
        path
        for path, blob in writer.reader.blobs.items()
        if blob.is_file and files.search(path) and path not in writer.symbols.codebase.files
    ]
    words = re.compile(wanted)
    texts = writer.reader.read_all(paths).items()
    return next((p for p, raw in texts if words.search(raw.decode("utf-8", "replace"))), "")
