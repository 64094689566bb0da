"""Changing a round by hand: what is to be changed, what that does to whom, and the yes to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from grading.actions.peers.rounds import fingerprint_of_change
from grading.errors import RoundRefused
from grading.forms.refusals import put_beside
from grading.forms.round_changes import CHANGES, ChangeForm
from grading.models import Pairing, PairingRound, RoundMember
from grading.pairing import Pair
from grading.pairing_changes import Load, effects_of
from grading.permissions import access_round
from grading.queries.courses.cohorts import roster_of
from grading.queries.peers.boards import board_of
from grading.views.peers.rounds import trail_to_round
from grading.views.requests import MemberRequest


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
        present = RoundMember.objects.filter(round=found, left_at=None).values_list("student", flat=True)
        self.everybody = {student.pk: student for student in roster_of(found.assignment.cohort)}
        inside = set(present)
        self.members = [student for student in self.everybody.values() if student.pk in inside]
        self.others = [student for student in self.everybody.values() if student.pk not in inside]
        self.pairs = list(Pairing.objects.filter(round=found, ended_at=None))
        for pairing in self.pairs:  # known already: nine hundred joined rows take half a second to build
            pairing.round = found
            pairing.auditor = self.everybody[pairing.auditor_id]
            pairing.auditee = self.everybody[pairing.auditee_id]
        self.pairs.sort(key=lambda pairing: (str(pairing.auditor), str(pairing.auditee)))

    def form(
        self, kind: type[ChangeForm], found: PairingRound, data: QueryDict | None, **more: Any
    ) -> ChangeForm:
        return kind(data, round=found, members=self.members, others=self.others, pairs=self.pairs, **more)

    def about(self, asked: QueryDict) -> str:
        """The pairing or the member that the address names, in words; "" for none."""
        pairs = {str(pairing.pk): f"{pairing.auditor} → {pairing.auditee}" for pairing in self.pairs}
        members = {str(student.pk): str(student) for student in self.members}
        return pairs.get(asked.get("pairing", "")) or members.get(asked.get("student", ""), "")

    def named(self, pairs: Iterable[Pair]) -> list[tuple[str, str]]:
        return [(str(self.everybody[a]), str(self.everybody[b])) for a, b in sorted(pairs)]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def round_change(request: MemberRequest, org: str, cohort: str, assignment: str, number: int) -> HttpResponse:
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
    return render(request, "rounds/change.html", context)


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
