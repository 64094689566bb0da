"""Ids for items without one: made once from the name or the kind, and kept from then on."""

from __future__ import annotations

import re
from collections.abc import Callable

from grading.rubrics.editor.posted_values import FormTexts


def fill_empty_ids(texts: FormTexts) -> None:
    """Fill the empty ids of criteria, levels and checks, in place."""
    criteria = texts["criteria"]
    _fill(criteria, _ids(criteria), _stem_from_name)

    # Ids of checks are unique in the whole rubric, ids of levels in their criterion.
    taken = _ids([check for criterion in criteria for check in criterion["checks"]])
    for criterion in criteria:
        _fill(criterion["levels"], _ids(criterion["levels"]), _stem_from_name)
        # Ids of checks allow only lowercase letters, digits, dots, hyphens and underscores.
        owner = re.sub(r"[^a-z0-9_.-]+", "_", criterion["id"].lower()).strip("_") or "check"
        _fill(criterion["checks"], taken, _stem_from_kind(owner))


def _ids(items: list[FormTexts]) -> set[str]:
    return {item["id"] for item in items if item["id"]}


def _fill(items: list[FormTexts], taken: set[str], stem_of: Callable[[FormTexts], str]) -> None:
    for item in items:
        # An item without a name or kind stays without an id, which validation then reports.
        stem = stem_of(item)
        if stem and not item["id"].strip():
            item["id"] = next(name for name in _numbered(stem, len(taken)) if name not in taken)
            taken.add(item["id"])


# One more candidate than there are ids, so that one is always free.
def _numbered(stem: str, taken: int) -> list[str]:
    return [stem, *(f"{stem}_{n}" for n in range(2, taken + 3))]


def _stem_from_name(item: FormTexts) -> str:
    return re.sub(r"[\W_]+", "_", item["name"].lower()).strip("_")


def _stem_from_kind(owner: str) -> Callable[[FormTexts], str]:
    return lambda item: f"{owner}.{item['kind']}" if item["kind"] else ""
