"""Rule of functionality: the Tech Lead's score decides under a condition, or weighs more."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from courtroom.analysis.langgraph.judging.dead_conditions import argument_of, parameter_names
from courtroom.analysis.langgraph.judging.score_changes import (
    SCORE_WORDS,
    Assignments,
    ScoreChange,
    assignments_in,
    names_never_read,
    words_in,
)
from courtroom.analysis.python.call_graph import FunctionRef
from courtroom.analysis.python.tree_walk import (
    called_name,
    constant_text,
    last_name,
    walk,
    words_of,
)

LIMIT_WORDS = frozenset(words_of("cap capped floor ceiling limit max maximum penalty"))
OTHER_JUDGES = frozenset(words_of("prosecutor prosecution pros defense defence def"))
ARCHITECTURE = frozenset({"architecture", "orchestration"})
MEANS = frozenset(words_of("mean fmean average avg"))


def lead_decides(changes: list[ScoreChange]) -> Iterator[tuple[FunctionRef, int]]:
    """Yield conditional changes in which the Tech Lead's score, alone or weighted, is the score."""
    for change in changes:
        # `weighted_sum = 0` only begins a sum, and what nobody reads decides nothing.
        if isinstance(change.value, ast.Constant) or _is_dropped(change):
            continue
        if _begins_with_lead(change):
            # Under a test of its own, the line applies the rule.
            base = _base_of(change.value, assignments_in(change.function.site.node))
            yield change.function, base.lineno if base and not change.own_tests else change.line
            continue
        all_words = change.guard | change.block | words_in(change.value)
        if not change.guard or not names_tech_lead(all_words) or _is_fallback(change):
            continue
        if (
            _is_lead_score(change)
            or _is_architecture_rule(change)
            or _is_blend_with_lead(change.value)
            or _is_weighted(change.value)
        ):
            yield change.function, _place_of(change, changes)


def _place_of(change: ScoreChange, changes: list[ScoreChange]) -> int:
    """Return the line of a change, or that of the sum in its branch that takes what it reads.

    `lead_score = lead.score` weighs nothing before `weighted = lead_score * 0.5 + others * 0.5`.
    """
    sums = (
        other.line
        for other in changes
        if other.function.key == change.function.key
        and other.tests == change.tests
        and other.line > change.line
        and any(isinstance(node, ast.BinOp) for node in walk(other.value))
        and any(change.target == {*words_of(name)} for name in _names_in(other.value))
    )
    is_read = isinstance(change.value, ast.Name | ast.Attribute | ast.Subscript)
    return next(sums, change.line) if is_read else change.line


def _is_dropped(change: ScoreChange) -> bool:
    """Return true for a score of one judge under a name that its function never reads."""
    unread = names_never_read(change.function.site.node)
    words = {frozenset(words_of(name)) for name in unread}
    return change.target in words and "final" not in change.target


def _begins_with_lead(change: ScoreChange) -> bool:
    """Return true for `final_score = lead.score if lead else 3`: the others' scores only cap it."""
    assigned = assignments_in(change.function.site.node)
    value = _first_choice(change.value, assigned)
    is_one_score = isinstance(value, ast.Name | ast.Attribute)
    # `final_report` is no score, whatever its text says of the Tech Lead.
    is_score = change.target == {"final"} or bool(change.target & SCORE_WORDS - {"final"})
    is_final = "final" in change.target and is_score
    return is_final and is_one_score and _is_lead(value, assigned)


def _first_choice(value: ast.expr, assigned: Assignments) -> ast.expr:
    """Return `lead` of `int(base)` with `base = lead if lead is not None else mean`."""
    choice = value if isinstance(value, ast.IfExp) else _base_of(value, assigned)
    return value if choice is None else choice.body


def _base_of(value: ast.expr, assigned: Assignments) -> ast.IfExp | None:
    """Return the choice that `base` of `int(base)` is set to."""
    if not isinstance(value, ast.Call) or called_name(value) not in {"int", "round"}:
        return None
    inner = next(iter(value.args), None)
    values = assigned.get(inner.id, []) if isinstance(inner, ast.Name) else []
    # A base that several branches set is chosen by another rule.
    return values[0] if len(values) == 1 and isinstance(values[0], ast.IfExp) else None


