"""Form teams and change them. Every action locks the assignment, so that two never cross."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.enums import TeamFormation
from grading.core.errors import TeamRefused
from grading.core.join_codes import new_code, read_code
from grading.courses.teams.queries import has_work, plan_from_groups
from grading.grades.member_grades import count_for_member
from grading.models import (
    Assignment,
    Enrollment,
    Grade,
    RepositoryAccess,
    StudentRepository,
    Team,
    TeamMember,
)


def create_team(
    *, assignment: Assignment, name: str, students: Sequence[Enrollment], by: User | None
) -> Team:
    """Form a team of these students, who must be in none.

    Raises TeamRefused: teams_off, name_missing, name_taken, students_missing, in_a_team,
    represents_another.
    """
    with transaction.atomic():
        locked = _locked(assignment)
        name = _free_name(locked, name)
        if not students:
            raise TeamRefused("students", "students_missing", "A team has at least one student.")
        for student in students:
            _refuse_member_of_a_team(locked, student)
        team = Team.objects.create(
            organization_id=locked.organization_id,
            assignment=locked,
            name=name,
            code=new_code(),
            representative=_representative_among(locked, students),
        )
        for student in students:
            _place(team, student)
        names = ", ".join(str(student) for student in students)
        _record(team, "team.created", by, name=team.name, students=names)
    return team


def found_team(*, assignment: Assignment, name: str, student: Enrollment, by: User) -> Team:
    """Form a team by its first student. Raises TeamRefused not_by_students, and as create_team."""
    _refuse_unless_by_students(assignment)
    return create_team(assignment=assignment, name=name, students=[student], by=by)


def join_team(*, assignment: Assignment, code: str, student: Enrollment, by: User) -> Team:
    """Join a team by its code.

    Raises TeamRefused: not_by_students, code_unknown, in_a_team, team_full, team_closed.
    """
    _refuse_unless_by_students(assignment)
    with transaction.atomic():
        locked = _locked(assignment)
        _refuse_member_of_a_team(locked, student)
        team = Team.objects.filter(assignment=locked, code=read_code(code) or "-").first()
        if team is None:
            raise TeamRefused("code", "code_unknown", "No team here has this code: check it.")
        if has_work(team):
            raise TeamRefused(
                "code", "team_closed", "This team has submitted: ask your teachers to add you."
            )
        if TeamMember.objects.filter(team=team, left_at=None).count() >= locked.team_size_max:
            size = locked.team_size_max
            raise TeamRefused("code", "team_full", f"This team is full: {size} students at most.")
        _place(team, student)
        _record(team, "team.joined", by, name=team.name, student=str(student))
    return team


def leave_team(*, assignment: Assignment, student: Enrollment, by: User) -> None:
    """Leave the team before its first submission; a team without students is deleted.

    Raises TeamRefused: not_by_students, no_team, team_closed.
    """
    _refuse_unless_by_students(assignment)
    with transaction.atomic():
        member = _current(_locked(assignment), student)
        if has_work(member.team):
            raise TeamRefused(
                "", "team_closed", "Your team has submitted: ask your teachers to move you."
            )
        _take_out(member, by, reason="")


def rename_team(*, team: Team, name: str, by: User) -> None:
    """Raises TeamRefused: name_missing, name_taken."""
    with transaction.atomic():
        locked = _locked(team.assignment)
        before = Team.objects.get(pk=team.pk).name
        if name.strip() == before:
            return
        team.name = _free_name(locked, name, besides=team)
        team.save(update_fields=["name"])
        _record(team, "team.renamed", by, before=before, name=team.name)


def assign_students(
    *,
    assignment: Assignment,
    students: Sequence[Enrollment],
    team: Team | None,
    by: User,
    new_team: str = "",
    reason: str = "",
    keeps_grade: bool = True,
    earlier_counts: bool = True,
) -> Team | None:
    """Put students by staff into this team or a new one, out of those they are in; all or none.

    Without either they are in no team afterwards. `keeps_grade`: the attempts of the team that they
    leave still count for them. `earlier_counts`: so do the earlier attempts of their new team.
    Raises TeamRefused: teams_off, team_gone, students_missing, reason_missing where a team has
    submitted, grade_released, and those of create_team.
    """
    with transaction.atomic():
        locked = _locked(assignment)
        if team is not None and not Team.objects.filter(pk=team.pk, assignment=locked).exists():
            raise TeamRefused("team", "team_gone", "This team was removed meanwhile.")
        if not students:
            raise TeamRefused("students", "students_missing", "Choose at least one student.")

        moved = [row for row in students if _moves(_member(locked, row), team, new_team)]
        members = {row.pk: _member(locked, row) for row in moved}
        left = [member.team for member in members.values() if member is not None]
        reason = _reason_if_needed(reason, *left, team if moved else None)
        for student in moved:
            _refuse_released(locked, student, keeps_grade=keeps_grade)
            if member := members[student.pk]:
                _take_out(member, by, reason=reason, keeps_grade=keeps_grade)
        if new_team:
            team = create_team(assignment=locked, name=new_team, students=moved, by=by)
        elif team is not None:
            for student in moved:
                _assign(team, student, by, reason, earlier_counts=earlier_counts)
        for student in moved:
            count_for_member(assignment=locked, student=student)
    return team


def _moves(member: TeamMember | None, team: Team | None, new_team: str) -> bool:
    """Return whether the student's team changes; a second click changes nothing."""
    current = member.team_id if member else None
    return bool(new_team) or current != (team.pk if team else None)


