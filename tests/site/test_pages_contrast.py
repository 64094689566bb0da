"""Text can be read on what it stands on, in light and in dark: WCAG's ratios, computed from the tokens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib import admin

TOKENS = Path(__file__).parents[2] / "static" / "css" / "tokens.css"
ADMINS_TOKENS = Path(admin.__file__).parent / "static" / "admin" / "css" / "base.css"
IN_THE_ADMIN = {"rubric_editor.css", "rubric_exchange.css"}
GROUNDS = ("paper", "panel", "sunk")
# Text of ordinary size needs 4.5 to 1 (WCAG 2.2, 1.4.3); borders of controls and the focus ring 3 to 1 (1.4.11).
TEXTS = {
    **dict.fromkeys(("ink", "ink-soft", "accent", "accent-strong"), GROUNDS),
    **{tone: (f"{tone}-ground", "panel", "paper") for tone in ("good", "warn", "bad")},
    **{f"code-{kind}": ("code-ground",) for kind in ("comment", "keyword", "string", "name", "number")},
    "on-accent": ("accent", "accent-strong"),
    "panel": ("prosecutor", "defense", "techlead", "ink"),
    "ink": (*GROUNDS, "good-ground", "warn-ground", "bad-ground", "code-ground"),
}
MARKS = {**dict.fromkeys(("focus", "ink-soft", "prosecutor", "defense", "techlead", "good", "bad"), GROUNDS)}


def tokens(scheme: str) -> dict[str, str]:
    light, _, dark = TOKENS.read_text().partition("@media")
    found = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", light))
    return found | dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", dark)) if scheme == "dark" else found


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("pairs", "least"), [(TEXTS, 4.5), (MARKS, 3.0)])
def test_every_text_and_mark_stands_out_from_its_ground(
    scheme: str, pairs: dict[str, tuple[str, ...]], least: float
) -> None:
    colours = tokens(scheme)
    ratios = {
        (text, ground): contrast(colours[text], colours[ground])
        for text, grounds in pairs.items()
        for ground in grounds
    }
    assert {pair: round(ratio, 2) for pair, ratio in ratios.items() if ratio < least} == {}


def test_every_colour_of_the_house_has_a_dark_one() -> None:
    light = tokens("light")
    assert {name for name, colour in tokens("dark").items() if colour == light[name]} == set()


def test_no_style_names_a_token_that_does_not_exist() -> None:
    ours, admins = TOKENS.read_text(), ADMINS_TOKENS.read_text()
    for file in TOKENS.parent.glob("*.css"):
        known = set(re.findall(r"(--[\w-]+):", admins if file.name in IN_THE_ADMIN else ours))
        assert set(re.findall(r"var\((--[\w-]+)\)", file.read_text())) <= known, file.name
