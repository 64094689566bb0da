"""What people type for others to read, as it is kept: its ends trimmed, its lines alike, and of bounded length."""

from __future__ import annotations

from grading.core.errors import FieldRefused


def typed(text: str) -> str:
    """Browsers send line ends of two characters, which they count as one."""
    return text.replace("\r\n", "\n").strip()


def refuse_longer(text: str, most: int, *, field: str, refused: type[FieldRefused]) -> None:
    """Raises <field>_too_long."""
    if len(text) > most:
        sentence = f"At most {most:,} characters are kept; these are {len(text):,}."
        raise refused(field, f"{field}_too_long", sentence)


def words_of(text: str, most: int, *, field: str, missing: str, refused: type[FieldRefused]) -> str:
    """Raises <field>_missing, which says what is `missing`, and <field>_too_long."""
    text = typed(text)
    if not text:
        raise refused(field, f"{field}_missing", missing)
    refuse_longer(text, most, field=field, refused=refused)
    return text
