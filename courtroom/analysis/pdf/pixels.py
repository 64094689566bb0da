"""Reduce a decoded image to a grid of cells: one byte for a colour or an edge.

All steps work on whole images as large integers, so that two million pixels take a tenth of a
second. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass

EDGE = 0
# Cells along the longer side. Lines of a diagram survive as edges, and its boxes stay wider than
# ten cells.
MOST_CELLS = 640
_FIRST_OF_BYTE = bytes([EDGE + 1, *range(1, 256)])
_SET_IF_ANY = bytes([0] + [255] * 255)


def _quantise(bits: int, shift: int) -> bytes:
    """Return a translation table: keep a channel's highest `bits`, shifted right by `shift`."""
    mask = (0xFF << (8 - bits)) & 0xFF
    return bytes((value & mask) >> shift for value in range(256))


# Three bits of red and green and two of blue: tints of one box become equal, while box and line
# stay different.
_RED, _GREEN, _BLUE = _quantise(3, 0), _quantise(3, 3), _quantise(2, 6)


@dataclass(frozen=True, slots=True)
class Cells:
    """Rows from the top, of `width` bytes: EDGE where colours meet, any other value is a colour."""

    data: bytes
    width: int
    height: int

    def row(self, y: int) -> bytes:
        return self.data[y * self.width : (y + 1) * self.width]


def cells_of(samples: bytes, width: int, height: int) -> Cells | None:
    """Convert 8-bit RGB or single-channel samples; None when their number does not fit the size."""
    if len(samples) == 3 * width * height:
        cells = Cells(_mix_channels(samples), width, height)
    elif len(samples) == width * height:
        cells = Cells(samples.translate(_FIRST_OF_BYTE), width, height)
    else:
        return None

    while max(cells.width, cells.height) > MOST_CELLS:
        cells = _halved(cells)
    return cells


def _number(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _mix_channels(samples: bytes) -> bytes:
    channels = [
        samples[index::3].translate(table) for index, table in enumerate((_RED, _GREEN, _BLUE))
    ]
    mixed = _number(channels[0]) | _number(channels[1]) | _number(channels[2])
    return mixed.to_bytes(len(samples) // 3, "big").translate(_FIRST_OF_BYTE)


def _merge(first: bytes, second: bytes) -> bytes:
    """Return, cell by cell, the common colour, or EDGE where the two differ."""
    size = len(first)
    left, right = _number(first), _number(second)
    differs = _number((left ^ right).to_bytes(size, "big").translate(_SET_IF_ANY))
    return (left & ~differs).to_bytes(size, "big")


def _halved(cells: Cells) -> Cells:
    """Merge every two by two cells into one. An odd last row or column is dropped."""
    width, height = cells.width // 2, cells.height // 2
    rows = [cells.row(y)[: 2 * width] for y in range(2 * height)]
    merged = _merge(b"".join(rows[0::2]), b"".join(rows[1::2]))
    return Cells(_merge(merged[0::2], merged[1::2]), width, height)
