"""What a child of a fork server may not do, how its ends are told, and what happens when the server goes."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from courtroom.analysis.sandbox import fork_client, sandbox
from courtroom.analysis.sandbox.bubblewrap import PROJECT_ROOT, bubblewrap
from courtroom.analysis.sandbox.sandbox import ChildLimits, examine_file
from courtroom.models.errors import ChildFailed, PdfRefused

MEBIBYTE = 1024 * 1024
LIMITS = ChildLimits(
    memory_bytes=256 * MEBIBYTE, cpu_seconds=5, file_bytes=0, wall_seconds=10, output_bytes=MEBIBYTE
)
# Counts its calls in the module: what one child leaves in memory, the next must not find.
WITNESS = """
import ctypes, fcntl, os, signal, socket, sys, threading, time
from courtroom.models.errors import PdfRefused

calls = []

def answer(request):
    calls.append(1)
    try:
        return {"said": globals()[request["do"]](request), "calls": len(calls), "forked": request["file"] == 3}
    except OSError as error:
        return {"said": error.strerror}

def read(request):
    with open(request["file"], "rb") as file:
        return file.read().decode()

def refuse(request): raise PdfRefused("pdf_encrypted", "It is locked.")
def hoard(request): return len([0] * 10**9)
def crash(request): raise KeyError("x")
def leave(request): os._exit(0)
def burn(request):
    while True: pass
def hang(request): time.sleep(60)
def hang_if_forked(request):
    os.close(os.open(request["path"], os.O_WRONLY))
    return request["file"] == 3 and time.sleep(60)
def flood(request): return "x" * 2**21
def environment(request): return sorted(set(os.environ) - {"PWD"})
def descriptors(request): return [n for n in range(64) if _is_open(n)]
def leads_a_session(request): return os.getsid(0) == os.getpid()
def connect(request): socket.socket()
def start(request): os.fork()
def run(request): os.execv("/bin/true", ["true"])
def kill_server(request): os.kill(os.getppid(), signal.SIGKILL)
def own_server(request): fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid())
def choose_signal(request): fcntl.fcntl(0, fcntl.F_SETSIG, signal.SIGKILL)
def slow_server(request): os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)
def idle_server(request): os.sched_setscheduler(os.getppid(), os.SCHED_IDLE, os.sched_param(0))
def bind_server(request): os.sched_setaffinity(os.getppid(), {0})
def leave_memory(request):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.shmget(0, 4096, 0o1600) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
def flag(request): return fcntl.fcntl(1, fcntl.F_SETFL, fcntl.fcntl(1, fcntl.F_GETFL))
def look(request): return os.path.exists(request["path"])
def write(request): os.write(os.open(request["path"], os.O_CREAT | os.O_WRONLY), b"x")
def make(request): os.mkdir(request["path"])
def trace(request): open(f"/proc/{os.getppid()}/mem", "rb").close() if os.getuid() else os.kill(os.getppid(), 0)

def thread(request):
    try:
        threading.Thread(target=print).start()
    except RuntimeError as error:
        return str(error)

