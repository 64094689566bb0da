"""Validation of a rubric in our own format: each fault with its place in the JSON.

The reader shows the faults by line, the editor beside each field.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, get_args

from pydantic import ValidationError

from courtroom.analysis import code_patterns
from courtroom.models.errors import RubricRefused
from courtroom.models.frozen_record import Frozen
from courtroom.models.rubric import MOST_CHECKS, Rubric
from courtroom.rubric_import.json_lines import JsonPath
from courtroom.synthesis.constitutions import PRESETS
from courtroom.synthesis.guards import find_guard_error
from courtroom.synthesis.rules import AnyRule

# NUL and half surrogate pairs: no page shows them and PostgreSQL does not store them.
_UNUSABLE = re.compile("[\0\ud800-\udfff]")
# None known from practice goes deeper than 7.
MOST_NESTING = 100
NESTED_TOO_DEEPLY = "The rubric is nested too deeply."
# Nothing of a rubric over a limit is tried: the limits are there for those who would try it.
LIMIT_FAULTS = frozenset({"over_limit", "too_many_checks"})
MOST_RULES = len(get_args(get_args(AnyRule)[0]))


class RubricFault(Frozen):
    """Frozen fault; `place` leads to the value at fault, or to where a missing one belongs.

    `kind` is pydantic's name of the fault, or one of ours: pattern_impossible, preset_unknown,
    ids_not_unique, character_unusable, guard_invalid, guard_unavailable, over_limit,
    too_many_checks, nested_too_deeply.
    """

    place: JsonPath
    kind: str
    message: str


def faults_in(data: Any) -> tuple[RubricFault, ...]:
    """Return every fault of a rubric's JSON; empty when the rubric can be used.

    The faults of the model come first, in its order. Then come the faults that the model does
    not know, except where it already found one.
    """
    # Before anything that calls itself for each level.
    if is_nested_too_deeply(data):
        return (RubricFault(place=(), kind="nested_too_deeply", message=NESTED_TOO_DEEPLY),)

    model_faults: list[RubricFault] = []
    try:
        Rubric.model_validate(data)
    except ValidationError as error:
        model_faults = _innermost(list(_model_faults(error, data)))

    places = {fault.place for fault in model_faults}
    is_over_limit = any(fault.kind in LIMIT_FAULTS for fault in model_faults)
    further_faults = (
        *unusable_characters(data),
        *_unknown_preset(data),
        *_invalid_guards(data),
        *([] if is_over_limit else _impossible_patterns(data)),
    )
    return (*model_faults, *(fault for fault in further_faults if fault.place not in places))


def is_nested_too_deeply(data: Any) -> bool:
    level = [data]
    for _ in range(MOST_NESTING):
        level = [child for parent in level for child in _children(parent)]
    return bool(level)


def _children(parent: Any) -> Iterable[Any]:
    if isinstance(parent, dict):
        return parent.values()
    return parent if isinstance(parent, list) else ()


def _model_faults(error: ValidationError, data: Any) -> Iterator[RubricFault]:
    for fault in error.errors(include_url=False):
        kind, loc = fault["type"], fault["loc"]
        if kind == "ids_not_unique":
            context = fault["ctx"]
            yield from _repeated_ids(context["level"], context["ids"], fault["msg"], data)
        elif kind == "too_many_checks":
            checks = ("criteria", fault["ctx"]["criterion"], "checks")
            yield RubricFault(place=checks, kind=kind, message=fault["msg"])
        # A constitution is a name or an object: an object need not hear that it is no name.
        elif not (loc == ("constitution", "str") and isinstance(data["constitution"], dict)):
            place = _place(loc, data, is_missing=kind == "missing")
            yield RubricFault(place=place, kind=kind, message=fault["msg"])


def _place(loc: JsonPath, data: Any, *, is_missing: bool) -> JsonPath:
    """Return the steps of `loc` that exist in the data.

    pydantic's `loc` also names the member of a union that it tried; such steps are dropped.
    """
    place: JsonPath = ()

    for step in loc:
        if isinstance(data, dict) and step in data:
            data = data[str(step)]
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            continue
        place = (*place, step)

    return (*place, loc[-1]) if is_missing else place


def _innermost(faults: list[RubricFault]) -> list[RubricFault]:
    """Drop a fault of a container when its items have faults: a list of bad items seems empty."""
    parents = {fault.place[:length] for fault in faults for length in range(len(fault.place))}
    return [fault for fault in faults if fault.place not in parents]


def _repeated_ids(level: str, ids: list[str], message: str, data: Any) -> Iterator[RubricFault]:
    """Yield a fault at each place of one of the ids, of criteria or of their checks."""
    for index, criterion in enumerate(data["criteria"]):
        place: JsonPath = ("criteria", index)
        items = [(place, criterion)]
        if level == "check":
            checks = criterion.get("checks", ())
            items = [((*place, "checks", number), check) for number, check in enumerate(checks)]

        yield from (
            RubricFault(place=(*item_place, "id"), kind="ids_not_unique", message=message)
            for item_place, item in items
            if item["id"] in ids
        )


def unusable_characters(data: Any, place: JsonPath = ()) -> Iterator[RubricFault]:
    """Yield a fault for each text with a NUL or half a surrogate pair."""
    if isinstance(data, str) and (match := _UNUSABLE.search(data)):
        message = f"The character U+{ord(match[0]):04X} cannot be used."
        yield RubricFault(place=place, kind="character_unusable", message=message)
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from unusable_characters(key, place)
            yield from unusable_characters(value, (*place, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from unusable_characters(value, (*place, index))


def _unknown_preset(data: Any) -> Iterator[RubricFault]:
    name = _member(data, "constitution")
    if isinstance(name, str) and name not in PRESETS:
        message = f"There is no constitution {name!r}. There are: {', '.join(PRESETS)}."
        yield RubricFault(place=("constitution",), kind="preset_unknown", message=message)


def _invalid_guards(data: Any) -> Iterator[RubricFault]:
    # A constitution with more rules has one of them twice, which is a fault already.
    for index, rule in islice(_items(_member(data, "constitution"), "rules"), MOST_RULES):
        guard = _member(rule, "when")
        kind, message = _guard_fault(guard) if _is_usable_text(guard) else ("", "")
        if kind:
            place = ("constitution", "rules", index, "when")
            yield RubricFault(place=place, kind=kind, message=message)


def _guard_fault(guard: str) -> tuple[str, str]:
    """Return the kind and the message, both empty when the guard is valid."""
    try:
        fault = find_guard_error(guard)
    except RubricRefused as refused:
        # cel-expr-python is optional: without it no guard can be checked or used.
        return "guard_unavailable", refused.message

    if not fault:
        return "", ""
    return "guard_invalid", f"Character {fault.offset + 1}: {fault.message}"


def _impossible_patterns(data: Any) -> Iterator[RubricFault]:
    """Yield a fault for each code pattern that can never match; none without ast-grep.

    Otherwise every report under this rubric would repeat the fault.
    """
    patterns = dict(_patterns_in(data))
    # Another fault may have hidden from the model that there are too many.
    if len(patterns) > MOST_CHECKS:
        return

    faults = code_patterns.pattern_faults(tuple(patterns.values()))
    for place, pattern in patterns.items():
        if message := faults.get(pattern):
            yield RubricFault(place=place, kind="pattern_impossible", message=message)


def _patterns_in(data: Any) -> Iterator[tuple[JsonPath, code_patterns.Pattern]]:
    """Yield the place of each usable pattern, with its language and text."""
    for index, criterion in _items(data, "criteria"):
        for number, check in _items(criterion, "checks"):
            language, pattern = _member(check, "language"), _member(check, "pattern")
            is_pattern = _member(check, "kind") == "code_pattern"
            if is_pattern and _is_usable_text(language) and _is_usable_text(pattern):
                yield ("criteria", index, "checks", number, "pattern"), (language, pattern)


def _member(data: Any, name: str) -> Any:
    return data.get(name) if isinstance(data, dict) else None


def _items(data: Any, name: str) -> Iterator[tuple[int, Any]]:
    """Yield the items of a list by position; nothing where there is no list."""
    items = _member(data, name)
    yield from enumerate(items if isinstance(items, list) else ())


def _is_usable_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and not _UNUSABLE.search(value)
