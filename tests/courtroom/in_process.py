"""Run the code that reads untrusted bytes in the test's own process, and git without a sandbox.

A confined child starts in about 0.2 s, hundreds of times in a run; a confined git takes five times
the processor time of git alone. Confinement itself is tested by tests/courtroom/analysis/sandbox,
by tests/hostile and by the tests marked `processes`.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import subprocess
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from courtroom.analysis import survey, warm_readers
from courtroom.analysis.git import git_process
from courtroom.analysis.pdf import page_rendering, read_pdf
from courtroom.analysis.prompt_injection import repository_text
from courtroom.analysis.sandbox.bubblewrap import bare_environment
from courtroom.analysis.sandbox.child_io import Child, ChildLimits, Completed, converse
from courtroom.analysis.sandbox.sandbox import examine, run_confined
from courtroom.analysis.sandbox.warm_child import WarmChild
from courtroom.analysis.warm_readers import prepare_readers
from courtroom.exhibits import outline

# The modules that hand bytes to a confined child.
READERS = (survey, repository_text, read_pdf, page_rendering, outline)
# Those that stay, as a test of a worker or a command may have left them; and none.
WARM, NOT_READY = warm_readers._READERS, WarmChild((), starts_on_request=False)
# An audit reads in several threads, and patches of one process are undone in their order.
ONE_READER = threading.Lock()


def read_in_process(patch: Any) -> None:
    for reader in READERS:
        patch.setattr(reader, "examine", answer_in_process)
    patch.setattr(warm_readers, "prepare_readers", lambda: None)
    patch.setattr(warm_readers, "_READERS", NOT_READY)
    patch.setattr(git_process, "run_confined", run_unconfined)


def read_in_child(patch: Any) -> None:
    for reader in READERS:
        patch.setattr(reader, "examine", examine)
    patch.setattr(warm_readers, "prepare_readers", prepare_readers)
    patch.setattr(warm_readers, "_READERS", WARM)
    patch.setattr(git_process, "run_confined", run_confined)


def answer_in_process(
    module: str, request: Mapping[str, Any], *, limits: ChildLimits, reads: tuple[Path, ...] = ()
) -> dict[str, Any]:
    """Answer as the child does, with JSON in both directions; the limits do not hold."""
    reader = importlib.import_module(module)
    document = json.loads(json.dumps(dict(request)))
    with ONE_READER, restored_process():
        answer: dict[str, Any] = json.loads(json.dumps(reader.answer(document)))
    return answer


def run_unconfined(
    argv: Sequence[str],
    *,
    limits: ChildLimits,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    reach: object = None,
    watch: Callable[[], None] | None = None,
    descriptors: tuple[int, ...] = (),
) -> Completed:
    """Run a program as the sandbox does; of the limits only deadline and output hold."""
    child = Child(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**bare_environment(), **(env or {})},
        start_new_session=True,
        pass_fds=descriptors,
    )
    return converse(child, limits, stdin, watch)


@contextmanager
def restored_process() -> Iterator[None]:
    """Undo what a child may change in its own process: variables, warnings, the collector.

    Processor time starts at 0, as in a child: readers of PDFs stop at a limit of it.
    """
    collects = gc.isenabled()
    with mock.patch.dict(os.environ), warnings.catch_warnings(), _clock_from_zero():
        try:
            yield
        finally:
            if collects:
                gc.enable()


@contextmanager
def _clock_from_zero() -> Iterator[None]:
    clock, begun = time.process_time, time.process_time()
    with mock.patch.object(time, "process_time", side_effect=lambda: clock() - begun):
        yield
