"""Place of a launch's person: on the roster here, and on our list of the people of their course."""

from __future__ import annotations

from django.contrib.auth.models import User

from grading.core.activity_writer import record_activity
from grading.core.enums import STAFF_ROLES
from grading.lti.claims import LaunchClaims
from grading.lti.people import enroll
from grading.models import Cohort, Enrollment, LtiContext, LtiCourseLink, LtiMember, Membership
from grading.notifications.gradebooks import queue_known_scores


def enroll_from_launch(
    *, context: LtiContext | None, cohort: Cohort, user: User, claims: LaunchClaims
) -> None:
    """Give a student of the platform their place, and note whose it is there.

    A place that waits for this person of the platform is theirs, whatever its address. Runs in the
    scope and transaction of its caller. Raises LaunchRefused launch_taken.
    """
    link = LtiCourseLink.objects.filter(context=context, cohort=cohort).first() if context else None
    if link is not None:
        _fill_waiting_place(link, user, claims)
    student = enroll(cohort=cohort, user=user, claims=claims)
    if link is None or student is None:
        return
    told = {"name": claims.name, "email": claims.email}
    known = {name: words for name, words in told.items() if words}
    LtiMember.objects.update_or_create(
        course_link=link,
        subject=claims.subject,
        defaults={"enrollment": student, "left_at": None} | known,
        create_defaults={"enrollment": student, "organization_id": link.organization_id} | told,
    )
    queue_known_scores(link=link, students=[student.pk])


def _fill_waiting_place(link: LtiCourseLink, user: User, claims: LaunchClaims) -> None:
    # Two launches of one person at the same time.
    Cohort.objects.select_for_update(no_key=True).get(pk=link.cohort_id)
    members = LtiMember.objects.filter(course_link=link, subject=claims.subject)
    place = Enrollment.objects.filter(lti_members__in=members, user=None).first()
    is_staff = Membership.objects.filter(
        organization=link.organization_id, user=user, role__in=STAFF_ROLES
    ).exists()
    if place is None or is_staff or claims.role != "student":
        return
    if Enrollment.objects.filter(cohort=link.cohort_id, user=user).exists():
        return
    place.user = user
    place.save(update_fields=["user"])
    record_activity(
        organization=link.organization_id, actor=user, verb="enrollment.linked", about=place
    )
