"""Limits of a confined process, and the failure that each bad end becomes."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from courtroom.analysis.sandbox.bubblewrap import Reach
from courtroom.analysis.sandbox.sandbox import ChildLimits, Completed, examine, run_confined
from courtroom.models.errors import ChildFailed, PdfRefused

MEBIBYTE = 1024 * 1024
LIMITS = ChildLimits(
    memory_bytes=256 * MEBIBYTE,
    cpu_seconds=5,
    file_bytes=MEBIBYTE,
    wall_seconds=10,
    output_bytes=MEBIBYTE,
)
SHORT = replace(LIMITS, wall_seconds=0.4)

WITNESS = """
import os, sys, time
from courtroom.models.errors import PdfRefused

def answer(request):
    match request["do"]:
        case "echo":
            print("a library talks")
            return {"said": request["words"]}
        case "refuse":
            raise PdfRefused("pdf_encrypted", "It is locked.")
        case "hoard":
            return {"size": len([0] * 10**9)}
        case "crash":
            raise KeyError("x")
        case "leave":
            os._exit(0)
        case "hang":
            time.sleep(60)
        case "burn":
            while True: pass
        case "flood":
            return {"words": "x" * 2**21}
        case "descriptors":
            return {"open": [number for number in range(64) if is_open(number)]}
        case "session":
            return {"leads": os.getsid(0) == os.getpid()}
        case "environment":
            return {"names": sorted(os.environ), "isolated": sys.flags.isolated, "site": "site" in sys.modules}

def is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
"""


@pytest.fixture
def without_bubblewrap(monkeypatch):
    """Behind its walls a process has another number, and dies with them: test_isolation.py."""
    monkeypatch.setattr("courtroom.analysis.sandbox.sandbox.bubblewrap", lambda: None)


@pytest.fixture
def witness(tmp_path, monkeypatch):
    """The name of a module a child can import, which does what it is asked to."""
    (tmp_path / "witness.py").write_text(WITNESS)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "witness"


def python(code: str) -> list[str]:
    return [sys.executable, "-I", "-S", "-c", code]


def refusal_of(argv, limits=LIMITS, **more) -> str:
    with pytest.raises(ChildFailed) as refused:
        run_confined(argv, limits=limits, **more)
    return refused.value.code


def outlives(pid: int) -> bool:
    """Return whether a killed process still exists; the kernel may take a moment."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    ended, _, _ = select.select([handle], [], [], 5)
    os.close(handle)
    return not ended


def test_process_that_hangs_is_ended_at_the_deadline():
    assert refusal_of(["sleep", "60"], SHORT) == "child_timeout"


def test_process_that_only_burns_processor_time_is_ended():
    assert refusal_of(python("while True: pass"), replace(LIMITS, cpu_seconds=1)) == "child_timeout"


def test_endless_printer_is_ended_at_the_limit():
    assert refusal_of(["yes"]) == "child_output"


def test_endless_stderr_keeps_only_its_end():
    done = run_confined(
        python("import sys; sys.stderr.write('x' * 10**6 + 'end'); sys.exit(3)"), limits=LIMITS
    )
    assert (done.returncode, len(done.stderr), done.stderr[-3:]) == (3, 64 * 1024, b"end")


def test_file_larger_than_the_limit_ends_the_writer(tmp_path):
    copy = ["dd", "if=/dev/zero", f"of={tmp_path}/out", "bs=1M", "count=4"]
    assert refusal_of(copy, reach=Reach(writes=(tmp_path,))) == "child_output"
    assert (tmp_path / "out").stat().st_size == MEBIBYTE


def test_memory_above_the_limit_is_not_given():
    done = run_confined(python("bytearray(10**9)"), limits=LIMITS)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (1, b"MemoryError")


def test_process_killed_by_the_system_ran_out_of_memory():
    assert refusal_of(["sh", "-c", "kill -KILL $$"]) == "child_memory"


def test_process_that_crashes_died():
    assert refusal_of(["sh", "-c", "kill -SEGV $$"]) == "child_died"


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="a kernel without autogroups")
def test_process_of_niced_work_gives_way_to_other_sessions():
    code = f"""
from courtroom.analysis.sandbox.niceness import lower_priority
from courtroom.analysis.sandbox.sandbox import ChildLimits, run_confined
lower_priority(7)
look = ["sh", "-c", "read line; cat /proc/self/autogroup"]
print(run_confined(look, limits={LIMITS}, stdin=b"now\\n").stdout.decode())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # The tests themselves may run niced.
    assert done.stdout.split()[-2:] == ["nice", str(min(os.nice(0) + 7, 19))]


def test_watch_callback_ends_the_process_with_its_error():
    def object_() -> None:
        raise PdfRefused("pdf_too_large", "Enough.")

    started = time.monotonic()
    with pytest.raises(PdfRefused, match="Enough"):
        run_confined(["sleep", "60"], limits=LIMITS, watch=object_)
    assert time.monotonic() - started < 30


def test_deadline_leaves_no_process_of_a_forking_family(tmp_path, without_bubblewrap):
    family = f"""
