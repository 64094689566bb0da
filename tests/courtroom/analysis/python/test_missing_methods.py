"""Calls of a method that the class of a new object lacks."""

from __future__ import annotations

import pytest

from courtroom.analysis.python.missing_methods import calls_without_method
from tests.courtroom.sources import symbols_of

PAGES = """
from abc import ABC
class Base(ABC):
    def close(self): self.done = True
class Pages(Base):
    count: int = 0
    def read(self): return self.count
"""
CALL = """
from pages import Pages
def node(state):
    pages = Pages(state)
    pages.read(); pages.close(); pages.done(); pages.__repr__()
    try:
        return pages.find_paths()
    except Exception:
        return []
"""
FIRST = ["7 calls find_paths() of Pages, which has no such method"]


def lacking(call: str = CALL, pages: str = PAGES, **files: str) -> list[str]:
    more_files = {f"{name}.py": text for name, text in files.items()}
    symbols = symbols_of({"pages.py": pages, "node.py": call, **more_files})
    source = symbols.codebase.files["node.py"]
    return [
        f"{line.line} {line.why}"
        for function in source.functions
        for line in calls_without_method(symbols, source, function)
    ]


def test_method_that_neither_the_class_nor_a_parent_has_fails_though_its_error_is_caught():
    assert lacking() == FIRST


@pytest.mark.parametrize(
    "pages",
    [
        PAGES.replace("Base(ABC)", "Base(Unknown)"),
        PAGES.replace("count: int", "find_paths: list"),
        f"{PAGES}    def __getattr__(self, name): return print\n",
        f"{PAGES}class Pages:\n    pass\n",
        PAGES.replace("class Pages", "@filled\nclass Pages"),
        PAGES.replace("(Base)", "(Base, metaclass=Meta)"),
    ],
    ids=["unknown base", "attribute", "any name", "defined twice", "decorated", "metaclass"],
)
def test_class_that_may_have_more_is_left_alone(pages: str):
    assert lacking(pages=pages) == []


@pytest.mark.parametrize(
    "call",
    [
        CALL.replace("    try:", "    pages = other(pages)\n    try:"),
        CALL.replace("    try:", "    if hasattr(pages, 'find_paths'): pass\n    try:"),
        CALL.replace("Pages(state)", "make(state)"),
    ],
    ids=["set again", "asked before", "made elsewhere"],
)
def test_object_of_which_the_class_is_not_sure_is_left_alone(call: str):
    assert lacking(call) == []


def test_method_that_other_code_gives_the_class_is_no_fault():
    assert lacking(more="from pages import Pages\nPages.find_paths = print\n") == []


@pytest.mark.parametrize(
    ("top", "fails"),
    [
        ("pages = Pages()", True),
        ("pages = Pages()\npages = open('a')", False),
        ("pages = load()", False),
        ("def reset():\n    global pages\n    pages = load()\npages = Pages()", False),
        ("def read(pages): return pages\npages = Pages()", False),
    ],
)
def test_object_of_the_file_has_the_methods_of_its_class(top, fails):
    code = f"from pages import Pages\n{top}\ndef node(state):\n    return pages.find_paths()\n"
    symbols = symbols_of({"pages.py": PAGES, "node.py": code})
    source = symbols.codebase.files["node.py"]
    function = next(site for site in source.functions if site.node.name == "node")
    lines = [line.why for line in calls_without_method(symbols, source, function)]
    assert lines == ["calls find_paths() of Pages, which has no such method"] * fails
