"""Which synthesis rules the Chief Justice's code really carries out.

A rule counts when a score is changed (or a text made, for dissent) under its condition, in code that the Chief
Justice reaches. A comment, a docstring, a function nobody calls or a message alone is no rule.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.score_changes import (
    ChangeReader,
    ScoreChange,
    assignments_in,
    called_name,
    words_in,
)
from courtroom.analysis.langgraph.judging.structured_output import ASKING
from courtroom.analysis.langgraph.judging.tech_lead_rule import CAPS, lead_decides, lead_weighs_more
from courtroom.analysis.langgraph.routers import vocabulary
from courtroom.analysis.python.call_graph import Place, Reach
from courtroom.analysis.python.symbolic_execution.values import Route
from courtroom.analysis.python.tree_walk import walk, words_of

SECURITY = frozenset(
    words_of(
        """security secure insecure unsafe vulnerability vulnerabilities vulnerable os.system shell injection malicious
        sandbox exploit negligence"""
    )
)
# The criterion safe_tool_engineering is about security by its name.
SAFE_TOOLS = frozenset({"safe", "tool"})
EVIDENCE = frozenset(
    words_of(
        """evidence evidences ev evs fact facts factual forensic hallucination hallucinations hallucinated cited
        citation citations"""
    )
)
ESTABLISHED = frozenset(
    words_of(
        """found confidence supported unsupported verified exists exist missing absent hallucination hallucinations
        hallucinated cited citation citations contradict contradicts contradicted reliability"""
    )
)
SPREAD = frozenset(
    words_of(
        "variance spread conflict conflicts conflicting disagreement divergence range gap diff debate discrepancy"
    )
)
AGAIN = tuple(
    words_of(
        """reeval reexam recheck reassess revisit rehear reconsider rejudge reinvestigat redeliberat mediat debat
        deliberat"""
    )
)
AFTER_RE = tuple(words_of("eval exam check assess visit hear consider judge investigat deliberat"))


Lines = list[tuple[Place, int]]


def read_rules(reach: Reach, layers: Layers, routes: Iterable[Route]) -> dict[str, Lines]:
    """For each rule the lines that carry it out; none means that it is not carried out."""
    changes = ChangeReader(layers.justice).changes()
    return {
        "security_override": [(c.place, c.line) for c in changes if _is_security_cap(c)],
        "fact_supremacy": [
            (c.place, c.line) for c in changes if c.guard & EVIDENCE and c.guard & ESTABLISHED
        ],
        "functionality_weight": [*lead_decides(changes), *lead_weighs_more(layers.justice)],
        "dissent": list(_dissent(layers.justice)),
        "variance_re_evaluation": [
            *_heard_again(reach, layers.justice),
            *_routed_again(layers, routes),
            *(
                (c.place, c.line)
                for c in changes
                if c.guard & SPREAD and c.guard & EVIDENCE and c.guard & ESTABLISHED
            ),
        ],
    }


def _is_security_cap(change: ScoreChange) -> bool:
    about = change.guard | (change.block if change.guard else frozenset()) | words_in(change.value)
    return bool(about & SECURITY or about >= SAFE_TOOLS) and _is_cap(change.value)


def _is_cap(value: ast.expr) -> bool:
    if isinstance(value, ast.Constant):
        return True
    if isinstance(value, ast.Call):
        return called_name(value) == "min"
    if isinstance(value, ast.IfExp):
        return _is_cap(value.body) or _is_cap(value.orelse)
    return bool(words_in(value) & CAPS) or isinstance(value, ast.BinOp)


def _dissent(places: list[Place]) -> Iterator[tuple[Place, int]]:
    """A dissent that is made and goes somewhere: into a field, a text, a list or a call."""
    for place in places:
        assigned = {
            name
            for name, values in assignments_in(place.site.node).items()
            if any(map(_is_text_like, values))
        }
        for node in walk(place.site.node):
            if _carries_dissent(node, assigned):
                yield place, getattr(node, "lineno", place.site.node.lineno)


def _carries_dissent(node: ast.AST, assigned: set[str]) -> bool:
    if isinstance(node, ast.keyword):
        return "dissent" in words_of(node.arg or "") and not isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Dict):
        return any(
            isinstance(key, ast.Constant)
            and "dissent" in words_of(str(key.value))
            and not isinstance(value, ast.Constant)
            for key, value in zip(node.keys, node.values, strict=True)
        )
    if isinstance(node, ast.Assign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(
            isinstance(t, ast.Attribute | ast.Subscript) and "dissent" in words_in(t)
            for t in targets
        )
    if isinstance(node, ast.FormattedValue | ast.Return):
        return node.value is not None and _names_dissent(node.value, assigned)
    return (
        isinstance(node, ast.Call)
        and called_name(node) in {"append", "extend"}
        and any(_names_dissent(argument, assigned) for argument in node.args)
    )


def _names_dissent(node: ast.expr, assigned: set[str]) -> bool:
    return any(
        isinstance(n, ast.Name) and n.id in assigned and "dissent" in words_of(n.id)
        for n in walk(node)
    )


def _is_text_like(value: ast.expr) -> bool:
    return not (isinstance(value, ast.Constant) and not value.value) and not isinstance(
        value, ast.Compare
    )


def _heard_again(reach: Reach, places: list[Place]) -> Iterator[tuple[Place, int]]:
    """When the scores lie far apart, code is entered that looks at evidence again or asks a model again."""
    known = {place.name: place for place in places}
    reader = ChangeReader(places)
    for place in places:
        assigned = assignments_in(place.site.node)
        for node in walk(place.site.node):
            if isinstance(node, ast.If) and _asks_spread(reader.words_of_test(node.test, assigned)):
                for called in _calls_in(node.body):
                    target = known.get(called_name(called))
                    if target is not None and looks_again(reach, target):
                        yield place, called.lineno


def _asks_spread(words: frozenset[str]) -> bool:
    return bool(words & SPREAD) or speaks_of_again(words) or {"max", "min"} <= words


def _calls_in(body: list[ast.stmt]) -> Iterator[ast.Call]:
    for statement in body:
        for node in walk(statement):
            if isinstance(node, ast.Call):
                yield node


def speaks_of_again(words: Iterable[str]) -> bool:
    """re_evaluate, reconsider, mediation, debate: whole words, so that score_check is none of them."""
    found = set(words)
    return any(word.startswith(AGAIN) for word in found) or (
        "re" in found and any(word.startswith(AFTER_RE) for word in found)
    )


def looks_again(reach: Reach, place: Place) -> bool:
    """It is called a re-evaluation, and it asks a model or reads evidence."""
    if not speaks_of_again(words_of(place.name)):
        return False
    behind = reach.behind([place])
    if any(called_name(call) in ASKING for one in behind for call in _calls_in(one.site.node.body)):
        return True
    return any(vocabulary(one.site.node) & EVIDENCE for one in behind)


def _routed_again(layers: Layers, routes: Iterable[Route]) -> Iterator[tuple[Place, int]]:
    """The graph sends widely spread scores to a node that hears somebody again."""
    for route in routes:
        if not route.words & SPREAD and not speaks_of_again(route.words):
            continue
        for target in route.targets:
            place = layers.nodes.get(target)
            if (
                place is not None
                and place not in layers.justice
                and speaks_of_again(words_of(f"{target} {place.name}"))
            ):
                yield place, place.site.node.lineno
