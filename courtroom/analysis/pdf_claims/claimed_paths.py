"""Repository files that a report names, and which of them the tree does not have (FACTS: pdf_claimed_paths)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from courtroom.analysis.pdf.pdf_content import PdfReading

_ENDINGS = (
    "py|pyi|ipynb|md|rst|txt|json|jsonl|toml|ya?ml|ini|cfg|conf|lock|sh|sql|csv|xml|html?|css|scss|jsx?|tsx?|mjs"
    "|cjs|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|lua|proto|tf|j2|mmd|puml|svg|png|jpe?g|pdf|docx?"
)
_SEGMENT = r"[\w.@+-]"
_PATH = re.compile(
    rf"(?<![\w/\\:@.}}…-])(?:\./)?(?:{_SEGMENT}+/)*{_SEGMENT}*\w\.(?:{_ENDINGS})(?![\w/\\-]|\.\w|\{{)"
    r"|(?<![\w/\\.-])(?:Makefile|Dockerfile|Procfile)(?![\w/\\-]|\.\w)"
    r"|(?<![\w/\\.-])\.env\.(?:example|sample|template)(?![\w/\\-]|\.\w)"
)
# A long address is broken over lines, and comes out with a space at the break.
_URL = re.compile(
    r"\b(?:https?|ssh|git|file)://(?:\S*[./_-] (?=\S*/))*\S*|\bgit@\S+"
    r"|\b(?:[\w-]+\.)+(?:com|org|net|io|dev|ai|edu)/\S*",
    re.IGNORECASE,
)
# "Node.js" and its like are products, and "e.g." style fragments are no files.
_PRODUCT = re.compile(r"[A-Z]\w*\.js")
_TEMPLATE = re.compile(r"[{}<>*$]")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z\"“(●•○-])")
_PASSAGE_CHARACTERS = 400

# The passage says that the file is still to come.
_PLANNED = re.compile(
    r"\b(?:will be (?:added|created|written|stored)|to be (?:added|created|written)|should be (?:added|created)"
    r"|planned|future|to-?do|not yet|upcoming|proposed)\b",
    re.IGNORECASE,
)
# The words just before it do: a file to create, or one that the program writes.
_TO_CREATE = re.compile(
    r"\b(?:creat|add|introduc)\w*(?: an?| the)?(?: new)?(?: \w+)?\W*$", re.IGNORECASE
)
_TO_WRITE = re.compile(
    r"\b(?:writ|sav|export|dump|stor|output|render|serializ|generat|produc|persist)\w*\b[^.;]{0,60}$",
    re.IGNORECASE,
)
# A plan begins with what to do, and a program's output is called so or lies where outputs lie.
_TO_DO = re.compile(r"^\W*(?:Action:\s*)?(?:Add|Create|Introduce|Write|Build) ")
_WRITTEN = re.compile(
    r"^\W{0,2}\s*(?:generation|output|artifact|is (?:written|generated|produced|saved))\b",
    re.IGNORECASE,
)
_OUTPUT = re.compile(
    r"^(?:outputs?|logs|runs)/.*\.(?:md|json|jsonl|txt|log|html)$|\d{4}-?\d{2}-?\d{2}"
)
# The passage says itself that the file is not there, or is someone else's.
_DISOWNED = re.compile(
    r"\b(?:no such file|do(?:es)? not exist|doesn[\u2019']t exist|did not exist|non-?exist\w+|was (?:renamed|removed)"
    r"|renamed|(?:a|any) repository[\u2019']s|hallucinat\w*|not found|is missing|deleted|instead of|formerly|"
    r"(?:peer|classmate|colleague|other team)[\u2019']?s?[\u2019']? (?:repo|repository|code\w*|pdf|project|submission))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ClaimedPath:
    """A path as the report writes it, and the sentence that names it most plainly."""

    path: str
    page: int
    passage: str


@dataclass(frozen=True, slots=True)
class PathVerdicts:
    """Claims held against the tree. What is `planned` or `disowned` by its own passage claims nothing."""

    verified: tuple[ClaimedPath, ...]
    hallucinated: tuple[ClaimedPath, ...]
    planned: tuple[ClaimedPath, ...]
    disowned: tuple[ClaimedPath, ...]

    @property
    def claimed(self) -> tuple[ClaimedPath, ...]:
        """The fact pdf_claimed_paths: what the report says is there."""
        return self.verified + self.hallucinated


def claimed_paths(reading: PdfReading) -> tuple[ClaimedPath, ...]:
    """Every file path named in the report, once each, in order of first mention."""
    found: dict[str, ClaimedPath] = {}
    for page, text in enumerate(reading.pages, start=1):
        for line in text.split("\n"):
            for claim in _in_line(page, line):
                known = found.get(claim.path)
                if known is None or (_is_excused(known) and not _is_excused(claim)):
                    found[claim.path] = claim
    return tuple(found.values())


def hold_against_tree(claimed: Iterable[ClaimedPath], tree_paths: Iterable[str]) -> PathVerdicts:
    """A path is there when the tree has it, or a file that it is the tail of ("judges.py", "nodes/judges.py")."""
    tails = _tails(tree_paths)
    sorted_out: dict[str, list[ClaimedPath]] = {
        "verified": [],
        "hallucinated": [],
        "planned": [],
        "disowned": [],
    }
    for claim in claimed:
        sorted_out[_standing(claim, tails)].append(claim)
    return PathVerdicts(**{name: tuple(claims) for name, claims in sorted_out.items()})


def path_facts(verdicts: PathVerdicts) -> dict[str, Any]:
    """The two facts about paths, in order of first mention."""
    return {
        "pdf_claimed_paths": tuple(claim.path for claim in verdicts.claimed),
        "pdf_hallucinated_paths": tuple(claim.path for claim in verdicts.hallucinated),
    }


def _in_line(page: int, line: str) -> Iterator[ClaimedPath]:
    for sentence in _SENTENCE.split(line):
        for path in _paths_of(_URL.sub(" ", sentence)):
            yield ClaimedPath(path, page, _around(path, sentence.strip()))


def _around(path: str, sentence: str) -> str:
    """The sentence, or of a long one the part that names the path."""
    start = max(
        0, min(sentence.find(path) - _PASSAGE_CHARACTERS // 2, len(sentence) - _PASSAGE_CHARACTERS)
    )
    return sentence[start : start + _PASSAGE_CHARACTERS]


def _paths_of(text: str) -> Iterator[str]:
    for match in _PATH.finditer(text):
        path = match[0].removeprefix("./")
        if not (_PRODUCT.fullmatch(path) or path.startswith(("-", "/")) or _is_odd(path)):
            yield path


def _is_odd(path: str) -> bool:
    """Two dots, or a name that begins with one and is no example of settings: ends of other words."""
    return ".." in path or (path.startswith(".") and not path.startswith(".env."))


def _is_excused(claim: ClaimedPath) -> bool:
    return bool(_DISOWNED.search(claim.passage)) or _is_planned(claim)


def _is_planned(claim: ClaimedPath) -> bool:
    before, _, after = claim.passage.partition(claim.path)
    said = _PLANNED.search(claim.passage) or _TO_CREATE.search(before) or _TO_WRITE.search(before)
    said = said or _TO_DO.search(claim.passage) or _WRITTEN.search(after)
    return bool(said or _TEMPLATE.search(claim.path) or _OUTPUT.search(claim.path))


def _tails(tree_paths: Iterable[str]) -> frozenset[str]:
    """Every tail of every path in lower case: a/b/c.py, b/c.py, c.py."""
    tails: set[str] = set()
    for path in tree_paths:
        parts: Sequence[str] = PurePosixPath(path.lower()).parts
        tails |= {"/".join(parts[start:]) for start in range(len(parts))}
    return frozenset(tails)


def _standing(claim: ClaimedPath, tails: frozenset[str]) -> str:
    if claim.path.lower() in tails:
        return "verified"
    if _DISOWNED.search(claim.passage):
        return "disowned"
    return "planned" if _is_planned(claim) else "hallucinated"
