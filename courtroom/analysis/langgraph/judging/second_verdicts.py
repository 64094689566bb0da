"""Verdicts that a caller of the graph averages anew from what judges gave.

A page or a report that does so shows another verdict than the Chief Justice's.
"""

from __future__ import annotations

from collections.abc import Iterator

from courtroom.analysis.langgraph.judging.averaged_scores import averaged_scores
from courtroom.analysis.langgraph.judging.judge_functions import Layers
from courtroom.analysis.langgraph.judging.markdown_reports import markdown_reports
from courtroom.analysis.langgraph.judging.report_delivery import DeliveryReader
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import constant_text, last_name, walk, words_of

OPINIONS = frozenset({"opinion", "opinions"})
VERDICT = frozenset({"final", "score"})


def second_verdicts(
    symbols: SymbolTable, layers: Layers, reader: DeliveryReader
) -> Iterator[tuple[FunctionRef, int]]:
    """Yield function and line of each mean of opinions that a run takes beside the Chief Justice."""
    nodes = {function.key for function in layers.nodes.values()}
    of_graph = {function.key for function in (*layers.justice, *layers.judges)} | nodes
    reports = {report.function.key for report in markdown_reports(symbols)}
    for source in symbols.codebase.production:
        if "opinion" not in source.text:
            continue
        for function in (FunctionRef(source, site) for site in source.functions):
            if function.key in of_graph or not _reads_opinions(function):
                continue
            is_report = function.key in reports and not _gives_verdict(function)
            means = list(averaged_scores([function], in_texts=is_report))
            if means and reader.is_of_run(function):
                yield from means


def _reads_opinions(function: FunctionRef) -> bool:
    return any(OPINIONS.intersection(words_of(name)) for name in function.site.mentions)


def _gives_verdict(function: FunctionRef) -> bool:
    """Return whether a function also reads the score that is final."""
    nodes = walk(function.site.node)
    return any(set(words_of(last_name(n) or constant_text(n) or "")) >= VERDICT for n in nodes)
