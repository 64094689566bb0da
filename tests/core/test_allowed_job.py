"""Jobs that a worker refuses: whoever reaches Valkey may write any."""

import json
import os
import pickle
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from django_rq import get_queue
from redis import Redis
from rq import SimpleWorker
from rq.job import Job, JobStatus
from structlog.testing import capture_logs

from grading.core.allowed_job import AllowedJob, AllowedQueue, JobRefusedError
from grading.core.audit_queue import JobHealth, enqueue, health_of
from grading.core.fair_turns import job_id
from grading.management.commands.audit_worker import AuditWorker
from tests.factories.people import UserFactory
from tests.factories.work import AuditFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis"), pytest.mark.servers]
TRACE = "AUDITOR_TEST_TRACE"
PAGE = "/admin/django_rq/dashboard"


def leave_trace(*_: object) -> None:
    """Code that an attacker would have run."""
    os.environ[TRACE] = "it ran"


class Trap:
    """An object whose unpickling leaves a trace."""

    def __reduce__(self) -> tuple[Any, ...]:
        return leave_trace, ()


@pytest.fixture(autouse=True)
def _nothing_ran() -> Iterator[None]:
    yield
    assert os.environ.pop(TRACE, None) is None


def forged(data: bytes, *, queue: str = "submissions", **fields: str | bytes) -> str:
    """Write a job as whoever has Valkey's password can, and return its id."""
    connection = get_queue(queue).connection
    job: dict[Any, Any] = {
        "data": zlib.compress(data),
        "origin": queue,
        "status": "queued",
        **fields,
    }
    connection.hset("rq:job:forged", mapping=job)
    connection.rpush(f"rq:queue:{queue}", "forged")
    return "forged"


def call(function: object, *args: object, **kwargs: object) -> bytes:
    return json.dumps([function, None, args, kwargs]).encode()


def worked(worker_class: type = SimpleWorker) -> None:
    queue = get_queue("submissions")
    worker = worker_class(
        [queue], connection=queue.connection, job_class=AllowedJob, queue_class=AllowedQueue
    )
    worker.work(burst=True)


def status_of(job: str) -> JobStatus:
    queue = get_queue("submissions")
    return AllowedJob.fetch(job, connection=queue.connection).get_status()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(call("os.system", f"touch {TRACE}"), id="another module"),
        pytest.param(call(f"{__name__}.leave_trace"), id="a function of ours elsewhere"),
        pytest.param(call("grading.jobs._hold", "1"), id="a private function"),
        pytest.param(call("grading.jobs.json.loads", "1"), id="a module that jobs imports"),
        pytest.param(call("grading.jobs.closing", "1"), id="a class that jobs imports"),
        pytest.param(call("grading.jobs.missing"), id="a missing function"),
        pytest.param(call(["grading.jobs.run_audit"]), id="a list as name"),
        pytest.param(call(None), id="no name"),
        pytest.param(json.dumps(["lower", "TEXT", [], {}]).encode(), id="a method"),
        pytest.param(call("grading.jobs.send_letters", {"id": 1}), id="an object as id"),
        pytest.param(call("grading.jobs.send_letters", organization_id=1), id="named arguments"),
        pytest.param(b"[]", id="no call"),
    ],
)
def test_job_that_is_no_call_of_grading_jobs_fails_and_runs_nothing(data: bytes) -> None:
    job = forged(data)
    worked()
    assert status_of(job) == JobStatus.FAILED
    assert not Path(TRACE).exists()


@pytest.mark.parametrize("name", ["annotations", "missing", "closing"])
def test_name_that_is_no_job_is_refused_by_our_own_error(name: str) -> None:
    forged(call(f"grading.jobs.{name}"))
    job = AllowedJob.fetch("forged", connection=get_queue("submissions").connection)
    with pytest.raises(JobRefusedError):
        _ = job.func


def test_refused_job_leaves_a_log_line() -> None:
    forged(call("os.system", "true"))
    with capture_logs() as lines:
        worked()
    assert [line for line in lines if line["event"] == "job_refused"] == [
        {"event": "job_refused", "log_level": "warning", "job": "forged", "function": "os.system"}
    ]


@pytest.mark.parametrize("organization", [1, "one"])
def test_callbacks_and_posts_that_a_job_names_do_not_happen(organization: int | str) -> None:
    named = dict.fromkeys(
        ("success_callback_name", "failure_callback_name", "stopped_callback_name"),
        f"{__name__}.leave_trace",
    )
    post = json.dumps([{"url": "http://127.0.0.1:1/", "statuses": ["finished", "failed"]}])
    forged(call("grading.jobs.send_letters", organization), webhooks=post, **named)
    queue = get_queue("submissions")

    job = AllowedJob.fetch("forged", connection=queue.connection)
    assert (job.success_callback, job.failure_callback, job.stopped_callback, job.webhooks) == (
        None,
        None,
        None,
        [],
    )

    worked()


def test_dependent_of_a_job_is_checked_when_its_turn_comes() -> None:
    queue = get_queue("submissions", commit_mode="auto")
    first = queue.enqueue_call("grading.jobs.send_letters", args=(0,))
    second = queue.enqueue_call(f"{__name__}.leave_trace", depends_on=first)
    worked()
    assert (status_of(first.id), status_of(second.id)) == (JobStatus.FINISHED, JobStatus.FAILED)


def test_pickled_job_of_an_older_version_is_dropped_and_its_attempt_enqueued_again(
    redis: Redis,
) -> None:
    audit = AuditFactory.create()
    enqueue(audit)
    key = job_id(audit, 1)
    old = pickle.dumps(("grading.jobs.run_audit", None, (Trap(),), {}))
    redis.hset(f"rq:job:{key}", "data", zlib.compress(old))

    with capture_logs() as lines:
        worked(AuditWorker)

    assert health_of("submissions", key) is JobHealth.MISSING
    assert {"event": "unreadable_job_dropped", "log_level": "warning", "job": key} in lines


@pytest.mark.parametrize("field", ["data", "meta", "result"])
def test_pages_of_the_queues_unpickle_nothing(field: str) -> None:
    trap = pickle.dumps(Trap())
    fields: dict[str, Any] = {"meta": b"{}", field: trap}
    forged(fields.pop("data", call("grading.jobs.send_letters", 1)), **fields)
    # A page that cannot show a forged job may fail.
    operator = Client(raise_request_exception=False)
    operator.force_login(UserFactory.create(is_superuser=True, is_staff=True))

    for page in ("queues/2/", "queues/2/forged/", "workers/2/"):
        operator.get(f"{PAGE}/{page}")
    assert Job.fetch("forged", connection=get_queue("submissions").connection).id == "forged"


def test_abandoned_jobs_callback_is_not_called_by_the_pages_registry(redis: Redis) -> None:
    forged(call("grading.jobs.send_letters", 1), failure_callback_name=f"{__name__}.leave_trace")
    redis.zadd("rq:wip:submissions", {"forged:1": 1})
    assert get_queue("submissions").started_job_registry.get_job_ids() == []
    assert status_of("forged") == JobStatus.FAILED


def test_pickled_value_in_the_cache_is_not_loaded(redis: Redis) -> None:
    cache.set("place", [1.5, "two"])
    assert cache.get("place") == [1.5, "two"]
    redis.set(cache.make_key("place"), pickle.dumps(Trap()))
    with pytest.raises(ValueError, match=r"codec can't decode|Expecting value"):
        cache.get("place")
