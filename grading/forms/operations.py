"""Which stretch of time is asked for."""

from __future__ import annotations

from django import forms

from grading.forms.address import AddressForm
from grading.queries.operations import Slot


class OverTimeForm(AddressForm):
    by = forms.ChoiceField(
        required=False, choices=[("hour", "hour"), ("day", "day")], widget=forms.HiddenInput
    )

    def slot(self) -> Slot:
        """By hours unless days are asked for."""
        self.full_clean()
        return "day" if self.cleaned_data.get("by") == "day" else "hour"
