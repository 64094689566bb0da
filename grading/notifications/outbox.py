"""What leaves the site after the commit that it tells of: written in that transaction, and sent by jobs on one queue.

If the queue was down just then, the reconciler announces what was left.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import uuid4

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django_rq import get_queue

from grading.core.rls.rls_scope import as_dispatcher
from grading.models import Notice, WebhookDelivery

QUEUE = "letters"
JUST_WRITTEN = timedelta(seconds=30)  # its own job is on the way


@dataclass(frozen=True, slots=True)
class Outbox:
    """Rows of `model` that wait. `job` sends an organization's within `seconds`; `due` is which may be sent at a moment."""

    model: type[Notice | WebhookDelivery]
    job: str
    name: str
    seconds: int
    due: Callable[[datetime], Q]

    def enqueue_on_commit(self, organization_id: int) -> None:
        """Have what was written sent, once the transaction holds."""
        transaction.on_commit(lambda: self.enqueue(organization_id), robust=True)

    def enqueue(self, organization_id: int) -> None:
        """One waiting job is enough for all that an organization has here. Raises redis.RedisError."""
        queue, whose = get_queue(QUEUE, commit_mode="auto"), f"{self.name}-{organization_id}-"
        if not any(waiting.startswith(whose) for waiting in queue.job_ids):
            queue.enqueue_call(
                self.job,
                args=(organization_id,),
                job_id=f"{whose}{uuid4().hex}",
                timeout=self.seconds,
                result_ttl=0,
            )

    def enqueue_waiting(self) -> int:
        """The reconciler's part: how many organizations have rows that no job has sent. Raises redis.RedisError."""
        now = timezone.now()
        with as_dispatcher():
            left = self.model.objects.filter(self.due(now), created_at__lt=now - JUST_WRITTEN)
            organizations = list(left.order_by().values_list("organization", flat=True).distinct())
        for organization_id in organizations:
            self.enqueue(organization_id)
        return len(organizations)
