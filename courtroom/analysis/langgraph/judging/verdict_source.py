"""Where the Chief Justice's scores come from, code or a model, and whether a Markdown report is written."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from courtroom.analysis.langgraph.judging.score_changes import (
    SCORE_WORDS,
    assignments_in,
    called_name,
    is_score_name,
    words_in,
)
from courtroom.analysis.langgraph.judging.structured_output import BINDERS
from courtroom.analysis.python.call_graph import Place
from courtroom.analysis.python.names import Names
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.tree_walk import keyword_of, walk, words_of

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
FEWEST_HEADINGS = 2
OPINION_WORDS = frozenset(
    words_of(
        """opinion opinions score scores judge judges judgment judgments judgement judgements verdict verdicts ruling
        rulings rating ratings vote votes argument arguments prosecutor prosecution defense defence"""
    )
)
REPORT_WORDS = frozenset({"report", "audit", "summary", "criterion", "verdict"})


def model_made_scores(names: Names, justice: list[Place]) -> Iterator[tuple[Place, int]]:
    """Lines where a score comes out of a model's answer."""
    for place in justice:
        asked = [call for call in _calls(place.site.node) if _asks_model(names, place.source, call)]
        if not asked:
            continue
        assigned = assignments_in(place.site.node)
        if any(_is_bound_to_scores(names, place, call, assigned) for call in asked):
            yield place, asked[0].lineno
            continue
        tainted = _tainted(place.site.node, asked)
        for node in walk(place.site.node):
            if _gives_score(node, tainted):
                yield place, getattr(node, "lineno", asked[0].lineno)


def reads_opinions(justice: list[Place]) -> bool:
    """Whether the code looks at what the judges said: `return 5` follows from no opinion."""
    return any(_is_read_opinion(node) for place in justice for node in walk(place.site.node))


def _is_read_opinion(node: ast.AST) -> bool:
    if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
        said = node.id if isinstance(node, ast.Name) else node.attr
        return bool(set(words_of(said)) & OPINION_WORDS)
    if isinstance(node, ast.Subscript):
        return bool(words_in(node.slice) & OPINION_WORDS)
    keys = (
        node.args if isinstance(node, ast.Call) and called_name(node) in {"get", "getattr"} else []
    )
    return any(bool(words_in(key) & OPINION_WORDS) for key in keys)


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (inner for inner in walk(node) if isinstance(inner, ast.Call))


def _asks_model(names: Names, source: SourceFile, call: ast.Call) -> bool:
    dotted = names.dotted(source, call.func)
    return called_name(call) in MODEL_CALLS or dotted.endswith(MODEL_ENDPOINTS)


def _is_bound_to_scores(
    names: Names, place: Place, call: ast.Call, assigned: dict[str, list[ast.expr]]
) -> bool:
    """The asked model is bound to a schema that holds a score."""
    queue: list[ast.expr] = [call.func]
    seen: set[str] = set()
    while queue:
        node = queue.pop()
        for inner in walk(node):
            if isinstance(inner, ast.Call) and called_name(inner) in BINDERS:
                return _schema_has_score(names, place.source, inner)
            if isinstance(inner, ast.Name) and inner.id in assigned and inner.id not in seen:
                seen.add(inner.id)
                queue.extend(assigned[inner.id])
    return False


def _schema_has_score(names: Names, source: SourceFile, call: ast.Call) -> bool:
    schema = call.args[0] if call.args else keyword_of(call, "schema")
    site = names.classes_named(source, schema) if schema is not None else None
    if site is None:
        return True
    fields = [
        s.target.id
        for s in site.node.body
        if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
    ]
    return any(set(words_of(name)) & SCORE_WORDS for name in fields)


def _tainted(function: ast.AST, asked: list[ast.Call]) -> set[str]:
    """Local names that hold a model's answer or something taken out of it."""
    asked_ids = {id(call) for call in asked}
    tainted: set[str] = set()
    for _ in range(8):
        before = len(tainted)
        for node in walk(function):
            value = (
                getattr(node, "iter", None)
                if isinstance(node, ast.For)
                else getattr(node, "value", None)
            )
            if (
                isinstance(node, ast.Assign | ast.AnnAssign | ast.For)
                and value is not None
                and _is_tainted(value, tainted, asked_ids)
            ):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                tainted.update(
                    n.id for target in targets for n in walk(target) if isinstance(n, ast.Name)
                )
        if len(tainted) == before:
            break
    return tainted


def _is_tainted(value: ast.AST, tainted: set[str], asked: set[int]) -> bool:
    return any(id(n) in asked or (isinstance(n, ast.Name) and n.id in tainted) for n in walk(value))


def _gives_score(node: ast.AST, tainted: set[str]) -> bool:
    if isinstance(node, ast.keyword):
        return bool(set(words_of(node.arg or "")) & SCORE_WORDS) and _is_score_of(
            node.value, tainted
        )
    if isinstance(node, ast.Assign):
        return any(map(is_score_name, node.targets)) and _is_tainted(node.value, tainted, set())
    return False


def _is_score_of(value: ast.expr, tainted: set[str]) -> bool:
    return _is_tainted(value, tainted, set())


def markdown_reports(names: Names) -> Iterator[tuple[SourceFile, int]]:
    """Where a report with Markdown headings is made: by what calls itself so, or when something writes a .md file."""
    production = names.codebase.production
    is_written = any(_writes_markdown(source) for source in production)
    for source in production:
        headings = Counter(
            id(site.node) for node, site in source.strings if site is not None and _is_heading(node)
        )
        for site in source.functions:
            words = (
                words_in(site.node) if headings[id(site.node)] >= FEWEST_HEADINGS else frozenset()
            )
            is_report = is_written or "markdown" in words_of(site.node.name)
            if is_report and words & REPORT_WORDS and not _is_prompt(site.node):
                yield source, site.node.lineno


def _is_heading(node: ast.Constant) -> bool:
    lines = str(node.value).lstrip("\n").split("\n")
    return any(line.startswith(("# ", "## ", "### ")) for line in lines)


def _is_prompt(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return "prompt" in words_of(function.name)


def _writes_markdown(source: SourceFile) -> bool:
    if ".md" not in source.text and "markdown" not in source.text.lower():
        return False
    return any(
        called_name(site.node) in {"write_text", "write", "writelines", "dump"}
        for site in source.calls
    )
