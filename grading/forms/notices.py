"""Which letters somebody wants."""

from __future__ import annotations

from django import forms

from grading.enums import NoticeKind


class LettersForm(forms.Form):
    wanted = forms.TypedMultipleChoiceField(
        label="Write to me when",
        choices=NoticeKind.choices,
        coerce=NoticeKind,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )


class StopForm(forms.Form):
    """The link at the end of a letter names its kind."""

    off = forms.TypedChoiceField(choices=NoticeKind.choices, coerce=NoticeKind, widget=forms.HiddenInput)
