"""Uses of what the function has closed already."""

from __future__ import annotations

import pytest

from courtroom.analysis.python.closed_resources import uses_after_close
from tests.courtroom.sources import symbols_of

IMPORTS = "import fitz, pymupdf, sqlite3, tempfile\nfrom zipfile import ZipFile\n"


def failing(body):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    symbols = symbols_of(f"{IMPORTS}def read(path, rows):\n{lines}\n")
    (source,) = symbols.codebase
    return [
        (line.line - 3, line.why)
        for function in source.functions
        for line in uses_after_close(symbols, source, function)
    ]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("doc = fitz.open(path)\ndoc.close()\nprint('pages', len(doc))", 3),
        ("doc = pymupdf.Document(path)\ndoc.close()\nreturn doc[0]", 3),
        ("doc = fitz.open(path)\ndoc.close()\nreturn [page.number for page in doc]", 3),
        ("doc = fitz.open(path)\ndoc.close()\nif rows:\n    rows.append(doc.page_count)", 4),
        ("doc = fitz.open(path)\ntry:\n    doc[0]\nfinally:\n    doc.close()\nreturn len(doc)", 6),
        (
            "try:\n    doc = fitz.open(path)\n    doc.close()\n    doc.get_toc()\nexcept IOError: pass",
            4,
        ),
        ("with fitz.open(path) as doc:\n    rows = list(doc)\nreturn len(doc)", 3),
        ("with open(path) as file:\n    rows = 1\nfor row in file:\n    print(row)", 3),
        ("file = open(path)\nfile.close()\nreturn file.read()", 3),
        ("with ZipFile(path) as z:\n    names = z.namelist()\nreturn z.read(names[0])", 3),
        ("db = sqlite3.connect(path)\ndb.close()\nreturn db.execute('select 1')", 3),
    ],
)
def test_use_after_close_fails(body, line):
    ((at, why),) = failing(body)
    assert at == line
    assert why.endswith(" has closed it")


def test_line_that_closes_is_named():
    (row,) = failing("doc = fitz.open(path)\ndoc.close()\nreturn len(doc)")
    assert row == (3, "uses doc after line 5 has closed it")


@pytest.mark.parametrize(
    "body",
    [
        "doc = fitz.open(path)\npages = len(doc)\ndoc.close()\nreturn pages",
        "doc = fitz.open(path)\nif rows:\n    doc.close()\nreturn len(doc)",
        "doc = fitz.open(path)\nif rows:\n    doc.close()\n    return 0\nreturn len(doc)",
        "doc = fitz.open(path)\ndoc.close()\nreturn doc.name, doc.is_closed, doc.metadata",
        "doc = fitz.open(path)\ndoc.close()\ndoc = fitz.open(path)\nreturn len(doc)",
        "doc = fitz.open(path)\ndoc.close()\nreturn lambda: len(doc)",
        "doc = path.open()\ndoc.close()\nreturn doc.read()",
        "with open(path) as file:\n    rows = 1\nwith open(path) as file:\n    return file.read()",
        "with ZipFile(path) as z:\n    rows = 1\nreturn z.namelist()",
        "with tempfile.NamedTemporaryFile() as file:\n    rows = 1\nreturn file.name",
        "with sqlite3.connect(path) as db:\n    db.execute('a')\nreturn db.execute('b')",
        "try:\n    doc = fitz.open(path)\n    doc.close()\nexcept IOError: return 0\nreturn len(doc)",
    ],
)
def test_use_that_may_come_before_or_that_a_closed_one_allows_is_none(body):
    assert failing(body) == []
