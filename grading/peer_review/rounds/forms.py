"""What a teacher says of a round of peers before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from secrets import token_hex
from typing import Any, ClassVar

from django import forms
from django.contrib.auth.models import User
from django.utils import timezone

from grading.core.enums import Anonymity, RubricState
from grading.core.form_bases import DATETIME
from grading.models import Assignment, Enrollment, Pairing, PairingRound, RubricVersion
from grading.peer_review.rounds.actions import (
    MOST_REASON,
    end_pairing,
    join_round,
    leave_round,
    pair_by_hand,
    plan_to_join,
    plan_to_leave,
    swap,
)
from grading.peer_review.rounds.pairing import MOST_PEERS
from grading.peer_review.rounds.pairing_changes import Board, Change, by_hand, ending, swapped

EVERYBODY, WITH_WORK, CHOSEN = "everybody", "with_work", "chosen"
A_WEEK = timedelta(days=7)


def _moment(label: str) -> forms.DateTimeField:
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=DATETIME)
    return forms.DateTimeField(label=label, help_text="UTC.", widget=widget)


class RoundForm(forms.Form):
    """`students` holds keys of enrollments; `students_meant` are the enrollments that were asked for. `seed` goes along
    from the preview to the start, so that what was looked at is what begins, and a second click begins nothing."""

    peers = forms.IntegerField(
        label="Peers",
        min_value=1,
        max_value=MOST_PEERS,
        initial=2,
        help_text=f"How many others each student audits, and is audited by: 1 to {MOST_PEERS}.",
    )
    anonymity = forms.ChoiceField(
        label="Who knows whom",
        choices=Anonymity.choices,
        initial=Anonymity.DOUBLE_BLIND,
        widget=forms.RadioSelect,
    )
    starts_at = _moment("Starts")
    ends_at = _moment("Reports are asked for until")
    rubric_version = forms.ModelChoiceField(
        label="Peers audit under",
        required=False,
        queryset=RubricVersion.objects.none(),
        empty_label="The assignment's own rubric",
    )
    who = forms.ChoiceField(label="Who takes part", initial=EVERYBODY, widget=forms.RadioSelect)
    students = forms.TypedMultipleChoiceField(label="Students", coerce=int, required=False)
    seed = forms.RegexField(regex="^[0-9a-f]{32}$", required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        *args: Any,
        assignment: Assignment,
        roster: Sequence[Enrollment],
        with_work: set[int],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.roster, self._with_work = roster, with_work
        fields: Any = self.fields
        published = RubricVersion.objects.filter(state=RubricState.PUBLISHED).select_related(
            "rubric"
        )
        fields["rubric_version"].queryset = published.exclude(pk=assignment.rubric_version_id)
        fields["students"].choices = [(student.pk, str(student)) for student in roster]
        fields["who"].choices = [
            (EVERYBODY, f"Everybody on the roster ({len(roster)})"),
            (WITH_WORK, f"Who has handed something in ({len(with_work)})"),
            (CHOSEN, "Those chosen in the list below"),
        ]
        now = timezone.now().replace(second=0, microsecond=0)
        fields["starts_at"].initial, fields["ends_at"].initial = now, now + A_WEEK
        fields["seed"].initial = token_hex(16)

    @property
    def students_meant(self) -> list[Enrollment]:
        """Of a valid form."""
        match self.cleaned_data["who"]:
            case who if who == CHOSEN:
                return [
                    student
                    for student in self.roster
                    if student.pk in self.cleaned_data["students"]
                ]
            case who if who == WITH_WORK:
                return [student for student in self.roster if student.pk in self._with_work]
        return list(self.roster)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        starts, ends = cleaned.get("starts_at"), cleaned.get("ends_at")
        if starts and ends and ends <= starts:
            self.add_error("ends_at", "The round would end before it starts.")
        if (
            cleaned.get("who") == CHOSEN
            and not cleaned.get("students")
            and "students" not in self.errors
        ):
            self.add_error("who", "Nobody is chosen: tick students in the list below.")
        return cleaned


class ChangeForm(forms.Form):
    """`members` take part, `others` are of the cohort and do not; `pairs` are the pairings that have not ended, each with
    its students. What a change needs a reason for is asked once its effects are known."""

    what: ClassVar[str]
    title: ClassVar[str]
    verb: ClassVar[str]
    asks_reason: ClassVar[bool] = False

    reason = forms.CharField(
        label="Reason",
        required=False,
        max_length=MOST_REASON,
        help_text="Stays on the record, for staff.",
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
        return swapped(
            board, pair_of(self.cleaned_data["pairing"]), pair_of(self.cleaned_data["other"])
        )

    def make(self, by: User, seen: str) -> Change:
        return swap(by=by, seen=seen, **self.cleaned_data)


def pair_of(pairing: Pairing) -> tuple[int, int]:
    return pairing.auditor_id, pairing.auditee_id


CHANGES: dict[str, type[ChangeForm]] = {
    form.what: form for form in (JoinForm, LeaveForm, PairForm, EndForm, SwapForm)
}
