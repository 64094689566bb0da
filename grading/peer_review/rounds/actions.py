"""Rounds of peers: begun by a teacher, and changed by few pairs at a time.

Whoever changes a round has seen what the change does (grading/peer_review/rounds/pairing_changes.py); where it would do something else by
now, it is not made.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from secrets import token_hex

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from grading.core.activity import record_activity
from grading.core.enums import Anonymity, RubricState
from grading.core.errors import RoundRefused
from grading.core.form_fingerprint import fingerprint_of
from grading.models import Assignment, Enrollment, Pairing, PairingRound, RoundMember, RubricVersion
from grading.peer_review.rounds.pairing import MOST_PEERS, Pair, circle
from grading.peer_review.rounds.pairing_changes import (
    Board,
    Change,
    by_hand,
    ending,
    swapped,
    with_late_joiner,
    without,
)
from grading.peer_review.rounds.queries import board_of

FEWEST_ALIASES = (
    900  # three digits, and ten for each who is given one: easy to keep in mind, hard to guess
)
CHANGED = "The round changed since you looked: what it would do now is shown. Look once more."
MADE_ROOM = "made room for somebody who came late"
MOST_REASON = 200


def start_round(
    *,
    assignment: Assignment,
    peers: int,
    anonymity: Anonymity,
    starts_at: datetime,
    ends_at: datetime,
    students: Collection[Enrollment],
    by: User | None,
    rubric_version: RubricVersion | None = None,
    seed: str = "",
) -> PairingRound:
    """A round of these students, paired by `seed` (drawn where none is given).

    Raises RoundRefused (field, code): peers too_few_students, group_too_large, no_way_found, too_many_peers; students
    not_enrolled; ends_at ends_before_start, ends_after_cohort; rubric_version rubric_not_published; "" already_started.
    """
    _refuse_times(assignment, starts_at, ends_at)
    _refuse_unfit(assignment, peers, rubric_version, students)
    seed = seed or token_hex(16)
    drawn = circle(
        [student.pk for student in students], peers, seed, {s.pk: s.group for s in students}
    )
    with transaction.atomic():
        # Two clicks on the button are one round.
        Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
        earlier = PairingRound.objects.filter(assignment=assignment)
        if earlier.filter(seed=seed).exists():
            raise RoundRefused("", "already_started", "This round has been started already.")
        begun = PairingRound.objects.create(
            organization_id=assignment.organization_id,
            assignment=assignment,
            peers=peers,
            number=(earlier.aggregate(last=Max("number"))["last"] or 0) + 1,
            anonymity=anonymity,
            starts_at=starts_at,
            ends_at=ends_at,
            rubric_version=rubric_version,
            seed=seed,
            created_by=by,
        )
        _seat(begun, drawn.order)
        _pair(begun, drawn.pairs, made_by=None)
        record_activity(
            organization=begun.organization_id,
            actor=by,
            verb="round.started",
            about=begun,
            number=begun.number,
            students=len(drawn.order),
            peers=peers,
            anonymity=anonymity,
        )
    return begun


def join_round(
    *, round: PairingRound, student: Enrollment, by: User | None, seen: str = ""
) -> Change:
    """Let a student in late, or one who left in again. `seen` is the fingerprint of the change that was looked at.

    Raises RoundRefused: not_enrolled, in_the_round, round_over, round_changed.
    """
    _refuse_joiner(round, student)
    with transaction.atomic():
        change = _planned(round, lambda board: plan_to_join(board, round, student), seen)
        if not RoundMember.objects.filter(round=round, student=student).update(left_at=None):
            _seat(round, [student.pk])
        _make(round, change)
        _note(round, "round.joined", change, by, student=_alias(round, student.pk))
    return change


def leave_round(
    *, round: PairingRound, student: Enrollment, reason: str, by: User | None, seen: str = ""
) -> Change:
    """Take a student out. What is finished of theirs stays; the rest is shared out among those they leave.

    Raises RoundRefused: reason_missing, not_in_the_round, round_changed.
    """
    reason = _reason(reason)
    with transaction.atomic():
        change = _planned(round, lambda board: plan_to_leave(board, round, student), seen)
        RoundMember.objects.filter(round=round, student=student).update(left_at=timezone.now())
        _make(round, change, end_reason="left the round")
        _note(round, "round.left", change, by, student=_alias(round, student.pk), reason=reason)
    return change


def pair_by_hand(
    *,
    round: PairingRound,
    auditor: Enrollment,
    auditee: Enrollment,
    by: User | None,
    seen: str = "",
) -> Change:
    """One pair more. Raises RoundRefused: own_peer, paired_already, not_in_the_round, same_group, round_changed."""
    with transaction.atomic():
        change = _planned(round, lambda board: by_hand(board, auditor.pk, auditee.pk), seen)
        _make(round, change, made_by=by)
        aliases = {"auditor": _alias(round, auditor.pk), "auditee": _alias(round, auditee.pk)}
        _note(round, "round.paired", change, by, **aliases)
    return change


def end_pairing(*, pairing: Pairing, reason: str, by: User | None, seen: str = "") -> Change:
    """From now on it grants nothing, also no look at a report under it. Raises RoundRefused: reason_missing,
    pairing_ended, round_changed."""
    reason, ended = _reason(reason), (pairing.auditor_id, pairing.auditee_id)
    with transaction.atomic():
        change = _planned(pairing.round, lambda board: ending(board, ended), seen)
        _make(pairing.round, change, end_reason=reason)
        aliases = {
            "auditor": _alias(pairing.round, ended[0]),
            "auditee": _alias(pairing.round, ended[1]),
        }
        _note(pairing.round, "round.unpaired", change, by, reason=reason, **aliases)
    return change


def swap(*, pairing: Pairing, other: Pairing, by: User | None, seen: str = "") -> Change:
    """Let two exchange whom they audit. Raises RoundRefused: pair_finished, nothing_to_swap, pairing_ended,
    round_changed, and as pair_by_hand does."""
    pairs = [(each.auditor_id, each.auditee_id) for each in (pairing, other)]
    with transaction.atomic():
        change = _planned(pairing.round, lambda board: swapped(board, *pairs), seen)
        _make(pairing.round, change, end_reason="exchanged by hand", made_by=by)
        aliases = {
            "auditor": _alias(pairing.round, pairs[0][0]),
            "other": _alias(pairing.round, pairs[1][0]),
        }
        _note(pairing.round, "round.swapped", change, by, **aliases)
    return change


def plan_to_join(board: Board, round: PairingRound, student: Enrollment) -> Change:
    """The change that join_round makes. Raises RoundRefused in_the_round."""
    if student.pk in board.members:
        raise RoundRefused("student", "in_the_round", "This student takes part already.")
    known = replace(board, groups={**board.groups, student.pk: student.group})
    return with_late_joiner(known, student.pk, f"{round.seed} {student.pk}")


def plan_to_leave(board: Board, round: PairingRound, student: Enrollment) -> Change:
    """The change that leave_round makes. Raises RoundRefused not_in_the_round."""
    if student.pk not in board.members:
        raise RoundRefused("student", "not_in_the_round", "This student does not take part.")
    return without(board, student.pk, f"{round.seed} {student.pk}")


def fingerprint_of_change(change: Change) -> str:
    return fingerprint_of(sorted(change.ended), sorted(change.added))


def _planned(round: PairingRound, plan: Callable[[Board], Change], seen: str) -> Change:
    """What is to be done to the round as it stands, with nobody else changing it meanwhile, and no report begun."""
    Assignment.objects.select_for_update(no_key=True).get(pk=round.assignment_id)
    standing = Pairing.objects.filter(round=round, ended_at=None).order_by("pk")
    list(standing.select_for_update(no_key=True).values_list("pk"))
    change = plan(board_of(round))
    if seen and seen != fingerprint_of_change(change):
        raise RoundRefused("", "round_changed", CHANGED)
    return change


def _make(
    round: PairingRound, change: Change, *, end_reason: str = "", made_by: User | None = None
) -> None:
    standing = Pairing.objects.filter(round=round, ended_at=None)
    keys = [p.pk for p in standing if (p.auditor_id, p.auditee_id) in change.ended]
    standing.filter(pk__in=keys).update(ended_at=timezone.now(), end_reason=end_reason or MADE_ROOM)
    _pair(round, sorted(change.added), made_by=made_by)


def _pair(round: PairingRound, pairs: Iterable[Pair], *, made_by: User | None) -> None:
    Pairing.objects.bulk_create(
        Pairing(
            organization_id=round.organization_id,
            round=round,
            auditor_id=auditor,
            auditee_id=auditee,
            made_by=made_by,
        )
        for auditor, auditee in pairs
    )


def _seat(round: PairingRound, students: Sequence[int]) -> None:
    """Behind those who sit there already, under the names that they have at this assignment, or new ones."""
    last = RoundMember.objects.filter(round=round).aggregate(last=Max("position"))["last"]
    first = 0 if last is None else last + 1
    aliases = _aliases(round.assignment_id, students)
    RoundMember.objects.bulk_create(
        RoundMember(
            organization_id=round.organization_id,
            round=round,
            student_id=student,
            alias=aliases[student],
            position=position,
        )
        for position, student in enumerate(students, start=first)
    )


def _aliases(assignment_id: int, students: Sequence[int]) -> dict[int, str]:
    """By chance and by nothing else: neither the roster nor the circle can be read off them."""
    members = RoundMember.objects.filter(round__assignment=assignment_id)
    known = dict(members.values_list("student", "alias"))
    new = [student for student in students if student not in known]
    numbers = range(100, 100 + max(FEWEST_ALIASES, 10 * (len(known) + len(new))))
    free = sorted({f"Peer {number}" for number in numbers} - set(known.values()))
    return known | dict(zip(new, random.SystemRandom().sample(free, len(new)), strict=True))


def _alias(round: PairingRound, student: int) -> str:
    """What the log calls a student: it outlives the cohort."""
    return RoundMember.objects.get(round=round, student=student).alias


def _note(round: PairingRound, verb: str, change: Change, by: User | None, **said: str) -> None:
    record_activity(
        organization=round.organization_id,
        actor=by,
        verb=verb,
        about=round,
        number=round.number,
        ended=len(change.ended),
        added=len(change.added),
        **said,
    )


def _reason(text: str) -> str:
    reason = " ".join(text.split())[:MOST_REASON]
    if not reason:
        raise RoundRefused("reason", "reason_missing", "Say why: it stays on the record.")
    return reason


def _refuse_joiner(round: PairingRound, student: Enrollment) -> None:
    if student.cohort_id != round.assignment.cohort_id:
        raise RoundRefused("student", "not_enrolled", "This student is not in the cohort.")
    if round.ends_at < timezone.now():
        raise RoundRefused(
            "student", "round_over", "The round is over: nobody can be let in any more."
        )


def _refuse_times(assignment: Assignment, starts_at: datetime, ends_at: datetime) -> None:
    last_day = assignment.cohort.ends_on
    if ends_at <= starts_at:
        raise RoundRefused("ends_at", "ends_before_start", "The round would end before it starts.")
    if last_day and ends_at.date() > last_day:
        sentence = f"The cohort ends on {last_day}, and with it everything that a pairing grants."
        raise RoundRefused("ends_at", "ends_after_cohort", sentence)


def _refuse_unfit(
    assignment: Assignment,
    peers: int,
    version: RubricVersion | None,
    students: Collection[Enrollment],
) -> None:
    if not 1 <= peers <= MOST_PEERS:
        raise RoundRefused("peers", "too_many_peers", f"A student audits 1 to {MOST_PEERS} others.")
    if any(student.cohort_id != assignment.cohort_id for student in students):
        raise RoundRefused("students", "not_enrolled", "Only students of the cohort can take part.")
    if version and (
        version.state == RubricState.DRAFT or version.organization_id != assignment.organization_id
    ):
        sentence = "Only a published rubric of this organization can be used."
        raise RoundRefused("rubric_version", "rubric_not_published", sentence)
