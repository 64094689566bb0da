"""Reporting a peer's report as abusive, and deciding about it."""

from __future__ import annotations

from django import forms

from grading.core.form_bases import Words
from grading.peer_review.complaints.actions import MOST_CHARACTERS


class ComplaintForm(forms.Form):
    text = Words(
        label="What in it is not in order",
        max_length=MOST_CHARACTERS,
        help_text="Your teachers alone read this. A finding that you think is wrong is contested on its own page instead.",
        widget=forms.Textarea(attrs={"rows": 4}),
        error_messages={"required": "Say what in it is not in order."},
    )


class DecisionForm(forms.Form):
    hide = forms.ChoiceField(
        label="Decision",
        widget=forms.RadioSelect,
        choices=[("yes", "Hide the report from whom it is about"), ("no", "Leave it as it is")],
        error_messages={"required": "Choose one of the two."},
    )
    answer = Words(
        label="Why",
        max_length=MOST_CHARACTERS,
        help_text="Who complained reads it; who wrote the report does not.",
        widget=forms.Textarea(attrs={"rows": 4}),
        error_messages={"required": "Say why: the student reads it."},
    )
