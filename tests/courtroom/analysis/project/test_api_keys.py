"""API keys that clients take against those that the documents name."""

from __future__ import annotations

import pytest

from courtroom.analysis.project.api_keys import DOCUMENTS, key_faults
from courtroom.analysis.project.globs import matches
from tests.courtroom.sources import symbols_of

IMPORTS = """
import os
from langchain_groq import ChatGroq
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import ChatOpenAI
KEY = os.environ["COURT_KEY"]
"""


def faults_of(code: str, documents: dict[str, str]) -> list[tuple[str, int, str]]:
    symbols = symbols_of({"src/court.py": f"{IMPORTS}{code}\n"})
    faults = key_faults(symbols, documents, frozenset())
    assert {fault.kind for fault in faults} <= {"unnamed_key", "unused_key"}
    return [(fault.path, fault.line, fault.sentence) for fault in faults]


@pytest.mark.parametrize(
    ("code", "client", "variable"),
    [
        ("ChatGroq(model='m')", "ChatGroq", "GROQ_API_KEY"),
        ("ChatOpenAI(base_url=URL)", "ChatOpenAI", "OPENAI_API_KEY"),
        ("ChatOpenAI(api_key=os.getenv('ROUTER_KEY'))", "ChatOpenAI", "ROUTER_KEY"),
        ("ChatGroq(groq_api_key=KEY)", "ChatGroq", "COURT_KEY"),
        ("ChatGroq(groq_api_key=key or os.environ.get('A_KEY'))", "ChatGroq", "A_KEY"),
        ("ChatGroq(api_key=os.getenv('A_KEY') or os.getenv('B_KEY'))", "", ""),
        ("ChatGroq(api_key=settings.key)", "", ""),
        ("ChatGroq(api_key='ollama')", "", ""),
        ("ChatGroq(**settings)", "", ""),
        ("Chat()", "", ""),
    ],
)
def test_key_that_a_client_takes_is_named_for_the_reader(code: str, client: str, variable: str):
    sentence = (
        f"`{client}` takes its key from `{variable}`, which no README and no example of the"
        " settings names"
    )
    expected = [("src/court.py", 7, sentence)] if client else []
    assert faults_of(code, {"README.md": "Court"}) == expected
    assert faults_of(code, {"README.md": "Court", ".env.example": f"{variable}=\n"}) == []
    assert faults_of(code, {}) == []


def test_google_takes_either_of_two_names():
    code = "ChatGoogleGenerativeAI(model='m')"
    assert len(faults_of(code, {"README.md": "GOOGLE_KEY"})) == 1
    assert faults_of(code, {"README.md": "GEMINI_API_KEY"}) == []


def test_unreached_files_need_no_key():
    symbols = symbols_of({"src/court.py": f"{IMPORTS}ChatGroq()\n"})
    assert key_faults(symbols, {"README.md": ""}, frozenset({"src/court.py"})) == []


def test_key_is_named_where_a_run_takes_it():
    code = "def idle():\n    return ChatGroq()\ndef judge():\n    return ChatGroq()\n"
    symbols = symbols_of({"src/court.py": f"{IMPORTS}{code}"})
    judge = ("src/court.py", 9)
    lines = [
        fault.line
        for in_use in (frozenset(), frozenset({judge}))
        for fault in key_faults(symbols, {"README.md": ""}, frozenset(), in_use)
    ]
    assert lines == [8, 10]


def test_keys_of_providers_that_no_code_names_are_one_fault():
    documents = {
        "README.md": "Set OPENAI_API_KEY and TAVILY_API_KEY.\nOr MY_XAI_API_KEY.",
        ".env.example": "OPENAI_API_KEY=\nANTHROPIC_API_KEY=\n",
    }
    sentence = (
        "the documents name the keys `ANTHROPIC_API_KEY` and `TAVILY_API_KEY`, and the code names"
        " neither them nor their providers"
    )
    assert faults_of("", documents) == [(".env.example", 2, sentence)]
    assert faults_of("# Claude and tavily", documents) == []
    assert faults_of("import litellm", documents) == []
    (fault,) = faults_of("# Claude", documents)
    assert (
        "name the key `TAVILY_API_KEY`, and the code names neither it nor its provider" in fault[2]
    )


@pytest.mark.parametrize(
    ("path", "is_read"),
    [
        ("README.md", True),
        ("src/README", True),
        (".env.example", True),
        ("docker-compose.yml", True),
        ("docs/set_up.md", True),
        ("SETUP.md", True),
        ("audit/report.md", False),
        ("src/env.py", False),
    ],
)
def test_documents_are_where_a_reader_looks(path: str, is_read: bool):
    assert matches(path, DOCUMENTS) == is_read
