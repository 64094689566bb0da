"""What is looked for in a cohort's grades: everything lives in the address, and what cannot be read there is said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from grading.forms.address import AddressForm
from grading.queries.results.flags import FLAGS
from grading.queries.results.grades import RELEASES, SORTS, STATES, Wanted

ANY = [("", "any")]
MOST_SHARE = 100


class OverviewForm(AddressForm):
    """`wanted()` is what could be read; the rest is said (AddressForm)."""

    q = forms.CharField(label="Name or e-mail", required=False, max_length=100)
    state = forms.ChoiceField(label="State", required=False, choices=[*ANY, *STATES.items()])
    flag = forms.ChoiceField(
        label="Flag",
        required=False,
        choices=[*ANY, ("flagged", "any flag"), ("clear", "no flag"), *FLAGS.items()],
    )
    release = forms.ChoiceField(label="Release", required=False, choices=[*ANY, *RELEASES.items()])
    sort = forms.ChoiceField(label="Sorted by", required=False, choices=list(SORTS.items()))
    low = forms.FloatField(required=False, min_value=1, max_value=5, widget=forms.HiddenInput)
    high = forms.FloatField(required=False, min_value=1, max_value=5, widget=forms.HiddenInput)
    criterion = forms.IntegerField(required=False, min_value=0, max_value=1000, widget=forms.HiddenInput)
    score = forms.ChoiceField(
        required=False,
        choices=[("", ""), ("none", "none"), *((str(score), str(score)) for score in range(1, 6))],
        widget=forms.HiddenInput,
    )
    page = forms.IntegerField(required=False, min_value=1, max_value=100_000, widget=forms.HiddenInput)
    apart = forms.BooleanField(required=False, widget=forms.HiddenInput)

    def __init__(self, asked: Mapping[str, Any]) -> None:
        super().__init__(asked, auto_id="filter_%s")

    def wanted(self) -> Wanted:
        """What could be read of the address; the rest as if it had not been asked."""
        self.full_clean()
        read = {name: value for name, value in self.cleaned_data.items() if value not in (None, "")}
        read.pop("page", None)
        return Wanted(**read)

    def page_wanted(self) -> int:
        return self.cleaned_data.get("page") or 1


class SampleForm(forms.Form):
    """How large a random share is drawn besides everything flagged, and by which seed."""

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