def _is_fallback(change: ScoreChange) -> bool:
    """Return true for a branch without the Tech Lead: `else: score = mean` after `if lead:`."""
    held = {id(test) for test in change.holds}
    failed = [test for test in change.own_tests if id(test) not in held]
    assigned = assignments_in(change.function.site.node)
    return any(_is_lead(test, assigned) for test in failed) and not _is_lead(change.value, assigned)


def names_tech_lead(words: Iterable[str]) -> bool:
    unique = set(words)
    return "techlead" in unique or {"tech", "lead"} <= unique


def _is_lead_score(change: ScoreChange) -> bool:
    value = change.value
    words = words_in(value)
    is_item = isinstance(value, ast.Subscript) and constant_text(value.slice) is not None
    # A name such as max_score is a cap, which belongs to the rule of security.
    if not (is_item or isinstance(value, ast.Name | ast.Attribute)) or words & LIMIT_WORDS:
        return False
    if _is_one_of_a_list(change):
        return False
    if names_tech_lead(words) or not words & SCORE_WORDS:
        return True
    return _comes_from_lead(value, assignments_in(change.function.site.node))


def _is_one_of_a_list(change: ScoreChange) -> bool:
    """Return true for `scores.append(lead.score)` where the list gets other scores too."""
    calls = [
        node
        for node in walk(change.function.site.node)
        if isinstance(node, ast.Call) and called_name(node) == "append" and node.args
    ]
    lists = [ast.dump(call.func) for call in calls if call.args[0] is change.value]
    return any(sum(ast.dump(call.func) == name for call in calls) > 1 for name in lists)


def _is_architecture_rule(change: ScoreChange) -> bool:
    # The rubric gives the Tech Lead's opinion the last word on architecture.
    is_about_architecture = bool(change.guard & ARCHITECTURE) and not _is_for_others(change)
    # What a function that a test calls speaks of is not what the rule is about.
    own = words_in(change.value).union(*map(words_in, change.tests))
    # Scores in a list are not the one that decides.
    is_list = isinstance(change.value, ast.ListComp)
    is_of_another = bool(change.target & OTHER_JUDGES) or is_list
    return is_about_architecture and names_tech_lead(own) and not is_of_another


def _is_for_others(change: ScoreChange) -> bool:
    """Return true for the branch of the other criteria, after `if criterion in ARCHITECTURE:`."""
    held = {id(test) for test in change.holds}
    naming = [test for test in change.own_tests if words_in(test) & ARCHITECTURE]
    return bool(naming) and not any(id(test) in held for test in naming)


def _comes_from_lead(value: ast.expr, assigned: Assignments) -> bool:
    """Return true when `tech_score` comes from the Tech Lead's opinion and from no other judge's.

    Assignments are followed two steps back.
    """
    sources = [
        source
        for name in _names_in(value)
        for expression in assigned.get(name, [])
        for source in _names_in(expression)
    ]
    words = _words_behind(value, assigned).union(
        *(words_in(expression) for name in sources for expression in assigned.get(name, []))
    )
    return names_tech_lead(words) and not words & OTHER_JUDGES


def _names_in(node: ast.AST) -> list[str]:
    return [inner.id for inner in walk(node) if isinstance(inner, ast.Name)]


def _is_blend_with_lead(value: ast.expr) -> bool:
    """Return true for (score + tech_lead.score) / 2, with no other judge's score in it."""
    words = words_in(value)
    is_mean = (
        isinstance(value, ast.BinOp)
        and isinstance(value.op, ast.Div)
        and isinstance(value.left, ast.BinOp)
    )
    has_lead_score = names_tech_lead(words) and bool(words & SCORE_WORDS)
    return is_mean and has_lead_score and not words & OTHER_JUDGES


def _products_in(node: ast.AST) -> list[ast.BinOp]:
    return [n for n in walk(node) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult)]


def _is_weighted(value: ast.expr) -> bool:
    """Return true for products with different numbers, of which none is the Tech Lead's."""
    rows = [(_is_lead(product, {}), _factor(product, {})) for product in _products_in(value)]
    leads, rest = (
        {factor for is_lead, factor in rows if is_lead is wanted and factor is not None}
        for wanted in (True, False)
    )
    factors = leads | rest
    return not leads & rest and (len(factors) > 1 or any(factor > 1 for factor in factors))


