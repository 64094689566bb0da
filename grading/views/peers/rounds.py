"""A round of peers for its teachers: begun, looked at, and everybody reminded of what they owe."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from grading.actions.peers.peer_reminders import A_DAY, owing, remind
from grading.actions.peers.rounds import start_round
from grading.errors import RoundRefused
from grading.forms.refusals import put_beside
from grading.forms.rounds import RoundForm
from grading.models import Assignment, Enrollment, PairingRound, RoundMember, Submission
from grading.pairing import circle, is_free_of_mutual, same_group
from grading.permissions import access_assignment, access_round, may
from grading.queries.courses.cohorts import roster_of
from grading.queries.peers.rounds import (
    STATES,
    Matrix,
    MemberRow,
    Paired,
    figures_of,
    matrix_of,
    students_outside,
)
from grading.views.reading.arrivals import arrivals_of
from grading.views.reading.pair_grid import grid_of
from grading.views.requests import MemberRequest
from grading.views.trails import Trail, trail_to_assignment


@dataclass(frozen=True, slots=True)
class Preview:
    """What a round would be. `groups` counts those whose members are kept apart."""

    students: int
    peers: int
    keeps_apart: bool
    groups: int
    without_account: int
    without_work: int
    lasts: timedelta

    @property
    def pairs(self) -> int:
        return self.students * self.peers

    @property
    def fewest_apart(self) -> int:
        """So many students, and nobody has to audit whoever audits them."""
        return 2 * self.peers + 1

    @property
    def days(self) -> str:
        return f"{self.lasts.total_seconds() / A_DAY.total_seconds():.1f}".removesuffix(".0")


@dataclass(frozen=True, slots=True)
class Audited:
    """One whom a member audits. `late`: their report came after the round, or is not there yet and the round is over;
    `mates`: they were put into one group since."""

    pair: Paired
    member: RoundMember
    words: str
    late: bool
    mates: bool


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def round_new(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """The form; then what it would be; then the start."""
    found = access_assignment(request.user, cohort, assignment, level="teacher")
    with_work = _with_work(found)
    form = RoundForm(
        request.POST if request.method == "POST" else None,
        assignment=found,
        roster=list(roster_of(found.cohort)),
        with_work=with_work,
    )
    preview = _previewed(form, with_work) if form.is_bound and form.is_valid() else None
    if preview and "start" in request.POST:
        begun = _started(request, found, form)
        if begun is not None:
            return redirect("round", org, cohort, assignment, begun.number)
    context = {
        "assignment": found,
        "form": form,
        "chosen": set(form.cleaned_data.get("students", ())) if form.is_bound and form.is_valid() else set(),
        "preview": None if form.errors else preview,
        "trail": trail_to_assignment(found),
    }
    return render(request, "rounds/new.html", context)


def _with_work(assignment: Assignment) -> set[int]:
    handed_in = Submission.objects.filter(assignment=assignment).exclude(resolved_commit="")
    return set(handed_in.order_by().values_list("student", flat=True).distinct())


def _previewed(form: RoundForm, with_work: set[int]) -> Preview | None:
    students, peers = form.students_meant, form.cleaned_data["peers"]
    groups = {student.pk: student.group for student in students}
    try:
        circle(groups, peers, form.cleaned_data["seed"], groups)
    except RoundRefused as refusal:
        put_beside(form, refusal)
        return None
    return Preview(
        students=len(students),
        peers=peers,
        keeps_apart=is_free_of_mutual(len(students), peers),
        groups=_shared(students),
        without_account=sum(student.user_id is None for student in students),
        without_work=sum(student.pk not in with_work for student in students),
        lasts=form.cleaned_data["ends_at"] - form.cleaned_data["starts_at"],
    )


def _shared(students: list[Enrollment]) -> int:
    """How many groups have more than one of these students."""
    named = [student.group for student in students if student.group]
    return sum(named.count(group) > 1 for group in set(named))


def _started(request: MemberRequest, assignment: Assignment, form: RoundForm) -> PairingRound | None:
    asked = dict(form.cleaned_data)
    del asked["who"]
    try:
        begun = start_round(
            assignment=assignment, by=request.user, **asked | {"students": form.students_meant}
        )
    except RoundRefused as refusal:
        put_beside(form, refusal)
        return None
    messages.success(
        request, f"Round {begun.number} is set up: {len(form.students_meant)} students are paired."
    )
    return begun


@never_cache
@require_safe
def round_page(request: MemberRequest, org: str, cohort: str, assignment: str, number: int) -> HttpResponse:
    """Who owes what, participation and exchange, in as many queries whoever takes part."""
    found = access_round(request.user, cohort, assignment, number)
    matrix, now = matrix_of(found), timezone.now()
    only_owing = request.GET.get("show") == "owing"
    context = {
        "round": found,
        "assignment": found.assignment,
        "rows": [each for each in _rows(matrix) if each[0].owes or not only_owing],
        "only_owing": only_owing,
        "figures": figures_of(matrix),
        "grid": grid_of(matrix),
        "arrivals": arrivals_of(matrix),
        "outside": students_outside(found),
        "owing": sum(row.owes for row in matrix.rows),
        "to_remind": len(owing(matrix, rested=now - A_DAY)),
        "phase": "before" if now < found.starts_at else "over" if now > found.ends_at else "running",
        "may_change": may(request.user, found.organization, "teacher"),
        "trail": trail_to_assignment(found.assignment),
    }
    return render(request, "rounds/round.html", context)


def _rows(matrix: Matrix) -> list[tuple[MemberRow, list[Audited]]]:
    """Each member with whom they audit, in words."""
    now, until = timezone.now(), matrix.round.ends_at
    members = {row.member.student_id: row.member for row in matrix.rows}
    groups = {student: member.student.group for student, member in members.items()}
    return [
        (
            row,
            [
                Audited(
                    pair=pair,
                    member=members[pair.auditee],
                    words=STATES[pair.state],
                    late=(pair.report.at if pair.report else now) > until,
                    mates=same_group(groups, pair.auditor, pair.auditee),
                )
                for pair in row.audits
            ],
        )
        for row in matrix.rows
    ]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def round_remind(request: MemberRequest, org: str, cohort: str, assignment: str, number: int) -> HttpResponse:
    """Who would be written to; then the letters."""
    found = access_round(request.user, cohort, assignment, number, level="teacher")
    if request.method == "POST" and "remind" in request.POST:
        letters = remind(round=found, by=request.user)
        messages.success(request, _told(letters))
        return redirect("round", org, cohort, assignment, number)
    matrix = matrix_of(found)
    rows = owing(matrix, rested=timezone.now() - A_DAY)
    context = {
        "round": found,
        "assignment": found.assignment,
        "rows": rows,
        "others": sum(row.owes for row in matrix.rows) - len(rows),
        "trail": trail_to_round(found),
    }
    return render(request, "rounds/remind.html", context)


def _told(letters: int) -> str:
    if letters == 0:
        return "Nobody was written to: who owes something had a letter within a day, or wants none."
    return f"{letters} student{'' if letters == 1 else 's'} reminded."


def trail_to_round(found: PairingRound) -> Trail:
    assignment = found.assignment
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    address = reverse("round", args=[*slugs, found.number])
    return [*trail_to_assignment(assignment), (f"Round {found.number}", address)]
