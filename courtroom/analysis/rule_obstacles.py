"""Rules of the verdict that the code begins, or has, and that never act as their names say."""

from __future__ import annotations

from courtroom.analysis.fact_writer import FactWriter

# Of a rule that the code has: it waits for what no run brings.
NEVER_APPLIES = "it never applies"


def record_rule_obstacles(writer: FactWriter) -> None:
    """Record the first line of each such rule with why, which ends a sentence."""
    rules = writer.facts.get("rules")
    if rules is None:
        writer.set_unknown(["unheld_rules"], writer.reasons.get("rules", "no rules were read"))
        return
    first_lines = {rule: writer.locations[rule][0] for rule in rules if writer.locations.get(rule)}
    writer.facts["unheld_rules"] = [
        {"path": line.path, "line": line.line_start, "rule": rule, "why": _why(line.note)}
        for rule, line in first_lines.items()
        if line.note and (rules[rule] is False or NEVER_APPLIES in line.note)
    ]


def _why(note: str) -> str:
    _, verdict, reason = note.partition(NEVER_APPLIES)
    return f"this rule never applies{reason}".removesuffix(".") if verdict else note
