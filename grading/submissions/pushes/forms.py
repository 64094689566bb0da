"""Form that links a branch."""

from __future__ import annotations

from typing import Any

from django import forms

from grading.core.enums import PushAnswer
from grading.models import Enrollment
from grading.submissions.pushes.queries import linkable_accesses

PLAIN = {"autocapitalize": "none", "autocomplete": "off", "spellcheck": "false"}


class PushLinkForm(forms.Form):
    """Repository, branch, path of the report, and what is answered on the commit."""

    access: Any = forms.ModelChoiceField(
        queryset=None,
        label="Repository of the GitHub App",
        required=False,
        empty_label="Another one: give its address",
        help_text="GitHub tells us of its pushes by itself.",
    )
    address = forms.CharField(
        label="Address",
        max_length=500,
        required=False,
        help_text="Of a repository at any host; then you add a webhook there.",
        widget=forms.TextInput(attrs={"placeholder": "https://", **PLAIN}),
    )
    branch = forms.CharField(
        label="Branch", max_length=250, initial="main", widget=forms.TextInput(attrs=PLAIN)
    )
    pdf_path = forms.CharField(
        label="Path of the PDF report in the repository",
        max_length=500,
        required=False,
        help_text="Leave blank to submit without a report.",
        widget=forms.TextInput(attrs={"placeholder": "docs/report.pdf", **PLAIN}),
    )
    answer = forms.ChoiceField(
        label="Answer on the commit",
        choices=PushAnswer.choices,
        initial=PushAnswer.FULL,
        widget=forms.RadioSelect,
        help_text="Everybody who can read the repository can read the answer.",
    )

    def __init__(self, *args: Any, student: Enrollment, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        accesses: Any = self.fields["access"]
        accesses.queryset = linkable_accesses(student)
        if not accesses.queryset:
            del self.fields["access"]
            self.fields["address"].required = True
