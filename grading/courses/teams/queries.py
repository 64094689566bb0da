"""Teams of an assignment, and what forming them from the roster's groups would do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Prefetch, QuerySet

from grading.core.enums import AuditKind, TeamFormation
from grading.core.team_access import mates_of, membership_of, with_team_name
from grading.engine.report import COMMIT_AUTHORS_LOOKUP, parse_commit_authors
from grading.engine.report_facts import CommitAuthor
from grading.models import (
    Assignment,
    Audit,
    Enrollment,
    Grade,
    GradeAdjustment,
    Submission,
    Team,
    TeamMember,
)


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """Team that a group of the roster would become, with the students who would join it.

    `team` is the existing one of that name, if any; `waits` where it has submitted, so that a person
    must add latecomers. `elsewhere` are in other teams and stay there.
    """

    name: str
    team: Team | None
    students: tuple[Enrollment, ...]
    elsewhere: tuple[Enrollment, ...]
    waits: bool


@dataclass(frozen=True, slots=True)
class AuthorShare:
    """Commits and added lines of Python of one person in git, in numbers and percent.

    `member` is the member of the team with that address or name, None for an unknown author.
    """

    name: str
    member: Enrollment | None
    commits: int
    lines: int
    percent_of_commits: int
    percent_of_lines: int


@dataclass(frozen=True, slots=True)
class TeamWork:
    """Latest attempt of a team that has a report, with the authors of its commits.

    `authors` is empty where git's authors were not established.
    """

    team: Team
    attempt: int
    audit: UUID
    authors: tuple[AuthorShare, ...]


@dataclass(frozen=True, slots=True)
class TeamPage:
    """Teams with their present `members` and `former` ones, and the students without a team."""

    teams: tuple[Team, ...]
    without: tuple[Enrollment, ...]


def uses_teams(assignment: Assignment) -> bool:
    return assignment.team_formation != TeamFormation.NONE


def team_of(assignment: Assignment, student: Enrollment) -> Team | None:
    """Return the team that the student is in now; None without one."""
    member = membership_of(assignment, student)
    return member.team if member and member.left_at is None else None


def members_of(team: Team) -> list[Enrollment]:
    """Return the students who are in the team now, in the roster's order."""
    present = Enrollment.objects.filter(team_memberships__team=team, team_memberships__left_at=None)
    return list(present.select_related("user"))


def team_mates(submission: Submission) -> list[Enrollment]:
    """Return the present members of the submission's team; its student where it has no team."""
    return mates_of(submission)


def team_grades(submission: Submission) -> list[Grade]:
    """Return the grades that rest on this work, with `standing` adjustments; two queries."""
    standing = GradeAdjustment.objects.filter(withdrawn_at=None)
    grades = Grade.objects.filter(audit__submission=submission).select_related("student")
    related = grades.defer("released", "audit__report").order_by("student__name", "student__email")
    return list(related.prefetch_related(Prefetch("adjustments", standing, to_attr="standing")))


def teams_of(assignment: Assignment) -> QuerySet[Team]:
    """Return the teams with `present` and `former` memberships, and `has_work`."""
    rows = TeamMember.objects.select_related("student__user")
    present = rows.filter(left_at=None).order_by("student__name", "student__email")
    former = rows.filter(left_at__isnull=False).order_by("left_at")
    return (
        Team.objects.filter(assignment=assignment)
        .annotate(has_work=Exists(Submission.objects.filter(team=OuterRef("pk"))))
        .prefetch_related(
            Prefetch("members", present, to_attr="present"),
            Prefetch("members", former, to_attr="former"),
        )
    )


def team_page(assignment: Assignment) -> TeamPage:
    """Return all teams and the students without one, at five queries."""
    return TeamPage(tuple(teams_of(assignment)), tuple(students_without_team(assignment)))


def latest_works(page: TeamPage) -> list[TeamWork]:
    """Return the work of each team with a report, in the order of the page. One query."""
    reports = Audit.objects.filter(submission__team__in=page.teams, report__isnull=False)
    own = reports.exclude(kind=AuditKind.PEER).order_by(
        # DISTINCT ON keeps the first row, hence the newest audit of the last attempt.
        "submission__team",
        "-submission__attempt",
        "-created_at",
        "pk",
    )
    columns = ("submission__team", "submission__attempt", "pk", COMMIT_AUTHORS_LOOKUP)
    newest = {row[0]: row[1:] for row in own.distinct("submission__team").values_list(*columns)}
    return [
        TeamWork(team, attempt, audit, authorship_of(parse_commit_authors(authors or ()), members))
        for team in page.teams
        if team.pk in newest
        for attempt, audit, authors in (newest[team.pk],)
        for members in ([member.student for member in vars(team)["present"]],)
    ]


