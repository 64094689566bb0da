"""Texts that people type for others: trimmed, with uniform line ends, of limited length.

In emails they stand without links, because the site's address vouches for what it sends.
"""

from __future__ import annotations

import re
import unicodedata

from grading.core.errors import FieldRefused


def normalized(text: str) -> str:
    """Return the text trimmed, with line ends of one character."""
    # Browsers send CRLF but count it as one character.
    return text.replace("\r\n", "\n").strip()


def refuse_too_long(text: str, limit: int, *, field: str, refused: type[FieldRefused]) -> None:
    """Raise `refused` with code <field>_too_long if the text is longer than the limit."""
    if len(text) > limit:
        sentence = f"The limit is {limit:,} characters; this text has {len(text):,}."
        raise refused(field, f"{field}_too_long", sentence)


def required_text(
    text: str, limit: int, *, field: str, missing: str, refused: type[FieldRefused]
) -> str:
    """Return the normalized text.

    Raises `refused` with code <field>_missing and the sentence `missing`, or <field>_too_long.
    """
    text = normalized(text)
    if not text:
        raise refused(field, f"{field}_missing", missing)
    refuse_too_long(text, limit, field=field, refused=refused)
    return text


MAX_NAME = 60
LINK_REMOVED = "[link removed]"
# A word with a scheme, with an at sign, with a dot before a last part of letters, or with four
# numbers: mail programs turn bare host names and addresses into links too. One word is looked at
# once, so it is linear.
_WORD = re.compile(r"\S+")
_LINK = re.compile(r":[/\\]{2}|\w@\w|www[.]|[^.][.][^\W\d_]{2}|\d[.]\d+[.]\d+[.]\d", re.IGNORECASE)
# Dots that browsers take for the dot of a host name (UTS 46).
_DOTS = str.maketrans(dict.fromkeys("\u3002\uff0e\uff61\u2024\ufe52", "."))


def without_links(text: str) -> str:
    """Return the text without control characters other than line ends, and without links."""
    shown = "".join(
        character
        for character in text
        # Cf holds the marks that reverse or hide letters.
        if character == "\n" or unicodedata.category(character) not in {"Cc", "Cf", "Zl", "Zp"}
    )
    return _WORD.sub(_without_link, shown)


def _without_link(word: re.Match[str]) -> str:
    composed = unicodedata.normalize("NFKC", word[0].translate(_DOTS))
    # Marks that no letter took up, such as variation selectors, are not seen.
    compared = "".join(c for c in composed if unicodedata.category(c) not in {"Mn", "Me"})
    return LINK_REMOVED if _LINK.search(compared) else word[0]


def name_in_email(name: str) -> str:
    """Return an organization's name as one short line without links or brackets."""
    plain = without_links(" ".join(name.split())).replace(LINK_REMOVED, "")
    short = plain.translate(str.maketrans("[]<>", "()()"))[:MAX_NAME]
    return " ".join(short.split()) or "An organization"
