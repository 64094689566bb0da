"""Find the repository files that a report names, in its sentences, links and file trees."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.chapters import skipped_chapter
from courtroom.analysis.pdf_claims.file_trees import FileTree
from courtroom.analysis.pdf_claims.path_context import (
    is_disowned,
    is_labelled,
    is_planned,
    is_undone,
)
from courtroom.analysis.text_windows import word_start

ENDINGS = (
    "py|pyi|ipynb|md|rst|tex|txt|json|jsonl|toml|ya?ml|ini|cfg|conf|lock|sh|ps1|bat|sql|csv|xml"
    "|html?|css|scss|jsx?|tsx?|mjs|cjs|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|lua"
    "|proto|tf|j2|mmd|puml|drawio|svg|png|jpe?g|pdf|docx?"
)
_SEGMENT = r"[\w.@+-]"
_PATH = re.compile(
    rf"(?<![\w/\\:@.}}…+-])(?:\./)?(?:{_SEGMENT}+/)*{_SEGMENT}*\w\.(?:{ENDINGS})"
    r"(?![\w/\\-]|\.\w|\{)"
    # In running text these are words for a kind of file ("a robust Makefile"), not after "the".
    r"|(?:(?<=^)|(?<=^[•●○▪◦*\u2013-] )|(?<=\()|(?<=\bthe )|(?<=\bThe ))"
    r"(?:Makefile|Dockerfile|Procfile)"
    r"(?![\w/\\-]|\.\w)"
    r"|(?<![\w/\\.-])\.env\.(?:example|sample|template)(?![\w/\\-]|\.\w)"
    # In a list these are kinds of files ("README, .gitignore, dependency files").
    r"|(?<![\w/\\.-])(?<!, )\.(?:gitignore|gitattributes|dockerignore|editorconfig)(?![\w/\\-]|\.\w)"
)
# The same words in a list, after a file or a pattern.
_LISTED = re.compile(
    r"(?:,| and| or)(?: and| or)?(?: optional)? (?P<name>Makefile|Dockerfile|Procfile)"
    r"(?![\w/\\-]|\.\w)"
)
_LISTED_BEFORE = re.compile(
    rf"(?:/[\w*]*|\*|\.(?:{ENDINGS})|\.example|Makefile|Dockerfile)[`\"”\u2019')]?$"
)
# A long address breaks over lines, which leaves a space at the break.
_URL = re.compile(
    r"\b(?:https?|ssh|git|file)://(?:\S*[./_-] (?=\S*/))*\S*|\bgit@\S+"
    r"|(?<![\w-])(?<![\w-]\.)(?>(?:[\w-]++\.)+)(?:com|org|net|io|dev|ai|edu)/\S*",
    re.IGNORECASE,
)
# An address of a file on a code host names that file.
_HOSTED = re.compile(r"//[\w.-]+/[\w.-]+/[\w.-]+/(?:-/)?(?:blob|raw)/[^/\s]+/([^\s?#]+)")
_FILE = re.compile(rf"\w\.(?:{ENDINGS})$")
# "Node.js" and the like are products, not files.
_PRODUCT = re.compile(r"[A-Z]\w*\.js")
_HIDDEN = re.compile(
    r"\.(?:env\.|[a-z][a-z0-9_-]+/\w|(?:gitignore|gitattributes|dockerignore|editorconfig)$)"
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z\"“(●•○-])")
_PASSAGE_CHARACTERS = 400
# Chapters about files that are to come.
_PLANS = re.compile(
    r"\b(?:(?:remediation|completion|implementation|improvement|forward)\b.{0,20} plan|roadmap"
    r"|future (?:work|plans?)|next steps|to-?dos?|not yet implemented|planned)\b",
    re.IGNORECASE,
)
# A heading may stand in one line with the text that it is about.
_NUMBERED = re.compile(r"\d{1,2}[.)] [A-Z]")
_HEADING_CHARACTERS = 60
# A line that begins with the rest of a path.
_REST = re.compile(rf"[\w/.-]*\w\.(?:{ENDINGS})\b")
# Lines at the head and at the foot of a page that may stand on each, and the fewest pages for it.
_EDGE_LINES, _RUNNING_PAGES = 2, 3


@dataclass(frozen=True, slots=True)
class ClaimedPath:
    """Path as the report writes it, and the sentence that names it most clearly.

    `is_of_plan`: it is where an item of a chapter of plans belongs.
    """

    path: str
    page: int
    passage: str
    is_of_plan: bool = False


def claimed_paths(reading: PdfReading) -> tuple[ClaimedPath, ...]:
    """Return the file paths named in the report, without duplicates, in order of first mention.

    `./a.py` and `a.py` are one path, written as at its first plain mention.
    """
    claims: dict[str, ClaimedPath] = {}
    excuses: dict[str, int] = {}
    for claim in _mentions(reading):
        name = claim.path.removeprefix("./")
        earlier = excuses.get(name)
        # A mention that claims the file replaces one that only plans or disowns it.
        if earlier is None or (earlier and _excuse(claim) < earlier):
            claims[name], excuses[name] = claim, _excuse(claim)
    return tuple(claim for claim in claims.values() if not _is_rest(claim, claims))


def _is_rest(claim: ClaimedPath, paths: Iterable[str]) -> bool:
    """Return true for "s.py" in "src/detective s.py": another passage has the path in one."""
    name = claim.path
    starts = (path.removesuffix(name) for path in paths if path.endswith(name) and path != name)
    return any(f"{start} {name}" in claim.passage for start in starts)


def _excuse(claim: ClaimedPath) -> int:
    """Return 0 for a plain claim, 1 where it says what is missing, 2 for a plan, 3 for no claim."""
    if is_disowned(claim.path, claim.passage):
        return 3
    if claim.is_of_plan or is_planned(claim.path, claim.passage):
        return 2
    return int(is_undone(claim.passage))


def _mentions(reading: PdfReading) -> Iterator[ClaimedPath]:
    tree, plan = FileTree(), None
    for page, line in _lines(reading):
        if (page, line) in reading.headings or _begins_with_plan(line):
            plan = skipped_chapter(line[:_HEADING_CHARACTERS], _PLANS, plan)
        entry = tree.read(line)
        if entry is None:
            claims = _in_line(page, line)
        else:
            is_file = any(entry.endswith(path) for path in _paths_of(entry))
            claims = iter([ClaimedPath(entry, page, line)] if is_file else [])
        for claim in claims:
            is_item = plan is not None and is_labelled(claim.path, claim.passage)
            yield replace(claim, is_of_plan=is_item)


def _begins_with_plan(line: str) -> bool:
    is_numbered = _NUMBERED.match(line) is not None
    return is_numbered and _PLANS.search(line[:_HEADING_CHARACTERS]) is not None


def _lines(reading: PdfReading) -> Iterator[tuple[int, str]]:
    """Yield page and line; a path that breaks at the end of a line or page is put together.

    The running head and foot of the pages are left out: the name of a file there claims nothing.
    """
    page_of, pending = 0, ""
    pages = [text.split("\n") for text in reading.pages]
    running = _running_lines(pages)
    for page, lines in enumerate(pages, start=1):
        for number, line in enumerate(lines):
            is_edge = min(number, len(lines) - 1 - number) < _EDGE_LINES
            if is_edge and _without_digits(line) in running:
                continue
            if _ends_inside_path(pending) and _REST.match(line):
                pending += line
                continue
            if pending:
                yield page_of, pending
            page_of, pending = page, line
    if pending:
        yield page_of, pending


def _running_lines(pages: Sequence[Sequence[str]]) -> set[str]:
    """Return the lines, without digits, at the head or foot of most pages."""
    edges = Counter(
        line
        for lines in pages
        for line in {
            _without_digits(line) for line in (*lines[:_EDGE_LINES], *lines[-_EDGE_LINES:])
        }
    )
    least = max(_RUNNING_PAGES, len(pages) // 2 + 1)
    return {line for line, count in edges.items() if count >= least}


def _without_digits(line: str) -> str:
    return re.sub(r"\d+", "", line)


def _ends_inside_path(line: str) -> bool:
    word = line[line.rfind(" ") + 1 :]
    return word.endswith("/") or ("/" in word and word.endswith(("_", "-")))


def _in_line(page: int, line: str) -> Iterator[ClaimedPath]:
    for sentence in _SENTENCE.split(line):
        for address in _HOSTED.finditer(sentence):
            path = unquote(address[1])
            if _FILE.search(path):
                yield ClaimedPath(path, page, _passage_around(address[1], sentence.strip()))
        for path in _paths_of(_URL.sub(" ", sentence)):
            yield ClaimedPath(path, page, _passage_around(path, sentence.strip()))


def _passage_around(path: str, sentence: str) -> str:
    """Return the sentence, or the part of a long sentence that names the path."""
    place = sentence.find(path)
    start = min(place - _PASSAGE_CHARACTERS // 2, len(sentence) - _PASSAGE_CHARACTERS)
    start = word_start(sentence, start, place)
    return sentence[start : start + _PASSAGE_CHARACTERS]


def _paths_of(text: str) -> Iterator[str]:
    named = [(match.start(), match[0]) for match in _PATH.finditer(text)]
    listed = [
        (match.start("name"), match["name"])
        for match in _LISTED.finditer(text)
        if _LISTED_BEFORE.search(text, 0, match.start())
    ]
    for _, path in sorted({*named, *listed}):
        bare = path.removeprefix("./")
        if not (_PRODUCT.fullmatch(bare) or bare.startswith(("-", "/")) or _is_fragment(bare)):
            yield path


def _is_fragment(path: str) -> bool:
    # Ends of other words have two dots or begin with one, as examples of settings and some folders do.
    return ".." in path or (path.startswith(".") and not _HIDDEN.match(path))
