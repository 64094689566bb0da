"""Fields of the repository's Pydantic models, and calls of a model without one that it requires."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from courtroom.analysis.python.certain_nodes import mark_of
from courtroom.analysis.python.failing_lines import FailingLine
from courtroom.analysis.python.source_files import FunctionSite, SourceFile
from courtroom.analysis.python.symbol_table import ClassSite, SymbolTable
from courtroom.analysis.python.tree_walk import called_name, keyword_of, last_name, walk

# Validators of a whole model may rename what they get.
BEFORE = frozenset({"model_validator", "root_validator"})
# No written model has so many ancestors.
MOST_PARENTS = 8
# Annotations of what is no field, or that version 1 of Pydantic gives a default.
_WITH_DEFAULT = frozenset({"ClassVar", "Optional", "None", "Any", "InitVar"})
_DEFAULTS = ("default", "default_factory")

Fields = Mapping[str, ast.AnnAssign]


def model_fields(symbols: SymbolTable, site: ClassSite) -> Fields | None:
    """Return the fields of a Pydantic model that ignores other names; None for other classes."""
    homes, fields = [site], dict[str, ast.AnnAssign]()
    is_model = False
    for home in homes:
        for base in home.node.bases:
            parent = symbols.find_class(home.source, base)
            if parent is not None and len(homes) < MOST_PARENTS:
                homes.append(parent)
            elif symbols.dotted_name(home.source, base) != "pydantic.BaseModel":
                return None
            else:
                is_model = True
        for statement in home.node.body:
            if isinstance(statement, ast.AnnAssign):
                fields.setdefault(last_name(statement.target), statement)
            if _takes_other_names(statement):
                return None
    return fields if is_model and len(homes) < MOST_PARENTS else None


def _takes_other_names(statement: ast.stmt) -> bool:
    """Return true for what may let a model take a name that is no field of it."""
    if isinstance(statement, ast.FunctionDef):
        decorators = {
            last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
            for decorator in statement.decorator_list
        }
        return statement.name == "__init__" or bool(decorators & BEFORE)
    text = ast.dump(statement)
    return "alias" in text or "extra" in text


def calls_without_field(
    symbols: SymbolTable, source: SourceFile, function: FunctionSite
) -> Iterator[FailingLine]:
    """Yield calls that leave out a field without a default: the model refuses them."""
    for node in walk(function.node):
        if not isinstance(node, ast.Call) or not node.keywords or node.args:
            continue
        given = {keyword.arg for keyword in node.keywords}
        site = symbols.find_class(source, node.func) if None not in given else None
        if site is None or site.node.decorator_list or site.node.keywords:
            continue
        fields = model_fields(symbols, site) or {}
        lacking = [n for n, field in fields.items() if n not in given and _is_required(field)]
        if lacking:
            *first, last = lacking
            names = f"{', '.join(first)} and {last}" if first else last
            why = f"builds {site.node.name} without {names}, which it requires"
            yield FailingLine(node.lineno, why, mark_of(node))


def _is_required(field: ast.AnnAssign) -> bool:
    if last_name(field.target).startswith("_"):
        return False
    words = {last_name(n) or str(getattr(n, "value", "")) for n in walk(field.annotation)}
    # An annotation in quotation marks is one text.
    if any(word in text for word in _WITH_DEFAULT for text in words) or "Field" in words:
        return False
    value = field.value
    if value is None:
        return True
    if not isinstance(value, ast.Call) or called_name(value) != "Field":
        return False
    if any(keyword.arg is None for keyword in value.keywords):
        return False
    first = value.args[0] if value.args else keyword_of(value, "default")
    is_open = isinstance(first, ast.Constant) and first.value is Ellipsis
    return is_open or not (value.args or any(keyword_of(value, name) for name in _DEFAULTS))
