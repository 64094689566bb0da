"""The design system stays one: literals stand in tokens.css alone, every class is used, and every component is shown."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.test import Client, override_settings
from pygments.token import STANDARD_TYPES

from auditor_site.settings import base

ROOT = Path(__file__).parents[2]
STYLES = sorted((ROOT / "static" / "css").glob("*.css"))
LITERAL = re.compile(r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(|\d*\.?\d+px\b")
CLASS_ATTRIBUTE = re.compile(r'class="((?:\{%.*?%\}|\{\{.*?\}\}|[^"])*)"')
SIZES_OF_THEIR_OWN = {"tokens.css", "admin.css", "rubric_editor.css", "rubric_exchange.css"}
COMPONENTS = ("parts", "states", "pictures")
ELSEWHERE = {
    "errorlist",
    "readonly",
    "breadcrumbs",
    "messagelist",
    "js",
    "dragged",
    "slider",
}  # Django's, and the editor's script's


def without_comments(path: Path) -> str:
    return re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)


def classes_in(path: Path) -> set[str]:
    selectors = re.findall(r"([^{};]*)\{", without_comments(path))
    return {
        name
        for each in selectors
        if "@" not in each
        for name in re.findall(r"\.([a-zA-Z][\w-]*)", each)
    }


@cache
def worn() -> tuple[set[str], set[str]]:
    """The words of class attributes and of short strings in modules; and beginnings, such as `s` of `s{{ score }}`."""
    words, beginnings = set(ELSEWHERE) | set(STANDARD_TYPES.values()), set()
    for path in set((ROOT / "templates").rglob("*.html")) - set(
        (ROOT / "templates" / "styles_page").iterdir()
    ):
        text = path.read_text()
        for value in [
            *CLASS_ATTRIBUTE.findall(text),
            *re.findall(r"bodyclass %\}(.*?)\{% endblock", text),
        ]:
            beginnings |= set(re.findall(r"([\w-]+)\{\{", value))
            words |= set(re.sub(r"\{%.*?%\}|\{\{.*?\}\}", " ", value).split())
    for path in (ROOT / "grading").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and len(node.value.split()) < 4
            ):
                words |= set(re.findall(r"[\w-]+", node.value))
    return words, beginnings


def is_worn(name: str) -> bool:
    words, beginnings = worn()
    begun = (name.removeprefix(each) for each in beginnings if name.startswith(each))
    return name in words or any(rest.isdigit() or name.endswith(f"-{rest}") for rest in begun)


@pytest.mark.parametrize(
    "path", [each for each in STYLES if each.name != "tokens.css"], ids=lambda path: path.name
)
def test_colours_and_sizes_in_pixels_stand_among_the_tokens_alone(path: Path) -> None:
    assert LITERAL.findall(without_comments(path)) == []


@pytest.mark.parametrize(
    "path",
    [each for each in STYLES if each.name not in SIZES_OF_THEIR_OWN],
    ids=lambda path: path.name,
)
def test_sizes_of_type_stand_among_the_tokens_alone(path: Path) -> None:
    assert re.findall(r"font(?:-size)?: [^;]*?[\d.]+rem", without_comments(path)) == []


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_each_class_that_is_styled_is_worn_by_something(path: Path) -> None:
    assert {name for name in classes_in(path) if not is_worn(name)} == set()


def test_every_style_is_asked_for_by_a_page() -> None:
    pages = "".join(path.read_text() for path in (ROOT / "templates").rglob("*.html"))
    assert {path.name for path in STYLES} == set(re.findall(r"'css/([\w.]+)'", pages))


def test_the_style_page_is_there_for_who_works_on_the_pages_and_not_in_production(
    client: Client,
) -> None:
    assert client.get("/styles/").status_code == 200
    with override_settings(SHOWS_STYLES=base.SHOWS_STYLES):
        assert client.get("/styles/").status_code == 404


def test_every_part_state_and_picture_is_on_the_style_page(client: Client) -> None:
    page = client.get("/styles/").content.decode()
    shown = {name for value in re.findall(r'class="([^"]*)"', page) for name in value.split()}
    asked = set.union(*(classes_in(ROOT / "static" / "css" / f"{name}.css") for name in COMPONENTS))
    assert asked - shown == set()


@pytest.mark.django_db
def test_the_style_page_asks_the_database_nothing(
    client: Client, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        client.get("/styles/")
