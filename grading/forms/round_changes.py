"""The five changes that a person makes to a round. Each can say what it would do, and do it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib.auth.models import User

from grading.actions.peers.rounds import (
    MOST_REASON,
    end_pairing,
    join_round,
    leave_round,
    pair_by_hand,
    plan_to_join,
    plan_to_leave,
    swap,
)
from grading.models import Enrollment, Pairing, PairingRound
from grading.pairing_changes import Board, Change, by_hand, ending, swapped


class ChangeForm(forms.Form):
    """`members` take part, `others` are of the cohort and do not; `pairs` are the pairings that have not ended, each with
    its students. What a change needs a reason for is asked once its effects are known."""

    what: ClassVar[str]
    title: ClassVar[str]
    verb: ClassVar[str]
    asks_reason: ClassVar[bool] = False

    reason = forms.CharField(
        label="Reason", required=False, max_length=MOST_REASON, help_text="Stays on the record, for staff."
    )

    def __init__(
        self,
        *args: Any,
        round: PairingRound,
        members: Sequence[Enrollment],
        others: Sequence[Enrollment],
        pairs: Sequence[Pairing],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.round, self._members, self._others, self._pairs = round, members, others, pairs
        if not self.asks_reason:
            del self.fields["reason"]
        self.offer()

    def offer(self) -> None:
        """Fill the selects."""
        raise NotImplementedError

    def plan(self, board: Board) -> Change:
        """What it would do; of a valid form. Raises RoundRefused."""
        raise NotImplementedError

    @property
    def leaver(self) -> int | None:
        """Who takes part no more after it; of a valid form."""
        return None

    def make(self, by: User, seen: str) -> Change:
        """Do it. Raises RoundRefused."""
        raise NotImplementedError

    def hold(self, field: str, key: str) -> None:
        """What the address names already is sent along, and not asked for."""
        chosen: Any = self.fields.get(field)
        if chosen is not None and chosen.valid_value(key):
            chosen.widget, self.initial[field] = forms.HiddenInput(), key

    def ask_reason(self) -> None:
        """From now on, where a change wants one."""
        if self.asks_reason:
            self.fields["reason"].required = True

    def _offer(self, field: str, objects: Sequence[Enrollment | Pairing]) -> None:
        chosen: Any = self.fields[field]
        chosen.choices = [("", "Choose"), *((each.pk, _words(each)) for each in objects)]
        by_key = {str(each.pk): each for each in objects}
        chosen.coerce = by_key.__getitem__


def _words(choice: Enrollment | Pairing) -> str:
    return f"{choice.auditor} → {choice.auditee}" if isinstance(choice, Pairing) else str(choice)


def _select(label: str) -> forms.TypedChoiceField:
    return forms.TypedChoiceField(label=label)


class JoinForm(ChangeForm):
    what, title, verb = "join", "Let a student in", "Let them in"
    student = _select("Student")

    def offer(self) -> None:
        self._offer("student", self._others)

    def plan(self, board: Board) -> Change:
        return plan_to_join(board, self.round, self.cleaned_data["student"])

    def make(self, by: User, seen: str) -> Change:
        return join_round(round=self.round, student=self.cleaned_data["student"], by=by, seen=seen)


class LeaveForm(ChangeForm):
    what, title, verb = "leave", "Take a student out", "Take them out"
    asks_reason = True
    student = _select("Student")

    def offer(self) -> None:
        self._offer("student", self._members)

    def plan(self, board: Board) -> Change:
        return plan_to_leave(board, self.round, self.cleaned_data["student"])

    @property
    def leaver(self) -> int | None:
        return int(self.cleaned_data["student"].pk)

    def make(self, by: User, seen: str) -> Change:
        return leave_round(round=self.round, by=by, seen=seen, **self.cleaned_data)


class PairForm(ChangeForm):
    what, title, verb = "pair", "Pair two by hand", "Pair them"
    auditor = _select("Who audits")
    auditee = _select("Who is audited")

    def offer(self) -> None:
        self._offer("auditor", self._members)
        self._offer("auditee", self._members)

    def plan(self, board: Board) -> Change:
        return by_hand(board, self.cleaned_data["auditor"].pk, self.cleaned_data["auditee"].pk)

    def make(self, by: User, seen: str) -> Change:
        return pair_by_hand(round=self.round, by=by, seen=seen, **self.cleaned_data)


class EndForm(ChangeForm):
    what, title, verb = "end", "End a pairing", "End it"
    asks_reason = True
    pairing = _select("Pairing")

    def offer(self) -> None:
        self._offer("pairing", self._pairs)

    def plan(self, board: Board) -> Change:
        return ending(board, pair_of(self.cleaned_data["pairing"]))

    def make(self, by: User, seen: str) -> Change:
        return end_pairing(by=by, seen=seen, **self.cleaned_data)


class SwapForm(ChangeForm):
    what, title, verb = "swap", "Exchange whom two students audit", "Exchange"
    pairing = _select("Pairing")
    other = _select("With the pairing")

    def offer(self) -> None:
        self._offer("pairing", self._pairs)
        self._offer("other", self._pairs)

    def plan(self, board: Board) -> Change:
        return swapped(board, pair_of(self.cleaned_data["pairing"]), pair_of(self.cleaned_data["other"]))

    def make(self, by: User, seen: str) -> Change:
        return swap(by=by, seen=seen, **self.cleaned_data)


def pair_of(pairing: Pairing) -> tuple[int, int]:
    return pairing.auditor_id, pairing.auditee_id


CHANGES: dict[str, type[ChangeForm]] = {
    form.what: form for form in (JoinForm, LeaveForm, PairForm, EndForm, SwapForm)
}
