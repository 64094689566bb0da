"""Origin of the Chief Justice's scores: code or a model."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from courtroom.analysis.langgraph.judging.score_changes import (
    SCORE_WORDS,
    Assignments,
    assignments_in,
    is_score_name,
    words_in,
)
from courtroom.analysis.langgraph.judging.structured_calls import SCHEMA_BINDERS
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import called_name, keyword_of, last_name, walk, words_of

MODEL_CALLS = frozenset(
    {"invoke", "ainvoke", "predict", "apredict", "generate_content", "complete", "acomplete"}
)
MODEL_ENDPOINTS = (
    "completions.create",
    "messages.create",
    "responses.create",
    "responses.parse",
    "completions.parse",
)
# Assignments from one name to the next that taint is followed through.
MAX_TAINT_ROUNDS = 8
OPINION_WORDS = frozenset(
    words_of(
        """opinion opinions score scores judge judges judgment judgments judgement judgements
        verdict verdicts ruling rulings rating ratings vote votes argument arguments prosecutor
        prosecution defense defence"""
    )
)
# "final_summary" is no score, nor is the remediation plan, though both may be final.
TEXT_WORDS = frozenset(
    words_of("summary remediation plan narrative prose rationale explanation recommendations text")
)
SURE_SCORE_WORDS = SCORE_WORDS - frozenset(words_of("final resolved adjusted"))


def model_made_scores(
    symbols: SymbolTable, justice: list[FunctionRef]
) -> Iterator[tuple[FunctionRef, int]]:
    """Yield the lines where a score comes from a model's answer."""
    for function in justice:
        node = function.site.node
        model_calls = [
            inner
            for inner in walk(node)
            if isinstance(inner, ast.Call) and _is_model_call(symbols, function.source, inner)
        ]
        if not model_calls:
            continue

        assigned = assignments_in(node)
        if any(_is_bound_to_scores(symbols, function, call, assigned) for call in model_calls):
            yield function, model_calls[0].lineno
            continue
        tainted = _tainted_names(node, model_calls)
        for inner in walk(node):
            if _sets_tainted_score(inner, tainted):
                yield function, getattr(inner, "lineno", model_calls[0].lineno)


def reads_opinions(justice: list[FunctionRef]) -> bool:
    """Return true when the code reads the opinions: `return 5` follows from none."""
    return any(_is_opinion_read(node) for function in justice for node in walk(function.site.node))


def _is_opinion_read(node: ast.AST) -> bool:
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
        return bool(set(words_of(last_name(node))) & OPINION_WORDS)
    if isinstance(node, ast.Subscript):
        return bool(words_in(node.slice) & OPINION_WORDS)
    if isinstance(node, ast.Call) and called_name(node) in {"get", "getattr"}:
        return any(bool(words_in(key) & OPINION_WORDS) for key in node.args)
    return False


def _is_model_call(symbols: SymbolTable, source: SourceFile, call: ast.Call) -> bool:
    dotted = symbols.dotted_name(source, call.func)
    return called_name(call) in MODEL_CALLS or dotted.endswith(MODEL_ENDPOINTS)


def _is_bound_to_scores(
    symbols: SymbolTable, function: FunctionRef, call: ast.Call, assigned: Assignments
) -> bool:
    """Return true when the called model is bound to a schema that holds a score."""
    queue: list[ast.expr] = [call.func]
    visited: set[str] = set()
    while queue:
        for node in walk(queue.pop()):
            if isinstance(node, ast.Call) and called_name(node) in SCHEMA_BINDERS:
                return _schema_has_score(symbols, function.source, node)
            if isinstance(node, ast.Name) and node.id in assigned and node.id not in visited:
                visited.add(node.id)
                queue.extend(assigned[node.id])

    return False


def _schema_has_score(symbols: SymbolTable, source: SourceFile, call: ast.Call) -> bool:
    schema = call.args[0] if call.args else keyword_of(call, "schema")
    site = symbols.find_class(source, schema) if schema is not None else None
    if site is None:
        # A schema that is not known may hold a score.
        return True

    fields = [
        statement.target.id
        for statement in site.node.body
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
    ]
    return any(set(words_of(name)) & SCORE_WORDS for name in fields)


def _tainted_names(function: ast.AST, model_calls: list[ast.Call]) -> set[str]:
    """Return the local names that hold a model's answer or a part of it."""
    call_ids = {id(call) for call in model_calls}
    tainted: set[str] = set()
    for _ in range(MAX_TAINT_ROUNDS):
        count_before = len(tainted)
        for node in walk(function):
            if not isinstance(node, ast.Assign | ast.AnnAssign | ast.For):
                continue
            value = node.iter if isinstance(node, ast.For) else node.value
            if value is None or not _is_tainted(value, tainted, call_ids):
                continue
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            tainted.update(
                inner.id
                for target in targets
                for inner in walk(target)
                if isinstance(inner, ast.Name)
            )
        if len(tainted) == count_before:
            break

    return tainted


def _is_tainted(value: ast.AST, tainted: set[str], call_ids: set[int]) -> bool:
    return any(
        id(node) in call_ids or (isinstance(node, ast.Name) and node.id in tainted)
        for node in walk(value)
    )


def _sets_tainted_score(node: ast.AST, tainted: set[str]) -> bool:
    if isinstance(node, ast.keyword):
        words = set(words_of(node.arg or ""))
        is_score = bool(words & SCORE_WORDS) and not _is_text(words)
        return is_score and _is_tainted(node.value, tainted, set())
    if isinstance(node, ast.Assign):
        is_score = any(
            is_score_name(target) and not _is_text(set(words_of(last_name(target))))
            for target in node.targets
        )
        return is_score and _is_tainted(_beside_parts(node.value), tainted, set())
    return False


def _is_text(words: set[str]) -> bool:
    return bool(words & TEXT_WORDS) and not words & SURE_SCORE_WORDS


def _beside_parts(value: ast.expr) -> ast.AST:
    """Return the value; of a report put together from named parts, what has no name."""
    if isinstance(value, ast.Call) and value.keywords and all(part.arg for part in value.keywords):
        return ast.Tuple(elts=value.args)
    return value
