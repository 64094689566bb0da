"""Import the people of a platform's course into a cohort's roster: what would change, and the change.

Students get a place as by a list in a file (courses/roster.py); nobody is removed. An address alone
makes nobody the holder of an existing account: that takes a launch, at which its owner agrees.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.enums import STAFF_ROLES
from grading.core.errors import PlatformRefused
from grading.core.form_fingerprint import fingerprint_of
from grading.courses.organizations.invitations import invite
from grading.lti.memberships import ListedPerson
from grading.models import (
    Cohort,
    Enrollment,
    LtiAccount,
    LtiCourseLink,
    LtiMember,
    Membership,
)
from grading.notifications.gradebooks import queue_known_scores

State = Literal["new", "changed", "here", "consent", "waiting", "staff"]
WAITS = "Without an address they get a place at their first launch."
CONSENT = "The place is of an account that is not connected: its owner connects it at a launch."
GONE = "They left the organization: their next launch brings them back."
STAFF_HERE = "Staff of the organization get no place."


@dataclass(frozen=True, slots=True)
class PlannedPerson:
    """Person on the list, what an import would do, and why it does no more.

    `changes` are (field, old value, new value).
    """

    person: ListedPerson
    state: State
    student: Enrollment | None = None
    user_id: int | None = None
    changes: tuple[tuple[str, str, str], ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RosterPlan:
    """Everybody on the list, and those of our list of the course who are not on it any more."""

    people: tuple[PlannedPerson, ...]
    left: tuple[LtiMember, ...]

    def of(self, state: State) -> list[PlannedPerson]:
        return [row for row in self.people if row.state == state]

    @property
    def fingerprint(self) -> str:
        """Text that changes when the import would do something else."""
        rows = [(row.person.subject, row.state, row.changes) for row in self.people]
        return fingerprint_of(rows, [member.subject for member in self.left])


@dataclass(slots=True)
class _Known:
    """Rows of the database on the people of one course and cohort.

    `holders` are the listed people there, by the key of the place that is theirs.
    """

    members: dict[str, LtiMember]
    accounts: dict[str, int]
    subjects: dict[int, str]
    memberships: dict[int, Membership]
    by_user: dict[int, Enrollment]
    by_email: dict[str, Enrollment]
    holders: dict[int, str]


def plan_roster(*, link: LtiCourseLink, people: Sequence[ListedPerson]) -> RosterPlan:
    """Return what an import of these people would do; nothing is written. A fixed number of queries."""
    listed = {person.subject for person in people}
    known, planned = _known(link, listed), list[PlannedPerson]()
    for person in people:
        row = _planned(person, known)
        if row.state == "new":
            # A second person with this address gets no second place.
            taken = Enrollment(email=_email(row, known), user_id=-1)
            known.by_email[taken.email.lower()] = taken
        if row.student is not None:
            known.holders.setdefault(row.student.pk, person.subject)
        planned.append(row)
    left = [
        member
        for member in known.members.values()
        if member.left_at is None and member.subject not in listed
    ]
    return RosterPlan(tuple(planned), tuple(left))


def import_roster(
    *,
    link: LtiCourseLink,
    people: Sequence[ListedPerson],
    by: User | None,
    fingerprint: str | None = None,
    letters: bool = False,
) -> RosterPlan:
    """Give the listed students their places, and mark who has left. With `letters` invite the new.

    Raises PlatformRefused: roster_changed (the import would do something else than `fingerprint`
    says), roster_empty (nobody is listed, but people were before).
    """
    with transaction.atomic():
        # Launches give places too, and wait for this lock.
        Cohort.objects.select_for_update(no_key=True).get(pk=link.cohort_id)
        plan = plan_roster(link=link, people=people)
        if fingerprint is not None and plan.fingerprint != fingerprint:
            sentence = "The list or the roster changed since this preview, so nothing was saved."
            raise PlatformRefused("", "roster_changed", sentence)
        if not people and plan.left:
            sentence = "The platform lists nobody any more, so nothing was changed."
            raise PlatformRefused("", "roster_empty", sentence)
        _write(link, plan)
        if letters:
            emails = [row.person.email for row in plan.of("new") if row.person.email]
            invite(organization=link.cohort.organization, emails=emails, by=by)
        _record(link, plan, by)
    return plan


def _known(link: LtiCourseLink, listed: Collection[str]) -> _Known:
    students = list(Enrollment.objects.filter(cohort=link.cohort_id))
    accounts = LtiAccount.objects.filter(registration=link.context.registration_id, ended_at=None)
    subjects = dict(accounts.values_list("user", "subject"))
    memberships = Membership.objects.filter(organization=link.organization_id, user__in=subjects)
    rows = LtiMember.objects.filter(course_link=link).select_related("enrollment")
    members = {member.subject: member for member in rows}
    holders = {
        member.enrollment_id: member.subject
        for member in members.values()
        if member.left_at is None and member.enrollment_id and member.subject in listed
    }
    return _Known(
        members=members,
        accounts={subject: user for user, subject in subjects.items()},
        subjects=subjects,
        memberships={row.user_id: row for row in memberships if row.user_id is not None},
        by_user={row.user_id: row for row in students if row.user_id is not None},
        by_email={row.email.lower(): row for row in students},
        holders=holders,
    )


def _planned(person: ListedPerson, known: _Known) -> PlannedPerson:
    member = known.members.get(person.subject)
    if person.role != "student":
        # Who was a student there and has a place keeps it.
        student = member.enrollment if member else None
        return PlannedPerson(person, "staff", student, changes=_role_change(person, member))
    user = known.accounts.get(person.subject)
    if user is not None:
        return _planned_account(person, user, known)
    student = _waiting_place(person, member, known)
    if student is not None:
        return _kept(person, student, member)
    if not person.email:
        return PlannedPerson(person, "waiting", reason=WAITS)
    if person.email in known.by_email:
        return PlannedPerson(person, "consent", reason=CONSENT)
    return PlannedPerson(person, "new")


def _planned_account(person: ListedPerson, user: int, known: _Known) -> PlannedPerson:
    """Plan for somebody whose account is connected: they agreed, whatever their address."""
    membership = known.memberships.get(user)
    if membership is None:
        return PlannedPerson(person, "waiting", reason=GONE)
    if membership.role in STAFF_ROLES:
        return PlannedPerson(person, "staff", reason=STAFF_HERE)
    member = known.members.get(person.subject)
    if (student := known.by_user.get(user)) is not None:
        return _kept(person, student, member)
    email = person.email or membership.email.lower()
    if email not in known.by_email:
        return PlannedPerson(person, "new", user_id=user)
    if (waiting := _place_by_address(person, email, known)) is None:
        return PlannedPerson(person, "consent", reason=CONSENT)
    return _kept(person, waiting, member, user=user)


def _waiting_place(
    person: ListedPerson, member: LtiMember | None, known: _Known
) -> Enrollment | None:
    """Return the place that waits for a person without an account: theirs before, or by address."""
    if member is not None and member.enrollment is not None and member.enrollment.user_id is None:
        return member.enrollment
    return _place_by_address(person, person.email, known)


def _place_by_address(person: ListedPerson, email: str, known: _Known) -> Enrollment | None:
    """Return the place that waits for an address, unless it is another person's there already.

    People can change their address there, and would get the place and grades of another.
    """
    waiting = known.by_email.get(email)
    if waiting is None or waiting.user_id is not None:
        return None
    return waiting if known.holders.get(waiting.pk, person.subject) == person.subject else None


def _kept(
    person: ListedPerson, student: Enrollment, member: LtiMember | None, *, user: int | None = None
) -> PlannedPerson:
    """Plan for somebody with a place. A name that was changed here stays until it changes there."""
    changes = _role_change(person, member)
    is_news = member is None or member.name != person.name
    if person.name and is_news and student.name != person.name:
        changes += (("name", student.name, person.name),)
    if member is not None and member.left_at is not None:
        changes += (("in the course", "left", "back"),)
    return PlannedPerson(
        person, "changed" if changes or user else "here", student, user, changes=changes
    )


def _role_change(
    person: ListedPerson, member: LtiMember | None
) -> tuple[tuple[str, str, str], ...]:
    if member is None or not member.roles:
        return ()
    before = ListedPerson(subject=member.subject, roles=member.roles).role
    change = ("role there", before or "none", person.role or "none")
    return () if before == person.role else (change,)


def _email(row: PlannedPerson, known: _Known) -> str:
    if row.person.email or row.user_id is None:
        return row.person.email
    return known.memberships[row.user_id].email.lower()


def _write(link: LtiCourseLink, plan: RosterPlan) -> None:
    now, known = timezone.now(), _known(link, ())
    places = {row.person.subject: row.student for row in plan.people}
    new = plan.of("new")
    made = Enrollment.objects.bulk_create(
        [
            Enrollment(
                organization_id=link.organization_id,
                cohort=link.cohort,
                email=_email(row, known),
                name=row.person.name,
                user_id=row.user_id,
            )
            for row in new
        ]
    )
    places |= {row.person.subject: place for row, place in zip(new, made, strict=True)}
    _update_places(plan)
    LtiMember.objects.bulk_create(
        [
            LtiMember(
                organization_id=link.organization_id,
                course_link=link,
                subject=row.person.subject,
                enrollment=places[row.person.subject],
                name=row.person.name,
                email=row.person.email,
                roles=list(row.person.roles),
            )
            for row in plan.people
        ],
        update_conflicts=True,
        unique_fields=["course_link", "subject"],
        update_fields=["enrollment", "name", "email", "roles", "left_at"],
    )
    LtiMember.objects.filter(pk__in=[member.pk for member in plan.left]).update(left_at=now)
    LtiCourseLink.objects.filter(pk=link.pk).update(roster_at=now, roster_error="")
    keys = [place.pk for place in places.values() if place is not None]
    queue_known_scores(link=link, students=keys)


def _update_places(plan: RosterPlan) -> None:
    changed = list[Enrollment]()
    for row in plan.of("changed"):
        if row.student is None:
            continue
        names = {field: new for field, _old, new in row.changes}
        row.student.name = names.get("name", row.student.name)
        row.student.user_id = row.user_id or row.student.user_id
        changed.append(row.student)
    Enrollment.objects.bulk_update(changed, ["name", "user"])


def _record(link: LtiCourseLink, plan: RosterPlan, by: User | None) -> None:
    record_activity(
        organization=link.organization_id,
        actor=by,
        verb="platform.roster_imported",
        about=link,
        course=str(link.context),
        created=len(plan.of("new")),
        updated=len(plan.of("changed")),
        left=len(plan.left),
    )
