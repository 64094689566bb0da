"""Functions beside the Chief Justice's that nothing calls, and rules that they are named after."""

from __future__ import annotations

import re
from collections.abc import Iterator

from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.mentions import looks_names_up
from courtroom.analysis.python.source_files import FunctionSite
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import last_name, words_of

# Words of which a function has one of each set in its name, by the rule that it promises.
NAMED_AFTER: dict[str, tuple[frozenset[str], ...]] = {
    "security_override": (
        frozenset({"security"}),
        frozenset({"override", "overrides", "cap", "capped", "rule"}),
    ),
    "fact_supremacy": (frozenset({"fact", "facts", "evidence"}), frozenset({"supremacy", "rule"})),
    "functionality_weight": (
        frozenset({"functionality", "persona", "judge", "weighted"}),
        frozenset({"weight", "weights", "score", "rule"}),
    ),
    "dissent": (frozenset({"dissent", "dissents"}),),
    "variance_re_evaluation": (frozenset({"reevaluate", "reevaluation", "evaluation", "rehear"}),),
}

STATIC = frozenset({"staticmethod", "classmethod"})


def uncalled_helpers(symbols: SymbolTable, layers: Layers) -> list[FunctionRef]:
    """Return the functions in files of a node that gives the verdict whose names no code has.

    Nothing is returned of a file from which a run may fetch functions by names that it makes.
    """
    reached = {function.key for function in (*layers.in_use, *layers.judges, *layers.justice)}
    nodes = (node for name, node in layers.nodes.items() if layers.roles[name] == "justice")
    homes = {node.source.path: node.source for node in nodes}
    functions = [
        FunctionRef(source, site)
        for source in homes.values()
        if not (looks_names_up(source) or "globals()" in source.text)
        for site in source.functions
        if site.outer is None and _is_plain(site)
    ]
    return [f for f in functions if f.key not in reached and _stands_alone(symbols, f)]


def _is_plain(site: FunctionSite) -> bool:
    """Return true for what neither a decorator registers nor a class inherits or calls by itself."""
    decorators = {last_name(node) for node in site.node.decorator_list}
    has_bases = site.owner is not None and bool(site.owner.bases)
    return decorators <= STATIC and not has_bases and not site.node.name.startswith("__")


def _stands_alone(symbols: SymbolTable, function: FunctionRef) -> bool:
    """Return true for a name that stands in no line but those of its function."""
    word = re.compile(rf"\b{re.escape(function.name)}\b")
    node = function.site.node
    own = len(
        word.findall("\n".join(function.source.text.split("\n")[node.lineno - 1 : node.end_lineno]))
    )
    total = sum(len(word.findall(s.text)) for s in symbols.codebase if function.name in s.text)
    return own == total


def uncalled_rules(helpers: list[FunctionRef], rule: str) -> list[FunctionRef]:
    """Return those of the functions that are named after the rule.

    A weight in a file that names no Tech Lead is not the Tech Lead's.
    """
    return [
        helper
        for helper in helpers
        if all(not words.isdisjoint(words_of(helper.name)) for words in NAMED_AFTER[rule])
        and (rule != "functionality_weight" or "tech" in helper.source.text.lower())
    ]


def unused_helpers(symbols: SymbolTable, layers: Layers) -> Iterator[FlowFault]:
    """Yield the functions that are named after no rule: what is said of the rule names the others."""
    helpers = uncalled_helpers(symbols, layers)
    of_rules = {f.key for rule in NAMED_AFTER for f in uncalled_rules(helpers, rule)}
    for helper in helpers:
        if helper.key not in of_rules:
            sentence = f"Nothing calls {helper.shown_name}()"
            yield FlowFault("unused_verdict", sentence, *helper.key, is_minor=True)
