"""Texts that people type for others: trimmed, with uniform line ends, of limited length."""

from __future__ import annotations

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
