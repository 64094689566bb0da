"""Hold the reader of graphs against LangGraph itself, construct by construct.

    python -m benchmarks.graph_constructs [--verbose] [WORD ...]

The corpus is tests/courtroom/analysis/langgraph/constructs: small programs of our own, each with
one way of building a graph. LangGraph builds them in a child; the reader reads them without running
them. A reading is exact, honest (it says that something is open, and states nothing wrong) or
false. Exit code 1 when one is false.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from courtroom.analysis.code_facts import read_facts
from courtroom.analysis.git.blobs import Blob, BlobReader
from courtroom.analysis.reach_facts import PARALLEL_FLAGS

ROOT = Path(__file__).parents[1]
CORPUS = ROOT / "tests/courtroom/analysis/langgraph/constructs"
NOTE = "CONSTRUCT.txt"
Outcome = Literal["exact", "honest", "false"]
# (place of the graph, kind, names): what makes two graphs equal.
Parts = set[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Construct:
    """One program of the corpus.

    `run`: the file that builds the graph `app`, "" where no file can be run. `expect`: words that
    the reason must hold where there is no graph to be found.
    """

    name: str
    root: Path
    files: Mapping[str, bytes]
    run: str
    path: list[str] = field(default_factory=list)
    inputs: list[Any] = field(default_factory=list)
    environments: list[dict[str, str]] = field(default_factory=lambda: [{}])
    expect: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    construct: Construct
    outcome: Outcome
    difference: str = ""


def constructs(words: Sequence[str] = ()) -> list[Construct]:
    """Return the constructs whose names hold one of `words`, or all."""
    entries = sorted(entry for group in CORPUS.iterdir() for entry in group.iterdir())
    corpus = [_construct(entry) for entry in entries if entry.name != "__pycache__"]
    return [c for c in corpus if not words or any(word in c.name for word in words)]


def _construct(entry: Path) -> Construct:
    name = str(entry.relative_to(CORPUS))
    if entry.is_file():
        text = entry.read_text()
        files = {f"src/{entry.name}": entry.read_bytes()}
        return Construct(name, entry.parent, files, entry.name, **_directives(text, "# "))

    files = {
        str(path.relative_to(entry)): path.read_bytes()
        for path in sorted(entry.rglob("*"))
        if path.is_file() and path.name != NOTE and "__pycache__" not in path.parts
    }
    directives = _directives((entry / NOTE).read_text(), "")
    run = str(directives.pop("run"))
    return Construct(name, entry, files, "" if run == "none" else run, **directives)


def _directives(text: str, prefix: str) -> dict[str, Any]:
    directives: dict[str, Any] = {}
    for line in text.splitlines():
        key, _, value = line.removeprefix(prefix).partition(": ")
        if not line.startswith(prefix):
            continue
        if key in {"inputs", "environments"}:
            directives[key] = json.loads(value)
        elif key in {"run", "expect"}:
            directives[key] = value
        elif key == "path":
            directives[key] = value.split()
    return directives


def langgraph_answers(chosen: Iterable[Construct]) -> list[list[dict[str, Any]]]:
    """Return for each construct what LangGraph builds, one answer per environment."""
    lines = [
        json.dumps(
            {
                "root": str(construct.root),
                "run": construct.run,
                "path": construct.path,
                "inputs": construct.inputs,
                "environments": construct.environments if construct.run else [],
            }
        )
        for construct in chosen
    ]
    child = subprocess.run(
        [sys.executable, "-m", "benchmarks.compiled_graphs"],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return [json.loads(line) for line in child.stdout.splitlines()]


class _FilesInMemory(BlobReader):
    """Reader of files that are in no repository."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        blobs = {path: Blob(path, "", len(raw), "100644") for path, raw in files.items()}
        super().__init__(Path(), blobs, file_bytes=2**20, total_bytes=2**24)
        self._read = dict(files)


def read(files: Mapping[str, bytes]) -> dict[str, Any]:
    """Return what an audit states about a program: {graph, is_open, reason}."""
    writer = read_facts(_FilesInMemory(files))
    return {
        "graph": writer.facts.get("graph"),
        "is_open": all(writer.facts.get(flag) is None for flag in PARALLEL_FLAGS),
        "reason": writer.reasons.get("graph", ""),
    }


