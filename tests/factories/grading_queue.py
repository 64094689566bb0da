"""Rows of the grading queue."""

import factory
from django.utils import timezone

from grading.models import ReviewMark, ReviewPresence, ReviewShare
from tests.factories.people import EnrollmentFactory, TenantFactory, UserFactory
from tests.factories.work import AssignmentFactory, SubmissionFactory


class ReviewMarkFactory(TenantFactory):
    class Meta:
        model = ReviewMark

    submission = factory.SubFactory(SubmissionFactory)
    organization = factory.SelfAttribute("submission.organization")
    criterion_id = "tidy"
    flagged_at = factory.LazyFunction(timezone.now)


class ReviewShareFactory(TenantFactory):
    class Meta:
        model = ReviewShare

    assignment = factory.SubFactory(AssignmentFactory)
    organization = factory.SelfAttribute("assignment.organization")
    reader = factory.SubFactory(UserFactory)
    criterion_id = "tidy"


class ReviewPresenceFactory(TenantFactory):
    class Meta:
        model = ReviewPresence

    assignment = factory.SubFactory(AssignmentFactory)
    organization = factory.SelfAttribute("assignment.organization")
    reader = factory.SubFactory(UserFactory)
    student = factory.SubFactory(
        EnrollmentFactory, cohort=factory.SelfAttribute("..assignment.cohort")
    )
    seen_at = factory.LazyFunction(timezone.now)
