"""Steps for what the report says, and for the history of commits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from courtroom.checks.commit_history import FILES, WITHIN_MINUTES
from courtroom.checks.feature_words import (
    ACCUSATIONS,
    CITED_LINES,
    CLONE_FEATURES,
    COMMIT_COUNT,
    DENIED,
    FEATURE_WORDS,
    GRAPH_FEATURES,
    JUDGE_SCORES,
    MADE_CHANGE,
    NOT_THERE,
    PATH_CHECK,
    QUOTED_TEXT,
    STATED_VALUE,
)
from courtroom.checks.graph_topology import dead_routes
from courtroom.checks.pdf_concept import EXPLAINS_IT
from courtroom.checks.pdf_paths import RULES_WITHOUT_EFFECT, row_of
from courtroom.checks.phrases import listed, named, number_of
from courtroom.models.evidence import Evidence
from courtroom.synthesis.advice.work import Step, Work

# Parts of a work by the name of their place: in words, and the claims that are about them.
PLACES: dict[str, tuple[str, frozenset[str]]] = {
    "graph_place": ("where the graph is built", frozenset(GRAPH_FEATURES)),
    "state_place": (
        "where the state is declared",
        frozenset({"reducer_ior", "reducer_add", "reducers", "typed_dict_state", "pydantic_state"}),
    ),
    "clone_place": ("where the repository is cloned", frozenset(CLONE_FEATURES)),
}


def term_steps(term: str, pieces: Sequence[Evidence]) -> Iterator[Step]:
    """Name the term where a passage explains what it stands for: the term alone is missing."""
    for piece in pieces[:1]:
        page = piece.location.page
        # "mentions it on page 4 and explains it nowhere" is no such passage.
        if piece.rationale.startswith(f"Page {page} {EXPLAINS_IT}"):
            action = f"Use the term “{term}” where page {page} explains it."
            yield Step(action, is_exact=True, is_minor=True)


# What courtroom.analysis.diagrams.diagram_match says of branches of the code.
_APART = re.compile(r"not drawn side by side: ([^;]{1,500}?) of the code")
_UNDRAWN = re.compile(r"edges of the code that it does not draw: ([^;]{1,800})\.$")
# What courtroom.analysis.diagrams.diagram_kind says of pictures that no model has read.
BY_OUTLINE = "counted by outline"
_IN_SEVERAL = re.compile(r"in a picture each: ([^;]{1,200});")
_LAYERS = {"detective": "the detectives", "judge": "the judges"}
_OTHERWISE = re.compile(r"not drawn side by side|a line joins|no box names|it names \d")


def diagram_steps(aspect: str, pieces: Sequence[Evidence], work: Work) -> Iterator[Step]:
    """Hand in a right diagram that the work holds; name the branches that the report's lacks."""
    drawn = next((row for row in work.facts.get("diagrams") or () if _is_right(row)), None)
    if drawn is not None:
        place = f"{drawn['path']}:{drawn['line']}"
        action = f"Put the diagram at {place} into the report: it is like the graph of the code."
        yield Step(action, drawn["path"], drawn["line"], is_exact=True)
        return
    for piece in pieces[:1]:
        if BY_OUTLINE in piece.rationale:
            yield from _unread_picture_steps(aspect, piece, work)
            return
        groups = [listed(names.split(" | ")) for names in _APART.findall(piece.rationale)]
        if aspect == "parallel" and groups and ": side by side: " in piece.rationale:
            page = piece.location.page
            action = f"Draw {', and '.join(groups)} side by side in the diagram on page {page}"
            yield Step(f"{action}, with the node in which they join.", is_exact=True)
        edges = _UNDRAWN.search(piece.rationale)
        if aspect == "accurate" and edges and not _OTHERWISE.search(piece.rationale):
            place = f"the diagram on page {piece.location.page}"
            yield Step(f"Draw these edges of the code in {place}: {edges[1]}.", is_exact=True)


def _unread_picture_steps(aspect: str, piece: Evidence, work: Work) -> Iterator[Step]:
    """Ask of a picture only what its outlines lack: nobody read what else it shows."""
    page = piece.location.page
    apart = _IN_SEVERAL.search(piece.rationale)
    if apart and aspect == "parallel":
        yield Step(
            "Draw both splits in one picture with the nodes in which they join, if none has both: by the outlines of their"
            f" boxes the report has them in a picture each, {apart[1]}.",
            is_exact=True,
        )
    elif aspect == "parallel":
        sides = (work.names.get(key, words) for key, words in _LAYERS.items())
        drawn = " and ".join(f"{side} side by side" for side in sides)
        yield Step(
            f"Draw {drawn}, each with the node in which they join, where the picture on page {page}"
            " has them otherwise: only the outlines of its boxes were counted.",
            is_exact=True,
        )
    elif aspect == "similar":
        yield Step(
            f"Hold the picture on page {page} against the graph of the code"
            f"{work.names.get('graph_at', '')}, as only the outlines of its boxes were counted: as many"
            " boxes are to be side by side as there are nodes that run in parallel.",
            is_exact=True,
        )


