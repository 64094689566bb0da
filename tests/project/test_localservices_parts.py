"""Parts of the embedded servers, in process: private folders, sockets, locks, ephemeral servers."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from redis import Redis
from redis.exceptions import AuthenticationError, RedisError

from auditor_site.addresses import database
from auditor_site.localservices import binaries, embedded, places
from auditor_site.localservices.postgres import Postgres
from auditor_site.localservices.server import _new_log, start, take_lock
from auditor_site.localservices.service_error import LocalServiceError
from auditor_site.localservices.valkey import Valkey
from tests.faults.site import command_of

pytestmark = pytest.mark.processes

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, str]]:
    """Addresses of both servers, started for this module."""
    with pytest.MonkeyPatch.context() as environment:
        environment.delenv("DATABASE_URL")
        environment.delenv("REDIS_URL")
        stack = ExitStack()
        addresses = stack.enter_context(embedded.embedded(ephemeral=True))
    with stack:
        yield addresses


def outcome_for(uid: int, attempt: Callable[[], object]) -> str:
    """Return what the attempt raises for a process of this user; empty when it succeeds."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            attempt()
        except (OSError, psycopg.Error, RedisError) as error:
            os.write(writer, f"{type(error).__name__}: {error}".encode()[:2000])
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    with os.fdopen(reader, "rb") as result:
        return result.read().decode()


def connection_as(role: str, servers: dict[str, str]) -> Callable[[], object]:
    address = make_conninfo(host=database(servers["DATABASE_URL"])["HOST"], port=5432, user=role)
    return lambda: psycopg.connect(address, dbname="auditor", connect_timeout=5)


@as_root
@pytest.mark.parametrize("role", ["postgres", "auditor"])
def test_other_users_enter_postgres_as_no_role(servers: dict[str, str], role: str) -> None:
    connect = connection_as(role, servers)
    assert outcome_for(0, connect) == ""
    assert "Permission denied" in outcome_for(places.NOBODY, connect)
    assert "Peer authentication failed" in outcome_for(places.server_owner().uid, connect)


@as_root
def test_other_users_do_not_reach_valkey(servers: dict[str, str]) -> None:
    path = urlsplit(servers["REDIS_URL"]).path

    def ask() -> object:
        return Redis(unix_socket_path=path).ping()

    assert "Permission denied" in outcome_for(places.NOBODY, ask)
    assert outcome_for(places.server_owner().uid, ask).startswith("AuthenticationError")


def test_valkey_wants_the_password_of_its_address(servers: dict[str, str]) -> None:
    parts = urlsplit(servers["REDIS_URL"])
    assert Redis.from_url(servers["REDIS_URL"]).ping() is True
    for password in (None, "another"):
        with pytest.raises(AuthenticationError):
            Redis(unix_socket_path=parts.path, password=password).ping()


def test_valkeys_password_stands_on_no_command_line(servers: dict[str, str]) -> None:
    password = str(urlsplit(servers["REDIS_URL"]).password).encode()
    commands = [command_of(int(path.name)) for path in Path("/proc").glob("[0-9]*")]
    assert any(b"valkey-server" in command for command in commands)
    assert not any(password in command for command in commands)


def test_password_of_lasting_servers_is_kept_for_their_user_alone(tmp_path: Path) -> None:
    password = places.checkout_password(tmp_path)
    kept = tmp_path / "var" / "services-password"
    assert (kept.read_text(), stat.S_IMODE(kept.stat().st_mode)) == (password, 0o600)
    assert places.checkout_place(tmp_path).password == places.checkout_password(tmp_path)
    assert password not in repr(places.checkout_place(tmp_path))


