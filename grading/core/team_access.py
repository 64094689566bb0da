"""Work of teams: whose each submission is, and who may read it.

A student in a team reads its attempts: all while in it, afterwards those from before they left.
Their grade counts them by the terms of their membership (models/team.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from grading.core.enums import TeamFormation
from grading.core.key_arrays import IsAmong
from grading.core.request_cache import cached
from grading.models import Assignment, Enrollment, RoundMember, Submission, Team, TeamMember


def membership_of(assignment: Assignment, student: Enrollment) -> TeamMember | None:
    """Return the student's current membership, else their last one; None without any."""
    if assignment.team_formation == TeamFormation.NONE:
        return None
    rows = TeamMember.objects.filter(assignment=assignment, student=student)
    related = rows.select_related("team__representative", "student").order_by("-left_at")
    # Descending order has nulls first in PostgreSQL: whoever has not left.
    return cached("membership", assignment.pk, student.pk, ask=related.first)


def work_of(assignment: Assignment, student: Enrollment) -> Q:
    """Match the submissions that the student's attempts at the assignment are."""
    if assignment.team_formation == TeamFormation.NONE:
        return Q(student=student)
    member = membership_of(assignment, student)
    if member is None:
        return Q(student=student, team=None)
    if member.left_at is None:
        return Q(team=member.team_id)
    return Q(team=member.team_id, handed_in_at__lt=member.left_at)


def is_readable_by(student: Any) -> Q:
    """Match the submissions that this student may read: their own and their teams'.

    `student` is an enrollment, its key, or an OuterRef.
    """
    return _alone_or(student, _until_left())


def is_readable_for_user(user: int) -> Q:
    """Match the submissions that this user may read as a student, as is_readable_by.

    Their places and teams are read first: a join of all submissions would read the institution's.
    """
    memberships = TeamMember.objects.filter(student__user=user)
    members = memberships.filter(_until_left(), team=OuterRef("team"))
    places = Enrollment.objects.filter(user=user)
    is_alone = Q(IsAmong("student", places.values("pk")), team=None)
    return is_alone | Q(IsAmong("team", memberships.values("team")), Exists(members))


def is_about_work_of(user: int, path: str) -> Q:
    """Match what is about submissions that this user may read; `path` leads to the submission."""
    theirs = Submission.objects.filter(is_readable_for_user(user))
    return Q(IsAmong(path, theirs.values("pk")))


def counts_for(student: Any) -> Q:
    """Match the submissions whose verdict may be the grade of this student, as is_readable_by."""
    has_kept = Q(left_at=None) | Q(keeps_grade=True)
    is_theirs = Q(earlier_counts=True) | Q(joined_at__lte=OuterRef("handed_in_at"))
    return _alone_or(student, _until_left() & has_kept & is_theirs)


def graded_students(submission: Submission) -> list[Enrollment]:
    """Return the students whose grade this submission may be: all counted members of its team."""
    if submission.team_id is None:
        return [submission.student]
    students = Enrollment.objects.filter(team_memberships__team=submission.team_id)
    rows = students.select_related("user").order_by("pk")
    is_counted = counts_for(OuterRef("pk"))
    return list(
        rows.filter(Exists(Submission.objects.filter(is_counted, pk=submission.pk))).distinct()
    )


def read_as_of(user: int | None, submission: Submission) -> Enrollment | None:
    """Return the student as whom this user may read the submission; None if they may not."""
    if submission.team_id is None:
        return submission.student if submission.student.user_id == user else None
    if user is None:
        return None
    rows = TeamMember.objects.filter(team=submission.team_id, student__user=user)
    may_read = Q(left_at=None) | Q(left_at__gt=submission.handed_in_at)
    member = rows.filter(may_read).select_related("student").first()
    return member.student if member else None


