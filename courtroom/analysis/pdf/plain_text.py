"""Text that can be stored, shown and searched: no control or invisible characters, ligatures spelled out."""

from __future__ import annotations

import re
import unicodedata

_SPACES = re.compile(r"[\t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
# C0 and C1 controls but line feed, private use, surrogates, non-characters.
_CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Soft hyphen, zero-width characters, marks: innocent leftovers of word processors.
_ZERO_WIDTH = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2060-\u2064\ufeff]"
)
# Direction overrides and tag characters: nobody types these into a report by accident.
_SMUGGLED = re.compile(r"[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
_LIGATURES = re.compile(r"[\ufb00-\ufb06]")


def plain(text: str) -> str:
    """The text a person would see: NFC, ordinary spaces, ligatures as letters, nothing invisible."""
    text = _LIGATURES.sub(
        lambda match: unicodedata.normalize("NFKC", match[0]), _SPACES.sub(" ", text)
    )
    for unwanted in (_CONTROLS, _ZERO_WIDTH, _SMUGGLED):
        text = unwanted.sub("", text)
    return unicodedata.normalize("NFC", text)


def carries_invisible(text: str) -> bool:
    """Whether the text holds characters that hide or turn around what is written."""
    return bool(_SMUGGLED.search(text))
