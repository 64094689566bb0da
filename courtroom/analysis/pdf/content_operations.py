"""Parse the content stream of a page by one regular expression, where it is of the usual kind.

pypdf reads it byte by byte, which is half of the time that a page takes. What is not surely the
same to both is left to pypdf: a comment, an inline image, an array in an array, a character
that starts no token. Grammar: PDF 32000-1, 7.2 and 7.8.2.
"""

from __future__ import annotations

import re
from binascii import unhexlify
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from typing import Any

import pypdf
from pypdf.generic import (
    ArrayObject,
    ByteStringObject,
    ContentStream,
    FloatObject,
    NameObject,
    NumberObject,
    read_object,
)

Operation = tuple[list[Any], bytes]

# One token takes a byte at least: so many keep pypdf's own limit of tokens.
_MOST_BYTES = 2_000_000
# pypdf's limit for one array.
_MOST_ELEMENTS = 100_000
_STRINGS = "bytes"  # pypdf's name for strings that stay as they are
# A number has at most the 19 characters within which pypdf looks for its end. "R" alone ends a
# reference to another object, which a content stream may not have.
_TOKEN = re.compile(
    rb"""[\x00\t\n\f\r ]*(?:
    ([+-]?[0-9]{1,18})(?=[\x00\t\n\f\r /\[\]<(])
    |([+-]?(?:[0-9]{1,3}\.[0-9]{0,14}|[0-9]{4,9}\.[0-9]{0,8}|\.[0-9]{1,17}))
        (?=[\x00\t\n\f\r /\[\]<(])
    |((?!BI\b|R(?![A-Za-z]))[A-Za-z'"][A-Za-z0-9*]{0,9})(?=[\t\n\f\r /\[\]<(]|\Z)
    |(/[A-Za-z0-9_.+*-]{1,99})(?=[\t\n\f\r /\[\]<>(])
    |<((?:[0-9A-Fa-f]{2})*)>
    |\(([^()\\]*)\)
    |(\[)
    |(\])
    |([</(0-9.+-])
    |(\Z)
    )""",
    re.VERBOSE,
)
_INTEGER, _REAL, _OPERATOR, _NAME, _HEX, _LITERAL, _OPEN, _CLOSE, _OTHER, _END = range(1, 11)
_OBJECTS: dict[int | None, Callable[[bytes], Any]] = {
    # Past the checks of these classes, which the expression has made.
    _INTEGER: partial(int.__new__, NumberObject),
    _REAL: partial(float.__new__, FloatObject),
    _NAME: lambda name: NameObject(name.decode("ascii")),
    _HEX: lambda digits: ByteStringObject(unhexlify(digits)),
    _LITERAL: ByteStringObject,
}


class UnusualStream(Exception):
    """The stream has a part that is for pypdf to read."""


@contextmanager
def parsed_contents(page: pypdf.PageObject, reader: pypdf.PdfReader) -> Iterator[None]:
    """Give the page its content stream with the operations ready, as long as it is read.

    A stream that is unusual or damaged is left alone: pypdf reads it, and reports what is wrong.
    """
    key = NameObject("/Contents")
    stream = _parsed(page, reader)
    if stream is None:
        yield
        return

    original = page.raw_get(key)
    page[key] = stream
    try:
        yield
    finally:
        page[key] = original  # the operations of all pages would fill the memory


def _parsed(page: pypdf.PageObject, reader: pypdf.PdfReader) -> ContentStream | None:
    try:
        stream = ContentStream(page["/Contents"], reader, _STRINGS)
        stream.operations = operations_in(stream.get_data())
    except Exception:  # noqa: BLE001 -- pypdf meets the same fault again, and its caller records it
        return None
    return stream


def operations_in(data: bytes) -> list[Operation]:
    """Return operands and operator of each operation, as pypdf does. Raises for what it leaves."""
    if len(data) > _MOST_BYTES:
        raise UnusualStream
    operations: list[Operation] = []
    operands: list[Any] = []
    array: ArrayObject | None = None
    position = 0
    while token := _TOKEN.match(data, position):
        kind, position = token.lastindex, token.end()
        if make := _OBJECTS.get(kind):
            (operands if array is None else array).append(make(token[kind or 0]))
        elif kind == _OTHER:
            value, position = _other_object(data, token.start(_OTHER))
            (operands if array is None else array).append(value)
        elif kind == _CLOSE and array is not None and len(array) <= _MOST_ELEMENTS:
            operands.append(array)
            array = None
        elif array is not None:
            break
        elif kind == _OPERATOR:
            operations.append((operands, token[_OPERATOR]))
            operands = []
        elif kind == _OPEN:
            array = ArrayObject()
        elif kind == _END:
            return operations
        else:
            break
    raise UnusualStream


def _other_object(data: bytes, start: int) -> tuple[Any, int]:
    """Return what pypdf reads there, such as a string with escapes, and where it ends."""
    stream = BytesIO(data)
    stream.seek(start)
    value = read_object(stream, None, _STRINGS)
    return value, stream.tell()
