"""Passage on how opposed judges come to one verdict, whatever it is called.

It goes over short sections, each on one judge, and on to the one on the verdict: over headings and
over the end of a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

# Words from the first judge to the verdict, as in one chapter.
_MOST_WORDS = 320
_OPENS = re.compile(
    r"\W{0,4}(?:(?:\d{1,2}|[a-z])[.)] ?)?(?:the )?"
    # A number is the score of a judge in an audit.
    r"(?P<judge>prosecut(?:or|ion)|defen[cs]e|tech ?lead)\b(?!\W{0,3}\d)"
)
_JUDGES = frozenset({"p", "d", "t"})
_VERDICT = re.compile(r"\bchief ?justice|\bsynthesi[sz]")
# The verdict takes a side: a list of three judges and a vote explain no more than their names.
_TAKES_SIDES = (
    re.compile(r"\b(?:resolv|overr[iu]|outweigh|reconcil|weigh(?:s|ed|ing|t)\b|cap(?:s|ped)?\b)"),
    re.compile(r"\b(?:conflict|dialectic|oppos|disagree|adversarial|tension|variance|dissent)"),
)


def opposed_judges(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the line at which each such passage begins, and the passage."""
    for start, line in enumerate(lines):
        opening = _judge_of(line)
        if opening is None or (start and _judge_of(lines[start - 1]) == opening):
            continue
        judges: set[str] = set()
        texts: list[str] = []
        after = ""
        for text in lines[start:]:
            if len(" ".join([*texts, text]).split()) > _MOST_WORDS:
                break
            texts.append(text)
            after += f" {text.lower()}" if judges == _JUDGES else ""
            judges |= {_judge_of(text) or ""} & _JUDGES
            if tells_the_verdict(after):
                yield start, " ".join(texts)
                break


def _judge_of(line: str) -> str | None:
    """Return the first letter of the judge that a line begins with."""
    match = _OPENS.match(line.lower())
    return match["judge"][0] if match else None


def tells_the_verdict(text: str) -> bool:
    """Return whether a text in lower case has words on a conflict, its resolution and the verdict."""
    return all(words.search(text) for words in (_VERDICT, *_TAKES_SIDES))
