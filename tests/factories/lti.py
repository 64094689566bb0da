"""Learning platforms, and a row in every table about them."""

from __future__ import annotations

from datetime import timedelta
from functools import cache

import factory
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from django.utils import timezone
from jwt.algorithms import RSAAlgorithm

from grading.core.crypto import seal
from grading.core.enums import LaunchKind, LineItemOrigin, Role
from grading.lti.keys import SEAL
from grading.models import (
    LtiAccount,
    LtiContext,
    LtiCourseLink,
    LtiDeployment,
    LtiKey,
    LtiLaunch,
    LtiLineItem,
    LtiMember,
    LtiRegistration,
    LtiResourceLink,
    LtiScore,
)
from tests.factories.people import (
    CohortFactory,
    EnrollmentFactory,
    OrganizationFactory,
    TenantFactory,
    UserFactory,
)
from tests.factories.work import AssignmentFactory


@cache
def private_key() -> rsa.RSAPrivateKey:
    """One key for all: making one takes a tenth of a second."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def private_pem() -> str:
    return private_key().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def public_pem() -> str:
    public = private_key().public_key()
    return public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


class LtiRegistrationFactory(TenantFactory):
    """One that is complete; `named_by` gives it the addresses of a server."""

    class Meta:
        model = LtiRegistration

    organization = factory.SubFactory(OrganizationFactory)
    name = "Moodle"
    issuer = factory.Sequence(lambda n: f"https://moodle{n}.example")
    client_id = "client-1"
    login_url = factory.LazyAttribute(lambda row: f"{row.issuer}/auth")
    token_url = factory.LazyAttribute(lambda row: f"{row.issuer}/token")
    jwks_url = factory.LazyAttribute(lambda row: f"{row.issuer}/keys")
    teacher_role = Role.INSTRUCTOR


class LtiDeploymentFactory(TenantFactory):
    class Meta:
        model = LtiDeployment

    registration = factory.SubFactory(LtiRegistrationFactory)
    organization = factory.SelfAttribute("registration.organization")
    deployment_id = "1"


class LtiKeyFactory(TenantFactory):
    class Meta:
        model = LtiKey

    registration = factory.SubFactory(LtiRegistrationFactory)
    organization = factory.SelfAttribute("registration.organization")
    sealed_private = factory.LazyFunction(lambda: seal(private_pem(), purpose=SEAL))
    public_jwk = factory.LazyFunction(
        lambda: RSAAlgorithm.to_jwk(private_key().public_key(), as_dict=True)
    )
    signs_from = factory.LazyFunction(lambda: timezone.now() - timedelta(minutes=1))


class LtiAccountFactory(TenantFactory):
    class Meta:
        model = LtiAccount

    registration = factory.SubFactory(LtiRegistrationFactory)
    organization = factory.SelfAttribute("registration.organization")
    subject = factory.Sequence(lambda n: f"subject-{n}")
    user = factory.SubFactory(UserFactory)


class LtiContextFactory(TenantFactory):
    class Meta:
        model = LtiContext

    deployment = factory.SubFactory(LtiDeploymentFactory)
    registration = factory.SelfAttribute("deployment.registration")
    organization = factory.SelfAttribute("deployment.organization")
    context_id = factory.Sequence(lambda n: f"course-{n}")
    title = "Software engineering"


class LtiCourseLinkFactory(TenantFactory):
    """`cohort` has to be of the organization of `context`."""

    class Meta:
        model = LtiCourseLink

    cohort = factory.SubFactory(CohortFactory)
    organization = factory.SelfAttribute("cohort.organization")
    context = factory.SubFactory(
        LtiContextFactory,
        deployment__registration__organization=factory.SelfAttribute("....cohort.organization"),
    )


class LtiMemberFactory(TenantFactory):
    class Meta:
        model = LtiMember

    course_link = factory.SubFactory(LtiCourseLinkFactory)
    organization = factory.SelfAttribute("course_link.organization")
    subject = factory.Sequence(lambda n: f"subject-{n}")
    enrollment = factory.SubFactory(
        EnrollmentFactory, cohort=factory.SelfAttribute("..course_link.cohort")
    )


class LtiResourceLinkFactory(TenantFactory):
    class Meta:
        model = LtiResourceLink

    assignment = factory.SubFactory(AssignmentFactory)
    organization = factory.SelfAttribute("assignment.organization")
    context = factory.SubFactory(
        LtiContextFactory,
        deployment__registration__organization=factory.SelfAttribute("....assignment.organization"),
    )
    resource_link_id = factory.Sequence(lambda n: f"link-{n}")


class LtiLineItemFactory(TenantFactory):
    class Meta:
        model = LtiLineItem

    assignment = factory.SubFactory(AssignmentFactory)
    organization = factory.SelfAttribute("assignment.organization")
    context = factory.SubFactory(
        LtiContextFactory,
        deployment__registration__organization=factory.SelfAttribute("....assignment.organization"),
    )
    url = "https://moodle.example/lineitems/1"
    origin = LineItemOrigin.SITE
    maximum = 100


class LtiScoreFactory(TenantFactory):
    class Meta:
        model = LtiScore

    line_item = factory.SubFactory(LtiLineItemFactory)
    organization = factory.SelfAttribute("line_item.organization")
    student = factory.SubFactory(
        EnrollmentFactory, cohort=factory.SelfAttribute("..line_item.assignment.cohort")
    )
    next_at = factory.LazyFunction(timezone.now)


class LtiLaunchFactory(TenantFactory):
    class Meta:
        model = LtiLaunch

    registration = factory.SubFactory(LtiRegistrationFactory)
    organization = factory.SelfAttribute("registration.organization")
    state_sha256 = factory.Sequence(lambda n: f"{n:064x}")
    browser_sha256 = "0" * 64
    nonce = "nonce"
    target = "http://127.0.0.1:8000/"
    kind = LaunchKind.RESOURCE
    received_at = factory.LazyFunction(timezone.now)
    claims = factory.LazyFunction(
        lambda: {
            "kind": "resource",
            "deployment_id": "1",
            "subject": "subject",
            "target": "http://127.0.0.1:8000/",
            "resource_link": {"id": "link"},
            "context": {"id": "course"},
        }
    )
