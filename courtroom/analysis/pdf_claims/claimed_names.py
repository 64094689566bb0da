"""Names of functions, classes and fields that a report gives, and those that the code lacks.

A name counts in the forms of code: snake_case, or CamelCase that is called, inherited from, named a
class, that of a node of the graph by its last word, or one that an arrow leads to. The spelling may
differ in case and underscores. Sentences about plans and about other repositories name
nothing, nor do the methods that every Pydantic model inherits, and the nodes of Python's `ast`.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.chapters import skipped_chapter
from courtroom.analysis.pdf_claims.claims import plain_sentences
from courtroom.analysis.pdf_claims.placed_names import PlacedName

# Texts in which a name proves nothing: a report beside the code repeats the claim.
DOCUMENTS = (
    ".csv",
    ".docx",
    ".gif",
    ".html",
    ".jpeg",
    ".jpg",
    ".lock",
    ".log",
    ".md",
    ".pdf",
    ".png",
    ".pyc",
    ".rst",
    ".svg",
    ".txt",
    ".webp",
)
# Files of data and of examples: ids of criteria stand in them, and words for what works should have.
_DATA = (".json", ".yaml", ".yml", ".example", ".sample", ".template")
MOST_NAMES = 400
_INDENT = 80
_PASSAGE_CHARACTERS, _BEFORE = 400, 80
# Neither part of a path or an address, nor followed by an ending of a file or by the digits of a
# number. A quoted value and a name in braces are data; a fraction of two names that is given to no
# other name is a formula. A name after "Figure 1." is a caption, and one before a question mark the
# label of a decision.
_SNAKE = r"[a-z][a-z0-9]+(?:_[a-z0-9]{2,})+"
_CAMEL = r"(?:[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[A-Z]{3,}[a-z0-9]{3,}(?:[A-Z][a-z0-9]*)*)"
_NODES = r"(?:Investigator|Analyst|Inspector|Detective|Aggregator|Judge|Justice|Node)"
_KINDS = r"(?:class(?:es)?|functions?|methods?|models?|schemas?|nodes?|exceptions?)"
_NAME = re.compile(
    rf"(?<![\w/\\@#$%{{-])(?<!\d\.)(?<![:=] [\"'“\u2018])(?<!e\.g\., [\"'“\u2018])"
    rf"(?:(?P<snake>{_SNAKE})|(?P<called>{_CAMEL})(?=\(|\.\w+\()"
    rf"|(?P<kind>{_CAMEL})(?= {_KINDS}\b)"
    rf"|inherit(?:s|ing)? from (?:an? |the )?(?P<base>{_CAMEL})"
    rf"|(?:→|->|⟶) (?P<flow>{_CAMEL})"
    rf"|(?P<node>(?:[A-Z][a-z0-9]+)+{_NODES}))"
    rf"(?![\w/\\-])(?!\.(?:[a-z]{{2,4}}\b|\d))(?!\?)"
)
# A dot before a word in lower case cuts a name short, as in a drawing, and so do others beside it.
_CUT_SHORT = re.compile(r"\w_\w{1,60}\. [a-z]")
# A name of code behind its file: "src/tools/git_tools.py::clone". Sections that compare designs have
# such references to this code too, those on plans and on others have none.
_REFERENCE = re.compile(r"\.py::(?P<name>[A-Za-z_]\w+)")
_OF_OTHERS = re.compile(
    r"\b(?:plans?|planned|remediation|future|next steps|roadmap|to-?do|peers?|feedback|received"
    r"|priority \d)\b",
    re.IGNORECASE,
)
# A string of JSON with so many blanks is prose: a rubric names the nodes that works should have.
_STRING = re.compile(r'"[^"\\\n]*+(?>(?:\\.[^"\\\n]*+)*)"')
_PROSE_BLANKS = 3
# A comment of Python, a string, and one of several lines, which begins a line where it documents.
_PARTS = re.compile(
    r"#[^\n]*|(?P<long>\"{3}[\s\S]*?\"{3}|'{3}[\s\S]*?'{3})"
    r"|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"|'[^'\\\n]*(?:\\.[^'\\\n]*)*'"
)
# What calls the names behind it classes: "three distinct classes - A, B".
_CLASSES = re.compile(r"\bclass(?:es)?\b\W{1,4}(?:\w{1,60}(?:, (?:and )?| and )){0,6}$")
FRACTION = " / "
_GIVEN = re.compile(r"= (?:\w{1,60} / )?$")
# Nodes of Python's syntax are what a work looks for in others.
_OF_PYTHON = frozenset({*dir(builtins), *(name for name in dir(ast) if name[0].isupper())})
_INHERITED = re.compile(r"model_(?:dump|validate|copy|construct|json|fields|config|rebuild)\w*")


@dataclass(frozen=True, slots=True)
class ClaimedName:
    """Name of code with the first sentence that gives it; `is_class`: it is said to be a class."""

    name: str
    page: int
    passage: str
    is_class: bool = False


@dataclass(frozen=True, slots=True)
class CheckedNames:
    """Names that occur in the code, those that occur nowhere in it, and those in another file."""

    existing: tuple[ClaimedName, ...]
    missing: tuple[ClaimedName, ...]
    misplaced: tuple[PlacedName, ...] = ()


def claimed_names(reading: PdfReading) -> tuple[ClaimedName, ...]:
    """Return each name once, however it is spelled, in the order of the report."""
    names: dict[str, ClaimedName] = {}
    for page, sentence in plain_sentences(reading):
        for match in _NAME.finditer(sentence):
            name = match[match.lastgroup or 0]
            is_known = _INHERITED.fullmatch(name) or name in _OF_PYTHON
            if is_known or _is_formula(sentence, match) or _is_cut_short(sentence, match):
                continue
            text_before = sentence[max(match.start() - _PASSAGE_CHARACTERS, 0) : match.start()]
            has_method = match.lastgroup == "called" and sentence[match.end()] == "."
            is_class = has_method or (name[0].isupper() and bool(_CLASSES.search(text_before)))
            claim = ClaimedName(name, page, sentence[:_PASSAGE_CHARACTERS], is_class)
            names.setdefault(_folded(name), claim)
    for claim in _references(reading):
        names.setdefault(_folded(claim.name), claim)
    return tuple(names.values())[:MOST_NAMES]


def _references(reading: PdfReading) -> Iterator[ClaimedName]:
    skipped: str | None = None
    for page, text in enumerate(reading.pages, start=1):
        for line in filter(None, text.split("\n")):
            if (page, line) in reading.headings:
                skipped = skipped_chapter(line, _OF_OTHERS, skipped)
            elif skipped is None:
                for match in _REFERENCE.finditer(line):
                    yield ClaimedName(match["name"], page, line[:_PASSAGE_CHARACTERS])


def _is_cut_short(sentence: str, name: re.Match[str]) -> bool:
    return sentence.startswith(".", name.end()) and _CUT_SHORT.search(sentence) is not None


def _is_formula(sentence: str, name: re.Match[str]) -> bool:
    """Return true for a part of a fraction that no name gets: "hits / all", not "a = hits / all"."""
    before = sentence[max(name.start() - _BEFORE, 0) : name.start()]
    is_part = before.endswith(FRACTION) or sentence.startswith(FRACTION, name.end())
    return is_part and not _GIVEN.search(before)


def check_names(names: Iterable[ClaimedName], contents: Mapping[str, str]) -> CheckedNames:
    """Look for the names in the texts of the code by path, and in its paths at "".

    The prose of JSON names nothing, nor do comments and docstrings, nor is a class defined by data.
    """
    wanted = {_folded(name.name): name for name in names}
    missing = dict(wanted)
    for path, content in contents.items():
        if not missing:
            break
        prose_aside = _code_of(content) if path.endswith(".py") else _without_prose(content)
        spellings, is_data = (_folded(prose_aside), prose_aside), path.lower().endswith(_DATA)
        missing = {
            folded: name
            for folded, name in missing.items()
            if _stem(name) not in spellings[name.is_class] or (is_data and name.name[0].isupper())
        }
    existing = (name for folded, name in wanted.items() if folded not in missing)
    return CheckedNames(tuple(existing), tuple(missing.values()))


def name_facts(names: CheckedNames) -> dict[str, tuple[str, ...]]:
    """Return the two facts about names."""
    return {
        "pdf_code_names": tuple(name.name for name in (*names.existing, *names.missing)),
        "pdf_missing_names": tuple(name.name for name in names.missing),
    }


def may_hold_names(path: str) -> bool:
    return not path.lower().endswith(DOCUMENTS)


def _without_prose(content: str) -> str:
    if not content.lstrip().startswith(("{", "[")):
        return content
    return _STRING.sub(lambda text: "" if text[0].count(" ") >= _PROSE_BLANKS else text[0], content)


def _code_of(source: str) -> str:
    """Return Python without its comments and docstrings."""

    def kept(part: re.Match[str]) -> str:
        before = source[max(part.start() - _INDENT, 0) : part.start()].rpartition("\n")[2]
        is_prose = part[0][0] == "#" or (part["long"] and not before.strip())
        return "" if is_prose else part[0]

    return _PARTS.sub(kept, source)


def _stem(name: ClaimedName) -> str:
    """Return the folded name; of a node called so, ChiefJusticeNode, without its last word.

    The name of a class is the whole of it, as it is spelled.
    """
    return name.name if name.is_class else _folded(name.name.removesuffix("Node"))


def _folded(text: str) -> str:
    return text.replace("_", "").lower()