def is_present_member(user: int | None, submission: Submission) -> bool:
    """Return whether the user shares in the work now: its student, or in its team still."""
    if submission.team_id is None:
        return submission.student.user_id == user
    present = TeamMember.objects.filter(team=submission.team_id, left_at=None)
    return user is not None and present.filter(student__user=user).exists()


def work_key(assignment: Assignment, student: Enrollment) -> Enrollment | None:
    """Return the student under whom this student's work is kept: their team's representative.

    None where the assignment has teams and the student is in none.
    """
    if assignment.team_formation == TeamFormation.NONE:
        return student
    member = membership_of(assignment, student)
    return member.team.representative if member and member.left_at is None else None


def work_name(assignment: Assignment, student: Enrollment) -> str:
    """Return whose the student's work is: the name of their team, else their own."""
    if assignment.team_formation == TeamFormation.NONE:
        return str(student)
    member = membership_of(assignment, student)
    return member.team.name if member and member.left_at is None else str(student)


def with_team_name(rows: QuerySet[Any], assignment: Any, student: str) -> QuerySet[Any]:
    """Annotate `team_name`: the team that the row's student represents, null for none.

    `assignment` is a key or an OuterRef, `student` the path from the row to the student. Read it by
    `name_in_round`.
    """
    teams = Team.objects.filter(assignment=assignment, representative=OuterRef(student))
    named: QuerySet[Any] = rows.annotate(team_name=Subquery(teams.values("name")[:1]))
    return named


def name_in_round(row: Enrollment | RoundMember) -> str:
    """Return the name of the team for which a student takes part in peer review, else their own.

    The row is from `with_team_name`.
    """
    student = row if isinstance(row, Enrollment) else row.student
    return vars(row)["team_name"] or str(student)


def mates_of(submission: Submission) -> list[Enrollment]:
    """Return who gets the mails on a submission: the present members, or its student alone."""
    if submission.team_id is None:
        return [submission.student]
    present = Enrollment.objects.filter(
        team_memberships__team=submission.team_id, team_memberships__left_at=None
    )
    return list(present.select_related("user").order_by("pk"))


def work_keys(assignment: Assignment, students: Iterable[Enrollment]) -> dict[int, int]:
    """Return the key of the student under whom each one's work is kept, as work_key does.

    Whoever is in no team is missing where the assignment has teams. One query then, else none.
    """
    if assignment.team_formation == TeamFormation.NONE:
        return {student.pk: student.pk for student in students}
    current = TeamMember.objects.filter(assignment=assignment, left_at=None)
    return dict(current.values_list("student", "team__representative"))


def mates_by_pair(
    pairs: Iterable[tuple[Assignment, Enrollment]],
) -> dict[tuple[int, int], list[Enrollment]]:
    """Return the other present members of each student's team, by (assignment, student).

    No query where no assignment has teams, else one.
    """
    wanted = {
        (assignment.pk, student.pk)
        for assignment, student in pairs
        if assignment.team_formation != TeamFormation.NONE
    }
    if not wanted:
        return {}
    rows = TeamMember.objects.filter(
        assignment__in={assignment for assignment, _student in wanted}, left_at=None
    )
    teams: defaultdict[int, list[TeamMember]] = defaultdict(list)
    for row in rows.select_related("student").order_by("pk"):
        teams[row.team_id].append(row)
    return {
        (row.assignment_id, row.student_id): [mate.student for mate in team if mate is not row]
        for team in teams.values()
        for row in team
        if (row.assignment_id, row.student_id) in wanted
    }


def _until_left() -> Q:
    return Q(left_at=None) | Q(left_at__gt=OuterRef("handed_in_at"))


def _alone_or(student: Any, window: Q) -> Q:
    # A reference to the outer query goes one level further out within EXISTS.
    inner = OuterRef(student) if isinstance(student, OuterRef) else student
    members = TeamMember.objects.filter(window, team=OuterRef("team"), student=inner)
    return Q(student=student, team=None) | Q(Exists(members))