import os, time
for _ in range(4):
    os.fork()
open({str(tmp_path)!r} + f"/{{os.getpid()}}", "w").close()
time.sleep(60)
"""

    def until_all_are_there() -> None:
        if len(list(tmp_path.iterdir())) == 16:
            raise TimeoutError

    assert refusal_of(python(family), watch=until_all_are_there) == "child_timeout"
    pids = [int(path.name) for path in tmp_path.iterdir()]
    assert len(pids) == 16
    assert [pid for pid in pids if outlives(pid)] == []


def test_process_left_behind_by_one_that_ended_is_ended_too(without_bubblewrap):
    done = run_confined(["sh", "-c", "sleep 60 & echo $!"], limits=LIMITS)
    assert done.returncode == 0
    assert not outlives(int(done.stdout))


def test_it_dies_with_the_thread_that_started_it(tmp_path):
    """In production that thread ends only with its process, killed in mid-audit. A pipe tells when it is gone."""
    code = (
        "import os, sys; from pathlib import Path; from courtroom.analysis.sandbox.sandbox import *;"
        "from courtroom.analysis.sandbox.bubblewrap import Reach; here = Path(sys.argv[1]);"
        "run_confined(['sh', '-c', f'exec > {here}/pipe; echo > {here}/ready; exec sleep 60'],"
        " limits=ChildLimits(2**28, 5, 2**20, 60, 2**20), reach=Reach(writes=(here,)),"
        " watch=lambda: (here / 'ready').exists() and os.kill(os.getpid(), 9))"
    )
    os.mkfifo(tmp_path / "pipe")
    pipe = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    outer = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    ended, _, _ = select.select([pipe], [], [], 5)
    assert (outer.returncode, ended, os.read(pipe, 1)) == (-9, [pipe], b"")
    os.close(pipe)


def test_more_input_than_a_pipe_holds_is_fed_while_the_output_is_read():
    flood = b"0123456789" * 80_000
    assert run_confined(["cat"], limits=LIMITS, stdin=flood) == Completed(0, flood, b"")


def test_unread_input_is_no_error():
    assert run_confined(["true"], limits=LIMITS, stdin=b"x" * 10**6) == Completed(0, b"", b"")


def test_nothing_of_the_environment_is_inherited(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    done = run_confined(["env"], limits=LIMITS, env={"LC_ALL": "C"})
    names = {line.partition(b"=")[0] for line in done.stdout.splitlines()}
    assert names - {b"PWD"} == {b"HOME", b"LC_ALL", b"PATH"}  # bubblewrap says where it is: in /


def test_many_threads_may_run_confined_processes_at_once():
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(run_confined(["echo", "hi"], limits=LIMITS)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [Completed(0, b"hi\n", b"")] * 8


def test_missing_program_is_named_in_stderr():
    done = run_confined(["no-such-program"], limits=LIMITS)
    assert (done.returncode, done.stderr) == (
        1,
        b"no-such-program cannot be started: No such file or directory\n",
    )


def test_error_raised_inside_comes_back_as_itself(witness):
    with pytest.raises(PdfRefused) as refused:
        examine(witness, {"do": "refuse"}, limits=LIMITS)
    assert (refused.value.code, refused.value.message) == ("pdf_encrypted", "It is locked.")


@pytest.mark.parametrize(
    ("deed", "code", "message"),
    [
        ("hoard", "child_memory", "Reading it took more memory than allowed."),
        ("crash", "child_died", "witness stopped with KeyError."),
        ("leave", "child_died", "witness gave no readable answer."),
    ],
)
def test_failing_child_is_a_child_failure(witness, deed, code, message):
    with pytest.raises(ChildFailed) as failed:
        examine(witness, {"do": deed}, limits=LIMITS)
    assert (failed.value.code, failed.value.message) == (code, message)


@pytest.mark.parametrize(
    ("deed", "limit", "code"),
    [
        ("hang", {"wall_seconds": 0.6}, "child_timeout"),
        ("burn", {"cpu_seconds": 1}, "child_timeout"),
        ("flood", {}, "child_output"),
    ],
)
def test_answering_child_is_ended_at_its_limits(witness, deed, limit, code):
    with pytest.raises(ChildFailed) as failed:
        examine(witness, {"do": deed}, limits=replace(LIMITS, **limit))
    assert failed.value.code == code


def test_module_that_cannot_be_imported_is_a_failure_of_ours():
    with pytest.raises(
        ChildFailed, match=re.escape("no_such_module stopped with ModuleNotFoundError.")
    ):
        examine("no_such_module", {}, limits=LIMITS)


@pytest.mark.usefixtures("without_bubblewrap")
def test_answering_child_leads_a_session_and_has_its_three_pipes_alone(witness):
    # The answer is written through a copy of stdout: descriptor 3.
    assert examine(witness, {"do": "descriptors"}, limits=LIMITS) == {"open": [0, 1, 2, 3]}
    assert examine(witness, {"do": "session"}, limits=LIMITS) == {"leads": True}


def test_answer_is_not_disturbed_by_what_a_library_prints(witness):
    assert examine(witness, {"do": "echo", "words": "é ☃"}, limits=LIMITS) == {"said": "é ☃"}


def test_witness_is_isolated_from_the_user_and_the_environment(witness):
    output = examine(witness, {"do": "environment"}, limits=LIMITS)
    names = [name for name in output.pop("names") if name != "PWD"]
    assert (names, output) == (["HOME", "LC_ALL", "PATH"], {"isolated": 1, "site": False})


DEEDS = {
    "kill": "os.kill(os.getppid(), 0)",
    "group": "os.killpg(os.getpgid(os.getppid()), 0)",
    "all": "os.kill(-1, 0)",
    "tgkill": "called(234 if x86 else 131, os.getppid(), os.getppid(), 0)",
    "tkill": "called(200 if x86 else 130, os.getppid(), 0)",
    "handle": "os.pidfd_open(os.getppid())",
    "trace": "called(101 if x86 else 117, 2, os.getppid(), 0, 0)",
    "memory": "called(310 if x86 else 270, os.getppid(), 0, 0, 0, 0, 0)",
    "own": "fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid())",
    "choose signal": "fcntl.fcntl(0, fcntl.F_SETSIG, signal.SIGKILL)",
    "slow": "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
    "idle": "os.sched_setscheduler(os.getppid(), os.SCHED_IDLE, os.sched_param(0))",
    "bind": "os.sched_setaffinity(os.getppid(), {0})",
    "limit": "resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)",
    "leave memory": "called(29 if x86 else 194, 0, 4096, 0o1600)",
}
REACHING = """
import ctypes, fcntl, os, resource, signal

