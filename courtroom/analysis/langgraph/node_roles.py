"""Role of a node by its name: detective, judge, justice, or join."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from courtroom.analysis.python.symbolic_execution.values import (
    CallResult,
    Function,
    Instance,
    Value,
)
from courtroom.analysis.python.tree_walk import last_name, walk, words_of

# Wrappers around wrappers; a longer chain is a circle.
MAX_WRAPPERS = 4
DETECTIVE_WORDS = frozenset(
    words_of(
        """investigator investigate analyst analyzer analyser analysis inspector inspect vision repo
        repository doc docs document pdf git diagram image screenshot scanner researcher examiner"""
    )
)
DETECTIVE_LAYER_WORDS = frozenset(words_of("detective detectives forensic forensics"))
JUDGE_WORDS = frozenset(
    words_of("prosecutor prosecution defense defence defender lead techlead judge judges advocate")
)
COURT_WORDS = frozenset(words_of("justice chief chiefjustice supreme verdict"))
JUSTICE_WORDS = COURT_WORDS | frozenset(words_of("synthesis synthesizer synthesize"))
# Names of one judge's persona. "lead" alone may be another one's.
PERSONA_WORDS = JUDGE_WORDS - {"lead", "judge", "judges"}
# Nodes that join or route, whatever layer their name mentions.
JOIN_WORDS = frozenset(
    words_of(
        """aggregator aggregate aggregation aggregated join sync synchronizer merge fan gate router
        route dispatch dispatcher error handler abort saver variance evaluation debate barrier
        hub"""
    )
)
# Words by which a function says that it only hands on, whatever its node is called.
HANDING_ON_WORDS = frozenset(words_of("hub router dispatch dispatcher fan gate"))
# The same for names that mention no particular detective: evidence_collector, judges_done.
LOOSE_JOIN_WORDS = frozenset(
    words_of(
        """collector collect start entry check builder context prepare report save cleanup init
        initialize setup load loader clone end exit layer done complete evidence"""
    )
)
# A node that fetches what the detectives look at: repo_cloner.
FETCHING_WORDS = frozenset({"clone", "cloner", "cloning"})
# Names with one of these are of a single detective or judge, whatever else they mention.
SINGLE_WORDS = frozenset(
    words_of(
        """repo repository doc docs document pdf git diagram image vision screenshot prosecutor
        prosecution defense defence defender lead techlead advocate"""
    )
)


def role_of(name: str, action: Value) -> str:
    """Return the role of a node by its name, else by its function's name; "" for neither.

    A node that is called after a criterion on the synthesis and runs a detective is a detective; one
    that runs a hub or a router is a join.
    """
    function = _function_name(action)
    role, role_of_function = role_by_name(name), role_by_name(function)
    if not HANDING_ON_WORDS.isdisjoint(words_of(function)):
        return "join"
    is_court = not COURT_WORDS.isdisjoint(words_of(name))
    is_of_criterion = (
        role == "justice" and not is_court and role_of_function in {"detective", "judge"}
    )
    return role_of_function if is_of_criterion else role or role_of_function


def role_by_name(name: str) -> str:
    return _role(set(words_of(name)))


def joins_before_verdict(shape: Mapping[str, Any] | None) -> list[str]:
    """Return the nodes of the fact graph_shape at which branches join, from the verdict on none."""
    joins = shape["joins"] if shape else {}
    return [
        node
        for node, starts in joins.items()
        if not any(role_by_name(name) == "justice" for name in (node, *starts))
    ]


def _role(words: set[str]) -> str:
    # The order decides: an evidence_aggregator is a join though "evidence" is a detective's word.
    # A prosecutor of the criterion on the synthesis is a judge.
    is_persona = bool(words & PERSONA_WORDS) or words >= {"tech", "lead"}
    if words & JUSTICE_WORDS and "evidence" not in words and not is_persona:
        return "justice"
    if words & (JOIN_WORDS | FETCHING_WORDS):
        return "join"
    if words & DETECTIVE_WORDS and not words & JUDGE_WORDS:
        return "detective"
    if words & LOOSE_JOIN_WORDS:
        return "join"
    if words & JUDGE_WORDS:
        return "judge"
    return "detective" if words & DETECTIVE_LAYER_WORDS else ""


def role_by_home(action: Value) -> str:
    """Return the role of a node by the file and class that its function stands in: judges.py."""
    if isinstance(action, CallResult) and action.positional:
        return role_by_home(action.positional[0])
    if isinstance(action, Function):
        function = unwrapped(action)
        owner = function.scope.owner
        home = f"{function.source.module.rpartition('.')[2]} {owner.node.name if owner else ''}"
        return _role(set(words_of(function.name))) or _role(set(words_of(home)))
    if isinstance(action, Instance):
        return _role(set(words_of(action.kind.source.module.rpartition(".")[2])))
    return ""


def unwrapped(function: Function) -> Function:
    """Return the function that a wrapper calls: the one its factory was given."""
    for _ in range(MAX_WRAPPERS):
        inner = _wrapped(function)
        if inner is None:
            break
        function = inner
    return function


def _wrapped(function: Function) -> Function | None:
    # Only a function made inside another one holds what that one was given.
    if function.scope.function is None:
        return None
    given = {
        name: value for name, value in function.scope.names.items() if isinstance(value, Function)
    }
    called = {last_name(node.func) for node in walk(function.node) if isinstance(node, ast.Call)}
    passed = {node.id for node in walk(function.node) if isinstance(node, ast.Name)}
    candidates = [
        value
        for name, value in given.items()
        if value.node is not function.node and (name in called or name in passed)
    ]
    return candidates[0] if len(candidates) == 1 else None


def _function_name(action: Value) -> str:
    if isinstance(action, Function):
        return action.name
    if isinstance(action, Instance):
        return action.kind.node.name
    if isinstance(action, CallResult) and action.positional:
        return _function_name(action.positional[0])
    return ""


def is_single(name: str, role: str) -> bool:
    """Return true when a node with a graph in it is one detective or judge, not a layer."""
    return role == "justice" or (role != "" and bool(set(words_of(name)) & SINGLE_WORDS))
