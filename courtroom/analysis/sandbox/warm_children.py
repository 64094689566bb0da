"""Children that stay, for requests at the same time: a child answers one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Any

from courtroom.analysis.sandbox.child_io import ChildLimits
from courtroom.analysis.sandbox.warm_child import WarmChild


class WarmChildren:
    """Children with the same readers, which only `prepare` starts. Each request gets a free one.

    `turn_seconds` bounds the wait for it.
    """

    def __init__(
        self,
        count: int,
        modules: Sequence[str],
        *,
        fork_seconds: int,
        answer_seconds: float,
        turn_seconds: float,
    ) -> None:
        self._children = tuple(
            WarmChild(
                modules,
                fork_seconds=fork_seconds,
                answer_seconds=answer_seconds,
                starts_on_request=False,
            )
            for _ in range(count)
        )
        self._turn_seconds = turn_seconds
        self._free: SimpleQueue[WarmChild] = SimpleQueue()
        for child in self._children:
            self._free.put(child)

    @property
    def is_ready(self) -> bool:
        """Return whether no child is missing: one that gave no answer has ended."""
        return all(child.is_ready for child in self._children)

    def prepare(self, limits: ChildLimits) -> None:
        """Have all ready, for processes that this one forks later: they cannot start one."""
        for child in self._children:
            child.prepare(limits)

    def answer(
        self, module: str, request: Mapping[str, Any], content: bytes, *, limits: ChildLimits
    ) -> dict[str, Any] | None:
        """Return the answer; None where none comes in time. Raises the module's CourtroomError."""
        with self.taken() as child:
            if child is None:
                return None
            return child.answer(module, request, content, limits=limits)

    @contextmanager
    def taken(self) -> Iterator[WarmChild | None]:
        """Hold a child that is free; None where none becomes free in time."""
        try:
            child = self._free.get(timeout=self._turn_seconds)
        except Empty:
            yield None
            return

        try:
            yield child
        finally:
            self._free.put(child)

    def end(self) -> None:
        """End all of them and everything they started."""
        for child in self._children:
            child.end()
