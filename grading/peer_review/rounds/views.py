"""A round of peers for its teachers: begun, looked at, and everybody reminded of what they owe."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from grading.core.breadcrumbs import Trail, trail_to_assignment
from grading.core.errors import RoundRefused
from grading.core.form_bases import put_beside
from grading.core.permissions import access_assignment, access_round, may
from grading.core.requests import MemberRequest
from grading.courses.queries import roster_of
from grading.models import Assignment, Enrollment, Pairing, PairingRound, RoundMember, Submission
from grading.peer_review.rounds.actions import fingerprint_of_change, start_round
from grading.peer_review.rounds.forms import CHANGES, ChangeForm, RoundForm
from grading.peer_review.rounds.pairing import Pair, circle, is_free_of_mutual, same_group
from grading.peer_review.rounds.pairing_changes import Load, effects_of
from grading.peer_review.rounds.presenters import arrivals_of, grid_of
from grading.peer_review.rounds.queries import (
    STATES,
    Matrix,
    MemberRow,
    Paired,
    board_of,
    figures_of,
    matrix_of,
    students_outside,
)
from grading.peer_review.rounds.reminders import A_DAY, owing, remind


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
        "chosen": set(form.cleaned_data.get("students", ()))
        if form.is_bound and form.is_valid()
        else set(),
        "preview": None if form.errors else preview,
        "trail": trail_to_assignment(found),
    }
    return render(request, "peer_review/rounds/new.html", context)


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


def _started(
    request: MemberRequest, assignment: Assignment, form: RoundForm
) -> PairingRound | None:
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
def round_page(
    request: MemberRequest, org: str, cohort: str, assignment: str, number: int
) -> HttpResponse:
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
        "phase": "before"
        if now < found.starts_at
        else "over"
        if now > found.ends_at
        else "running",
        "may_change": may(request.user, found.organization, "teacher"),
        "trail": trail_to_assignment(found.assignment),
    }
    return render(request, "peer_review/rounds/round.html", context)


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
def round_remind(
    request: MemberRequest, org: str, cohort: str, assignment: str, number: int
) -> HttpResponse:
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
    return render(request, "peer_review/rounds/remind.html", context)


def _told(letters: int) -> str:
    if letters == 0:
        return "Nobody was written to: who owes something had a letter within a day, or wants none."
    return f"{letters} student{'' if letters == 1 else 's'} reminded."


def trail_to_round(found: PairingRound) -> Trail:
    assignment = found.assignment
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    address = reverse("round", args=[*slugs, found.number])
    return [*trail_to_assignment(assignment), (f"Round {found.number}", address)]


@dataclass(frozen=True, slots=True)
class Told:
    """A change in words: pairs as (who audits, who is audited). `seen` is its fingerprint."""

    ended: list[tuple[str, str]]
    added: list[tuple[str, str]]
    loads: list[tuple[str, Load]]
    mutual: list[tuple[str, str]]
    withdrawn: list[tuple[str, str]]
    short: list[str]
    seen: str


class People:
    """Who is in a round, who could be, and who audits whom: three queries."""

    def __init__(self, found: PairingRound) -> None:
        present = RoundMember.objects.filter(round=found, left_at=None).values_list(
            "student", flat=True
        )
        self.everybody = {student.pk: student for student in roster_of(found.assignment.cohort)}
        inside = set(present)
        self.members = [student for student in self.everybody.values() if student.pk in inside]
        self.others = [student for student in self.everybody.values() if student.pk not in inside]
        self.pairs = list(Pairing.objects.filter(round=found, ended_at=None))
        for (
            pairing
        ) in self.pairs:  # known already: nine hundred joined rows take half a second to build
            pairing.round = found
            pairing.auditor = self.everybody[pairing.auditor_id]
            pairing.auditee = self.everybody[pairing.auditee_id]
        self.pairs.sort(key=lambda pairing: (str(pairing.auditor), str(pairing.auditee)))

    def form(
        self, kind: type[ChangeForm], found: PairingRound, data: QueryDict | None, **more: Any
    ) -> ChangeForm:
        return kind(
            data, round=found, members=self.members, others=self.others, pairs=self.pairs, **more
        )

    def about(self, asked: QueryDict) -> str:
        """The pairing or the member that the address names, in words; "" for none."""
        pairs = {
            str(pairing.pk): f"{pairing.auditor} → {pairing.auditee}" for pairing in self.pairs
        }
        members = {str(student.pk): str(student) for student in self.members}
        return pairs.get(asked.get("pairing", "")) or members.get(asked.get("student", ""), "")

    def named(self, pairs: Iterable[Pair]) -> list[tuple[str, str]]:
        return [(str(self.everybody[a]), str(self.everybody[b])) for a, b in sorted(pairs)]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def round_change(
    request: MemberRequest, org: str, cohort: str, assignment: str, number: int
) -> HttpResponse:
    """Choose a change; see whom it affects and how; confirm. What the address names is shown, and not yet done."""
    found = access_round(request.user, cohort, assignment, number, level="teacher")
    people = People(found)
    asked = request.POST if request.method == "POST" else request.GET
    kind = CHANGES.get(asked.get("what", ""))
    form = people.form(kind, found, asked) if kind else None
    told = _planned(form, people) if form else None
    if form and told and request.method == "POST" and _made(request, form, told):
        return redirect("round", org, cohort, assignment, number)
    context = {
        "round": found,
        "assignment": found.assignment,
        "form": form,
        "told": told,
        "about": "" if form else people.about(request.GET),
        "forms": [] if form else _offered(people, found, request.GET),
        "trail": trail_to_round(found),
    }
    return render(request, "peer_review/rounds/change.html", context)


def _planned(form: ChangeForm, people: People) -> Told | None:
    """Null where it cannot be done: the reason stands in the form then."""
    if not form.is_valid():
        return None
    form.ask_reason()
    board = board_of(form.round)
    try:
        change = form.plan(board)
    except RoundRefused as refusal:
        put_beside(form, refusal)
        return None
    effects = effects_of(board, change, leaver=form.leaver)
    return Told(
        ended=people.named(change.ended),
        added=people.named(change.added),
        loads=[(str(people.everybody[load.student]), load) for load in effects.loads],
        mutual=people.named(effects.mutual),
        withdrawn=people.named(effects.withdrawn),
        short=[str(people.everybody[student]) for student in effects.short],
        seen=fingerprint_of_change(change),
    )


def _made(request: MemberRequest, form: ChangeForm, told: Told) -> bool:
    try:
        form.make(request.user, request.POST.get("seen") or told.seen)
    except RoundRefused as refusal:
        put_beside(form, refusal)
        return False
    messages.success(request, f"{len(told.ended)} ended, {len(told.added)} made.")
    return True


def _offered(people: People, found: PairingRound, asked: QueryDict) -> list[ChangeForm]:
    """What can be done to the student or the pairing that the address names; to the round where it names none."""
    kinds: tuple[str, ...] = ("join", "leave", "pair")
    if people.about(asked):
        kinds = ("end", "swap") if "pairing" in asked else ("leave", "pair")
    forms = [people.form(CHANGES[kind], found, None, auto_id=f"{kind}_%s") for kind in kinds]
    for form in forms:
        form.hold("pairing", asked.get("pairing", ""))
        form.hold("student", asked.get("student", ""))
        form.hold("auditor", asked.get("student", ""))
    return forms