def _is_right(row: Mapping[str, Any]) -> bool:
    """Return whether a committed document draws the graph of the code."""
    return row.get("beside_code") == "agrees" and bool(row.get("path")) and bool(row.get("line"))


# Names that a step lists in full.
MOST_LISTED = 12
BUILD_CLAIMED = "Build this, or drop the claim of it from the report: "
READ_THE_REST = (
    "Then hold the report's other sentences against the code, as most were not compared with it."
)
# By the claimed feature: the fact that shows the code to have it, otherwise than the report says.
SHOWN_BY = {
    "detectives_parallel": "detectives_parallel",
    "judges_parallel": "judges_parallel",
    "evidence_join": "fan_in_before_judges",
    "opinion_join": "fan_in_before_justice",
    "error_route": "conditional_error_route",
    "reducers": "reducers",
    "structured_output": "structured_output_calls",
}
NAME_THE_COMMIT = (
    "Name in the report the commit of each change that answers an audit, or make that change."
)
# The sentence of the report is right once runs take these routes.
ROUTES = ("conditional_edges", "error_route")
MEND_ROUTES = "Mend the routes of the graph, so that runs take each way that the report names."
RULES_AS_SAID = "Let the code act as the report says, or say in the report what it does: "
NAME_THE_LINES = "Name the lines of a part in the report as the file has them, or only its file."
NAME_THEIR_SCORES = (
    "Give the scores of an audit by the work itself in the report, and say whose audit any others"
    " are from."
)
NAME_THE_VALUES = (
    "Give the values of the code in the report as the code has them, those beside them as well: of each"
    " kind only the first that differs is named."
)
QUOTE_IT = "Quote the code in the report as it is, and take out what it does not say."


def claim_steps(aspect: str, work: Work, pieces: Sequence[Evidence] = ()) -> Iterator[Step]:
    """Correct what the report names and the work does not have; else say what to name."""
    missing = work.facts.get("pdf_hallucinated_paths") or ()
    names = work.facts.get("pdf_missing_names") or ()
    contradicted = [
        feature
        for feature, standing in (work.facts.get("pdf_claims") or {}).items()
        if standing == "contradicted" and feature in FEATURE_WORDS
    ]
    stale = [f for f in contradicted if f.startswith(DENIED) or f in ACCUSATIONS]
    other = [f for f in contradicted if _is_means(f) and f not in stale]
    counted = [f for f in contradicted if f == COMMIT_COUNT]
    quoted = [f for f in contradicted if f == QUOTED_TEXT]
    cited = [f for f in contradicted if f == CITED_LINES]
    scored = [f for f in contradicted if f == JUDGE_SCORES]
    valued = [f for f in contradicted if f == STATED_VALUE]
    changed = [f for f in contradicted if f == MADE_CHANGE]
    dead = [f for f in contradicted if f in ROUTES and dead_routes(work.facts)]
    worded = [f for f in contradicted if f not in dead and work.facts.get(SHOWN_BY.get(f, ""))]
    ruled = [f for f in contradicted if f == PATH_CHECK or _has_rule(f, work)]
    aside = {
        *ruled,
        *stale,
        *other,
        *counted,
        *quoted,
        *cited,
        *scored,
        *valued,
        *changed,
        *worded,
        *dead,
    }
    wrong = [FEATURE_WORDS[f] for f in contradicted if f not in aside]
    if aspect == "names_exist" and names:
        yield Step(
            "Correct what the report says with names that no file of the code has, or take it out,"
            f" among them {_all_of(names)}."
        )
    elif aspect == "claims_hold" and contradicted:
        built = f"{BUILD_CLAIMED}{named(wrong)}."
        shown = named([FEATURE_WORDS[feature] for feature in worded])
        as_coded = f"Describe this in the report as the code has it: {shown}."
        used = named([FEATURE_WORDS[feature] for feature in other])
        in_place = f"Say in the report what the code uses in place of {used}."
        total = number_of(work.facts.get("commit_count") or 0, "commit")
        in_history = f"Correct the number of commits in the report: the history has {total}."
        outdated = named([_with_page(feature, pieces) for feature in stale])
        up_to_date = f"Take out of the report, wherever it stands, that the code has {outdated}."
        parts = (
            (built, wrong),
            (f"{RULES_AS_SAID}{named([FEATURE_WORDS[f] for f in ruled])}.", ruled),
            (MEND_ROUTES, dead),
            (as_coded, worded),
            (in_place, other),
            (in_history, counted),
            (QUOTE_IT, quoted),
            (NAME_THE_LINES, cited),
            (NAME_THEIR_SCORES, scored),
            (NAME_THE_VALUES, valued),
            (NAME_THE_COMMIT, changed),
            (up_to_date, stale),
        )
        yield Step(" ".join([*(text for text, features in parts if features), READ_THE_REST]))
    elif aspect == "filled_in":
        pages = dict.fromkeys(str(piece.location.page) for piece in pieces if piece.location.page)
        where = f" on page{'s' if len(pages) > 1 else ''} {listed(list(pages))}" if pages else ""
        yield Step(f"Fill in what the report leaves open{where}, or take it out.")
    elif missing and aspect == "none_hallucinated":
        yield Step(
            "Correct the paths in the report that do not exist, or take them out, among them"
            f" {_all_of(missing)}."
        )
    elif aspect in {"claims_any", "none_hallucinated", "claims_supported"}:
        yield Step(_name_files(work, aspect))


