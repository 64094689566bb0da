"""PostgreSQL is restarted, killed, and stays away for a while."""

import pytest
from django.db import connection

from tests.faults.site import accepted, crew, eventually

pytestmark = [pytest.mark.usefixtures("redis")]


@pytest.mark.parametrize("seconds", [0, 30])
def test_postgresql_is_restarted_and_stays_down(seconds, own_database, repository, ends, pause):
    at_work, waiting = accepted(repository), accepted(repository)
    with crew() as there:
        eventually(there.busy)
        connection.close()
        own_database.stop()
        pause(seconds)
        own_database.start()
        ends(at_work, waiting)


def test_postgresql_is_killed(own_database, repository, ends):
    at_work, waiting = accepted(repository), accepted(repository)
    with crew() as there:
        eventually(there.busy)
        connection.close()
        own_database.kill()
        own_database.start()
        ends(at_work, waiting)