def _factor(product: ast.BinOp, assigned: Assignments) -> float | None:
    numbers = (_number(side, assigned) for side in (product.left, product.right))
    return next((number for number in numbers if number is not None), None)


def lead_weighs_more(functions: list[FunctionRef]) -> Iterator[tuple[FunctionRef, int]]:
    """Yield tables and sums in which the Tech Lead weighs more than another judge."""
    yield from ((function, line) for function, line, _ in _weights_of_lead(functions))


def lines_of_weights(
    functions: list[FunctionRef], changes: list[ScoreChange]
) -> dict[tuple[tuple[str, int], int], int]:
    """Return the lines of the Tech Lead's weights in rules of several lines, by those of the rules."""
    lines = {
        (change.function.key, change.line): product.lineno
        for change in changes
        for product in _products_in(change.value)[::-1]
        if _is_lead(product, {})
    }
    return lines | {(f.key, line): weight for f, line, weight in _weights_of_lead(functions)}


def _weights_of_lead(functions: list[FunctionRef]) -> Iterator[tuple[FunctionRef, int, int]]:
    """Yield the line of each such table or sum, and that of the Tech Lead's weight in it."""
    visited_paths: set[str] = set()
    for function in functions:
        yield from ((caller, line, line) for caller, line in _passed_weights(function, functions))
        assigned = {
            **_module_constants(function),
            **_arguments(function, functions),
            **assignments_in(function.site.node),
        }
        for node in walk(function.site.node):
            if _favours_lead(node, assigned):
                line = getattr(node, "lineno", function.site.node.lineno)
                yield function, line, _line_of_lead(node, assigned)

        yield from ((function, line, line) for line in _added_weights(function, assigned))
        # A table of weights may also stand at the top of the file.
        if function.source.path in visited_paths:
            continue
        visited_paths.add(function.source.path)
        for statement in function.source.tree.body:
            if isinstance(statement, ast.Assign | ast.AnnAssign):
                tables = (node for node in walk(statement) if _favours_lead(node, {}))
                weights = (_line_of_lead(node, {}) for node in tables)
                yield from ((function, statement.lineno, weight) for weight in weights)


def _favours_lead(node: ast.AST, assigned: Assignments) -> bool:
    if isinstance(node, ast.Dict):
        table = list(_table(node, assigned))
        rivals = [row for row in table if OTHER_JUDGES.intersection(words_of(row[0]))]
        # Others weigh in where no other judge does: {"TechLead": 2, "default": 1}.
        weights = [row[1:] for row in table if row[1] or not rivals or row in rivals]
        return _lead_outweighs(weights) and not _is_order(weights)
    if isinstance(node, ast.List | ast.Tuple):
        rows = [row.elts for row in node.elts if isinstance(row, ast.Tuple) and len(row.elts) == 2]
        return _lead_outweighs(
            [(_is_lead(judge, {}), _number(weight, assigned)) for judge, weight in rows]
        )
    if isinstance(node, ast.IfExp):
        return _prefers_lead(node, assigned)
    if isinstance(node, ast.Assign | ast.AugAssign) and _is_weight_of_lead(node):
        return _raises_weight(node, assigned)
    # `total += lead.score * 2` adds to a sum as well.
    if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Add):
        return _sum_favours_lead(node, assigned)
    return False


def _added_weights(function: FunctionRef, assigned: Assignments) -> Iterator[int]:
    """Yield the lines of the larger products of the Tech Lead that `total += lead * 0.4` adds up."""
    added: dict[str, list[tuple[bool, float | None, int]]] = {}
    for node in walk(function.site.node):
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
            for product in _products_in(node.value)[:1]:
                row = _is_lead(product, assigned), _factor(product, assigned), node.lineno
                added.setdefault(last_name(node.target), []).append(row)
    for rows in added.values():
        if _lead_outweighs([row[:2] for row in rows]):
            yield from (line for is_lead, _, line in rows if is_lead)


