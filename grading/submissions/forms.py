"""A student's hand-in: a repository, perhaps a ref, and a report."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile

MEGABYTE = 1024 * 1024


class SubmissionForm(forms.Form):
    """Shapes and sizes only: whether the repository can be had is found out by the action."""

    repo_url = forms.CharField(
        label="Repository",
        max_length=500,
        help_text="The https address you would clone, readable without signing in.",
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
        help_text="Left empty, the default branch. The commit it points to now is the one that is audited.",
        widget=forms.TextInput(attrs={"spellcheck": "false", "autocapitalize": "none"}),
    )
    pdf = forms.FileField(
        label="Report (PDF)",
        required=False,
        max_length=255,
        help_text="At most 25 MB and 200 pages, not encrypted. Without it, what asks about the report cannot be met.",
        widget=forms.FileInput(attrs={"accept": "application/pdf,.pdf"}),
    )

    late_known = forms.BooleanField(
        label="I know that this is marked as late",
        error_messages={"required": "Say that you know it: the due date has passed."},
    )

    def __init__(
        self, *args: Any, late: bool = False, confirmed: bool = False, **kwargs: Any
    ) -> None:
        """`late`: the due date has passed, which is asked to be known once it is to count (`confirmed`)."""
        super().__init__(*args, **kwargs)
        if not late:
            del self.fields["late_known"]
        elif not confirmed:
            self.fields["late_known"].required = False

    @property
    def work(self) -> dict[str, Any]:
        """What is handed in, of a form that is valid."""
        return {name: value for name, value in self.cleaned_data.items() if name != "late_known"}

    def clean_pdf(self) -> UploadedFile[bytes] | None:
        pdf: UploadedFile[bytes] | None = self.cleaned_data["pdf"]
        most = settings.UPLOAD_MAX_BYTES
        if pdf is not None and (pdf.size or 0) > most:
            raise forms.ValidationError(
                f"The PDF has {(pdf.size or 0) / MEGABYTE:.1f} MB; at most {most // MEGABYTE} MB are taken.",
                code="pdf_too_large",
            )
        return pdf
