"""Rules that are read in the code of a Chief Justice."""

from __future__ import annotations

from courtroom.analysis.langgraph.judging.dead_conditions import DeadConditions
from courtroom.analysis.langgraph.judging.rule_detection import RuleReading, read_rules
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.sources import layers_of, symbols_of


def rules_in(code: str) -> set[str]:
    symbols = symbols_of({"src/justice.py": code})
    call_graph, layers = layers_of(symbols)
    rules = read_rules(call_graph, layers, read_graph(symbols, {}))
    return {rule for rule, reading in rules.items() if reading.lines}


def readings_of(
    code: str, keys: frozenset[str] | None = None, data: dict[str, str] | None = None
) -> dict[str, RuleReading]:
    symbols = symbols_of({"src/justice.py": code})
    symbols.codebase.data = data or {}
    call_graph, layers = layers_of(symbols)
    conditions = DeadConditions(symbols, layers.justice, keys)
    return read_rules(call_graph, layers, read_graph(symbols, {}), conditions)
