"""Graphs outside the Python files that parse: in notebooks, in files nobody could read, elsewhere.

A notebook counts where no Python file of the repository mentions LangGraph.
"""

from __future__ import annotations

from collections.abc import Mapping

from courtroom.analysis.git.blobs import BlobReader
from courtroom.analysis.python.notebooks import notebook_code
from courtroom.analysis.python.source_files import Codebase, is_vendored

# Notebooks that are read; courses keep some dozens in one repository.
MAX_NOTEBOOKS = 40
LIBRARY = b"langgraph"


def notebook_sources(reader: BlobReader, sources: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the code of the notebooks by path, line by line where it stands in the file."""
    paths = [path for path in reader.blobs if path.endswith(".ipynb") and not is_vendored(path)]
    if not paths or any(LIBRARY in raw for raw in sources.values()):
        return {}
    contents = reader.read_all(paths[:MAX_NOTEBOOKS])
    codes = {path: notebook_code(raw) for path, raw in contents.items() if LIBRARY in raw}
    return {path: code for path, code in codes.items() if code is not None}


def unread_graph(reader: BlobReader, codebase: Codebase) -> str:
    """Return in words where a graph may be that nobody looked at; "" when all was read."""
    for path, reason in codebase.unreadable.items():
        raw = reader.read(path)
        may_hold_graph = raw is None or b"raph" in raw or "graph" in path.lower()
        if may_hold_graph and codebase.is_product(path):
            return f"no graph was found, but {path} could not be read: {reason}"
    for path, reason in reader.refused.items():
        if path.endswith((".py", ".ipynb")) and codebase.is_product(path):
            return f"no graph was found, but {path} could not be read: {reason}"
    for path in reader.blobs:
        is_manifest = path.rpartition("/")[2] == "package.json" and codebase.is_product(path)
        raw = reader.read(path) if is_manifest else None
        if raw is not None and LIBRARY in raw:
            return f"the graph may be in TypeScript or JavaScript ({path} names LangGraph), which is not read"
    notebooks = [
        path
        for path in reader.blobs
        if path.endswith(".ipynb") and path not in codebase.files and codebase.is_product(path)
    ]
    for path in notebooks[:MAX_NOTEBOOKS]:
        raw = reader.read(path)
        if raw is not None and LIBRARY in raw:
            return f"the graph may be in {path}, which was not read as a program"
    return ""
