"""Fixtures of the image: its files, and the composition that runs from it beside real servers."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import socket
import subprocess
import textwrap
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from redis import Redis

from benchmarks.load import course as course_program
from benchmarks.material import report, repository
from tests.factories.git_server import GitHandler, serve_repositories
from tests.image.composition import HOST, IMAGE, LASTING, ROOT, SETTINGS, Composition
from tests.image.servers import run_servers
from tests.image.student import Student
from tests.waiting import eventually

# The commands by which docs/operations.md creates the secrets.
SECRETS = re.compile(r"```sh\n(\s+umask .*?)```", re.DOTALL)
ADDRESS = "http://127.0.0.1:8000"
STUDENTS = 4
PROJECT = "image-check-"


@dataclass(frozen=True, slots=True)
class Course:
    """`assignment` is the path of its page; each of `people` is a student."""

    assignment: str
    people: Iterator[dict[str, str]]


class HeldRepositories:
    """A git server whose paths below /held/ send no objects before `opened` is set."""

    def __init__(self) -> None:
        self.url = ""
        self.reached, self.opened = threading.Event(), threading.Event()

    def close(self) -> None:
        self.reached.clear()
        self.opened.clear()

    def hold(self, handler: GitHandler) -> None:
        handler.path = handler.path.removeprefix("/held")
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        handler.rfile = io.BytesIO(body)
        if handler.command == "POST" and b"command=ls-refs" not in body:
            self.reached.set()
            with suppress(ConnectionError):
                handler.serve_after(self.opened)
        else:
            handler.serve()


@pytest.fixture(scope="session", autouse=True)
def _network_of_its_own() -> None:
    """Refuse a network with others in it: the composition's ports are fixed."""
    if [name for _, name in socket.if_nameindex()] != ["lo"]:
        pytest.fail("Run `make image-check`, which gives the composition a network of its own.")


@pytest.fixture(scope="session")
def files() -> Iterator[Path]:
    """The folder with the image's files."""
    mount = subprocess.run(["podman", "image", "mount", IMAGE], check=True, stdout=subprocess.PIPE)
    yield Path(mount.stdout.decode().strip())
    subprocess.run(["podman", "image", "unmount", IMAGE], check=True, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout's part that the composition reads, prepared as docs/operations.md says."""
    path = tmp_path_factory.mktemp("operator")
    for name in ("docker-compose.yml", "deploy"):
        source = ROOT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, path / name)
    shutil.copy(Path(__file__).with_name("compose.override.yaml"), path)
    (path / ".env").write_text("".join(f"{name}={value}\n" for name, value in SETTINGS.items()))
    commands = SECRETS.search((ROOT / "docs" / "operations.md").read_text())
    assert commands is not None
    subprocess.run(["sh", "-ec", textwrap.dedent(commands[1])], cwd=path, check=True)
    return path


@pytest.fixture(scope="session")
def database(folder: Path) -> Iterator[psycopg.Connection[Any]]:
    with (
        run_servers(folder / "deploy" / "roles.sql", folder / "secrets") as superuser,
        psycopg.connect(superuser, autocommit=True) as connection,
    ):
        yield connection


@pytest.fixture(scope="session")
def site(folder: Path, database: psycopg.Connection[Any]) -> Iterator[Composition]:
    """The composition with all its services, on migrated tables."""
    composition = Composition(folder, f"{PROJECT}{os.getpid()}")
    remove_leftovers(composition)
    try:
        composition.compose("up", "--detach", "--no-build", "migrate")
        ended = composition.podman("wait", composition.container("migrate")).strip()
        assert ended == "0", composition.log("migrate")
        composition.compose("up", "--detach", "--no-build", *LASTING)
        eventually(answers, describe=lambda: composition.log("web"))
        yield composition
    finally:
        composition.compose("down", "--volumes")


def remove_leftovers(composition: Composition) -> None:
    """Remove the containers of runs that were killed."""
    words = ["ps", "--all", "--filter", f"name={PROJECT}", "--format", "{{.Names}}"]
    for name in composition.podman(*words).split():
        run = name.removeprefix(PROJECT).partition("_")[0]
        if not Path(f"/proc/{run}").exists():
            composition.podman("rm", "--force", "--volumes", "--time", "0", name)


@pytest.fixture(scope="session")
def services(site: Composition) -> dict[str, dict[str, Any]]:
    return site.services()


def answers() -> bool:
    """Return whether the site reaches its database and its queue."""
    try:
        return httpx.get(f"{ADDRESS}/healthz", headers={"Host": HOST}).is_success
    except httpx.TransportError:
        return False


@pytest.fixture(scope="session")
def queue(folder: Path, site: Composition) -> Iterator[Redis]:
    address = (folder / "secrets" / "redis_url").read_text().strip()
    client = Redis.from_url(address.replace("@valkey", "@127.0.0.1"))
    yield client
    client.close()


@pytest.fixture(scope="session")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HeldRepositories]:
    held = HeldRepositories()
    root = tmp_path_factory.mktemp("repositories")
    repository(root, files=20).rename(root / "work.git")
    with serve_repositories(root, {"held": held.hold}) as server:
        held.url = server.url
        yield held
        held.opened.set()


@pytest.fixture(scope="session")
def pdf(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return report(tmp_path_factory.mktemp("report"), pages=10).read_bytes()


@pytest.fixture(scope="session")
def course(site: Composition) -> Course:
    """An organization with students, made by a program in the container of `web`."""
    program = Path(course_program.__file__).read_text()
    made = site.execute("web", "python", "-", "people", str(STUDENTS), "-", given=program)
    fields = json.loads(made.splitlines()[-1])
    return Course(fields["assignment"], iter(fields["people"]))


@pytest.fixture
def student(course: Course) -> Iterator[Student]:
    """A student who has not handed in yet, signed in."""
    person = next(course.people)
    with httpx.Client(base_url=ADDRESS, timeout=30) as client:
        student = Student(client, HOST)
        student.sign_in(person["email"], person["password"])
        yield student
