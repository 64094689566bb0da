"""Handing an appeal to a teacher, who is emailed; the rules on who may answer it stay."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse

from grading.core.activity_writer import record_activity
from grading.core.enums import PENDING_APPEALS, TEACHING_ROLES, NoticeKind, Role
from grading.core.errors import AppealRefused
from grading.models import Appeal, Membership
from grading.notifications.emails import notify


def hand_over(*, appeals: Collection[Appeal], to: Membership | None, by: User) -> int:
    """Hand appeals to a teacher, None for nobody; return the number that changed hands.

    All or none. One email for all of them, unless people take them themselves. The appeals need
    `organization` and `submission__assignment`. Raises AppealRefused: not_a_teacher,
    owner_decides, appeal_over.
    """
    if to is not None and (to.role not in TEACHING_ROLES or not to.user.is_active):
        raise AppealRefused(
            "to", "not_a_teacher", "Choose an owner or an instructor: only they answer appeals."
        )
    key = to.pk if to else None
    changing = [appeal for appeal in appeals if appeal.assigned_to_id != key]
    with transaction.atomic():
        for appeal in changing:
            _refuse_unless_owner(appeal, to)
            _assign(appeal, to, by)
        if to is not None and changing and to.user_id != by.pk:
            _email(changing, to)
    return len(changing)


def _refuse_unless_owner(appeal: Appeal, to: Membership | None) -> None:
    if appeal.escalated_at is not None and to is not None and to.role != Role.OWNER:
        sentence = (
            f"The appeal on “{appeal.criterion_name}” was escalated: hand it to an owner. "
            "Nothing was handed over."
        )
        raise AppealRefused("to", "owner_decides", sentence)


def _assign(appeal: Appeal, to: Membership | None, by: User) -> None:
    """Change the holder with one conditional UPDATE, so that of two at once one fails."""
    unchanged = Appeal.objects.filter(
        pk=appeal.pk,
        state__in=PENDING_APPEALS,
        assigned_to=appeal.assigned_to_id,
        escalated_at=appeal.escalated_at,
    )
    if not unchanged.update(assigned_to=to):
        sentence = (
            f"The appeal on “{appeal.criterion_name}” has changed since you opened the page. "
            "Nothing was handed over."
        )
        raise AppealRefused("", "appeal_over", sentence)
    record_activity(
        organization=appeal.organization_id,
        actor=by,
        verb="appeal.assigned" if to else "appeal.freed",
        about=appeal,
        criterion=appeal.criterion_name,
        **({"to": to.email or to.user.email} if to else {}),
    )
    appeal.assigned_to = to


def _email(appeals: Collection[Appeal], to: Membership) -> None:
    first = next(iter(appeals))
    slug = first.organization.slug
    about = f"“{first.criterion_name}” ({first.submission.assignment.title})"
    is_single = len(appeals) == 1
    notify(
        organization=first.organization,
        user=to.user,
        kind=NoticeKind.APPEAL_ASSIGNED,
        subject=f"An appeal on {about} was handed to you"
        if is_single
        else f"{len(appeals)} appeals were handed to you",
        body=f"The appeal on {about} waits for your answer."
        if is_single
        else f"{len(appeals)} appeals wait for your answers.",
        path=reverse("appeal", args=[slug, first.pk])
        if is_single
        else f"{reverse('appeals', args=[slug])}?holder=mine",
    )
