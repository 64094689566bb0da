"""Where a rubric in our own format does not fit its model: each fault with the place in the JSON that is to blame.

One list for everybody who has to say it: the reader, by line; an editor, beside the field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from courtroom.analysis import code_patterns
from courtroom.models.errors import RubricRefused
from courtroom.models.record import Frozen
from courtroom.models.rubric import Rubric
from courtroom.rubric_import.json_lines import JsonPath
from courtroom.synthesis.constitutions import PRESETS
from courtroom.synthesis.guards import fault_of

_UNUSABLE = re.compile("[\0\ud800-\udfff]")


class Misfit(Frozen):
    """`place` leads to the value at fault, or to where a missing one belongs. `kind` is pydantic's name of the
    fault, or one of ours: pattern_impossible, preset_unknown, ids_not_unique, character_unusable,
    guard_invalid, guard_unavailable."""

    place: JsonPath
    kind: str
    message: str


def misfits_of(data: Any) -> tuple[Misfit, ...]:
    """Every fault of a rubric's JSON; none when it can be judged by. What the model says comes first, in its order;
    then what it does not know of, where it has not found fault already."""
    plain: list[Misfit] = []
    try:
        Rubric.model_validate(data)
    except ValidationError as error:
        plain = _innermost(list(_placed(error, data)))
    blamed = {misfit.place for misfit in plain}
    others = (
        *unusable(data),
        *_unknown_preset(data),
        *_unsound_guards(data),
        *_impossible_patterns(data),
    )
    return (*plain, *(misfit for misfit in others if misfit.place not in blamed))


def _placed(error: ValidationError, data: Any) -> Iterator[Misfit]:
    for fault in error.errors(include_url=False):
        kind, loc = fault["type"], fault["loc"]
        if kind == "ids_not_unique":
            yield from _repetitions(fault["ctx"]["level"], fault["ctx"]["ids"], fault["msg"], data)
        elif not (loc == ("constitution", "str") and isinstance(data["constitution"], dict)):
            yield Misfit(
                place=_place(loc, data, missing=kind == "missing"), kind=kind, message=fault["msg"]
            )


def _place(loc: JsonPath, data: Any, *, missing: bool) -> JsonPath:
    """The steps that stand in the data: pydantic also names the member of a union that it tried."""
    place: JsonPath = ()
    for step in loc:
        if isinstance(data, dict) and step in data:
            data = data[str(step)]
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            continue
        place = (*place, step)
    return (*place, loc[-1]) if missing else place


def _innermost(misfits: list[Misfit]) -> list[Misfit]:
    """A list is not blamed for being empty when its items are at fault."""
    blamed = {misfit.place[:length] for misfit in misfits for length in range(len(misfit.place))}
    return [misfit for misfit in misfits if misfit.place not in blamed]


def _repetitions(level: str, ids: list[str], message: str, data: Any) -> Iterator[Misfit]:
    """Each place where one of the ids stands."""
    for at, criterion in enumerate(data["criteria"]):
        place: JsonPath = ("criteria", at)
        named = [(place, criterion)]
        if level == "check":
            named = [
                ((*place, "checks", n), check)
                for n, check in enumerate(criterion.get("checks", ()))
            ]
        yield from (
            Misfit(place=(*where, "id"), kind="ids_not_unique", message=message)
            for where, item in named
            if item["id"] in ids
        )


def unusable(data: Any, place: JsonPath = ()) -> Iterator[Misfit]:
    """Texts with a NUL or half a surrogate pair, which no page shows and no database of ours stores."""
    if isinstance(data, str) and (bad := _UNUSABLE.search(data)):
        message = f"The character U+{ord(bad[0]):04X} cannot be used."
        yield Misfit(place=place, kind="character_unusable", message=message)
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from unusable(key, place)
            yield from unusable(value, (*place, key))
    elif isinstance(data, list):
        for at, value in enumerate(data):
            yield from unusable(value, (*place, at))


def _unknown_preset(data: Any) -> Iterator[Misfit]:
    named = _member(data, "constitution")
    if isinstance(named, str) and named not in PRESETS:
        message = f"There is no constitution {named!r}. There are: {', '.join(PRESETS)}."
        yield Misfit(place=("constitution",), kind="preset_unknown", message=message)


def _unsound_guards(data: Any) -> Iterator[Misfit]:
    for at, rule in _members(_member(data, "constitution"), "rules"):
        guard = _member(rule, "when")
        kind, message = _what_is_wrong(guard) if _is_text(guard) else ("", "")
        if kind:
            yield Misfit(place=("constitution", "rules", at, "when"), kind=kind, message=message)


def _member(data: Any, name: str) -> Any:
    return data.get(name) if isinstance(data, dict) else None


def _members(data: Any, name: str) -> Iterator[tuple[int, Any]]:
    """With their places; nothing where there is no list."""
    listed = _member(data, name)
    yield from enumerate(listed if isinstance(listed, list) else ())


def _what_is_wrong(guard: str) -> tuple[str, str]:
    try:
        fault = fault_of(guard)
    except RubricRefused as refused:
        return "guard_unavailable", refused.message
    return (
        ("guard_invalid", f"Character {fault.offset + 1}: {fault.message}") if fault else ("", "")
    )


def _impossible_patterns(data: Any) -> Iterator[Misfit]:
    """A pattern that could never be looked for: better said here than in every report. Without ast-grep, pass."""
    for at, criterion in _members(data, "criteria"):
        for position, check in _members(criterion, "checks"):
            language, pattern = _member(check, "language"), _member(check, "pattern")
            if _member(check, "kind") != "code_pattern" or not (
                _is_text(language) and _is_text(pattern)
            ):
                continue
            if fault := code_patterns.fault_of(language, pattern):
                place = ("criteria", at, "checks", position)
                yield Misfit(place=place, kind="pattern_impossible", message=fault)


def _is_text(value: Any) -> bool:
    """Of characters that can be looked at further."""
    return isinstance(value, str) and bool(value) and not _UNUSABLE.search(value)
