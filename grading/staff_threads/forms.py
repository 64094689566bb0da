"""Forms to write a note among staff, and to change one's own."""

from __future__ import annotations

from django import forms
from django.utils.http import url_has_allowed_host_and_scheme

from grading.core.form_bases import LongText
from grading.core.form_fingerprint import FingerprintForm
from grading.staff_threads.actions import MAX_CHARACTERS


def _note_field() -> LongText:
    return LongText(
        label="Note",
        max_length=MAX_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=f"At most {MAX_CHARACTERS:,} characters, plain text.",
    )


class NoteForm(forms.Form):
    """New note. `back` is the page of this site that shows the thread, to return there."""

    prefix = "note"
    text = _note_field()
    back = forms.CharField(required=False, max_length=500, widget=forms.HiddenInput)

    def clean_back(self) -> str:
        address: str = self.cleaned_data["back"]
        is_here = url_has_allowed_host_and_scheme(address, allowed_hosts=None)
        return address if is_here and address.startswith("/") else ""


class ChangeNoteForm(FingerprintForm):
    """Own note to change; refused once if it was changed in another window."""

    text = _note_field()
