"""How a report uses a term: explains it through mechanisms, only drops it, or leaves it out (FACTS: pdf_terms)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from courtroom.analysis.diagrams.diagram_kind import pictures
from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.passages import Passages, stems_of
from courtroom.models.facts import PDF_TERMS, TermUse

NO_TEXT_LAYER = "the PDF has pictures of pages and no text layer, and no model looked at them"
DOCUMENT_FACTS = ("pdf_pages", "pdf_characters", "pdf_images", "pdf_terms")

# Usual spellings, folded (see _folded); a star stands for any ending.
SPELLINGS: dict[str, tuple[str, ...]] = {
    "Dialectical Synthesis": (
        "dialectical synthesis",
        "dialectic synthesis",
        "dialectical * synthesis",
    ),
    "Fan-In / Fan-Out": ("fan in", "fan out", "fan ins", "fan outs", "fanin", "fanout"),
    "Metacognition": ("metacognit*", "meta cognit*"),
    "State Synchronization": (
        "state synchroniz*",
        "state sync",
        "synchroniz* state",
        "synchroniz* the state",
        "synchronization of state",
        "synchronization of the state",
    ),
}

# What a multi-agent system is made of; a passage that explains a term speaks of several of these.
_MECHANISMS = re.compile(
    r"\b(?:nodes?|edges?|reducers?|merge[sd]?|barriers?|aggregat\w+|branch\w*|concurrent\w*|parallel\w*"
    r"|simultaneous\w*|superstep\w*|conditional\w*|rout(?:er|ers|es|ing)|state|schemas?|pydantic|prompts?"
    r"|personas?|prosecutors?|defen[sc]e|tech leads?|chief justice|judges?|detectives?|investigators?"
    r"|determinis\w+|rules?|evidence|opinions?|verdicts?|variance|scores?|overwrit\w+|race conditions?"
    r"|confidence|flags?|signals?|fallbacks?|queues?|caches?|threads?|locks?|tests?|modules?|interfaces?|functions?|class(?:es)?|methods?)\b"
)
_IDENTIFIERS = re.compile(r"\b(?:[a-z]+_[a-z_]+|[A-Z][a-z]+[A-Z]\w+|[a-z]\w*\.[a-z]\w+|\w+\(\))")
# Saying how: cause, means, purpose, or what a part does.
_EXPLAINS = re.compile(
    r"\b(?:because|by|via|through|using|uses?|so that|ensur\w+|prevent\w*|without|when|which|instead|implement\w*"
    r"|execut(?:es?|ed|ing)|writes?|reads?|waits?|blocks?|merg\w+|resolv\w+|detect(?:s|ed|ing|ion)?|appl\w+|route[sd]?"
    r"|converge\w*|runs?|collects?|receives?|validat\w+|evaluat\w+|pass(?:es|ed)|sends?|feeds?|fans|joins?|then|after"
    r"|before|if|calculat\w+|identif\w+|overrul\w+|propagat\w+|record(?:s|ed|ing)|decid\w+|compar\w+|verif\w+"
    r"|cross-referenc\w+|trigger\w*|captur\w+|document(?:s|ed|ing))\b"
)
_FEWEST_WORDS = 30
_FEWEST_MECHANISMS = 4
_SECTION_WORDS = 120
_PART_WORDS = 5
_BULLET = re.compile(r"^(?:[•●○▪◦‣∙·*\u2013-]|\d{1,2}[.)])\s")
_LEADERS = re.compile(r"(?:\. ){4,}|\.{5,}")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“(])")
_PASSAGE_CHARACTERS = 600
_RANKED_PASSAGES = 10


@dataclass(frozen=True, slots=True)
class TermSighting:
    """The strongest use of a term and where it stands; page and passage are null when it is absent."""

    use: TermUse
    page: int | None = None
    passage: str | None = None


@dataclass(frozen=True, slots=True)
class _Block:
    page: int
    text: str
    heading: bool


def uses_of_terms(reading: PdfReading) -> dict[str, TermSighting]:
    """The course's four terms, in their fixed order."""
    return {term: use_of_term(reading, term) for term in PDF_TERMS}


def use_of_term(reading: PdfReading, term: str) -> TermSighting:
    """One term, any term: in the spellings known for it, else as written, hyphens, case, plurals and -ise apart;
    else all its words close together."""
    pattern = _pattern(term)
    blocks = list(_blocks(reading))
    mentioned = None
    for index, block in enumerate(blocks):
        if not pattern.search(_folded(block.text)):
            continue
        passage = _passage(blocks, index, pattern)
        if _explains(passage, pattern):
            return TermSighting("substantive", block.page, passage[:_PASSAGE_CHARACTERS])
        mentioned = mentioned or TermSighting(
            "mentioned", block.page, block.text[:_PASSAGE_CHARACTERS]
        )
    return mentioned or _said_apart(reading, term) or TermSighting("absent")


