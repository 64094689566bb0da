"""Names and places of the work under audit, and texts of a rubric that are filled with them.

`{{justice}}` in a rubric's advice or example stands for a name that the facts hold. Where they do
not hold it, `{{justice|the Chief Justice}}` stands for the words after the bar; without words the
text does not fit this work and is not shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from courtroom.analysis.diagrams.parallel_branches import is_exit
from courtroom.analysis.langgraph.node_roles import (
    COURT_WORDS,
    is_single,
    joins_before_verdict,
    role_by_name,
)
from courtroom.analysis.python.tree_walk import words_of
from courtroom.checks.phrases import listed, named, place_of
from courtroom.models.evidence import CheckOutcome, Evidence
from courtroom.models.rubric import Criterion

JsonFacts = Mapping[str, Any]
Edge = tuple[str, str]
PLACEHOLDER = re.compile(r"\{\{([a-z_]+)(?:\|([^{}|]*))?\}\}")
BUILDER = re.compile(r"\b([A-Za-z_]\w*)\.add_(?:node|edge|conditional_edges)\(")
CITES = re.compile(r"^\s{1,12}\w{0,40}(?:cit|eviden|refer|source)\w{0,40}\s{0,4}:", re.MULTILINE)
USUAL_SCALE = (1, 5)
# A key that no node writes may have a reducer too.
COURT_KEYS = re.compile(r"eviden|opinion", re.IGNORECASE)
# Nodes of one role that a sentence names; of more it gives the number.
MOST_NODES = 8
# Ends of a reducer's name that merge mappings, as operator.ior.
MERGING = ("ior", "or_", "update")


@dataclass(frozen=True, slots=True)
class Step:
    """One change: a sentence, its place where it is another than the evidence's, and an example."""

    action: str
    path: str | None = None
    line: int | None = None
    snippet: str | None = None
    # Of high priority, whatever its check weighs; of low priority, as it adds a word alone.
    is_urgent: bool = False
    is_minor: bool = False
    # Said of this work: the rubric's own advice is about works in general.
    is_exact: bool = False


# LangGraph draws no way of a router that declares none.
DRAWING = ", as get_graph().draw_mermaid_png() of the compiled graph gives it"


