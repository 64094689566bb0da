"""Score fields of the models that judges' requests are bound to."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from courtroom.analysis.langgraph.judging.score_changes import assignments_in
from courtroom.analysis.langgraph.judging.score_defaults import SCORE, written_number
from courtroom.analysis.langgraph.judging.structured_calls import is_model_call
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import called_name, keyword_of, last_name, walk

BINDING = "with_structured_output"
# The end of the sentence on a field that writes a score of its own.
BY_FIELD = "to an answer that has none, by the default of the field."


@dataclass(frozen=True, slots=True)
class BoundField:
    """Score field of a bound model, with a function of its file and the number of its default."""

    function: FunctionRef
    owner: str
    line: int
    default: float | None
    is_ranged: bool


def bound_fields(judges: Sequence[FunctionRef]) -> list[BoundField]:
    """Return the score fields that every answer of these judges has passed.

    Empty where a request goes to a model that is not bound beside it, or to a class of another
    file: then an answer may lack a score.
    """
    fields: dict[tuple[str, int], BoundField] = {}
    for function in judges:
        values = assignments_in(function.site.node)
        for call in walk(function.site.node):
            if not is_model_call(call) or called_name(call) == BINDING:
                continue
            field = _field(call, values, function)
            if field is None:
                return []
            fields.setdefault((function.source.path, field.line), field)
    return [*fields.values()]


def _field(
    request: ast.Call, values: dict[str, list[ast.expr]], function: FunctionRef
) -> BoundField | None:
    model = request.func.value if isinstance(request.func, ast.Attribute) else request.func
    bound = values.get(model.id, []) if isinstance(model, ast.Name) else [model]
    binding = bound[0] if len(bound) == 1 else None
    if not isinstance(binding, ast.Call) or called_name(binding) != BINDING:
        return None
    schema = binding.args[0] if binding.args else keyword_of(binding, "schema")
    if schema is None or keyword_of(binding, "include_raw"):
        return None
    for owner in function.source.classes:
        for line in owner.body if owner.name == last_name(schema) else ():
            if isinstance(line, ast.AnnAssign) and last_name(line.target) == SCORE:
                return _required(line, owner.name, function)
    return None


def _required(line: ast.AnnAssign, owner: str, function: FunctionRef) -> BoundField | None:
    """Return a field that always holds a score; None where it may be empty, or cannot be read."""
    call = line.value if isinstance(line.value, ast.Call) else None
    value = line.value
    if call:
        value = keyword_of(call, "default") or (call.args[0] if call.args else None)
    default = written_number(value)
    is_open = value is None or (isinstance(value, ast.Constant) and value.value is ...)
    names = {last_name(part) for part in walk(line.annotation)}
    may_be_none = "Optional" in names or any(
        isinstance(part, ast.Constant) and part.value is None for part in walk(line.annotation)
    )
    if may_be_none or (default is None and not is_open) or _has_factory(call):
        return None
    is_ranged = call is not None and all(keyword_of(call, end) for end in ("ge", "le"))
    return BoundField(function, owner, line.lineno, default, is_ranged)


def _has_factory(call: ast.Call | None) -> bool:
    return call is not None and keyword_of(call, "default_factory") is not None