def _assign(
    team: Team, student: Enrollment, by: User | None, reason: str = "", *, earlier_counts: bool
) -> None:
    _place(team, student, earlier_counts=earlier_counts)
    _record(team, "team.assigned", by, name=team.name, student=str(student), reason=reason)


def form_teams_from_groups(*, assignment: Assignment, by: User) -> int:
    """Make a team of each group on the roster; return the number of students who were placed.

    Students who are in a team stay in it, so that a second call changes nothing. Students whom a
    group gained join its team unless it has submitted: those wait for a person.
    """
    placed = 0
    with transaction.atomic():
        locked = _locked(assignment)
        for plan in plan_from_groups(locked):
            if not plan.students or plan.waits:
                continue
            placed += len(plan.students)
            if plan.team is None:
                create_team(assignment=locked, name=plan.name, students=plan.students, by=by)
                continue
            for student in plan.students:
                _assign(plan.team, student, by, earlier_counts=True)
    return placed


def _locked(assignment: Assignment) -> Assignment:
    """Return the assignment, locked. Raises TeamRefused teams_off."""
    locked = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
    if locked.team_formation == TeamFormation.NONE:
        raise TeamRefused("", "teams_off", "Students submit alone for this assignment.")
    return locked


def _refuse_unless_by_students(assignment: Assignment) -> None:
    if assignment.team_formation != TeamFormation.STUDENTS:
        raise TeamRefused("", "not_by_students", "Your teachers form the teams here.")


def _free_name(assignment: Assignment, name: str, besides: Team | None = None) -> str:
    name = " ".join(name.split())
    if not name:
        raise TeamRefused("name", "name_missing", "Enter a name for the team.")
    others = Team.objects.filter(assignment=assignment, name__iexact=name)
    if besides is not None:
        others = others.exclude(pk=besides.pk)
    if others.exists():
        raise TeamRefused("name", "name_taken", "Another team has this name: choose another one.")
    return name


def _refuse_member_of_a_team(assignment: Assignment, student: Enrollment) -> None:
    member = _member(assignment, student)
    if member is not None:
        sentence = f"{student} is in the team “{member.team.name}” already."
        raise TeamRefused("", "in_a_team", sentence)


def _member(assignment: Assignment, student: Enrollment) -> TeamMember | None:
    current = TeamMember.objects.filter(assignment=assignment, student=student, left_at=None)
    return current.select_related("team", "student").first()


def _current(assignment: Assignment, student: Enrollment) -> TeamMember:
    member = _member(assignment, student)
    if member is None:
        raise TeamRefused("", "no_team", "You are in no team.")
    return member


def _representative_among(assignment: Assignment, students: Sequence[Enrollment]) -> Enrollment:
    """Return the first who represents no other team: their submissions have that one's key."""
    taken = set(Team.objects.filter(assignment=assignment).values_list("representative", flat=True))
    for student in students:
        if student.pk not in taken:
            return student
    names = ", ".join(str(student) for student in students)
    sentence = f"The first team of {names} goes on under that name. Put them into another team."
    raise TeamRefused("", "represents_another", sentence)


def _place(team: Team, student: Enrollment, *, earlier_counts: bool = True) -> None:
    values = {
        "organization_id": team.organization_id,
        "assignment_id": team.assignment_id,
        "joined_at": timezone.now(),
        "left_at": None,
        "earlier_counts": earlier_counts,
        "keeps_grade": True,
    }
    TeamMember.objects.update_or_create(team=team, student=student, defaults=values)


def _take_out(
    member: TeamMember, by: User | None, *, reason: str, keeps_grade: bool = True
) -> None:
    team = member.team
    _record(
        team,
        "team.left",
        by,
        name=team.name,
        student=str(member.student),
        reason=reason,
        grade="" if has_work(team) is False else "kept" if keeps_grade else "removed",
    )
    # Made for the team: their next team must not submit it by their right.
    made = StudentRepository.objects.filter(team=team).exclude(repository_id=None)
    RepositoryAccess.objects.filter(
        student=member.student_id, repository_id__in=made.values("repository_id")
    ).delete()
    if has_work(team):
        member.left_at, member.keeps_grade = timezone.now(), keeps_grade
        member.save(update_fields=["left_at", "keeps_grade"])
        return

    member.delete()
    rows = Enrollment.objects.filter(team_memberships__team=team)
    others = list(rows.order_by("team_memberships__joined_at", "pk"))
    if not others:
        team.delete()
    elif team.representative_id == member.student_id:
        team.representative = _representative_among(team.assignment, others)
        team.save(update_fields=["representative"])


def _reason_if_needed(reason: str, *teams: Team | None) -> str:
    reason = reason.strip()
    if not reason and any(has_work(team) for team in teams if team is not None):
        raise TeamRefused(
            "reason", "reason_missing", "This team has submitted: give a reason, kept in the log."
        )
    return reason


def _refuse_released(assignment: Assignment, student: Enrollment, *, keeps_grade: bool) -> None:
    released = Grade.objects.filter(
        assignment=assignment, student=student, released_at__isnull=False
    )
    if not keeps_grade and released.exists():
        raise TeamRefused(
            "keeps_grade",
            "grade_released",
            "Their grade was released: withdraw the release first, or let them keep the grade.",
        )


def _record(team: Team, verb: str, by: User | None, **detail: str) -> None:
    record_activity(organization=team.organization_id, actor=by, verb=verb, about=team, **detail)
