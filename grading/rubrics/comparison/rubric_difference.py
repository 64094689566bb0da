"""Difference of two rubric documents, by criterion and field, in the words of the editor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grading.engine import rubrics as engine_rubrics
from grading.rubrics.comparison.item_matching import NAMES, Item, Pair, pair_items
from grading.rubrics.comparison.word_difference import Segments, mark_differences
from grading.rubrics.editor.constitution_form import preset_behind
from grading.rubrics.editor.labels import CHOICES, kind_title, label_of, named_choice

# Fields that hold items of their own, by the model of the items.
INSIDE = {"levels": "level", "checks": "check"}
# Fields that are compared on their own, not as one text.
APART = {*INSIDE, "criteria", "constitution", "rules", "kind"}
# Labels of the rows that only say that a criterion was renamed.
RENAMING = {label_of("criterion", name) for name in NAMES}


@dataclass(frozen=True, slots=True)
class Row:
    """A changed field."""

    label: str
    before: Segments
    after: Segments


@dataclass(frozen=True, slots=True)
class Change:
    """A part of the rubric with its changed fields.

    `marks` are added, removed, renamed, moved or changed; `sentences` tell where it was and is.
    """

    title: str
    marks: tuple[str, ...]
    sentences: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def is_whole(self) -> bool:
        """The part was added or removed, so that its rows are all its fields."""
        return not {"added", "removed"}.isdisjoint(self.marks)


@dataclass(frozen=True, slots=True)
class Difference:
    """Changed parts, and the numbers of criteria by mark, without zeros."""

    parts: tuple[Change, ...]
    counts: Mapping[str, int]


def difference(before: Item, after: Item) -> Difference:
    """Compare two documents: settled ones, or unfinished drafts."""
    about = tuple(_fields("rubric", before, after))
    criteria = [
        _criterion(pair)
        for pair in pair_items(before.get("criteria", ()), after.get("criteria", ()))
    ]
    rules = tuple(_constitution(before.get("constitution", ""), after.get("constitution", "")))
    parts = [
        Change("About the rubric", (), (), about),
        *criteria,
        Change("Verdict rules", (), (), rules),
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

    marks, sentences = _marks_of(pair)
    # A new name or id alone is renamed, not changed.
    has_other_rows = any(row.label not in RENAMING for row in rows)
    if pair.before and pair.after and has_other_rows:
        marks.append("changed")
    return Change(
        title=(after or before).get("name", ""),
        marks=tuple(marks),
        sentences=tuple(sentences),
        rows=tuple(rows),
    )


def _marks_of(pair: Pair) -> tuple[list[str], list[str]]:
    """Return the marks of the item as a whole, and sentences about its place."""
    old, new = pair.old_place, pair.new_place
    if pair.before is None:
        return ["added"], [f"Added at position {new}."]
    if pair.after is None:
        return ["removed"], [f"Was at position {old}."]

    is_renamed = any(pair.before.get(name) != pair.after.get(name) for name in NAMES)
    marks = [mark for mark, holds in (("renamed", is_renamed), ("moved", pair.is_moved)) if holds]
    sentences = [f"Moved from position {old} to {new}."] if pair.is_moved else []
    return marks, sentences


def _item(model: str, pair: Pair) -> Iterator[Row]:
    """Yield a row for each changed field of a check or level, or one for the whole item."""
    item: Item = pair.after or pair.before or {}
    title = f"{model.capitalize()} {item.get('id', '')}"
    if pair.before is None or pair.after is None:
        yield Row(
            title, *mark_differences(_summed_up(model, pair.before), _summed_up(model, pair.after))
        )
        return

    if pair.is_moved:
        places = mark_differences(str(pair.old_place), str(pair.new_place))
        yield Row(f"{title}: position", *places)
    kind = pair.after.get("kind", model)
    yield from (
        Row(f"{title}: {row.label}", row.before, row.after)
        for row in _fields(kind, pair.before, pair.after)
    )
    if pair.before.get("kind") != pair.after.get("kind"):
        yield Row(f"{title}: Kind", *mark_differences(_kind(pair.before), _kind(pair.after)))


def _constitution(before: Item | str, after: Item | str) -> Iterator[Row]:
    """Yield rows by the rules in force, whether a preset or the rubric itself has them."""
    if _title(before) != _title(after):
        yield Row("Constitution", *mark_differences(_title(before), _title(after)))
    old, new = _resolved(before), _resolved(after)
    # The id stands in the title above.
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
    if isinstance(constitution, str):
        return constitution
    return preset_behind(constitution) or f"{constitution['id']}: custom rules"


def _resolved(constitution: Item | str) -> Item:
    if isinstance(constitution, str):
        return dict(engine_rubrics.preset_constitutions().get(constitution, {}))
    return constitution


def _fields(model: str, before: Item, after: Item, place: str = "") -> Iterator[Row]:
    """Yield the fields that differ; those of a nested object follow under its label."""
    for field in {**after, **before}:
        old, new = before.get(field), after.get(field)
        if field in APART or old == new:
            continue
        if isinstance(old or new, dict):
            yield from _fields("logic", old or {}, new or {}, f"{label_of(model, field)}: ")
        elif _text(old) != _text(new):
            yield Row(place + label_of(model, field), *mark_differences(_text(old), _text(new)))


def _summed_up(model: str, item: Item | None) -> str:
    """Return all fields of an item, one on a line, without those at their usual value."""
    if item is None:
        return ""

    kind = item.get("kind", model)
    texts = [(field, _text(value)) for field, value in item.items() if field not in {"id", "kind"}]
    lines = [
        f"{label_of(kind, field)}: {text}"
        for field, text in texts
        if text not in {"", "no", CHOICES["positive"]}
    ]
    return "\n".join([_kind(item)] * (model == "check") + lines) or "on"


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
