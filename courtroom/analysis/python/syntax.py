"""Python sources as syntax trees: parsed once, indexed once, never run.

Everything that reads code in this package starts from a `Codebase`. Hostile input is expected: a file that
cannot be parsed is named in `unreadable` with the reason and takes nothing else down with it.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import io
import tokenize
from collections.abc import Iterator, Mapping

from courtroom.analysis.python.dead_code import take_out_dead_code
from courtroom.analysis.python.source_files import Codebase, SourceFile, module_name
from courtroom.analysis.python.source_index import index

# Other cookies (utf-7, unicode_escape, ...) let a comment hide code from whoever reads the file as text.
HONEST_ENCODINGS = frozenset({"utf-8", "utf-8-sig", "iso-8859-1", "ascii"})


def parse(sources: Mapping[str, bytes]) -> Codebase:
    """Parse every source; the collector rests meanwhile, because trees are all live and it would walk them."""
    files: dict[str, SourceFile] = {}
    unreadable: dict[str, str] = {}
    with resting_collector():
        for path in sorted(sources):
            try:
                files[path] = parse_file(path, sources[path])
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                unreadable[path] = _why(error)
    return Codebase(files, unreadable)


@contextlib.contextmanager
def resting_collector() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def parse_file(path: str, raw: bytes) -> SourceFile:
    text = decode(raw)
    source = SourceFile(path, text, ast.parse(text), module_name(path))
    take_out_dead_code(source.tree)
    index(source)
    return source


def decode(raw: bytes) -> str:
    """The text Python would read. SyntaxError for an encoding that exists to mislead a reader."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
    if encoding not in HONEST_ENCODINGS:
        message = f"its encoding cookie names {encoding}, which can hide code from a reader"
        raise SyntaxError(message)
    return raw.decode(encoding)


def _why(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        place = f" (line {error.lineno})" if error.lineno else ""
        return f"it does not parse: {error.msg}{place}"
    if isinstance(error, UnicodeDecodeError):
        return "it is not in the encoding it declares"
    if isinstance(error, ValueError):
        return f"it does not parse: {error}"
    return "it is nested too deeply, or too large, to be parsed"
