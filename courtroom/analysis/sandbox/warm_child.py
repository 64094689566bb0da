"""Confined child that stays for the next request, where its start costs more than its work.

Each request is answered by a fork of the child, with a processor limit of its own, which alone
reads what is hostile, may start no process and is gone before the next request. Whatever it does
but answer ends the child; the caller then asks an ordinary one, which says why.
"""

from __future__ import annotations

import json
import mmap
import os
import secrets
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock, Timer
from typing import Any

from courtroom.analysis.sandbox.bubblewrap import Reach
from courtroom.analysis.sandbox.child_io import Child, ChildLimits
from courtroom.analysis.sandbox.sandbox import (
    answer_in,
    compile_for_children,
    python_paths,
    start_child,
)

# A request that takes longer is for an ordinary child; so is one that waits longer for its turn.
ANSWER_SECONDS, TURN_SECONDS = 3.0, 0.5
# Processor time of a fork.
FORK_SECONDS = 2


class WarmChild:
    """One child per process of ours, started at the first request and again after it has ended.

    Each of `modules` has a function `answer_content(request, content)`, plain JSON but for the
    bytes, and may have `preload()`. Without `starts_on_request`, only `prepare` starts it.
    """

    def __init__(
        self,
        modules: Sequence[str],
        *,
        fork_seconds: int = FORK_SECONDS,
        answer_seconds: float = ANSWER_SECONDS,
        starts_on_request: bool = True,
    ) -> None:
        self._modules = tuple(modules)
        self._fork_seconds, self._answer_seconds = fork_seconds, answer_seconds
        self._starts_on_request = starts_on_request
        self._turn = Lock()
        self._child: Child | None = None
        self._starter = 0
        self._limits: ChildLimits | None = None
        # Set while a request is open; shared with the processes that this one forks.
        self._is_asked = mmap.mmap(-1, 1)

    @property
    def is_ready(self) -> bool:
        return self._child is not None or self._starts_on_request

    def prepare(self, limits: ChildLimits) -> None:
        """Have a child ready, for processes that this one forks later: they cannot start one.

        One whose request was never answered, as the process that asked was killed, is replaced.
        """
        if self._is_asked[0] or self._has_ended():
            self.end()
        if self._child is None:
            self._start(limits)

    def answer(
        self, module: str, request: Mapping[str, Any], content: bytes, *, limits: ChildLimits
    ) -> dict[str, Any] | None:
        """Return the answer; None where none comes in time. Raises the module's CourtroomError."""
        if not self._turn.acquire(timeout=TURN_SECONDS):
            return None

        try:
            child = self._running(limits)
            reply = self._reply(child, module, request, content, limits) if child else None
        except (OSError, ValueError):
            self.end()
            return None
        finally:
            self._turn.release()

        return None if reply is None else answer_in(reply)

    def end(self) -> None:
        """End the child and everything it started."""
        if self._child is not None:
            self._child.end()
            self._child = None
        self._is_asked[0] = 0

    def _reply(
        self,
        child: Child,
        module: str,
        request: Mapping[str, Any],
        content: bytes,
        limits: ChildLimits,
    ) -> dict[str, Any]:
        """Return the reply. Raises OSError or ValueError when none comes."""
        assert child.stdin and child.stdout  # noqa: S101, PT018 -- both were opened as pipes
        name = secrets.token_hex(8)
        document = json.dumps(dict(request)).encode()
        head = {"name": name, "module": module, "sizes": [len(document), len(content)]}

        deadline = Timer(min(limits.wall_seconds, self._answer_seconds), child.kill)
        deadline.start()
        self._is_asked[0] = 1
        try:
            child.stdin.write(json.dumps(head).encode() + b"\n")
            child.stdin.write(document)
            child.stdin.write(content)
            child.stdin.flush()
            reply_head = json.loads(child.stdout.readline(len(name) + 100))
            if reply_head["name"] != name or reply_head["size"] > limits.output_bytes:
                raise ValueError("an answer to another request, or one that is too long")
            reply: dict[str, Any] = json.loads(child.stdout.read(reply_head["size"]))
        finally:
            deadline.cancel()

        self._is_asked[0] = 0
        return reply

    def _running(self, limits: ChildLimits) -> Child | None:
        """Return a child with these limits; `_reply` bounds its output."""
        is_other = self._limits is not None and not _are_alike(self._limits, limits)
        if not self._starts_on_request:
            return None if is_other else self._child

        if self._has_ended() or is_other:
            self.end()
        return self._child or self._start(limits)

    def _has_ended(self) -> bool:
        # A process that was forked since is not its parent: only a pipe tells it of the end.
        is_parent = self._starter == os.getpid()
        return self._child is not None and is_parent and self._child.poll() is not None

    def _start(self, limits: ChildLimits) -> Child:
        compile_for_children()
        paths = python_paths()
        child = start_child(
            ["stay"],
            limits,
            reach=Reach(reads=tuple(map(Path, paths)), is_sealed=True),
            errors=subprocess.DEVNULL,
        )
        self._child, self._starter, self._limits = child, os.getpid(), limits
        assert child.stdin  # noqa: S101 -- it was opened as a pipe
        envelope = {"modules": self._modules, "paths": paths, "seconds": self._fork_seconds}
        child.stdin.write(json.dumps(envelope).encode() + b"\n")
        child.stdin.flush()
        return child


def _are_alike(limits: ChildLimits, present: ChildLimits) -> bool:
    return replace(limits, wall_seconds=0, output_bytes=0) == replace(
        present, wall_seconds=0, output_bytes=0
    )
