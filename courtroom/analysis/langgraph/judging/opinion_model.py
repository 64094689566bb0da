"""The work's model of an opinion: its fields, and the scores that it lets through."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from courtroom.analysis.langgraph.judging.score_runs import USUAL_SCALE
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name, keyword_of, last_name, walk, words_of


@dataclass(frozen=True, slots=True)
class OpinionModel:
    """Class of an opinion with a score; `scale` is from 1 to 5 where its field sets no bounds."""

    source: SourceFile
    node: ast.ClassDef
    fields: tuple[str, ...]
    scale: range


def opinion_model(symbols: SymbolTable) -> OpinionModel | None:
    """Return the first class that is named after an opinion and has a score."""
    for source in symbols.codebase.production:
        for node in source.classes:
            fields = symbols.field_names(source, node) if "opinion" in words_of(node.name) else ()
            if "score" in fields:
                scales = filter(None, map(_scale_of, node.body))
                return OpinionModel(source, node, tuple(sorted(fields)), next(scales, USUAL_SCALE))
    return None


def _scale_of(field: ast.stmt) -> range | None:
    """Return the scores of `score: int = Field(ge=1, le=100)`, also in its annotation."""
    if not isinstance(field, ast.AnnAssign) or last_name(field.target) != "score":
        return None
    for node in walk(field):
        if isinstance(node, ast.Call) and called_name(node) == "Field":
            low, high = _bound(node, "ge"), _bound(node, "le")
            if low is not None and high is not None and low < high:
                return range(low, high + 1)
    return None


def _bound(call: ast.Call, name: str) -> int | None:
    value = keyword_of(call, name)
    number = value.value if isinstance(value, ast.Constant) else None
    return number if type(number) is int else None
