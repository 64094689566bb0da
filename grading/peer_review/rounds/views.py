"""Pages of a round for staff: start, status, reminders and changes."""

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
from grading.core.form_bases import add_refusal
from grading.core.peer_permissions import access_round
from grading.core.permissions import access_assignment, may
from grading.core.requests import MemberRequest
from grading.core.team_access import name_in_round, with_team_name
from grading.courses.teams.queries import students_for_rounds
from grading.models import Assignment, Enrollment, Pairing, PairingRound, RoundMember, Submission
from grading.peer_review.rounds.actions import fingerprint_of_change, start_round
from grading.peer_review.rounds.forms import CHANGES, ChangeForm, RoundForm, pair_label
from grading.peer_review.rounds.pairing import Pair, circle, is_free_of_mutual, same_group
from grading.peer_review.rounds.pairing_changes import Load, effects_of
from grading.peer_review.rounds.presenters import arrivals_of, grid_of
from grading.peer_review.rounds.queries import (
    STATES,
    Matrix,
    MemberRow,
    PairStatus,
    figures_of,
    matrix_of,
    round_state_of,
    students_outside,
)
from grading.peer_review.rounds.reminders import ONE_DAY, members_to_remind, remind


@dataclass(frozen=True, slots=True)
class Preview:
    """Preview of a round. `groups` counts the groups whose members are kept apart."""

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
    def min_students(self) -> int:
        """Students needed so that no two have to audit each other."""
        return 2 * self.peers + 1

    @property
    def days(self) -> str:
        return f"{self.lasts.total_seconds() / ONE_DAY.total_seconds():.1f}".removesuffix(".0")


@dataclass(frozen=True, slots=True)
class AuditedPeer:
    """Peer whom a member audits.

    `late`: the report came after the round, or is missing and the round is over; `same_group`: the
    two were put into one group since.
    """

    pair: PairStatus
    member: RoundMember
    words: str
    late: bool
    same_group: bool

    @property
    def name(self) -> str:
        return name_in_round(self.member)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def round_new(request: MemberRequest, org: str, cohort: str, assignment: str) -> HttpResponse:
    """Form, then preview, then start of a round."""
    assignment_row = access_assignment(request.user, cohort, assignment, level="teacher")
    with_work = _with_work(assignment_row)

    form = RoundForm(
        request.POST if request.method == "POST" else None,
        assignment=assignment_row,
        roster=students_for_rounds(assignment_row),
        with_work=with_work,
    )

    preview = _preview_of(form, with_work) if form.is_bound and form.is_valid() else None
    if preview and "start" in request.POST:
        new_round = _start(request, assignment_row, form)
        if new_round is not None:
            return redirect("round", org, cohort, assignment, new_round.number)
    context = {
        "assignment": assignment_row,
        "form": form,
        "chosen": set(form.cleaned_data.get("students", ()))
        if form.is_bound and form.is_valid()
        else set(),
        "preview": None if form.errors else preview,
        "trail": trail_to_assignment(assignment_row),
    }
    return render(request, "peer_review/rounds/new.html", context)


def _with_work(assignment: Assignment) -> set[int]:
    handed_in = Submission.objects.filter(assignment=assignment).exclude(resolved_commit="")
    return set(handed_in.order_by().values_list("student", flat=True).distinct())


def _preview_of(form: RoundForm, with_work: set[int]) -> Preview | None:
    students, peers = form.chosen_students, form.cleaned_data["peers"]
    groups = {student.pk: student.group for student in students}
    try:
        # The pairs are not shown: drawing them tells if the start would be refused.
        circle(groups, peers, form.cleaned_data["seed"], groups)
    except RoundRefused as refusal:
        add_refusal(form, refusal)
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
    """Count the groups that have more than one of these students."""
    named = [student.group for student in students if student.group]
    return sum(named.count(group) > 1 for group in set(named))


def _start(request: MemberRequest, assignment: Assignment, form: RoundForm) -> PairingRound | None:
    settings = dict(form.cleaned_data)
    # The field says which students; `students` below holds them.
    del settings["who"]
    try:
        new_round = start_round(
            assignment=assignment, by=request.user, **settings | {"students": form.chosen_students}
        )
    except RoundRefused as refusal:
        add_refusal(form, refusal)
        return None
    messages.success(
        request,
        f"Round {new_round.number} is set up: {len(form.chosen_students)} students are paired.",
    )
    return new_round


