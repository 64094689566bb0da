"""Form of a submission: a repository, a ref and a report."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from django import forms
from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.utils.html import format_html

from grading.engine.repository_addresses import completed

MEGABYTE = 1024 * 1024
COMPLETED = "You typed <code>{}</code>; we read it as <code>{}</code>."
REPORT_KEPT = "Your last report is used unless you choose another file."


class SubmissionForm(forms.Form):
    """Checks formats and sizes only; the action finds out if the repository can be cloned.

    `completed` is the repository's address where its scheme was missing, else "".
    """

    completed = ""

    repo_url = forms.CharField(
        label="Repository",
        max_length=500,
        help_text="The https address you would clone; with a deploy key the ssh address. "
        "The limit is 300 MB and 20,000 files.",
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
    again = forms.BooleanField(label="Submit the same work again", required=False)
    # Digest of the last report: after a refusal a browser doesn't send a file again by itself.
    same_report = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

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
        if "same_report" not in self.data:
            del self.fields["again"], self.fields["same_report"]
        elif self.data["same_report"]:
            self.fields["again"].help_text = REPORT_KEPT

    @property
    def kept(self) -> str:
        """Words of a refused form for what became of its input; "" for those of other forms."""
        return "We kept your input and your report." if self.data.get("same_report") else ""

    @property
    def work(self) -> dict[str, Any]:
        """Return the arguments of create_submission; the form must be valid."""
        return {name: self.cleaned_data[name] for name in ("repo_url", "ref", "pdf")}

    @property
    def is_again(self) -> bool:
        """True where the student confirmed that the same work is meant; the form must be valid."""
        return bool(self.cleaned_data.get("again"))

    def ask_again(self, sentence: str, *, same_report: str) -> None:
        """Ask beside a box of its own if the same work is meant; its report need not be sent again."""
        data: Any = self.data
        self.data = data = data.copy()
        data["same_report"] = same_report
        for name in ("again", "same_report"):
            self.fields[name] = deepcopy(self.base_fields[name])
        self.fields["again"].help_text = REPORT_KEPT if same_report else ""
        self.add_error("again", sentence)

    def clean_repo_url(self) -> str:
        """Return the address with its scheme; where that was missing, the form names it."""
        typed: str = self.cleaned_data["repo_url"]
        address = completed(typed)
        if address != typed:
            data: Any = self.data
            self.data = data = data.copy()
            data["repo_url"] = address
            # Escaped here: templates print help texts as HTML.
            self["repo_url"].help_text = format_html(COMPLETED, typed, address)
            self.completed = address
        return address

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
