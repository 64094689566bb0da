"""Remove a student with everything that belongs to them, as the deletion of a cohort does.

Their rows are found by following the references between tables from their place on the roster, over
the tables of the cohort's inventory. A table that is added there is followed by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import CASCADE, PROTECT, ForeignKey, Q, QuerySet
from django.urls import reverse
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.compiled_queries import OrganizationQuery
from grading.core.enums import OPEN_STATES, STAFF_ROLES
from grading.core.errors import PeopleRefused
from grading.core.form_fingerprint import fingerprint_of
from grading.core.key_arrays import IsAmong
from grading.core.uploads import delete_with_rows
from grading.courses.archive.cohort_inventory import KINDS, LABELS, number_by_kind
from grading.courses.organizations.invitations import revoke_invitation
from grading.models import (
    Audit,
    BlindSample,
    Enrollment,
    Grade,
    Membership,
    RoundMember,
    Submission,
    Team,
    TeamMember,
)
from grading.notifications.emails import drop_waiting_emails

# What no student would call work: a place on the roster, and marks of what was opened.
NO_WORK = (
    "students on the roster",
    "marks of what was opened",
    "granted repositories",
    "accesses to repositories",
    "people of made repositories",
    "made repositories",
    "pushes",
    "branches whose pushes are submissions",
    "people of platforms",
)
# Counted beside the kinds, under names that no kind has.
UPLOADS, RUNNING, SHARED, IN_ROUND = "uploads", "running", "shared", "in a round"


@dataclass(frozen=True, slots=True)
class Holdings:
    """Records that a removal deletes, by label, and why it is refused at present ("" if not)."""

    kinds: tuple[tuple[str, int], ...]
    uploads: int
    refusal: str

    @property
    def has_work(self) -> bool:
        return bool(self.kinds)

    @property
    def records(self) -> int:
        return sum(number for _label, number in self.kinds)

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self.kinds, self.uploads)


def has_work(student: Enrollment) -> bool:
    return holdings_of(student).has_work


def holdings_of(student: Enrollment) -> Holdings:
    """Return what a removal of the student deletes. One query, and one more for a round."""
    counted = dict(
        COUNTS.rows(organization=student.organization_id, student=student.pk, now=timezone.now())
    )
    kinds = tuple(
        (LABELS.get(name, name), counted[name])
        for name, _model, _path in reversed(KINDS)
        if counted.get(name) and name not in NO_WORK
    )
    return Holdings(kinds, counted.get(UPLOADS, 0), _refusal(student, counted))


def _counts(student: int, now: datetime) -> QuerySet[Any, Any]:
    """Return the query of the names of kinds that have rows, with their numbers."""
    rows = rows_of(student)
    return number_by_kind(
        {name: rows[model] for name, model, _path in KINDS if model in rows}
        | {
            UPLOADS: rows[Submission].exclude(pdf=""),
            RUNNING: rows[Audit].filter(state__in=OPEN_STATES),
            **{
                f"{SHARED} {model.__name__}": held.exclude(student=student)
                for model, held in rows.items()
                if model is Grade or _is_of_team(model)
            },
            IN_ROUND: _running_places(student, now),
        }
    )


# Django takes a tenth of a second to make it: a subquery for each reference between two tables.
COUNTS = OrganizationQuery(_counts, student=int, now=datetime)


def rows_of(student: int) -> dict[Any, QuerySet[Any]]:
    """Return the student's rows of each model that has any by its references."""
    rows: dict[Any, QuerySet[Any]] = {Enrollment: Enrollment.objects.filter(pk=student)}
    # A row that refers to another one comes before it in KINDS: parents are found first.
    for _name, model, _path in reversed(KINDS):
        if model not in rows and (belongs := _belonging(model, rows)):
            rows[model] = model.objects.filter(belongs)
    return {model: held.order_by() for model, held in rows.items()}


def _belonging(model: Any, rows: Mapping[Any, QuerySet[Any]]) -> Q:
    """Return the condition of rows that refer to one of these rows and cannot stay without it."""
    condition = Q()
    for field in model._meta.get_fields():  # noqa: SLF001 -- Django documents it as public
        if (
            isinstance(field, ForeignKey)
            and field.related_model in rows
            and field.remote_field.on_delete in (CASCADE, PROTECT)
        ):
            condition |= Q(IsAmong(field.name, rows[field.related_model].values("pk")))
    return condition


def _is_of_team(model: Any) -> bool:
    """Return whether rows of this table place a student in a team, beside others."""
    names = {field.name for field in model._meta.get_fields()}  # noqa: SLF001 -- as above
    return {"team", "student"} <= names


