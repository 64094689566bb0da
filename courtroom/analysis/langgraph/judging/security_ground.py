"""Ground of the cap for security.

A cap for a *confirmed* flaw reads evidence; one that reads a judge's words or score fires on what
somebody says, and so does one for which either is enough.
"""

from __future__ import annotations

import ast
from typing import Literal

from courtroom.analysis.langgraph.judging.dead_conditions import DeadConditions
from courtroom.analysis.langgraph.judging.rule_detection import is_security_cap
from courtroom.analysis.langgraph.judging.rule_inputs import InputReader
from courtroom.analysis.langgraph.judging.rule_words import EVIDENCE
from courtroom.analysis.langgraph.judging.score_changes import (
    ChangeReader,
    ScoreChange,
    assignments_in,
    words_in,
)
from courtroom.analysis.langgraph.judging.ways_to_hold import (
    OF_OPINIONS,
    holds_by_opinions,
)
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import tests_around, walk, words_of

SecurityGround = Literal["evidence", "either", "opinions", "none"]

CITED = frozenset(words_of("cited citation citations"))
# Words of a piece of evidence whose name is a single letter.
OF_EVIDENCE = frozenset({"found", "confidence"})


def read_security_ground(
    functions: list[FunctionRef], conditions: DeadConditions | None = None
) -> SecurityGround | None:
    """Return what the conditions of the caps read; None where that does not show.

    A parameter that a condition takes as it is is followed to what its function is called with.
    """
    changes = ChangeReader(functions, conditions).changes()
    caps = [change for change in changes if not change.is_dead and is_security_cap(change)]
    guards = [cap.guard | _words_of_flags(cap) for cap in caps]
    inputs = InputReader({function.name: function for function in functions})
    has_evidence = any(
        _reads_evidence(guard) and not inputs.reads_citations(cap.own_tests, cap.function)
        for guard, cap in zip(guards, caps, strict=True)
    ) or any(inputs.reads_evidence_by_flags(cap.own_tests, cap.function) for cap in caps)
    if has_evidence:
        return "either" if any(holds_by_opinions(cap, inputs) for cap in caps) else "evidence"
    if not caps:
        return "none"
    words_by_cap = [guard | _words_of_scores(cap) for guard, cap in zip(guards, caps, strict=True)]
    by_opinions = (
        words & OF_OPINIONS or inputs.reads_words_by_flags(cap.own_tests, cap.function, OF_OPINIONS)
        for words, cap in zip(words_by_cap, caps, strict=True)
    )
    return "opinions" if all(by_opinions) else None


def _reads_evidence(guard: frozenset[str]) -> bool:
    # What an opinion cites are words of the opinion.
    own = guard & EVIDENCE - {"evidence"} if "cited" in guard else guard & EVIDENCE
    return bool(own - CITED) or guard >= OF_EVIDENCE


def _words_of_flags(cap: ScoreChange) -> frozenset[str]:
    """Return the words of the tests under which names in the cap's own tests are set.

    `is_flawed = False; for e in evidences: if e.found: is_flawed = True; if is_flawed: ...`
    """
    function = cap.function.site.node
    tests = list(tests_around(function, cap.line))
    names = {node.id for test in tests for node in walk(test) if isinstance(node, ast.Name)}
    lines = [
        node.lineno
        for node in walk(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and names & {target.id for target in node.targets if isinstance(target, ast.Name)}
    ]
    around = (test for line in lines for test in tests_around(function, line))
    return frozenset(word for test in around for word in words_in(test))


def _words_of_scores(cap: ScoreChange) -> frozenset[str]:
    """Return the words behind the scores in the cap's own tests that are set once.

    `p_score = prosecutor.score`: the test of `p_score` reads what the Prosecutor scores.
    """
    assigned = assignments_in(cap.function.site.node)
    names = {node.id for test in cap.own_tests for node in walk(test) if isinstance(node, ast.Name)}
    values = [assigned[name][0] for name in names if len(assigned.get(name, ())) == 1]
    return frozenset(word for value in values for word in words_in(value))
