"""Files of the work that its README names, and that it lacks.

Names are read in code spans, lists, commands and drawn trees. Only files of code and of the project
itself count, and in a tree the PDF report of a work without one: a run may make other reports.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, joined
from courtroom.analysis.pdf_claims.file_trees import FileTree

_SPAN = re.compile(r"`(?:\./)?((?:[\w.-]{1,60}/){1,6}[\w-]{1,60}\.py)`")
# "- scripts/run.py -- starts it", and a command that no fence holds.
_ITEM = re.compile(
    r"\s{0,8}[-*+] (?:\./)?((?:[\w.-]{1,60}/){1,6}[\w-]{1,60}\.py) *(?:-{1,2}|[:\u2013\u2014])\s"
)
_COMMAND = re.compile(
    r"\s{2,8}(?:\$ )?python3? (?:\./)?((?:[\w.-]{1,60}/){1,6}[\w-]{1,60}\.py)(?!\S)"
)
_REPORT = re.compile(r"[\w./-]{0,300}report[\w-]{0,60}\.pdf", re.IGNORECASE)
_OWN = re.compile(r"[\w./-]{1,300}\.py|(?:uv|poetry)\.lock|requirements\.txt|pyproject\.toml")
# What is not there yet, or no longer, or in other works.
_ELSEWHERE = re.compile(
    r"\b(?:will|plan\w*|future|roadmap|to-?do|next|optional\w*|e\.g|examples?|generated|not|ignored"
    r"|gitignored?|new|add(?:ed|ing)?|creat\w+|renam\w+|remov\w+|delet\w+|legacy|old|former\w*"
    r"|instead|replac\w+|peers?|target|if|your?)\b",
    re.IGNORECASE,
)
_HEADING = re.compile(r"#{1,6}\s")


def absent_files(
    readme: str, text: str, paths: Iterable[str], named_in: str = ""
) -> Iterator[FlowFault]:
    """Yield one fault of the files that a README names as part of the work, and that it lacks.

    `named_in` holds sentences that name some of them already.
    """
    # A drawn tree may begin at any folder, and a file may have moved.
    names = {posixpath.basename(path).lower() for path in paths}
    has_report = any(_REPORT.fullmatch(name) for name in names)
    absent: dict[str, int] = {}
    for number, path in _named(text):
        if has_report and path.endswith(".pdf"):
            continue
        if posixpath.basename(path).lower() not in names and path not in named_in:
            absent.setdefault(path, number)
    if absent:
        files = "a file" if len(absent) == 1 else "files"
        sentence = (
            f"the README names {joined(list(absent))} as {files} of the work, which the repository"
            " does not have"
        )
        first, *further = absent.values()
        places = tuple((readme, line) for line in further)
        yield FlowFault("absent_file", sentence, readme, first, places=places)


def _named(text: str) -> Iterator[tuple[int, str]]:
    tree, is_elsewhere = FileTree(), False
    for number, line in enumerate(text.splitlines(), start=1):
        if _HEADING.match(line):
            is_elsewhere = bool(_ELSEWHERE.search(line))
        entry = tree.read(line)
        if is_elsewhere or _ELSEWHERE.search(line):
            continue
        if entry is not None and (_OWN.fullmatch(entry) or _REPORT.fullmatch(entry)):
            yield number, entry
        if listed := _ITEM.match(line) or _COMMAND.match(line):
            yield number, listed[1]
        for match in _SPAN.finditer(line):
            yield number, match[1]
