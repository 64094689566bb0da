"""Forms to start a round and to change a running one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from secrets import token_hex
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from django import forms
from django.contrib.auth.models import User
from django.utils import timezone

from grading.core.enums import Anonymity, RubricState
from grading.core.form_bases import ZonedForm, ZonedTimeField
from grading.core.team_access import name_in_round
from grading.models import Assignment, Enrollment, Pairing, PairingRound, RubricVersion
from grading.peer_review.rounds.actions import (
    MAX_REASON_LENGTH,
    end_pairing,
    join_round,
    leave_round,
    pair_by_hand,
    plan_to_join,
    plan_to_leave,
    swap_pairings,
)
from grading.peer_review.rounds.pairing import MAX_PEERS
from grading.peer_review.rounds.pairing_changes import (
    Change,
    RoundState,
    plan_ending,
    plan_pair,
    plan_swap,
)

EVERYBODY, WITH_WORK, CHOSEN = "everybody", "with_work", "chosen"
ONE_WEEK = timedelta(days=7)


class RoundForm(ZonedForm):
    """Settings of a new round. `students` holds keys of enrollments.

    `seed` goes from the preview to the start: the round has the pairs that were previewed, and a
    second click starts nothing.
    """

    peers = forms.IntegerField(
        label="Peers",
        min_value=1,
        max_value=MAX_PEERS,
        initial=2,
        help_text=f"Number of peers each student audits and is audited by: 1 to {MAX_PEERS}.",
    )
    anonymity = forms.ChoiceField(
        label="Anonymity",
        choices=Anonymity.choices,
        # The strictest is the default: a name that was shown cannot be hidden again.
        initial=Anonymity.DOUBLE_BLIND,
        widget=forms.RadioSelect,
    )
    starts_at = ZonedTimeField(label="Starts")
    ends_at = ZonedTimeField(label="Reports are due by")
    rubric_version = forms.ModelChoiceField(
        label="Rubric for peer audits",
        required=False,
        queryset=RubricVersion.objects.none(),
        empty_label="The assignment's rubric",
    )
    who = forms.ChoiceField(label="Participants", initial=EVERYBODY, widget=forms.RadioSelect)
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
        # The empty choice stands for the assignment's own version.
        fields["rubric_version"].queryset = published.exclude(pk=assignment.rubric_version_id)
        fields["students"].choices = [(student.pk, name_in_round(student)) for student in roster]
        fields["who"].choices = [
            (EVERYBODY, f"All students on the roster ({len(roster)})"),
            (WITH_WORK, f"Students with a submission ({len(with_work)})"),
            (CHOSEN, "Students selected below"),
        ]
        self.use_zone(ZoneInfo(assignment.cohort.time_zone))
        now = timezone.now().replace(second=0, microsecond=0)
        fields["starts_at"].initial, fields["ends_at"].initial = now, now + ONE_WEEK
        fields["seed"].initial = token_hex(16)

    @property
    def chosen_students(self) -> list[Enrollment]:
        """Enrollments that take part, of a valid form."""
        match self.cleaned_data["who"]:
            case choice if choice == CHOSEN:
                return [
                    student
                    for student in self.roster
                    if student.pk in self.cleaned_data["students"]
                ]
            case choice if choice == WITH_WORK:
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
            self.add_error("who", "Select at least one student in the list below.")
        return cleaned


class ChangeForm(forms.Form):
    """Change to a running round.

    `members` take part, `nonmembers` of the cohort do not; `pairs` are the pairings that have not
    ended, each with its students. A reason is asked for once the effects are known.
    """

    action: ClassVar[str]
    title: ClassVar[str]
    verb: ClassVar[str]
    asks_reason: ClassVar[bool] = False

    reason = forms.CharField(
        label="Reason",
        required=False,
        max_length=MAX_REASON_LENGTH,
        help_text="Kept on record for staff.",
    )

    def __init__(
        self,
        *args: Any,
        round: PairingRound,
        members: Sequence[Enrollment],
        nonmembers: Sequence[Enrollment],
        pairs: Sequence[Pairing],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.round, self._members, self._nonmembers, self._pairs = round, members, nonmembers, pairs
        if not self.asks_reason:
            del self.fields["reason"]
        self.fill_choices()

    def fill_choices(self) -> None:
        """Fill the choices of the selects."""
        raise NotImplementedError

    def plan(self, state: RoundState) -> Change:
        """Return the planned change of a valid form. Raises RoundRefused."""
        raise NotImplementedError

    @property
    def leaver(self) -> int | None:
        """Student who leaves by this change, of a valid form."""
        return None

    def make(self, by: User, fingerprint: str) -> Change:
        """Apply the change. Raises RoundRefused."""
        raise NotImplementedError

    def preset(self, field: str, key: str) -> None:
        """Send a choice that the URL names as a hidden field."""
        select: Any = self.fields.get(field)
        # A key that is no choice is ignored: it may come from another round.
        if select is not None and select.valid_value(key):
            select.widget, self.initial[field] = forms.HiddenInput(), key

    def require_reason(self) -> None:
        """Make the reason required, for changes that need one."""
        if self.asks_reason:
            self.fields["reason"].required = True

    def _set_choices(self, field: str, objects: Sequence[Enrollment | Pairing]) -> None:
        select: Any = self.fields[field]
        select.choices = [("", "Choose"), *((choice.pk, _label_of(choice)) for choice in objects)]
        by_key = {str(choice.pk): choice for choice in objects}
        # Cannot fail: the choices are made from the same objects.
        select.coerce = by_key.__getitem__


def pair_label(pairing: Pairing) -> str:
    return f"{name_in_round(pairing.auditor)} → {name_in_round(pairing.auditee)}"


def _label_of(choice: Enrollment | Pairing) -> str:
    return pair_label(choice) if isinstance(choice, Pairing) else name_in_round(choice)


def _select(label: str) -> forms.TypedChoiceField:
    return forms.TypedChoiceField(label=label)


class JoinForm(ChangeForm):
    action, title, verb = "join", "Add a student", "Add student"
    student = _select("Student")

    def fill_choices(self) -> None:
        self._set_choices("student", self._nonmembers)

    def plan(self, state: RoundState) -> Change:
        return plan_to_join(state, self.round, self.cleaned_data["student"])

    def make(self, by: User, fingerprint: str) -> Change:
        return join_round(
            round=self.round, student=self.cleaned_data["student"], by=by, fingerprint=fingerprint
        )


class LeaveForm(ChangeForm):
    action, title, verb = "leave", "Remove a student", "Remove student"
    asks_reason = True
    student = _select("Student")

    def fill_choices(self) -> None:
        self._set_choices("student", self._members)

    def plan(self, state: RoundState) -> Change:
        return plan_to_leave(state, self.round, self.cleaned_data["student"])

    @property
    def leaver(self) -> int | None:
        return int(self.cleaned_data["student"].pk)

    def make(self, by: User, fingerprint: str) -> Change:
        return leave_round(round=self.round, by=by, fingerprint=fingerprint, **self.cleaned_data)


class PairForm(ChangeForm):
    action, title, verb = "pair", "Add a pairing", "Add pairing"
    auditor = _select("Auditor")
    auditee = _select("Student to audit")

    def fill_choices(self) -> None:
        self._set_choices("auditor", self._members)
        self._set_choices("auditee", self._members)

    def plan(self, state: RoundState) -> Change:
        return plan_pair(state, self.cleaned_data["auditor"].pk, self.cleaned_data["auditee"].pk)

    def make(self, by: User, fingerprint: str) -> Change:
        return pair_by_hand(round=self.round, by=by, fingerprint=fingerprint, **self.cleaned_data)


class EndForm(ChangeForm):
    action, title, verb = "end", "End a pairing", "End pairing"
    asks_reason = True
    pairing = _select("Pairing")

    def fill_choices(self) -> None:
        self._set_choices("pairing", self._pairs)

    def plan(self, state: RoundState) -> Change:
        return plan_ending(state, pair_of(self.cleaned_data["pairing"]))

    def make(self, by: User, fingerprint: str) -> Change:
        return end_pairing(by=by, fingerprint=fingerprint, **self.cleaned_data)


class SwapForm(ChangeForm):
    action, title, verb = "swap", "Swap two pairings", "Swap pairings"
    pairing = _select("Pairing")
    other = _select("Swap with")

    def fill_choices(self) -> None:
        self._set_choices("pairing", self._pairs)
        self._set_choices("other", self._pairs)

    def plan(self, state: RoundState) -> Change:
        return plan_swap(
            state, pair_of(self.cleaned_data["pairing"]), pair_of(self.cleaned_data["other"])
        )

    def make(self, by: User, fingerprint: str) -> Change:
        return swap_pairings(by=by, fingerprint=fingerprint, **self.cleaned_data)


def pair_of(pairing: Pairing) -> tuple[int, int]:
    return pairing.auditor_id, pairing.auditee_id


CHANGES: dict[str, type[ChangeForm]] = {
    form.action: form for form in (JoinForm, LeaveForm, PairForm, EndForm, SwapForm)
}
