"""The queue server dies, forgets, stays away and fills up: PostgreSQL is the truth, so nothing
accepted is lost.
"""

from collections.abc import Iterator

import pytest
from django.conf import settings
from redis import Redis

from grading.core.audit_queue import enqueue_on_commit
from tests.faults.conftest import Servers, queue_of_its_own
from tests.faults.moments import held_at
from tests.faults.site import Crew, accepted
from tests.waiting import eventually

pytestmark = pytest.mark.usefixtures("site_crew")


@pytest.fixture(scope="module")
def own_queue() -> Iterator[Servers]:
    with queue_of_its_own() as servers:
        yield servers


@pytest.fixture(scope="module")
def crew_of_module(own_queue: Servers, crew_of_module: Crew) -> Crew:
    return crew_of_module


@pytest.mark.parametrize("seconds", [1, 30])
def test_the_queue_server_is_killed_and_stays_down(seconds, own_queue, repository, ends, pause):
    with held_at("prosecutor", eventually) as held:
        at_work = accepted(repository)
        held.wait()
        own_queue.kill()
        waiting = accepted(repository, queued=False)
        enqueue_on_commit(
            waiting
        )  # as the site does: that nobody answers is logged, and refuses nobody
        held.release()
        pause(seconds)
        own_queue.start()
        ends(at_work, waiting)


def test_the_queue_server_forgets_everything(repository, ends):
    with held_at("prosecutor", eventually) as held:
        at_work, waiting = accepted(repository), accepted(repository)
        held.wait()
        Redis.from_url(settings.REDIS_URL).flushall()
        held.release()
        ends(at_work, waiting)


def test_the_queue_server_is_full(repository, ends, pause):
    queue = Redis.from_url(settings.REDIS_URL)
    with held_at("prosecutor", eventually) as held:
        at_work = accepted(repository)
        held.wait()
        queue.config_set("maxmemory", "1")
        waiting = accepted(repository, queued=False)
        enqueue_on_commit(waiting)
        held.release()
        pause(2)
        queue.config_set("maxmemory", "0")
        ends(at_work, waiting)
