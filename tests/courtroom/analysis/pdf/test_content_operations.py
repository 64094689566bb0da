"""Content streams parsed by one expression, compared with pypdf's own reading."""

from __future__ import annotations

from typing import Any

import pytest
from pypdf.errors import PyPdfError
from pypdf.generic import ContentStream, DecodedStreamObject

from courtroom.analysis.pdf.content_operations import UnusualStream, operations_in

USUAL = (
    b"q 1 0 0 -1 54.5 -.00000095367432 cm\n/F7 14.666667 Tf<0015>Tj [(a) -250 (b\r\nc)]TJ ET Q",
    b"/P <</MCID 0/Kids[1 2 (x)]>>BDC (es\\(ca\\)ped \\101) ' EMC",
    b'/Text#20body gs\x0c\x00.8 RG +5. w (a) " f* /A /B',
    b"1 2-3 w 1,5 w",
    b"",
)
LEFT_TO_PYPDF = (
    b"q % comment\nQ",
    b"BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q",
    b"[[1 2] 3] TJ",
    b"[null (a)] TJ",
)
DAMAGED = (b"1 0 R Do", b"(open", b"<0g> Tj", b"} q")


def _by_pypdf(data: bytes) -> list[Any]:
    stream = DecodedStreamObject()
    stream.set_data(data)
    return ContentStream(stream, None, "bytes").operations


def _with_types(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return type(value), [_with_types(item) for item in value]
    if isinstance(value, dict):
        return [(_with_types(key), _with_types(item)) for key, item in value.items()]
    return type(value), value


@pytest.mark.parametrize("data", USUAL)
def test_usual_stream_is_read_as_pypdf_reads_it(data):
    assert _with_types(operations_in(data)) == _with_types(_by_pypdf(data))


@pytest.mark.parametrize("data", [*LEFT_TO_PYPDF, *DAMAGED])
def test_other_stream_is_left_to_pypdf(data):
    with pytest.raises((UnusualStream, PyPdfError, AssertionError)):
        operations_in(data)


@pytest.mark.parametrize("data", LEFT_TO_PYPDF)
def test_stream_that_is_left_is_one_that_pypdf_reads(data):
    assert _by_pypdf(data)