def _all_of(names: Sequence[str]) -> str:
    """Return all names, which are to be corrected one by one, unless they are very many."""
    return listed(names) if len(names) <= MOST_LISTED else named(names)


def _with_page(feature: str, pieces: Sequence[Evidence]) -> str:
    """Return the words of a feature and the page that denies it, where a piece names one."""
    words = FEATURE_WORDS[feature]
    denial = NOT_THERE + words.removeprefix("no ")
    denying = (piece for piece in pieces if piece.rationale.startswith(denial))
    page = next((piece.location.page for piece in denying), None)
    return f"{words} (page {page})" if page else words


def _has_rule(feature: str, work: Work) -> bool:
    """Return whether the code has or begins a rule of this name."""
    return any(row_of(feature, work.facts.get(fact)) for fact in RULES_WITHOUT_EFFECT)


def _is_means(feature: str) -> bool:
    """Return whether the claim names a means, such as a library, in whose place another serves."""
    return feature.startswith("uses_") or feature in {"mkdtemp", "temporary_directory"}


def _name_files(work: Work, aspect: str) -> str:
    """Return the files that the report can name: of parts that it makes claims on, and lacks."""
    claimed = work.facts.get("pdf_claims") or {}
    named_files = [path.removeprefix("./") for path in work.facts.get("pdf_claimed_paths") or ()]
    places = [
        f"{work.names[name]} {text}"
        for name, (text, features) in PLACES.items()
        if name in work.names
        if not features.isdisjoint(claimed)
        if not any(_is_file(work.names[name], path) for path in named_files)
    ]
    example = f": {listed(places)}" if places else ""
    if named_files and aspect == "claims_supported":
        return f"Describe more parts of the code in the report, each with its file{example}."
    return f"Name in the report the file of each part that it describes{example}."


def _is_file(place: str, path: str) -> bool:
    """Return whether the place is in the file, of which a report may name the end of the path."""
    return f"/{place.rpartition(':')[0]}".endswith(f"/{path}")


# A tree that is cut into commits after the work has a commit for each module already.
AS_IT_GROWS = (
    "From now on commit each part while it grows, over the time that it takes, not as finished"
    " parts within minutes."
)
# A module with its tests and its package.
FEW_FILES = 3
BY_STEPS = "From now on commit a module in steps, when its first part works, not when it is whole."


def history_steps(aspect: str, reason: str) -> Iterator[Step]:
    """Say which half of the pace of commits is to change, or once what two checks on stages ask."""
    if aspect == "progression":
        yield Step(
            "In your next work commit the set-up, then the tools, then a graph that runs the"
            " detectives alone, then the judges as nodes of that graph, each when it first runs;"
            " the commits that are made stay in their order."
        )
    elif aspect == "not_bulk" and WITHIN_MINUTES in reason:
        yield Step(AS_IT_GROWS, is_exact=True)
    elif aspect == "not_bulk" and max(map(int, FILES.findall(reason)), default=99) <= FEW_FILES:
        yield Step(BY_STEPS, is_exact=True)
    elif aspect == "spread_over_time" and ", where at least" in reason:
        yield Step("From now on commit on each day that you work.")
    elif aspect == "spread_over_time" and "one sitting" not in reason:
        yield Step(AS_IT_GROWS)
    elif aspect == "spread_over_time":
        yield Step("From now on commit each step when it is done, not many steps within one hour.")