x86 = os.uname().machine == "x86_64"

def called(*numbers):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(*numbers) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

def answer(request):
    try:
        exec(request["do"])
    except OSError as error:
        return {"said": error.strerror}
    return {"said": ""}
"""


@pytest.fixture
def neighbour(tmp_path, monkeypatch) -> str:
    (tmp_path / "neighbour.py").write_text(REACHING)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "neighbour"


@pytest.mark.usefixtures("without_bubblewrap")
@pytest.mark.parametrize("deed", DEEDS)
def test_answering_child_reaches_no_process_but_itself_and_leaves_nothing_behind(neighbour, deed):
    assert examine(neighbour, {"do": DEEDS[deed]}, limits=LIMITS) == {
        "said": "Operation not permitted"
    }


@pytest.mark.usefixtures("without_bubblewrap")
def test_answering_child_may_read_its_limits_and_set_flags(neighbour):
    allowed = "resource.getrlimit(resource.RLIMIT_CPU); resource.prlimit(0, resource.RLIMIT_NOFILE)"
    flags = "fcntl.fcntl(1, fcntl.F_SETFL, fcntl.fcntl(1, fcntl.F_GETFL))"
    assert examine(neighbour, {"do": f"{allowed}; {flags}"}, limits=LIMITS) == {"said": ""}


@pytest.mark.usefixtures("without_bubblewrap")
def test_answering_child_may_still_end_itself(neighbour):
    reply = examine(
        neighbour, {"do": "os.kill(os.getpid(), 0); signal.raise_signal(0)"}, limits=LIMITS
    )
    assert reply == {"said": ""}
    with pytest.raises(ChildFailed, match=r"SIGABRT|signal 6"):
        examine(neighbour, {"do": "os.abort()"}, limits=LIMITS)
