"""What a draft takes away from the version that is published, and what becomes of the gradings that rest on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grading.models import RubricVersion
from grading.rubrics.queries import Standing, standing_on

UNSCORED = (
    "A work that is judged or re-synthesised under this version has no score on it any more, and its sums are made of the "
    "other criteria."
)


@dataclass(frozen=True, slots=True)
class Loss:
    """What goes, and in words what happens to gradings that there are."""

    what: str
    then: str


def publishing_losses(before: RubricVersion | None, document: Mapping[str, Any]) -> list[Loss]:
    """Criteria that are gone, levels that are gone, and another worth; nothing where nothing is published yet."""
    if before is None:
        return []
    old, new = _criteria(before.document), _criteria(document)
    gone = [key for key in old if key not in new]
    standing = standing_on(before, gone)
    return [
        *(_criterion_gone(old[key], standing[key]) for key in gone),
        *(loss for key in old if key in new for loss in _changes(old[key], new[key])),
    ]


def _criterion_gone(criterion: Mapping[str, Any], standing: Standing) -> Loss:
    stay = "stays" if standing.verdicts == 1 else "stay"
    then = [f"{_counted(standing.verdicts, 'verdict')} on it {stay} in place.", UNSCORED]
    if standing.by_hand:
        then.append(f"{_counted(standing.by_hand, 'score')} given by hand then count for nothing.")
    if standing.appeals:
        then.append(
            f"{_counted(standing.appeals, 'waiting appeal')} can still be answered, but no score follows."
        )
    return Loss(
        f"The criterion “{criterion.get('name') or criterion.get('id')}” is gone.", " ".join(then)
    )


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Loss]:
    name = new.get("name") or new.get("id")
    kept = {level.get("name") for level in _items(new, "levels")}
    gone = [
        str(level.get("name")) for level in _items(old, "levels") if level.get("name") not in kept
    ]
    if gone:
        words = ", ".join(f"“{level}”" for level in gone)
        then = "Who reached it keeps it as told. Re-synthesised, each score gets the level that stands for it then."
        yield Loss(
            f"{name}: the level {words} is gone."
            if len(gone) == 1
            else f"{name}: the levels {words} are gone.",
            then,
        )
    worth = [(_worth(old, field), _worth(new, field)) for field in ("max_points", "weight")]
    changed = [f"{was} → {now}" for was, now in worth if was != now]
    if changed:
        then = "Sums that were told stay. Re-synthesised, the whole is added up anew; a preview shows for whom it changes."
        yield Loss(f"{name}: its worth is another, {', '.join(changed)}.", then)


def _worth(criterion: Mapping[str, Any], field: str) -> str:
    value = criterion.get(field, 1 if field == "weight" else None)
    number = f"{value:g}" if isinstance(value, int | float) else str(value)
    if field == "weight":
        return f"weight {number}"
    return "no points" if value is None else f"{number} points"


def _criteria(document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """By id; of a draft that does not fit yet, those that have one."""
    return {str(each["id"]): each for each in _items(document, "criteria") if each.get("id")}


def _items(holder: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    items = holder.get(name)
    return [each for each in items if isinstance(each, Mapping)] if isinstance(items, list) else []


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
