"""Database roles of docker-compose.yml on a real server.

One login owns the tables; the other serves and owns nothing.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from auditor_site.localservices.places import ephemeral_place
from auditor_site.localservices.postgres import PORT, SUPERUSER, Postgres
from auditor_site.localservices.server import start

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[2]
# One login both migrates and serves, so one program does both; the site connects anew.
MIGRATE = """
from auditor_site.start import set_up
set_up()
from django.core.management import call_command
from django.db import connection
call_command("migrate", skip_checks=True, verbosity=0)
connection.close()
"""
LOOK = """
import json, os
import psycopg
from auditor_site.start import set_up
set_up()
from django.db import DatabaseError, connection
from django.contrib.auth.models import User
from django_scopes import scope
from grading.courses.organizations.approval import create_organization
from grading.models import Membership

def tried(sql):
    try:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchone()[0] if cursor.description else "done"
    except DatabaseError as error:
        return type(error.__cause__).__name__

founder = User.objects.create(username="founder")
organization = create_organization(name="Ours", slug="ours", founder=founder)
count = "SELECT count(*) FROM grading_membership"
results = {"role": tried("SELECT current_user"), "outside": tried(count)}
with scope(organization=organization):
    results["inside"] = tried(count)
tried("RESET ROLE")
results["reset"] = tried("SELECT current_user")
with psycopg.connect(os.environ["DATABASE_URL"]) as login:
    results["login"] = login.execute(f"SELECT current_user, ({count})").fetchone()
results["disable_rls"] = tried("ALTER TABLE grading_membership DISABLE ROW LEVEL SECURITY")
results["truncate"] = tried("TRUNCATE grading_membership")
print(json.dumps(results))
"""


@pytest.fixture(scope="module")
def sockets() -> Iterator[Path]:
    """A server of its own, with the roles and the database that the containers' first start makes."""
    server = Postgres(ephemeral_place())
    running = start(server)

    assert running is not None

    try:
        yield server.place.sockets
    finally:
        running.stop()
        shutil.rmtree(server.place.home)


def run(
    sockets: Path, login: str, database: str, *command: str
) -> subprocess.CompletedProcess[str]:
    url = f"postgresql://{login}@/{database}?host={sockets}&port={PORT}"
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=os.environ | {"DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )


def test_serving_login_is_bound_by_row_level_security(sockets: Path) -> None:
    script = (ROOT / "deploy" / "roles.sql").read_text()
    # The private server has two of the names already, made for another layout.
    statements = re.sub(
        r"\bauditor\b",
        "serving",
        re.sub(r":'\w+'", "'x'", re.sub(r"^\\set.*$", "", script, flags=re.MULTILINE)),
    )

    with psycopg.connect(
        host=str(sockets), port=PORT, user=SUPERUSER, autocommit=True
    ) as superuser:
        for statement in filter(str.strip, statements.split(";")):
            if "ROLE auditor_site NOLOGIN" not in statement:
                superuser.execute(statement.encode())

    migrated = run(
        sockets, "auditor_owner", "serving", "manage.py", "migrate", "--noinput", "--verbosity=0"
    )

    assert (migrated.returncode, migrated.stderr) == (0, "")

    looked = run(sockets, "serving", "serving", "-c", LOOK)

    assert json.loads(looked.stdout) == {
        "role": "auditor_site",
        "outside": 0,
        "inside": 1,
        "reset": "auditor_site",
        "login": ["serving", 0],
        "disable_rls": "InsufficientPrivilege",
        "truncate": "InsufficientPrivilege",
    }, looked.stderr


@pytest.mark.parametrize(
    ("attributes", "ends"),
    [
        ("SUPERUSER", "auditor_site"),
        ("CREATEROLE", "auditor_site"),
        ("CREATEDB", "owner_alone"),
        ("BYPASSRLS", "refused"),
    ],
)
def test_single_login_is_bound_by_row_level_security_or_refused(
    attributes: str, ends: str, sockets: Path
) -> None:
    name = f"alone_{attributes.lower()}"
    with psycopg.connect(
        host=str(sockets), port=PORT, user=SUPERUSER, autocommit=True
    ) as superuser:
        superuser.execute("ALTER ROLE auditor_site RENAME TO elsewhere")
        try:
            superuser.execute(f"CREATE ROLE {name} LOGIN {attributes}".encode())
            superuser.execute(f"CREATE DATABASE {name} OWNER {name}".encode())
            looked = run(sockets, name, name, "-c", MIGRATE + LOOK)
        finally:
            superuser.execute("DROP DATABASE IF EXISTS " + name)
            superuser.execute("DROP ROLE IF EXISTS auditor_site")
            superuser.execute("ALTER ROLE elsewhere RENAME TO auditor_site")

    if ends == "refused":
        assert "make the role auditor_site first" in looked.stderr
        return

    assert (looked.returncode, looked.stderr) == (0, "")

    results = json.loads(looked.stdout)

    assert (results["outside"], results["inside"]) == (0, 1)
    assert results["role"] == {"owner_alone": name}.get(ends, "auditor_site")
