"""Compiled modules for the children, which could not keep what they compile (0.3 s)."""

from __future__ import annotations

import compileall
from functools import cache
from pathlib import Path


@cache
def compile_for_children() -> None:
    """Compile this package once in a process; where nothing may be written, go without."""
    compileall.compile_dir(Path(__file__).parents[1], quiet=2)
