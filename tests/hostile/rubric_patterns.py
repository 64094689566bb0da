"""Rubrics that ended a web process, or held it: patterns and guards as ast-grep and CEL meet them."""

from __future__ import annotations

from typing import Any

# Each of them overflowed ast-grep's stack: text before a name, and after it.
OVERFLOWS = {
    "calls": ("f(" * 20_000, ")" * 20_000),
    "lists": ("[" * 40_000, "]" * 40_000),
    "brackets": ("(" * 40_000, ")" * 40_000),
    "negations": ("not " * 40_000, ""),
    "minuses": ("-" * 40_000, ""),
    "sums": ("", "+1" * 40_000),
    "attributes": ("", ".b" * 40_000),
    "lambdas": ("lambda: " * 40_000, ""),
}
PATTERNS = {name: f"{before}x{after}" for name, (before, after) in OVERFLOWS.items()}
GUARDS = {
    "1,104 characters": "spread > 1 || " * 78 + "spread > 1  ",
    "90,000 characters": "(" * 44_998 + "true" + ")" * 44_998,
}
LOOPS = "[0, 0].all(a, [0, 0].all(b, [0, 0].all(c, {} || true)))"
ADDED = "A guard with a loop adds numbers only."
COMPARED = "A guard with a loop compares single values, not lists or records."
# Operation within three loops, the operator that is refused, and the reason.
COSTLY_IN_LOOPS = {
    "lists added": (f"({' + '.join(['facts.diagrams'] * 4)}).size() > 1", "+", ADDED),
    "lists compared": ("facts.diagrams == facts.deferrals", "==", COMPARED),
    "texts added": (f"{' + '.join(['facts.unreadable_files[0]'] * 4)} == ''", "+", ADDED),
}
DEEP = "(" * 21 + "x" + ")" * 21


def pattern_check(pattern: str, **changes: Any) -> dict[str, Any]:
    check = {"id": "k", "kind": "code_pattern", "goal": "g", "language": "python"}
    return {**check, "pattern": pattern, **changes}


def rubric_of(*checks: dict[str, Any], **changes: Any) -> dict[str, Any]:
    criterion = {"id": "a", "name": "A", "checks": list(checks)}
    return {"id": "x", "name": "X", "version": "1", "criteria": [criterion], **changes}


def guarded_rubric(guard: str) -> dict[str, Any]:
    rules = [{"kind": "fact_supremacy", "when": guard}]
    return rubric_of(constitution={"id": "own", "rules": rules})


def rubric_with_criteria(count: int, **fields: Any) -> dict[str, Any]:
    criteria = [{"id": f"c{n}", "name": f"C{n}", **fields} for n in range(count)]
    return rubric_of(criteria=criteria)


def levels(count: int) -> list[dict[str, Any]]:
    return [{"id": f"l{n}", "name": f"L{n}", "points": n} for n in range(count)]
