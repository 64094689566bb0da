"""Form of a grades export."""

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
    ("points", "Points, or the score out of 5 if there are none"),
    ("percent", "Percent (3.2 of 5 is 64)"),
]
SCOPES = [
    ("released", "Released grades only"),
    ("everything", "All current grades, including unreleased ones"),
]
ATTEMPTS = [
    ("counts", "The one that counts by the assignment's policy, or a pinned one"),
    ("every", "Every attempt with a verdict, one row each"),
]
ONE_GRADE = (
    "Other systems take one grade per student, and a release covers one attempt. "
    "For every attempt, choose any spreadsheet and all current grades."
)


class ExportForm(forms.Form):
    layout = forms.ChoiceField(label="Format", choices=LAYOUTS, widget=forms.RadioSelect)
    what = forms.ChoiceField(
        label="Grades",
        choices=SCOPES,
        widget=forms.RadioSelect,
        help_text="A missing grade is an empty cell, never a 0. "
        "Canvas and Moodle leave that grade unchanged.",
    )
    attempt = forms.ChoiceField(
        label="Attempts",
        choices=ATTEMPTS,
        widget=forms.RadioSelect,
        required=False,
        initial="counts",
    )
    scale = forms.ChoiceField(label="Scale", choices=SCALES, widget=forms.RadioSelect)
    versions = forms.BooleanField(
        label="Columns for attempt, commit, rubric version and report digest", required=False
    )
    criteria = forms.BooleanField(
        label="A column for each criterion",
        required=False,
        help_text="Canvas imports every extra column as a separate assignment.",
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
        # The attempt of a row is one of the version columns.
        read["versions"] = read["versions"] or every
        return ExportChoice(everything=everything, every_attempt=every, **read)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        # Canvas and Moodle have one cell per student.
        one_grade = cleaned.get("layout") != "generic" or cleaned.get("what") != "everything"
        if cleaned.get("attempt") == "every" and one_grade:
            self.add_error("attempt", ONE_GRADE)
        return cleaned
