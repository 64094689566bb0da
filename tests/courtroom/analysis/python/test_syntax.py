"""Parsing of sources one by one, and resolution of names as Python resolves them."""

from __future__ import annotations

import ast

import pytest

from courtroom.analysis.python.source_files import is_test_path, is_vendored
from courtroom.analysis.python.symbol_table import SymbolTable
from courtroom.analysis.python.syntax import parse_sources
from courtroom.analysis.python.tree_walk import words_of
from tests.courtroom.sources import symbols_of


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"def f(:\n", "it does not parse: invalid syntax (line 1)"),
        (b"x = 1\0", "it does not parse: source code string cannot contain null bytes"),
        (
            b"# coding: utf-7\n+AG8-s\n",
            "it does not parse: its encoding cookie names utf-7, which can hide code from a reader",
        ),
        (
            b"# coding: unicode_escape\n",
            (
                "it does not parse: its encoding cookie names unicode_escape, which can hide "
                "code from a reader"
            ),
        ),
        (b"# coding: nonsense\n", "it does not parse: unknown encoding: nonsense"),
        (b"x = '\xff'\n", "it does not parse: invalid or missing encoding declaration"),
        (b"(" * 500 + b")" * 500, "it does not parse: too many nested parentheses (line 1)"),
        (b"-" * 20_000 + b"1", "it is nested too deeply, or too large, to be parsed"),
    ],
)
def test_an_unreadable_file_is_named_with_the_reason(raw, why):
    codebase = parse_sources({"bad.py": raw, "good.py": b"x = 1\n"})
    assert codebase.unreadable == {"bad.py": why}
    assert list(codebase.files) == ["good.py"]


@pytest.mark.parametrize(
    "raw",
    [b"\xef\xbb\xbfx = '\xc3\xa9'\n", b"# coding: latin-1\nx = '\xe9'\n", b"x = '\xc3\xa9'\r\n"],
)
def test_safe_encodings_are_decoded(raw):
    tree = parse_sources({"a.py": raw}).files["a.py"].tree
    assert isinstance(tree.body[0], ast.Assign)
    assert ast.literal_eval(tree.body[0].value) == "é"


@pytest.mark.parametrize(
    ("code", "dotted"),
    [
        ("import os\nos.system('x')", "os.system"),
        ("import os as o\no.system('x')", "os.system"),
        ("from os import system as s\ns('x')", "os.system"),
        ("import a.b.c\na.b.c.d()", "a.b.c.d"),
        ("from .sibling import thing\nthing()", "pkg.sibling.thing"),
        ("from ..other import thing\nthing()", "other.thing"),
        ("[1][0]()", ""),
    ],
)
def test_a_called_name_is_resolved_through_imports(code, dotted):
    symbols = symbols_of({"pkg/mod.py": code})
    (site, name), *_ = symbols.calls(symbols.codebase.files["pkg/mod.py"])
    assert (site.function, name) == (None, dotted)


def test_unpacked_dicts_and_keyword_only_parameters_are_walked():
    symbols = symbols_of("def f(*, a, b=g()):\n    return {**h(a), 'k': i(b)}\n")
    assert [dotted for _, dotted in symbols.calls(symbols.codebase.files["src/graph.py"])] == [
        "g",
        "h",
        "i",
    ]


def test_re_exports_resolve_to_the_module_of_the_class():
    symbols = symbols_of(
        {
            "src/models/__init__.py": "from .evidence import Evidence\n",
            "src/models/evidence.py": "class Evidence: ...\n",
            "src/use.py": "from src.models import Evidence as E\nE()\n",
        }
    )
    source = symbols.codebase.files["src/use.py"]

    assert symbols.calls(source)[0][1] == "src.models.evidence.Evidence"


def test_circular_re_exports_end():
    symbols = symbols_of({"a.py": "from b import x\nx()\n", "b.py": "from a import x\n"})
    assert symbols.calls(symbols.codebase.files["a.py"])[0][1] in {"a.x", "b.x"}


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("tests/a.py", True),
        ("src/test/a.py", True),
        ("test_a.py", True),
        ("src/a_test.py", True),
        ("conftest.py", True),
        ("src/latest.py", False),
        ("src/testing/a.py", False),
    ],
)
def test_tests_are_recognized_by_folder_or_name(path, is_test):
    assert is_test_path(path) is is_test


def test_vendored_packages_are_not_the_repositorys_code():
    assert [is_vendored(p) for p in (".venv/lib/a.py", "src/node_modules/a.py", "src/a.py")] == [
        True,
        True,
        False,
    ]


def test_words_of_identifiers_in_any_convention_agree():
    assert (
        words_of("techLeadScore")
        == words_of("TECH_LEAD_SCORE")
        == words_of("Tech Lead score")
        == ["tech", "lead", "score"]
    )


def test_an_empty_repository_has_no_production_code():
    assert SymbolTable(parse_sources({})).codebase.production == []
