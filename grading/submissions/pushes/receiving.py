"""Storing of a signed push, with the burst that it belongs to. No commit's own date is read.

The time of a push is that of its arrival here. GitHub's own time (`repository.pushed_at`) counts
instead where the site's App signed it, if it is earlier: a webhook that comes late costs no student
the due date. With a link's own secret, which its student knows, it is the arrival alone.

A later push takes the place of one that waits, unless the due date lies between them: then both are
submitted, the last one before the due date as on time.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django_scopes import scope

from grading.core.enums import PushState
from grading.core.errors import PushIgnored
from grading.courses.extensions.queries import terms_of
from grading.engine.repository_access import location_of
from grading.models import Push, PushLink
from grading.submissions.pushes.payloads import PushEvent

# A branch that never rests is submitted after so many quiet periods.
LONGEST_BURST = 10
KEPT_OF_LINK = 200


def receive_push(*, link: PushLink, event: PushEvent) -> Push:
    """Store a push to be submitted after a quiet period.

    Raises PushIgnored: push_unlinked, push_elsewhere, push_replayed.
    """
    now = timezone.now()
    with scope(organization=link.organization_id), transaction.atomic():
        rows = PushLink.objects.select_for_update(of=("self",)).select_related(
            "assignment__cohort", "student"
        )
        held = rows.filter(pk=link.pk).first()
        if held is None:
            raise PushIgnored("push_unlinked", "The link was just removed.")
        _refuse_elsewhere(held, event)
        _refuse_replay(held, event)
        push = Push(
            organization_id=held.organization_id,
            link=held,
            forge=event.forge,
            delivery=event.delivery,
            body_sha256=event.body_sha256,
            before=event.before,
            commit=event.commit,
            pushed_at=_time_that_counts(held, event, now),
            first_at=now,
            created_at=now,
        )
        _join_burst(push)
        push.save(force_insert=True)
        _forget_oldest(held)
    return push


def _refuse_elsewhere(link: PushLink, event: PushEvent) -> None:
    if event.branch != link.branch:
        raise PushIgnored("push_elsewhere", "It is a push to another branch.")
    if link.repository_id is not None:
        # Constraints say that such a link has its access.
        access = link.access
        is_same = event.repository_id == link.repository_id and (
            access is not None and event.installation_id == access.installation_id
        )
    else:
        location = location_of(event.address)
        is_same = location is not None and (
            (location.host.partition(":")[0], location.path.lower())
            == (link.host.partition(":")[0], link.path.lower())
        )
    if not is_same:
        raise PushIgnored("push_elsewhere", "It is a push to another repository.")


def _refuse_replay(link: PushLink, event: PushEvent) -> None:
    """Refuse a delivery that was received, also under another id, which no host signs.

    The same bytes come twice from a host only where the branch was moved there and back.
    """
    pushes = Push.objects.filter(link=link)
    last = pushes.order_by("-created_at", "-pk").values_list("commit", flat=True).first()
    is_known = pushes.filter(body_sha256=event.body_sha256).exists() and last != event.before
    if is_known or pushes.filter(delivery=event.delivery).exists():
        raise PushIgnored("push_replayed", "This delivery was received before.")


def _time_that_counts(link: PushLink, event: PushEvent, now: datetime) -> datetime:
    if link.access_id is None or event.told_at is None:
        return now
    return min(event.told_at, now)


def _join_burst(push: Push) -> None:
    """Let the later of two pushes on the same side of the due date take the other's place."""
    quiet = timedelta(seconds=settings.PUSH_QUIET_SECONDS)
    terms = terms_of(push.link.assignment, push.link.student)
    is_late = terms.is_after_due(push.pushed_at)
    waiting = Push.objects.filter(link=push.link, state=PushState.WAITING)
    for other in waiting:
        if terms.is_after_due(other.pushed_at) != is_late:
            continue
        push.first_at = min(push.first_at, other.first_at)
        if other.pushed_at > push.pushed_at:
            push.state = PushState.SUPERSEDED
        else:
            Push.objects.filter(pk=other.pk, state=PushState.WAITING).update(
                state=PushState.SUPERSEDED
            )
    push.next_at = min(push.created_at + quiet, push.first_at + LONGEST_BURST * quiet)


def _forget_oldest(link: PushLink) -> None:
    ended = Push.objects.filter(link=link).exclude(state=PushState.WAITING)
    oldest = ended.order_by("-created_at", "-pk").values_list("pk", flat=True)[KEPT_OF_LINK:]
    Push.objects.filter(pk__in=list(oldest)).delete()