def _is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
"""
NOT_PERMITTED = "Operation not permitted"
Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def bare(tmp_path, monkeypatch) -> Iterator[Ask]:
    """Asks a child of a fork server without bubblewrap, whose wrapper would stand between us and the server."""
    monkeypatch.setattr(fork_client, "bubblewrap", lambda: None)
    monkeypatch.setattr(sandbox, "bubblewrap", lambda: None)
    yield from _asking(tmp_path, monkeypatch)


@pytest.fixture
def walled(tmp_path, monkeypatch) -> Iterator[Ask]:
    """The same behind bubblewrap, where it works."""
    if bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    yield from _asking(tmp_path, monkeypatch)


@pytest.fixture(params=["bare", "walled"])
def ask(request) -> Ask:
    """Both, one after the other."""
    asking: Ask = request.getfixturevalue(request.param)
    return asking


def _asking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ask]:
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "witness.py").write_text(WITNESS)
    (tmp_path / "report").write_text("page one")
    monkeypatch.syspath_prepend(str(tmp_path / "modules"))

    def ask(do: str, limits: ChildLimits = LIMITS, **more: Any) -> dict[str, Any]:
        return examine_file("witness", tmp_path / "report", {"do": do, **more}, limits=limits)

    yield ask
    fork_client.dismiss_all()


def server_pid() -> int:
    """Of the one fork server that a test without walls has started."""
    children = Path(
        f"/proc/{os.getpid()}/task/{threading.main_thread().native_id}/children"
    ).read_text()
    return next(
        int(pid)
        for pid in children.split()
        if b"forkserver.py" in Path(f"/proc/{pid}/cmdline").read_bytes()
    )


@pytest.mark.parametrize(
    ("deed", "code"),
    [
        ("hoard", "child_memory"),
        ("crash", "child_died"),
        ("leave", "child_died"),
        ("flood", "child_output"),
    ],
)
def test_a_witness_that_fails_is_a_failure_of_ours(ask, deed, code):
    with pytest.raises(ChildFailed) as failed:
        ask(deed)
    assert failed.value.code == code
    assert ask("read")["said"] == "page one"


@pytest.mark.parametrize(
    ("deed", "limit"), [("hang", {"wall_seconds": 0.4}), ("burn", {"cpu_seconds": 1})]
)
def test_one_that_does_not_end_is_ended(ask, deed, limit):
    ask("read")
    with pytest.raises(ChildFailed) as failed:
        ask(deed, replace(LIMITS, **limit))
    assert failed.value.code == "child_timeout"


def test_an_error_raised_inside_comes_back_as_itself(ask):
    with pytest.raises(PdfRefused) as refused:
        ask("refuse")
    assert (refused.value.code, refused.value.message) == ("pdf_encrypted", "It is locked.")


REFUSED = "connect start run kill_server own_server choose_signal slow_server idle_server bind_server leave_memory"


@pytest.mark.parametrize("deed", REFUSED.split())
def test_it_opens_no_socket_starts_steers_and_signals_nobody_and_leaves_nothing_behind(ask, deed):
    assert ask(deed) == {"said": NOT_PERMITTED}


def test_what_else_is_asked_of_a_descriptor_is_allowed(ask):
    assert ask("flag")["said"] == 0


def test_it_reads_no_memory_of_the_server(ask):
    """As root, who may read all memory where no wall takes that away, the server is at least not to be signalled."""
    assert ask("trace")["said"] in (NOT_PERMITTED, "Permission denied")


def test_it_has_one_thread(ask):
    assert ask("thread")["said"] == "can't start new thread"


def test_it_writes_no_file(ask, tmp_path):
    told = ask("write", path=str(tmp_path / "new"))["said"]
    assert told in ("File too large", "Read-only file system", "No such file or directory")
    assert [path for path in tmp_path.glob("new") if path.stat().st_size] == []


def test_behind_bubblewrap_it_leaves_not_even_a_name_to_the_next(walled):
    assert [
        walled("make", path=f"{place}/new") for place in ("/tmp", "/run", "/dev/shm", "/dev")
    ] == [{"said": "Read-only file system"}] * 4


def test_it_has_its_three_pipes_and_the_file_in_a_session_of_its_own_without_our_environment(ask):
    # The answer is written through a copy of stdout, which is made once the file is there.
    assert ask("descriptors")["said"] == [0, 1, 2, 3, 4]
    assert ask("leads_a_session")["said"]
    assert ask("environment")["said"] == ["HOME", "LC_ALL", "PATH"]


def test_behind_bubblewrap_it_sees_no_file_of_ours_but_the_open_one(walled, tmp_path):
    assert [walled("look", path=str(tmp_path / "report"))["said"], walled("read")["said"]] == [
        False,
        "page one",
    ]


def test_no_child_finds_what_another_left_in_memory(ask):
    assert [ask("read")["calls"] for _ in range(3)] == [1, 1, 1]


def test_many_may_ask_at_once(ask):
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(ask("read"))) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [{"said": "page one", "calls": 1, "forked": True}] * 12


def test_when_the_server_was_killed_a_new_one_answers(bare):
    bare("read")
    server = os.pidfd_open(server_pid())
    signal.pidfd_send_signal(server, signal.SIGKILL)
    select.select([server], [], [])
    os.close(server)
    assert bare("read")["forked"]


def test_when_the_server_is_killed_its_child_dies_and_one_of_ones_own_answers(bare, tmp_path):
    os.mkfifo(tmp_path / "begun")
    begun = os.open(tmp_path / "begun", os.O_RDONLY | os.O_NONBLOCK)
    bare("read")
    server = server_pid()

    def kill_once_begun() -> None:
        select.select([begun], [], [])
        os.kill(server, signal.SIGKILL)

    threading.Thread(target=kill_once_begun).start()
    answer = bare("hang_if_forked", path=str(tmp_path / "begun"))
    os.close(begun)
    assert answer == {"said": False, "calls": 1, "forked": False}


@pytest.mark.parametrize("machine", [("darwin", "arm64"), ("linux", "riscv64")])
def test_where_the_kernel_cannot_refuse_calls_a_child_of_ones_own_answers(
    bare, monkeypatch, machine
):
    monkeypatch.setattr(sys, "platform", machine[0])
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine=machine[1]))
    assert bare("read") == {"said": "page one", "calls": 1, "forked": False}


def test_where_no_server_gets_ready_none_is_started_again(bare, monkeypatch):
    started = []

    def start(*words: Any, **more: Any) -> subprocess.Popen[bytes]:
        started.append(words)
        return subprocess.Popen([sys.executable, "-c", ""], **more)

    monkeypatch.setattr(
        fork_client, "subprocess", SimpleNamespace(Popen=start, DEVNULL=subprocess.DEVNULL)
    )
    assert [bare("read")["forked"], bare("read")["forked"], len(started)] == [False, False, 1]


def test_a_module_that_cannot_be_imported_is_told_as_a_childs_death(tmp_path):
    (tmp_path / "report").touch()
    with pytest.raises(
        ChildFailed, match=re.escape("no_such_module stopped with ModuleNotFoundError.")
    ):
        examine_file("no_such_module", tmp_path / "report", {}, limits=LIMITS)


def test_the_server_ends_with_its_process_even_when_that_is_killed(tmp_path):
    """A pipe that only the server and its child hold open tells when both are gone."""
    code = (
        "import os, sys; from pathlib import Path; sys.path[:0] = sys.argv[1:3];"
        "from courtroom.analysis.sandbox.sandbox import ChildLimits, examine_file;"
        "from courtroom.analysis.sandbox import forked;"
        "forked.bubblewrap = lambda: None; plain = forked.subprocess.Popen;"
        "forked.subprocess.Popen = lambda *a, **k: plain(*a, **k | {'stdout': int(sys.argv[3])});"
        "examine_file('witness', Path(sys.argv[2]) / 'witness.py', {'do': 'read'}, limits=ChildLimits(2**28, 5, 0, 10, 2**20));"
        "os.kill(os.getpid(), 9)"
    )
    (tmp_path / "witness.py").write_text(WITNESS)
    ours, theirs = os.pipe()
    words = [str(PROJECT_ROOT), str(tmp_path), str(theirs)]
    outer = subprocess.run([sys.executable, "-c", code, *words], check=False, pass_fds=(theirs,))
    os.close(theirs)
    ended, _, _ = select.select([ours], [], [], 5)
    assert (outer.returncode, ended, os.read(ours, 1)) == (-9, [ours], b"")
    os.close(ours)
