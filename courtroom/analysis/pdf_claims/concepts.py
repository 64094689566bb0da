"""Decide whether a report explains a term, only mentions it, or leaves it out (pdf_terms)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from courtroom.analysis.diagrams.diagram_kind import pictures
from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.opposed_judges import opposed_judges, tells_the_verdict
from courtroom.analysis.pdf_claims.passages import Passages, stems_of
from courtroom.models.facts import PDF_TERMS, TermUse

DOCUMENT_FACTS = ("pdf_pages", "pdf_characters", "pdf_images", "pdf_terms")

# Common spellings in the form of _folded; a star stands for any ending.
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

# Of terms that other words may stand for: how many of the spellings have the term's own words.
_OWN_SPELLINGS = {"Dialectical Synthesis": 2, "State Synchronization": 2}
# Other words that explain a term, where the report names the term elsewhere.
_OTHER_WORDS = {"State Synchronization": ("synchroniz* barrier*", "synchroniz* point*")}
# And other names of a section on it.
_OTHER_HEADINGS = {"Dialectical Synthesis": ("dialectical *",)}

_KEEPS_ALL = (
    r"\b(?:overwr[io]t|last writer|race condition|lost update|merg|combin|concatenat|append"
    r"|collect\w* [^.;]{1,60} into (?:a |one )?(?:single|shared|common)\b)"
)
# A term whose mechanism has parts of its own: words that a passage on it has, whatever it is called.
_MECHANISMS_OF_TERMS = {
    "State Synchronization": tuple(
        map(
            re.compile,
            (
                r"\breducers?\b|\boperator\.(?:ior|or_|add)\b",
                r"\b(?:parallel|concurren|simultaneous|synchroni[sz]ation (?:node|barrier|point))",
                _KEEPS_ALL,
                r"state\b",
            ),
        )
    )
}

# Parts of a multi-agent system: a passage that explains a term names several of them.
_MECHANISMS = re.compile(
    r"\b(?:nodes?|edges?|reducers?|merge[sd]?|barriers?|aggregat\w+|branch\w*|concurrent\w*"
    r"|parallel\w*|simultaneous\w*|superstep\w*|conditional\w*|rout(?:er|ers|es|ing)|state|schemas?"
    r"|pydantic|prompts?|personas?|prosecutors?|defen[sc]e|tech leads?|chief justice|judges?"
    r"|detectives?|investigators?"
    r"|determinis\w+|rules?|evidence|opinions?|verdicts?|variance|scores?|overwrit\w+"
    r"|race[- ]conditions?|confidence|flags?|signals?|fallbacks?|queues?|caches?|threads?|locks?|tests?"
    r"|modules?|interfaces?|functions?|class(?:es)?|methods?)\b"
)
_IDENTIFIERS = re.compile(r"\b(?:[a-z]+_[a-z_]+|[A-Z][a-z]+[A-Z]\w+|[a-z]\w*\.[a-z]\w+|\w+\(\))")
# All between words but the comma of a list.
_NO_WORD = re.compile(r"[^\w,]|_|,(?!\s)|(?<!\w),")
# Where the next word of a name in CamelCase begins.
_PART_OF_NAME = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Words of an explanation: cause, means, purpose, or the action of a part.
_EXPLAINS = re.compile(
    r"\b(?:because|by|via|through|using|uses?|so that|ensur\w+|prevent\w*|without|when|which"
    r"|instead|implement\w*|execut(?:es?|ed|ing)|writes?|reads?|waits?|blocks?|merg\w+|resolv\w+"
    r"|guarant\w+|detect(?:s|ed|ing|ion)?|appl\w+|route[sd]?|converge\w*|runs?|collects?|receives?|validat\w+"
    r"|evaluat\w+|pass(?:es|ed)|returns|sends?|feeds?|fans?|joins?|consolidat\w+|dispatch\w*|then|after|before|if|calculat\w+"
    r"|identif\w+|overrul\w+|propagat\w+|record(?:s|ed|ing)|decid\w+|compar\w+|verif\w+"
    r"|cross-referenc\w+|trigger\w*|captur\w+|document(?:s|ed|ing)"
    # An arrow says what follows what.
    r")\b|->|\u2192"
)
# A definition names its term first, and may be short.
_DEFINES = re.compile(r"\W*(?P<term>[^:\u2013\u2014]{3,60})(?: -|[:\u2013\u2014])\s")
_MIN_DEFINITION_WORDS = 10
_KIND_WORDS = 3
# A sentence about the text before it.
_REFERS_BACK = re.compile(r"\W*(?:This|That|These|Such|It) ")
_MIN_WORDS = 30
# The letters of a sub-heading are smaller than those of its heading.
_SMALLER = 0.95
_MIN_MECHANISMS = 4
_MIN_EXPLANATIONS = 2
_SECTION_WORDS = 120
_CHAPTER_WORDS = 240
_PART_WORDS = 5
_LIST_ITEMS = 4
_NUMBER = re.compile(r"\d{1,2}\.\d{1,2}(?:\.\d{1,2})?(?=\.? )")
_BULLET = re.compile(r"^(?:[•●○▪◦‣∙·*\u2013-]|\d{1,2}[.)])\s")
# Headings of sections that explain nothing, or what is missing.
_OTHER_SUBJECT = re.compile(
    r"\b(?:summary|abstract|contents|gaps?|remediation|conclusions?|concluding|closing|examples?)\b",
    re.IGNORECASE,
)
# A part of a section that shows source text in place of prose.
_FIGURE = re.compile(r"\b(?:diagram|mermaid|flow ?chart|listing)", re.IGNORECASE)
_PLAN = re.compile(r"\b(?:remediation|future work|roadmap)\b", re.IGNORECASE)
# A passage on how the tool looks for the pattern in the code of others.
_LOOKS_FOR_IT = re.compile(
    r"\bast\.(?:walk|call|parse|nodevisitor)\b|\bfan[- ]?(?:out|in) detection"
    r"|\b(?:detect(?:s|ed|ing)?|(?:look|search|scan|check)(?:s|ed|ing)? for|verif(?:y|ies|ied)) (?:[\w-]+ ){0,3}fan[- ]"
)
# What a tool establishes about the code of others: "verification of reducer usage".
_ESTABLISHES = re.compile(
    r"\b(?:detect(?:s|ed|ing|ion)?|(?:verif|confirm|identif)\w*|(?:look|search|scan|check)(?:s|ed|ing)? for)\b"
    r"[^.;\u2022]{0,60}"
)
_QUOTED = re.compile(r"“[^”]{0,300}+”|\"[^\"]{0,300}+\"")
_CAPTION = re.compile(r"(?:Figure|Fig\.?|Table|Diagram) {0,2}\d", re.IGNORECASE)
_LEADERS = re.compile(r"(?:\. ){4,}|\.{5,}")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“(])")
_PASSAGE_CHARACTERS = 600
_PASSAGE_SENTENCES = 5
_RANKED_PASSAGES = 10
# Sentences and names of a long report: each is compared with every term of a rubric.
_REMEMBERED = 4096
# The course's terms are facts, and most of them stand in checks too.
_REMEMBERED_TERMS = 16


@dataclass(frozen=True, slots=True)
class TermMatch:
    """Strongest use of a term with its page and passage, which are None when it is absent.

    `other_words` are those by which the passage calls it, "" where it has the term's own.
    """

    use: TermUse
    page: int | None = None
    passage: str | None = None
    other_words: str = ""


@dataclass(frozen=True, slots=True)
class _Block:
    """Line of a page, and the heading that it stands under; a heading stands under itself.

    `size` is that of a heading's letters. `in_plan` is true under a heading on remediation, also
    where smaller headings stand between.
    """

    page: int
    text: str
    heading: bool
    section: str
    size: float = 0.0
    in_plan: bool = False


def uses_of_terms(reading: PdfReading) -> dict[str, TermMatch]:
    """Return the use of the course's four terms, in their fixed order."""
    return {term: use_of_term(reading, term) for term in PDF_TERMS}


