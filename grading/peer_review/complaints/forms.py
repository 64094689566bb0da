"""Forms to report a peer's report as abusive and to decide on it."""

from __future__ import annotations

from django import forms

from grading.core.form_bases import LongText
from grading.peer_review.complaints.actions import MAX_CHARACTERS


class ComplaintForm(forms.Form):
    text = LongText(
        label="What is wrong with it",
        max_length=MAX_CHARACTERS,
        help_text=(
            "Only your teachers read this. If you think that a finding is wrong, contest it on "
            "its own page instead."
        ),
        widget=forms.Textarea(attrs={"rows": 4}),
        error_messages={"required": "Describe what is wrong with the report."},
    )


class DecisionForm(forms.Form):
    hide = forms.ChoiceField(
        label="Decision",
        widget=forms.RadioSelect,
        choices=[("yes", "Hide the report from the student"), ("no", "Keep the report visible")],
        error_messages={"required": "Choose a decision."},
    )
    answer = LongText(
        label="Reason",
        max_length=MAX_CHARACTERS,
        help_text="The student who complained reads it; the author of the report does not.",
        widget=forms.Textarea(attrs={"rows": 4}),
        error_messages={"required": "Enter a reason: the student will read it."},
    )
