"""Large pages for the memory of a test process, which holds thousands of modules and tests.

Python reads it all over. On pages of 4 kB the processor spends a twentieth of the time of tests on
looking up where they lie.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterator
from pathlib import Path

MEMORY_MAP = Path("/proc/self/maps")
LARGE_PAGE = 2 * 1024 * 1024
# Linux 6.1; Python's mmap does not name it.
MADV_COLLAPSE = 25


def use_large_pages() -> None:
    """Move what the process holds now to pages of 2 MB; a system that has none changes nothing."""
    if not MEMORY_MAP.exists():
        return

    advise = ctypes.CDLL(None).madvise
    advise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    for start, end in list(anonymous_memory(MEMORY_MAP.read_text())):
        advise(start, end - start, mmap.MADV_HUGEPAGE)
        for page in range(-(-start // LARGE_PAGE) * LARGE_PAGE, end - LARGE_PAGE + 1, LARGE_PAGE):
            advise(page, LARGE_PAGE, MADV_COLLAPSE)


def anonymous_memory(memory_map: str) -> Iterator[tuple[int, int]]:
    """Yield beginning and end of each writable range that is of no file, without the stack."""
    for line in memory_map.splitlines():
        addresses, permissions, _offset, _device, inode, *name = line.split()
        if permissions.startswith("rw") and inode == "0" and name in ([], ["[heap]"]):
            start, end = (int(address, 16) for address in addresses.split("-"))
            yield start, end
