"""Find the repository files a report names, and those missing from the tree.

Establishes the facts pdf_claimed_paths and pdf_hallucinated_paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from courtroom.analysis.pdf.pdf_content import PdfReading

_ENDINGS = (
    "py|pyi|ipynb|md|rst|txt|json|jsonl|toml|ya?ml|ini|cfg|conf|lock|sh|sql|csv|xml|html?|css|scss"
    "|jsx?|tsx?|mjs|cjs|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|lua|proto|tf|j2|mmd|puml"
    "|svg|png|jpe?g|pdf|docx?"
)
_SEGMENT = r"[\w.@+-]"
_PATH = re.compile(
    rf"(?<![\w/\\:@.}}…+-])(?:\./)?(?:{_SEGMENT}+/)*{_SEGMENT}*\w\.(?:{_ENDINGS})"
    r"(?![\w/\\-]|\.\w|\{)"
    r"|(?<![\w/\\.-])(?:Makefile|Dockerfile|Procfile)(?![\w/\\-]|\.\w)"
    r"|(?<![\w/\\.-])\.env\.(?:example|sample|template)(?![\w/\\-]|\.\w)"
)
# A long address breaks over lines, which leaves a space at the break.
_URL = re.compile(
    r"\b(?:https?|ssh|git|file)://(?:\S*[./_-] (?=\S*/))*\S*|\bgit@\S+"
    r"|(?<![\w-])(?<![\w-]\.)(?:[\w-]++\.)++(?:com|org|net|io|dev|ai|edu)/\S*",
    re.IGNORECASE,
)
# "Node.js" and the like are products, not files.
_PRODUCT = re.compile(r"[A-Z]\w*\.js")
_TEMPLATE = re.compile(r"[{}<>*$]")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z\"“(●•○-])")
_PASSAGE_CHARACTERS = 400

# Words of a passage about a file that does not exist yet.
_PLANNED = re.compile(
    r"\b(?:will be (?:added|created|written|stored)|to be (?:added|created|written)"
    r"|should be (?:added|created)|planned|future|to-?do|not yet|upcoming|proposed)\b",
    re.IGNORECASE,
)
# Words just before the path: a file to create, or one that the program writes.
_TO_CREATE = re.compile(
    r"\b(?:creat|add|introduc)\w*(?: an?| the)?(?: new)?(?: \w+)?\W*$", re.IGNORECASE
)
_TO_WRITE = re.compile(
    r"\b(?:writ|sav|export|dump|stor|output|render|serializ|generat|produc|persist)\w*\b"
    r"[^.;]{0,60}$",
    re.IGNORECASE,
)
# A plan begins with an action. A program's output is called so or lies in an output folder.
_TO_DO = re.compile(r"^\W*(?:Action:\s*)?(?:Add|Create|Introduce|Write|Build) ")
_WRITTEN = re.compile(
    r"^\W{0,2}\s*(?:generation|output|artifact|is (?:written|generated|produced|saved))\b",
    re.IGNORECASE,
)
_OUTPUT = re.compile(
    r"^(?:outputs?|logs|runs)/.*\.(?:md|json|jsonl|txt|log|html)$|\d{4}-?\d{2}-?\d{2}"
)
# The passage itself says that the file is missing or belongs to somebody else.
_DISOWNED = re.compile(
    r"\b(?:no such file|do(?:es)? not exist|doesn[\u2019']t exist|did not exist|non-?exist\w+"
    r"|was (?:renamed|removed)|renamed|(?:a|any) repository[\u2019']s|hallucinat\w*|not found"
    r"|is missing|deleted|instead of|formerly"
    r"|(?:peer|classmate|colleague|other team)[\u2019']?s?[\u2019']?"
    r" (?:repo|repository|code\w*|pdf|project|submission))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ClaimedPath:
    """Path as the report writes it, and the sentence that names it most clearly."""

    path: str
    page: int
    passage: str


@dataclass(frozen=True, slots=True)
class CheckedPaths:
    """Claimed paths checked against the tree.

    A path that its own passage calls `planned` or disowns claims nothing.
    """

    verified: tuple[ClaimedPath, ...]
    hallucinated: tuple[ClaimedPath, ...]
    planned: tuple[ClaimedPath, ...]
    disowned: tuple[ClaimedPath, ...]

    @property
    def claimed(self) -> tuple[ClaimedPath, ...]:
        """Return the paths of the fact pdf_claimed_paths: the report says that they exist."""
        return self.verified + self.hallucinated


def claimed_paths(reading: PdfReading) -> tuple[ClaimedPath, ...]:
    """Return the file paths named in the report, without duplicates, in order of first mention."""
    claims: dict[str, ClaimedPath] = {}
    for page, text in enumerate(reading.pages, start=1):
        for line in text.split("\n"):
            for claim in _in_line(page, line):
                earlier = claims.get(claim.path)
                # A mention that claims the file replaces one that only plans or disowns it.
                if earlier is None or (_is_excused(earlier) and not _is_excused(claim)):
                    claims[claim.path] = claim
    return tuple(claims.values())


def check_against_tree(claimed: Iterable[ClaimedPath], tree_paths: Iterable[str]) -> CheckedPaths:
    """Check the paths against the tree.

    A path exists when the tree has it or has a path that ends with it ("judges.py" and
    "nodes/judges.py").
    """
    tails = _tails(tree_paths)
    by_standing: dict[str, list[ClaimedPath]] = {
        "verified": [],
        "hallucinated": [],
        "planned": [],
        "disowned": [],
    }
    for claim in claimed:
        by_standing[_standing(claim, tails)].append(claim)

    return CheckedPaths(**{name: tuple(claims) for name, claims in by_standing.items()})


def path_facts(verdicts: CheckedPaths) -> dict[str, Any]:
    """Return the two facts about paths, in order of first mention."""
    return {
        "pdf_claimed_paths": tuple(claim.path for claim in verdicts.claimed),
        "pdf_hallucinated_paths": tuple(claim.path for claim in verdicts.hallucinated),
    }


def _in_line(page: int, line: str) -> Iterator[ClaimedPath]:
    for sentence in _SENTENCE.split(line):
        for path in _paths_of(_URL.sub(" ", sentence)):
            yield ClaimedPath(path, page, _passage_around(path, sentence.strip()))


def _passage_around(path: str, sentence: str) -> str:
    """Return the sentence, or the part of a long sentence that names the path."""
    start = max(
        0, min(sentence.find(path) - _PASSAGE_CHARACTERS // 2, len(sentence) - _PASSAGE_CHARACTERS)
    )
    return sentence[start : start + _PASSAGE_CHARACTERS]


def _paths_of(text: str) -> Iterator[str]:
    for match in _PATH.finditer(text):
        path = match[0].removeprefix("./")
        if not (_PRODUCT.fullmatch(path) or path.startswith(("-", "/")) or _is_fragment(path)):
            yield path


def _is_fragment(path: str) -> bool:
    # Ends of other words have two dots or begin with one; examples of settings are the exception.
    return ".." in path or (path.startswith(".") and not path.startswith(".env."))


def _is_excused(claim: ClaimedPath) -> bool:
    return bool(_DISOWNED.search(claim.passage)) or _is_planned(claim)


def _is_planned(claim: ClaimedPath) -> bool:
    before, _, after = claim.passage.partition(claim.path)
    return bool(
        _PLANNED.search(claim.passage)
        or _TO_DO.search(claim.passage)
        or _TO_CREATE.search(before)
        or _TO_WRITE.search(before)
        or _WRITTEN.search(after)
        or _TEMPLATE.search(claim.path)
        or _OUTPUT.search(claim.path)
    )


def _tails(tree_paths: Iterable[str]) -> frozenset[str]:
    """Return all tails of all paths in lower case: a/b/c.py, b/c.py, c.py."""
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
