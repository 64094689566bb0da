"""Files of the work that its README names, in code spans and drawn trees, and that it lacks.

Only files of code and of the project itself count: reports may be made by a run.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from courtroom.analysis.langgraph.state_flow.flow_fault import FlowFault, joined
from courtroom.analysis.pdf_claims.file_trees import FileTree

_SPAN = re.compile(r"`(?:\./)?((?:[\w.-]{1,60}/){1,6}[\w-]{1,60}\.py)`")
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
    absent: dict[str, int] = {}
    for number, path in _named(text):
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
        if entry is not None and _OWN.fullmatch(entry):
            yield number, entry
        for match in _SPAN.finditer(line):
            yield number, match[1]
