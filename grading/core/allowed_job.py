"""Jobs that workers accept: functions of grading.jobs, by name, with ids.

Whoever reaches Valkey can write any job. RQ would unpickle it, call any function that it names, and
call back or post to whatever it names. Here a job is JSON, only a function of grading.jobs is
called, and callbacks and RQ's webhooks do not exist. Jobs that wait for others need no rule of
their own: they come to a queue, and are checked there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import isfunction
from typing import Any

import structlog
from django_rq.queues import DjangoRQ
from rq import serializers
from rq.exceptions import DeserializationError
from rq.job import Job

JOBS_MODULE = "grading.jobs"
# One public name of the module itself: import_attribute would follow further dots.
JOB_NAME = re.compile(rf"{re.escape(JOBS_MODULE)}\.[a-z][a-z0-9_]*")
log = structlog.get_logger(__name__)


class JobRefusedError(Exception):
    """A job that is no call of a function of grading.jobs with texts and whole numbers."""


class AllowedJob(Job):
    """Job of a worker that refuses everything else."""

    # rq calls whatever these name, in the worker and, for the queue's pages, in the web process.
    success_callback = None
    failure_callback = None
    stopped_callback = None

    @property
    def func(self) -> Callable[..., Any]:
        """The function to call. Raises JobRefusedError."""
        jobs, name = import_module(JOBS_MODULE), str(self.func_name).rpartition(".")[2]
        # Not rq's own search, which raises ValueError for a name that is no callable.
        function = getattr(jobs, name, None) if self._is_well_formed() else None
        if isfunction(function) and function.__module__ == JOBS_MODULE:
            return function

        log.warning("job_refused", job=self.id, function=str(self.func_name)[:100])
        raise JobRefusedError(f"{JOBS_MODULE} has no such job, or not with these arguments")

    def restore(self, raw_data: Mapping[Any, Any]) -> None:
        super().restore(raw_data)
        self.webhooks = []

    def _is_well_formed(self) -> bool:
        return (
            isinstance(self.func_name, str)
            and JOB_NAME.fullmatch(self.func_name) is not None
            and self.instance is None
            and not self.kwargs
            and all(isinstance(argument, str | int) for argument in self.args)
        )


def is_readable(job: Job) -> bool:
    """Return whether the job is JSON; jobs of an older version were pickled."""
    try:
        return job.func_name is not None
    except DeserializationError:
        return False


class AllowedQueue(DjangoRQ):
    """Queue whose registries read its jobs as AllowedJob too."""

    job_class = AllowedJob


def forbid_pickle() -> None:
    """Make JSON the serializer of RQ wherever a caller names none, or names pickle.

    django-rq's pages and rq's list of workers name none, so that the setting does not reach them.
    """
    for name in ("DefaultSerializer", "PickleSerializer"):
        setattr(serializers, name, serializers.JSONSerializer)
    serializers.SERIALIZER_ALIASES["pickle"] = serializers.JSONSerializer