@never_cache
@require_safe
def round_page(
    request: MemberRequest, org: str, cohort: str, assignment: str, number: int
) -> HttpResponse:
    """Status of the round. The number of queries does not depend on its members."""
    peer_round = access_round(request.user, cohort, assignment, number)
    matrix, now = matrix_of(peer_round), timezone.now()
    only_due = request.GET.get("show") == "owing"
    context = {
        "round": peer_round,
        "assignment": peer_round.assignment,
        "rows": [row for row in _rows(matrix) if row[0].has_due or not only_due],
        "only_due": only_due,
        "figures": figures_of(matrix),
        "grid": grid_of(matrix),
        "arrivals": arrivals_of(matrix),
        "outside": students_outside(peer_round),
        "owing": sum(row.has_due for row in matrix.rows),
        "to_remind": len(members_to_remind(matrix, not_since=now - ONE_DAY)),
        "phase": "before"
        if now < peer_round.starts_at
        else "over"
        if now > peer_round.ends_at
        else "running",
        "may_change": may(request.user, peer_round.organization, "teacher"),
        "trail": trail_to_assignment(peer_round.assignment),
    }
    return render(request, "peer_review/rounds/round.html", context)


def _rows(matrix: Matrix) -> list[tuple[MemberRow, list[AuditedPeer]]]:
    """Return each member with the peers they audit."""
    now, until = timezone.now(), matrix.round.ends_at
    members = {row.member.student_id: row.member for row in matrix.rows}
    groups = {student: member.student.group for student, member in members.items()}
    return [
        (
            row,
            [
                AuditedPeer(
                    pair=pair,
                    member=members[pair.auditee],
                    words=STATES[pair.state],
                    late=(pair.report.at if pair.report else now) > until,
                    same_group=same_group(groups, pair.auditor, pair.auditee),
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
    """GET shows who would get an email; POST sends the emails."""
    peer_round = access_round(request.user, cohort, assignment, number, level="teacher")
    if request.method == "POST" and "remind" in request.POST:
        emails = remind(round=peer_round, by=request.user)
        messages.success(request, _reminder_message(emails))
        return redirect("round", org, cohort, assignment, number)
    matrix = matrix_of(peer_round)

    rows = members_to_remind(matrix, not_since=timezone.now() - ONE_DAY)
    context = {
        "round": peer_round,
        "assignment": peer_round.assignment,
        "rows": rows,
        "skipped": sum(row.has_due for row in matrix.rows) - len(rows),
        "trail": trail_to_round(peer_round),
    }
    return render(request, "peer_review/rounds/remind.html", context)


def _reminder_message(emails: int) -> str:
    if emails == 0:
        return "No reminder was sent: nobody with something due could get one now."
    return f"{emails} student{'' if emails == 1 else 's'} reminded."


def trail_to_round(peer_round: PairingRound) -> Trail:
    assignment = peer_round.assignment
    slugs = [assignment.organization.slug, assignment.cohort.slug, assignment.slug]
    address = reverse("round", args=[*slugs, peer_round.number])
    return [*trail_to_assignment(assignment), (f"Round {peer_round.number}", address)]


@dataclass(frozen=True, slots=True)
class ChangePreview:
    """Preview of a change: pairs as names (auditor, student audited) and its fingerprint."""

    ended: list[tuple[str, str]]
    added: list[tuple[str, str]]
    loads: list[tuple[str, Load]]
    mutual: list[tuple[str, str]]
    withdrawn: list[tuple[str, str]]
    short: list[str]
    fingerprint: str


class RoundRoster:
    """Members of a round, other students of the cohort, and active pairings. Four queries."""

    def __init__(self, peer_round: PairingRound) -> None:
        present = RoundMember.objects.filter(round=peer_round, left_at=None).values_list(
            "student", flat=True
        )
        inside = set(present)
        others = [
            student
            for student in students_for_rounds(peer_round.assignment)
            if student.pk not in inside
        ]
        # Whoever left their team since is still in the round, until a teacher removes them.
        members = Enrollment.objects.filter(pk__in=inside)
        self.members = list(with_team_name(members, peer_round.assignment_id, "pk"))
        self.nonmembers = others
        self.students = {student.pk: student for student in (*self.members, *others)}

        self.pairs = list(Pairing.objects.filter(round=peer_round, ended_at=None))

        # The students are loaded already; joining 900 pairings takes half a second.
        for pairing in self.pairs:
            pairing.round = peer_round
            pairing.auditor = self.students[pairing.auditor_id]
            pairing.auditee = self.students[pairing.auditee_id]
        self.pairs.sort(key=pair_label)

    def form(
        self,
        form_class: type[ChangeForm],
        peer_round: PairingRound,
        data: QueryDict | None,
        **options: Any,
    ) -> ChangeForm:
        return form_class(
            data,
            round=peer_round,
            members=self.members,
            nonmembers=self.nonmembers,
            pairs=self.pairs,
            **options,
        )

    def description(self, query: QueryDict) -> str:
        """Return the pairing or member named by the URL, as text; "" for none."""
        pairs = {str(pairing.pk): pair_label(pairing) for pairing in self.pairs}
        members = {str(student.pk): name_in_round(student) for student in self.members}
        return pairs.get(query.get("pairing", "")) or members.get(query.get("student", ""), "")

    def names_of(self, pairs: Iterable[Pair]) -> list[tuple[str, str]]:
        return [(self.name_of(a), self.name_of(b)) for a, b in sorted(pairs)]

    def name_of(self, student: int) -> str:
        return name_in_round(self.students[student])


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def round_change(
    request: MemberRequest, org: str, cohort: str, assignment: str, number: int
) -> HttpResponse:
    """Choose a change, preview its effects, confirm. Values in the URL preset the form."""
    peer_round = access_round(request.user, cohort, assignment, number, level="teacher")
    roster = RoundRoster(peer_round)
    data = request.POST if request.method == "POST" else request.GET
    form_class = CHANGES.get(data.get("what", ""))
    form = roster.form(form_class, peer_round, data) if form_class else None
    preview = _planned(form, roster) if form else None

    if form and preview and request.method == "POST" and _apply_change(request, form, preview):
        return redirect("round", org, cohort, assignment, number)
    context = {
        "round": peer_round,
        "assignment": peer_round.assignment,
        "form": form,
        "preview": preview,
        "description": "" if form else roster.description(request.GET),
        "forms": [] if form else _forms_for(roster, peer_round, request.GET),
        "trail": trail_to_round(peer_round),
    }
    return render(request, "peer_review/rounds/change.html", context)


def _planned(form: ChangeForm, roster: RoundRoster) -> ChangePreview | None:
    """Return the preview; None if the change is refused, with the reason in the form."""
    if not form.is_valid():
        return None
    # After is_valid(): the first step has no reason yet. The action refuses an empty one.
    form.require_reason()
    state = round_state_of(form.round)
    try:
        change = form.plan(state)
    except RoundRefused as refusal:
        add_refusal(form, refusal)
        return None

    effects = effects_of(state, change, leaver=form.leaver)
    return ChangePreview(
        ended=roster.names_of(change.ended),
        added=roster.names_of(change.added),
        loads=[(roster.name_of(load.student), load) for load in effects.loads],
        mutual=roster.names_of(effects.mutual),
        withdrawn=roster.names_of(effects.withdrawn),
        short=[roster.name_of(student) for student in effects.short],
        fingerprint=fingerprint_of_change(change),
    )


def _apply_change(request: MemberRequest, form: ChangeForm, preview: ChangePreview) -> bool:
    try:
        form.make(request.user, request.POST.get("seen") or preview.fingerprint)
    except RoundRefused as refusal:
        add_refusal(form, refusal)
        return False
    messages.success(request, f"{len(preview.ended)} pairings ended, {len(preview.added)} added.")
    return True


def _forms_for(roster: RoundRoster, peer_round: PairingRound, query: QueryDict) -> list[ChangeForm]:
    """Return forms for the student or pairing named by the URL, else for the round."""
    kinds: tuple[str, ...] = ("join", "leave", "pair")
    if roster.description(query):
        kinds = ("end", "swap") if "pairing" in query else ("leave", "pair")
    forms = [roster.form(CHANGES[kind], peer_round, None, auto_id=f"{kind}_%s") for kind in kinds]
    for form in forms:
        form.preset("pairing", query.get("pairing", ""))
        form.preset("student", query.get("student", ""))
        form.preset("auditor", query.get("student", ""))
    return forms