def _said_apart(reading: PdfReading, term: str) -> TermSighting | None:
    """A term of several words that nobody writes as one: the best ranked passage that has all of its words."""
    stems = set(stems_of(term))
    if term in SPELLINGS or len(stems) < 2:
        return None
    for passage in Passages(reading).search(term, most=_RANKED_PASSAGES):
        if stems <= set(stems_of(passage.text)):
            words = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(stems)))})")
            use: TermUse = "substantive" if _explains(passage.in_context, words) else "mentioned"
            return TermSighting(use, passage.page, passage.text)
    return None


def document_facts(reading: PdfReading | None) -> tuple[dict[str, Any], dict[str, str]]:
    """The facts of DOCUMENT_FACTS that the PDF alone establishes, and why the others are null.

    Without a reading no PDF was handed in: that is a fact about the submission, and every term is absent.
    """
    if reading is None:
        absent = dict.fromkeys(PDF_TERMS, "absent")
        return {"pdf_pages": 0, "pdf_characters": 0, "pdf_images": 0, "pdf_terms": absent}, {}
    facts: dict[str, Any] = {
        "pdf_pages": len(reading.pages),
        "pdf_characters": sum(map(len, reading.pages)),
        "pdf_images": len(pictures(reading)),
    }
    if reading.text_layer == "none":
        return facts, {"pdf_terms": NO_TEXT_LAYER}
    return {
        **facts,
        "pdf_terms": {term: seen.use for term, seen in uses_of_terms(reading).items()},
    }, {}


def _blocks(reading: PdfReading) -> Iterator[_Block]:
    for page, text in enumerate(reading.pages, start=1):
        for line in filter(None, text.split("\n")):
            yield _Block(page, line, (page, line) in reading.headings)


def _folded(text: str) -> str:
    """Lower case, one spelling of -ise, everything but letters and digits as one space."""
    folded = re.sub(r"ynchronis", "ynchroniz", text.replace("\\n", " ").lower())
    return " ".join(re.sub(r"[^\w]|_", " ", folded).split())


def _pattern(term: str) -> re.Pattern[str]:
    spellings = SPELLINGS.get(term) or (_folded(term), f"{_folded(term)}s")
    words = (re.escape(spelling).replace(r"\*", r"\w*") for spelling in spellings)
    return re.compile(rf"\b(?:{'|'.join(words)})\b")


def _passage(blocks: list[_Block], index: int, pattern: re.Pattern[str]) -> str:
    """The text that should explain the term: what follows a heading or a colon, else the sentences
    around it."""
    block = blocks[index]
    if block.heading or block.text.endswith(":"):
        return _section(blocks, index)
    sentences = [one for one in _SENTENCE.split(block.text) if not _is_list_of_terms(one)]
    hits = [number for number, one in enumerate(sentences) if pattern.search(_folded(one))]
    return " ".join(sentences[max(0, hits[0] - 1) : hits[0] + 5]) if hits else ""


def _section(blocks: list[_Block], index: int) -> str:
    """The block and what follows it, up to the next heading or enough words. Empty in a table of contents.

    After a colon come the parts it announces: their short headings belong to the section, numbered ones do not.
    """
    texts = [blocks[index].text]
    announced = False
    for block in blocks[index + 1 :]:
        announced = announced or texts[-1].endswith(":")
        ends = block.heading and not (announced and _is_part(block.text))
        if ends or _LEADERS.search(block.text) or len(" ".join(texts).split()) > _SECTION_WORDS:
            break
        if not _is_list_of_terms(block.text) and not _is_bare_term(block.text):
            texts.append(block.text)
    return " ".join(texts) if len(texts) > 1 else ""


def _is_part(heading: str) -> bool:
    return len(heading.split()) <= _PART_WORDS and not heading[:1].isdigit()


def _is_list_of_terms(sentence: str) -> bool:
    """Whether three or more of the course's terms are named in one breath: a list explains none of them."""
    folded = _folded(sentence)
    return sum(bool(_pattern(term).search(folded)) for term in PDF_TERMS) >= 3


def _is_bare_term(text: str) -> bool:
    """A list item that is little more than one of the terms."""
    folded = _folded(text)
    return bool(_BULLET.match(text)) and any(
        len(_pattern(term).sub("", folded).split()) == 0 for term in PDF_TERMS
    )


def _explains(passage: str, pattern: re.Pattern[str]) -> bool:
    """Says how and names several mechanisms besides the term itself; a passage twice as long may name fewer."""
    words, lowered = len(passage.split()), passage.lower()
    mechanisms = set(_MECHANISMS.findall(lowered)) | set(_IDENTIFIERS.findall(passage))
    others = {word for word in mechanisms if not pattern.search(_folded(word))}
    says_how = len(set(_EXPLAINS.findall(lowered)))
    dense = words >= _FEWEST_WORDS and len(others) >= _FEWEST_MECHANISMS and says_how >= 2
    return dense or (words >= 2 * _FEWEST_WORDS and bool(others) and says_how > 2)
