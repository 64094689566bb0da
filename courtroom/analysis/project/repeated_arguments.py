"""Arguments of a committed audit that no judge made: the same for most criteria, or of the code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from courtroom.analysis.python.source_files import SourceFile
    from courtroom.report_import.imported_report import ImportedOpinion

# Judges agree on few criteria by chance.
LEAST_FIXED = 5
# A model may give an argument of fewer characters that the code holds too.
LEAST_WRITTEN = 40
# A score behind the argument, as some audits print it.
_SCORE_BEHIND = re.compile(r" ?\(score:? ?\d{1,3}(?:\.\d)?(?:/\d{1,3})?\)$", re.IGNORECASE)


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


def written_arguments(
    opinions: Sequence[ImportedOpinion], code: Iterable[SourceFile]
) -> list[ImportedOpinion]:
    """Return the opinions whose whole argument is a text of the code.

    Short ones count where one file has them all.
    """
    sources = tuple(code)
    arguments = {without_score(_words(opinion)) for opinion in opinions}
    if len(arguments) >= LEAST_FIXED and any(arguments <= _texts(file, 0) for file in sources):
        return list(opinions)
    longer = {text: opinion for opinion in opinions if len(text := _words(opinion)) > LEAST_WRITTEN}
    if not longer:
        return []
    texts = {text for source in sources for text in _texts(source, LEAST_WRITTEN)}
    return [opinion for opinion in opinions if _words(opinion) in texts.intersection(longer)]


def without_score(argument: str) -> str:
    return _SCORE_BEHIND.sub("", argument)


def _texts(source: SourceFile, least: int) -> set[str]:
    """Return the texts of a file that have more characters than `least`."""
    return {
        " ".join(constant.value.split())
        for constant, _ in source.strings
        if isinstance(constant.value, str) and len(constant.value) > least
    }


def _words(opinion: ImportedOpinion) -> str:
    return " ".join(opinion.argument.split())
