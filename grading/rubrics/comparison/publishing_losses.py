"""Removals that a draft makes from the published version, with their effect on grades."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from grading.models import RubricVersion
from grading.rubrics.queries import CriterionUse, criterion_uses

UNSCORED = (
    "Submissions judged or re-synthesised under this version get no score for it. Their totals "
    "come from the other criteria."
)
LEVELS_EFFECT = (
    "Existing verdicts keep their level. Re-synthesised scores get the level that fits then."
)
WORTH_EFFECT = (
    "Existing totals stay. Re-synthesising adds them up again; a preview shows the students "
    "whose total changes."
)


@dataclass(frozen=True, slots=True)
class Loss:
    """One removal or change of worth, and its effect on existing grades, in words."""

    removal: str
    effect: str


def publishing_losses(before: RubricVersion | None, document: Mapping[str, Any]) -> list[Loss]:
    """Return removed criteria, removed levels and changed worths of a draft.

    None of them without a published version `before`.
    """
    if before is None:
        return []

    old, new = _criteria(before.document), _criteria(document)
    removed = [key for key in old if key not in new]
    uses = criterion_uses(before, removed)
    return [
        *(_removed_criterion(old[key], uses[key]) for key in removed),
        *(loss for key in old if key in new for loss in _changes(old[key], new[key])),
    ]


def _removed_criterion(criterion: Mapping[str, Any], use: CriterionUse) -> Loss:
    stay = "stays" if use.verdicts == 1 else "stay"
    effects = [f"{_counted(use.verdicts, 'existing verdict')} {stay}.", UNSCORED]
    if use.overrides:
        effects.append(f"{_counted(use.overrides, 'override')} will no longer count.")
    if use.appeals:
        appeals = _counted(use.appeals, "open appeal")
        effects.append(f"{appeals} can still be answered, but without a new score.")

    name = criterion.get("name") or criterion.get("id")
    return Loss(f"The criterion “{name}” is removed.", " ".join(effects))


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Loss]:
    name = new.get("name") or new.get("id")
    # Levels are matched by name: verdicts store the name, not the id.
    kept = {level.get("name") for level in _items(new, "levels")}
    removed = [
        str(level.get("name")) for level in _items(old, "levels") if level.get("name") not in kept
    ]
    if removed:
        levels = ", ".join(f"“{level}”" for level in removed)
        verb = "level {} is" if len(removed) == 1 else "levels {} are"
        yield Loss(f"{name}: the {verb.format(levels)} removed.", LEVELS_EFFECT)

    worths = [(_worth(old, field), _worth(new, field)) for field in ("max_points", "weight")]
    changed = [f"{before} → {after}" for before, after in worths if before != after]
    if changed:
        yield Loss(f"{name}: its worth changes, {', '.join(changed)}.", WORTH_EFFECT)


def _worth(criterion: Mapping[str, Any], field: str) -> str:
    value = criterion.get(field, 1 if field == "weight" else None)
    number = f"{value:g}" if isinstance(value, int | float) else str(value)
    if field == "weight":
        return f"weight {number}"
    return "no points" if value is None else f"{number} points"


def _criteria(document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the criteria by id, without those of an unfinished draft that have none."""
    return {str(item["id"]): item for item in _items(document, "criteria") if item.get("id")}


def _items(holder: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    items = holder.get(name)
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
