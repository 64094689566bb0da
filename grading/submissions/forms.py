"""Form of a submission: a repository, a ref and a report."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

MEGABYTE = 1024 * 1024


class SubmissionForm(forms.Form):
    """Checks formats and sizes only; the action finds out if the repository can be cloned."""

    repo_url = forms.CharField(
        label="Repository",
        max_length=500,
        help_text="The https address you would clone. It must be public.",
        widget=forms.TextInput(
            attrs={
                "inputmode": "url",
                "autocomplete": "url",
                "spellcheck": "false",
                "placeholder": "https://",
            }
        ),
    )
    ref = forms.CharField(
        label="Branch, tag or commit",
        max_length=250,
        required=False,
        help_text="Leave blank for the default branch. We audit the commit it points to now.",
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocapitalize": "none"}),
    )
    pdf = forms.FileField(
        label="Report (PDF)",
        required=False,
        max_length=255,
        help_text="The limit is 25 MB and 200 pages, not encrypted. "
        "Without it, report criteria can't be met.",
        widget=forms.FileInput(attrs={"accept": "application/pdf,.pdf"}),
    )

    late_known = forms.BooleanField(
        label="I understand that this will be marked as late",
        error_messages={"required": "Tick this box to submit after the due date."},
    )

    def __init__(
        self, *args: Any, late: bool = False, confirmed: bool = False, **kwargs: Any
    ) -> None:
        """Ask for `late_known` after the due date (`late`); require it to submit (`confirmed`)."""
        super().__init__(*args, **kwargs)
        if not late:
            del self.fields["late_known"]
        elif not confirmed:
            # A check before submitting needs no tick yet.
            self.fields["late_known"].required = False

    @property
    def work(self) -> dict[str, Any]:
        """Return the arguments of create_submission; the form must be valid."""
        return {name: value for name, value in self.cleaned_data.items() if name != "late_known"}

    def clean_pdf(self) -> UploadedFile[bytes] | None:
        pdf: UploadedFile[bytes] | None = self.cleaned_data["pdf"]
        limit = settings.UPLOAD_MAX_BYTES
        # create_submission checks this again, for callers without a form.
        if pdf is not None and (pdf.size or 0) > limit:
            raise forms.ValidationError(
                f"The PDF has {(pdf.size or 0) / MEGABYTE:.1f} MB. "
                f"The limit is {limit // MEGABYTE} MB.",
                code="pdf_too_large",
            )
        return pdf
