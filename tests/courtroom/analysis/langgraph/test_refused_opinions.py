"""Records that their own class refuses, and the models that want all opinions."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.refused_opinions import (
    calls_with_empty_list,
    full_panels,
    refused_places,
)
from tests.courtroom.sources import symbols_of

MODEL = """
from pydantic import BaseModel, Field, field_validator
class Result(BaseModel):
    final_score: int
    opinions: list[Opinion] = {value}
    @field_validator("opinions")
    @classmethod
    def _all(cls, v):
        if {test}:
            raise ValueError("too few")
        return v
def verdict():
    return Result(
        final_score=1,
        opinions={given},
    )
"""
ANY, FREE = "Field(default_factory=list)", "v is None"


@pytest.mark.parametrize(
    ("value", "test", "given", "is_refused", "least"),
    [
        (ANY, "len(v) != 3", "[]", True, 3),
        (ANY, "len(v) < 2", "[]", True, 2),
        (ANY, "not v", "[]", True, 0),
        ("Field(min_length=3)", FREE, "[]", True, 3),
        (ANY, "len(v) != 3", "opinions", False, 3),
        (ANY, "len(v) > 3", "[]", False, 0),
        (ANY, FREE, "[]", False, 0),
    ],
)
def test_empty_list_is_refused_by_what_the_model_validates(value, test, given, is_refused, least):
    symbols = symbols_of(MODEL.format(value=value, test=test, given=given))
    source = symbols.codebase.production[0]
    assert refused_places(symbols, [])(source, 14) is is_refused
    wanted = [f"Result refuses fewer than {least} opinions."] if least else []
    assert [row["text"] for row in full_panels(symbols)] == wanted


@pytest.mark.parametrize(
    ("old", "new", "test", "why"),
    [
        ("", "", "len(v) != 3", "of which it refuses fewer than 3"),
        ("", "", "not v", "of which it refuses an empty one"),
        ("opinions=[]", "opinions=[a]", "len(v) != 3", ""),
        ("        if", "        if not v: return v\n        if", "len(v) != 3", ""),
        ("        if", "        v = v or [0, 0, 0]\n        if", "len(v) != 3", ""),
        ('r("opinions")', 'r("opinions", mode="before")', "len(v) != 3", ""),
        (
            'r("opinions")',
            'r("opinions", mode="after")',
            "not v",
            "of which it refuses an empty one",
        ),
    ],
)
def test_call_with_a_list_that_the_model_refuses_fails_whenever_it_runs(old, new, test, why):
    code = MODEL.format(value=ANY, test=test, given="[]").replace(old, new)
    symbols = symbols_of(code)
    source = symbols.codebase.production[0]
    rows = [row.why for f in source.functions for row in calls_with_empty_list(symbols, source, f)]
    begin = "builds Result with an empty list as opinions"
    assert rows == ([f"{begin}, {why}"] if why else [])


@pytest.mark.parametrize(
    ("why", "line", "is_refused"),
    [
        ("builds Result without name, which it requires", 13, True),
        ("builds Result with a list as final_score, which is int", 14, True),
        ("builds Other without name, which it requires", 13, False),
        ("uses v, which nothing defines", 13, False),
    ],
)
def test_record_that_fails_whenever_it_is_built_gives_no_score(why, line, is_refused):
    symbols = symbols_of(MODEL.format(value=ANY, test=FREE, given="opinions"))
    source = symbols.codebase.production[0]
    failing = [{"path": source.path, "line": line, "why": why}]
    assert refused_places(symbols, failing)(source, 14) is is_refused
