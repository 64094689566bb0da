"""Colours of static/css/tokens.css, and the contrast of each colour on each of its backgrounds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

TOKENS_FILE = Path(__file__).parents[2] / "static" / "css" / "tokens.css"
# WCAG 2.2: 1.4.3 for text of ordinary size, 1.4.11 for borders, marks and focus.
TEXT_MINIMUM, MARK_MINIMUM = 4.5, 3.0
BACKGROUNDS = ("paper", "panel", "sunk")
TEXT_COLOURS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("ink-soft", "accent", "accent-strong"), BACKGROUNDS),
    **{tone: (f"{tone}-ground", "panel", "paper") for tone in ("good", "warn", "bad")},
    **{
        f"code-{kind}": ("code-ground",)
        for kind in ("comment", "keyword", "string", "name", "number")
    },
    "on-accent": ("accent", "accent-strong"),
    "panel": ("prosecutor", "defense", "techlead", "ink"),
    "ink": (*BACKGROUNDS, "good-ground", "warn-ground", "bad-ground", "code-ground"),
}
MARK_COLOURS: Mapping[str, tuple[str, ...]] = dict.fromkeys(
    ("focus", "ink-soft", "prosecutor", "defense", "techlead", "good", "bad"), BACKGROUNDS
)


class Colour(NamedTuple):
    """Colour of the light and of the dark theme, as `#rrggbb`."""

    light: str
    dark: str


class Pair(NamedTuple):
    """A colour on its background: the contrast in both themes (1 to 21), and the minimum."""

    colour: str
    background: str
    light: float
    dark: float
    minimum: float


def colours() -> dict[str, Colour]:
    matches = re.findall(
        r"--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", TOKENS_FILE.read_text()
    )
    return {name: Colour(light, dark) for name, light, dark in matches}


def measures() -> dict[str, str]:
    """Return the tokens that are no colours: sizes, spaces, strokes and typefaces of a screen."""
    screen = TOKENS_FILE.read_text().partition("@media print")[0]
    tokens = re.findall(r"--([\w-]+): (.+?);", screen)
    return {name: value for name, value in tokens if not value.startswith(("light-dark", "#"))}


def contrasts() -> list[Pair]:
    values = colours()
    return [
        Pair(
            name,
            background,
            contrast(values[name].light, values[background].light),
            contrast(values[name].dark, values[background].dark),
            minimum,
        )
        for backgrounds_by_name, minimum in (
            (TEXT_COLOURS, TEXT_MINIMUM),
            (MARK_COLOURS, MARK_MINIMUM),
        )
        for name, backgrounds in backgrounds_by_name.items()
        for background in backgrounds
    ]


def contrast(first: str, second: str) -> float:
    """Return WCAG's contrast ratio of two colours `#rrggbb`."""
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
