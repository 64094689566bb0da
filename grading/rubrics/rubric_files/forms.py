"""Where a rubric's JSON is handed in, and where it goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms

from grading.models import Organization, Rubric

MOST_BYTES = 1_000_000
TOO_LARGE = "A rubric has at most 1 MB."


class ImportForm(forms.Form):
    """A file or pasted JSON. What a refused file held stands in the text field afterwards: nothing is lost."""

    into = forms.ChoiceField(label="Becomes a draft of")
    file = forms.FileField(
        label="A JSON file",
        required=False,
        help_text="Up to 1 MB; takes the place of the text below.",
    )
    text = forms.CharField(
        label="… or its text",
        required=False,
        strip=False,
        widget=forms.Textarea(
            attrs={"rows": 16, "class": "code", "spellcheck": "false", "wrap": "off"}
        ),
    )
    again = forms.BooleanField(label="Make another draft of it all the same", required=False)

    def __init__(self, *args: Any, organizations: list[Organization], **options: Any) -> None:
        super().__init__(*args, **options | {"label_suffix": ""})
        self._organizations = {organization.pk: organization for organization in organizations}
        rubrics = Rubric.objects.filter(organization__in=organizations).select_related(
            "organization"
        )
        self._rubrics = {rubric.pk: rubric for rubric in rubrics}
        self.fields["into"].choices = list(self._places())  # type: ignore[attr-defined]  # -- a ChoiceField

    def _places(self) -> Iterator[tuple[str, str]]:
        several = len(self._organizations) > 1
        for pk, organization in self._organizations.items():
            yield (
                f"o{pk}",
                "the rubric of its id, or a new one" + (f", in {organization}" if several else ""),
            )
        for pk, rubric in self._rubrics.items():
            yield f"r{pk}", f"{rubric}" + (f", in {rubric.organization}" if several else "")

    def clean_file(self) -> Any:
        upload = self.cleaned_data["file"]
        if upload is None:
            return None
        if upload.size > MOST_BYTES:
            raise forms.ValidationError(TOO_LARGE)
        try:
            self._read = upload.read().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            sentence = f"This is no text in UTF-8: byte {error.start + 1} cannot be read."
            raise forms.ValidationError(sentence) from error
        return upload

    def clean_text(self) -> str:
        """As it was typed: the browser's line ends are the text's own."""
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
    def handed_in(self) -> tuple[str, str]:
        """The text, and what people call it."""
        upload = self.cleaned_data["file"]
        return (self._read, upload.name) if upload else (self.cleaned_data["text"], "pasted text")

    @property
    def goal(self) -> tuple[Organization, Rubric | None]:
        """Where the draft goes: an organization, and its rubric when one was chosen."""
        into, pk = self.cleaned_data["into"][0], int(self.cleaned_data["into"][1:])
        rubric = self._rubrics[pk] if into == "r" else None
        return (rubric.organization, rubric) if rubric else (self._organizations[pk], None)
