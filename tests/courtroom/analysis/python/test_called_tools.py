"""Calls of a tool by its name, which LangChain 1 refuses."""

from __future__ import annotations

import pytest

from courtroom.analysis.python.called_tools import called_tools, core_without_calls
from tests.courtroom.sources import symbols_of

TOOL = (
    "from langchain_core.tools import tool\n@tool\ndef read(path: str) -> str:\n    return path\n"
)
CALL = "def node(state):\n    from tools import read\n    return read(state['path'])\n"
CORE = "1.2.15 (uv.lock)"


def lines(call: str = CALL, tool: str = TOOL, core: str = CORE) -> list[str]:
    symbols = symbols_of({"tools.py": tool, "node.py": call})
    source = symbols.codebase.files["node.py"]
    return [
        f"{line.line} {line.why}"
        for function in source.functions
        for line in called_tools(symbols, source, function, core)
    ]


def test_tool_that_is_called_by_its_name_fails() -> None:
    expected = (
        "3 calls read() as a function: `@tool` makes it an object that langchain-core 1.2.15"
        " (uv.lock) lets nobody call, and its invoke() runs it"
    )
    assert lines() == [expected]
    assert lines(TOOL + "def node(state):\n    return read('a')\n")[0].startswith("6 calls read()")


@pytest.mark.parametrize(
    ("call", "tool", "core"),
    [
        (CALL.replace("read(state", "read.invoke(state"), TOOL, CORE),
        (CALL, TOOL.replace("@tool", "@cached"), CORE),
        (CALL, TOOL.replace("@tool", "@plain\n@tool"), CORE),
        (CALL, TOOL.replace("langchain_core.tools", "mytools"), CORE),
        (CALL.replace("from tools import read", "read = state['read']"), TOOL, CORE),
        (CALL, TOOL, ""),
    ],
)
def test_call_that_may_be_one_of_a_function_is_none(call: str, tool: str, core: str) -> None:
    assert lines(call, tool, core) == []


@pytest.mark.parametrize(
    ("path", "text", "version"),
    [
        ("uv.lock", 'name = "langchain-core"\nversion = "1.2.15"\n', "1.2.15 (uv.lock)"),
        ("requirements.txt", "a==1\nlangchain-core==1.0.1\n", "1.0.1 (requirements.txt)"),
        ("uv.lock", 'name = "langchain-core"\nversion = "0.3.9"\n', ""),
        ("requirements.txt", "langchain-core>=1.0\n", ""),
    ],
)
def test_version_is_that_which_a_file_fixes(path: str, text: str, version: str) -> None:
    assert core_without_calls({path: text}) == version