@lru_cache(_REMEMBERED_TERMS)
def use_of_term(reading: PdfReading, term: str) -> TermMatch:
    """Return the strongest use of any term.

    The search uses the spellings in SPELLINGS, or else the term itself, where hyphens, case,
    plurals and -ise make no difference. At last, a passage with all words of the term counts too.
    """
    blocks = list(_blocks(reading))
    use = _use_of_pattern(blocks, _pattern(_spellings(term)))
    if use is None:
        return _use_of_words(reading, term) or TermMatch("absent")

    for words, is_heading in ((_OTHER_WORDS, False), (_OTHER_HEADINGS, True)):
        if use.use == "mentioned" and term in words:
            other = _use_of_pattern(blocks, _pattern(words[term]), only_headings=is_heading)
            use = other if other and other.use == "substantive" else use
    return replace(use, other_words=_other_words(term, use.passage or ""))


def _other_words(term: str, passage: str) -> str:
    spellings = _spellings(term)
    own = _pattern(spellings[: _OWN_SPELLINGS.get(term, len(spellings))])
    replacements = (*spellings, *_OTHER_WORDS.get(term, ()), *_OTHER_HEADINGS.get(term, ()))
    match = None if _says(passage, own) else _pattern(replacements).search(_folded(passage))
    return match[0] if match else ""