def compare(construct: Construct, answers: list[dict[str, Any]]) -> Comparison:
    reading = read(construct.files)
    graph = reading["graph"]
    if construct.expect:
        return _compare_without_graph(construct, reading)
    if graph is None:
        outcome: Outcome = "honest" if reading["is_open"] else "false"
        return Comparison(construct, outcome, reading["reason"])

    open_words = _open_words(graph)
    if all("refused" in answer for answer in answers):
        is_refusal_told = any("LangGraph refuses" in words for words in open_words)
        outcome = "exact" if is_refusal_told else "false"
        return Comparison(construct, outcome, "; ".join(open_words) or answers[0]["refused"])
    return _compare_graphs(construct, graph, answers, open_words)


def _compare_without_graph(construct: Construct, reading: dict[str, Any]) -> Comparison:
    if reading["graph"] is not None:
        return Comparison(construct, "false", "a graph is read where there is none")
    is_told = construct.expect in reading["reason"]
    return Comparison(construct, "exact" if is_told else "false", reading["reason"])


def _compare_graphs(
    construct: Construct,
    graph: dict[str, Any],
    answers: list[dict[str, Any]],
    open_words: list[str],
) -> Comparison:
    built = [_built_parts(answer) for answer in answers]
    # LangGraph sees no graph that a node's function calls.
    places = {part[0] for parts in built for part in parts}
    stated = {part for part in _parts(graph) if part[0] in places}
    if all(parts == stated for parts in built) and not open_words:
        return Comparison(construct, "exact")

    everywhere, anywhere = built[0].intersection(*built), built[0].union(*built)
    missing, extra = everywhere - stated, stated - anywhere
    is_honest = bool(open_words) and not extra
    difference = _difference(missing, extra, open_words)
    return Comparison(construct, "honest" if is_honest else "false", difference)


def _difference(missing: set[Any], extra: set[Any], open_words: list[str]) -> str:
    parts = [f"missing {sorted(missing)}" if missing else "", f"extra {sorted(extra)}"]
    return "; ".join([*(part for part in parts if part and part != "extra []"), *open_words])


def _open_words(graph: dict[str, Any]) -> list[str]:
    inner = [words for subgraph in graph["subgraphs"] for words in subgraph["unresolved"]]
    return [*graph["unresolved"], *inner]


def _parts(graph: dict[str, Any]) -> Parts:
    parts: Parts = _wired(graph, ())
    for subgraph in graph["subgraphs"]:
        parts |= _wired(subgraph, tuple(subgraph["at"]))
    return parts


def _wired(graph: dict[str, Any], at: tuple[str, ...]) -> Parts:
    parts: Parts = {(at, "node", name) for name in graph["nodes"]}
    parts |= {(at, "edge", start, end) for start, end in graph["edges"]}
    parts |= {
        (at, "route", route["from"], target)
        for route in graph["conditional"]
        for target in route["to"]
    }
    return parts


def _built_parts(answer: dict[str, Any], at: tuple[str, ...] = ()) -> Parts:
    if "nodes" not in answer:
        return {(at, "other", str(answer))}
    parts: Parts = {(at, "node", name) for name in answer["nodes"]}
    parts |= {(at, "edge", start, end) for start, end in answer["edges"]}
    parts |= {
        (at, "route", start, target)
        for start, targets in answer["conditional"].items()
        for target in targets
    }
    for name, inner in answer["inside"].items():
        parts |= _built_parts(inner, (*at, name))
    return parts


def comparisons(words: Sequence[str] = ()) -> list[Comparison]:
    chosen = constructs(words)
    answers = langgraph_answers(chosen)
    return [compare(c, answer) for c, answer in zip(chosen, answers, strict=True)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--verbose", action="store_true", help="differences of honest ones as well")
    arguments = parser.parse_args()

    results = comparisons(arguments.words)
    totals: Counter[str] = Counter()
    groups: dict[str, Counter[str]] = {}
    for result in results:
        totals[result.outcome] += 1
        group = result.construct.name.partition("/")[0]
        groups.setdefault(group, Counter())[result.outcome] += 1
        if arguments.words or result.outcome != "exact" or arguments.verbose:
            print(f"{result.outcome:7} {result.construct.name}: {result.difference}"[:400])
    print()
    for group, counts in groups.items():
        print(f"{group:12} {_counts(counts)}")
    print(f"{'all':12} {_counts(totals)} of {len(results)}")
    return 1 if totals["false"] else 0


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {counts[name]}" for name in ("exact", "honest", "false"))


if __name__ == "__main__":
    sys.exit(main())
