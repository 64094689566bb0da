"""Matching of the items of two lists: kept, renamed, moved, added or removed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

Item = dict[str, Any]
# Fields by which people know an item; other fields are its content.
NAMES = {"id", "name"}


@dataclass(frozen=True, slots=True)
class Pair:
    """An item before and after, None where it is missing. Places are 1-based."""

    before: Item | None
    after: Item | None
    old_place: int | None
    new_place: int | None
    is_moved: bool = False


def pair_items(before: Sequence[Item], after: Sequence[Item], key: str = "id") -> list[Pair]:
    """Pair the items in the new order; a removed item comes after the one it followed."""
    origins = _origins(before, after, key)
    unmoved = _in_order(sorted(origins), origins)
    pairs = [
        Pair(before[old], item, old + 1, new + 1, new not in unmoved)
        if (old := origins.get(new)) is not None
        else Pair(None, item, None, new + 1)
        for new, item in enumerate(after)
    ]

    # From the first to the last, so that removed neighbours keep their order.
    for old, item in enumerate(before):
        if old not in origins.values():
            pairs.insert(_place_after(pairs, old), Pair(item, None, old + 1, None))
    return pairs


def _origins(before: Sequence[Item], after: Sequence[Item], key: str) -> dict[int, int]:
    """Map each place in `after` to its place in `before`: by key, else by name or content."""
    by_key = {item.get(key): old for old, item in enumerate(before)}
    origins = {
        new: by_key[item.get(key)] for new, item in enumerate(after) if item.get(key) in by_key
    }

    unmatched = [old for old in range(len(before)) if old not in origins.values()]
    for new, item in enumerate(after):
        twin = next(
            (old for old in unmatched if new not in origins and _is_renamed(before[old], item)),
            None,
        )
        if twin is not None:
            origins[new] = twin
            unmatched.remove(twin)
    return origins


def _is_renamed(old: Item, new: Item) -> bool:
    """Tell if two items with different ids have the same name, or differ only in their names."""
    if old.get("name") and old.get("name") == new.get("name"):
        return True
    return _without_names(old) == _without_names(new)


def _without_names(item: Item) -> Item:
    return {name: value for name, value in item.items() if name not in NAMES}


def _in_order(places: Sequence[int], origins: dict[int, int]) -> set[int]:
    """Return as many places of `after` as possible whose items keep their old order."""
    old_places = [origins[new] for new in places]
    matcher = SequenceMatcher(a=sorted(old_places), b=old_places, autojunk=False)
    return {places[index] for index in _matched_indexes(matcher)}


def _matched_indexes(matcher: SequenceMatcher[int]) -> Iterator[int]:
    for block in matcher.get_matching_blocks():
        yield from range(block.b, block.b + block.size)


def _place_after(pairs: Sequence[Pair], old: int) -> int:
    earlier = [
        n for n, pair in enumerate(pairs) if pair.old_place is not None and pair.old_place <= old
    ]
    return max(earlier) + 1 if earlier else 0
