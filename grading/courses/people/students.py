"""Add, change, group, move and invite single students of a cohort."""

from __future__ import annotations

from collections.abc import Collection

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models.functions import Lower

from grading.core.activity_writer import record_activity
from grading.core.errors import PeopleRefused
from grading.courses.extensions.late_marks import clear_late_marks_of
from grading.courses.organizations.invitations import (
    invite,
    renew_invitation,
    revoke_invitation,
)
from grading.courses.people.removal import has_work
from grading.models import Cohort, Enrollment, PushLink

TAKEN = "{email} is on the roster of {cohort} already."
LETTER_LIMIT = (
    "A letter was sent to {email} before: this site sends one letter to an address that has not "
    "accepted. The invitation is open, and waits on the person's first page."
)


def add_student(
    *, cohort: Cohort, email: str, name: str, student_number: str, group: str, by: User
) -> Enrollment:
    """Enroll and invite one address. Raises PeopleRefused email_taken."""
    with transaction.atomic():
        student = Enrollment(
            organization_id=cohort.organization_id,
            cohort=cohort,
            email=email.lower(),
            name=name,
            student_number=student_number,
            group=group,
        )
        _save(student)
        # Who was removed before has a withdrawn invitation.
        renew_invitation(organization=cohort.organization, email=student.email, by=by)
        _record("enrollment.added", student, by)
    return student


def change_student(
    *, student: Enrollment, email: str, name: str, student_number: str, group: str, by: User
) -> Enrollment:
    """Change what the roster says; the address only before its person accepted.

    A new address is invited, and the invitation of the former one is withdrawn unless another
    cohort waits for it. Raises PeopleRefused email_taken, email_accepted.
    """
    after = {
        "email": email.lower(),
        "name": name,
        "student_number": student_number,
        "group": group,
    }
    with transaction.atomic():
        locked = Enrollment.objects.select_for_update().get(pk=student.pk)
        before = {field: getattr(locked, field) for field in after}
        # The case of a letter makes no other address.
        before["email"] = before["email"].lower()
        changed = [field for field in after if after[field] != before[field]]
        if "email" in changed and locked.user_id is not None:
            raise PeopleRefused(
                "email",
                "email_accepted",
                "This person accepted with this address: it can't change now.",
            )
        if not changed:
            return locked

        for field in changed:
            setattr(locked, field, after[field])
        _save(locked)
        if "group" in changed:
            clear_late_marks_of(locked.cohort, [group])
        if "email" in changed:
            _invite_instead(locked, before["email"], by)
        words = ", ".join(field.replace("_", " ") for field in changed)
        _record("enrollment.changed", locked, by, what=words)
    return locked


def _invite_instead(student: Enrollment, former: str, by: User) -> None:
    waiting = Enrollment.objects.annotate(lowered=Lower("email")).filter(
        organization=student.organization_id, lowered=former.lower(), user=None
    )
    if not waiting.exists():
        revoke_invitation(organization=student.organization, email=former)
    invite(organization=student.organization, emails=[student.email], by=by)


def group_students(*, cohort: Cohort, students: Collection[int], group: str, by: User) -> int:
    """Move students to a group, "" for none; return how many changed. Raises PeopleRefused."""
    if not students:
        raise PeopleRefused("students", "students_missing", "Select at least one student.")
    with transaction.atomic():
        rows = Enrollment.objects.filter(cohort=cohort, pk__in=students).exclude(group=group)
        number = rows.update(group=group)
        if number:
            clear_late_marks_of(cohort, [group])
            record_activity(
                organization=cohort.organization_id,
                actor=by,
                verb="enrollment.grouped",
                about=cohort,
                group=group or "—",
                number=number,
            )
    return number


def move_student(*, student: Enrollment, to: Cohort, by: User) -> None:
    """Move a student without work to another cohort of the institution.

    Raises PeopleRefused cohort_foreign, student_has_work, email_taken.
    """
    if to.organization_id != student.organization_id or to.pk == student.cohort_id:
        raise PeopleRefused("cohort", "cohort_foreign", "Choose another cohort.")
    with transaction.atomic():
        locked = Enrollment.objects.select_for_update().select_related("cohort").get(pk=student.pk)
        if has_work(locked):
            raise PeopleRefused(
                "cohort",
                "student_has_work",
                f"{locked} has work in {locked.cohort}, which belongs to its assignments. Add this "
                "address to the other cohort too.",
            )
        if locked.user_id and Enrollment.objects.filter(cohort=to, user=locked.user_id).exists():
            raise PeopleRefused("cohort", "email_taken", f"{locked} is in {to} already.")
        before = locked.cohort
        locked.cohort = to
        # Groups are the cohort's own.
        locked.group = ""
        _save(locked, field="cohort")
        # They are about assignments of the former cohort.
        PushLink.objects.filter(student=locked).delete()
        for about in (before, to):
            record_activity(
                organization=locked.organization_id,
                actor=by,
                verb="enrollment.moved",
                about=about,
                student=str(locked),
                before=before.name,
                after=to.name,
            )


def invite_again(*, student: Enrollment, by: User) -> bool:
    """Open a withdrawn invitation, or write a letter that was never sent.

    Return whether a letter is written: nobody gets a second one before they accept. Raises
    PeopleRefused already_accepted.
    """
    _refuse_accepted(student)
    with transaction.atomic():
        written = renew_invitation(organization=student.organization, email=student.email, by=by)
        _record("enrollment.invited", student, by)
    return written


def withdraw_invitation(*, student: Enrollment, by: User) -> None:
    """Take back an open invitation; the place on the roster stays. Raises PeopleRefused."""
    _refuse_accepted(student)
    with transaction.atomic():
        if not revoke_invitation(organization=student.organization, email=student.email):
            raise PeopleRefused(
                "", "invitation_not_open", f"{student.email} has no open invitation."
            )
        _record("enrollment.uninvited", student, by)


def _refuse_accepted(student: Enrollment) -> None:
    if student.user_id is not None:
        raise PeopleRefused("", "already_accepted", f"{student} has accepted already.")


def _save(student: Enrollment, *, field: str = "email") -> None:
    """Save the student. Raises PeopleRefused email_taken if the roster has the address."""
    taken = Enrollment.objects.annotate(lowered=Lower("email")).filter(
        cohort=student.cohort, lowered=student.email.lower()
    )
    sentence = TAKEN.format(email=student.email, cohort=student.cohort)
    if taken.exclude(pk=student.pk).exists():
        raise PeopleRefused(field, "email_taken", sentence)
    try:
        with transaction.atomic():
            student.save()
    except IntegrityError as error:  # added by somebody else at the same time
        raise PeopleRefused(field, "email_taken", sentence) from error


def _record(verb: str, student: Enrollment, by: User, **detail: str) -> None:
    record_activity(
        organization=student.organization_id,
        actor=by,
        verb=verb,
        about=student,
        student=str(student),
        **detail,
    )
