"""Full paths of the entries in a drawn file tree, line by line.

    src/
    ├── graph.py             src/graph.py
    └── nodes/
        └── judges.py        src/nodes/judges.py

A PDF loses the indentation: the level of an entry follows from the vertical lines before it. Every
folder above it draws one, except the last of its own folder.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ENTRY = re.compile(
    r"(?P<bars>(?:[│|┃]\s*)*)(?P<mark>[├└┣┗╰]|[+`|\\](?=-))[─━-]*+>?\s*(?P<name>[^\s#←→]+)"
)
_LAST = frozenset("└┗╰`\\")
_ROOT = re.compile(r"(?P<name>[\w.-]+)/$")
# Lines between entries: comments that wrapped, a page's footer.
_MOST_OTHER_LINES = 4
# No file system has a longer name. Deeper levels would make the paths of a long text huge.
_NAME_CHARACTERS, _MOST_LEVELS = 255, 30


@dataclass(slots=True)
class _Level:
    """Entry of one level that was drawn last, and whether its folder ends with it."""

    name: str
    is_last: bool


class FileTree:
    """Reads the lines of a text in order, and remembers the folders around the present entry."""

    def __init__(self) -> None:
        self._levels: list[_Level] = []
        self._root = ""
        self._others = 0
        self._before = ""

    def read(self, line: str) -> str | None:
        """Return the full path of the entry on this line; None for any other line."""
        match = _ENTRY.match(line.strip())
        if match is None or len(match["name"]) > _NAME_CHARACTERS:
            self._skip(line.strip())
            return None

        if not self._levels:
            self._root = _root_of(self._before)
        self._others = 0
        self._add(_bars(match["bars"]), match["name"].rstrip("/,:"), match["mark"] in _LAST)
        return "/".join(filter(None, (self._root, *(level.name for level in self._levels))))

    def _skip(self, line: str) -> None:
        self._others += 1
        self._before = line
        if self._others > _MOST_OTHER_LINES:
            self._levels = []

    def _add(self, bars: int, name: str, is_last: bool) -> None:
        """Add the entry at the first level that is still open below as many open folders."""
        depth, open_folders = 0, 0
        for level in self._levels:
            if open_folders == bars and not level.is_last:
                break
            open_folders += not level.is_last
            depth += 1
        del self._levels[min(depth, _MOST_LEVELS - 1) :]
        self._levels.append(_Level(name, is_last))


def _bars(text: str) -> int:
    return sum(character in "│|┃" for character in text)


def _root_of(line: str) -> str:
    """Return the folder that the tree hangs from: that of the project itself has no path."""
    match = _ROOT.fullmatch(line)
    # Folders of code have short names in lower case; a project is called by its title.
    return match["name"] if match and match["name"] in _FOLDERS else ""


_FOLDERS = frozenset(
    {"src", "app", "api", "lib", "tests", "docs", "backend", "frontend", "audit", "reports"}
)
