"""The site's clock is that of its database, whatever the clock of this machine."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from django.utils import timezone

from grading.core import clock
from tests.factories.people import CohortFactory
from tests.tenancy.tables import asked

YEARS = timedelta(days=4000)


@pytest.fixture
def elsewhere(transactional_db: None):
    """A database whose clock is ahead by years, until the next connection."""
    connection.ensure_connection()
    clock.set_by(timezone.now() + YEARS)
    yield
    connection.close()
    connection.ensure_connection()


def test_clock_of_the_database_sets_times_of_rows_and_sessions(elsewhere: None) -> None:
    (local,) = asked("SELECT clock_timestamp()")[0]
    assert timezone.now() - local > YEARS / 2
    assert CohortFactory().created_at - local > YEARS / 2
    assert SessionStore().get_expiry_date() - local > YEARS / 2
    assert User().date_joined - local > YEARS / 2


def test_new_connection_reads_the_clock_again(elsewhere: None) -> None:
    connection.close()
    (database,) = asked("SELECT clock_timestamp()")[0]
    assert abs(timezone.now() - database) < YEARS / 2
