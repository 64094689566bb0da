"""Whole institutions for the tests of the walls between them."""

from typing import Any

from django.contrib.auth.models import User
from django_scopes import scope

from grading.actions import runs
from grading.models import Organization
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    MembershipFactory,
    OrganizationFactory,
    UserFactory,
)
from tests.factories.work import (
    AssignmentFactory,
    AuditFactory,
    RubricFactory,
    RubricVersionFactory,
    claimed,
    evidence_row,
    opinion_row,
    verdict,
)


def institute(user: User | None = None, **fields: Any) -> Organization:
    """One organization with a row in every table; `user` is a student of it."""
    user = user or UserFactory.create()
    organization = OrganizationFactory.create(**fields)
    MembershipFactory.create(organization=organization, user=user)
    cohort = CohortFactory.create(organization=organization, slug="same")
    enrollment = EnrollmentFactory.create(cohort=cohort, user=user, email=user.email)
    version = RubricVersionFactory.create(rubric=RubricFactory.create(organization=organization))
    assignment = AssignmentFactory.create(cohort=cohort, slug="same", rubric_version=version)
    audit = AuditFactory.create(submission__assignment=assignment, submission__student=enrollment)
    lease = claimed(audit)
    with scope(organization=organization):
        runs.record_opinion(lease=lease, opinion=opinion_row())
        runs.finish_audit(lease=lease, verdict=verdict(evidence=(evidence_row(),)))
    return organization
