"""A roster as a CSV file."""

from __future__ import annotations

from django import forms
from django.core.files.uploadedfile import UploadedFile

MOST_BYTES = 2 * 1024 * 1024


class RosterForm(forms.Form):
    """`cleaned_data["roster"]` is the file's text."""

    roster = forms.FileField(
        label="Roster (CSV)",
        help_text=(
            "The first line names the columns: <code>email</code>, and if you like <code>name</code>, "
            "<code>student_number</code> and <code>group</code>, in any order. Who shares a group never audits each "
            "other (<code>-</code>: in none). At most 5,000 rows. Nobody is removed."
        ),
        widget=forms.ClearableFileInput(attrs={"accept": ".csv,text/csv"}),
    )

    def clean_roster(self) -> str:
        file: UploadedFile[bytes] = self.cleaned_data["roster"]
        if (file.size or 0) > MOST_BYTES:
            raise forms.ValidationError("The file is larger than 2 MB.")
        try:
            return str(file.read(), "utf-8-sig")
        except UnicodeDecodeError as error:
            raise forms.ValidationError("The file is not UTF-8 text: export it as “CSV UTF-8”.") from error