@as_root
def test_folder_that_nobody_has_prepared_is_not_taken_for_ours(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(places, "LONG_ROOT", tmp_path)
    home = tmp_path / places.checkout_name(tmp_path)
    home.mkdir(mode=0o700)
    os.chown(home, places.NOBODY, places.NOBODY)
    with pytest.raises(LocalServiceError, match="was not made by this checkout"):
        places.checkout_place(tmp_path)


@as_root
def test_roots_servers_run_as_a_user_without_a_name() -> None:
    owner = places.server_owner()
    assert owner.uid in places.UNUSED_IDS
    assert owner.uid != places.NOBODY


def test_link_in_the_place_of_a_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("kept")
    (tmp_path / "log").symlink_to(tmp_path / "kept")
    with pytest.raises(OSError, match="symbolic links"):
        _new_log(tmp_path / "log")
    assert (tmp_path / "kept").read_text() == "kept"


def test_programs_that_others_may_write_are_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tmp_path.chmod(0o777)
    with pytest.raises(LocalServiceError, match="may be written by others"):
        binaries._public_folder(tmp_path)


def test_a_folder_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with pytest.raises(LocalServiceError, match="is not a private folder of user"):
        places.own_folder(tmp_path, places.Owner(os.geteuid(), os.getegid()))


def test_a_link_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(LocalServiceError, match="is not a private folder of user"):
        places.own_folder(tmp_path / "link", places.Owner(os.geteuid(), os.getegid()))


def test_ephemeral_servers_leave_no_folder_and_let_the_site_make_test_databases(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.delenv("REDIS_URL")
    # Other tests fill the memory and leave it: there is always room enough here.
    monkeypatch.setattr(places, "MEMORY_BYTES", 0)
    with embedded.embedded(ephemeral=True) as addresses:
        assert sorted(addresses) == ["DATABASE_URL", "REDIS_URL"]
        with psycopg.connect(addresses["DATABASE_URL"]) as connection:
            row = connection.execute(
                "SELECT rolsuper, rolcreatedb FROM pg_roles WHERE rolname = current_user"
            ).fetchone()

    folder = Path(database(addresses["DATABASE_URL"])["HOST"])

    assert row == (False, True)
    assert folder.is_relative_to(places.ephemeral_root())
    assert not folder.exists()


def test_ephemeral_servers_lie_in_memory_only_where_it_has_room(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(places, "MEMORY_ROOT", tmp_path)
    monkeypatch.setattr(places, "MEMORY_BYTES", 1)
    assert places.ephemeral_root() == tmp_path

    monkeypatch.setattr(places, "MEMORY_BYTES", 2**60)
    assert places.ephemeral_root() == places.SHORT_ROOT

    monkeypatch.setattr(places, "MEMORY_ROOT", tmp_path / "missing")
    assert places.ephemeral_root() == places.SHORT_ROOT


@pytest.mark.parametrize("root", ["MEMORY_ROOT", "SHORT_ROOT"])
def test_temporary_folders_of_killed_processes_are_swept_and_living_ones_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, root: str
) -> None:
    monkeypatch.setattr(embedded, root, tmp_path)
    dead, living, new = (
        tmp_path / f"auditor-test-{os.geteuid()}-{name}" for name in ("dead", "living", "new")
    )
    for folder in (dead, living, new):
        folder.mkdir()

    lock = take_lock(living / "valkey.lock")
    for folder in (dead, living):
        os.utime(folder, (0, 0))

    embedded._sweep()

    assert lock is not None

    os.close(lock)

    assert (dead.exists(), living.exists(), new.exists()) == (False, True, True)


def test_a_held_lock_with_no_server_behind_it_is_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place = places.Place(
        tmp_path / "home", tmp_path / "sockets", places.Owner(os.geteuid(), os.getegid()), "secret"
    )
    place.prepare()
    monkeypatch.setattr("auditor_site.localservices.server.START_SECONDS", 0.1)
    lock = take_lock(Valkey(place).lock)

    assert lock is not None

    with pytest.raises(
        LocalServiceError, match=r"holds .*valkey.lock, but its valkey does not answer"
    ):
        start(Valkey(place))

    os.close(lock)


def test_the_addresses_do_not_depend_on_where_the_data_lies(tmp_path: Path) -> None:
    place = places.checkout_place(tmp_path)
    elsewhere = replace(place, home=tmp_path / "elsewhere")
    assert (Postgres(place).url, Valkey(place).url) == (
        Postgres(elsewhere).url,
        Valkey(elsewhere).url,
    )
