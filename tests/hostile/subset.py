"""Which cases `make test` runs and which only `make hostile` does."""

from __future__ import annotations

from typing import Any

import pytest


def chosen(*cases: Any, every: int = 1) -> list[Any]:
    """The cases as parameters, each by its name. The fast cut is every such one that is not `full` by itself."""
    marks = [
        [] if n % every == 0 and not case.full else [pytest.mark.hostile_full]
        for n, case in enumerate(cases)
    ]
    return [
        pytest.param(case, id=case.name, marks=mark)
        for case, mark in zip(cases, marks, strict=True)
    ]
