"""Outbox: rows that are written in the transaction they are about, and sent by jobs afterwards.

Organizations take turns. A job sends rows of one organization for a few seconds; what is left joins
the end of the queue, so a mail server or an address that answers slowly delays the others by one
turn. If the queue is down, the reconciler enqueues the rows that are left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import TypeVar
from uuid import uuid4

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django_scopes import scope

from grading.core.held_slots import held_slot
from grading.core.job_queues import job_queue
from grading.core.rls.rls_scope import as_dispatcher
from grading.models import LtiScore, Notice, Push, StudentRepository, WebhookDelivery

Row = TypeVar("Row")
Result = TypeVar("Result")
# A younger row's own job may still be on its way to the queue.
JUST_WRITTEN = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class Outbox:
    """Waiting rows of `model`.

    `job`, on `queue`, sends those of one organization within `seconds`; `due` filters the rows to
    send now.
    """

    model: type[LtiScore | Notice | Push | StudentRepository | WebhookDelivery]
    job: str
    queue: str
    name: str
    seconds: int
    due: Callable[[datetime], Q]

    def enqueue_on_commit(self, organization_id: int) -> None:
        """Enqueue the sending job after the commit."""
        transaction.on_commit(lambda: self.enqueue(organization_id), robust=True)

    def enqueue(self, organization_id: int) -> None:
        """Enqueue the job unless one of this organization waits. Raises redis.RedisError."""
        queue = job_queue(self.queue)
        prefix = f"{self.name}-{organization_id}-"
        # One waiting job sends all rows of its organization.
        if not any(job_id.startswith(prefix) for job_id in queue.job_ids):
            queue.enqueue_call(
                self.job,
                args=(organization_id,),
                job_id=f"{prefix}{uuid4().hex}",
                timeout=self.seconds,
                result_ttl=0,
            )

    @contextmanager
    def turn(self, organization_id: int) -> Iterator[bool]:
        """Hold the organization's turn; yield False if another worker holds it."""
        turn = held_slot(f"{self.name} of {organization_id}", slots=1, seconds=self.seconds)
        with turn as slot:
            yield slot is not None

    def send_for_a_turn(
        self,
        organization_id: int,
        *,
        claim: Callable[[], Row | None],
        send: Callable[[Row], Result],
        begin_seconds: float,
    ) -> list[Result]:
        """Claim and send rows of the organization, and enqueue what is left; return the results.

        No row is claimed after `begin_seconds` have passed, and none while another worker has
        the turn. Raises redis.RedisError.
        """
        results = []
        with scope(organization=organization_id):
            with self.turn(organization_id) as is_ours:
                until = monotonic() + begin_seconds
                while is_ours and (row := claim()) is not None:
                    results.append(send(row))
                    if monotonic() >= until:
                        break
            if results:
                self.enqueue_rest(organization_id)
        return results

    def enqueue_rest(self, organization_id: int) -> None:
        """Enqueue the job again if rows of the organization are due, after its turn.

        A job that came meanwhile has left these rows to the turn. Raises redis.RedisError.
        """
        if self.model.objects.filter(self.due(timezone.now())).exists():
            self.enqueue(organization_id)

    def enqueue_waiting(self) -> int:
        """Enqueue jobs for rows without one; return the number of organizations.

        Called by the reconciler. Raises redis.RedisError.
        """
        now = timezone.now()
        with as_dispatcher():
            rows = self.model.objects.filter(self.due(now), created_at__lt=now - JUST_WRITTEN)
            organizations = list(rows.order_by().values_list("organization", flat=True).distinct())

        for organization_id in organizations:
            self.enqueue(organization_id)
        return len(organizations)
