"""A new token."""

from __future__ import annotations

from django import forms

from grading.core.enums import ApiScope

LIVES = ((30, "30 days"), (90, "90 days"), (365, "a year"))


class ApiTokenForm(forms.Form):
    name = forms.CharField(
        max_length=80, help_text="What uses it, so that you can tell it from others."
    )
    scopes = forms.TypedMultipleChoiceField(
        label="It lets a program",
        choices=ApiScope.choices,
        coerce=ApiScope,
        widget=forms.CheckboxSelectMultiple,
        initial=[ApiScope.READ],
    )
    days = forms.TypedChoiceField(label="It lives for", choices=LIVES, coerce=int, initial=30)
