"""Reduce a decoded image to a grid of cells: one byte for a colour or an edge.

All steps work on whole images as large integers, so that two million pixels take a tenth of a
second. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import and_, or_

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


# Neighbouring pixels that differ by this in a channel are an edge, by less than half of it are none.
_STEP = 20
# Two scales, half a step apart: only one of them can part two values that are close.
_SCALES = tuple(
    bytes((value + offset) // _STEP for value in range(256)) for offset in (0, _STEP // 2)
)
_EDGE_IF_ANY = bytes([EDGE + 1] + [EDGE] * 255)
# Rows that are compared at once: bounds the memory.
_BAND = 256
_RGB = 3

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
    if len(samples) == _RGB * width * height:
        return _reduced(Cells(_mix_channels(samples), width, height))
    if len(samples) == width * height:
        return _reduced(Cells(samples.translate(_FIRST_OF_BYTE), width, height))
    return None


def outlines_of(samples: bytes, width: int, height: int) -> Cells:
    """Convert samples that `cells_of` takes: EDGE where neighbours differ clearly, else one colour.

    So pale and dashed borders are closed, and shades of one fill are no edge.
    """
    channels = len(samples) // (width * height)
    bands = (
        _edges(samples, top, min(top + _BAND, height), width * channels, channels)
        for top in range(0, height, _BAND)
    )
    return _reduced(Cells(b"".join(bands), width, height))


def _reduced(cells: Cells) -> Cells:
    while max(cells.width, cells.height) > MOST_CELLS:
        cells = _halved(cells)
    return cells


def _edges(samples: bytes, top: int, bottom: int, row: int, channels: int) -> bytes:
    """Return the cells of these rows: pixels are compared with those on the right and below."""
    here = samples[top * row : bottom * row]
    below = samples[(top + 1) * row : (bottom + 1) * row]
    # Below the last row, it stands for the next.
    below += here[len(below) :]
    right = here[channels:] + here[-channels:]
    differs = (_differing(here, below) | _differing(here, right)).to_bytes(len(here), "big")
    in_any = reduce(or_, (_number(differs[index::channels]) for index in range(channels)))
    return in_any.to_bytes(len(here) // channels, "big").translate(_EDGE_IF_ANY)


def _differing(first: bytes, second: bytes) -> int:
    """Return 255 for every sample that differs on both scales."""
    return reduce(and_, (_changed(first.translate(s), second.translate(s)) for s in _SCALES))


def _changed(first: bytes, second: bytes) -> int:
    changes = _number(first) ^ _number(second)
    return _number(changes.to_bytes(len(first), "big").translate(_SET_IF_ANY))


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
    return (_number(first) & ~_changed(first, second)).to_bytes(len(first), "big")


def _halved(cells: Cells) -> Cells:
    """Merge every two by two cells into one. An odd last row or column is dropped."""
    width, height = cells.width // 2, cells.height // 2
    rows = [cells.row(y)[: 2 * width] for y in range(2 * height)]
    merged = _merge(b"".join(rows[0::2]), b"".join(rows[1::2]))
    return Cells(_merge(merged[0::2], merged[1::2]), width, height)
