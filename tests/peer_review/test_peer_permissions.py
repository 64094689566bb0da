"""Access that a pairing grants: to whom and for how long."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import Http404
from django.utils import timezone

from grading.core import peer_permissions, permissions
from grading.core.enums import AuditKind, AuditState, FeedbackKind, Role
from grading.core.pairing_access import granted_pairings
from grading.models import (
    Audit,
    Cohort,
    FeedbackReport,
    Membership,
    Pairing,
    PairingRound,
    RoundMember,
)
from tests.factories.peers import (
    FeedbackReportFactory,
    FindingFactory,
    PairingFactory,
    PairingRoundFactory,
    RoundMemberFactory,
)
from tests.factories.people import (
    CohortFactory,
    OrganizationFactory,
    everywhere,
    staff_user,
    student,
)
from tests.factories.work import AuditFactory, SubmissionFactory

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


class World:
    """A pairing with a platform's report under it, and everybody who might ask."""

    def __init__(self) -> None:
        paired = PairingRoundFactory.create()
        self.round: PairingRound = paired
        self.cohort: Cohort = paired.assignment.cohort
        self.auditor, self.auditee = student(self.cohort), student(self.cohort)
        for member in (self.auditor, self.auditee):
            RoundMemberFactory.create(round=paired, student=member)
        self.pairing: Pairing = PairingFactory.create(
            round=paired, auditor=self.auditor, auditee=self.auditee
        )
        self.report: FeedbackReport = FeedbackReportFactory.create(
            pairing=self.pairing, platform=True
        )
        organization = self.cohort.organization
        self.people: dict[str, User] = {
            "auditor": self.auditor.user,
            "auditee": self.auditee.user,
            "classmate": student(self.cohort).user,
            "neighbour": student(CohortFactory.create(organization=organization)).user,
            "assistant": staff_user(organization, Role.ASSISTANT),
            "foreigner": staff_user(OrganizationFactory.create()),
        }

    def change(self, row: Any, **fields: Any) -> None:
        with everywhere():
            type(row).objects.filter(pk=row.pk).update(**fields)

    def answers_by_person(self, access: Callable[[User], Any]) -> dict[str, Any]:
        """Return the answer to each person; those who get a 404 are left out."""
        answers: dict[str, Any] = {}
        with everywhere():
            for name, user in self.people.items():
                try:
                    answers[name] = access(user)
                except Http404:
                    continue
        return answers

    def of_pairing(self) -> dict[str, str]:
        return self.answers_by_person(
            lambda user: peer_permissions.access_pairing(user, self.pairing.pk)[1]
        )

    def of_report(self) -> dict[str, str]:
        return self.answers_by_person(
            lambda user: peer_permissions.access_feedback(user, self.report.pk)[1]
        )

    def both(self) -> tuple[dict[str, str], dict[str, str]]:
        with everywhere():
            assert granted_pairings().exists() == (len(self.of_pairing()) > 1)
        return self.of_pairing(), self.of_report()


STAFF_ALONE = ({"assistant": "staff"}, {"assistant": "staff"})


@pytest.fixture
def world() -> World:
    return World()


def test_while_it_grants_its_two_students_have_a_side_each_and_nobody_else(world: World) -> None:
    assert world.both() == (
        {"auditor": "auditor", "auditee": "auditee", "assistant": "staff"},
        {"auditor": "author", "auditee": "subject", "assistant": "staff"},
    )


def test_before_the_round_starts_there_is_nothing(world: World) -> None:
    world.change(world.round, starts_at=timezone.now() + timedelta(hours=1))
    assert world.both() == STAFF_ALONE


def test_after_the_cohorts_last_day_there_is_nothing(world: World) -> None:
    world.change(world.cohort, ends_on=timezone.now().date())
    assert len(world.of_pairing()) == 3
    world.change(world.cohort, ends_on=timezone.now().date() - DAY)
    assert world.both() == STAFF_ALONE


def test_a_round_that_no_longer_asks_for_reports_still_shows_them(world: World) -> None:
    world.change(world.round, starts_at=timezone.now() - 2 * DAY, ends_at=timezone.now() - DAY)
    assert [len(answers) for answers in world.both()] == [3, 3]


