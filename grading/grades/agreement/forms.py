"""Forms to draw a blind sample, grade a submission of it, and filter the disagreements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from grading.core.form_bases import QueryForm

# A larger sample would not be graded by hand; the seed fits PostgreSQL's integer.
MOST_DRAWN = 500
MOST_SEED = 2**31 - 1
SCORES = [(score, str(score)) for score in range(1, 6)]


class DrawForm(forms.Form):
    size = forms.IntegerField(
        label="Number of submissions",
        min_value=0,
        max_value=MOST_DRAWN,
        initial=30,
        help_text="Below 30, the figures are marked as not reliable.",
    )
    with_flagged = forms.BooleanField(
        label="Include all flagged submissions",
        required=False,
        help_text="They are the hard cases, so the figures then say less about the others.",
    )
    seed = forms.IntegerField(
        label="Seed",
        min_value=0,
        max_value=MOST_SEED,
        help_text="The same seed draws the same submissions in the same order.",
    )


class BlindForm(forms.Form):
    """One field for each criterion.

    `criteria` are (field, criterion id, name, choices); choices are scores with their level's name.
    """

    def __init__(
        self,
        *args: Any,
        criteria: Sequence[tuple[str, str, str, list[tuple[int, str]]]],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._ids = {field: key for field, key, _name, _choices in criteria}
        for field, _key, name, choices in criteria:
            self.fields[field] = forms.TypedChoiceField(
                label=f"Your score: {name}",
                choices=choices,
                coerce=int,
                empty_value=None,
                # Scores can be saved one by one; finishing asks for all of them.
                required=False,
                widget=forms.RadioSelect,
            )

    def scores(self) -> dict[str, int]:
        """Return the readable scores by criterion id; also for a form with errors."""
        given = {self._ids[name]: value for name, value in self.cleaned_data.items()}
        return {criterion: score for criterion, score in given.items() if score is not None}

    def ask_for_the_rest(self) -> None:
        """Add an error to each criterion without a score."""
        for name in self._ids:
            if name not in self.errors and self.cleaned_data.get(name) is None:
                self.add_error(
                    name, "No score yet: the verdict is shown when every criterion has one."
                )


class CellForm(QueryForm):
    """Filters of the listed disagreements; links on the page set them."""

    criterion = forms.IntegerField(
        required=False, min_value=0, max_value=1000, widget=forms.HiddenInput
    )
    person = forms.TypedChoiceField(
        required=False, coerce=int, empty_value=None, choices=SCORES, widget=forms.HiddenInput
    )
    court = forms.TypedChoiceField(
        required=False, coerce=int, empty_value=None, choices=SCORES, widget=forms.HiddenInput
    )
    everybody = forms.BooleanField(required=False, widget=forms.HiddenInput)
    page = forms.IntegerField(
        required=False, min_value=1, max_value=100_000, widget=forms.HiddenInput
    )

    def __init__(self, data: Mapping[str, Any], *, criteria: int) -> None:
        super().__init__(data)
        self._criteria = criteria

    def clean_criterion(self) -> int | None:
        place: int | None = self.cleaned_data["criterion"]
        # Positions come from old links too.
        if place is not None and place >= self._criteria:
            raise forms.ValidationError("There is no such criterion.")
        return place

    def wanted(self) -> dict[str, Any]:
        """Return the readable filters, None for the others."""
        self.full_clean()
        return {name: self.cleaned_data.get(name) for name in self.fields}
