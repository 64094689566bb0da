"""What goes into a file of grades."""

from __future__ import annotations

from django import forms

from grading.exports import ExportChoice

LAYOUTS = [
    ("generic", "Any spreadsheet"),
    ("canvas", "Canvas: a gradebook import"),
    ("moodle", "Moodle: a grade import"),
]
SCALES = [("points", "Points, or the score of 5 without them"), ("percent", "Percent (3.2 of 5 is 64)")]
SCOPES = [
    ("released", "Only what is released"),
    ("everything", "Everything as it counts now, provisional too"),
]


class ExportForm(forms.Form):
    layout = forms.ChoiceField(label="For", choices=LAYOUTS, widget=forms.RadioSelect)
    what = forms.ChoiceField(
        label="Which grades",
        choices=SCOPES,
        widget=forms.RadioSelect,
        help_text="What is not in it is an empty cell, never a 0: both systems leave such a grade as it is.",
    )
    scale = forms.ChoiceField(label="As", choices=SCALES, widget=forms.RadioSelect)
    versions = forms.BooleanField(
        label="Columns for attempt, commit, rubric version and report digest", required=False
    )
    criteria = forms.BooleanField(
        label="A column for each criterion",
        required=False,
        help_text="Canvas takes every further column for an assignment of its own.",
    )

    initial_choice = {
        "layout": "generic",
        "what": "released",
        "scale": "points",
        "versions": True,
        "criteria": True,
    }

    def choice(self) -> ExportChoice:
        read = dict(self.cleaned_data)
        return ExportChoice(everything=read.pop("what") == "everything", **read)
