"""The house's tokens as static/css/tokens.css gives them, and how well one colour can be read on another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

# WCAG 2.2: 1.4.3 for text of ordinary size, 1.4.11 for borders, marks and focus.
TEXT_NEEDS, MARK_NEEDS = 4.5, 3.0
GROUNDS = ("paper", "panel", "sunk")
TEXTS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("ink-soft", "accent", "accent-strong"), GROUNDS),
    **{tone: (f"{tone}-ground", "panel", "paper") for tone in ("good", "warn", "bad")},
    **{
        f"code-{kind}": ("code-ground",)
        for kind in ("comment", "keyword", "string", "name", "number")
    },
    "on-accent": ("accent", "accent-strong"),
    "panel": ("prosecutor", "defense", "techlead", "ink"),
    "ink": (*GROUNDS, "good-ground", "warn-ground", "bad-ground", "code-ground"),
}
MARKS = dict.fromkeys(
    ("focus", "ink-soft", "prosecutor", "defense", "techlead", "good", "bad"), GROUNDS
)


class Colour(NamedTuple):
    """As `#rrggbb` in either theme."""

    light: str
    dark: str


class Pair(NamedTuple):
    """A colour on its ground: the ratio of their luminances, 1 to 21, in either theme."""

    colour: str
    ground: str
    light: float
    dark: float
    least: float


def tokens_file() -> Path:
    return Path(settings.BASE_DIR) / "static" / "css" / "tokens.css"


def colours() -> dict[str, Colour]:
    found = re.findall(
        r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", tokens_file().read_text()
    )
    return {name: Colour(light, dark) for name, light, dark in found}


def measures() -> dict[str, str]:
    """What is no colour: sizes, spaces, strokes and typefaces, as they are written on a screen."""
    screen = tokens_file().read_text().partition("@media print")[0]
    found = re.findall(r"--([\w-]+): (.+?);", screen)
    return {name: value for name, value in found if not value.startswith(("light-dark", "#"))}


def contrasts() -> list[Pair]:
    known = colours()
    return [
        Pair(
            name,
            ground,
            contrast(known[name].light, known[ground].light),
            contrast(known[name].dark, known[ground].dark),
            least,
        )
        for needs, least in ((TEXTS, TEXT_NEEDS), (MARKS, MARK_NEEDS))
        for name, grounds in needs.items()
        for ground in grounds
    ]


def contrast(one: str, other: str) -> float:
    """WCAG's ratio of two colours `#rrggbb`."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
