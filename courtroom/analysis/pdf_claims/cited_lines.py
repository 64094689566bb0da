"""Lines of a file that a report gives as the place of a part which stands elsewhere in that file.

"VisionInspector (src/nodes.py, lines 20-40)" is wrong where the file has lines that define the part,
and most of the cited ones are others: a place that has moved by a few lines is as the report says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.claims import CheckedClaim, FeatureClaim
from courtroom.analysis.text_windows import word_start

CITED_LINES = "cited_lines"
PASSAGE_CHARACTERS = 400
# The name stands before its place, with a few words between.
_CITATION = re.compile(
    r"\b(?P<name>[A-Za-z_]\w{3,60})(?:\(\))?(?: (?!in\b|of\b|to\b|from\b|with\b)[a-z]{1,20}){0,2} ?\("
    r"(?P<path>(?:[\w-]{1,60}/){0,8}[\w-]{1,60}\.py),? ?(?:lines? |:)"
    r"(?P<first>\d{1,5}) ?[-\u2013] ?(?P<last>\d{1,5})\)"
)
_DEFINITION = re.compile(r"(?P<indent>[ \t]*)(?:async def|def|class) (?P<name>\w+)")
# Words of a line on another time than today's.
_ELSEWHERE = re.compile(
    r"\b(?:will|would|should|could|plan\w*|propos\w*|was|were|previous\w*|formerly|old|before"
    r"|peers?['\u2019]?s?|refactor\w*|change:|current state)\b",
    re.IGNORECASE,
)
_SHARE = 0.5


def misplaced_lines(reading: PdfReading, sources: Mapping[str, str]) -> Iterator[CheckedClaim]:
    """Yield the first such place as a contradicted claim; `sources` are the texts by path."""
    for page, text in enumerate(reading.pages, start=1):
        for line in text.split("\n"):
            for match in _CITATION.finditer(line):
                place = _place(match, sources)
                if place and not _ELSEWHERE.search(line[: match.end()]):
                    begin = word_start(line, match.end() - PASSAGE_CHARACTERS, match.start())
                    passage = line[begin : begin + PASSAGE_CHARACTERS]
                    claim = FeatureClaim(CITED_LINES, "", page, passage, quote=place)
                    yield CheckedClaim(claim, "contradicted")
                    return


def _place(match: re.Match[str], sources: Mapping[str, str]) -> str:
    """Return where the named part is; "" where the file has it there, or not once."""
    paths = [path for path in sources if f"/{path}".endswith(f"/{match['path']}")]
    if len(paths) != 1:
        return ""
    spans = list(_spans(match["name"], sources[paths[0]].split("\n")))
    if len(spans) != 1:
        return ""
    ((first, last),) = spans
    cited = range(int(match["first"]), int(match["last"]) + 1)
    held = range(max(first, cited.start), min(last + 1, cited.stop))
    if len(cited) < 2 or len(held) >= _SHARE * min(len(cited), last + 1 - first):
        return ""
    return f"{match['name']} is in lines {first} to {last} of {paths[0]}"


def _spans(name: str, lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each definition of the name, in any spelling."""
    wanted = _folded(name)
    for number, line in enumerate(lines, start=1):
        match = _DEFINITION.match(line)
        if match and _folded(match["name"]) in {wanted, f"{wanted}node"}:
            yield number, _end(lines, number, len(match["indent"]))


def _end(lines: list[str], start: int, indent: int) -> int:
    """Return the last line of the definition: what is deeper, and closing brackets of its head."""
    last = start
    for number, line in enumerate(lines[start:], start=start + 1):
        code = line.strip()
        if code and code[0] not in ")]#" and len(line) - len(line.lstrip()) <= indent:
            break
        last = number if code else last
    return last


def _folded(text: str) -> str:
    return text.replace("_", "").lower()
