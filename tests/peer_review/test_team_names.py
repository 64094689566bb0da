"""Peer review among teams: its pages name the team and not the student who takes part for it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_scopes import scope

from grading.courses.teams.actions import assign_students
from grading.courses.teams.queries import students_for_rounds
from grading.models import Assignment, Pairing, PairingRound
from grading.peer_review.communication.queries import channels_of, filed_log
from grading.peer_review.rounds.actions import start_round
from tests.factories.graded_work import page_of, signed_in
from tests.factories.people import staff_user, student
from tests.factories.running_round import words_of
from tests.factories.teams import team_with
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]


class Teams:
    """Blue of Ada and Ben, Red of Cyd, and Green of Dee, in an open round with one peer."""

    def __init__(self) -> None:
        self.assignment: Assignment = AssignmentFactory.create(team_formation="staff")
        cohort = self.assignment.cohort
        self.ada, self.ben, cyd, dee = (
            student(cohort, name=name) for name in ("Ada", "Ben", "Cyd", "Dee")
        )
        self.blue = team_with(self.assignment, self.ada, self.ben, name="Blue")
        for name, only in (("Red", cyd), ("Green", dee)):
            team_with(self.assignment, only, name=name)
        self.teacher = staff_user(cohort.organization)

    def start(self, **settings: Any) -> PairingRound:
        return start_round(
            assignment=self.assignment,
            students=students_for_rounds(self.assignment),
            by=self.teacher,
            **settings,
        )


@pytest.fixture
def settings_of_round() -> dict[str, Any]:
    now = timezone.now()
    return {
        "peers": 1,
        "anonymity": "open",
        "starts_at": now,
        "ends_at": now + timedelta(days=7),
        "seed": "ab" * 16,
    }


@pytest.fixture
def teams() -> Any:
    made = Teams()
    with scope(organization=made.assignment.organization):
        yield made


def page_words(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return words_of(response.content.decode())


def test_pages_of_a_round_name_teams(teams: Teams, settings_of_round: dict[str, Any]) -> None:
    new_round = teams.start(**settings_of_round)
    assignment, client = teams.assignment, signed_in(teams.teacher)
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    page = page_words(client, reverse("round", args=[*slugs, new_round.number]))
    for name, by in (("Blue", "Ada"), ("Red", "Cyd"), ("Green", "Dee")):
        assert f". {name} " in page
        assert f", by {by}" in page
    change = page_words(client, reverse("round-change", args=[*slugs, new_round.number]))
    assert ("Blue" in change, "Ada" in change) == (True, False)
    new = page_words(client, reverse("round-new", args=slugs))
    assert ("Blue" in new, "Ada" in new) == (True, False)


def test_round_changes_after_a_member_left_their_team(
    teams: Teams, settings_of_round: dict[str, Any]
) -> None:
    new_round = teams.start(**settings_of_round)
    SubmissionFactory.create(assignment=teams.assignment, student=teams.ada, team=teams.blue)
    assign_students(
        assignment=teams.assignment,
        students=[teams.ada],
        team=None,
        reason="Left.",
        by=teams.teacher,
    )
    assignment = teams.assignment
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    address = reverse("round-change", args=[*slugs, new_round.number])
    assert "Blue" in page_words(signed_in(teams.teacher), address)


@pytest.mark.parametrize(("anonymity", "is_named"), [("open", True), ("double_blind", False)])
def test_peers_read_the_name_of_a_team_in_open_rounds_alone(
    teams: Teams, settings_of_round: dict[str, Any], anonymity: str, is_named: bool
) -> None:
    teams.start(**settings_of_round | {"anonymity": anonymity})
    auditor = Pairing.objects.select_related("auditor__user").get(auditee=teams.ada).auditor
    assert auditor.user is not None
    peers = page_words(
        signed_in(auditor.user),
        reverse("peers", args=[teams.assignment.organization.slug, teams.assignment.cohort.slug]),
    )
    log = page_words(signed_in(auditor.user), page_of(teams.assignment, "communication"))
    assert ("Blue" in peers, "Blue" in log) == (is_named, is_named)
    assert ("Ada" in peers, "Ada" in log) == (False, False)
    names = {row.name for row in channels_of(teams.assignment, auditor, is_staff=True)}
    assert "Blue" in names


def test_communication_logs_name_the_team_of_each_student(teams: Teams) -> None:
    client, address = signed_in(teams.teacher), page_of(teams.assignment, "communication")
    listed = page_words(client, address)
    assert "Ben Blue 0" in listed
    assert "Team Blue" in page_words(client, f"{address}?student={teams.ben.pk}")


def test_log_in_the_repository_of_a_team_is_every_members(teams: Teams) -> None:
    work = SubmissionFactory.create(assignment=teams.assignment, student=teams.ada, team=teams.blue)
    entry = {"path": "log.md", "line": 1, "date": "2026-11-01", "kinds": ["progress"]}
    AuditFactory.create(
        submission=work,
        done=True,
        report={"facts": {"communication_entries": [entry]}},
    )
    logs = [filed_log(teams.assignment, member, is_staff=True) for member in (teams.ada, teams.ben)]
    assert [log and [row.path for row in log.entries] for log in logs] == [["log.md"], ["log.md"]]
