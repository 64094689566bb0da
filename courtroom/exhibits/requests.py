"""Requests of a criterion: the places that matter for its kinds of checks, in their order.

The subject is told by the kinds of the checks, never by the criterion's id or name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from textwrap import shorten

from courtroom.analysis.project.globs import matches
from courtroom.analysis.project.project_files import TESTS
from courtroom.checks.registry import Check
from courtroom.exhibits.graph_subjects import graph, state
from courtroom.exhibits.judging_subjects import prompts, structured_output, synthesis
from courtroom.exhibits.material import LARGE, MEDIUM, SMALL, Material
from courtroom.exhibits.project_subjects import clone, commits, dangers, project
from courtroom.exhibits.report_subjects import claims, diagrams, pages
from courtroom.exhibits.room import Request, whole_sheet
from courtroom.exhibits.sheets import is_page, page_name
from courtroom.exhibits.units import unique
from courtroom.models.rubric import Criterion

# Lines of a file that is shown by its beginning.
HEAD_LINES = 60
# Files that a check searched in vain and that are shown.
MOST_SEARCHED = 2
# Characters of a check's goal in a title; the message names the goals whole.
GOAL_CHARACTERS = 60
# Most requests of a subject, per check of the criterion that is about this subject.
MOST_PER_CHECK = 8

Subject = Callable[[Material], Iterator[Request]]
# A kind that is not here shows the project as a whole.
SUBJECTS: dict[str, Subject] = {
    "commit_history": commits,
    "reducer": state,
    "graph_topology": graph,
    "sandboxed_clone": clone,
    "unsafe_call": dangers,
    "structured_output": structured_output,
    "persona_overlap": prompts,
    "synthesis_rules": synthesis,
    "pdf_concept": pages,
    "pdf_paths": claims,
    "diagram": diagrams,
}
# Kinds that look through all of the code: their subject is shown where no other kind has one.
SUBJECTS_OF_ALL_CODE: dict[str, Subject] = {
    "state_flow": state,
    "failing_code": graph,
    "graph_run": graph,
}


def requests_for(criterion: Criterion, material: Material) -> Iterator[Request]:
    """Yield what the checks rest on, the subjects, then callers and callees and what is left."""
    share = max(SMALL, min(LARGE, material.room // (2 * max(1, len(criterion.checks)))))
    roots = list(_roots(criterion, material))
    # Claims stand on many pages: their subject chooses among them.
    has_claims = any(check.kind == "pdf_paths" for check in criterion.checks)
    first = (root for root in roots if not (has_claims and is_page(root.sheet)))
    yield from (root.capped(share) for root in first)
    yield from _subjects(criterion, material)

    yield from roots
    units = (material.unit_of(root) for root in roots)
    functions = unique(u for u in units if u is not None and u.kind == "function")
    yield from material.neighbours(functions)


def _subjects(criterion: Criterion, material: Material) -> Iterator[Request]:
    """Yield requests subject by subject in turns: one per check that is about the subject."""
    kinds = [check.kind for check in criterion.checks]
    subjects = Counter(SUBJECTS[kind] for kind in kinds if kind in SUBJECTS) or Counter(
        SUBJECTS_OF_ALL_CODE[kind] for kind in kinds if kind in SUBJECTS_OF_ALL_CODE
    )
    most = material.room // max(1, len(subjects))
    queues = [
        (islice(subject(material), count * MOST_PER_CHECK), count)
        for subject, count in subjects.items()
    ]
    held_back: list[Request] = []
    is_empty = True
    while queues:
        for queue in list(queues):
            requests = list(islice(*queue))
            is_empty = is_empty and not requests
            held_back += [request for request in requests if request.most is None]
            yield from (request.capped(most) for request in requests)
            if not requests:
                queues.remove(queue)
    yield from held_back
    if is_empty:
        yield from project(material)


def _roots(criterion: Criterion, material: Material) -> Iterator[Request]:
    """Yield the whole unit of each location of the checks' evidence, check by check."""
    for check in criterion.checks:
        title = f"rests on: {_goal(check)}"
        for item in material.evidence.get(check.id, ()):
            place = item.location
            if place.page:
                yield whole_sheet(page_name(place.page), title)
            elif place.path and place.line_start:
                request = material.around(place.path, place.line_start, title)
                if request is not None:
                    yield request.focused(_evidence_lines(criterion, material, place.path))
            elif place.path:
                yield Request(place.path, 1, HEAD_LINES, title)
            else:
                yield from _searched(check, material)


def _evidence_lines(criterion: Criterion, material: Material, path: str) -> list[int]:
    checks = [check.id for check in criterion.checks]
    return material.evidence_lines(path, checks)


def _searched(check: Check, material: Material) -> Iterator[Request]:
    """Yield the files in which a check looked for something that is not there."""
    patterns: Sequence[str] = getattr(check, "paths", ())
    if not patterns or "**" in patterns:
        return
    paths = [path for path in material.paths if matches(path, patterns)]
    # Tests last: what a check looks for is rarely meant to stand in them.
    paths.sort(key=lambda path: matches(path, TESTS))
    for path in paths[:MOST_SEARCHED]:
        yield Request(path, 1, HEAD_LINES, f"searched for: {_goal(check)}", most=MEDIUM)


def _goal(check: Check) -> str:
    return shorten(check.goal, GOAL_CHARACTERS, placeholder="…")