@dataclass(frozen=True)
class Work:
    """The work by its facts (JSON), its evidence by id and its outcomes by check."""

    facts: JsonFacts
    evidence: Mapping[str, Evidence]
    outcomes: Mapping[str, CheckOutcome]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Names by placeholder, without those that the facts do not hold."""
        graph, state = self.facts.get("graph"), self.facts.get("state_class")
        clone = self.facts.get("clone_function")
        graph_place = graph and place_of(graph["path"], graph["state_graph_line"])
        texts = {
            "state_class": state and state["name"],
            "state_place": state and place_of(state["path"], state["line"]),
            "graph_place": graph_place,
            "graph_at": graph_place and f" ({graph_place})",
            "drawing": DRAWING if graph and not graph.get("conditional", True) else "",
            "reducers": listed(f"{r['field']} by {r['reducer']}" for r in self._of_court),
            "evidence_key": self.evidence_key,
            "evidence_at": self.evidence_key and f" in `{self.evidence_key}`",
            "opinion_schema": self.opinion_schema,
            "failure_edges": self.facts.get("conditional_error_route")
            and ", also those for failures",
            "empty_reports": self.empty_reports,
            "join": listed(joins_before_verdict(self.facts.get("graph_shape"))),
            "clone_place": clone and place_of(clone["path"], clone["line"]),
            "idle_judges": self._to_wire("judges"),
            "idle_justice": self._to_wire("justice"),
            **self._limits,
        }
        texts |= {role: _all_of(role, self._beside(role)) for role in ("detective", "judge")}
        texts["justice"] = listed(self.verdict_nodes)
        for prompt in self.facts.get("persona_prompts") or ():
            place = place_of(prompt["path"], prompt["line"])
            texts[f"at_{prompt['persona'].lower()}"] = f" ({place})"
        return {name: text for name, text in texts.items() if text}

    def _to_wire(self, part: str) -> str:
        """Return the functions of a layer that no run reaches, with their places; "" where one does."""
        rows = [row for row in self.facts.get("unreached_layers") or () if row["part"] == part]
        names = listed(f"{row['name']} ({place_of(row['path'], row['line'])})" for row in rows)
        return names if all(row["is_node"] for row in rows) else f"a node that calls {names}"

    @property
    def empty_reports(self) -> str:
        """Words on committed PDF files without a byte; "" where none is."""
        paths = self.facts.get("empty_reports") or ()
        verb = "is" if len(paths) == 1 else "are"
        return f", exported again: {named(paths)} in the repository {verb} empty" if paths else ""

    @property
    def _reducers(self) -> Sequence[Mapping[str, Any]]:
        return self.facts.get("reducers") or ()

    @property
    def _of_court(self) -> Sequence[Mapping[str, Any]]:
        """Reducers of the keys that parallel nodes write: of evidence and opinions, else all."""
        rows = [row for row in self._reducers if COURT_KEYS.search(row["field"])]
        return rows or self._reducers

    @property
    def _limits(self) -> dict[str, str]:
        """Limits of rules on the scale of the work's opinions; none for the usual scale."""
        model = self.facts.get("opinion_model")
        if not model or (model["lowest"], model["highest"]) == USUAL_SCALE:
            return {}
        lowest, highest = model["lowest"], model["highest"]
        # As 3 of 1 to 5, and more than two apart.
        far = f"{(highest - lowest + 1) // 2} of {highest} points"
        return {"cap": str(highest * 3 // 5), "far": far}

    @property
    def evidence_key(self) -> str | None:
        """Key of the state that a reducer merges as a mapping, one named after evidence first."""
        plain = [r["field"] for r in self._reducers if r["reducer"].endswith(MERGING)]
        own = [r["field"] for r in self._reducers if "merge" in (r.get("applies") or "")]
        named = [field for field in (*plain, *own) if "eviden" in field.lower()]
        return next(iter((*named, *plain)), None)

    @property
    def opinion_schema(self) -> str | None:
        """Model of an opinion: what the judges' calls are bound to, else a model of that name."""
        models = (*self._bound, *(self.facts.get("pydantic_models") or ()))
        return next((name for name in models if "opinion" in name.lower()), None)

    @cached_property
    def opinion_cites(self) -> bool | None:
        """Return whether an opinion holds what it cites; None where its fields are not known."""
        known = self.facts.get("opinion_model")
        if known:
            return any(CITES.search(f" {name}:") for name in known["fields"])
        head = re.compile(
            rf"^\s{{0,8}}class {re.escape(self.opinion_schema or ' ')}\b", re.MULTILINE
        )
        texts = (piece.content or "" for piece in self.evidence.values())
        model = next((text for text in texts if head.search(text)), None)
        return None if model is None else CITES.search(model) is not None

    @property
    def answer_schema(self) -> str | None:
        """Model that each answer of a judge must fit: the code may make an opinion of it."""
        return self._bound[0] if len(set(self._bound)) == 1 else self.opinion_schema

    @property
    def _bound(self) -> list[str]:
        calls = self.facts.get("structured_output_calls") or ()
        return [call["schema"] for call in calls if call.get("by_judge") and call["schema"]]

    # -- the main graph ---------------------------------------------------------------------------

    @property
    def graph(self) -> Mapping[str, Any]:
        return self.facts.get("graph") or {}

    def nodes(self, role: str) -> list[str]:
        """Return the nodes whose names are of this role: detective, judge, join or justice.

        Nodes that run instead of others after a failure, such as skip_judges, have no role, nor
        has to_judges, which branches to several judges.
        """
        nodes = self.graph.get("nodes", ())
        layer = [node for node in nodes if role_by_name(node) == role and not is_exit(node)]
        return [n for n in layer if is_single(n, role) or not self._branches_to(n, layer)]

    def _beside(self, role: str) -> list[str]:
        """Return the nodes of this role, with those that plain edges place beside them.

        A layer may hold nodes that are called after a criterion.
        """
        layer = self.nodes(role)
        ends = {node: self._ends_of(node) for node in self.graph.get("nodes", ())}
        between = {ends[node] for node in layer if all(ends[node])}
        others = {*self.nodes("detective"), *self.nodes("judge")}.difference(layer)
        return [n for n in ends if n in layer or (ends[n] in between and n not in others)]

    def _ends_of(self, node: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return the nodes before and behind a node, by plain edges."""
        edges: Sequence[Sequence[str]] = self.graph.get("edges", ())
        before = frozenset(start for start, end in edges if end == node)
        return before, frozenset(end for start, end in edges if start == node)

    @property
    def verdict_nodes(self) -> list[str]:
        """Nodes that give the verdict: those named after a court, else after a synthesis."""
        nodes = self.nodes("justice")
        return [n for n in nodes if not COURT_WORDS.isdisjoint(words_of(n))] or nodes

    def _branches_to(self, node: str, layer: Sequence[str]) -> bool:
        ends = {end for start, end in self.graph.get("edges", ()) if start == node}
        ends.update(end for route in self.routes if route["from"] == node for end in route["to"])
        return len(ends.intersection(layer)) > 1

    def nodes_before(self, nodes: Sequence[str]) -> set[str]:
        """Return the nodes from which an edge or a route leads on to one of these."""
        ways = [(start, end) for start, end in self.graph.get("edges", ())]
        ways += [(route["from"], end) for route in self.routes for end in route["to"]]
        before: set[str] = set()
        queue = list(nodes)
        while queue:
            end = queue.pop()
            starts = {start for start, target in ways if target == end} - before
            before |= starts
            queue += starts
        return before

    @property
    def edges(self) -> list[tuple[Edge, str, int]]:
        """Plain edges, each with its path and line; () where an older report lacks the lines."""
        graph = self.graph
        rows = zip(
            graph.get("edges", ()),
            graph.get("edge_paths", ()),
            graph.get("edge_lines", ()),
            strict=False,
        )
        return [((start, end), path, line) for (start, end), path, line in rows]

    @property
    def routes(self) -> Sequence[Mapping[str, Any]]:
        rows: Sequence[Mapping[str, Any]] = self.graph.get("conditional", ())
        return rows

    @cached_property
    def builder(self) -> str | None:
        """Variable to which the code adds nodes and edges, from the lines that evidence quotes."""
        path = self.graph.get("path")
        texts = (
            e.content or "" for e in self.evidence.values() if path and e.location.path == path
        )
        matches = (BUILDER.search(text) for text in texts)
        return next((match[1] for match in matches if match), None)

    def first_step(self, node: str) -> int | None:
        """Return the earliest step in which the node runs; None where that is not known."""
        steps = (self.facts.get("graph_run") or {}).get("steps", {}).get(node)
        return min(steps) if steps else None

    # -- places -----------------------------------------------------------------------------------

    def place_of_kind(self, criterion: Criterion, kind: str) -> Step | None:
        """Return the first place that a met check of this kind shows in the criterion."""
        outcomes = (self.outcomes.get(c.id) for c in criterion.checks if c.kind == kind)
        pieces = (
            self.evidence[i]
            for outcome in outcomes
            if outcome and outcome.met
            for i in outcome.evidence
            if i in self.evidence
        )
        places = (piece.location for piece in pieces if piece.location.path)
        return next((Step("", place.path, place.line_start) for place in places), None)


def _all_of(role: str, nodes: Sequence[str]) -> str:
    return listed(nodes) if len(nodes) <= MOST_NODES else f"the {len(nodes)} {role}s"


def filled(text: str, names: Mapping[str, str]) -> str | None:
    """Return the text with its placeholders filled; None where a name is not known."""
    missing = [m for m in PLACEHOLDER.finditer(text) if m[1] not in names and m[2] is None]
    if missing:
        return None
    return PLACEHOLDER.sub(lambda match: names.get(match[1], match[2]), text)


def code_list(nodes: Iterable[str]) -> str:
    """Return the names as a Python list; END is langgraph's own name."""
    return f"[{', '.join(code_name(node) for node in nodes)}]"


def code_name(node: str) -> str:
    return node if node in {"START", "END"} else f'"{node}"'


def arrows(edges: Iterable[Edge]) -> str:
    return listed(f"{start} → {end}" for start, end in edges)


def placed(action: str, row: Mapping[str, Any] | None, snippet: str | None = None) -> Step:
    """Return the step at the place of a fact."""
    if row is None:
        return Step(action, snippet=snippet)
    return Step(action, row["path"], row["line"], snippet)
