"""Compiled modules for the children: they may write no file, so without this each would compile them anew (0.3 s)."""

from __future__ import annotations

import compileall
from functools import cache
from pathlib import Path


@cache
def compile_for_children() -> None:
    """Bring the bytecode of this package up to date, once in a process; where nothing may be written, go without."""
    compileall.compile_dir(Path(__file__).parents[1], maxlevels=1, quiet=2)
