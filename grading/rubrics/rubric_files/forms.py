"""Form to import a rubric's JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms

from grading.models import Organization, Rubric

# The largest shipped rubric has under 50 kB.
MOST_BYTES = 1_000_000
TOO_LARGE = "The limit is 1 MB."


class ImportForm(forms.Form):
    """A file or pasted JSON. The text field shows the content of a refused file afterwards."""

    into = forms.ChoiceField(label="Import into")
    file = forms.FileField(
        label="JSON file",
        required=False,
        help_text="The limit is 1 MB. A file replaces the text below.",
    )
    text = forms.CharField(
        label="… or JSON text",
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 16, "class": "code", "spellcheck": "false", "wrap": "off"}
        ),
    )
    again = forms.BooleanField(label="Import it again as another draft", required=False)

    def __init__(self, *args: Any, organizations: list[Organization], **options: Any) -> None:
        super().__init__(*args, **options | {"label_suffix": ""})
        self._organizations = {organization.pk: organization for organization in organizations}
        rubrics = Rubric.objects.filter(organization__in=organizations).select_related(
            "organization"
        )
        self._rubrics = {rubric.pk: rubric for rubric in rubrics}
        into = self.fields["into"]
        into.choices = list(self._targets())  # type: ignore[attr-defined]  # -- a ChoiceField

    def _targets(self) -> Iterator[tuple[str, str]]:
        has_several = len(self._organizations) > 1
        for pk, organization in self._organizations.items():
            where = f", in {organization}" if has_several else ""
            yield f"o{pk}", f"the rubric with the same ID, or a new one{where}"
        for pk, rubric in self._rubrics.items():
            where = f", in {rubric.organization}" if has_several else ""
            yield f"r{pk}", f"{rubric}{where}"

    def clean_file(self) -> Any:
        upload = self.cleaned_data["file"]
        if upload is None:
            return None
        if upload.size > MOST_BYTES:
            raise forms.ValidationError(TOO_LARGE)
        try:
            self._file_text = upload.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            sentence = f"The file is not UTF-8 text: byte {error.start + 1} cannot be read."
            raise forms.ValidationError(sentence) from error
        return upload

    def clean_text(self) -> str:
        """Return the text with `\\n` line ends; browsers post `\\r\\n`."""
        text = str(self.cleaned_data["text"]).replace("\r\n", "\n")
        if len(text.encode("utf-8", "surrogatepass")) > MOST_BYTES:
            raise forms.ValidationError(TOO_LARGE)
        return text

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and not cleaned["file"] and not cleaned["text"].strip():
            self.add_error("file", "Choose a file, or paste the text below.")
        return cleaned

    @property
    def uploaded_text(self) -> tuple[str, str]:
        """The JSON text, and its name for people."""
        upload = self.cleaned_data["file"]
        if upload:
            return self._file_text, upload.name
        return self.cleaned_data["text"], "pasted text"

    @property
    def target(self) -> tuple[Organization, Rubric | None]:
        """The organization that gets the draft, and its rubric if one was chosen."""
        # Values are `o` and an organization's key, or `r` and a rubric's.
        prefix, pk = self.cleaned_data["into"][0], int(self.cleaned_data["into"][1:])
        rubric = self._rubrics[pk] if prefix == "r" else None
        return (rubric.organization, rubric) if rubric else (self._organizations[pk], None)
