"""What a text calls a thing by, without its ornament: a judge, a criterion, a section, a label."""

from __future__ import annotations

from courtroom.models.record import Persona
from courtroom.report_import import vocabulary
from courtroom.report_import.imported_report import Priority

LONGEST_NAME = 120
LONGEST_LABEL = 40


def plain_key(text: str) -> str:
    """Lower case words with single blanks: what is left when case, punctuation and emoji are taken away."""
    return vocabulary.NOT_WORDS.sub(" ", text[:LONGEST_NAME].replace("&", " and ").lower()).strip()


def key_of(name: str) -> str:
    """What two spellings of a criterion's name or id share: numbering and marks such as PASS are apart too."""
    return plain_key(name_in(name))


def short_key_of(name: str) -> str:
    """The key without what stands in parentheses."""
    return plain_key(vocabulary.PARENTHESIS.sub(" ", name_in(name)))


def name_in(text: str) -> str:
    """A name without numbering, PASS or FAIL, emoji and the punctuation around it."""
    name = text[:LONGEST_NAME]
    name = vocabulary.STATUS.sub("", name, count=1) if vocabulary.STATUS.match(name) else name
    match = vocabulary.NUMBERING.match(name)
    name = name[match.end() :] if match else name
    return _trimmed(name)


def _trimmed(name: str) -> str:
    """Without symbols at either end, but with the parenthesis that belongs to the name."""
    start = next((at for at, char in enumerate(name) if char.isalnum()), len(name))
    end = next(
        (at for at in range(len(name), start, -1) if name[at - 1].isalnum() or name[at - 1] == ")"),
        start,
    )
    name = name[start:end]
    while name.endswith(")") and name.count("(") < name.count(")"):
        name = name[:-1].rstrip()
    return " ".join(name.split())


def split_id(text: str) -> tuple[str, str | None]:
    """A name and the id written behind it, as in: Git Forensic Analysis (`git_forensic_analysis`)."""
    for match in vocabulary.ID.finditer(text[: 2 * LONGEST_NAME]):
        if "_" in match[1] or "id" in match[0].lower().split(match[1].lower())[0]:
            return (text[: match.start()] + text[match.end() :]).strip(), match[1]
    return text, None


def judge_in(text: str) -> tuple[Persona | str | None, str]:
    """The judge a text begins with, and the words after the name that are not just “opinion” or “score”."""
    key = plain_key(text[:LONGEST_NAME])
    match = vocabulary.JUDGE.fullmatch(key)
    if match is None:
        return (" ".join(text.split()), "") if vocabulary.OTHER_JUDGE.fullmatch(key) else (None, "")
    rest = [word for word in (match["rest"] or "").split() if word not in vocabulary.OF_A_JUDGE]
    return vocabulary.JUDGE_NAMES[match[1].replace(" ", "")], " ".join(rest)


def judge_named(text: str) -> Persona | str | None:
    """The judge a text names and nothing else: `Tech Lead`, `The Prosecutor's opinion`."""
    judge, rest = judge_in(text)
    return None if rest else judge


def section_in(text: str) -> vocabulary.Section | None:
    """The part of a report that a heading of these words begins; null for any other heading."""
    key = short_key_of(text)
    return next(
        (section for section, pattern in vocabulary.SECTIONS if pattern.fullmatch(key)), None
    )


def is_overall(label: str) -> bool:
    return vocabulary.OVERALL.fullmatch(label) is not None


def priority_in(text: str) -> Priority | None:
    """The priority a text begins with or names alone, such as: [HIGH], P1, Critical priority."""
    parts = plain_key(text[:LONGEST_LABEL]).split()
    parts = parts[1:] if parts[:1] in (["priority"], ["severity"]) else parts
    return vocabulary.PRIORITY.get(parts[0]) if parts else None
