"""Child that stays for the next request: its forks answer, leave nothing, and may fail."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from courtroom.analysis.sandbox import warm_child
from courtroom.analysis.sandbox.bubblewrap import bubblewrap
from courtroom.analysis.sandbox.sandbox import ChildLimits
from courtroom.analysis.sandbox.warm_child import WarmChild
from courtroom.analysis.sandbox.warm_children import WarmChildren
from courtroom.models.errors import PdfRefused
from tests.waiting import eventually

pytestmark = pytest.mark.processes

MEBIBYTE = 1024 * 1024
LIMITS = ChildLimits(
    memory_bytes=256 * MEBIBYTE,
    cpu_seconds=5,
    file_bytes=0,
    wall_seconds=10,
    output_bytes=MEBIBYTE,
)
WITNESS_NAME = "warm_witness"
WITNESS = """
import os, subprocess, threading, time
from courtroom.models.errors import PdfRefused

kept = []

def answer_content(request, content):
    kept.append(content)
    return {"value": globals()[request["do"]](content)}

def size(content): return len(content)
def keep(content): return [item.decode() for item in kept]
def processes(content): return [os.getpid(), os.getppid()]
def refuse(content): raise PdfRefused("pdf_encrypted", "It is locked.")
def crash(content): raise KeyError("x")
def leave(content): os._exit(0)
def hang(content): time.sleep(60)
def burn(content):
    while True: pass
def hoard(content): return len([0] * 10**9)
def write(content): open("/tmp/left", "w").write("x" * 10)
def read_on(content): return os.read(0, 1)
def forge(content):
    line = b'{"name": "guess", "answer": {"value": 1}}\\n'
    with open(f"/proc/{os.getppid()}/fd/3", "wb", buffering=0) as answers: answers.write(line)
    return 0
def fork(content): return refused(os.fork)
def spawn(content): return refused(lambda: subprocess.run(["true"]))
def thread(content): return refused(threading.Thread(target=print).start)
def memory(content): return refused(lambda: open(f"/proc/{os.getppid()}/mem", "rb"))
def name(content): return [refused(lambda: os.mkdir(f"{folder}/left")) for folder in ("/tmp", "/dev/shm")]

def refused(deed):
    try:
        deed()
    except (OSError, RuntimeError) as error:
        return type(error).__name__
