"""Git's authors beside a team's members: matched by address or a name of its own, never guessed."""

from __future__ import annotations

from typing import Any

import pytest
from django_scopes import scope

from grading.courses.teams.queries import AuthorShare, authorship_of, latest_works, team_page
from grading.engine.report_facts import CommitAuthor
from tests.factories.graded_work import page_of, signed_in
from tests.factories.people import CohortFactory, EnrollmentFactory, staff_user, student
from tests.factories.running_round import words_of
from tests.factories.teams import team_with
from tests.factories.work import AssignmentFactory, AuditFactory, SubmissionFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def members() -> Any:
    cohort = CohortFactory.create()
    with scope(organization=cohort.organization):
        yield [
            EnrollmentFactory.create(cohort=cohort, name=name, email=f"{key}@example.org")
            for name, key in (("Ada Lovelace", "ada"), ("Sam Lee", "sam"), ("Sam Lee", "lee"))
        ]


def author(name: str, email: str, person: int, commits: int = 1, **fields: Any) -> CommitAuthor:
    days = {"2026-11-01": commits} if commits else {}
    return CommitAuthor(name=name, email=email, person=person, by_day=days, **fields)


def rows(shares: tuple[AuthorShare, ...]) -> list[tuple[str, str, int, int]]:
    return [
        (row.name, row.member.email if row.member else "", row.commits, row.percent_of_commits)
        for row in shares
    ]


def test_addresses_and_names_of_a_member_are_summed(members: Any) -> None:
    authors = [
        author("ada", "ADA@example.org", 1, 2),
        author("Ada Lovelace", "ada@laptop.local", 2, 1),
        author("al", "al@home.example", 1, 1),
    ]
    assert rows(authorship_of(authors, members))[0] == ("ada", "ada@example.org", 4, 100)


def test_members_of_the_same_name_are_told_apart_by_address_alone(members: Any) -> None:
    authors = [
        author("Sam Lee", "sam@example.org", 1, 3),
        author("Sam Lee", "lee@example.org", 1, 2),
        author("Sam Lee", "sam@laptop.local", 1, 1),
    ]
    assert rows(authorship_of(authors, members))[:3] == [
        ("Sam Lee", "sam@example.org", 3, 50),
        ("Sam Lee", "lee@example.org", 2, 33),
        ("Sam Lee", "", 1, 17),
    ]


def test_stranger_is_unknown_and_bots_are_left_out(members: Any) -> None:
    authors = [
        author("Eve", "eve@example.net", 1, 3),
        author("renovate[bot]", "bot@example.net", 2, 9, is_bot=True),
    ]
    assert rows(authorship_of(authors, members))[0] == ("Eve", "", 3, 100)


def test_members_without_commits_are_listed_last(members: Any) -> None:
    shares = authorship_of([author("Ada Lovelace", "ada@example.org", 1)], members)
    assert rows(shares)[1:] == [("", "sam@example.org", 0, 0), ("", "lee@example.org", 0, 0)]


def test_unread_history_accuses_nobody(members: Any) -> None:
    assert authorship_of([], members) == ()


class Reports:
    """Teams of two whose newest attempt with a report was written by their first member alone."""

    def __init__(self, number: int) -> None:
        self.assignment = AssignmentFactory.create(team_formation="staff")
        for index in range(number):
            pair = [
                student(self.assignment.cohort, name=f"{first_name} {index}")
                for first_name in ("Ada", "Ben")
            ]
            team = team_with(self.assignment, *pair, name=f"Team {index}")
            for attempt, commits in ((1, 1), (2, 4), (3, 0)):
                work = SubmissionFactory.create(
                    assignment=self.assignment, student=pair[0], team=team, attempt=attempt
                )
                signed = {"name": "ada", "email": pair[0].email, "by_day": {"2026-11-01": commits}}
                report = {"facts": {"history": {"authors": [signed]}}}
                ended = {"done": True, "report": report} if commits else {"failed": True}
                AuditFactory.create(submission=work, **ended)


@pytest.mark.parametrize("number", [1, 3])
def test_teams_page_shows_shares_of_the_last_report_of_each_team(
    number: int, django_assert_num_queries: Any
) -> None:
    made = Reports(number)
    with scope(organization=made.assignment.organization):
        page = team_page(made.assignment)
        with django_assert_num_queries(1):
            works = latest_works(page)
    assert [(str(work.team), work.attempt) for work in works] == [
        (f"Team {index}", 2) for index in range(number)
    ]
    assert [[(str(row.member), row.commits) for row in work.authors] for work in works] == [
        [(f"Ada {index}", 4), (f"Ben {index}", 0)] for index in range(number)
    ]


def test_staff_read_the_shares_on_the_teams_page() -> None:
    assignment = Reports(2).assignment
    client = signed_in(staff_user(assignment.organization))
    text = words_of(client.get(page_of(assignment, "teams")).content.decode())
    assert "Ada 1 Team 1 ada 4 (100 %)" in text
    assert "Ben 1 Team 1 — 0 (0 %)" in text
    assert "Team 0, attempt 2" in text
