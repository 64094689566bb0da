"""A decoded image made small enough to be understood: one byte per cell, a colour or an edge. Standard library only.

All steps work on whole images as large integers, so that two million pixels cost a tenth of a second.
"""

from __future__ import annotations

from dataclasses import dataclass

EDGE = 0
# Cells along the longer side: lines of a diagram survive as edges, its boxes stay wider than ten cells.
MOST_CELLS = 640
_FIRST_OF_BYTE = bytes([EDGE + 1, *range(1, 256)])
_SET_IF_ANY = bytes([0] + [255] * 255)


def _kept(bits: int, shift: int) -> bytes:
    """A table that keeps a channel's `bits` highest bits and moves them down by `shift`."""
    mask = (0xFF << (8 - bits)) & 0xFF
    return bytes((value & mask) >> shift for value in range(256))


# Three bits of red and green and two of blue: the tints of one box fall together, box and line stay apart.
_RED, _GREEN, _BLUE = _kept(3, 0), _kept(3, 3), _kept(2, 6)


@dataclass(frozen=True, slots=True)
class Cells:
    """Rows from the top, `width` bytes each; EDGE where colours meet, any other value is a colour."""

    data: bytes
    width: int
    height: int

    def row(self, y: int) -> bytes:
        return self.data[y * self.width : (y + 1) * self.width]


def cells_of(samples: bytes, width: int, height: int) -> Cells | None:
    """From 8-bit RGB or single-channel samples; None when there are more or fewer samples than that."""
    if len(samples) == 3 * width * height:
        cells = Cells(_mixed(samples), width, height)
    elif len(samples) == width * height:
        cells = Cells(samples.translate(_FIRST_OF_BYTE), width, height)
    else:
        return None
    while max(cells.width, cells.height) > MOST_CELLS:
        cells = _halved(cells)
    return cells


def _number(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _mixed(samples: bytes) -> bytes:
    channels = [
        samples[index::3].translate(table) for index, table in enumerate((_RED, _GREEN, _BLUE))
    ]
    mixed = _number(channels[0]) | _number(channels[1]) | _number(channels[2])
    return mixed.to_bytes(len(samples) // 3, "big").translate(_FIRST_OF_BYTE)


def _joined(one: bytes, other: bytes) -> bytes:
    """Cell by cell: the common colour, or EDGE where the two differ."""
    size = len(one)
    left, right = _number(one), _number(other)
    differs = _number((left ^ right).to_bytes(size, "big").translate(_SET_IF_ANY))
    return (left & ~differs).to_bytes(size, "big")


def _halved(cells: Cells) -> Cells:
    """Each two by two cells become one; an odd last row or column is dropped."""
    width, height = cells.width // 2, cells.height // 2
    rows = [cells.row(y)[: 2 * width] for y in range(2 * height)]
    upright = _joined(b"".join(rows[0::2]), b"".join(rows[1::2]))
    return Cells(_joined(upright[0::2], upright[1::2]), width, height)