"""


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WarmChild]:
    (tmp_path / "warm_witness.py").write_text(WITNESS)
    monkeypatch.syspath_prepend(str(tmp_path))
    child = WarmChild((WITNESS_NAME,), answer_seconds=LIMITS.wall_seconds)
    yield child
    child.end()


def _value(
    child: WarmChild | WarmChildren, deed: str, content: bytes = b"", limits: ChildLimits = LIMITS
) -> Any:
    reply = child.answer(WITNESS_NAME, {"do": deed}, content, limits=limits)
    return None if reply is None else reply["value"]


def test_request_of_any_size_is_answered(child: WarmChild) -> None:
    assert [_value(child, "size", b"\n" * size) for size in (0, 1, 5 * MEBIBYTE, 2)] == [
        0,
        1,
        5 * MEBIBYTE,
        2,
    ]


def test_each_request_has_a_process_of_its_own_in_one_child(child: WarmChild) -> None:
    (first, parent), (second, same_parent) = _value(child, "processes"), _value(child, "processes")
    assert (first != second, parent == same_parent) == (True, True)


def test_memory_of_one_request_is_not_in_the_next(child: WarmChild) -> None:
    assert [_value(child, "keep", content) for content in (b"one", b"two")] == [["one"], ["two"]]


def test_refusal_is_raised_and_the_child_stays(child: WarmChild) -> None:
    _, before = _value(child, "processes")
    with pytest.raises(PdfRefused) as refused:
        _value(child, "refuse")
    assert (refused.value.code, _value(child, "processes")[1]) == ("pdf_encrypted", before)


@pytest.mark.parametrize("deed", ["crash", "leave", "hang", "burn", "write", "read_on", "forge"])
def test_request_without_an_answer_ends_the_child_and_the_next_gets_a_new_one(
    child: WarmChild, monkeypatch: pytest.MonkeyPatch, deed: str
) -> None:
    limits = replace(LIMITS, wall_seconds=1)
    assert (_value(child, deed, limits=limits), _value(child, "size", b"xy")) == (None, 2)


@pytest.mark.parametrize(
    ("deed", "refusal"),
    [("fork", "PermissionError"), ("spawn", "PermissionError"), ("thread", "RuntimeError")],
)
def test_request_starts_no_process(child: WarmChild, deed: str, refusal: str) -> None:
    assert _value(child, deed) == refusal


@pytest.mark.skipif(
    bubblewrap() is None, reason="bubblewrap is not installed, and without it root reads any memory"
)
def test_request_reads_no_memory_of_its_child_and_leaves_no_name(child: WarmChild) -> None:
    assert (_value(child, "memory"), _value(child, "name")) == ("PermissionError", ["OSError"] * 2)


def test_process_that_was_forked_later_asks_the_same_child(child: WarmChild) -> None:
    child.prepare(LIMITS)
    _, parent = _value(child, "processes")
    assert _status_of_fork(lambda: _value(child, "processes")[1] == parent) == 0
    assert _value(child, "processes")[1] == parent


def test_child_whose_asker_was_killed_is_replaced(child: WarmChild) -> None:
    child.prepare(LIMITS)
    asker = os.fork()
    if not asker:
        _value(child, "hang")
        os._exit(0)
    eventually(lambda: child._is_asked[0])
    os.kill(asker, 9)
    os.waitpid(asker, 0)
    child.prepare(LIMITS)
    assert _value(child, "size", b"xy") == 2


def test_forked_process_starts_no_child_in_place_of_one_that_failed() -> None:
    child = WarmChild(("no_such_module",), starts_on_request=False)
    child.prepare(LIMITS)
    assert [child.answer("no_such_module", {}, b"", limits=LIMITS) for _ in range(2)] == [None] * 2
    assert not child.is_ready


def _status_of_fork(is_so: Callable[[], bool]) -> int:
    process = os.fork()
    if not process:
        os._exit(0 if is_so() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def test_request_above_the_memory_limit_is_a_typed_failure(child: WarmChild) -> None:
    with pytest.raises(Exception, match="more memory than allowed"):
        _value(child, "hoard")


def test_child_that_was_killed_is_replaced(child: WarmChild) -> None:
    assert _value(child, "size") == 0
    assert child._child is not None
    os.killpg(child._child.pid, 9)
    child._child.wait()
    assert _value(child, "size", b"x") == 1


def test_module_that_cannot_be_imported_gives_no_answer() -> None:
    child = WarmChild(("no_such_module",))
    assert child.answer("no_such_module", {}, b"", limits=LIMITS) is None


def test_other_limits_start_another_child(child: WarmChild) -> None:
    _, first = _value(child, "processes")
    group = child._child.pid if child._child else 0
    _value(child, "processes", limits=replace(LIMITS, memory_bytes=200 * MEBIBYTE))
    assert child._child is not None
    assert (first > 0, child._child.pid != group) == (True, True)


def test_requests_of_many_threads_get_their_own_answers(
    child: WarmChild, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_child, "TURN_SECONDS", 30.0)
    with ThreadPoolExecutor(8) as pool:
        sizes = pool.map(lambda size: _value(child, "size", b"x" * size), range(40))
        assert list(sizes) == list(range(40))


def test_request_without_a_turn_in_time_gets_no_answer(
    child: WarmChild, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm_child, "TURN_SECONDS", 0.0)
    with child._turn:
        assert _value(child, "size") is None


@pytest.fixture
def pair(child: WarmChild) -> Iterator[WarmChildren]:
    pair = WarmChildren(
        2, (WITNESS_NAME,), fork_seconds=2, answer_seconds=LIMITS.wall_seconds, turn_seconds=0.1
    )
    pair.prepare(LIMITS)
    yield pair
    pair.end()


def test_request_beside_another_gets_the_other_child(pair: WarmChildren) -> None:
    with pair.taken() as first:
        assert _value(pair, "size", b"xy") == 2
        with pair.taken() as second:
            assert first is not second
            assert _value(pair, "size", b"xy") is None


def test_pair_whose_request_went_unanswered_is_not_ready_until_it_is_prepared(
    pair: WarmChildren,
) -> None:
    assert (pair.is_ready, _value(pair, "crash"), pair.is_ready) == (True, None, False)
    pair.prepare(LIMITS)
    assert (pair.is_ready, [_value(pair, "size", b"xy") for _ in range(2)]) == (True, [2, 2])
