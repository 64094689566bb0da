"""Form for a new API token."""

from __future__ import annotations

from django import forms

from grading.core.enums import ApiScope

LIFETIMES = ((30, "30 days"), (90, "90 days"), (365, "1 year"))


class ApiTokenForm(forms.Form):
    name = forms.CharField(max_length=80, help_text="The program that uses the token.")
    scopes = forms.TypedMultipleChoiceField(
        label="Scopes",
        choices=ApiScope.choices,
        coerce=ApiScope,
        widget=forms.CheckboxSelectMultiple,
        initial=[ApiScope.READ],
    )
    days = forms.TypedChoiceField(label="Valid for", choices=LIFETIMES, coerce=int, initial=30)
