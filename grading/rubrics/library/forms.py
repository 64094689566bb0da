"""Form of a new rubric."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms

from grading.models import RubricVersion
from grading.rubrics.editor.new_draft import EMPTY, SHIPPED

COPY = "version:"


class NewRubricForm(forms.Form):
    """Name of a new rubric and what its first draft starts from."""

    name = forms.CharField(
        label="Name", max_length=200, help_text="Students see it above their report."
    )

    def __init__(
        self, data: dict[str, str] | None = None, *, versions: Sequence[RubricVersion], start: str
    ) -> None:
        super().__init__(data, initial={"start": start or EMPTY})
        self._versions = {f"{COPY}{version.pk}": version for version in versions}
        copies = [(key, str(version)) for key, version in self._versions.items()]
        self.fields["start"] = forms.ChoiceField(
            label="Start from",
            choices=[
                (EMPTY, "An empty rubric"),
                ("Shipped with the site", list(SHIPPED.items())),
                *([("A copy of", copies)] if copies else []),
            ],
        )

    @property
    def copied(self) -> RubricVersion | None:
        """The version to copy, if one was chosen."""
        return self._versions.get(self.cleaned_data["start"])
