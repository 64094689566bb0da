"""What a teacher says of a round of peers before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from secrets import token_hex
from typing import Any

from django import forms
from django.utils import timezone

from grading.enums import Anonymity, RubricState
from grading.forms.assignment import DATETIME
from grading.models import Assignment, Enrollment, RubricVersion
from grading.pairing import MOST_PEERS

EVERYBODY, WITH_WORK, CHOSEN = "everybody", "with_work", "chosen"
A_WEEK = timedelta(days=7)


def _moment(label: str) -> forms.DateTimeField:
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=DATETIME)
    return forms.DateTimeField(label=label, help_text="UTC.", widget=widget)


class RoundForm(forms.Form):
    """`students` holds keys of enrollments; `students_meant` are the enrollments that were asked for. `seed` goes along
    from the preview to the start, so that what was looked at is what begins, and a second click begins nothing."""

    peers = forms.IntegerField(
        label="Peers", min_value=1, max_value=MOST_PEERS, initial=2,
        help_text=f"How many others each student audits, and is audited by: 1 to {MOST_PEERS}.",
    )  # fmt: skip
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
        published = RubricVersion.objects.filter(state=RubricState.PUBLISHED).select_related("rubric")
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
                return [student for student in self.roster if student.pk in self.cleaned_data["students"]]
            case who if who == WITH_WORK:
                return [student for student in self.roster if student.pk in self._with_work]
        return list(self.roster)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        starts, ends = cleaned.get("starts_at"), cleaned.get("ends_at")
        if starts and ends and ends <= starts:
            self.add_error("ends_at", "The round would end before it starts.")
        if cleaned.get("who") == CHOSEN and not cleaned.get("students") and "students" not in self.errors:
            self.add_error("who", "Nobody is chosen: tick students in the list below.")
        return cleaned
