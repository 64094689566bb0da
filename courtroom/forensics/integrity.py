"""Passages that speak to the grader instead of the reader. A flag for a person, never a change of a grade.

Conservative on purpose: an essay about prompt injection talks about instructions, it does not give them, so a
passage counts only when it is an order outside quotation marks, holds role tokens, or hides characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from courtroom.forensics.pdf_reading import PdfReading
from courtroom.forensics.plain_text import carries_invisible, plain

_PASSAGE_CHARACTERS = 300
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
_QUOTED = re.compile(r"“[^”]*”|\"[^\"]*\"|\u2018[^\u2019]*\u2019|`[^`]*`|«[^»]*»")
# A passage that says it is showing an attack, or defending against one.
_ABOUT_ATTACKS = re.compile(
    r"\b(?:prompt.injection|jailbreak|attack\w*|adversar\w+|malicious|such as|for example|e\.g\.|sanitiz\w+|detect\w*"
    r"|prevent\w*|defend\w*|guard\w*|strip\w*|refus\w+|attempt\w*)",
    re.IGNORECASE,
)

_WHOM = (
    r"(?:ai|llm|language model|assistant|grader|judge|auditor|evaluator|model|chatgpt|claude|gpt|reviewer)s?"
)
_ORDERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "tells the reader to drop its instructions",
        re.compile(
            r"\b(?:ignore|disregard|forget|override|bypass) (?:\w+ ){0,3}?"
            r"(?:previous|prior|above|earlier|preceding|your|system|other|the)\b (?:\w+ ){0,2}?"
            r"(?:instructions?|prompts?|rubrics?|rules|guidelines|criteria)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "asks for a score",
        re.compile(
            r"(?:^|\b(?:please|you (?:must|should|will|are to)) (?:\w+ )?)(?:award|give|assign|grant|return|output|grade|rate|score)"
            r" (?:\w+ ){0,6}?(?:(?:a |the )?(?:full|maximum|highest|perfect|top) (?:marks?|scores?|points?|grades?|credit)"
            r"|5 ?/ ?5|10 ?/ ?10|100 ?/ ?100|(?:a )?score of (?:5|10|100))",
            re.IGNORECASE,
        ),
    ),
    (
        "addresses the grading model",
        re.compile(
            rf"\b(?:attention|note to|message (?:to|for)|instructions? (?:to|for)|dear) (?:\w+ ){{0,2}}?{_WHOM}\b\s*[:,]"
            rf"|\bas an? (?:ai|llm|language model),? you (?:must|should|will)\b|\byou are now\b",
            re.IGNORECASE,
        ),
    ),
)

_ROLE_TOKENS = re.compile(
    r"<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[/?INST\]|<</?SYS>>"
    r"|^\s*(?:###\s*)?(?:system|assistant)\s*(?:prompt|message)?\s*:\s*you\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A suspicious sentence, without its invisible characters; `why` finishes "this passage ..."."""

    page: int
    text: str
    why: str


def suspicious_passages(texts: Sequence[str]) -> tuple[Passage, ...]:
    """Passages of these texts, pages or files, that a person should see; `page` is the text's 1-based place."""
    return tuple(passage for page, text in enumerate(texts, start=1) for passage in _in_text(page, text))


def suspicious_in(reading: PdfReading) -> tuple[Passage, ...]:
    """The same for a PDF, with the invisible characters and the hidden text that the reading left out."""
    characters = (Passage(page, "", "hides characters") for page in reading.invisible_pages)
    hidden = (
        Passage(page, text[:_PASSAGE_CHARACTERS], "cannot be seen on the page")
        for page, text in reading.hidden
    )
    return (*characters, *hidden, *suspicious_passages(reading.pages))


def _in_text(page: int, text: str) -> Iterator[Passage]:
    for sentence in _SENTENCE.split(text):
        if why := _why(sentence):
            yield Passage(page, plain(sentence).strip()[:_PASSAGE_CHARACTERS], why)


def _why(sentence: str) -> str | None:
    if carries_invisible(sentence):
        return "hides characters"
    if _ROLE_TOKENS.search(sentence):
        return "holds role tokens of a chat"
    said = plain(_QUOTED.sub(" ", sentence)).strip()
    if _ABOUT_ATTACKS.search(said):
        return None
    return next((why for why, order in _ORDERS if order.search(said)), None)
