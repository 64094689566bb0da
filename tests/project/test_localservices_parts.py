"""Parts of the embedded servers, in process: private folders, sockets, locks, ephemeral servers."""

import os
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from auditor_site.addresses import database
from auditor_site.localservices import embedded, places
from auditor_site.localservices.postgres import Postgres
from auditor_site.localservices.server import start, take_lock
from auditor_site.localservices.service_error import LocalServiceError
from auditor_site.localservices.valkey import Valkey

pytestmark = pytest.mark.processes


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
    with embedded.embedded(ephemeral=True) as addresses:
        assert sorted(addresses) == ["DATABASE_URL", "REDIS_URL"]
        with psycopg.connect(addresses["DATABASE_URL"]) as connection:
            row = connection.execute(
                "SELECT rolsuper, rolcreatedb FROM pg_roles WHERE rolname = current_user"
            ).fetchone()

    folder = Path(database(addresses["DATABASE_URL"])["HOST"])

    assert row == (False, True)
    assert folder.is_relative_to(places.SHORT_ROOT)
    assert not folder.exists()


def test_temporary_folders_of_killed_processes_are_swept_and_living_ones_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(embedded, "SHORT_ROOT", tmp_path)
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
        tmp_path / "home", tmp_path / "sockets", places.Owner(os.geteuid(), os.getegid())
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
