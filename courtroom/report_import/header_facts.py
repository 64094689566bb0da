"""Facts of a report about itself: its repository, commit, date, author and overall score."""

from __future__ import annotations

import re
from collections.abc import Iterable

from courtroom.report_import import vocabulary
from courtroom.report_import.draft_report import DraftReport
from courtroom.report_import.imported_report import About, ImportedScore
from courtroom.report_import.score_parser import find_marked_score

# An address further down is more often a reference than the audited repository.
SEARCHED_LINES = 60
_URL = re.compile(r"(?:https?://|git@|ssh://)[^\s<>()\[\]`'\"|]{3,400}")
_ADDRESS = re.compile(r"(?:[\w-]{1,63}\.){1,4}[a-z]{2,20}/[\w./-]{1,300}")
_HEX = re.compile(r"\b[0-9a-f]{7,40}\b")
_SELF = re.compile(r"\b(?:on[ _-]?(?:one)?self|self)\b|self[_-]", re.IGNORECASE)
_PEER = re.compile(r"\bpeers?\b|on[_-]?peer|by[_-]?peer|peer[_-]|rec(?:ei|ie)ved", re.IGNORECASE)
# As in: Overall score: 2.3/5 across 10 criteria.
_OVERALL = re.compile(
    r"\b(?:overall|total|aggregate|final|average|consolidated|compliance|stakeholder)\b"
    r"[^.:;\n]{0,40}?\bscore\b[^\d\n]{0,20}",
    re.IGNORECASE,
)


def set_labelled_fact(draft: DraftReport, key: str, value: str) -> bool:
    """Set the fact that this label names; the first value is kept. False for any other label."""
    if vocabulary.REPOSITORY.fullmatch(key):
        draft.repo_url = draft.repo_url or _url_in(value) or _address_in(value)
        return True
    if vocabulary.COMMIT.fullmatch(key) and (match := _HEX.search(value.lower())):
        draft.commit = draft.commit or match[0]
        return True
    if vocabulary.DATE.fullmatch(key):
        draft.date = draft.date or value
        return True
    if vocabulary.AUTHOR.fullmatch(key):
        draft.author = draft.author or value
        return True
    return False


def set_overall(
    draft: DraftReport, score: ImportedScore | None, *, is_certain: bool = True
) -> None:
    """Set the overall score; the first one is kept, unless a later one also names its maximum."""
    current = draft.overall
    if score is None:
        return

    adds_maximum = current is not None and current.maximum is None and score.maximum is not None
    if current is None or (is_certain and adds_maximum):
        draft.overall = score


def find_url(draft: DraftReport, texts: Iterable[str]) -> None:
    """Set the repository to the first address in these texts, where no label gave one."""
    for text in texts:
        if draft.repo_url is None and (match := _URL.search(text)):
            draft.repo_url = _url_in(match[0])


def find_overall(draft: DraftReport, texts: Iterable[str]) -> None:
    """Set the overall score from a sentence, where no label gave one."""
    for text in texts:
        match = _OVERALL.search(text[:500]) if draft.overall is None else None
        if match and text[match.end() : match.end() + 1].isdigit():
            draft.overall = find_marked_score(text[match.end() : match.end() + 40])


def parse_about(title: str | None, name: str) -> About | None:
    """Return whose work the report is about: its author's own or a peer's.

    The title decides, then the name of the file; null when neither says so.
    """
    for text in (title or "", name):
        if _PEER.search(text):
            return "peer"
        if _SELF.search(text):
            return "self"
    return None


def _address_in(value: str) -> str | None:
    """Return an address without its scheme, such as example.org/owner/name."""
    return value if _ADDRESS.fullmatch(value) else None


def _url_in(value: str) -> str | None:
    match = _URL.search(value)
    return match[0].rstrip(".,;:") if match else None
