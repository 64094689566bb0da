"""A report that a student brings along, of their own auditor or of a peer's."""

from __future__ import annotations

from django import forms
from django.core.files.uploadedfile import UploadedFile

MOST_BYTES = 2_000_000
HELP = "Markdown or JSON as your auditor wrote it, at most 2 MB. It is kept as it is, read as far as it can be read, and marked as imported."


class ReportForm(forms.Form):
    """Shape and size only: what it says is read by the action."""

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
        if (file.size or 0) > MOST_BYTES:
            raise forms.ValidationError(
                "The file is larger than 2 MB: no report of an audit is.", code="too_large"
            )
        return file

    def text(self) -> str:
        """What is in the file. Call it on a valid form; raises UnicodeDecodeError for what is no UTF-8."""
        content: bytes = self.cleaned_data["file"].read()
        return content.decode("utf-8-sig")


class BringForm(ReportForm):
    """The same, outside any pairing: on one's own work, or by a peer who is not known here."""

    direction = forms.ChoiceField(
        label="What it is",
        choices=[
            ("self", "My own auditor's report on my own work"),
            ("received", "A report on my work that I received from a peer"),
        ],
        widget=forms.RadioSelect,
    )
    field_order = ["direction", "file"]
