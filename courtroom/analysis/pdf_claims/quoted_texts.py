"""Texts in quotation marks that a report attributes to a file of the code, and that no file has.

Only prompts, comments, docstrings and messages count, in a line that names the file before them, or
in which a persona stands before a prompt that speaks to it.
Whoever quotes an example, a plan, an earlier version or another work quotes nothing of this code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.chapters import skipped_chapter
from courtroom.analysis.pdf_claims.claims import CheckedClaim, FeatureClaim
from courtroom.analysis.text_windows import word_start

QUOTED_TEXT = "quoted_text"
# A shorter quotation is a word that the report doubts, or a name.
FEWEST_WORDS = 3
PASSAGE_CHARACTERS = 400
_FILE = re.compile(r"(?<![\w/.-])(?:[\w-]{1,60}/){0,8}[\w-]{1,60}\.py\b")
_QUOTE = re.compile(r"“([^“”]{8,400})”|(?<!\w)\"([^\"“”]{8,400})\"(?!\w)")
_ATTRIBUTED = re.compile(
    r"\b(?:prompts?|comments?|docstrings?|messages?|instruct(?:s|ed|ions?))\b", re.IGNORECASE
)
# Words before the prompt of a persona, which a report quotes without a file, and its first ones.
_PERSONA = re.compile(r"\b(?:prosecutor|defen[cs]e|tech ?lead)\b", re.IGNORECASE)
_PROMPT = re.compile(r"you are an? |your (?:job|role|task|mission) is ", re.IGNORECASE)
_ELSEWHERE = re.compile(
    r"\b(?:will|would|should|could|plan\w*|propos\w*|optional\w*|e\.g|such as|like|instead of"
    r"|replac\w*|was|were|previous\w*|initial\w*|original\w*|formerly|old|rubric|patterns?|peers?"
    r"|flag\w*|if|when|search\w*|look\w*|detect\w*|add|extend|change|set|write|insert|rewrite|update"
    r"|remov\w*)\b",
    re.IGNORECASE,
)
_OTHER_SUBJECT = re.compile(
    r"\b(?:gaps?|plans?|planned|proposed|remediation|future|next steps|roadmap|limitations?|to-?do"
    r"|peers?|reflection|feedback|history|lessons|alternatives?|trade-?offs?|rubric)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.;]\s+(?=[A-Z])")
# What a quotation leaves out, and what a run fills in.
_OMITTED = re.compile(r"…|\.{3}|\[[^\]]{0,80}\]|\{[^}]{0,80}\}|<[^>]{0,80}>")
# Where a literal of the code goes on in the next one, and the end of a line inside it.
_JOINED = re.compile(r"[\"']\s+[rfbu]{0,2}[\"']|\\n", re.IGNORECASE)
_NO_LETTER = re.compile(r"[^a-z0-9]+")


def missing_quotations(
    reading: PdfReading, sources: Sequence[str], paths: Iterable[str]
) -> Iterator[CheckedClaim]:
    """Yield the first such text that none of the sources has, as a contradicted claim.

    Prompts in documents are no sources, so where the tree has some nothing is said.
    """
    if any("prompt" in path.lower() and path.endswith((".md", ".txt")) for path in paths):
        return
    folded: list[str] = []
    for page, passage, quote in _quotations(reading):
        folded = folded or [_folded(source) for source in sources]
        parts = [part for part in _OMITTED.split(quote) if len(part.split()) >= FEWEST_WORDS]
        if any(not any(_folded(part) in source for source in folded) for part in parts):
            claim = FeatureClaim(QUOTED_TEXT, "", page, passage, quote=quote)
            yield CheckedClaim(claim, "contradicted")
            return


def _quotations(reading: PdfReading) -> Iterator[tuple[int, str, str]]:
    """Yield page, passage and text of each quotation from a file of the code."""
    skipped: str | None = None
    for page, text in enumerate(reading.pages, start=1):
        for line in filter(None, text.split("\n")):
            if (page, line) in reading.headings:
                skipped = skipped_chapter(line, _OTHER_SUBJECT, skipped)
            elif skipped is None and (_FILE.search(line) or _PERSONA.search(line)):
                yield from ((page, *quotation) for quotation in _in_line(line))


def _in_line(line: str) -> Iterator[tuple[str, str]]:
    for match in _QUOTE.finditer(line):
        # What is quoted before says nothing of this one.
        before = _QUOTE.sub(" ", line[: match.start()])
        sentence = _SENTENCE_END.split(before)[-1]
        is_of_file = _FILE.search(before) and _ATTRIBUTED.search(sentence)
        is_prompt = _PERSONA.search(sentence) and _PROMPT.match(match[1] or match[2])
        if (is_of_file or is_prompt) and not _ELSEWHERE.search(sentence):
            start = word_start(line, match.end() - PASSAGE_CHARACTERS, match.start())
            yield line[start : start + PASSAGE_CHARACTERS], match[1] or match[2]


def _folded(text: str) -> str:
    """Return letters and digits alone, without the breaks of literals."""
    return _NO_LETTER.sub("", _JOINED.sub("", text.lower()))
