"""Search for the passage of a report that speaks of the join at which branches meet."""

from __future__ import annotations

import re

from courtroom.analysis.pdf.pdf_content import PdfReading

_JOIN = re.compile(
    r"\bfan(?:s|ned|ning)?[- ]?in\b|\bjoin(?:s|ed|ing)?\b|\bsynchroni[sz]|\bconverg|\bmerg(?:es?|ed|ing)\b"
    r"|\bbarrier|\bwait(?:s|ed|ing)?\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“(])")
_PASSAGE_SENTENCES = 2
_PASSAGE_CHARACTERS = 600


def speaks_of_join(passage: str) -> bool:
    """Return whether a passage has a word for branches that meet."""
    return _JOIN.search(passage) is not None


def passage_on_join(reading: PdfReading, term: str) -> tuple[int, str] | None:
    """Return the first passage with the term, also as part of a name, that speaks of a join; its page."""
    for page, text in enumerate(reading.pages, start=1):
        for line in text.split("\n"):
            sentences = _SENTENCE.split(line)
            for number, sentence in enumerate(sentences):
                passage = " ".join(sentences[number : number + _PASSAGE_SENTENCES])
                passage = passage[:_PASSAGE_CHARACTERS]
                if _squeezed(term) in _squeezed(sentence) and speaks_of_join(passage):
                    return page, passage
    return None


def _squeezed(text: str) -> str:
    """Return the letters and digits alone: `evidence_pool` is EvidencePool."""
    return re.sub(r"[\W_]", "", text).lower()
