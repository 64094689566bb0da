"""Values that a prompt fixes for a field of the answer, and that its schema or the rubric refuses."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from courtroom.analysis.langgraph.judging.impossible_values import ClosedField, closed_field
from courtroom.analysis.langgraph.judging.structured_calls import classes_of, structured_calls
from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault
from courtroom.analysis.project.unjudged_criteria import criteria_of, rubrics_among
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.source_files import SourceFile
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.tree_walk import constant_text, fields_of, last_name, walk

JUDGE, CRITERION = "judge", "criterion_id"
# Shorter texts are keys and names, no prompts.
MIN_WORDS = 5
# Characters before a field that say that it stands in an example.
BEFORE = 80
_FIXED = re.compile(
    rf"""(?<![\w.])["']?({JUDGE}|{CRITERION})["']?\s{{0,3}}[:=]\s{{0,3}}["']([^"'{{}}<>|/\n]{{1,60}})["']"""
)
_EXAMPLE = re.compile(r"\bexamples?\b|\be\.g\.|\bsuch as\b", re.IGNORECASE)
# Place of a part of a text that a run fills in.
_HOLE = "\0"


def refused_values(
    symbols: SymbolTable, judges: Sequence[FunctionRef], justice: Sequence[FunctionRef]
) -> Iterator[FlowFault]:
    """Yield the fixed values as faults in the flow of data, each value of a field once."""
    closed = _closed_judges(symbols)
    ids = _criterion_ids(symbols.codebase.data)
    # A judge's code that sets the criterion itself makes what the model answers harmless.
    is_joined = any(CRITERION in site.mentions for site in (f.site for f in justice))
    is_open = not ids or not is_joined or any(sets_criterion(f.site.node) for f in judges)
    once: set[tuple[str, str]] = set()
    for source, line, field, value in _fixed(judges):
        known = closed.values if field == JUDGE and closed else ids
        if (field == JUDGE and closed is None) or (field == CRITERION and is_open):
            continue
        if value in known or (field, value) in once:
            continue
        once.add((field, value))
        instruction = f"The judges' model is told to answer with {value!r} as `{field}`"
        if field == JUDGE and closed:
            values = ", ".join(closed.values)
            sentence = f"{instruction}; its schema allows only {values}, so an answer that obeys is refused"
            yield FlowFault("refused_value", sentence, source, line, (closed.path, closed.line))
        else:
            sentence = (
                f"{instruction}; the rubric has no such criterion, so no opinion that obeys counts"
            )
            yield FlowFault("refused_value", sentence, source, line)


def _closed_judges(symbols: SymbolTable) -> ClosedField | None:
    """Return the few texts that the schema of a bound call allows for the judge's name."""
    for call in structured_calls(symbols):
        for site in classes_of(call, symbols):
            for statement in site.node.body:
                if isinstance(statement, ast.AnnAssign) and last_name(statement.target) == JUDGE:
                    return closed_field(symbols, site.source, statement)
    return None


def _criterion_ids(data: Mapping[str, str]) -> tuple[str, ...]:
    """Return the ids and names of the criteria of all rubrics."""
    rows = (row for path in rubrics_among(data) for row in criteria_of(data[path]))
    return tuple(text for row in rows for text in (row.id, row.name) if text)


def sets_criterion(function: ast.AST) -> bool:
    """Return true for `op.criterion_id = key` and `Opinion(criterion_id=key)`, but for a failure."""
    handlers = (node for node in walk(function) if isinstance(node, ast.ExceptHandler))
    caught = {id(part) for handler in handlers for part in walk(handler)}
    for node in walk(function):
        if id(node) in caught:
            continue
        is_stored = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if is_stored and last_name(node) == CRITERION:
            return True
        value = fields_of(node).get(CRITERION)
        # A copy of the answer's own criterion sets none.
        if value is not None and last_name(value) != CRITERION:
            return True
    return False


def _fixed(judges: Sequence[FunctionRef]) -> Iterator[tuple[str, int, str, str]]:
    """Yield path, line, field and value of the texts for the model."""
    sources = {judge.source.path: judge.source for judge in judges}
    own = ((source, statement) for source in sources.values() for statement in source.tree.body)
    trees = [
        *((source, node) for source, node in own if isinstance(node, ast.Assign)),
        *((judge.source, judge.site.node) for judge in judges),
    ]
    for source, tree in trees:
        for line, text, holes in _texts(tree):
            for match in _FIXED.finditer(text):
                if _EXAMPLE.search(text[max(0, match.start() - BEFORE) : match.start()]):
                    continue
                place = line + text.count("\n", 0, match.start())
                for value in _values(match[2], holes, text[: match.start(2)], source):
                    yield source.path, place, match[1], value


def _texts(tree: ast.AST) -> Iterator[tuple[int, str, list[ast.expr]]]:
    """Yield line, text and the expressions in its holes; docstrings are for people."""
    inner: set[int] = set()
    for node in walk(tree):
        if isinstance(node, ast.Expr):
            inner.add(id(node.value))
        if isinstance(node, ast.JoinedStr) and id(node) not in inner:
            parts = [constant_text(part) for part in node.values]
            inner.update(map(id, node.values))
            holes = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
            yield node.lineno, "".join(_HOLE if part is None else part for part in parts), holes
        text = constant_text(node) or ""
        if len(text.split()) >= MIN_WORDS and id(node) not in inner:
            yield getattr(node, "lineno", 1), text, []


def _values(
    written: str, holes: Sequence[ast.expr], before: str, source: SourceFile
) -> Iterable[str]:
    """Return the value, or those of an attribute that a run fills in: `"{self.name}"`."""
    if _HOLE not in written:
        return [written] if written.strip(". ") else []
    hole = holes[before.count(_HOLE)] if written == _HOLE else None
    if not isinstance(hole, ast.Attribute) or last_name(hole.value) != "self":
        return []
    named = [
        (home, text)
        for home in source.classes
        for statement in home.body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        if hole.attr in {last_name(target) for target in _targets(statement)}
        if (text := constant_text(statement.value))
    ]
    # What other classes inherit from stands for none of them.
    parents = {last_name(base) for home in source.classes for base in home.bases}
    return [text for home, text in named if home.name not in parents]


def _targets(statement: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else [statement.target]
