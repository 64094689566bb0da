"""Sentence on a check for its outcome: what holds or what is wrong, with the fact that shows it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

# Words that begin a sentence and are no names: within one they are written small.
OPENING_WORDS = frozenset(
    (
        *(
            "A",
            "All",
            "An",
            "Any",
            "At",
            "Audits",
            "Blockers",
            "Code",
            "Criteria",
            "Design",
            "Each",
        ),
        *("Every", "Evidence", "Files", "Judges", "Ranges", "Text"),
        *(
            "Fewer",
            "For",
            "From",
            "In",
            "It",
            "Nodes",
            "Opinions",
            "Progress",
            "Types",
            "Its",
            "Less",
            "Many",
            "More",
            "Most",
            "Much",
            "Neither",
            "No",
            "Nobody",
            "None",
            "Not",
        ),
        *("Nothing", "Of", "On", "Only", "Some", "Something", "That", "The", "There", "These"),
        *("This", "Too", "Two", "What", "Where", "Whether"),
    )
)

# Not the dot of "e.g." or of a number in a list.
SENTENCE_END = re.compile(r"(?<=[\w)”`]{2})[.!?](?=\s)")
_QUOTED = re.compile(r"“[^“”]*”|`[^`]*`")
NOT_RECOGNISED = " was recognised"
# A thing and what is wrong with it, which one clause may say.
_MERGED = re.compile(r"([^,]{1,200}?) that ((?:is|are|has|lacks|fails|keeps)\b.*)")
_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
NUMBERS = _COUNTED.split()
# "No claim", "At most one claim", "More than one claim", "At most one in four claims".
_LIMIT = re.compile(
    rf"^(?:no|an?)\b|\b(?:more than|at least|at most|fewer than) (?:{'|'.join(NUMBERS)}|\d{{1,6}})\b"
    rf"(?: in (?:{'|'.join(NUMBERS)})\b)?",
    re.IGNORECASE,
)
_DENIALS = {"whether no ": "whether any ", "whether nothing ": "whether anything "}
# Opening words of a sentence on a search, and of one that says that it found nothing.
_SEARCH = ("Looked ", "No ")
# Of a denial, a further thing.
_FURTHER = re.compile(r", (?:and )?(?:no|none) ")
_PLURAL = re.compile(r"\b(?:was|were)\b|s\b")


@dataclass(frozen=True, slots=True)
class Statement:
    """`sentence` says what holds or what is wrong; `fact` shows it, "" where it adds nothing.

    Of a check without an answer the sentence is a question, so that no goal reads as what holds.
    """

    met: bool | None
    sentence: str
    fact: str

    def __str__(self) -> str:
        return " ".join(filter(None, [self.sentence, self.fact]))


def statement_of(
    *, goal: str, fault: str, met: bool | None, reason: str, is_applicable: bool = True
) -> Statement:
    """Return what to say of a check; a record without a `fault` has its reason alone."""
    if not is_applicable:
        return Statement(met, f"W{whether(goal)[1:]}.", _closed(reason))
    if met is None:
        reason = reason.removeprefix("Not established: ")
        return Statement(met, not_checked([goal]), _closed(reason))
    sentence = goal if met else fault
    # The reason may be the same sentence, perhaps with more behind it.
    is_same = _plain(reason).startswith(_plain(sentence)) or _repeats(reason, sentence)
    if not sentence or is_same or (met and _denies_part(reason, goal)):
        return Statement(met, _closed(reason), "")
    return Statement(met, _closed(sentence), _closed(reason))


def _repeats(reason: str, sentence: str) -> bool:
    """Return whether a denial says all of the other one, in another order: "No rule was ..."."""
    first, words = (_plain(first_sentence(text)).split() for text in (reason, sentence))
    return first[:1] == words[:1] == ["no"] and set(words) <= set(first)


def _denies_part(reason: str, goal: str) -> bool:
    """Return whether a reason denies only one of several things: "No A, and no B was recognised".

    The others were not looked for, as what they are about is not there.
    """
    first = first_sentence(reason)
    is_denied = all(text.startswith("No ") and NOT_RECOGNISED in text for text in (first, goal))
    return is_denied and bool(_FURTHER.search(goal)) and not _FURTHER.search(first)


def without_weaker(sentences: Iterable[str]) -> list[str]:
    """Return the sentences without those that another one says with a stricter limit."""
    strictest: dict[str, str] = {}
    for sentence in sentences:
        form = _PLURAL.sub("", _LIMIT.sub("#", sentence, count=1).casefold())
        other = strictest.get(form)
        if other is None or _strictness(sentence) > _strictness(other):
            strictest[form] = sentence
    left = list(strictest.values())
    return [sentence for sentence in left if not any(_denies_less(sentence, s) for s in left)]


def _denies_less(sentence: str, other: str) -> bool:
    """Return whether both deny the same, and the sentence only of what one more thing is true of."""
    return other.startswith("No ") and sentence.startswith(f"{other.rstrip('.')} and that ")


def _strictness(sentence: str) -> int:
    match = _LIMIT.search(sentence)
    if match is None:
        return 0
    bound, _, of = match[0].casefold().partition(" in ")
    words = bound.split()
    # A share allows more than the same number.
    number = _number(words[-1]) + bool(of)
    strictness = {"at most": -number, "fewer than": 1 - number, "more than": number + 1}
    return strictness.get(" ".join(words[:-1]), number)


def _number(word: str) -> int:
    """Return the number that a word or an article stands for."""
    if word.isdigit():
        return int(word)
    return NUMBERS.index(word) if word in NUMBERS else int(word != "no")


def whether(goal: str) -> str:
    """Return the goal as a question within a sentence; of what was not recognised, if it is there."""
    if goal.startswith("No ") and NOT_RECOGNISED in goal:
        flaw = goal.rstrip(".").removeprefix("No ").replace(NOT_RECOGNISED, "", 1)
        flaw = flaw.replace(", and no ", ", or any ").replace(", no ", ", any ")
        merged = _MERGED.fullmatch(flaw)
        if merged and " any " not in flaw and " and that " not in flaw:
            return f"whether any {merged[1]} {merged[2]}"
        return f"whether there is any {flaw}"
    return f"whether {continued(goal.rstrip('.'))}"


def vain_search(*, goal: str, reason: str, has_reservation: bool) -> Statement:
    """Return what to say of a check that searched for a fault and recognised none.

    Its sentence is the question that it asked: a search proves no absence. Its fact is what the
    reservation adds to the search.
    """
    if _denies_part(reason, goal):
        goal = f"{first_sentence(reason).partition(NOT_RECOGNISED)[0]}{NOT_RECOGNISED}"
    question = whether(goal)
    for denial, words in _DENIALS.items():
        if question.startswith(denial):
            question = words + question.removeprefix(denial)
    first, *others = sentences_of(reason) or [""]
    remarks = others if first.startswith(_SEARCH) else [first, *others]
    left = [remark for remark in remarks if not remark.startswith(_SEARCH[0])]
    fact = " ".join(left) if has_reservation else ""
    return Statement(True, f"W{question[1:]}.", _closed(fact))


def not_checked(goals: Iterable[str]) -> str:
    return f"It could not be checked {'; '.join(map(whether, goals))}."


def not_applying(goals: Iterable[str]) -> str:
    questions = [whether(goal) for goal in goals]
    checks = "this check is" if len(questions) == 1 else "these checks are"
    return f"For the same reason {checks} not met: {'; '.join(questions)}."


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


def sentences_of(text: str) -> list[str]:
    """Return the sentences of the text; an end in a quotation or in brackets is none."""
    sentences, start = [], 0
    for match in SENTENCE_END.finditer(text):
        part = text[start : match.end()]
        is_open = part.count("“") != part.count("”") or part.count("`") % 2
        # A bracket in a quotation opens none of the sentence.
        own = _QUOTED.sub("", part)
        if not is_open and own.count("(") <= own.count(")"):
            sentences.append(part.strip())
            start = match.end()
    return [*sentences, text[start:].strip()] if text[start:].strip() else sentences


def first_sentence(text: str) -> str:
    return next(iter(sentences_of(text)), text)
