"""Isolation of a confined process: no network, and behind bubblewrap no file but its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from courtroom.analysis.sandbox import availability, sandbox
from courtroom.analysis.sandbox import bubblewrap as walls
from courtroom.analysis.sandbox.bubblewrap import Reach, bubblewrap
from courtroom.analysis.sandbox.sandbox import ChildLimits, Completed, examine, run_confined
from courtroom.models.errors import ChildFailed

LIMITS = ChildLimits(2**28, 5, 2**20, 10, 2**20)


@pytest.fixture(params=["bare", "walled"])
def around(request, monkeypatch):
    """Both ways of confining; the second where bubblewrap works."""
    if request.param == "bare":
        monkeypatch.setattr(sandbox, "bubblewrap", lambda: None)
    elif bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")
    return request.param


@pytest.fixture
def walled():
    if bubblewrap() is None:
        pytest.skip("bubblewrap does not work here")


def python(code: str, **more) -> Completed:
    return run_confined([sys.executable, "-I", "-S", "-c", code], limits=LIMITS, **more)


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6", "AF_UNIX", "AF_NETLINK"])
def test_no_reader_reaches_this_machine_by_a_socket(tmp_path, around, family):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        places = {1: str(tmp_path / "s"), 2: ("127.0.0.1", 9), 10: ("::1", 9), 16: (0, 0)}
        done = python(
            f"import socket; s = socket.socket(socket.{family})\ns.connect({places!r}[s.family])",
            reach=Reach(reads=(tmp_path,)),
        )
    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        1,
        b"PermissionError: [Errno 1] Operation not permitted",
    )


def test_process_that_a_child_starts_has_no_network_either(around):
    inner = "import socket; socket.socket()"
    done = python(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])")
    assert done.stderr.splitlines()[-1] == b"PermissionError: [Errno 1] Operation not permitted"


def test_limits_and_call_filter_are_the_same_by_prlimit_and_by_python(walled, monkeypatch):
    rights = "NoNewPrivs|Seccomp:|Sig(Ign|Blk)|CapEff"
    look = f"cat /proc/self/limits; grep -E '{rights}' /proc/self/status"
    by_prlimit = run_confined(["sh", "-c", look], limits=LIMITS)
    monkeypatch.setattr(sandbox, "prlimit", lambda: None)
    assert b"268435456" in by_prlimit.stdout
    assert by_prlimit == run_confined(["sh", "-c", look], limits=LIMITS)


def test_network_is_open_on_request(around):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        done = python(
            f"import socket; socket.create_connection(('127.0.0.1', {port}))",
            reach=Reach(network=True),
        )
    assert done == Completed(0, b"", b"")


def test_behind_bubblewrap_only_named_paths_are_visible_and_writable(tmp_path, walled):
    for name in ("given", "mine", "others"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    done = python(
        f"import os; os.chdir({str(tmp_path)!r}); print(sorted(os.listdir()))\n"
        "for place in ('given', 'mine', '/etc', '/usr', '/'):\n"
        "    try:\n        open(place + '/new', 'w').close(); print(place, 'written')\n"
        "    except OSError as error: print(place, error.strerror)",
        reach=Reach(reads=(tmp_path / "given",), writes=(tmp_path / "mine",)),
    )
    assert done.stdout.decode().splitlines() == [
        "['given', 'mine']",
        "given Read-only file system",
        "mine written",
        "/etc Read-only file system",
        "/usr Read-only file system",
        "/ Read-only file system",
    ]
    assert [path.name for path in tmp_path.glob("*/new")] == ["new"]


def test_python_behind_a_link_is_confined_as_well(tmp_path, walled, monkeypatch):
    (tmp_path / ".venv").symlink_to(sys.prefix)
    monkeypatch.setattr(walls, "PROJECT_ROOT", tmp_path)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / ".venv"))
    program = bubblewrap()
    assert program
    command = [
        *walls.bubblewrap_command(program, walls.NOTHING),
        str(tmp_path / ".venv/bin/python"),
        "-I",
        "-S",
        "-c",
        "",
    ]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_behind_bubblewrap_no_other_process_is_visible(walled):
    done = python("import os; print(sum(name.isdigit() for name in os.listdir('/proc')))")
    assert int(done.stdout) <= 3
    assert f"/proc/{os.getpid()}" not in done.stdout.decode()


@pytest.mark.parametrize(
    ("number", "code"), [(24, "child_timeout"), (9, "child_memory"), (11, "child_died")]
)
def test_signal_is_reported_alike_with_and_without_bubblewrap(around, number, code):
    with pytest.raises(ChildFailed) as failed:
        run_confined(["sh", "-c", f"kill -{number} $$"], limits=LIMITS)
    assert failed.value.code == code


def test_file_that_was_not_named_does_not_exist_for_the_child(tmp_path, walled, monkeypatch):
    (tmp_path / "looker.py").write_text(
        "from pathlib import Path\ndef answer(request): return {'there': Path(request['path']).exists()}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    hidden = Path(str(tmp_path) + "-hidden")
    hidden.touch()
    request = {"path": str(hidden)}
    visible = [
        examine("looker", request, limits=LIMITS),
        examine("looker", request, limits=LIMITS, reads=(hidden,)),
    ]
    assert visible == [{"there": False}, {"there": True}]


WRITER = """
def answer(request):
    try:
        with open(request["path"], "x") as file:
            file.write("x")
    except OSError as error:
        return {"said": error.strerror}
    return {"said": "written"}
"""


def test_answering_child_without_file_bytes_writes_no_file(tmp_path, around, monkeypatch):
    (tmp_path / "writer.py").write_text(WRITER)
    monkeypatch.syspath_prepend(str(tmp_path))
    request = {"path": str(tmp_path / "new")}
    answer = examine("writer", request, limits=replace(LIMITS, file_bytes=0))
    assert answer["said"] in ("File too large", "Read-only file system")
    assert [path for path in tmp_path.glob("new") if path.stat().st_size] == []


@pytest.mark.parametrize("folder", ["/tmp", "/run", "/dev/shm", "/dev"])
def test_file_that_one_child_made_is_gone_for_the_next(walled, tmp_path, monkeypatch, folder):
    (tmp_path / "writer.py").write_text(WRITER)
    monkeypatch.syspath_prepend(str(tmp_path))
    request = {"path": f"{folder}/automaton-auditor-new"}
    answers = [examine("writer", request, limits=LIMITS)["said"] for _ in range(2)]
    assert answers[0] == answers[1]
    assert not Path(request["path"]).exists()


def test_operator_gets_a_message_for_every_missing_protection(monkeypatch):
    assert availability.network_is_closed()
    monkeypatch.setattr(availability, "bubblewrap", lambda: None)
    assert availability.missing_protections() == (availability.NO_BUBBLEWRAP,)
    monkeypatch.setattr(availability, "bubblewrap", lambda: "/usr/bin/bwrap")
    assert availability.missing_protections() == ()