def _line_of_lead(node: ast.AST, assigned: Assignments) -> int:
    """Return the line of the Tech Lead's weight in a table, a choice or a sum of several lines."""
    weights: list[ast.expr] = []
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        weights = [value for key, value in pairs if key is not None and _is_lead(key, {})]
    elif isinstance(node, ast.List | ast.Tuple):
        weights = [row for row in node.elts if names_tech_lead(words_in(row))]
    elif isinstance(node, ast.IfExp):
        weights = [node.body]
    elif isinstance(node, ast.BinOp | ast.AugAssign):
        weights = [product for product in _products_in(node) if _is_lead(product, assigned)]
    return getattr(weights[0] if weights else node, "lineno", 1)


def _is_weight_of_lead(node: ast.Assign | ast.AugAssign) -> bool:
    """Return true for `weights["TechLead"] = ...`."""
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    return (
        isinstance(target, ast.Subscript)
        and bool({"weight", "weights"} & words_in(target.value))
        and names_tech_lead(words_in(target.slice))
    )


def _raises_weight(node: ast.Assign | ast.AugAssign, assigned: Assignments) -> bool:
    """Return true where the weight becomes the largest of its table, or a factor above 1.

    Where the table is not known, one of equal weights is taken for granted: 1 each.
    """
    number = _number(node.value, assigned)
    if number is None:
        return False
    if isinstance(node, ast.AugAssign):
        return number > 1 and isinstance(node.op, ast.Mult)
    tables = (value for name in _names_in(node.targets[0]) for value in assigned.get(name, []))
    pairs = [
        (key, _number(value, assigned))
        for table in tables
        if isinstance(table, ast.Dict)
        for key, value in zip(table.keys, table.values, strict=True)
    ]
    rivals = [
        weight for key, weight in pairs if key and not _is_lead(key, {}) and weight is not None
    ]
    return number > max(rivals, default=1.0)


def _passed_weights(
    function: FunctionRef, callers: list[FunctionRef]
) -> Iterator[tuple[FunctionRef, int]]:
    """Yield the calls that pass the Tech Lead's factor: `mean(opinions, lead_weight=2)`."""
    assigned = assignments_in(function.site.node)
    factors = {
        name
        for product in _products_in(function.site.node)
        if _is_lead(product, assigned)
        for name in _names_in(product)
    }
    for name in sorted(factors.intersection(parameter_names(function))):
        for caller, call in _calls_of(function, callers):
            argument = argument_of(call, name, function)
            number = _number(argument, {}) if argument is not None else None
            if number is not None and number > 1:
                yield caller, call.lineno


def _prefers_lead(node: ast.IfExp, assigned: Assignments) -> bool:
    """Return true for `2 if judge == "TechLead" else 1`."""
    if not names_tech_lead(words_in(node.test)):
        return False
    lead_weight = _number(node.body, assigned)
    other_weights = [
        number for inner in walk(node.orelse) if (number := _number(inner, assigned)) is not None
    ]
    return lead_weight is not None and bool(other_weights) and lead_weight > min(other_weights)


def _sum_favours_lead(node: ast.BinOp | ast.AugAssign, assigned: Assignments) -> bool:
    """Return true for a sum of products in which the Tech Lead's factor is the larger."""
    weights = [
        (_is_lead(product, assigned), _factor(product, assigned)) for product in _products_in(node)
    ]
    is_multiplied = any(is_lead and factor and factor > 1 for is_lead, factor in weights)
    return is_multiplied or _lead_outweighs(weights) or _adds_to_mean(node, assigned)


def _adds_to_mean(node: ast.BinOp | ast.AugAssign, assigned: Assignments) -> bool:
    """Return true for `lead * w + mean * (1 - w)`: the mean holds the Tech Lead's score again."""
    products = _products_in(node)
    leads = [product for product in products if _is_lead(product, assigned)]
    return (
        len(leads) == 1
        and len(products) == 2
        and _factor(leads[0], assigned) != 0
        and all(product in leads or _is_mean(product, assigned) for product in products)
    )


