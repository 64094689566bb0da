"""Links on the pages of an organization, a cohort and an assignment, grouped by purpose.

A subject adds its page with one `Entry`. A reader sees the entries that they may open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from django.contrib.auth.models import User
from django.urls import reverse

from grading.core.permissions import may
from grading.models import Assignment, Cohort, Organization

Readers = Literal["members", "students", "staff", "teachers"]
Place = Literal["organization", "cohort", "assignment"]
SLUGS: dict[Place, int] = {"organization": 1, "cohort": 2, "assignment": 3}


@dataclass(frozen=True, slots=True)
class Entry:
    """Page by its name in grading/urls.py, its purpose in one line, and who may open it.

    `of` is the place in its address, if not the place that lists it.
    """

    label: str
    route: str
    purpose: str
    readers: Readers = "staff"
    of: Place | None = None


@dataclass(frozen=True, slots=True)
class Link:
    label: str
    address: str
    purpose: str


@dataclass(frozen=True, slots=True)
class LinkGroup:
    heading: str
    links: tuple[Link, ...]


ORGANIZATION: dict[str, tuple[Entry, ...]] = {
    "Work": (
        Entry("Appeals", "appeals", "Students who ask for another score"),
        Entry("Answers to comments", "comment-inbox", "Students who wait for a reply"),
        Entry("Reports of abuse", "complaints", "Peer reviews that students ask you to check"),
        Entry("Operations", "operations", "Audits that wait or failed, and what models cost"),
        Entry("Search", "search", "A student, an assignment or a criterion"),
    ),
    "Set-up": (
        Entry("Rubrics", "rubric-list", "Versions, drafts, rules; try a check on submitted work"),
        Entry("Models and budgets", "models", "Who judges, and what it costs", "teachers"),
        Entry("Staff", "staff", "Invite colleagues, change and end roles", "teachers"),
        Entry(
            "Repositories", "shared-repositories", "Let us read private repositories", "teachers"
        ),
        Entry("Learning platforms", "platforms", "Moodle, Canvas: launches by LTI 1.3", "teachers"),
        Entry("Webhooks", "webhooks", "Tell your own programs of events", "teachers"),
        Entry("Settings", "organization-settings", "The name people know", "teachers"),
        Entry("Log", "organization-log", "Roles, rubrics, models: who did what", "teachers"),
    ),
    "Yours": (
        Entry("Your comments", "comment-inbox", "What staff wrote on your work", "students"),
        Entry("Your appeals", "appeals", "Your appeals and their answers", "students"),
        Entry("Email settings", "notices", "Choose which emails you get", "members"),
        Entry("Connections", "connections", "Moodle, Canvas: what opens your account", "members"),
        Entry("Leave", "leave", "End your membership", "members"),
    ),
}

COHORT: dict[str, tuple[Entry, ...]] = {
    "Yours": (
        Entry("Repositories", "repositories", "Let us read your private repository", "students"),
    ),
    "People": (
        Entry("People", "people", "Students, groups, invitations and the join link"),
        Entry("Peers", "peers", "Rounds in which students audit each other", "members"),
    ),
    "Work": (
        Entry("Appeals", "appeals", "Students who ask for another score", of="organization"),
        Entry("Log", "log", "Who did what, newest first"),
    ),
    "Set-up": (
        Entry("Settings", "cohort-settings", "Name, days and time zone", "teachers"),
        Entry("Learning platforms", "cohort-platforms", "Courses in Moodle or Canvas", "teachers"),
        Entry("Copy", "cohort-copy", "The same assignments for new students", "teachers"),
        Entry("Archive", "archive", "Everything in one zip file", "teachers"),
        Entry("Delete", "cohort-delete", "Remove it with all work", "teachers"),
    ),
}

# Students have their own page of an assignment.
ASSIGNMENT: dict[str, tuple[Entry, ...]] = {
    "Work": (
        Entry("Grading queue", "queue", "Read and score one student after another"),
        Entry("Grades", "grades", "Review, override and release"),
        Entry("Judge again", "bulk", "For many students at once", "teachers"),
        Entry("Agreement", "agreement", "Do the judges agree with people?"),
        Entry("Appeals", "appeals", "Students who ask for another score", of="organization"),
        Entry("Export", "export", "Grades for a spreadsheet, Canvas or Moodle"),
        Entry("Gradebooks", "gradebooks", "Grades sent to Moodle or Canvas, and their outcome"),
    ),
    "Set-up": (
        Entry("Settings", "assignment-settings", "Dates, attempts, judges, appeals", "teachers"),
        Entry("Extensions", "extensions", "Later dates and more attempts for some"),
        Entry("Rubric", "rubric", "Criteria as students read them; edit, publish and use"),
        Entry("Teams", "teams", "Students who submit together"),
        Entry("Template", "repository-template", "A repository for each student", "teachers"),
    ),
    "Peers": (
        Entry("Peers", "peers", "Rounds: start, follow, remind", of="cohort"),
        Entry("Findings", "findings", "Things to fix, and students' answers"),
        Entry("Communication", "communication", "What students told their peers"),
        Entry("Facts by student", "peer-facts", "What audits get about the exchange"),
    ),
    "Records": (Entry("Log", "log", "Who did what in this cohort", of="cohort"),),
}


def links_of_organization(user: User, organization: Organization) -> list[LinkGroup]:
    return _groups(user, organization, "organization", ORGANIZATION, [organization.slug])


def links_of_cohort(user: User, cohort: Cohort) -> list[LinkGroup]:
    slugs = [cohort.organization.slug, cohort.slug]
    return _groups(user, cohort.organization, "cohort", COHORT, slugs)


def links_of_assignment(user: User, assignment: Assignment) -> list[LinkGroup]:
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    return _groups(user, assignment.organization, "assignment", ASSIGNMENT, slugs)


def _groups(
    user: User,
    organization: Organization,
    place: Place,
    groups: dict[str, tuple[Entry, ...]],
    slugs: list[str],
) -> list[LinkGroup]:
    """Return the groups with a link for this reader."""
    readers = _readers(user, organization)
    listed = [
        LinkGroup(
            heading,
            tuple(
                Link(
                    entry.label,
                    reverse(entry.route, args=slugs[: SLUGS[entry.of or place]]),
                    entry.purpose,
                )
                for entry in entries
                if entry.readers in readers
            ),
        )
        for heading, entries in groups.items()
    ]
    return [group for group in listed if group.links]


def _readers(user: User, organization: Organization) -> set[Readers]:
    if not may(user, organization, "staff"):
        return {"members", "students"}
    readers: set[Readers] = {"members", "staff"}
    if may(user, organization, "teacher"):
        readers.add("teachers")
    return readers
