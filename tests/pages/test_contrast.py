"""Text has enough contrast in light and in dark: WCAG's ratios, computed from the tokens."""

from __future__ import annotations

import re
from pathlib import Path

from django.contrib import admin

from tests.pages.token_contrast import TOKENS_FILE, colours, contrast, contrasts, measures

ADMIN_TOKENS_FILE = Path(admin.__file__).parent / "static" / "admin" / "css" / "base.css"
ADMIN_STYLES = {"admin.css", "rubric_editor.css", "rubric_exchange.css"}


def test_contrast_is_the_ratio_of_wcag() -> None:
    greys = ("#000000", "#777777", "#ffffff")
    assert [round(contrast("#000000", grey), 2) for grey in greys] == [1, 4.69, 21]


def test_every_text_and_mark_has_enough_contrast_with_its_background() -> None:
    assert [pair for pair in contrasts() if min(pair.light, pair.dark) < pair.minimum] == []


def test_every_colour_but_that_of_lines_is_held_to_a_contrast() -> None:
    held = {name for pair in contrasts() for name in (pair.colour, pair.background)}
    assert set(colours()) - held == {"line"}


def test_every_colour_has_a_dark_one() -> None:
    assert {name for name, colour in colours().items() if colour.light == colour.dark} == set()


def test_every_token_is_a_colour_or_a_measure() -> None:
    screen = TOKENS_FILE.read_text().partition("@media print")[0]
    assert set(re.findall(r"--([\w-]+):", screen)) == {*colours(), *measures(), "camera"}


def test_no_style_names_a_token_that_does_not_exist() -> None:
    ours, admins = TOKENS_FILE.read_text(), ADMIN_TOKENS_FILE.read_text()
    for file in TOKENS_FILE.parent.glob("*.css"):
        definitions = ours + admins if file.name in ADMIN_STYLES else ours
        defined = set(re.findall(r"(--[\w-]+):", definitions))
        assert set(re.findall(r"var\((--[\w-]+)\)", file.read_text())) <= defined, file.name


def test_no_token_is_left_unused() -> None:
    used = "".join(file.read_text() for file in TOKENS_FILE.parent.glob("*.css"))
    assert {name for name in (*colours(), *measures()) if f"var(--{name})" not in used} == set()