def students_without_team(assignment: Assignment) -> QuerySet[Enrollment]:
    placed = TeamMember.objects.filter(assignment=assignment, left_at=None).values("student")
    return Enrollment.objects.filter(cohort=assignment.cohort_id).exclude(pk__in=placed)


def students_for_rounds(assignment: Assignment) -> list[Enrollment]:
    """Return who can take part in a round of peer reviews, in the roster's order.

    Of a team it is the representative while a member: its work is audited once, and it audits as
    one. Members of a team never audit each other, because only one of them takes part. Their names
    are those of `name_in_round`.
    """
    students = Enrollment.objects.filter(cohort=assignment.cohort_id)
    if uses_teams(assignment):
        current = TeamMember.objects.filter(
            assignment=assignment, left_at=None, team__representative=F("student")
        )
        students = students.filter(pk__in=current.values("student"))
    return list(with_team_name(students, assignment.pk, "pk"))


def authorship_of(
    authors: Iterable[CommitAuthor], members: Sequence[Enrollment]
) -> tuple[AuthorShare, ...]:
    """Return each person's share of the history, most commits first; bots are left out.

    It is information as git tells it, and no score: anybody can commit under any name. A person is
    a member by address, else by a name that only this member has; whoever fits two members is
    unknown. A member without commits is listed with none.
    """
    human = [author for author in authors if not author.is_bot]
    persons: defaultdict[object, list[CommitAuthor]] = defaultdict(list)
    for author in human:
        persons[author.person if author.person is not None else author.email].append(author)

    rows: defaultdict[object, list[CommitAuthor]] = defaultdict(list)
    owners: dict[object, Enrollment | None] = {}
    for key, own in persons.items():
        for author in own:
            member = _member_of([author], members) or _member_of(own, members)
            row = ("member", member.pk) if member else ("person", key)
            rows[row].append(author)
            owners[row] = member

    counts = {
        row: (sum(sum(a.by_day.values()) for a in own), sum(a.python_lines for a in own))
        for row, own in rows.items()
    }
    commits, lines = (sum(pair[place] for pair in counts.values()) for place in (0, 1))
    shares = [
        AuthorShare(
            own[0].name or own[0].email,
            owners[row],
            *counts[row],
            _percent(counts[row][0], commits),
            _percent(counts[row][1], lines),
        )
        for row, own in rows.items()
    ]
    present = {member.pk for member in owners.values() if member}
    absent = [AuthorShare("", row, 0, 0, 0, 0) for row in members if row.pk not in present]
    ranked = sorted(shares, key=lambda share: (-share.commits, -share.lines, share.name))
    # Where git was not read, nobody is said to have no commits.
    return (*ranked, *absent) if human else ()


def _member_of(authors: Sequence[CommitAuthor], members: Sequence[Enrollment]) -> Enrollment | None:
    """Return the only member with one of these addresses, else with one of these names."""
    emails = {author.email.casefold() for author in authors}
    names = {author.name.casefold() for author in authors} - {""}
    by_email = [row for row in members if emails & _emails_of(row)]
    fitting = by_email or [row for row in members if row.name.casefold() in names]
    return fitting[0] if len(fitting) == 1 else None


def _emails_of(member: Enrollment) -> set[str]:
    emails = (member.email, member.user.email if member.user else "")
    return {email.casefold() for email in emails if email}


def _percent(part: int, whole: int) -> int:
    return round(100 * part / whole) if whole else 0


def has_work(team: Team) -> bool:
    return Submission.objects.filter(team=team).exists()


def plan_from_groups(assignment: Assignment) -> list[GroupPlan]:
    """Return what forming teams from the roster's groups would do now, by name; at five queries.

    A group whose students are all in its team already is listed without students.
    """
    groups: defaultdict[str, list[Enrollment]] = defaultdict(list)
    grouped = Enrollment.objects.filter(cohort=assignment.cohort_id).exclude(group="")
    for student in grouped:
        groups[student.group].append(student)
    teams = {team.name.casefold(): team for team in teams_of(assignment)}
    current = TeamMember.objects.filter(assignment=assignment, left_at=None)
    placed = dict(current.values_list("student", "team"))

    return [
        _plan(name, teams.get(name.casefold()), students, placed)
        for name, students in sorted(groups.items())
    ]


def _plan(
    name: str, team: Team | None, students: list[Enrollment], placed: dict[int, int]
) -> GroupPlan:
    own = team.pk if team else None
    return GroupPlan(
        name=name,
        team=team,
        students=tuple(row for row in students if row.pk not in placed),
        elsewhere=tuple(row for row in students if placed.get(row.pk, own) != own),
        waits=team is not None and vars(team)["has_work"],
    )
