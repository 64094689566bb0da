"""Literals stand in tokens.css alone, every class is used, and every stylesheet is on a page."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from pygments.token import STANDARD_TYPES

ROOT = Path(__file__).parents[2]
STYLES = sorted((ROOT / "static" / "css").glob("*.css"))
LITERAL = re.compile(r"#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(|\d*\.?\d+px\b")
CLASS_ATTRIBUTE = re.compile(r'class="((?:\{%.*?%\}|\{\{.*?\}\}|[^"])*)"')
STYLES_WITH_OWN_SIZES = {"tokens.css", "admin.css", "rubric_editor.css", "rubric_exchange.css"}
# Classes that Django's own templates and the rubric editor's script write.
FOREIGN_CLASSES = {
    "errorlist",
    "readonly",
    "breadcrumbs",
    "messagelist",
    "js",
    "dragged",
    "slider",
}


def without_comments(path: Path) -> str:
    return re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)


def classes_in(path: Path) -> set[str]:
    selectors = re.findall(r"([^{};]*)\{", without_comments(path))
    return {
        name
        for selector in selectors
        if "@" not in selector
        for name in re.findall(r"\.([a-zA-Z][\w-]*)", selector)
    }


@cache
def used_classes() -> tuple[set[str], set[str]]:
    """Return the words of class attributes and of short strings in modules, and prefixes.

    A prefix is what stands before a variable, such as `s` of `s{{ score }}`.
    """
    words, prefixes = set(FOREIGN_CLASSES) | set(STANDARD_TYPES.values()), set()

    for path in (ROOT / "templates").rglob("*.html"):
        text = path.read_text()
        for value in [
            *CLASS_ATTRIBUTE.findall(text),
            *re.findall(r"bodyclass %\}(.*?)\{% endblock", text),
        ]:
            prefixes |= set(re.findall(r"([\w-]+)\{\{", value))
            words |= set(re.sub(r"\{%.*?%\}|\{\{.*?\}\}", " ", value).split())

    for path in (ROOT / "grading").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Constant)
                and isinstance(node.value, str)
                and len(node.value.split()) < 4
            ):
                words |= set(re.findall(r"[\w-]+", node.value))

    return words, prefixes


def is_used(name: str) -> bool:
    words, prefixes = used_classes()
    endings = (name.removeprefix(prefix) for prefix in prefixes if name.startswith(prefix))
    return name in words or any(
        ending.isdigit() or name.endswith(f"-{ending}") for ending in endings
    )


@pytest.mark.parametrize(
    "path", [path for path in STYLES if path.name != "tokens.css"], ids=lambda path: path.name
)
def test_colours_and_pixels_stand_in_tokens_css_alone(path: Path) -> None:
    assert LITERAL.findall(without_comments(path)) == []


@pytest.mark.parametrize(
    "path",
    [path for path in STYLES if path.name not in STYLES_WITH_OWN_SIZES],
    ids=lambda path: path.name,
)
def test_font_sizes_stand_in_tokens_css_alone(path: Path) -> None:
    assert re.findall(r"font(?:-size)?: [^;]*?[\d.]+rem", without_comments(path)) == []


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.name)
def test_each_class_that_is_styled_is_used_by_something(path: Path) -> None:
    assert {name for name in classes_in(path) if not is_used(name)} == set()


def test_every_stylesheet_is_linked_by_a_page() -> None:
    pages = "".join(path.read_text() for path in (ROOT / "templates").rglob("*.html"))
    assert {path.name for path in STYLES} == set(re.findall(r"'css/([\w.]+)'", pages))
