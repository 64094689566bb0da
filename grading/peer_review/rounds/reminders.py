"""Reminder emails for due reports and answers, on a teacher's click and automatically.

Automatic reminders come two days apart and at most three times, as in Open edX's peer assessments;
nobody gets two emails in a day. No email names a peer, and none asks for a report on a student who
has submitted nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F, Q
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from grading.core.activity_writer import record_activity
from grading.core.enums import NoticeKind
from grading.core.pairing_access import is_running
from grading.core.rls.rls_scope import as_dispatcher
from grading.core.time_zones import in_words, zones_of
from grading.models import NoticeOptOut, PairingRound, RoundMember
from grading.notifications.emails import Email, notify_all
from grading.peer_review.rounds.queries import Matrix, MemberRow, matrix_of

ONE_DAY = timedelta(days=1)
AUTOMATIC_INTERVAL = timedelta(hours=48)
MAX_AUTOMATIC = 3
CHECK_INTERVAL = timedelta(hours=1)


def remind(
    *, round: PairingRound, by: User | None, members: Collection[RoundMember] | None = None
) -> int:
    """Remind members with something due (all, or of `members`); return the number of emails.

    Skipped are members who had a reminder within a day, have no account or switched them off.
    """
    now = timezone.now()
    keys = None if members is None else {member.pk for member in members}
    with transaction.atomic():
        # A click and the reconciler wait for each other, so nobody gets two emails.
        PairingRound.objects.select_for_update(no_key=True).get(pk=round.pk)
        rows = [
            row
            for row in members_to_remind(matrix_of(round), not_since=now - ONE_DAY)
            if keys is None or row.member.pk in keys
        ]
        return _send(round, rows, now, by)


def members_to_remind(matrix: Matrix, *, not_since: datetime) -> list[MemberRow]:
    """Return members with something due who had no reminder since `not_since`. One query.

    Empty before the round and after the cohort, when nothing can be done.
    """
    if not is_running(matrix.round):
        return []
    opt_outs = NoticeOptOut.objects.filter(organization=matrix.round.organization_id)
    opted_out = set(opt_outs.filter(kind=NoticeKind.PEER_REMINDER).values_list("user", flat=True))
    return [
        row
        for row in matrix.rows
        if row.has_due
        and _has_address(row.member)
        and row.member.student.user_id not in opted_out
        and (row.member.reminded_at is None or row.member.reminded_at <= not_since)
    ]


def remind_due() -> int:
    """Send the automatic reminders of running rounds; return the number of emails.

    Called by the reconcilers. A round is checked once an hour, by the first that comes.
    """
    now = timezone.now()
    stale = Q(reminders_checked_at=None) | Q(reminders_checked_at__lt=now - CHECK_INTERVAL)
    # Only the dispatcher sees the rounds of all organizations, and it may only read.
    with as_dispatcher():
        # Ordered by key: the default order joins the assignments, which row-level security hides.
        running = list(
            PairingRound.objects.filter(stale, starts_at__lte=now, ends_at__gt=now).order_by("pk")
        )
    sent = 0

    for peer_round in running:
        with scope(organization=peer_round.organization_id), transaction.atomic():
            # Whoever updates the row first sends; the others find it fresh.
            if PairingRound.objects.filter(stale, pk=peer_round.pk).update(
                reminders_checked_at=now
            ):
                sent += _remind_automatically(peer_round.pk, now)
    return sent


def _remind_automatically(round_id: int, now: datetime) -> int:
    rounds = PairingRound.objects.select_related("organization", "assignment__cohort__organization")
    peer_round = rounds.get(pk=round_id)
    since = now - AUTOMATIC_INTERVAL
    # A member without a reminder gets the same interval, counted from joining the round.
    is_rested = Q(reminded_at__lte=since) | Q(reminded_at=None, joined_at__lte=since)
    due = RoundMember.objects.filter(
        is_rested, round=peer_round, left_at=None, reminders__lt=MAX_AUTOMATIC
    )
    # The cheap checks come first: the matrix takes seven queries.
    if peer_round.starts_at > since or not due.exists():
        return 0
    keys = set(due.values_list("pk", flat=True))
    rows = [
        row
        for row in members_to_remind(matrix_of(peer_round), not_since=since)
        if row.member.pk in keys
    ]
    return _send(peer_round, rows, now, by=None)


def _send(round: PairingRound, rows: Iterable[MemberRow], now: datetime, by: User | None) -> int:
    rows = list(rows)
    if rows:
        cohort = round.assignment.cohort
        subject = f"{round.assignment.title}: due in round {round.number}"
        path = reverse("peers", args=[cohort.organization.slug, cohort.slug])
        users = [row.member.student.user for row in rows]
        zones, zone = zones_of([user.pk for user in users if user]), ZoneInfo(cohort.time_zone)
        letters = [
            Email(
                user,
                subject,
                _email_body(round, row, zones.get(user.pk if user else 0, zone)),
                path,
            )
            for row, user in zip(rows, users, strict=True)
        ]
        notify_all(
            organization_id=round.organization_id, kind=NoticeKind.PEER_REMINDER, emails=letters
        )

        keys = [row.member.pk for row in rows]
        # A teacher's reminders count too: they use up automatic ones.
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


def _email_body(round: PairingRound, row: MemberRow, zone: tzinfo) -> str:
    answers = row.answers
    tasks = [
        (row.due, "report on a peer's work", "reports on peers' work"),
        (answers.due, "answer to a peer's finding", "answers to peers' findings"),
        (answers.promised, "fix you announced", "fixes you announced"),
    ]
    lines = [
        f"- {count} {singular if count == 1 else plural}"
        for count, singular, plural in tasks
        if count
    ]

    until = in_words(round.ends_at, zone)
    is_over = round.ends_at < timezone.now()
    verb = "ended" if is_over else "runs until"
    opening = f"Round {round.number} of “{round.assignment.title}” {verb} {until}."
    return "\n".join(
        [opening, "", "Still due from you:", *lines, "", "Your own grade does not depend on it."]
    )


def _has_address(member: RoundMember) -> bool:
    user = member.student.user
    return user is not None and user.is_active and bool(user.email)
