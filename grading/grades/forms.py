"""Forms to override, release and filter grades."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from grading.core.form_bases import QueryForm
from grading.core.form_fingerprint import FingerprintForm
from grading.grades.queries.gradebook import FLAGS, RELEASES, SORTS, STATES, GradeFilters
from grading.grades.releases import CHANGED_SINCE

MOST_REASON = 2000
MOST_NOTE = 1000
# One click does not send more emails than this: the number has to be typed.
TYPED_ABOVE = 50


class ReasonForm(forms.Form):
    """`reason` is kept in the log."""

    reason = forms.CharField(
        label="Reason", max_length=MOST_REASON, widget=forms.Textarea(attrs={"rows": 4})
    )


class OverrideForm(FingerprintForm, ReasonForm):
    """A person's score for one criterion."""

    score = forms.TypedChoiceField(
        label="Score", coerce=int, choices=[(score, f"{score} of 5") for score in range(5, 0, -1)]
    )
    reason = forms.CharField(
        label="Reason",
        max_length=MOST_REASON,
        widget=forms.Textarea(attrs={"rows": 4}),
        help_text="The student sees it next to the score.",
    )
    field_order = ("score", "reason")


class ReleaseForm(forms.Form):
    """`grades` are ids of the grades on the page, `seen` the page's fingerprint.

    If a grade has changed since, the page is shown again. `count` is typed for more than
    TYPED_ABOVE students.
    """

    note = forms.CharField(
        label="Message to students",
        required=False,
        max_length=MOST_NOTE,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="Shown above each released report. If a released grade changes, say why.",
    )
    count = forms.CharField(
        label="Number of students",
        required=False,
        max_length=6,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )
    seen = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, *args: Any, expected: int, fingerprint: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.expected, self.fingerprint = expected, fingerprint
        # The page carries the fingerprint of its grades and posts it back.
        self.fields["seen"].initial = fingerprint
        self.fields[
            "count"
        ].help_text = f"To release more than {TYPED_ABOVE} grades at once, type {expected}."
        # A small release needs no typed number.
        if expected <= TYPED_ABOVE:
            del self.fields["count"]

    def clean_count(self) -> str:
        typed: str = self.cleaned_data["count"].strip()
        if typed != str(self.expected):
            raise forms.ValidationError(f"Type {self.expected} to confirm.")
        return typed

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.expected:
            raise forms.ValidationError("There is nothing to release.")
        # Somebody may have changed a grade since the page was shown.
        if cleaned.get("seen") != self.fingerprint:
            raise forms.ValidationError(CHANGED_SINCE)
        return cleaned


ANY = [("", "any")]
MOST_SHARE = 100


class OverviewForm(QueryForm):
    """`wanted()` returns the readable filters; QueryForm reports the rest."""

    q = forms.CharField(label="Name or email", required=False, max_length=100)
    state = forms.ChoiceField(label="State", required=False, choices=[*ANY, *STATES.items()])
    flag = forms.ChoiceField(
        label="Flag",
        required=False,
        choices=[*ANY, ("flagged", "any flag"), ("clear", "no flag"), *FLAGS.items()],
    )
    release = forms.ChoiceField(label="Release", required=False, choices=[*ANY, *RELEASES.items()])
    sort = forms.ChoiceField(label="Sort by", required=False, choices=list(SORTS.items()))
    low = forms.FloatField(required=False, min_value=1, max_value=5, widget=forms.HiddenInput)
    high = forms.FloatField(required=False, min_value=1, max_value=5, widget=forms.HiddenInput)
    criterion = forms.IntegerField(
        required=False, min_value=0, max_value=1000, widget=forms.HiddenInput
    )
    score = forms.ChoiceField(
        required=False,
        choices=[("", ""), ("none", "none"), *((str(score), str(score)) for score in range(1, 6))],
        widget=forms.HiddenInput,
    )
    page = forms.IntegerField(
        required=False, min_value=1, max_value=100_000, widget=forms.HiddenInput
    )
    apart = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def __init__(self, data: Mapping[str, Any]) -> None:
        # Ids must differ from those of other forms on the page.
        super().__init__(data, auto_id="filter_%s")

    def wanted(self) -> GradeFilters:
        """Return the readable filters; unreadable ones are ignored."""
        self.full_clean()
        read = {name: value for name, value in self.cleaned_data.items() if value not in (None, "")}
        # The page number selects no grades.
        read.pop("page", None)
        return GradeFilters(**read)

    def page_wanted(self) -> int:
        return self.cleaned_data.get("page") or 1


class SampleForm(forms.Form):
    """Size of the random share drawn in addition to everything flagged, and its seed."""

    share = forms.IntegerField(
        label="Random share in %", required=False, min_value=0, max_value=MOST_SHARE, initial=10
    )
    seed = forms.IntegerField(
        label="Seed",
        required=False,
        min_value=0,
        max_value=2**31,
        help_text="The same seed draws the same students.",
    )


class AdjustmentForm(ReasonForm):
    """Change of one student's own result; `unit` names what it is counted in."""

    delta = forms.FloatField(
        label="Change",
        widget=forms.NumberInput(attrs={"step": "any"}),
        error_messages={
            "required": "Enter the change.",
            "invalid": "Enter a number, such as -0.5.",
        },
    )
    field_order = ("delta", "reason")

    def __init__(self, *args: Any, unit: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].error_messages["required"] = "Enter a reason: the student reads it."
        self.fields["delta"].help_text = f"In {unit}, such as -0.5. It stays within the scale."
