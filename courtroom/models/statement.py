"""Sentence on a check for its outcome: what holds or what is wrong, with the fact that shows it."""

from __future__ import annotations

from dataclasses import dataclass

# Words that begin a sentence and are no names: within one they are written small.
OPENING_WORDS = frozenset(
    (
        *("A", "All", "An", "Any", "At", "Each", "Every", "Fewer", "For", "From", "In", "It"),
        *("Its", "Less", "Many", "More", "Most", "Much", "Neither", "No", "Nobody", "None", "Not"),
        *("Nothing", "Of", "On", "Only", "Some", "Something", "That", "The", "There", "These"),
        *("This", "Too", "Two", "What", "Where"),
    )
)


@dataclass(frozen=True, slots=True)
class Statement:
    """`sentence` says what holds or what is wrong; `fact` shows it, "" where it adds nothing.

    As text, a check that is not established or does not apply says so, with the reason.
    """

    met: bool | None
    sentence: str
    fact: str
    is_applicable: bool = True

    def __str__(self) -> str:
        if self.met is None:
            outcome = "Not established" if self.is_applicable else "Not applicable"
            because = f", because {continued(self.fact)}" if self.fact else "."
            return f"{outcome}: {self.sentence.rstrip('.')}{because}"
        return " ".join(filter(None, [self.sentence, self.fact]))


def statement_of(
    *, goal: str, fault: str, met: bool | None, reason: str, is_applicable: bool = True
) -> Statement:
    """Return what to say of a check; a record without a `fault` has its reason alone."""
    if not is_applicable:
        return Statement(met, _closed(goal), _closed(reason), is_applicable=False)
    sentence = fault if met is False else goal
    reason = reason.removeprefix("Not established: ")
    # The reason may be the same sentence, perhaps with more behind it.
    if not sentence or _plain(reason).startswith(_plain(sentence)):
        return Statement(met, _closed(reason), "")
    return Statement(met, _closed(sentence), _closed(reason))


def _closed(text: str) -> str:
    """Return the text as sentences: with a capital, unless a name begins it, and a full stop."""
    first = text.split(" ", 1)[0].capitalize()
    start = text[:1].upper() if first in OPENING_WORDS else text[:1]
    is_closed = not text or text.rstrip(')”"')[-1:] in ".!?…"
    return f"{start}{text[1:]}{'' if is_closed else '.'}"


def _plain(text: str) -> str:
    return " ".join(text.split()).rstrip(".").casefold()


def continued(text: str) -> str:
    """Return the text as it stands after a colon or a comma: with a small letter unless a name."""
    first = text.split(" ", 1)[0]
    return text[:1].lower() + text[1:] if first in OPENING_WORDS else text
