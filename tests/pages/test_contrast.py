"""Text can be read on what it stands on, in light and in dark: WCAG's ratios, computed from the tokens."""

from __future__ import annotations

import re
from pathlib import Path

from django.contrib import admin

from grading.styles_page.token_contrast import colours, contrast, contrasts, measures, tokens_file

ADMINS_TOKENS = Path(admin.__file__).parent / "static" / "admin" / "css" / "base.css"
IN_THE_ADMIN = {"admin.css", "rubric_editor.css", "rubric_exchange.css"}


def test_the_ratio_is_that_of_wcag() -> None:
    assert [
        round(contrast("#000000", other), 2) for other in ("#000000", "#777777", "#ffffff")
    ] == [
        1,
        4.69,
        21,
    ]


def test_every_text_and_mark_stands_out_from_its_ground() -> None:
    assert [pair for pair in contrasts() if min(pair.light, pair.dark) < pair.least] == []


def test_every_colour_but_that_of_lines_is_held_to_a_contrast() -> None:
    held = {name for pair in contrasts() for name in (pair.colour, pair.ground)}
    assert set(colours()) - held == {"line"}


def test_every_colour_of_the_house_has_a_dark_one() -> None:
    assert {name for name, colour in colours().items() if colour.light == colour.dark} == set()


def test_every_token_is_shown_as_a_colour_or_as_a_measure() -> None:
    screen = tokens_file().read_text().partition("@media print")[0]
    assert set(re.findall(r"--([\w-]+):", screen)) == {*colours(), *measures(), "camera"}


def test_no_style_names_a_token_that_does_not_exist() -> None:
    ours, admins = tokens_file().read_text(), ADMINS_TOKENS.read_text()
    for file in tokens_file().parent.glob("*.css"):
        known = set(
            re.findall(r"(--[\w-]+):", ours + admins if file.name in IN_THE_ADMIN else ours)
        )
        assert set(re.findall(r"var\((--[\w-]+)\)", file.read_text())) <= known, file.name


def test_no_token_is_left_unused() -> None:
    used = "".join(file.read_text() for file in tokens_file().parent.glob("*.css"))
    assert {name for name in (*colours(), *measures()) if f"var(--{name})" not in used} == set()
