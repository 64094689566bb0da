"""Models that are built with a value that a field cannot take."""

from __future__ import annotations

import pytest

from courtroom.analysis.python.call_graph import CallGraph, FunctionRef
from courtroom.analysis.python.model_values import calls_with_unfit_value
from tests.courtroom.sources import symbols_of

MODELS = """
from typing import Any, Dict, List, Optional, Union
from pydantic import BaseModel, field_validator, validator
class Evidence(BaseModel):
    content: Optional[str] = None
    paths: List[str] = []
    score: int = 1
    notes: dict[str, Any] = {}
    either: Union[str, List[str]] = ""
    extent: Any = None
class Loose(BaseModel):
    content: str
    @field_validator("content", mode="before")
    def joined(cls, value): return str(value)
class Numbers(BaseModel):
    model_config = {"coerce_numbers_to_str": True}
    content: str
class Tool:
    def read(self, path):
        if path:
            return self.read_pages(path)
        return {"images": [], "text": "", "any": path}
    def read_pages(self, path):
        images = []
        images.append(path)
        return {"images": images, "text": "a", "any": []}
"""


def failing(body):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    symbols = symbols_of(f"{MODELS}\ndef detect(path, tool, rows):\n{lines}\n")
    (source,) = symbols.codebase
    call_graph = CallGraph(symbols)
    return [
        line.why
        for site in source.functions
        for line in calls_with_unfit_value(call_graph, FunctionRef(source, site))
    ]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("Evidence(content=[])", "a list as content, which is Optional[str]"),
        ("Evidence(content={'a': 1})", "a dict as content, which is Optional[str]"),
        ("Evidence(content=len(rows))", "a number as content, which is Optional[str]"),
        (
            "a = []\nif path: a = [path]\nEvidence(content=a)",
            "a list as content, which is Optional[str]",
        ),
        (
            "r = tool.read(path)\nEvidence(content=r['images'])",
            "a list as content, which is Optional[str]",
        ),
        (
            "r = tool.read(path)\na = r.get('images', [])\nEvidence(content=a)",
            "a list as content, which is Optional[str]",
        ),
        ("Evidence(paths='a.py')", "a text as paths, which is List[str]"),
        ("Evidence(paths=None)", "None as paths, which is List[str]"),
        ("Evidence(score=[1])", "a list as score, which is int"),
        ("Evidence(notes=[path])", "a list as notes, which is dict[str, Any]"),
        ("Evidence(either={})", "a dict as either, which is Union[str, List[str]]"),
    ],
)
def test_value_of_another_type_is_refused(body, why):
    assert failing(body) == [f"builds Evidence with {why}"]


@pytest.mark.parametrize(
    "body",
    [
        "Evidence(content=None, paths=(path,), score='3', notes={}, either=[], extent=set())",
        "Evidence(content=path)",
        "a = []\nif path: a = 'x'\nEvidence(content=a)",
        "a = []\nfor a in rows: pass\nEvidence(content=a)",
        "r = tool.read(path)\nEvidence(content=r['text'])",
        "r = tool.read(path)\nEvidence(content=r['any'])",
        "r = tool.read(path)\nr['images'] = ''\nEvidence(content=r['images'])",
        "r = tool.read(path)\nmend(r)\nEvidence(content=r['images'])",
        "Loose(content=[])",
        "Numbers(content='a')",
        "Evidence(content=str([]))",
    ],
)
def test_value_that_may_fit_is_not_refused(body):
    assert failing(body) == []
