"""Classes of tools that are imported for nothing."""

from __future__ import annotations

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import NODES, flow_of, sentences

TOOLS = """
class RepoTools:
    @staticmethod
    def parse(path): return path
    @staticmethod
    def read(path): return RepoTools.parse(path)
"""
IMPORT = "from src.tools import RepoTools\n"
TEST = {"tests/test_tools.py": f"{IMPORT}assert RepoTools.read(1)\n"}
IN_VAIN = (
    "src/graph.py imports RepoTools, and no code{} uses it: none of its 2 methods is ever called{}"
)


def unused(code: str = "", tools: str = TOOLS, more: dict[str, str] | None = None) -> list[str]:
    files = {"src/tools.py": tools, **(more or {})}
    return sentences(flow_of(f"{IMPORT}{code}{NODES}", files), "unused_tool")


def test_tools_that_are_imported_and_never_named_are_told():
    assert unused() == [IN_VAIN.format("", "")]
    assert unused(more=TEST) == [IN_VAIN.format(" but tests", " by the program")]


@pytest.mark.parametrize(
    "code",
    [
        "tools = RepoTools()\n",
        "def use(tools: 'RepoTools'): return tools\n",
        "import src.tools\nread = src.tools.RepoTools.read\n",
        "import src.tools\ndef find(name): return getattr(src.tools, name)\n",
    ],
    ids=["made", "annotated", "by its module", "looked up"],
)
def test_tools_that_code_names_are_used(code: str):
    assert unused(code) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("class RepoTools:", "class RepoTools(Base):"),
        ("class RepoTools:", "@register\nclass RepoTools:"),
        ("    @staticmethod\n    def parse(path): return path\n", ""),
    ],
    ids=["inherits", "is registered", "one method"],
)
def test_a_class_that_may_be_found_otherwise_is_not_told(old: str, new: str):
    assert old in TOOLS
    assert unused(tools=TOOLS.replace(old, new)) == []


def test_tools_that_their_own_file_uses_are_used():
    assert unused(tools=f"{TOOLS}\nread = RepoTools.read\n") == []
