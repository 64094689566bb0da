"""Find code written for detectors: code behind `if False`, and rubric keywords in comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from courtroom.analysis.prompt_injection.detection import PASSAGE_CHARACTERS, Passage
from courtroom.analysis.prompt_injection.sentences import Kind

_NEVER_RUN = re.compile(
    r"^[ \t]*(?:if|elif|while)[ \t]+\(?(?:False|0|None|not True)\)?[ \t]*:", re.MULTILINE
)
_RUBRIC_CODE = re.compile(
    r"\b(?:StateGraph|add_edge|add_conditional_edges|with_structured_output|TemporaryDirectory"
    r"|operator\.(?:add|ior))\b"
)
_MAX_GUARDS = 200
_GUARDED = 1500  # characters after a guard that count as its block
_COMMENT = re.compile(r"(?:^[ \t]*#[^\n]*\n?){1,200}", re.MULTILINE)
_RUBRIC_WORDS = re.compile(
    r"\b(?:dialectical synthesis|fan.?in|fan.?out|metacognition|state synchronization|typeddict"
    r"|pydantic|basemodel|operator.add|operator.ior|stategraph|conditional.edges?"
    r"|with.structured.output|structured output|temporarydirectory|tempfile|sandbox\w*|reducers?"
    r"|security.override|fact.supremacy|functionality.weight|dissent|variance.re.?evaluation"
    r"|chief.justice|prosecutor|defense|tech.lead|parallel|retry|adversarial|pragmatic"
    r"|deterministic|markdown|timeout|evidence|opinion|ast|progression)\b",
    re.IGNORECASE,
)
_FUNCTION_WORDS = re.compile(
    r"\b(?:the|an?|of|to|in|and|or|is|are|with|for|by|that|this|from|as|on|it|its|be|when|which|if"
    r"|not|each|all)\b",
    re.IGNORECASE,
)
_MIN_TERMS = 12
# In sentences a fifth to a half of the words are function words; keyword lists have almost none.
_SENTENCE_SHARE = 0.08


def keyword_stuffing(text: str, kind: Kind) -> Iterator[Passage]:
    """Yield the passages of a source file that only serve detectors."""
    # Other files run nothing, and their lists of topics are legitimate.
    if kind == "code":
        yield from _dead_code(text)
        yield from _keyword_comments(text)


def _dead_code(text: str) -> Iterator[Passage]:
    for guard in islice(_NEVER_RUN.finditer(text), _MAX_GUARDS):
        if _RUBRIC_CODE.search(text, guard.end(), guard.end() + _GUARDED):
            line = text.count("\n", 0, guard.start()) + 1
            yield Passage(1, guard[0].strip(), "contains rubric code that never runs", line, line)


def _keyword_comments(text: str) -> Iterator[Passage]:
    for comment in _COMMENT.finditer(text):
        terms = {term.lower() for term in _RUBRIC_WORDS.findall(comment[0])}
        word_count = len(re.findall(r"\w+", comment[0]))
        function_words = len(_FUNCTION_WORDS.findall(comment[0]))
        if len(terms) >= _MIN_TERMS and function_words <= _SENTENCE_SHARE * word_count:
            line = text.count("\n", 0, comment.start()) + 1
            last = line + comment[0].rstrip("\n").count("\n")
            excerpt = " ".join(comment[0].split())[:PASSAGE_CHARACTERS]
            yield Passage(1, excerpt, "lists rubric keywords without a sentence", line, last)
