"""Check the paths that a report names against the tree.

Establishes the facts pdf_claimed_paths and pdf_hallucinated_paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import PurePosixPath
from typing import Any, Literal

from courtroom.analysis.pdf_claims.claimed_paths import ENDINGS, ClaimedPath
from courtroom.analysis.pdf_claims.path_context import (
    around,
    is_asserted,
    is_disowned,
    is_of_others,
    is_planned,
    is_template,
)

Standing = Literal["verified", "hallucinated", "planned", "disowned"]

# A name with spaces, or broken over lines, has at most so many parts.
_MOST_PARTS = 6
_SOURCES_OF_PDF = {".tex", ".md", ".docx", ".doc", ".odt", ".html", ".typ", ".rst"}
# Letters that recognition may add or drop, and the least likeness of a misread path.
_MISREAD_LETTERS = 2
_LIKENESS = 0.88
# Each is compared with the whole tree, which takes 60 ms for 20,000 files.
_MOST_MISREAD = 100
_OPENING = "([{\"'“\u2018`<"
_OPEN_ENDS = ("/ ", "_ ")
_ADDRESS = re.compile(r"://|^www\.|^[\w.-]+\.(?:com|org|net|io|dev|ai|edu)/")
_WHOLE = re.compile(rf"\.(?:{ENDINGS})\W*$")


@dataclass(frozen=True, slots=True)
class CheckedPaths:
    """Paths checked against the tree.

    A path that its own passage calls `planned` is named, but need not exist, as does the source of
    a PDF that the tree has. One that the passage disowns, and a template of a name, claims nothing.
    """

    verified: tuple[ClaimedPath, ...]
    hallucinated: tuple[ClaimedPath, ...]
    planned: tuple[ClaimedPath, ...]
    disowned: tuple[ClaimedPath, ...]

    @property
    def claimed(self) -> tuple[ClaimedPath, ...]:
        """Return the paths of the fact pdf_claimed_paths: files of this repository."""
        return self.verified + self.hallucinated + self.unheld

    @property
    def unheld(self) -> tuple[ClaimedPath, ...]:
        """Return the paths of this repository that are named and need not be there."""
        return tuple(claim for claim in self.planned if not is_template(claim.path))


@dataclass(frozen=True, slots=True)
class _Tree:
    """Tails of all paths in lower case (a/b/c.py, b/c.py, c.py), and the folders."""

    tails: frozenset[str]
    folders: frozenset[str]


def check_against_tree(
    claimed: Iterable[ClaimedPath], tree_paths: Iterable[str], *, is_recognised: bool = False
) -> CheckedPaths:
    """Check the paths against the tree.

    A path exists when the tree has it or has a path that ends with it ("judges.py" and
    "nodes/judges.py"). The rest of a broken path or address is put together, or left out. A path of
    recognised text may have a few wrong letters, and is left out where nothing says that it is there.
    """
    tree = _tree(tree_paths)
    by_standing: dict[Standing, dict[str, ClaimedPath]] = {
        "verified": {},
        "hallucinated": {},
        "planned": {},
        "disowned": {},
    }
    left = _MOST_MISREAD
    for claim in claimed:
        whole = _whole(claim, tree)
        if whole is not None and is_recognised and _name(whole.path) not in tree.tails:
            left -= 1
            # Beyond the limit nobody looked for the name that was meant: the path is left out.
            whole = replace(whole, path=_likeliest(whole.path, tree)) if left >= 0 else None
        if whole is not None and is_recognised and _is_bare_mention(whole, tree):
            whole = None
        if whole is not None:
            by_standing[_standing(whole, tree)].setdefault(_name(whole.path), whole)

    return CheckedPaths(**{name: tuple(claims.values()) for name, claims in by_standing.items()})


def path_facts(verdicts: CheckedPaths) -> dict[str, Any]:
    """Return the two facts about paths, in order of first mention."""
    return {
        "pdf_claimed_paths": tuple(claim.path for claim in verdicts.claimed),
        "pdf_hallucinated_paths": tuple(claim.path for claim in verdicts.hallucinated),
    }


def _name(path: str) -> str:
    return path.removeprefix("./").lower()


def _tree(tree_paths: Iterable[str]) -> _Tree:
    tails: set[str] = set()
    folders: set[str] = set()
    for path in tree_paths:
        parts = PurePosixPath(path.lower()).parts
        tails |= {"/".join(parts[start:]) for start in range(len(parts))}
        folders |= {"/".join(parts[:end]) for end in range(1, len(parts))}
    return _Tree(frozenset(tails), frozenset(folders))


def _whole(claim: ClaimedPath, tree: _Tree) -> ClaimedPath | None:
    """Return the claim with its whole path; None for the rest of an address."""
    before, _ = around(claim.path, claim.passage)
    is_there = _name(claim.path) in tree.tails
    if not before.endswith(" ") or (is_there and not before.endswith(_OPEN_ENDS)):
        return claim

    words = before.split()[-_MOST_PARTS:]
    for path in _joined(words, claim.path):
        if _name(path) in tree.tails:
            return replace(claim, path=path)
    if is_there or not words or _WHOLE.search(words[-1]):
        return claim
    if _ADDRESS.search(words[-1]):
        return None
    return _with_beginning(claim, words[-1].lstrip(_OPENING), tree)


def _joined(words: list[str], path: str) -> Iterator[str]:
    """Yield the path with the words before it, as parts of a broken name or one with spaces."""
    for count in range(1, len(words) + 1):
        parts = [words[-count].lstrip(_OPENING), *words[len(words) - count + 1 :], path]
        yield "".join(parts)
        yield " ".join(parts)


def _with_beginning(claim: ClaimedPath, word: str, tree: _Tree) -> ClaimedPath:
    """Return the claim with the beginning of a path, which breaks off inside a known folder."""
    folder = word.removeprefix("./").rpartition("/")[0].lower()
    is_beginning = folder in tree.folders and word.strip("./").lower() not in tree.folders
    is_beginning = is_beginning and re.fullmatch(r"[\w./-]*\w", word) is not None
    return replace(claim, path=word + claim.path) if is_beginning else claim


def _likeliest(path: str, tree: _Tree) -> str:
    """Return the path of the tree that was most likely misread as this one, else the path."""
    name = _name(path)
    alike = [
        tail
        for tail in sorted(tree.tails)
        if tail.count("/") == name.count("/") and abs(len(tail) - len(name)) <= _MISREAD_LETTERS
    ]
    return next(iter(get_close_matches(name, alike, n=1, cutoff=_LIKENESS)), path)


def _is_bare_mention(claim: ClaimedPath, tree: _Tree) -> bool:
    """Return whether nothing says that the file is there.

    Recognised text has lost the headings and marks by which a list of plans is told from others.
    """
    return _name(claim.path) not in tree.tails and not is_asserted(claim.path, claim.passage)


def _standing(claim: ClaimedPath, tree: _Tree) -> Standing:
    # Both repositories may have a file of this name.
    if is_of_others(claim.path, claim.passage):
        return "disowned"
    if _name(claim.path) in tree.tails:
        return "verified"
    if is_disowned(claim.path, claim.passage):
        return "disowned"
    is_planned_file = claim.is_of_plan or is_planned(claim.path, claim.passage)
    is_unheld = is_planned_file or _is_source_of_pdf(claim.path, tree)
    return "planned" if is_unheld else "hallucinated"


def _is_source_of_pdf(path: str, tree: _Tree) -> bool:
    """Return whether the file is what a PDF of the tree was written in, such as report.tex."""
    name = PurePosixPath(path.lower())
    return name.suffix in _SOURCES_OF_PDF and f"{name.stem}.pdf" in tree.tails
