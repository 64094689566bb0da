"""Read many hostile files in one confined child, each in a fork of its own.

Most of a child's processor time is its start. A fork has the child's limits, and one that dies
costs the others nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar
from unittest import mock

from courtroom.analysis.sandbox.forked import ForkFailed, run_forked
from courtroom.analysis.sandbox.sandbox import ChildLimits, answer_in, examine
from courtroom.models.errors import ChildFailed, CourtroomError

T = TypeVar("T")


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Answer the requests by path, in the child."""
    module = importlib.import_module(request["module"])
    return {
        path: _reply(module, part, request["cpu_seconds"])
        for path, part in request["requests"].items()
    }


def _reply(module: ModuleType, request: dict[str, Any], cpu_seconds: int) -> dict[str, Any]:
    def work() -> dict[str, Any]:
        try:
            return {"answer": module.answer(request)}
        except CourtroomError as error:
            return {"error": [type(error).__name__, error.code, error.message]}

    try:
        reply: dict[str, Any] = run_forked(work, cpu_seconds=cpu_seconds)
    except ForkFailed as failed:
        return {"error": [ChildFailed.__name__, "child_died", str(failed)]}
    return reply


class _Later(Exception):
    """The request is noted, and will be answered with the others."""


class _SharedChild:
    def __init__(self) -> None:
        self.replies: dict[str, Any] = {}
        self._noted: dict[str, Any] = {}
        self._module = ""
        self._limits: ChildLimits | None = None

    def examine(
        self,
        module: str,
        request: Mapping[str, Any],
        *,
        limits: ChildLimits,
        reads: tuple[Path, ...],
    ) -> dict[str, Any]:
        """Note the request the first time, and return its answer the second time."""
        path = str(reads[0])
        if path not in self.replies:
            self._module, self._limits, self._noted[path] = module, limits, request
            raise _Later
        return answer_in(self.replies[path])

    def answer_all(self) -> None:
        limits = self._limits
        assert limits is not None
        count = len(self._noted)
        work = {
            "module": self._module,
            "requests": self._noted,
            "cpu_seconds": limits.cpu_seconds,
        }
        self.replies = examine(
            __name__,
            work,
            limits=replace(limits, output_bytes=count * limits.output_bytes),
            reads=tuple(map(Path, self._noted)),
        )


def read_together(module: ModuleType, read: Callable[[Path], T], paths: Sequence[Path]) -> list[T]:
    """Return `read(path)` for each path; one child answers what `module` examines meanwhile."""
    if len(paths) == 1:
        return [read(paths[0])]

    child = _SharedChild()
    with mock.patch.object(module, "examine", child.examine):
        for path in paths:
            try:
                read(path)
            except _Later:
                continue
        child.answer_all()
        return [read(path) for path in paths]
