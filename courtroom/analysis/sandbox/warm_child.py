"""Confined child that stays for the next request, where its start costs more than its work.

Each request is answered by a fork of the child, with a processor limit of its own, which alone
reads what is hostile, may start no process and is gone before the next request. Whatever it does
but answer ends the child; the caller then asks an ordinary one, which says why.
"""

from __future__ import annotations

import json
import secrets
import subprocess
from collections.abc import Mapping
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


class WarmChild:
    """One child per process of ours, started at the first request and again after it has ended.

    `module` has a function `answer_content(request, content)`, plain JSON but for the bytes.
    """

    def __init__(self, module: str) -> None:
        self._module = module
        self._turn = Lock()
        self._child: Child | None = None
        self._limits: ChildLimits | None = None

    def answer(
        self, request: Mapping[str, Any], content: bytes, *, limits: ChildLimits
    ) -> dict[str, Any] | None:
        """Return the answer; None when there is none in time. Raises the module's CourtroomError."""
        if not self._turn.acquire(timeout=TURN_SECONDS):
            return None

        try:
            reply = self._reply(request, content, limits)
        except (OSError, ValueError):
            self.end()
            return None
        finally:
            self._turn.release()

        return answer_in(reply)

    def end(self) -> None:
        """End the child and everything it started."""
        if self._child is not None:
            self._child.end()
            self._child = None

    def _reply(
        self, request: Mapping[str, Any], content: bytes, limits: ChildLimits
    ) -> dict[str, Any]:
        """Return the reply. Raises OSError or ValueError when none comes."""
        child = self._running(limits)
        assert child.stdin and child.stdout  # noqa: S101, PT018 -- both were opened as pipes
        name = secrets.token_hex(8)
        head = {"name": name, "size": len(content), "request": dict(request)}

        deadline = Timer(min(limits.wall_seconds, ANSWER_SECONDS), child.kill)
        deadline.start()
        try:
            child.stdin.write(json.dumps(head).encode() + b"\n")
            child.stdin.write(content)
            child.stdin.flush()
            reply: dict[str, Any] = json.loads(child.stdout.readline(limits.output_bytes))
        finally:
            deadline.cancel()

        if reply.pop("name", None) != name:
            raise ValueError("an answer to another request")
        return reply

    def _running(self, limits: ChildLimits) -> Child:
        if self._child is not None and (self._child.poll() is not None or self._limits != limits):
            self.end()

        if self._child is None:
            compile_for_children()
            paths = python_paths()
            self._limits = limits
            self._child = start_child(
                ["stay"],
                limits,
                reach=Reach(reads=tuple(map(Path, paths))),
                errors=subprocess.DEVNULL,
            )
            assert self._child.stdin  # noqa: S101 -- it was opened as a pipe
            envelope = {"module": self._module, "paths": paths}
            self._child.stdin.write(json.dumps(envelope).encode() + b"\n")
        return self._child
