"""Memory of a test process that moves to large pages."""

from __future__ import annotations

from tests.large_pages import anonymous_memory

MEMORY_MAP = """\
00400000-00401000 r--p 00000000 fe:00 9 /usr/bin/python3.11
00a00000-00b00000 rw-p 00600000 fe:00 9 /usr/bin/python3.11
01c00000-02c00000 rw-p 00000000 00:00 0 [heap]
7f0000000000-7f0000400000 rw-p 00000000 00:00 0
7f0000400000-7f0000401000 ---p 00000000 00:00 0
7f0000500000-7f0000600000 rw-s 00000000 00:01 7 /memfd:shared (deleted)
7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0 [stack]
"""


def test_writable_memory_of_no_file_is_chosen_without_the_stack() -> None:
    assert list(anonymous_memory(MEMORY_MAP)) == [
        (0x01C00000, 0x02C00000),
        (0x7F0000000000, 0x7F0000400000),
    ]