def _running_places(student: int, now: datetime) -> QuerySet[RoundMember]:
    return RoundMember.objects.filter(
        student=student, left_at=None, round__ends_at__gte=now
    ).order_by()


def _refusal(student: Enrollment, counted: Mapping[str, int]) -> str:
    if counted.get(RUNNING):
        return "An audit of this student is waiting or running. Remove them when it has finished."
    if counted.get(IN_ROUND):
        places = _running_places(student.pk, timezone.now())
        place = places.select_related("round__assignment")[0]
        return (
            f"{student} is in round {place.round.number} of {place.round.assignment}, where others "
            "wait for them. Remove them from the round first: it finds other peers."
        )
    if any(number for name, number in counted.items() if name.startswith(SHARED)):
        mates = TeamMember.objects.exclude(student=student)
        teams = Team.objects.filter(representative=student, submissions=None, members__in=mates)
        team = teams.select_related("assignment").first()
        if team and not counted.get(f"{SHARED} {Grade.__name__}"):
            return (
                f"{student} is the first member of the team “{team.name}” of {team.assignment}. Take "
                "them out of it first, on its page Teams: the others go on."
            )
        return (
            f"{student} submitted for a team, in which other students have grades or places. Their "
            "work would go too, so nothing is removed."
        )
    return ""


def remove_student(*, student: Enrollment, typed: str, fingerprint: str, by: User) -> None:
    """Delete the student's place and everything that belongs to them.

    `typed` is their address as the teacher typed it, needed where there is work; `fingerprint` is
    that of the holdings that were shown. The log stays. Raises PeopleRefused: typed_differs,
    holdings_changed, student_busy.
    """
    with transaction.atomic():
        # Submissions refer to this row, and wait for its lock.
        locked = Enrollment.objects.select_for_update().get(pk=student.pk)
        holdings = holdings_of(locked)
        _check(locked, holdings, typed, fingerprint)

        rows = rows_of(locked.pk)
        uploads = list(rows[Submission].exclude(pdf="").values_list("pdf", flat=True))
        # Read before the first deletion: the conditions refer to rows that are gone after it.
        keys = {model: list(held.values_list("pk", flat=True)) for model, held in rows.items()}
        record_activity(
            organization=locked.organization_id,
            actor=by,
            verb="enrollment.removed",
            about=locked,
            student=str(locked),
            email=locked.email,
            records=holdings.records or None,
            held=dict(holdings.kinds),
        )
        _forget_in_samples(locked, keys[Submission])
        _withdraw_offer(locked)
        _drop_emails(locked)
        for _name, model, _path in KINDS:
            if keys.get(model):
                model.objects.filter(pk__in=keys[model]).only("pk").delete()
        delete_with_rows(student.organization_id, uploads)


def _check(student: Enrollment, holdings: Holdings, typed: str, fingerprint: str) -> None:
    if holdings.refusal:
        raise PeopleRefused("", "student_busy", holdings.refusal)
    if holdings.fingerprint != fingerprint:
        raise PeopleRefused(
            "",
            "holdings_changed",
            "Something changed since you opened this page. It now shows the current state.",
        )
    if holdings.has_work and typed.strip().lower() != student.email.lower():
        raise PeopleRefused("typed", "typed_differs", f"Type {student.email} to remove them.")


def _forget_in_samples(student: Enrollment, submissions: Collection[Any]) -> None:
    """Take the submissions out of blind samples, which keep their keys in a list."""
    gone = {str(key) for key in submissions}
    for sample in BlindSample.objects.filter(assignment__cohort=student.cohort_id):
        if gone & set(sample.submissions):
            sample.submissions = [key for key in sample.submissions if key not in gone]
            sample.save(update_fields=["submissions"])


def _drop_emails(student: Enrollment) -> None:
    """Delete the emails about this cohort that wait for the student, at once or in a daily one.

    Without another cohort nothing in the organization is for them any more, unless they are staff.
    """
    if student.user_id is None:
        return
    others = Enrollment.objects.filter(organization=student.organization_id, user=student.user_id)
    staff = Membership.objects.filter(
        organization=student.organization_id, user=student.user_id, role__in=STAFF_ROLES
    )
    keeps_others = others.exclude(pk=student.pk).exists() or staff.exists()
    cohort = reverse("cohort", args=[student.organization.slug, student.cohort.slug])
    drop_waiting_emails(
        organization_id=student.organization_id,
        user_id=student.user_id,
        path=cohort if keeps_others else "",
    )


def _withdraw_offer(student: Enrollment) -> None:
    """Withdraw an invitation that leads to no other cohort."""
    others = Enrollment.objects.filter(
        organization=student.organization_id, email__iexact=student.email
    )
    if not others.exclude(pk=student.pk).exists():
        revoke_invitation(organization=student.organization, email=student.email)
