"""Short words that the Chief Justice's code looks for within ordinary words."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.short_words import short_words
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import justice, symbols_of

LISTED = 'WORDS = ("injection", "rce")\nMORE = ["auth", "secret"]'


def sentences(body: str, before: str = LISTED) -> list[str]:
    symbols = symbols_of({"src/justice.py": justice(body, before)})
    functions = [FunctionRef(*e) for rows in symbols.functions_by_name.values() for e in rows]
    return [rule.sentence for rule in short_words(functions)]


ONE = "chief_justice() looks for “rce” in a text as a part of any word, and “source” has it too"
TWO = (
    "chief_justice() looks for “rce” and “auth” in a text as a part of any word, and “source” and"
    " “author” have them too"
)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("if 'rce' in p.argument.lower():\n    score = min(score, 3)", ONE),
        ("text = p.argument.lower()\nif any(w in text for w in WORDS):\n    score = 3", ONE),
        ("text = p.argument.lower()\nif any(w in text for w in [*'ab']):\n    score = 3", None),
        (
            "said = p.argument.lower()\nif any(w in said for w in WORDS + tuple(MORE)):\n    score = 3",
            TWO,
        ),
        (
            "said = p.argument.lower()\nwords = ['security', 'sec']\nflaw = any(w in said for w in words)",
            "chief_justice() looks for “sec” in a text as a part of any word, and “section” has it too",
        ),
    ],
)
def test_short_word_in_a_text_is_a_part_of_any_word(body, sentence):
    assert sentences(body) == ([sentence] if sentence else [])


@pytest.mark.parametrize(
    "body",
    [
        "if 'rce' in p.argument.lower().split():\n    score = 3",
        "if 'rce' in p.tags:\n    score = 3",
        "if ' rce ' in p.argument.lower():\n    score = 3",
        "if 'eval' in p.argument.lower():\n    score = 3",
        "if any(w in p.argument.lower() for w in ('auth', 'login')):\n    score = 3",
        "if 'injection' in p.argument.lower():\n    score = 3",
        "if 'rce' in p.criterion_id.lower():\n    score = 3",
    ],
    ids=["words", "tags", "borders", "no flaw", "not of security", "long", "id"],
)
def test_other_searches_are_no_fault(body):
    assert sentences(body) == []
