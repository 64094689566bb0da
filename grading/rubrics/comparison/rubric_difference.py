"""What lies between two documents of a rubric, in the words of its editor: criterion by criterion, field by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grading.engine import rubrics as engine_rubrics
from grading.rubrics.comparison.item_matching import NAMES, Item, Pair, pair_items
from grading.rubrics.comparison.word_difference import Segments, mark_differences
from grading.rubrics.editor.labels import CHOICES, kind_title, label_of, named_choice

# Fields that hold items of their own, by the model of the items.
INSIDE = {"levels": "level", "checks": "check"}
APART = {*INSIDE, "criteria", "constitution", "rules", "kind"}
RENAMING = {label_of("criterion", name) for name in NAMES}


@dataclass(frozen=True, slots=True)
class Row:
    """A field that is not what it was."""

    label: str
    before: Segments
    after: Segments


@dataclass(frozen=True, slots=True)
class Change:
    """A part of the rubric with what happened to it: added, removed, renamed, moved or changed, and its rows."""

    title: str
    marks: tuple[str, ...]
    told: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def is_whole(self) -> bool:
        """It came or went as a whole: its rows are all that it says."""
        return not {"added", "removed"}.isdisjoint(self.marks)


@dataclass(frozen=True, slots=True)
class Difference:
    """`counts` say how many criteria were added, removed, renamed, moved or changed; a zero is not among them."""

    parts: tuple[Change, ...]
    counts: Mapping[str, int]


def difference(before: Item, after: Item) -> Difference:
    """Both documents as the courtroom writes them, or drafts that do not fit yet."""
    about = tuple(_fields("rubric", before, after))
    criteria = [
        _criterion(pair)
        for pair in pair_items(before.get("criteria", ()), after.get("criteria", ()))
    ]
    rules = tuple(_constitution(before.get("constitution", ""), after.get("constitution", "")))
    parts = [
        Change("About the rubric", (), (), about),
        *criteria,
        Change("Rules of the verdict", (), (), rules),
    ]
    marks = [mark for change in criteria for mark in change.marks]
    return Difference(
        tuple(part for part in parts if part.marks or part.rows),
        {mark: marks.count(mark) for mark in dict.fromkeys(marks)},
    )


def _criterion(pair: Pair) -> Change:
    before, after = pair.before or {}, pair.after or {}
    rows = [*_fields("criterion", before, after)]
    for field, model in INSIDE.items():
        items = pair_items(before.get(field, ()), after.get(field, ()))
        rows += [row for item in items for row in _item(model, item)]
    marks, told = _fate(pair)
    besides = [row for row in rows if row.label not in RENAMING]
    changed = ["changed"] if pair.before and pair.after and besides else []
    return Change((after or before).get("name", ""), (*marks, *changed), tuple(told), tuple(rows))


def _fate(pair: Pair) -> tuple[list[str], list[str]]:
    """What happened to the item as a whole, in a word and in a sentence."""
    if pair.before is None:
        return ["added"], [f"New, in place {pair.now}."]
    if pair.after is None:
        return ["removed"], [f"It was in place {pair.was}."]
    renamed = any(pair.before.get(name) != pair.after.get(name) for name in NAMES)
    marks = [mark for mark, holds in (("renamed", renamed), ("moved", pair.is_moved)) if holds]
    told = [f"Moved from place {pair.was} to place {pair.now}."] if pair.is_moved else []
    return marks, told


def _item(model: str, pair: Pair) -> Iterator[Row]:
    """A check or a level: a row for each field, or one for the whole when it came, went or moved."""
    item: Item = pair.after or pair.before or {}
    title = f"{model.capitalize()} {item.get('id', '')}"
    if pair.before is None or pair.after is None:
        yield Row(
            title, *mark_differences(_summed_up(model, pair.before), _summed_up(model, pair.after))
        )
        return
    if pair.is_moved:
        yield Row(f"{title}: place", *mark_differences(str(pair.was), str(pair.now)))
    kind = pair.after.get("kind", model)
    yield from (
        Row(f"{title}: {row.label}", row.before, row.after)
        for row in _fields(kind, pair.before, pair.after)
    )
    if pair.before.get("kind") != pair.after.get("kind"):
        yield Row(f"{title}: Kind", *mark_differences(_kind(pair.before), _kind(pair.after)))


def _constitution(before: Item | str, after: Item | str) -> Iterator[Row]:
    """By the rules that are in force, whether a preset brings them or the rubric does."""
    if _title(before) != _title(after):
        yield Row("Constitution", *mark_differences(_title(before), _title(after)))
    old, new = _resolved(before), _resolved(after)
    yield from _fields("constitution", {**old, "id": ""}, {**new, "id": ""})
    for pair in pair_items(old.get("rules", ()), new.get("rules", ()), key="kind"):
        yield from _rule(pair)


def _rule(pair: Pair) -> Iterator[Row]:
    rule: Item = pair.after or pair.before or {}
    title = kind_title(rule["kind"])
    if pair.before and pair.after:
        fields = _fields(rule["kind"], pair.before, pair.after)
        yield from (Row(f"{title}: {row.label}", row.before, row.after) for row in fields)
    else:
        yield Row(
            title,
            *mark_differences(_summed_up("rule", pair.before), _summed_up("rule", pair.after)),
        )


def _title(constitution: Item | str) -> str:
    return (
        constitution if isinstance(constitution, str) else f"{constitution['id']}: rules of its own"
    )


def _resolved(constitution: Item | str) -> Item:
    if isinstance(constitution, str):
        return dict(engine_rubrics.preset_constitutions().get(constitution, {}))
    return constitution


def _fields(model: str, before: Item, after: Item, place: str = "") -> Iterator[Row]:
    """The fields that differ, with those of what lies inside (a judge's logic) under its own name."""
    for field in {**after, **before}:
        old, new = before.get(field), after.get(field)
        if field in APART or old == new:
            continue
        if isinstance(old or new, dict):
            yield from _fields("logic", old or {}, new or {}, f"{label_of(model, field)}: ")
        elif _text(old) != _text(new):
            yield Row(place + label_of(model, field), *mark_differences(_text(old), _text(new)))


def _summed_up(model: str, item: Item | None) -> str:
    """All that an item says, a line for each field."""
    if item is None:
        return ""
    kind = item.get("kind", model)
    said = [(field, _text(value)) for field, value in item.items() if field not in {"id", "kind"}]
    lines = [
        f"{label_of(kind, field)}: {text}"
        for field, text in said
        if text not in {"", "no", CHOICES["positive"]}
    ]
    return "\n".join([_kind(item)] * (model == "check") + lines) or "in force"


def _kind(item: Item) -> str:
    return kind_title(str(item.get("kind", "")))


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "\n".join(_text(item) for item in value)
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, str):
        return named_choice(value) or value
    return "" if value is None else str(value)
