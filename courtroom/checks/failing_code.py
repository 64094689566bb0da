"""The kind `failing_code`: does a line fail whenever it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from courtroom.checks.from_facts import (
    by_run,
    from_facts,
    from_stored_facts,
    line_clue,
    unknown,
    with_place,
)
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import in_full, listed, number_of, place_of, places_of
from courtroom.checks.result import SEARCHED, Finding, absent, could_not_look, present
from courtroom.checks.subjects import Subjects, lacks_graph, unlocked_imports
from courtroom.models.check import CheckBase

if TYPE_CHECKING:
    from courtroom.analysis.survey import Survey

PARTS = {
    "graph": "detectives and of the rest of the graph",
    "judges": "judges",
    "justice": "Chief Justice",
}
RUNS = {
    "graph": "A node outside the judges and the Chief Justice",
    "judges": "A judge",
    "justice": "The Chief Justice",
}
# As the evidence lists them.
KINDS = "thirteen"
# Only these are looked at: routers and constructors may run as well, also when a file is imported.
REACHED = {
    "graph": "that a run of the program reaches outside the judges and the Chief Justice",
    "judges": "that a run of the judges' part reaches",
    "justice": "that a run of the Chief Justice's part reaches",
}


RUNNING = {"judges": Subjects(("judges_run",)), "justice": Subjects(("justice_run",))}


class FailingCode(CheckBase):
    """Met where no line of the part is sure to fail; with `every_run` only what ends every run."""

    kind: Literal["failing_code"] = "failing_code"
    part: Literal["graph", "judges", "justice"]
    every_run: bool = False


def failing_code(check: FailingCode, survey: Survey) -> Finding:
    """The lines that fail; where no run reaches the part, that it does not run."""
    finding = _failing(check, survey)
    return finding if check.part == "graph" else by_run(check.part, finding, survey)


def _failing(check: FailingCode, survey: Survey) -> Finding:
    """Names that nothing defines or sets in time, texts and models that cannot be made, methods,
    items and fields that an object lacks, runs with what a reducer cannot add, files that are closed already, files that the repository lacks.
    """
    fact = survey.facts.get("failing_code")
    if fact is None:
        return unknown("failing_code", survey)
    count, part = fact["functions"].get(check.part, 0), PARTS[check.part]
    if not count:
        return could_not_look(f"No function of the {part} was found.")

    reached = REACHED[check.part]
    if lacks_graph(survey.facts):
        reached = reached.replace("that a run of the program reaches", "of the code")
    of_part = [line for line in fact["lines"] if line["part"] == check.part]
    lines = most_reached(of_part, survey.facts)
    unlocked = "" if check.every_run else unlocked_imports(survey.facts, check.part)
    unlocked = f"{_unreached(of_part)}{unlocked}"
    if check.every_run and lines:
        return _every_run(check, lines)
    if not lines:
        functions = "only function" if count == 1 else number_of(count, "function")
        looked = f"Looked in the {functions} {reached}"
        searched = (
            f"{looked} for names that nothing defines or that a comprehension sets too late, for"
            " texts that cannot be formatted, for models that are built without a field that they"
            " require, with a value of another type or with an empty list that they refuse, for"
            " methods, items and fields that an object lacks whose class the function itself or an"
            " annotation names, for tools that are called as functions although a file fixes"
            " langchain-core at version 1 or later, for runs of the graph with what its reducer cannot add, for files and databases that are used after"
            " they are closed, and for relative paths that the file which opens them spells out and"
            " that the repository lacks: none was recognised."
        )
        reason = f"{looked} for {KINDS} kinds of such lines.{unlocked}"
        finding = absent(reason, searched, met=True, caption=f"{SEARCHED}{unlocked}")
        return replace(finding, has_reservation=bool(unlocked))
    return _shown(lines, end=unlocked)


def _every_run(check: FailingCode, lines: Sequence[Mapping[str, Any]]) -> Finding:
    """The lines that a run of a node cannot pass; others stand where a run need not come."""
    if any(line["nodes"] is None for line in lines):
        return could_not_look("An earlier version did not look for the runs that reach a line.")
    failing = {node for line in lines for node in line["nodes"]}
    passed_over = [line for line in lines if not failing.issuperset(line.get("instead") or failing)]
    certain = [line for line in lines if line["nodes"] and line not in passed_over]
    if passed_over and not certain:
        return _of_some_runs(passed_over)
    if not certain:
        which = "line that fails" if len(lines) == 1 else "lines that fail"
        reason = f"No node is sure to reach the {which} at {places_of(lines)}."
        return absent(reason, reason, met=True)
    nodes = listed(
        f"`{node}`" for node in dict.fromkeys(n for line in certain for n in line["nodes"])
    )
    if any(not line.get("returns_before") for line in certain):
        return _shown(certain, f"No run of {nodes} gets to its end: ")
    # Each failing line may be passed over by a return above it.
    returns = {
        (row["path"], row["line"]): row for line in certain for row in line["returns_before"]
    }
    places = f"{'a' if len(returns) > 1 else 'the'} return at {places_of(returns.values())}"
    finding = _shown(
        certain, f"No run of {nodes} that does not end before, by {places}, gets to its end: "
    )
    return replace(finding, fault=f"{_fault(check).removesuffix('.')} that does not return early.")


def _of_some_runs(lines: Sequence[Mapping[str, Any]]) -> Finding:
    """The lines that end each run of nodes in whose place a route may choose other judges."""
    nodes, judges = (
        listed(f"`{name}`" for name in dict.fromkeys(n for line in lines for n in line[key]))
        for key in ("nodes", "instead")
    )
    reason = (
        f"No run of {nodes} gets to its end, for the failing code at {places_of(lines)}; the graph"
        f" has a route that may choose {judges} instead."
    )
    return replace(absent(reason, reason, met=True), has_reservation=True)


def _shown(lines: Sequence[Mapping[str, Any]], begin: str = "", end: str = "") -> Finding:
    clues = [line_clue(line, f"{line['function']} {line['why']}.{_reach(line)}") for line in lines]
    reasons = [
        with_place(f"{line['function']} {line['why']}.", line["path"], line["line"]) + _reach(line)
        for line in lines
    ]
    return present(f"{begin}{in_full(reasons)}{end}", clues, met=False)


def most_reached(
    lines: Sequence[Mapping[str, Any]], facts: Mapping[str, Any]
) -> list[Mapping[str, Any]]:
    """Return the lines to which a run may come, first those that most runs reach and nothing catches,
    last those of nodes to which no route leads.
    """
    idle = {row["node"] for row in (facts.get("graph_run") or {}).get("idle") or ()}

    def order(line: Mapping[str, Any]) -> tuple[bool, bool, bool]:
        nodes = {*(line.get("nodes") or ())}
        return bool(nodes) and nodes <= idle, not nodes, bool(_reach(line))

    return sorted((line for line in lines if not line.get("closed_by")), key=order)


def _unreached(lines: Sequence[Mapping[str, Any]]) -> str:
    """Sentence, with a space before it, on lines to which no run comes; "" without any."""
    rows = [line for line in lines if line.get("closed_by")]
    if not rows:
        return ""
    which = "the line" if len(rows) == 1 else "the lines"
    texts = [
        f"{row['function']} {row['why']} ({place_of(row['path'], row['line'])}): {row['closed_by']}"
        for row in rows
    ]
    return f" Not counted, as no run reaches {which}: {'; '.join(texts)}."


def _reach(line: Mapping[str, Any]) -> str:
    """Sentences on the handler that ends the error, and on what comes before the line runs."""
    words = ""
    if key := line.get("where_empty"):
        words += f" It runs only where `{key}` is empty."
    if try_line := line.get("after_failure"):
        words += f" It runs only where the `try` in line {try_line} fails or is passed over."
    if handler_line := line.get("caught_at"):
        words += (
            f" The handler in line {handler_line} catches it, and the run goes on without what this"
            " line was to do."
        )
    return words


def _fault(check: FailingCode) -> str:
    if check.part == "graph" and not check.every_run:
        return "A line outside the judges and the Chief Justice fails whenever it runs."
    if check.every_run:
        return f"{RUNS[check.part]} fails on every run."
    return f"A line of the {PARTS[check.part]} fails whenever it runs."


def _subjects(check: FailingCode) -> Subjects:
    return RUNNING.get(check.part, Subjects())


KIND = CheckKind(
    model=FailingCode,
    detective="RepoInvestigator",
    detect=from_facts(failing_code),
    replay=from_stored_facts(failing_code),
    fault=_fault,
    subjects=_subjects,
    label=Label(
        title="Lines that fail",
        about="Whether a line evaluates a name that nothing defines or that is set too late, a text that"
        " cannot be formatted, a model without a field that it requires, with a value of another"
        " type or with an empty list that it refuses, a method, an item or a field that an object"
        " lacks, a tool that is called as a function, a run of the graph with what its reducer cannot"
        " add, a file that is closed already, or a file that the repository lacks.",
    ),
    concern="function",
    order=85,
)
