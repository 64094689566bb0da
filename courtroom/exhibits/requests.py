"""Requests of a criterion: the places that matter for its kinds of checks, in their order.

The subject is told by the kinds of the checks, never by the criterion's id or name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from courtroom.analysis.langgraph.node_roles import JUDGE_WORDS, JUSTICE_WORDS
from courtroom.analysis.project.globs import matches
from courtroom.analysis.project.project_files import CI, README, TESTS
from courtroom.analysis.python.tree_walk import words_of
from courtroom.exhibits.material import Material
from courtroom.exhibits.room import Request
from courtroom.exhibits.sheets import COMMITS, TREE, page_name
from courtroom.exhibits.units import Unit, unique
from courtroom.models.rubric import Criterion

# Lines of a file that is shown by its beginning.
HEAD_LINES = 60
# Characters that one unit may take at once, where others matter as much.
SMALL, MEDIUM, LARGE = 900, 2500, 7000
WHOLE = 10**9

_RETURNS = re.compile(r"\breturn\b|\bstate\[[^\]]+\]\s*=|\.update\(|\.append\(|\.extend\(")
_INVOKES = re.compile(r"\.(?:a?invoke|a?stream)\(")
_ROUTES = re.compile(r"add_conditional_edges|\bSend\(|\bCommand\(")
_ERRORS = re.compile(r"error|except|raise|fail", re.IGNORECASE)

Subject = Callable[[Material], Iterator[Request]]


def requests_for(criterion: Criterion, material: Material) -> Iterator[Request]:
    """Yield first what the checks rest on, then the subjects, then callers and callees."""
    yield from rests_on(criterion, material)
    kinds = dict.fromkeys(check.kind for check in criterion.checks)
    subjects = list(dict.fromkeys(s for kind in kinds for s in SUBJECTS.get(kind, ())))
    for subject in subjects or [_project]:
        yield from subject(material)
    yield from _neighbours(criterion, material)


def rests_on(criterion: Criterion, material: Material) -> Iterator[Request]:
    """Yield the whole unit of every location of the checks' evidence, check by check."""
    for check in criterion.checks:
        title = f"rests on: {check.id}"
        for item in material.evidence.get(check.id, ()):
            place = item.location
            if place.page:
                yield _all(page_name(place.page), title)
            elif place.path and place.line_start:
                request = material.around(place.path, place.line_start, title, LARGE)
                if request is not None:
                    yield request
            elif place.path:
                yield Request(place.path, 1, HEAD_LINES, title)


def _neighbours(criterion: Criterion, material: Material) -> Iterator[Request]:
    places = [
        (item.location.path, item.location.line_start)
        for check in criterion.checks
        for item in material.evidence.get(check.id, ())
    ]
    at_places = (material.unit_at(path, line) for path, line in places if path and line)
    units = unique(unit for unit in at_places if unit is not None)
    for unit, is_callee in material.neighbours(units):
        title = "is called by what is shown" if is_callee else "calls what is shown"
        yield material.whole(unit, title, most=MEDIUM)


def _all(sheet: str, title: str) -> Request:
    return Request(sheet, 1, WHOLE, title)


def _wholes(
    material: Material, units: Iterable[Unit], title: str, most: int | None = None
) -> Iterator[Request]:
    return (material.whole(unit, title, most=most) for unit in units)


def _commits(material: Material) -> Iterator[Request]:  # noqa: ARG001 -- the form of a subject
    yield _all(COMMITS, "all commits")


def _graph(material: Material) -> Iterator[Request]:
    graph = material.facts.graph
    if graph is None:
        yield from _wholes(
            material,
            material.functions_named(frozenset({"graph", "workflow"})),
            "named after a graph",
            MEDIUM,
        )
        return
    if not material.builder:
        yield _all(graph.path, "builds the graph")
    yield from _wholes(material, material.builder, "builds the graph")
    yield from _wholes(material, _routers(material), "routes")
    yield Request(graph.path, 1, _first_line(material, graph.path), "imports of the graph's module")
    own = [unit for unit in material.nodes if unit.path == graph.path]
    yield from _wholes(material, own, "a node of the graph", MEDIUM)
    yield from material.matching(material.nodes, _ERRORS, "a node of the graph", MEDIUM)
    yield from material.matching(material.functions, _INVOKES, "runs the graph", MEDIUM)


def _routers(material: Material) -> list[Unit]:
    lines = [(b.path, n) for b in material.builder for n in material.lines_matching(b, _ROUTES)]
    names = (
        (path, name)
        for path, line in lines
        for name in material.outline.names_in(path, line, line + 4)
    )
    units = (unit for path, name in names for unit in material.outline.targets(path, name))
    return unique(unit for unit in units if unit.kind == "function")


