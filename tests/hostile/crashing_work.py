"""Work for a confined child: forks that crash, or never end, beside one that answers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, NoReturn

from courtroom.analysis.sandbox.forked import ForkFailed, run_forked


def _overflow() -> Any:
    import ast_grep_py

    return ast_grep_py.SgRoot("", "python").root().find_all(pattern="f(" * 20_000 + ")" * 20_000)


def _never_end() -> None:
    for _ in count():
        pass


def _raise() -> NoReturn:
    raise MemoryError


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    works = {"overflow": _overflow, "never ends": _never_end, "raises": _raise, "ends": lambda: 7}
    return {name: _outcome(works[name]) for name in request["works"]}


def _outcome(work: Any) -> Any:
    try:
        return run_forked(work, cpu_seconds=1)
    except ForkFailed as failed:
        return str(failed)
