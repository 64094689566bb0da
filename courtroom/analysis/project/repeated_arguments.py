"""Judges of a committed audit that give one argument for most criteria, as texts of the code do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from courtroom.report_import.imported_report import ImportedOpinion

# Judges agree on few criteria by chance.
LEAST_FIXED = 5


def repeated_arguments(
    opinions: Sequence[ImportedOpinion],
) -> tuple[str, list[ImportedOpinion]] | None:
    """Return how often each judge gives its commonest argument, and the opinions that do.

    None where a judge has few opinions, or other arguments on half of them.
    """
    by_judge: dict[str, list[ImportedOpinion]] = {}
    for opinion in opinions:
        by_judge.setdefault(str(opinion.judge), []).append(opinion)
    counts, shown = [], []
    for judge, own in by_judge.items():
        (text, times), *_ = Counter(_words(opinion) for opinion in own).most_common(1)
        if len(own) < LEAST_FIXED or times * 2 <= len(own):
            return None
        counts.append(f"{judge} for {times} of {len(own)}")
        shown += [opinion for opinion in own if _words(opinion) == text]
    return (", ".join(counts), shown) if counts else None


def _words(opinion: ImportedOpinion) -> str:
    return " ".join(opinion.argument.split())
