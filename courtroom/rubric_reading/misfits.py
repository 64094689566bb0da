"""Where a rubric in our own format does not fit its model: each fault with the place in the JSON that is to blame.

One list for everybody who has to say it: the reader, by line; an editor, beside the field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from courtroom.errors import RubricRefused
from courtroom.forensics import patterns
from courtroom.justice.constitutions import PRESETS
from courtroom.justice.guards import fault_of
from courtroom.record import Frozen
from courtroom.rubric import CodePattern, Rubric
from courtroom.rubric_reading.json_lines import JsonPath

_UNUSABLE = re.compile("[\0\ud800-\udfff]")


class Misfit(Frozen):
    """`place` leads to the value at fault, or to where a missing one belongs. `kind` is pydantic's name of the
    fault, or one of ours: pattern_impossible, preset_unknown, ids_not_unique, character_unusable,
    guard_invalid, guard_unavailable."""

    place: JsonPath
    kind: str
    message: str


def misfits_of(data: Any) -> tuple[Misfit, ...]:
    """Every fault of a rubric's JSON, in the order of the model; none when it can be judged by."""
    try:
        rubric = Rubric.model_validate(data)
    except ValidationError as error:
        return tuple(_innermost(list(_placed(error, data))))
    return (
        *unusable(data), *_unknown_preset(rubric), *_unsound_guards(rubric), *_impossible_patterns(rubric),
    )  # fmt: skip


def _placed(error: ValidationError, data: Any) -> Iterator[Misfit]:
    for fault in error.errors(include_url=False):
        kind, loc = fault["type"], fault["loc"]
        if kind == "ids_not_unique":
            yield from _repetitions(fault["ctx"]["level"], fault["ctx"]["ids"], fault["msg"], data)
        elif not (loc == ("constitution", "str") and isinstance(data["constitution"], dict)):
            yield Misfit(place=_place(loc, data, missing=kind == "missing"), kind=kind, message=fault["msg"])


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
            named = [((*place, "checks", n), check) for n, check in enumerate(criterion.get("checks", ()))]
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


def _unknown_preset(rubric: Rubric) -> Iterator[Misfit]:
    if isinstance(rubric.constitution, str) and rubric.constitution not in PRESETS:
        message = f"There is no constitution {rubric.constitution!r}. There are: {', '.join(PRESETS)}."
        yield Misfit(place=("constitution",), kind="preset_unknown", message=message)


def _unsound_guards(rubric: Rubric) -> Iterator[Misfit]:
    own = rubric.constitution
    for at, rule in enumerate(() if isinstance(own, str) else own.rules):
        kind, message = _what_is_wrong(rule.when) if rule.when else ("", "")
        if kind:
            yield Misfit(place=("constitution", "rules", at, "when"), kind=kind, message=message)


def _what_is_wrong(guard: str) -> tuple[str, str]:
    try:
        fault = fault_of(guard)
    except RubricRefused as refused:
        return "guard_unavailable", refused.message
    return ("guard_invalid", f"Character {fault.offset + 1}: {fault.message}") if fault else ("", "")


def _impossible_patterns(rubric: Rubric) -> Iterator[Misfit]:
    """A pattern that could never be looked for: better said here than in every report. Without ast-grep, pass."""
    for at, criterion in enumerate(rubric.criteria):
        for position, check in enumerate(criterion.checks):
            fault = (
                patterns.fault_of(check.language, check.pattern) if isinstance(check, CodePattern) else None
            )
            if fault:
                place = ("criteria", at, "checks", position)
                yield Misfit(place=place, kind="pattern_impossible", message=fault)
