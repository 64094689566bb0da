"""Actions on rounds: start one, let students join or leave, and change single pairs.

A teacher reviews the effects of a change first (rounds/pairing_changes.py). If the round changed
meanwhile and the effects would differ, the change is refused.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from secrets import token_hex

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from grading.core.activity_writer import record_activity
from grading.core.enums import Anonymity, RubricState
from grading.core.errors import RoundRefused
from grading.core.form_fingerprint import fingerprint_of
from grading.models import (
    Assignment,
    Enrollment,
    Pairing,
    PairingRound,
    RoundIdentities,
    RoundMember,
    RubricVersion,
)
from grading.peer_review.feedback.queries import identities_of
from grading.peer_review.rounds.pairing import MAX_PEERS, Pair, circle
from grading.peer_review.rounds.pairing_changes import (
    Change,
    RoundState,
    plan_ending,
    plan_late_joiner,
    plan_leaver,
    plan_pair,
    plan_swap,
)
from grading.peer_review.rounds.queries import round_state_of

# Three digits, and ten numbers for each student: easy to remember, hard to guess.
MIN_ALIASES = 900
ROUND_CHANGED = "The round has changed since. Please review the new effects below."
REPLACED_FOR_LATE_JOINER = "replaced for a student who joined late"
MAX_REASON_LENGTH = 200


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
    """Start a round of these students, paired by `seed` (random where none is given).

    Raises RoundRefused (field, code): peers too_few_students, group_too_large, no_way_found,
    too_many_peers; students not_enrolled; ends_at ends_before_start, ends_after_cohort;
    rubric_version rubric_not_published; "" already_started.
    """
    _refuse_bad_times(assignment, starts_at, ends_at)
    _refuse_bad_settings(assignment, peers, rubric_version, students)
    # Drawn before the transaction: it reads no rows, and the lock is held for a shorter time.
    seed = seed or token_hex(16)
    draw = circle(
        [student.pk for student in students], peers, seed, {s.pk: s.group for s in students}
    )

    with transaction.atomic():
        # The lock makes a second click wait; its seed then shows that the round exists.
        Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
        earlier = PairingRound.objects.filter(assignment=assignment)
        if earlier.filter(seed=seed).exists():
            raise RoundRefused("", "already_started", "This round has already been started.")

        new_round = PairingRound.objects.create(
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

        RoundIdentities.objects.create(
            organization_id=new_round.organization_id,
            round=new_round,
            people=identities_of(assignment.cohort_id),
        )
        _add_members(new_round, draw.order)
        _create_pairings(new_round, draw.pairs, made_by=None)
        record_activity(
            organization=new_round.organization_id,
            actor=by,
            verb="round.started",
            about=new_round,
            number=new_round.number,
            students=len(draw.order),
            peers=peers,
            anonymity=anonymity,
        )
    return new_round


def join_round(
    *, round: PairingRound, student: Enrollment, by: User | None, fingerprint: str = ""
) -> Change:
    """Add a late student, or one who left. `fingerprint` is that of the reviewed change.

    Raises RoundRefused: not_enrolled, in_the_round, round_over, round_changed.
    """
    _refuse_joiner(round, student)

    with transaction.atomic():
        change = _plan_locked(round, lambda state: plan_to_join(state, round, student), fingerprint)
        # A student who left before has a row already, and keeps its alias and position.
        if not RoundMember.objects.filter(round=round, student=student).update(left_at=None):
            _add_members(round, [student.pk])
        _apply(round, change)
        _log(round, "round.joined", change, by, student=_alias_of(round, student.pk))
    return change


def leave_round(
    *, round: PairingRound, student: Enrollment, reason: str, by: User | None, fingerprint: str = ""
) -> Change:
    """Remove a student. Their finished pairs stay; the rest is shared among the others.

    Raises RoundRefused: reason_missing, not_in_the_round, round_changed.
    """
    reason = _clean_reason(reason)
    with transaction.atomic():
        change = _plan_locked(
            round, lambda state: plan_to_leave(state, round, student), fingerprint
        )
        RoundMember.objects.filter(round=round, student=student).update(left_at=timezone.now())
        _apply(round, change, end_reason="left the round")
        _log(round, "round.left", change, by, student=_alias_of(round, student.pk), reason=reason)
    return change


def pair_by_hand(
    *,
    round: PairingRound,
    auditor: Enrollment,
    auditee: Enrollment,
    by: User | None,
    fingerprint: str = "",
) -> Change:
    """Add one pair.

    Raises RoundRefused: own_peer, paired_already, not_in_the_round, same_group, round_changed.
    """
    with transaction.atomic():
        change = _plan_locked(
            round, lambda state: plan_pair(state, auditor.pk, auditee.pk), fingerprint
        )
        _apply(round, change, made_by=by)
        aliases = {"auditor": _alias_of(round, auditor.pk), "auditee": _alias_of(round, auditee.pk)}
        _log(round, "round.paired", change, by, **aliases)
    return change


def end_pairing(*, pairing: Pairing, reason: str, by: User | None, fingerprint: str = "") -> Change:
    """End a pairing: it grants nothing any more, nor access to reports under it.

    Raises RoundRefused: reason_missing, pairing_ended, round_changed.
    """
    reason, ended = _clean_reason(reason), (pairing.auditor_id, pairing.auditee_id)
    with transaction.atomic():
        change = _plan_locked(pairing.round, lambda state: plan_ending(state, ended), fingerprint)
        _apply(pairing.round, change, end_reason=reason)
        aliases = {
            "auditor": _alias_of(pairing.round, ended[0]),
            "auditee": _alias_of(pairing.round, ended[1]),
        }
        _log(pairing.round, "round.unpaired", change, by, reason=reason, **aliases)
    return change


def swap_pairings(
    *, pairing: Pairing, other: Pairing, by: User | None, fingerprint: str = ""
) -> Change:
    """Swap the auditees of two pairings.

    Raises RoundRefused: pair_finished, nothing_to_swap, pairing_ended, round_changed, and those of
    pair_by_hand.
    """
    pairs = [(old.auditor_id, old.auditee_id) for old in (pairing, other)]
    with transaction.atomic():
        change = _plan_locked(pairing.round, lambda state: plan_swap(state, *pairs), fingerprint)
        _apply(pairing.round, change, end_reason="swapped by staff", made_by=by)
        aliases = {
            "auditor": _alias_of(pairing.round, pairs[0][0]),
            "other": _alias_of(pairing.round, pairs[1][0]),
        }
        _log(pairing.round, "round.swapped", change, by, **aliases)
    return change


def plan_to_join(state: RoundState, round: PairingRound, student: Enrollment) -> Change:
    """Return the change that join_round makes. Raises RoundRefused in_the_round."""
    if student.pk in state.members:
        raise RoundRefused("student", "in_the_round", "This student already takes part.")
    # The state knows the groups of the round's members only.
    with_student = replace(state, groups={**state.groups, student.pk: student.group})
    return plan_late_joiner(with_student, student.pk, f"{round.seed} {student.pk}")


def plan_to_leave(state: RoundState, round: PairingRound, student: Enrollment) -> Change:
    """Return the change that leave_round makes. Raises RoundRefused not_in_the_round."""
    if student.pk not in state.members:
        raise RoundRefused("student", "not_in_the_round", "This student does not take part.")
    return plan_leaver(state, student.pk, f"{round.seed} {student.pk}")


def fingerprint_of_change(change: Change) -> str:
    # Sorted, because sets have no order: equal changes must give equal fingerprints.
    return fingerprint_of(sorted(change.ended), sorted(change.added))


def _plan_locked(
    round: PairingRound, plan: Callable[[RoundState], Change], fingerprint: str
) -> Change:
    """Plan a change under locks: the round cannot change and no report can be started."""
    # All changes to the rounds of an assignment wait for each other here.
    # no_key: rows that only refer to the assignment, such as submissions, may still be inserted.
    Assignment.objects.select_for_update(no_key=True).get(pk=round.assignment_id)
    active = Pairing.objects.filter(round=round, ended_at=None).order_by("pk")
    # Starting a report locks its pairing, so none is started under a pair that may end.
    list(active.select_for_update(no_key=True).values_list("pk"))
    change = plan(round_state_of(round))
    if fingerprint and fingerprint != fingerprint_of_change(change):
        raise RoundRefused("", "round_changed", ROUND_CHANGED)
    return change


def _apply(
    round: PairingRound, change: Change, *, end_reason: str = "", made_by: User | None = None
) -> None:
    active = Pairing.objects.filter(round=round, ended_at=None)
    keys = [p.pk for p in active if (p.auditor_id, p.auditee_id) in change.ended]
    active.filter(pk__in=keys).update(
        ended_at=timezone.now(), end_reason=end_reason or REPLACED_FOR_LATE_JOINER
    )
    _create_pairings(round, sorted(change.added), made_by=made_by)


def _create_pairings(round: PairingRound, pairs: Iterable[Pair], *, made_by: User | None) -> None:
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


def _add_members(round: PairingRound, students: Sequence[int]) -> None:
    """Add students after the last position, under the aliases they have at this assignment."""
    last = RoundMember.objects.filter(round=round).aggregate(last=Max("position"))["last"]
    first = 0 if last is None else last + 1
    aliases = _assign_aliases(round.assignment_id, students)
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


def _assign_aliases(assignment_id: int, students: Sequence[int]) -> dict[int, str]:
    """Keep the aliases of earlier rounds and draw new ones."""
    members = RoundMember.objects.filter(round__assignment=assignment_id)
    aliases = dict(members.values_list("student", "alias"))
    new = [student for student in students if student not in aliases]
    # Below 100 a number would look like a place in a list.
    numbers = range(100, 100 + max(MIN_ALIASES, 10 * (len(aliases) + len(new))))
    free = sorted({f"Peer {number}" for number in numbers} - set(aliases.values()))
    # Not drawn by the round's seed: no alias may be computed from the roster.
    return aliases | dict(zip(new, random.SystemRandom().sample(free, len(new)), strict=True))


def _alias_of(round: PairingRound, student: int) -> str:
    """Return the name for the Activity log, which outlives the cohort and names nobody."""
    return RoundMember.objects.get(round=round, student=student).alias


def _log(round: PairingRound, verb: str, change: Change, by: User | None, **details: str) -> None:
    record_activity(
        organization=round.organization_id,
        actor=by,
        verb=verb,
        about=round,
        number=round.number,
        ended=len(change.ended),
        added=len(change.added),
        **details,
    )


def _clean_reason(text: str) -> str:
    reason = " ".join(text.split())[:MAX_REASON_LENGTH]
    if not reason:
        raise RoundRefused("reason", "reason_missing", "Enter a reason: it stays on the record.")
    return reason


def _refuse_joiner(round: PairingRound, student: Enrollment) -> None:
    if student.cohort_id != round.assignment.cohort_id:
        raise RoundRefused("student", "not_enrolled", "This student is not in the cohort.")
    if round.ends_at < timezone.now():
        raise RoundRefused(
            "student", "round_over", "The round is over: nobody can join it any more."
        )


def _refuse_bad_times(assignment: Assignment, starts_at: datetime, ends_at: datetime) -> None:
    last_day = assignment.cohort.ends_on
    if ends_at <= starts_at:
        raise RoundRefused("ends_at", "ends_before_start", "The round would end before it starts.")
    if last_day and ends_at.astimezone(UTC).date() > last_day:
        sentence = f"The round must end by {last_day} (UTC), when the cohort ends."
        raise RoundRefused("ends_at", "ends_after_cohort", sentence)


def _refuse_bad_settings(
    assignment: Assignment,
    peers: int,
    version: RubricVersion | None,
    students: Collection[Enrollment],
) -> None:
    if not 1 <= peers <= MAX_PEERS:
        raise RoundRefused("peers", "too_many_peers", f"Choose between 1 and {MAX_PEERS} peers.")
    if any(student.cohort_id != assignment.cohort_id for student in students):
        raise RoundRefused("students", "not_enrolled", "Only students of the cohort can take part.")
    if version and (
        version.state == RubricState.DRAFT or version.organization_id != assignment.organization_id
    ):
        sentence = "Only a published rubric of this organization can be used."
        raise RoundRefused("rubric_version", "rubric_not_published", sentence)