def explained_without_term(reading: PdfReading, term: str) -> TermMatch | None:
    """Return the first passage on all parts of the term's mechanism; None for a term without."""
    pattern = _pattern(_spellings(term))
    if term == "Dialectical Synthesis":
        blocks = list(_blocks(reading))
        return _by_judges(blocks, pattern) or _of_dialectic(blocks, pattern)
    parts = _MECHANISMS_OF_TERMS.get(term)
    if parts is None:
        return None
    blocks = list(_blocks(reading))
    for index, block in enumerate(blocks):
        if _OTHER_SUBJECT.search(block.section):
            continue
        for passage in _whole_passages(blocks, index):
            own = _ESTABLISHES.sub(" ", passage.lower())
            is_whole = all(part.search(own) for part in parts)
            if is_whole and _explains(passage, pattern):
                return TermMatch("substantive", _first_page(blocks, index), passage)
    return None


def _by_judges(blocks: list[_Block], pattern: re.Pattern[str]) -> TermMatch | None:
    own = [b for b in blocks if not _is_folio(b) and not _OTHER_SUBJECT.search(b.section)]
    return next(
        (
            TermMatch("substantive", own[start].page, passage[:_PASSAGE_CHARACTERS])
            for start, passage in opposed_judges([block.text for block in own])
            if _explains(passage, pattern)
        ),
        None,
    )


def _of_dialectic(blocks: list[_Block], pattern: re.Pattern[str]) -> TermMatch | None:
    """Return the first section called dialectical that tells how a verdict comes of the conflict."""
    for index, block in enumerate(blocks):
        if not block.heading or "dialectic" not in block.text.lower():
            continue
        passage = _section(blocks, index)
        if tells_the_verdict(passage.lower()) and _explains(passage, pattern):
            return TermMatch("substantive", block.page, passage[:_PASSAGE_CHARACTERS])
    return None


def _first_page(blocks: list[_Block], index: int) -> int:
    """Return the page of a block; of a heading, that of the text which begins under it."""
    first = next((b for b in blocks[index:] if not b.heading and not _is_folio(b)), blocks[index])
    return first.page


def _is_folio(block: _Block) -> bool:
    """Return whether the line holds nothing but the number of a page."""
    return block.text.strip().isdigit()


def _whole_passages(blocks: list[_Block], index: int) -> Iterator[str]:
    """Yield the section after a heading, or a paragraph from each of its sentences on."""
    block = blocks[index]
    if block.heading:
        # Its parts are passages of their own.
        yield _section(blocks, index, with_smaller=False)[:_PASSAGE_CHARACTERS]
        return
    sentences = _SENTENCE.split(block.text)
    for start in range(len(sentences)):
        yield " ".join(sentences[start : start + _PASSAGE_SENTENCES])[:_PASSAGE_CHARACTERS]


def _use_of_pattern(
    blocks: list[_Block], pattern: re.Pattern[str], *, only_headings: bool = False
) -> TermMatch | None:
    """Return the best passage that explains the term, else the first one that names it."""
    mention = None
    explanations: list[tuple[tuple[int, bool, bool], TermMatch]] = []
    for index, block in enumerate(blocks):
        if not _says(block.text, pattern) or (only_headings and not block.heading):
            continue
        passages = (_passage(blocks, index, pattern), _in_list(blocks, index))
        for passage in passages:
            # A term in a quotation of more words is an example of what someone says.
            if not _says(_without_speech(passage, pattern), pattern):
                continue
            if _explains(passage, pattern) or _is_definition(passage, pattern):
                quotation = _quotation(blocks, index, passage, pattern)
                match = TermMatch("substantive", block.page, quotation)
                # What follows a heading on several terms is about those that it names itself.
                is_of_others = _names_several(blocks, index) and not _says(
                    passage[len(block.text) :], pattern
                )
                distance = 3 if is_of_others else _distance(block, passage, pattern)
                is_led = distance == 1 and _is_headed(block.text, pattern)
                rank = distance, not is_led, not _names_both(passage)
                explanations.append((rank, match))
        mention = mention or TermMatch("mentioned", block.page, block.text[:_PASSAGE_CHARACTERS])
    # Of equals, the first one.
    return min(explanations, key=lambda ranked: ranked[0])[1] if explanations else mention