def _first_line(material: Material, path: str) -> int:
    units = material.outline.units.get(path, ())
    return max(1, min((unit.first for unit in units), default=HEAD_LINES) - 1)


def _state(material: Material) -> Iterator[Request]:
    state = material.facts.state_class
    if state is not None:
        request = material.around(state.path, state.line, "the state")
        if request is not None:
            yield request
        for unit in material.outline.units.get(state.path, ()):
            if unit.kind == "class" and not unit.owner:
                yield material.whole(unit, "a model beside the state", most=MEDIUM)
    yield from material.matching(material.nodes, _RETURNS, "writes the state", SMALL)
    yield from material.matching(material.functions, _INVOKES, "runs the graph", MEDIUM)


def _clone(material: Material) -> Iterator[Request]:
    clone = material.facts.clone_function
    if clone is None:
        yield from _wholes(
            material, material.functions_named(frozenset({"clone"})), "named after cloning", MEDIUM
        )
        return
    unit = material.unit_at(clone.path, clone.line)
    if unit is None:
        return
    yield material.whole(unit, "clones the repository")
    for neighbour, is_callee in material.neighbours([unit]):
        title = "is called by the clone function" if is_callee else "calls the clone function"
        yield material.whole(neighbour, title, most=MEDIUM)


def _judges(material: Material) -> Iterator[Request]:
    nodes = [u for u in material.nodes if JUDGE_WORDS & set(_words(u))]
    units = nodes or material.functions_named(JUDGE_WORDS)
    yield from _wholes(material, units, "a judge", LARGE)
    for unit, is_callee in material.neighbours(units):
        if is_callee:
            yield material.whole(unit, "is called by a judge", most=MEDIUM)


def _prompts(material: Material) -> Iterator[Request]:
    for prompt in material.facts.persona_prompts or ():
        request = material.around(prompt.path, prompt.line, "prompt of a persona")
        if request is not None:
            yield request
    yield from _judges(material)


def _output(material: Material) -> Iterator[Request]:
    for call in material.facts.structured_output_calls or ():
        request = material.around(call.path, call.line, "asks for structured output", LARGE)
        if request is not None:
            yield request
    yield from _judges(material)


def _synthesis(material: Material) -> Iterator[Request]:
    nodes = [u for u in material.nodes if JUSTICE_WORDS & set(_words(u))]
    units = nodes or material.functions_named(JUSTICE_WORDS)
    yield from _wholes(material, units, "the synthesis")
    for unit, is_callee in material.neighbours(units):
        if is_callee:
            yield material.whole(unit, "is called by the synthesis", most=LARGE)


def _words(unit: Unit) -> list[str]:
    return words_of(unit.qualname)


def _pages(material: Material) -> Iterator[Request]:
    for name in material.sheets:
        if name.startswith(page_name(1)[:-1]):
            yield _all(name, "page of the report")


def _claims(material: Material) -> Iterator[Request]:
    yield from _pages(material)
    yield from _graph(material)


def _diagrams(material: Material) -> Iterator[Request]:
    for diagram in material.facts.diagrams or ():
        if diagram.page:
            yield _all(page_name(diagram.page), "page with a diagram")
        elif diagram.path and diagram.line:
            request = material.around(diagram.path, diagram.line, "a diagram", LARGE)
            if request is not None:
                yield request
    yield from _wholes(material, material.builder, "builds the graph")
    yield from _wholes(material, _routers(material), "routes")
    yield from _pages(material)


def _project(material: Material) -> Iterator[Request]:
    yield from _files(material, README, "README", 1)
    yield _all(TREE, "the tree, with what its modules define")
    yield from _files(material, CI, "runs on every change", 2)
    entries = [u for u in material.functions if u.name == "main" and not u.owner]
    yield from _wholes(material, entries, "an entry point", MEDIUM)
    yield from _files(material, TESTS, "a test", 3)


def _files(material: Material, globs: tuple[str, ...], title: str, most: int) -> Iterator[Request]:
    paths = [path for path in material.paths if matches(path, globs)]
    return (Request(path, 1, WHOLE, title, most=MEDIUM) for path in paths[:most])


# Subjects by kind of check. A kind that is not here shows the project as a whole.
SUBJECTS: dict[str, tuple[Subject, ...]] = {
    "commit_history": (_commits,),
    "reducer": (_state,),
    "python_class": (),
    "graph_topology": (_graph,),
    "sandboxed_clone": (_clone,),
    "unsafe_call": (),
    "structured_output": (_output,),
    "persona_overlap": (_prompts,),
    "synthesis_rules": (_synthesis,),
    "pdf_concept": (_pages,),
    "pdf_paths": (_claims,),
    "diagram": (_diagrams,),
}
