"""Code that is there to be found and not to run: patterns behind `if False`, lists of a rubric's words in comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from courtroom.analysis.prompt_injection.detection import PASSAGE_CHARACTERS, Passage
from courtroom.analysis.prompt_injection.patterns import Kind

_NEVER_RUN = re.compile(
    r"^[ \t]*(?:if|elif|while)[ \t]+\(?(?:False|0|None|not True)\)?[ \t]*:", re.MULTILINE
)
_WANTED = re.compile(
    r"\b(?:StateGraph|add_edge|add_conditional_edges|with_structured_output|TemporaryDirectory|operator\.(?:add|ior))\b"
)
_MOST_GUARDS = 200
_BEHIND = 1500  # characters that the guard is taken to guard, at most
_COMMENT = re.compile(r"(?:^[ \t]*#[^\n]*\n?){1,200}", re.MULTILINE)
_VOCABULARY = re.compile(
    r"\b(?:dialectical synthesis|fan.?in|fan.?out|metacognition|state synchronization|typeddict|pydantic|basemodel|operator.add"
    r"|operator.ior|stategraph|conditional.edges?|with.structured.output|structured output|temporarydirectory|tempfile|sandbox\w*"
    r"|reducers?|security.override|fact.supremacy|functionality.weight|dissent|variance.re.?evaluation|chief.justice|prosecutor"
    r"|defense|tech.lead|parallel|retry|adversarial|pragmatic|deterministic|markdown|timeout|evidence|opinion|ast|progression)\b",
    re.IGNORECASE,
)
_FUNCTION_WORDS = re.compile(
    r"\b(?:the|an?|of|to|in|and|or|is|are|with|for|by|that|this|from|as|on|it|its|be|when|which|if|not|each|all)\b",
    re.IGNORECASE,
)
_FEWEST_TERMS = 12
# Sentences have a fifth to a half of such words; a list of search words has next to none.
_SENTENCE_SHARE = 0.08


def stuffed(text: str, kind: Kind) -> Iterator[Passage]:
    """Only sources are looked at: elsewhere nothing runs, and lists of topics are honest."""
    if kind == "code":
        yield from _never_run(text)
        yield from _keywords(text)


def _never_run(text: str) -> Iterator[Passage]:
    for guard in islice(_NEVER_RUN.finditer(text), _MOST_GUARDS):
        if _WANTED.search(text, guard.end(), guard.end() + _BEHIND):
            line = text.count("\n", 0, guard.start()) + 1
            yield Passage(1, guard[0].strip(), "shows patterns that can never run", line, line)


def _keywords(text: str) -> Iterator[Passage]:
    for comment in _COMMENT.finditer(text):
        terms = {term.lower() for term in _VOCABULARY.findall(comment[0])}
        words = len(re.findall(r"\w+", comment[0]))
        if (
            len(terms) >= _FEWEST_TERMS
            and len(_FUNCTION_WORDS.findall(comment[0])) <= _SENTENCE_SHARE * words
        ):
            line = text.count("\n", 0, comment.start()) + 1
            last = line + comment[0].rstrip("\n").count("\n")
            shown = " ".join(comment[0].split())[:PASSAGE_CHARACTERS]
            yield Passage(1, shown, "lists the words of a rubric and says nothing", line, last)
