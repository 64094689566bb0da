"""Queues of jobs, over connections that the process keeps.

django-rq returns each queue with a connection of its own, and at every connection redis reads the
metadata of its package: that was a tenth of what a submission costs.
"""

from functools import cache

from django.conf import settings
from django_rq import get_queue
from django_rq.connection_utils import get_redis_connection
from redis import Redis
from rq import Queue


def job_queue(name: str) -> Queue:
    """Return the queue of this name. A job is enqueued at once, not after a commit."""
    client = _client_of(settings.RQ_QUEUES[name]["URL"])
    return get_queue(name, commit_mode="auto", connection=client)


@cache
def _client_of(url: str) -> Redis:
    return get_redis_connection({"URL": url})