def _quotation(blocks: list[_Block], index: int, passage: str, pattern: re.Pattern[str]) -> str:
    """Return so much of a passage as is quoted: with the term, and from the block's page on."""
    before = blocks[index - 1]
    if before.page < blocks[index].page:
        passage = passage.removeprefix(f"{before.text} ")
    if not _says(passage[:_PASSAGE_CHARACTERS], pattern):
        sentences = _SENTENCE.split(passage)
        start = next((n for n, words in enumerate(sentences) if _says(words, pattern)), 0)
        passage = " ".join(sentences[start:])
    return passage[:_PASSAGE_CHARACTERS]


def _names_several(blocks: list[_Block], index: int) -> bool:
    """Return whether a heading, with the lines that it runs over, names more than one of the terms."""
    if not blocks[index].heading:
        return False
    lines = [block.text for block in blocks[max(0, index - 1) : index + 2] if block.heading]
    folded = _folded(" ".join(lines))
    return sum(bool(_pattern(_spellings(term)).search(folded)) for term in PDF_TERMS) > 1


def _names_both(passage: str) -> bool:
    """Return whether a passage names a fan-in and a fan-out, the halves of one term."""
    folded = _folded(passage[:_PASSAGE_CHARACTERS])
    return all(re.search(rf"\bfan ?{half}s?\b", folded) for half in ("in", "out"))


def _without_speech(passage: str, pattern: re.Pattern[str]) -> str:
    """Return the passage without quotations, but for those of nothing but the term: its name."""
    return _QUOTED.sub(
        lambda match: match[0] if pattern.fullmatch(_folded(match[0])) else " ", passage
    )


def _distance(block: _Block, passage: str, pattern: re.Pattern[str]) -> int:
    """Return 0 for a section on the term, 1 for a paragraph headed by it, 3 for another subject.

    A passage with the term in quotation marks is 3 too. 4 is a passage on finding it elsewhere.
    """
    if _LOOKS_FOR_IT.search(passage[:_PASSAGE_CHARACTERS].lower()):
        return 4
    is_quoted = not _says(_QUOTED.sub(" ", passage), pattern)
    if block.in_plan or is_quoted or _OTHER_SUBJECT.search(block.section):
        return 3
    if _says(block.section, pattern):
        return 0
    is_on_term = _is_headed(block.text, pattern) or _is_definition(passage, pattern)
    return 1 if is_on_term else 2


def _is_headed(text: str, pattern: re.Pattern[str]) -> bool:
    """Return whether a paragraph begins with the term as its heading: "Fan-out: The graph ..."."""
    match = _DEFINES.match(text)
    heading = match["term"] if match else ""
    return len(heading.split()) <= _PART_WORDS and _says(heading, pattern)


def _use_of_words(reading: PdfReading, term: str) -> TermMatch | None:
    """Return the best ranked passage that has all words of a term of several words."""
    stems = set(stems_of(term))
    if term in SPELLINGS or len(stems) < 2:
        return None

    for passage in Passages(reading).search(term, most=_RANKED_PASSAGES):
        if stems <= set(stems_of(passage.text)):
            words = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(stems)))})")
            use: TermUse = "substantive" if _explains(passage.in_context, words) else "mentioned"
            return TermMatch(use, passage.page, passage.text)

    return None


