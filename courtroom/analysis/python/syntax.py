"""Parsing of Python sources: each is parsed once and indexed once, and never run.

Hostile input is expected: a file that cannot be parsed is named in `Codebase.unreadable` with the
reason, and the other files are parsed all the same.
"""

from __future__ import annotations

import ast
import codecs
import contextlib
import gc
import io
import tokenize
from collections.abc import Iterator, Mapping

from courtroom.analysis.python.dead_code import remove_dead_code
from courtroom.analysis.python.source_files import Codebase, SourceFile, module_name
from courtroom.analysis.python.source_index import index_source

# Other encodings (utf-7, unicode_escape, ...) let a comment hide code from a reader of the text.
SAFE_ENCODINGS = frozenset({"utf-8", "utf-8-sig", "iso8859-1", "ascii"})


def parse_sources(sources: Mapping[str, bytes]) -> Codebase:
    """Parse every source, by path in the order of the alphabet."""
    files: dict[str, SourceFile] = {}
    unreadable: dict[str, str] = {}
    with _garbage_collector_off():
        for path in sorted(sources):
            try:
                files[path] = _parse_file(path, sources[path])
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                unreadable[path] = _reason(error)
    return Codebase(files, unreadable)


@contextlib.contextmanager
def _garbage_collector_off() -> Iterator[None]:
    # All trees stay alive: the collector would walk them again and again and free nothing.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _parse_file(path: str, raw: bytes) -> SourceFile:
    text = _decode(raw)
    source = SourceFile(path, text, ast.parse(text), module_name(path))
    # Before the index, so that calls in dead code are in no table.
    remove_dead_code(source.tree)
    index_source(source)
    return source


def _decode(raw: bytes) -> str:
    """Return the text that Python would read.

    Raises SyntaxError for an encoding that serves to mislead a reader.
    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
    # `utf8` and `l1` are other names of the same.
    if codecs.lookup(encoding).name not in SAFE_ENCODINGS:
        message = f"its encoding cookie names {encoding}, which can hide code from a reader"
        raise SyntaxError(message)
    return raw.decode(encoding)


def _reason(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        position = f" (line {error.lineno})" if error.lineno else ""
        return f"it does not parse: {error.msg}{position}"
    if isinstance(error, UnicodeDecodeError):
        return "it is not in the encoding it declares"
    if isinstance(error, ValueError):
        return f"it does not parse: {error}"
    return "it is nested too deeply, or too large, to be parsed"
