"""Forms to upload a report of one's own auditor or of a peer's."""

from __future__ import annotations

from django import forms
from django.core.files.uploadedfile import UploadedFile

MAX_BYTES = 2_000_000
HELP = (
    "One Markdown or JSON file as UTF-8 text, as written by your auditor. The limit is 2 MB. The "
    "file is kept unchanged and marked as imported."
)


class ReportForm(forms.Form):
    """Upload form. It checks shape and size; the action parses the contents."""

    file = forms.FileField(
        label="Report",
        max_length=255,
        help_text=HELP,
        widget=forms.FileInput(
            attrs={"accept": ".md,.markdown,.json,.txt,text/markdown,application/json"}
        ),
    )

    def clean_file(self) -> UploadedFile[bytes]:
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        if (file.size or 0) > MAX_BYTES:
            raise forms.ValidationError("The limit is 2 MB.", code="too_large")
        return file

    def text(self) -> str:
        """Return the text of a valid form's file. Raises UnicodeDecodeError if it is not UTF-8."""
        content: bytes = self.cleaned_data["file"].read()
        # Editors on Windows put a byte-order mark first.
        return content.decode("utf-8-sig")


class UploadForm(ReportForm):
    """Upload form outside pairings: on one's own work, or by a peer unknown to this site."""

    direction = forms.ChoiceField(
        label="Kind of report",
        choices=[
            ("self", "My own auditor's report on my own work"),
            ("received", "A report on my work by a peer"),
        ],
        widget=forms.RadioSelect,
    )
    field_order = ["direction", "file"]
