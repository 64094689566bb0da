"""Extensions for one student or for a group."""

import factory

from grading.models import Extension
from tests.factories.people import TenantFactory
from tests.factories.work import AssignmentFactory


class ExtensionFactory(TenantFactory):
    class Meta:
        model = Extension

    assignment = factory.SubFactory(AssignmentFactory)
    organization = factory.SelfAttribute("assignment.organization")
    reason = "Illness"
