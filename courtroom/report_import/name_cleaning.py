"""Names without their ornament: of a judge, a criterion, a section, a label."""

from __future__ import annotations

from courtroom.models.judge_answer import Persona
from courtroom.report_import import vocabulary
from courtroom.report_import.imported_report import Priority

# Only so much of a text is searched: a longer one is a sentence and no name.
LONGEST_NAME = 120
LONGEST_LABEL = 40


def normalize(text: str) -> str:
    """Return lower case words with single blanks, without case, punctuation and emoji."""
    lowered = text[:LONGEST_NAME].replace("&", " and ").lower()
    return vocabulary.NOT_WORDS.sub(" ", lowered).strip()


def name_key(name: str) -> str:
    """Return the key that all spellings of a criterion's name or id share."""
    return normalize(clean_name(name))


def short_name_key(name: str) -> str:
    """Return the key without the words in parentheses."""
    return normalize(vocabulary.PARENTHESIS.sub(" ", clean_name(name)))


def clean_name(text: str) -> str:
    """Return a name without numbering, PASS or FAIL, emoji and the punctuation around it."""
    name = text[:LONGEST_NAME]
    if match := vocabulary.STATUS.match(name):
        name = name[match.end() :]
    match = vocabulary.NUMBERING.match(name)
    return _trim(name[match.end() :] if match else name)


def _trim(name: str) -> str:
    """Cut symbols at both ends, but keep a parenthesis that belongs to the name."""
    start = next((index for index, char in enumerate(name) if char.isalnum()), len(name))
    end = next(
        (
            index
            for index in range(len(name), start, -1)
            if name[index - 1].isalnum() or name[index - 1] == ")"
        ),
        start,
    )

    name = name[start:end]
    while name.endswith(")") and name.count("(") < name.count(")"):
        name = name[:-1].rstrip()
    return " ".join(name.split())


def split_id(text: str) -> tuple[str, str | None]:
    """Split a name from its id, as in: Git Forensic Analysis (`git_forensic_analysis`)."""
    for match in vocabulary.ID.finditer(text[: 2 * LONGEST_NAME]):
        # A word in parentheses is an id only if it looks like one or is called one.
        if "_" in match[1] or "id" in match[0].lower().split(match[1].lower())[0]:
            return (text[: match.start()] + text[match.end() :]).strip(), match[1]
    return text, None


def parse_judge(text: str) -> tuple[Persona | str | None, str]:
    """Return the judge that a text begins with, and the further words.

    Words such as “opinion” or “score” behind the name are dropped.
    """
    key = normalize(text[:LONGEST_NAME])
    match = vocabulary.JUDGE.fullmatch(key)
    if match is None:
        is_judge = vocabulary.OTHER_JUDGE.fullmatch(key) is not None
        return (" ".join(text.split()) if is_judge else None), ""

    words = (match["rest"] or "").split()
    rest = [word for word in words if word not in vocabulary.JUDGE_SUFFIXES]
    return vocabulary.JUDGE_NAMES[match[1].replace(" ", "")], " ".join(rest)


def exact_judge(text: str) -> Persona | str | None:
    """Return the judge if the text names nothing else: `Tech Lead`, `The Prosecutor's opinion`."""
    judge, rest = parse_judge(text)
    return None if rest else judge


def section_of(text: str) -> vocabulary.Section | None:
    """Return the section that a heading of these words begins; null for any other heading."""
    key = short_name_key(text)
    return next(
        (section for section, pattern in vocabulary.SECTIONS if pattern.fullmatch(key)), None
    )


def is_overall_label(label: str) -> bool:
    return vocabulary.OVERALL.fullmatch(label) is not None


def parse_priority(text: str) -> Priority | None:
    """Return the priority that a text begins with, such as: [HIGH], P1, Critical priority."""
    words = normalize(text[:LONGEST_LABEL]).split()
    words = words[1:] if words[:1] in (["priority"], ["severity"]) else words
    return vocabulary.PRIORITY_BY_WORD.get(words[0]) if words else None
