"""Reminding who owes a report or an answer in a round of peers: on a teacher's click, and every two days by itself.

Two days apart and at most three times, as Open edX's peer assessments do; nobody gets two letters in a day. No letter
names a peer, and none is sent for a report on somebody who has handed nothing in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from grading.core.activity import record_activity
from grading.core.enums import NoticeKind
from grading.core.pairing_access import is_running
from grading.core.rls.rls_scope import as_dispatcher
from grading.models import NoticeOptOut, PairingRound, RoundMember
from grading.notifications.emails import Letter, notify_all
from grading.peer_review.rounds.queries import Matrix, MemberRow, matrix_of

A_DAY = timedelta(days=1)
BY_ITSELF_EVERY = timedelta(hours=48)
MOST_BY_ITSELF = 3
LOOK_EVERY = timedelta(hours=1)


def remind(
    *, round: PairingRound, by: User | None, members: Collection[RoundMember] | None = None
) -> int:
    """Write to everybody who owes something (of `members`, where given); how many letters there were.

    Who had one within a day, has no account, or wants no such letters gets none.
    """
    now = timezone.now()
    wanted = None if members is None else {member.pk for member in members}
    with transaction.atomic():
        PairingRound.objects.select_for_update(no_key=True).get(pk=round.pk)
        rows = [
            row
            for row in owing(matrix_of(round), rested=now - A_DAY)
            if wanted is None or row.member.pk in wanted
        ]
        return _write(round, rows, now, by)


def owing(matrix: Matrix, *, rested: datetime) -> list[MemberRow]:
    """Who owes something and can be written to, not having been since `rested`. One query.

    Nobody before the round, when nothing can be done yet, nor after the cohort, when nothing can be done any more.
    """
    if not is_running(matrix.round):
        return []
    here = NoticeOptOut.objects.filter(organization=matrix.round.organization_id)
    unwanted = set(here.filter(kind=NoticeKind.PEER_REMINDER).values_list("user", flat=True))
    return [
        row
        for row in matrix.rows
        if row.owes
        and _has_address(row.member)
        and row.member.student.user_id not in unwanted
        and (row.member.reminded_at is None or row.member.reminded_at <= rested)
    ]


def remind_due() -> int:
    """The reconciler's part: how many letters were written in the rounds that run.

    A round is looked at once an hour, by whichever reconciler comes first.
    """
    now = timezone.now()
    stale = Q(reminders_checked_at=None) | Q(reminders_checked_at__lt=now - LOOK_EVERY)
    with as_dispatcher():
        # By its own key: the order of rounds follows their assignments, which stand behind the wall.
        running = list(
            PairingRound.objects.filter(stale, starts_at__lte=now, ends_at__gt=now).order_by("pk")
        )
    written = 0
    for found in running:
        with scope(organization=found.organization_id), transaction.atomic():
            if PairingRound.objects.filter(stale, pk=found.pk).update(reminders_checked_at=now):
                written += _remind_by_itself(found.pk, now)
    return written


def _remind_by_itself(round_id: int, now: datetime) -> int:
    rounds = PairingRound.objects.select_related("organization", "assignment__cohort__organization")
    found = rounds.get(pk=round_id)
    since = now - BY_ITSELF_EVERY
    rested = Q(reminded_at__lte=since) | Q(reminded_at=None, joined_at__lte=since)
    due = RoundMember.objects.filter(
        rested, round=found, left_at=None, reminders__lt=MOST_BY_ITSELF
    )
    if found.starts_at > since or not due.exists():
        return 0
    keys = set(due.values_list("pk", flat=True))
    rows = [row for row in owing(matrix_of(found), rested=since) if row.member.pk in keys]
    return _write(found, rows, now, by=None)


def _write(round: PairingRound, rows: Iterable[MemberRow], now: datetime, by: User | None) -> int:
    rows = list(rows)
    if rows:
        cohort = round.assignment.cohort
        subject = f"{round.assignment.title}: what you owe in round {round.number}"
        path = reverse("peers", args=[cohort.organization.slug, cohort.slug])
        letters = [
            Letter(row.member.student.user, subject, _letter(round, row), path) for row in rows
        ]
        notify_all(
            organization_id=round.organization_id, kind=NoticeKind.PEER_REMINDER, letters=letters
        )
        keys = [row.member.pk for row in rows]
        RoundMember.objects.filter(pk__in=keys).update(
            reminded_at=now, reminders=F("reminders") + 1
        )
        record_activity(
            organization=round.organization_id,
            actor=by,
            verb="round.reminded",
            about=round,
            number=round.number,
            letters=len(rows),
        )
    return len(rows)


def _letter(round: PairingRound, row: MemberRow) -> str:
    answers = row.answers
    owed = [
        (row.owed, "report on a peer's work", "reports on peers' work"),
        (answers.owed, "answer to a finding of a peer", "answers to findings of peers"),
        (answers.promised, "fix that you announced", "fixes that you announced"),
    ]
    lines = [f"- {many} {one if many == 1 else more}" for many, one, more in owed if many]
    until = f"{round.ends_at.day} {round.ends_at:%b %Y, %H:%M} UTC"
    over = round.ends_at < timezone.now()
    opening = f"Round {round.number} of “{round.assignment.title}” {'ended' if over else 'runs until'} {until}."
    return "\n".join(
        [opening, "", "You still owe:", *lines, "", "Your own verdict does not wait for it."]
    )


def _has_address(member: RoundMember) -> bool:
    user = member.student.user
    return user is not None and user.is_active and bool(user.email)
