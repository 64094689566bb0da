"""What goes into a file of grades."""

from __future__ import annotations

from typing import Any

from django import forms

from grading.grades.exports.csv_layouts import ExportChoice

LAYOUTS = [
    ("generic", "Any spreadsheet"),
    ("canvas", "Canvas: a gradebook import"),
    ("moodle", "Moodle: a grade import"),
]
SCALES = [
    ("points", "Points, or the score of 5 without them"),
    ("percent", "Percent (3.2 of 5 is 64)"),
]
SCOPES = [
    ("released", "Only what is released"),
    ("everything", "Everything as it counts now, provisional too"),
]


ATTEMPTS = [
    ("counts", "The one that counts: the latest with a verdict, or the one pinned on its report"),
    ("every", "Every attempt with a verdict, a row for each"),
]
ONE_GRADE = (
    "Other systems take one grade for each student, and a release tells of one attempt: for every attempt choose any "
    "spreadsheet, and everything as it counts now."
)


class ExportForm(forms.Form):
    layout = forms.ChoiceField(label="For", choices=LAYOUTS, widget=forms.RadioSelect)
    what = forms.ChoiceField(
        label="Which grades",
        choices=SCOPES,
        widget=forms.RadioSelect,
        help_text="What is not in it is an empty cell, never a 0: both systems leave such a grade as it is.",
    )
    attempt = forms.ChoiceField(
        label="Which attempt",
        choices=ATTEMPTS,
        widget=forms.RadioSelect,
        required=False,
        initial="counts",
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
        "attempt": "counts",
        "scale": "points",
        "versions": True,
        "criteria": True,
    }

    def choice(self) -> ExportChoice:
        read = dict(self.cleaned_data)
        every, everything = read.pop("attempt") == "every", read.pop("what") == "everything"
        # Which attempt a row is of stands among the versions.
        read["versions"] = read["versions"] or every
        return ExportChoice(everything=everything, every_attempt=every, **read)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        one_grade = cleaned.get("layout") != "generic" or cleaned.get("what") != "everything"
        if cleaned.get("attempt") == "every" and one_grade:
            self.add_error("attempt", ONE_GRADE)
        return cleaned