def _is_mean(product: ast.BinOp, assigned: Assignments) -> bool:
    values = [value for name in _names_in(product) for value in assigned.get(name, [])]
    return any(
        (isinstance(inner, ast.Call) and MEANS.intersection(words_of(called_name(inner))))
        or (
            isinstance(inner, ast.BinOp)
            and isinstance(inner.op, ast.Div)
            and any(isinstance(n, ast.Call) and called_name(n) == "sum" for n in walk(inner.left))
        )
        for value in (product, *values)
        for inner in walk(value)
    )


def _is_lead(node: ast.expr, assigned: Assignments) -> bool:
    """Return true for an expression of the Tech Lead's; two assignments are followed back."""
    if names_tech_lead(words_in(node)):
        return True
    words = _words_behind(node, assigned)
    if not names_tech_lead(words):
        values = [value for name in _names_in(node) for value in assigned.get(name, [])]
        words = words.union(*(_words_behind(value, assigned) for value in values))
    return names_tech_lead(words) and not words & OTHER_JUDGES


def _arguments(function: FunctionRef, callers: list[FunctionRef]) -> Assignments:
    """Return for each parameter what is passed, and what the caller assigned to the names in it."""
    passed: Assignments = {}
    for caller, call in _calls_of(function, callers):
        assigned = assignments_in(caller.site.node)
        for name in parameter_names(function):
            argument = argument_of(call, name, function)
            if argument is not None:
                passed.setdefault(name, []).extend(_with_origins(argument, assigned))
    return passed


def _calls_of(
    function: FunctionRef, callers: list[FunctionRef]
) -> Iterator[tuple[FunctionRef, ast.Call]]:
    for caller in callers:
        if function.name not in caller.site.mentions or caller.key == function.key:
            continue
        for node in walk(caller.site.node):
            if isinstance(node, ast.Call) and called_name(node) == function.name:
                yield caller, node


def _with_origins(value: ast.expr, assigned: Assignments) -> list[ast.expr]:
    origins = [value]
    for _ in range(2):
        names = {name for origin in origins for name in _names_in(origin)}
        new = [origin for name in sorted(names) for origin in assigned.get(name, [])]
        origins += [origin for origin in new if origin not in origins]
    return origins


def _words_behind(node: ast.expr, assigned: Assignments) -> frozenset[str]:
    """Return a node's words and those of its names' values: `t = opinions["TechLead"]`."""
    values = (value for name in _names_in(node) for value in assigned.get(name, []))
    return words_in(node).union(*map(words_in, values))


def _number(node: ast.AST, assigned: Assignments) -> float | None:
    """Return a number, or the number that a name is assigned once."""
    values = assigned.get(node.id, []) if isinstance(node, ast.Name) else []
    value = values[0] if len(values) == 1 else node
    if isinstance(value, ast.Constant) and isinstance(value.value, int | float):
        return float(value.value)
    return None


def _module_constants(function: FunctionRef) -> Assignments:
    return {
        target.id: [statement.value]
        for statement in function.source.tree.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }


def _is_order(weights: list[tuple[bool, float | None]]) -> bool:
    """Return true for the places of a list: {"Prosecutor": 0, "Defense": 1, "TechLead": 2}."""
    return sorted(number or 0 for _, number in weights) == list(range(len(weights)))


def _lead_outweighs(weights: list[tuple[bool, float | None]]) -> bool:
    lead = [weight for is_lead, weight in weights if is_lead and weight is not None]
    rest = [weight for is_lead, weight in weights if not is_lead and weight is not None]
    return bool(lead and rest) and max(lead) > max(rest)


def heavier_than_lead(functions: list[FunctionRef]) -> Iterator[str]:
    """Yield the keys, of none of the three judges, that weigh more than the Tech Lead in a table."""
    for function in functions:
        for node in walk(function.site.node):
            if isinstance(node, ast.Dict) and _favours_lead(node, {}):
                rows = list(_table(node, {}))
                lead = max(weight or 0 for _, is_lead, weight in rows if is_lead)
                yield from (name for name, _, weight in rows if name and (weight or 0) > lead)


def _table(node: ast.Dict, assigned: Assignments) -> Iterator[tuple[str, bool, float | None]]:
    """Yield the text of each key, whether it is the Tech Lead's, and its number."""
    for key, value in zip(node.keys, node.values, strict=True):
        if key is not None:
            yield constant_text(key) or "", _is_lead(key, {}), _number(value, assigned)
