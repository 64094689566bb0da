"""Claims that a part was changed in answer to an audit, held against the history of its files.

A claim is contradicted where the last commit of each file of the part is older than the audits that
the work received: by the date in their names, or because the file has one commit alone. All others
are left open: a change may come before the commit that brings the audit.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import PurePosixPath

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf.plain_text import with_plain_hyphens
from courtroom.analysis.pdf_claims.claim_patterns import CodeFacts
from courtroom.analysis.pdf_claims.claims import CheckedClaim, FeatureClaim, own_words

MADE_CHANGE = "made_change"
# By path: when the commits that changed it were made, oldest first, in ISO 8601.
Changes = Mapping[str, Sequence[str]]

# Headings after which an answer to an audit may still be told.
_HEADINGS = 4
_PASSAGE_CHARACTERS, _MAX_SENTENCE = 400, 600
_ANSWERS = re.compile(
    r"\b(?:peers?|feedback|in response|received|bidirectional|minmax)\b", re.IGNORECASE
)
_OF_OTHERS = re.compile(r"\b(?:outgoing|generated|their|we audited)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z\"“(●•○-])|\s(?=[●•○]\s)")
_CHANGED = r"(?:tightened|sharpened|strengthened|hardened|refactored|reworked|reworded|rewrote)"
_WAS_CHANGED = (
    r"(?:was|were|has been|have been) (?:\w+ly )?"
    r"(?:tightened|sharpened|strengthened|hardened|refactored|reworked|reworded|rewritten|revised"
    r"|updated|improved|extended)"
)
_NOT_DONE = re.compile(
    r"\b(?:will|would|should|could|can|must|plan\w*|recommend\w*|to be|not|never|their|they|if)\b"
)
_FILE = r"(?:[\w-]{1,60}/){0,8}[\w-]{1,60}\.(?:py|json)\b"
_PARTS: tuple[tuple[str, str], ...] = (
    ("file", _FILE),
    (
        "prompts",
        r"(?:prosecutor|defen[cs]e|tech ?lead|judges?|personas?)\b[\w/,'\u2019 ]{0,50}?\bprompts?",
    ),
    ("justice", r"chief ?justice(?:['\u2019]s)?(?: node)?(?: (?:logic|rules|synthesis|code))?"),
    ("rubric", r"rubric(?: json)?"),
)
_CLAIMS = tuple(
    (
        part,
        re.compile(
            rf"\b{_CHANGED} (?:the |our |my |all )?(?P<after>{words})(?![\w/])"
            rf"|(?<![\w/.])(?P<before>{words})[^.;:]{{0,40}} {_WAS_CHANGED}\b",
            re.IGNORECASE,
        ),
    )
    for part, words in _PARTS
)
_DATE = re.compile(r"(?<!\d)(20\d\d)[-_]?(0[1-9]|1[0-2])[-_]?(0[1-9]|[12]\d|3[01])(?!\d)")


def idle_changes(reading: PdfReading, code: CodeFacts, changes: Changes) -> Iterator[CheckedClaim]:
    """Yield the first claimed change that the history does not have, as a contradicted claim."""
    audits = (code.get("minmax") or {}).get("received") or ()
    first = _first_time(audits, changes)
    if first is None:
        return
    for page, sentence in _sentences(reading):
        for part, name in _changed_parts(sentence):
            files = _files_of(part, name, code, changes)
            if files and all(_is_older(file, audits, first, changes) for file in files):
                passage = sentence[:_PASSAGE_CHARACTERS]
                claim = FeatureClaim(MADE_CHANGE, "", page, passage, min(files))
                yield CheckedClaim(claim, "contradicted")
                return


def _sentences(reading: PdfReading) -> Iterator[tuple[int, str]]:
    """Yield page and text of the sentences that answer an audit, or stand in a section that does."""
    recent: deque[str] = deque(maxlen=_HEADINGS)
    for page, text in enumerate(reading.pages, start=1):
        for line in filter(None, text.split("\n")):
            if (page, line) in reading.headings:
                recent.append(line)
                continue
            is_answer = any(map(_ANSWERS.search, recent)) and not _is_of_others(recent)
            for words in own_words(line):
                for sentence in _SENTENCE.split(words):
                    is_long = len(sentence) > _MAX_SENTENCE
                    if not is_long and (is_answer or _ANSWERS.search(sentence)):
                        yield page, sentence


def _is_of_others(recent: Sequence[str]) -> bool:
    return bool(recent) and _OF_OTHERS.search(recent[-1]) is not None


def _changed_parts(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield the parts that the sentence says were changed, with the words that name each."""
    sentence = with_plain_hyphens(sentence)
    if _NOT_DONE.search(sentence.lower()):
        return
    for part, pattern in _CLAIMS:
        for match in pattern.finditer(sentence):
            yield part, match["after"] or match["before"]


def _files_of(part: str, name: str, code: CodeFacts, changes: Changes) -> set[str]:
    """Return the files of a part; none where the work does not tell which they are."""
    if part == "prompts":
        return {row["path"] for row in code.get("persona_prompts") or ()}
    if part == "file":
        ends = [path for path in changes if f"/{path}".endswith(f"/{name.removeprefix('./')}")]
    elif part == "justice":
        ends = [path for path in changes if path.endswith(".py") and _is_named("justice", path)]
    else:
        ends = [path for path in changes if path.endswith(".json") and _is_named("rubric", path)]
    return set(ends) if len(ends) == 1 else set()


def _is_named(word: str, path: str) -> bool:
    name = PurePosixPath(path).name
    return word in name and not name.startswith("test")


def _first_time(audits: Sequence[str], changes: Changes) -> datetime | None:
    """Return when the first audit came into the history; null where that is not known."""
    folders = {PurePosixPath(path).parent for path in audits}
    paths = [path for path in changes if path in audits or _is_in(path, folders)]
    times = _times([changes[path][0] for path in paths])
    return min(times) if times else None


def _is_older(file: str, audits: Sequence[str], first: datetime, changes: Changes) -> bool:
    """Return whether the last commit of the file is known to be older than the audits."""
    times = _times(changes.get(file, ()))
    if not times or max(times) >= first:
        return False
    name = PurePosixPath(file).name
    is_moved = sum(PurePosixPath(path).name == name for path in changes) > 1
    last_day = f"{max(times):%Y%m%d}"
    return all(_day_of(path) > last_day for path in audits) or (len(times) == 1 and not is_moved)


def _is_in(path: str, folders: set[PurePosixPath]) -> bool:
    parent = PurePosixPath(path).parent
    return parent in folders and "received" in parent.name


def _day_of(path: str) -> str:
    """Return the day in the name of a file, as YYYYMMDD; "" without one."""
    match = _DATE.search(PurePosixPath(path).name)
    return "".join(match.groups()) if match else ""


def _times(texts: Sequence[str]) -> list[datetime]:
    """Return the times; none of them where git could not read one."""
    return [datetime.fromisoformat(text) for text in texts] if all(texts) else []
