"""What a report says about itself: of which repository and commit it is, when and by whom it was written."""

from __future__ import annotations

import re
from collections.abc import Iterable

from courtroom.report_import import vocabulary
from courtroom.report_import.draft_report import Draft
from courtroom.report_import.imported_report import About, ImportedScore
from courtroom.report_import.score_parser import marked_score_in

SEARCHED_LINES = 60
_URL = re.compile(r"(?:https?://|git@|ssh://)[^\s<>()\[\]`'\"|]{3,400}")
_ADDRESS = re.compile(r"(?:[\w-]{1,63}\.){1,4}[a-z]{2,20}/[\w./-]{1,300}")
_HEX = re.compile(r"\b[0-9a-f]{7,40}\b")
_SELF = re.compile(r"\b(?:on[ _-]?(?:one)?self|self)\b|self[_-]", re.IGNORECASE)
_PEER = re.compile(r"\bpeers?\b|on[_-]?peer|by[_-]?peer|peer[_-]|rec(?:ei|ie)ved", re.IGNORECASE)
_OVERALL = re.compile(
    r"\b(?:overall|total|aggregate|final|average|consolidated|compliance|stakeholder)\b[^.:;\n]{0,40}?\bscore\b[^\d\n]{0,20}",
    re.IGNORECASE,
)


def take_label(draft: Draft, key: str, value: str) -> bool:
    """Keep the value if the label is one of the report's own facts; the first one stands."""
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


def give_overall(draft: Draft, score: ImportedScore | None, *, is_sure: bool = True) -> None:
    """The first overall score stands, unless a later one also names its maximum."""
    before = draft.overall
    if score and (
        before is None or (is_sure and before.maximum is None and score.maximum is not None)
    ):
        draft.overall = score


def take_url(draft: Draft, texts: Iterable[str]) -> None:
    """The first address of a repository among the first lines, where no label gave one."""
    for text in texts:
        if draft.repo_url is None and (url := _URL.search(text)):
            draft.repo_url = _url_in(url[0])


def take_overall(draft: Draft, texts: Iterable[str]) -> None:
    """A sentence such as: Overall score: 2.3/5 across 10 criteria."""
    for text in texts:
        match = _OVERALL.search(text[:500]) if draft.overall is None else None
        if match and text[match.end() : match.end() + 1].isdigit():
            draft.overall = marked_score_in(text[match.end() : match.end() + 40])


def about(title: str | None, name: str) -> About | None:
    """Whether a report is of its author's own work or a peer's, by its title or the name of its file."""
    for text in (title or "", name):
        if _PEER.search(text):
            return "peer"
        if _SELF.search(text):
            return "self"
    return None


def _address_in(value: str) -> str | None:
    """An address without its scheme, such as example.org/owner/name."""
    return value if _ADDRESS.fullmatch(value) else None


def _url_in(value: str) -> str | None:
    url = _URL.search(value)
    return url[0].rstrip(".,;:") if url else None
