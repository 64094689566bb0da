"""Requests of a criterion: the places that matter for its kinds of checks, in their order.

The subject is told by the kinds of the checks, never by the criterion's id or name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from courtroom.analysis.langgraph.node_roles import JUDGE_WORDS, JUSTICE_WORDS
from courtroom.analysis.project.globs import matches
from courtroom.analysis.project.project_files import CI, README, TESTS
from courtroom.exhibits.material import Material, words_in
from courtroom.exhibits.room import Request
from courtroom.exhibits.sheets import COMMITS, TREE, is_page, page_name
from courtroom.exhibits.units import Unit, unique
from courtroom.models.rubric import Criterion

# Lines of a file that is shown by its beginning.
HEAD_LINES = 60
# Characters that one unit may take at once, where others matter as much.
SMALL, MEDIUM, LARGE = 900, 2500, 7000
WHOLE = 10**9

_WRITES = re.compile(
    r"\breturn\s+(?:\{|state\b|Command\()"
    r"|\bstate(?:\[[^\]]+\]|\.\w+)\s*(?:\[[^\]]+\]\s*=|\.(?:update|append|extend|pop)\(|[+|]?=[^=])"
)
_FIELD = re.compile(r"\bstate(?:\.get\(|\[)\s*[\"'](\w+)[\"']")
_INVOKES = re.compile(r"\.(?:a?invoke|a?stream)\(")
_ROUTES = re.compile(r"add_conditional_edges|\bSend\(|\bCommand\(")
_ERRORS = re.compile(r"error|except|raise|fail", re.IGNORECASE)
_CLONES = re.compile(r"""["']clone["']|git clone|clone_from""")
_ANSWERS = re.compile(
    r"invoke\(|\bretr(?:y|ies)|attempt|except\b|ValidationError|model_validate|json\.loads|structured"
)

# Names of functions and classes as a report writes them: with an underscore, or in CamelCase.
_NAMES = re.compile(r"\b(?:[A-Za-z]+_\w+|[A-Z][a-z]+[A-Z]\w+)\b")
# Fields of the state that a function names together where it makes one.
FEWEST_KEYS = 2
# Units that one claim brings.
MOST_CLAIMED = 4

# Signs that code tells the judges apart, or changes what one of them said.
_PERSONAS = re.compile(
    r"(?i)prosecutor|defen[sc]e|tech_?\s?lead|persona|judge_name|system_prompt|score\s*[-+*]?=[^=]"
)

Subject = Callable[[Material], Iterator[Request]]


def requests_for(criterion: Criterion, material: Material) -> Iterator[Request]:
    """Yield what the checks rest on, its callees and callers, the subjects, then what is left."""
    share = max(SMALL, min(LARGE, material.room // (2 * max(1, len(criterion.checks)))))
    roots = list(_roots(criterion, material))
    yield from (_capped(root, share) for root in roots)

    functions = [
        unit
        for root in roots
        if (unit := material.unit_of(root)) is not None and unit.kind == "function"
    ]
    kinds = dict.fromkeys(check.kind for check in criterion.checks)
    subjects = list(dict.fromkeys(s for kind in kinds for s in SUBJECTS.get(kind, ())))
    for subject in subjects or [_project]:
        yield from subject(material)

    yield from roots
    yield from _around(material, functions)


def _roots(criterion: Criterion, material: Material) -> Iterator[Request]:
    """Yield the whole unit of each location of the checks' evidence, check by check."""
    focus = [
        (item.location.path, line)
        for check in criterion.checks
        for item in material.evidence.get(check.id, ())
        if (line := item.location.line_start)
    ]
    for check in criterion.checks:
        title = f"rests on: {check.id}"
        for item in material.evidence.get(check.id, ()):
            place = item.location
            if place.page:
                yield _all(page_name(place.page), title)
            elif place.path and place.line_start:
                request = material.around(place.path, place.line_start, title)
                if request is not None:
                    lines = (n for path, n in focus if path == request.sheet)
                    yield _focused(request, lines)
            elif place.path:
                yield Request(place.path, 1, HEAD_LINES, title)


def _capped(request: Request, most: int) -> Request:
    return Request(request.sheet, request.first, request.last, request.title, request.focus, most)


def _focused(request: Request, lines: Iterable[int]) -> Request:
    focus = sorted({n for n in lines if request.first <= n <= request.last})
    return Request(
        request.sheet, request.first, request.last, request.title, tuple(focus), request.most
    )


def _around(
    material: Material, units: Sequence[Unit], callee: str = "is called by what is shown"
) -> Iterator[Request]:
    """Yield what the units call, and the calls to them."""
    for unit in material.called_by(units):
        yield material.whole(unit, callee, most=MEDIUM)
    for unit, lines in material.callers_of(units):
        yield material.whole(unit, "calls what is shown", lines, MEDIUM)


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
        named = material.functions_named(frozenset({"graph", "workflow"}))
        yield from _wholes(material, named, "named after a graph", MEDIUM)
        return
    yield from _graph_core(material)
    yield Request(graph.path, 1, _first_line(material, graph.path), "imports of the graph's module")
    own = [unit for unit in material.nodes if unit.path == graph.path]
    yield from _wholes(material, own, "a node of the graph", MEDIUM)
    near = material.called_by([*material.builder, *own])
    values = [unit for unit in near if unit.kind == "value"]
    yield from _wholes(material, values, "a value that the graph uses", SMALL)
    for unit in material.nodes:
        focus = [unit.first, *material.lines_matching(unit, _ERRORS)]
        yield material.whole(unit, "a node of the graph", focus, SMALL)
    yield from _running(material)


def _running(material: Material) -> Iterator[Request]:
    """Yield where the graph's first state is made, and where the graph is run."""
    fields = "|".join(map(re.escape, material.state_fields)) or r"(?!)"
    keys = re.compile(rf"[\"'](?:{fields})[\"']\s*:|\b(?:{fields})=")
    nodes = set(material.nodes)
    runs = [
        unit
        for unit in material.functions
        if unit not in nodes and material.lines_matching(unit, _INVOKES)
    ]
    for unit in runs:
        focus = material.lines_matching(unit, keys)
        if len(focus) >= FEWEST_KEYS:
            yield material.whole(unit, "makes the first state", focus, MEDIUM)
    yield from material.matching(runs, _INVOKES, "runs the graph", SMALL)


def _undeclared(material: Material) -> Iterator[Request]:
    """Yield where fields are used that the state does not declare."""
    declared = set(material.state_fields)
    units = [*material.nodes, *_routers(material)] if declared else []
    for unit in unique(units):
        lines = material.lines_matching(unit, _FIELD)
        texts = material.sheets[unit.path].lines if lines else ()
        odd = [n for n in lines if set(_FIELD.findall(texts[n - 1][:1000])) - declared]
        if odd:
            yield material.whole(unit, "uses a field that the state does not declare", odd, SMALL)


def _routers(material: Material) -> list[Unit]:
    places = [(b, n) for b in material.builder for n in material.lines_matching(b, _ROUTES)]
    units = (
        target
        for builder, line in places
        for name in material.outline.names_in(builder.path, line, line + 4)
        for target in material.outline.targets(builder, name)
    )
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
        yield _capped(_all(state.path, "the module of the state"), 2 * LARGE)
        classes = [u for u in material.outline.units.get(state.path, ()) if u.kind == "class"]
        yield from _wholes(material, classes, "a model beside the state", MEDIUM)
    yield from _undeclared(material)
    yield from material.matching(material.nodes, _WRITES, "writes the state", SMALL)
    yield from _running(material)


def _clone(material: Material) -> Iterator[Request]:
    clone = material.facts.clone_function
    unit = material.unit_at(clone.path, clone.line) if clone else None
    units = (
        [unit] if unit else [u for u in material.functions if material.lines_matching(u, _CLONES)]
    )
    yield from _wholes(material, units, "clones a repository", LARGE)
    yield from _around(material, units, "is called by the clone function")
    named = material.functions_named(frozenset({"clone"}))
    yield from _wholes(material, named, "named after cloning", MEDIUM)
    yield from _around(material, named)
    for owner in unique(o for u in units for o in material.outline.named(u.owner)):
        yield material.whole(owner, "the class of the clone function", (owner.first,), LARGE)


def _judges(material: Material) -> list[Unit]:
    nodes = [unit for unit in material.nodes if JUDGE_WORDS & words_in(unit)]
    return nodes or material.functions_named(JUDGE_WORDS)


def _prompts(material: Material) -> Iterator[Request]:
    places = material.facts.persona_prompts or ()
    requests = [material.around(p.path, p.line, "prompt of a persona") for p in places]
    yield from filter(None, requests)
    prompts = [u for p in places if (u := material.unit_at(p.path, p.line)) is not None]
    for unit, lines in material.callers_of(unique(prompts)):
        yield material.whole(unit, "uses a prompt", lines, LARGE)
    judges = _judges(material)
    yield from _wholes(material, judges, "a judge", LARGE)
    called = _by_signs(material, material.called_by(judges, 2), _PERSONAS)
    yield from material.matching(called, _PERSONAS, "is called by a judge", LARGE)


def _output(material: Material) -> Iterator[Request]:
    calls = material.facts.structured_output_calls or ()
    units = unique(u for c in calls if (u := material.unit_at(c.path, c.line)) is not None)
    lines = [call.line for call in calls]
    for unit in units:
        yield material.whole(unit, "asks for structured output", lines, LARGE)
    near = [unit for unit, _ in material.callers_of(units)]
    classes = [owner for unit in units for owner in material.outline.named(unit.owner)]
    near += _by_signs(
        material, (part for c in unique(classes) for part in material.methods(c)), _ANSWERS
    )
    yield from material.matching(unique(near), _ANSWERS, "calls what is shown", LARGE)
    judges = _judges(material)
    yield from material.matching(judges, _ANSWERS, "a judge", LARGE)
    callees = unique([*material.called_by(units), *material.called_by(judges, 2)])
    called = _by_signs(material, callees, _ANSWERS)
    yield from material.matching(called, _ANSWERS, "is called by a judge", LARGE)


def _by_signs(material: Material, units: Iterable[Unit], pattern: re.Pattern[str]) -> list[Unit]:
    """Return the units by the number of different matches of a pattern, the most first."""

    def signs(unit: Unit) -> int:
        lines = material.sheets[unit.path].lines[unit.first - 1 : unit.last]
        return len({sign for line in lines for sign in pattern.findall(line[:1000])})

    return sorted((u for u in units if u.path in material.sheets), key=lambda unit: -signs(unit))


def _synthesis(material: Material) -> Iterator[Request]:
    nodes = [unit for unit in material.nodes if JUSTICE_WORDS & words_in(unit)]
    units = nodes or material.functions_named(JUSTICE_WORDS)
    yield from _wholes(material, units, "the synthesis")
    callees = material.called_by(units, 2)
    yield from _wholes(material, callees, "is called by the synthesis", LARGE)


def _pages(material: Material) -> Iterator[Request]:
    return (_all(name, "page of the report") for name in material.sheets if is_page(name))


def _claims(material: Material) -> Iterator[Request]:
    """Yield half a room of pages, the code that they speak of, and the rest of the pages."""
    left = material.room // 2
    pages = list(_pages(material))
    for page in pages:
        left -= len("\n".join(material.sheets[page.sheet].lines))
        if left > 0:
            yield page

    claims = material.facts.pdf_claims or {}
    order = ("contradicted", "open", "confirmed")
    ranked = sorted(claims, key=lambda claim: order.index(claims[claim]))
    subjects = dict.fromkeys(s for claim in ranked if (s := CLAIMED.get(claim)) is not None)
    speaks_of = [
        _focused(request, material.evidence_lines(request.sheet))
        for subject in dict.fromkeys([*subjects, _graph_core, _synthesis, _state_core])
        for request in islice(subject(material), MOST_CLAIMED)
    ]
    yield from (_capped(request, MEDIUM) for request in speaks_of)
    yield from _named_in(material, pages)
    yield from pages
    yield from (_capped(request, LARGE) for request in speaks_of)


def _named_in(material: Material, pages: Sequence[Request]) -> Iterator[Request]:
    """Yield the heads of units whose names stand in the report."""
    text = "\n".join(line for page in pages for line in material.sheets[page.sheet].lines)
    for name in dict.fromkeys(_NAMES.findall(text)):
        for unit in material.outline.by_name.get(name, ())[:1]:
            if not material.is_test(unit):
                yield material.whole(unit, "is named in the report", (unit.first,), SMALL)


def _graph_core(material: Material) -> Iterator[Request]:
    yield from _wholes(material, material.builder, "builds the graph")
    yield from _wholes(material, _routers(material), "routes")


def _state_core(material: Material) -> Iterator[Request]:
    state = material.facts.state_class
    request = material.around(state.path, state.line, "the state") if state else None
    if request is not None:
        yield request


def _diagrams(material: Material) -> Iterator[Request]:
    for diagram in material.facts.diagrams or ():
        if diagram.page:
            yield _all(page_name(diagram.page), "page with a diagram")
        elif diagram.path and diagram.line:
            request = material.around(diagram.path, diagram.line, "a diagram", LARGE)
            if request is not None:
                yield request
    yield from _graph_core(material)
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


# Subjects by the feature that the report claims (analysis/pdf_claims/claim_patterns.py).
CLAIMED: dict[str, Subject] = {
    **dict.fromkeys(
        (
            "detectives_parallel",
            "judges_parallel",
            "parallel_graph",
            "evidence_join",
            "opinion_join",
            "conditional_edges",
            "error_route",
        ),
        _graph_core,
    ),
    **dict.fromkeys(
        ("reducer_ior", "reducer_add", "reducers", "pydantic_state", "pydantic_models"), _state_core
    ),
    **dict.fromkeys(
        ("sandboxed_clone", "self_cleaning_clone", "clone_timeout", "url_validated"), _clone
    ),
    **dict.fromkeys(("structured_output", "output_retry"), _output),
    "distinct_personas": _prompts,
    **dict.fromkeys(
        (
            "deterministic_verdict",
            "security_override",
            "fact_supremacy",
            "dissent",
            "variance_re_evaluation",
            "markdown_report",
        ),
        _synthesis,
    ),
}
# Subjects by kind of check. A kind that is not here shows the project as a whole.
SUBJECTS: dict[str, tuple[Subject, ...]] = {
    "commit_history": (_commits,),
    "reducer": (_state,),
    "graph_topology": (_graph,),
    "sandboxed_clone": (_clone,),
    "structured_output": (_output,),
    "persona_overlap": (_prompts,),
    "synthesis_rules": (_synthesis,),
    "pdf_concept": (_pages,),
    "pdf_paths": (_claims,),
    "diagram": (_diagrams,),
}