def document_facts(reading: PdfReading | None) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the facts of DOCUMENT_FACTS, and the reasons for missing ones.

    Without a reading, no PDF was submitted: that is a fact, so every term is absent.
    """
    if reading is None:
        absent = dict.fromkeys(PDF_TERMS, "absent")
        return {"pdf_pages": 0, "pdf_characters": 0, "pdf_images": 0, "pdf_terms": absent}, {}

    facts: dict[str, Any] = {
        "pdf_pages": len(reading.pages),
        "pdf_characters": sum(map(len, reading.pages)),
        "pdf_images": len(pictures(reading)),
    }
    if reading.unread:
        return facts, {"pdf_terms": reading.unread}

    return {
        **facts,
        "pdf_terms": {term: match.use for term, match in uses_of_terms(reading).items()},
    }, {}


def _blocks(reading: PdfReading) -> Iterator[_Block]:
    sizes = {(page, line): size for page, line, size in reading.heading_sizes}
    # Headings around the line, the largest first.
    around: list[tuple[float, str]] = []
    for page, text in enumerate(reading.pages, start=1):
        for line in filter(None, text.split("\n")):
            is_heading = (page, line) in reading.headings
            size = sizes.get((page, line), 0.0)
            if is_heading:
                around = [heading for heading in around if _is_smaller(size, heading[0])]
                around.append((size, line))
            section = around[-1][1] if around else ""
            in_plan = any(_PLAN.search(heading) for _, heading in around)
            yield _Block(page, line, is_heading, section, size, in_plan)


def _is_smaller(size: float, other: float) -> bool:
    return size < _SMALLER * other


def _folded(text: str) -> str:
    """Return lower case with one spelling of -ise, and one space for all but letters and digits.

    A comma after a word stays: what follows it is another member of a list.
    """
    folded = re.sub(r"ynchronis", "ynchroniz", text.replace("\\n", " ").lower())
    return " ".join(_NO_WORD.sub(" ", folded).split())


def _says(text: str, pattern: re.Pattern[str]) -> bool:
    """Return whether the text has the words, also as parts of a name ("EvidenceAggregator")."""
    return any(pattern.search(spelling) for spelling in _folded_spellings(text))


@lru_cache(_REMEMBERED)
def _folded_spellings(text: str) -> tuple[str, ...]:
    """Return the folded text and, where it differs, the one whose names are split into words."""
    split = _PART_OF_NAME.sub(" ", text)
    return (_folded(text),) if split == text else (_folded(text), _folded(split))


def _spellings(term: str) -> tuple[str, ...]:
    return SPELLINGS.get(term) or (_folded(term), f"{_folded(term)}s")


@lru_cache
def _pattern(spellings: tuple[str, ...]) -> re.Pattern[str]:
    words = (re.escape(spelling).replace(r"\*", r"\w*") for spelling in spellings)
    return re.compile(rf"\b(?:{'|'.join(words)})\b")


def _passage(blocks: list[_Block], index: int, pattern: re.Pattern[str]) -> str:
    """Return the text that should explain the term.

    That is the text after a heading or a colon, or else the sentences around the term.
    """
    block = blocks[index]
    if block.heading or block.text.endswith(":") or _is_bare_heading(blocks, index, pattern):
        return _section(blocks, index)

    sentences = [part for part in _SENTENCE.split(block.text) if not _is_list_of_terms(part)]
    for number, sentence in enumerate(sentences):
        if _says(sentence, pattern):
            before = [blocks[index - 1].text] if _refers_back(blocks, index, number) else []
            return " ".join([*before, *sentences[max(0, number - 1) : number + 5]])

    return ""


def _is_bare_heading(blocks: list[_Block], index: int, pattern: re.Pattern[str]) -> bool:
    """Return whether a line is nothing but the term and stands before a paragraph, as a heading."""
    following = blocks[index + 1].text if index + 1 < len(blocks) else ""
    is_term = pattern.fullmatch(_folded(blocks[index].text)) is not None
    return is_term and len(following.split()) >= _MIN_DEFINITION_WORDS


def _refers_back(blocks: list[_Block], index: int, number: int) -> bool:
    """Return whether the block's first sentence is about the paragraph before it."""
    return (
        number <= 1
        and index > 0
        and not blocks[index - 1].heading
        and _REFERS_BACK.match(blocks[index].text) is not None
    )


def _in_list(blocks: list[_Block], index: int) -> str:
    """Return the list item with the next ones: an explanation may go from item to item."""
    items: list[str] = []
    for block in blocks[index : index + _LIST_ITEMS]:
        if not _BULLET.match(block.text) or _is_list_of_terms(block.text):
            break
        items.append(block.text)
    return " ".join(items) if len(items) > 1 else ""


