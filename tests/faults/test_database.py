"""PostgreSQL is restarted, killed, and stays away for a while."""

from collections.abc import Iterator

import pytest
from django.db import connection

from tests.faults.conftest import Ends, Servers
from tests.faults.site import Crew, accepted, crew
from tests.waiting import eventually

pytestmark = [pytest.mark.usefixtures("redis")]


@pytest.fixture
def site_crew(own_database: Servers) -> Iterator[Crew]:
    with crew() as site_crew:
        yield site_crew


def test_postgresql_is_restarted_killed_and_stays_down(
    site_crew, own_database, repository, ends: Ends, pause
) -> None:
    """One site meets all three, one after the other, each at work and with an audit that waits."""
    for stop, seconds in (
        (own_database.stop, 0),
        (own_database.kill, 0),
        (own_database.stop, 30),
    ):
        at_work, waiting = accepted(repository), accepted(repository)
        eventually(site_crew.busy)
        connection.close()
        stop()
        pause(seconds)
        own_database.start()
        ends(at_work, waiting)