def test_a_pairing_that_ended_grants_nothing(world: World) -> None:
    world.change(world.pairing, ended_at=timezone.now(), end_reason="Left the course.")
    assert world.both() == STAFF_ALONE


def test_who_is_no_longer_a_member_of_the_institution_has_no_side(world: World) -> None:
    with everywhere():
        Membership.objects.filter(user=world.auditor.user).delete()
    assert world.both() == (
        {"auditee": "auditee", "assistant": "staff"},
        {"auditee": "subject", "assistant": "staff"},
    )


@pytest.mark.parametrize("state", [AuditState.QUEUED, AuditState.FAILED])
def test_the_audited_do_not_see_an_audit_that_has_no_report(
    world: World, state: AuditState
) -> None:
    assert world.report.audit is not None
    if state == AuditState.FAILED:
        world.change(
            world.report.audit, state=state, report=None, overall_score=None, failure_code="x"
        )
    else:
        world.change(
            world.report.audit, state=state, report=None, overall_score=None, finished_at=None
        )
    assert world.of_report() == {"auditor": "author", "assistant": "staff"}


def test_a_report_in_no_pairing_is_for_who_brought_it(world: World) -> None:
    fields = {
        "pairing": None,
        "assignment": world.round.assignment,
        "organization": world.cohort.organization,
    }
    received = FeedbackReportFactory.create(
        **fields, author=None, subject=world.auditee, brought_by=world.auditee
    )
    generated = FeedbackReportFactory.create(
        **fields, author=world.auditor, subject=None, brought_by=world.auditor
    )
    about_somebody = FeedbackReportFactory.create(
        **fields, author=world.auditor, subject=world.auditee, brought_by=world.auditor
    )
    own = FeedbackReportFactory.create(
        **fields,
        kind=FeedbackKind.SELF,
        author=world.auditee,
        subject=world.auditee,
        brought_by=world.auditee,
    )
    answers = []
    for world.report in (received, generated, about_somebody, own):
        answers.append(world.of_report())
    staff = {"assistant": "staff"}
    assert answers == [
        {"auditee": "subject"} | staff,
        {"auditor": "author"} | staff,
        {"auditor": "author"} | staff,
        {"auditee": "author"} | staff,
    ]


def test_a_peers_audit_is_opened_to_staff_alone(world: World) -> None:
    audit = world.report.audit
    assert audit is not None
    assert list(world.answers_by_person(lambda user: permissions.access_audit(user, audit.pk))) == [
        "assistant"
    ]
    own: Audit = AuditFactory.create(submission=audit.submission, kind=AuditKind.SELF)
    assert list(world.answers_by_person(lambda user: permissions.access_audit(user, own.pk))) == [
        "auditee",
        "assistant",
    ]


def test_a_finding_is_its_owners_and_the_staffs(world: World) -> None:
    work = SubmissionFactory.create(
        assignment=world.round.assignment, student=world.auditee, attempt=7
    )
    finding = FindingFactory.create(first_submission=work)
    assert list(
        world.answers_by_person(lambda user: permissions.access_finding(user, finding.pk))
    ) == [
        "auditee",
        "assistant",
    ]


def test_a_round_is_for_staff_and_at_the_level_of_students_for_its_members(world: World) -> None:
    place = (world.cohort.slug, world.round.assignment.slug, world.round.number)
    assert list(
        world.answers_by_person(lambda user: peer_permissions.access_round(user, *place))
    ) == ["assistant"]

    def as_students() -> list[str]:
        return list(
            world.answers_by_person(
                lambda user: peer_permissions.access_round(user, *place, level="student")
            )
        )

    assert as_students() == ["auditor", "auditee", "assistant"]
    with everywhere():
        RoundMember.objects.filter(student=world.auditor).update(left_at=timezone.now())
    assert as_students() == ["auditee", "assistant"]
    world.change(world.round, starts_at=timezone.now() + timedelta(hours=1))
    assert as_students() == ["assistant"]
