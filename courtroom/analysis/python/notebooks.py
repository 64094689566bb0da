"""Code cells of a notebook as one Python module, each line on the line of the file it stands on."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

# What a line of IPython or of the shell begins with.
_MAGIC = ("%", "!", "?")
# Cells in another language, by their first line.
_OTHER_CELL = re.compile(r"^%%(?!time\b|timeit\b|capture\b|prun\b)")


def notebook_code(raw: bytes) -> bytes | None:
    """Return the notebook's code; None when it is no notebook of Python.

    A cell that does not parse is left out, as its failure leaves what other cells made.
    """
    try:
        notebook = json.loads(raw)
        cells = notebook["cells"]
        language = notebook.get("metadata", {}).get("language_info", {}).get("name", "python")
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None
    if language != "python" or not isinstance(cells, list):
        return None

    file_lines = raw.decode("utf-8", "replace").splitlines()
    code = [""] * len(file_lines)
    position = 0
    for lines in _code_cells(cells):
        places, position = _places(file_lines, lines, position)
        plain = [_as_python(line) for line in lines]
        if not _parses("".join(plain)):
            continue
        if places is None:
            # The notebook is not written line by line.
            code += "".join(plain).splitlines()
            continue
        for place, line in zip(places, plain, strict=True):
            code[place] = line.rstrip("\n")
    return "\n".join(code).encode()


def _code_cells(cells: list[Any]) -> Iterator[list[str]]:
    for cell in cells:
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        source = cell.get("source", [])
        lines = source.splitlines(keepends=True) if isinstance(source, str) else source
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            continue
        if lines and not _OTHER_CELL.match(lines[0]):
            yield lines


def _as_python(line: str) -> str:
    """Return the line, without what only IPython understands."""
    stripped = line.strip()
    name, equals, value = line.partition("=")
    if equals and value.strip().startswith(("!", "%")):
        return f"{name}= None\n"
    is_question = stripped.endswith("?") and "#" not in stripped
    if stripped.startswith(_MAGIC) or is_question:
        return f"{line[: len(line) - len(line.lstrip())]}pass\n"
    return line


def _places(file_lines: list[str], lines: list[str], position: int) -> tuple[list[int] | None, int]:
    """Return the lines of the file that hold a cell's lines, and where to look on."""
    places: list[int] = []
    wanted = 0
    for number in range(position, len(file_lines)):
        if file_lines[number].strip().rstrip(",") == json.dumps(
            lines[wanted], ensure_ascii=False
        ) or file_lines[number].strip().rstrip(",") == json.dumps(lines[wanted]):
            places.append(number)
            wanted += 1
            if wanted == len(lines):
                return places, number + 1
        elif places:
            # Not this cell after all: its lines stand together.
            places, wanted = [], 0
    return None, position


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
