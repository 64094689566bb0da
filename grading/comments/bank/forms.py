"""Forms of a bank: search it, and write an entry."""

from __future__ import annotations

from typing import Any

from django import forms

from grading.comments.bank.actions import LONGEST_LABEL
from grading.core.form_bases import LongText, QueryForm
from grading.core.form_fingerprint import FingerprintForm
from grading.models.comment import LONGEST

POINTS = [("", "None"), *((str(points), f"{points:+}") for points in range(4, -5, -1) if points)]


class SearchForm(QueryForm):
    q = forms.CharField(label="Search", max_length=100, required=False)
    archived = forms.BooleanField(label="Archived entries", required=False)


class MatchForm(QueryForm):
    """Letters to find an entry by, and the criterion of the place where it goes."""

    q = forms.CharField(max_length=100, required=False)
    criterion = forms.CharField(max_length=200, required=False)


class EntryForm(FingerprintForm):
    """`criteria` are the criteria of the rubric as choices."""

    label = forms.CharField(
        label="Short name", max_length=LONGEST_LABEL, help_text="Staff find it by this name."
    )
    text = LongText(label="Comment", max_length=LONGEST, widget=forms.Textarea(attrs={"rows": 4}))
    points = forms.TypedChoiceField(
        label="Points",
        choices=POINTS,
        coerce=int,
        empty_value=None,
        required=False,
        help_text="Proposes a change of the criterion's score to the person who grades. It changes "
        "nothing by itself.",
    )

    def __init__(self, *args: Any, criteria: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["criterion_id"] = forms.ChoiceField(
            label="Criterion", choices=[("", "Any"), *criteria], required=False
        )
