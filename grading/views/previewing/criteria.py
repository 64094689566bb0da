"""Each criterion before and after: means, who moves, who waits, and what is not known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from grading.events import CriterionRow
from grading.previews import Change, Pair
from grading.views.previewing.pictures import Dumbbell, dumbbell_of


@dataclass(frozen=True, slots=True)
class Side:
    """A criterion's scores on one side. `mean` is null when none has one; `waiting` have none and need a person."""

    scores: tuple[int, ...]
    waiting: int

    @property
    def mean(self) -> float | None:
        return fmean(self.scores) if self.scores else None


@dataclass(frozen=True, slots=True)
class CriterionOutlook:
    """`moved` counts everybody whose result on it is another, `higher` and `lower` of them whose score is.

    `levels` counts who gets another level. `left_open` are the goals of checks that only a new audit can answer, with
    how many audits it concerns; `outdated` audits whose opinions, by a model, were given on another text;
    `unheard` audits in which it is new and no verdict comes of what is known.
    """

    place: int
    name: str
    is_new: bool
    is_gone: bool
    before: Side
    after: Side
    moved: int
    higher: int
    lower: int
    levels: int
    left_open: tuple[tuple[str, int], ...]
    outdated: int
    is_heard_again: bool
    unheard: int
    dumbbell: Dumbbell

    @property
    def is_known(self) -> bool:
        """Whether all that this version asks of it could be answered."""
        return not (self.left_open or self.outdated or self.unheard)


def criteria_of(changes: Sequence[Change]) -> list[CriterionOutlook]:
    """Over everything that can be foreseen, in the new rubric's order; those that it no longer asks come last."""
    seen = [change for change in changes if change.after is not None]
    gone = {key for change in seen for key, (_, after) in change.pairs.items() if after is None}
    order = list(dict.fromkeys(key for change in seen for key in change.pairs))
    order.sort(key=lambda key: key in gone)
    return [_outlook(place, key, seen) for place, key in enumerate(order, start=1)]


def _outlook(place: int, key: str, seen: Sequence[Change]) -> CriterionOutlook:
    pairs = [change.pairs[key] for change in seen if key in change.pairs]
    moved = [change.moved[key] for change in seen if key in change.moved]
    before, after = _side(was for was, _ in pairs), _side(will for _, will in pairs)
    looks = [change.outlook for change in seen if change.outlook]
    return CriterionOutlook(
        place=place,
        name=next(row.name for pair in pairs for row in reversed(pair) if row),
        is_new=all(was is None for was, _ in pairs),
        is_gone=all(will is None for _, will in pairs),
        before=before,
        after=after,
        moved=len(moved),
        higher=sum(_rises(pair) > 0 for pair in moved),
        lower=sum(_rises(pair) < 0 for pair in moved),
        levels=sum(crosses_level(pair) for pair in moved),
        left_open=tuple(Counter(goal for look in looks for goal in look.open.get(key, ())).items()),
        outdated=sum(key in look.outdated for look in looks),
        is_heard_again=any(key in look.reheard for look in looks),
        unheard=sum(was is None and will is not None and will.needs_review for was, will in pairs),
        dumbbell=dumbbell_of(before.mean, after.mean),
    )


def crosses_level(pair: Pair) -> bool:
    """Whether the level that is named is another one."""
    was, will = pair
    return bool(was and will and was.level != will.level)


def _side(rows: Iterable[CriterionRow | None]) -> Side:
    asked = [row for row in rows if row]
    return Side(
        scores=tuple(row.score for row in asked if row.score is not None),
        waiting=sum(row.needs_review for row in asked),
    )


def _rises(pair: Pair) -> int:
    was, will = pair
    if was is None or will is None or was.score is None or will.score is None:
        return 0
    return will.score - was.score