def _section(blocks: list[_Block], index: int, *, with_smaller: bool = True) -> str:
    """Return the block and the text up to the next heading, or so many words.

    Empty in a table of contents.
    """
    texts = [blocks[index].text]
    after_colon = False
    # Headings without a number are parts of a section that has one, as are "2.3.1" of "2.3".
    number = _NUMBER.match(texts[0])
    parts = f"{number[0]}." if number and blocks[index].heading else "\n"
    is_chapter = blocks[index].heading and texts[0][:1].isdigit()
    most_words = _CHAPTER_WORDS if is_chapter else _SECTION_WORDS
    size = blocks[index].size if with_smaller else 0.0
    for block in blocks[index + 1 :]:
        # A colon announces parts: their short headings belong to the section, numbered ones do not.
        after_colon = after_colon or texts[-1].endswith(":")
        if _CAPTION.match(block.text) or _is_folio(block):
            continue
        is_part = (
            (after_colon and _is_part(block.text))
            or (is_chapter and not block.text[:1].isdigit())
            or block.text.startswith(parts)
            or (_is_smaller(block.size, size) and not _ends_section(block.text))
            or _takes_up(block.text, texts)
        )
        ends = block.heading and not is_part
        if ends or _LEADERS.search(block.text) or len(" ".join(texts).split()) > most_words:
            break
        if not _is_list_of_terms(block.text) and not _is_bare_term(block.text):
            texts.append(block.text)

    return " ".join(texts) if len(texts) > 1 else ""


def _ends_section(heading: str) -> bool:
    return bool(_OTHER_SUBJECT.search(heading) or _FIGURE.search(heading))


def _takes_up(heading: str, texts: list[str]) -> bool:
    """Return whether a heading repeats words of the text before it, and none of the terms."""
    stems = set(stems_of(heading))
    is_of_term = any(_says(heading, _pattern(_spellings(term))) for term in PDF_TERMS)
    return len(stems) > 1 and not is_of_term and stems <= set(stems_of(" ".join(texts)))


def _is_part(heading: str) -> bool:
    return len(heading.split()) <= _PART_WORDS and not heading[:1].isdigit()


@lru_cache(_REMEMBERED)
def _is_list_of_terms(sentence: str) -> bool:
    """Return whether a sentence names three or more of the course's terms and so explains none."""
    folded = _folded(sentence)
    return sum(bool(_pattern(_spellings(term)).search(folded)) for term in PDF_TERMS) >= 3


def _is_bare_term(text: str) -> bool:
    """Return whether the text is a list item with nothing but one of the terms."""
    folded = _folded(text)
    return bool(_BULLET.match(text)) and any(
        not _pattern(_spellings(term)).sub("", folded).strip(" ,") for term in PDF_TERMS
    )


def _is_definition(passage: str, pattern: re.Pattern[str]) -> bool:
    """Return whether a sentence names the term, or a thing of that kind, and then mechanisms."""
    for sentence in _SENTENCE.split(passage):
        match = _DEFINES.match(sentence)
        if match and _says(f"{match['term']}: {_first_words(sentence, match.end())}", pattern):
            length, mechanisms, explanations = _counts(sentence, pattern)
            if length >= _MIN_DEFINITION_WORDS and mechanisms >= _MIN_MECHANISMS and explanations:
                return True
    return False


def _first_words(sentence: str, start: int) -> str:
    """Return how a definition of the term begins: "EvidenceAggregator: fan-in node that"."""
    return " ".join(sentence[start:].split()[:_KIND_WORDS])


def _explains(passage: str, pattern: re.Pattern[str]) -> bool:
    """Return whether the passage explains the term by several mechanisms other than itself.

    Words before the sentence that names the term lead up to it: they alone explain nothing of it.
    """
    length, mechanisms, explanations = _counts(passage, pattern)
    if _counts(_from_term_on(passage, pattern), pattern)[2] < _MIN_EXPLANATIONS:
        return False
    is_dense = (
        length >= _MIN_WORDS and mechanisms >= _MIN_MECHANISMS and explanations >= _MIN_EXPLANATIONS
    )
    # A passage of twice the length may name fewer mechanisms.
    return is_dense or (length >= 2 * _MIN_WORDS and mechanisms > 0 and explanations > 2)


def _from_term_on(passage: str, pattern: re.Pattern[str]) -> str:
    """Return the sentence with the term and what follows; before it what it refers back to."""
    sentences = _SENTENCE.split(passage)
    numbers = (number for number, sentence in enumerate(sentences) if _says(sentence, pattern))
    first = next(numbers, 0)
    refers_back = first > 0 and _REFERS_BACK.match(sentences[first])
    return " ".join(sentences[first - 1 if refers_back else first :])


def _counts(text: str, pattern: re.Pattern[str]) -> tuple[int, int, int]:
    """Return the numbers of words, of mechanisms other than the term, and of explaining words."""
    lowered = text.lower()
    names = set(_MECHANISMS.findall(lowered)) | set(_IDENTIFIERS.findall(text))
    mechanisms = {name for name in names if not _says(name, pattern)}
    return len(text.split()), len(mechanisms), len(set(_EXPLAINS.findall(lowered)))
