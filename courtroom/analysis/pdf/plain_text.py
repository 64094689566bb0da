"""Clean text for storage, display and search: no invisible characters, ligatures spelled out."""

from __future__ import annotations

import re
import unicodedata

_SPACES = re.compile(r"[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
# C0 and C1 controls except line feed, surrogates, non-characters.
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Soft hyphen, zero-width characters, marks: harmless leftovers of word processors.
_ZERO_WIDTH = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2060-\u2064\ufeff]"
)
# Direction overrides and tag characters never get into a report by accident.
_SMUGGLED = re.compile(r"[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_LIGATURES = re.compile(r"[\ufb00-\ufb06]")
# Hyphens, the minus sign, and dashes; a long dash between two words joins them to no compound.
_HYPHENS = re.compile(r"[\u2010-\u2013\u2212]|(?<!\w)[\u2014\u2015]|[\u2014\u2015](?!\w)")


def plain(text: str) -> str:
    """Return the text a person would see: NFC, ordinary spaces, letters instead of ligatures."""
    text = _LIGATURES.sub(
        lambda match: unicodedata.normalize("NFKC", match[0]), _SPACES.sub(" ", text)
    )
    for pattern in (_CONTROLS, _ZERO_WIDTH, _SMUGGLED):
        text = pattern.sub("", text)
    return unicodedata.normalize("NFC", text)


def with_plain_hyphens(text: str) -> str:
    """Return the text, as long as before, as it is searched: "re\u2011run" is "re-run".

    Quotes keep the text as it is.
    """
    return _HYPHENS.sub("-", text)


def has_smuggled_characters(text: str) -> bool:
    """Return whether the text contains characters that hide or reverse other text."""
    return bool(_SMUGGLED.search(text))
