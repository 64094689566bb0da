"""Form that confirms the deletion of a cohort."""

from __future__ import annotations

from django import forms


class DeletionForm(forms.Form):
    """`typed` is the cohort's short name; `seen` the fingerprint of the inventory on the page."""

    typed = forms.CharField(
        label="The cohort's short name",
        max_length=60,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "spellcheck": "false", "autocapitalize": "none"}
        ),
    )
    seen = forms.CharField(required=False, max_length=400, widget=forms.HiddenInput)
