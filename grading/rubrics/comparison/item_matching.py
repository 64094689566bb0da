"""Which item of a list became which of another: kept, renamed, moved, added or removed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

Item = dict[str, Any]
NAMES = {"id", "name"}


@dataclass(frozen=True, slots=True)
class Pair:
    """An item before and after, None where it is not there; places are 1-based."""

    before: Item | None
    after: Item | None
    was: int | None
    now: int | None
    is_moved: bool = False


def pair_items(before: Sequence[Item], after: Sequence[Item], key: str = "id") -> list[Pair]:
    """In the new order; what is gone comes after what it followed."""
    origins = _origins(before, after, key)
    stay = _in_order(sorted(origins), origins)
    pairs = [
        Pair(before[old], item, old + 1, now + 1, now not in stay)
        if (old := origins.get(now)) is not None
        else Pair(None, item, None, now + 1)
        for now, item in enumerate(after)
    ]
    for old, item in enumerate(before):
        if old not in origins.values():
            pairs.insert(_place_after(pairs, old), Pair(item, None, old + 1, None))
    return pairs


def _origins(before: Sequence[Item], after: Sequence[Item], key: str) -> dict[int, int]:
    """Of each place in `after` the place in `before`: of the same key, else of the same name or content."""
    by_key = {item.get(key): at for at, item in enumerate(before)}
    origins = {
        now: by_key[item.get(key)] for now, item in enumerate(after) if item.get(key) in by_key
    }
    left = [at for at in range(len(before)) if at not in origins.values()]
    for now, item in enumerate(after):
        twin = next(
            (at for at in left if now not in origins and _is_renamed(before[at], item)), None
        )
        if twin is not None:
            origins[now] = twin
            left.remove(twin)
    return origins


def _is_renamed(old: Item, new: Item) -> bool:
    """The same under another id: it has the same name, or says the same in everything but its names."""
    if old.get("name") and old.get("name") == new.get("name"):
        return True
    said = {name: value for name, value in old.items() if name not in NAMES}
    return said == {name: value for name, value in new.items() if name not in NAMES}


def _in_order(places: Sequence[int], origins: dict[int, int]) -> set[int]:
    """The most places of `after` whose items still stand in the order they had."""
    was = [origins[now] for now in places]
    matcher = SequenceMatcher(a=sorted(was), b=was, autojunk=False)
    return {places[at] for at in _matched(matcher)}


def _matched(matcher: SequenceMatcher[int]) -> Iterator[int]:
    for block in matcher.get_matching_blocks():
        yield from range(block.b, block.b + block.size)


def _place_after(pairs: Sequence[Pair], old: int) -> int:
    earlier = [n for n, pair in enumerate(pairs) if pair.was is not None and pair.was <= old]
    return max(earlier) + 1 if earlier else 0
