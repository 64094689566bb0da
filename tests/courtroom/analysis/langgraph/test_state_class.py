"""The graph's state, its reducers and the repository's models."""

from __future__ import annotations

import ast

import pytest

from courtroom.analysis.langgraph.state_class import (
    declared_keys,
    pydantic_models,
    read_state,
    reducers_of,
)
from courtroom.analysis.langgraph.topology import read_graph
from tests.courtroom.sources import IMPORTS, symbols_of

STATE = """
import operator
from operator import add as plus
from typing import Annotated, TypedDict
from typing_extensions import NotRequired
from pydantic import BaseModel, Field

def merge(left, right): ...
Opinions = Annotated[list, operator.add]

class Base(TypedDict):
    errors: Annotated[list, plus]

class AgentState(Base, total=False):
    repo_url: str
    evidences: Annotated[dict, operator.ior]
    opinions: Opinions
    quoted: "Annotated[list, merge]"
    optional: NotRequired[Annotated[list, lambda a, b: a + b]]
    described: Annotated[int, Field(ge=1)]
"""


def state_of(graph: str, **files: str):
    symbols = symbols_of({"src/state.py": STATE, "src/graph.py": f"{IMPORTS}{graph}", **files})
    return symbols, read_state(symbols, read_graph(symbols, {}).builder)


def test_the_state_is_the_class_of_the_graph():
    _, state = state_of(
        "from src.state import AgentState as S\ng = StateGraph(S)\ng.add_node('a', print)"
    )

    assert state.fact == {
        "name": "AgentState",
        "path": "src/state.py",
        "line": 14,
        "kind": "TypedDict",
    }


def test_reducers_are_listed_as_written_with_inherited_fields_first():
    symbols, state = state_of(
        "from src.state import AgentState\ng = StateGraph(AgentState)\ng.add_node('a', print)"
    )
    reducers = [
        (reducer["field"], reducer["reducer"], reducer["line"])
        for reducer in reducers_of(symbols, state.site)
    ]

    assert reducers == [
        ("errors", "plus", 12),
        ("evidences", "operator.ior", 16),
        ("opinions", "operator.add", 17),
        ("quoted", "merge", 18),
        ("optional", "lambda a, b: a + b", 19),
    ]


@pytest.mark.parametrize(
    ("definition", "kind"),
    [
        ("from pydantic import BaseModel\nclass S(BaseModel): ...", "BaseModel"),
        ("from dataclasses import dataclass\n@dataclass(slots=True)\nclass S: ...", "dataclass"),
        ("from langgraph.graph import MessagesState\nclass S(MessagesState): ...", "TypedDict"),
        ("class S(dict): ...", "dict"),
        ("class S: ...", "none"),
    ],
)
def test_the_kind_of_the_state_depends_on_its_bases(definition, kind):
    _, state = state_of(f"{definition}\ng = StateGraph(S)\ng.add_node('a', print)")
    assert (state.fact["name"], state.fact["kind"]) == ("S", kind)


def test_a_plain_dict_is_a_state_without_reducers():
    symbols, state = state_of("g = StateGraph(dict)\ng.add_node('a', print)")
    assert state.fact == {"name": "dict", "kind": "dict", "path": "src/graph.py", "line": 4}
    assert reducers_of(symbols, state.site) == []


def test_without_a_graph_a_class_named_state_is_the_state():
    _, state = state_of("")
    assert state.fact["name"] == "AgentState"


def test_models_are_found_by_inheritance_and_only_under_src():
    symbols = symbols_of(
        {
            "src/base.py": (
                "import pydantic as p\nclass Strict(p.BaseModel): ...\nclass Plain: ...\n"
            ),
            "src/models.py": (
                "from src.base import Strict, Plain\n"
                "class Evidence(Strict): ...\n"
                "class Other(Plain): ...\n"
                "def f():\n"
                "    class Local(Evidence): ...\n"
            ),
            "scripts/x.py": "from pydantic import BaseModel\nclass Script(BaseModel): ...\n",
            "src/tests/test_x.py": "from pydantic import BaseModel\nclass Fake(BaseModel): ...\n",
        }
    )

    assert [site.node.name for site in pydantic_models(symbols)] == ["Strict", "Evidence", "Local"]


def test_a_string_that_imitates_a_model_is_no_model():
    symbols = symbols_of(
        'TEXT = """\nclass Evidence(BaseModel):\n    goal: str\n"""\n# class X(BaseModel): ...\n'
    )
    assert pydantic_models(symbols) == []


def test_a_channel_or_a_made_reducer_is_listed_as_written():
    code = f"""{IMPORTS}
from functools import partial
from typing import Annotated, TypedDict
from langgraph.channels import BinaryOperatorAggregate
def merge(left, right): ...
def keep(count): ...
class AgentState(TypedDict):
    first: Annotated[dict, BinaryOperatorAggregate(dict, merge)]
    second: Annotated[list, partial(merge)]
    third: Annotated[list, keep(3)]
    fourth: Annotated[list, Field(description="merge")]
g = StateGraph(AgentState)
g.add_node("a", print)
"""
    symbols = symbols_of(code)
    site = read_state(symbols, read_graph(symbols, {}).builder).site
    assert [reducer["reducer"] for reducer in reducers_of(symbols, site)] == [
        "BinaryOperatorAggregate(dict, merge)",
        "partial(merge)",
        "keep(3)",
    ]


@pytest.mark.parametrize(
    ("bases", "keys"), [("Base", {"a", "b"}), ("TypedDict", {"b"}), ("MessagesState", None)]
)
def test_the_keys_of_a_state_are_known_unless_a_library_adds_some(bases, keys):
    code = f"class Base(TypedDict):\n    a: int\nclass AgentState({bases}):\n    b: int\n"
    symbols = symbols_of(code)
    (source,) = symbols.codebase
    site = symbols.find_class(source, ast.Name("AgentState"))
    assert declared_keys(symbols, site) == keys
