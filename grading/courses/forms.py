"""What an instructor asks of a cohort."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from grading.core.enums import Bench, LatePolicy, ReleasePolicy
from grading.core.form_bases import DATETIME, NamedForm
from grading.core.form_fingerprint import SeenForm

SHIPPED_RUBRICS = (
    ("shipped:self_audit", "Self-audit of a LangGraph auditor: ten criteria, 1 to 5"),
    ("shipped:points", "Points: four criteria, 100 points"),
    ("shipped:general", "Any software project"),
)
Choices = Sequence[tuple[str, str]]


def _datetime(label: str, help_text: str) -> forms.DateTimeField:
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=DATETIME)
    return forms.DateTimeField(label=label, required=False, help_text=help_text, widget=widget)


class SettingsForm(forms.Form):
    """What can be changed of an assignment later, too."""

    title = forms.CharField(label="Title", max_length=200)
    instructions = forms.CharField(
        label="What is asked",
        required=False,
        max_length=20_000,
        help_text="Markdown.",
        widget=forms.Textarea,
    )
    opens_at = _datetime("Opens", "UTC. Left empty, it is open at once.")
    due_at = _datetime("Due", "UTC. Left empty, there is no due date.")
    late_policy = forms.ChoiceField(
        label="After the due date", choices=LatePolicy.choices, initial=LatePolicy.REFUSE
    )
    max_attempts = forms.IntegerField(label="Attempts", min_value=1, max_value=100, initial=5)
    bench = forms.ChoiceField(label="Judges", choices=Bench.choices, initial=Bench.HEURISTIC)
    release_policy = forms.ChoiceField(
        label="What students see before you release a verdict",
        choices=ReleasePolicy.choices,
        initial=ReleasePolicy.PROVISIONAL,
    )
    appeal_days = forms.IntegerField(
        label="Days to appeal",
        min_value=0,
        max_value=365,
        initial=7,
        help_text="From the release of a grade. 0: nobody can appeal.",
    )
    max_appeals = forms.IntegerField(
        label="Appeals of one student",
        min_value=0,
        max_value=100,
        initial=3,
        help_text="Open or not upheld; an appeal that is upheld is given back.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        opens, due = cleaned.get("opens_at"), cleaned.get("due_at")
        if opens and due and due <= opens:
            self.add_error("due_at", "It would be due before it opens.")
        return cleaned


class AssignmentForm(NamedForm, SettingsForm):
    """`own_rubrics` are the organization's published versions, as choices: ("version:<id>", words)."""

    name_field = "title"
    field_order = ("title", "slug", "instructions", "rubric")

    def __init__(self, *args: Any, own_rubrics: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        groups = [("This organization's", list(own_rubrics))] if own_rubrics else []
        self.fields["rubric"] = forms.ChoiceField(
            label="Rubric", choices=[*groups, ("Shipped with the site", list(SHIPPED_RUBRICS))]
        )
        self.order_fields(self.field_order)

    def clean_rubric(self) -> tuple[str, str]:
        """("shipped", name) or ("version", id)."""
        kind, _, key = self.cleaned_data["rubric"].partition(":")
        return kind, key


class ChangeSettingsForm(SeenForm, SettingsForm):
    """`initial` are the settings as they stand. A time that was not touched stays to the second."""

    def clean_opens_at(self) -> datetime | None:
        return self._untouched("opens_at")

    def clean_due_at(self) -> datetime | None:
        return self._untouched("due_at")

    def _untouched(self, name: str) -> datetime | None:
        typed: datetime | None = self.cleaned_data[name]
        stored: datetime | None = self.initial[name]
        same = (
            typed is not None
            and stored is not None
            and typed == stored.replace(second=0, microsecond=0)
        )
        return stored if same else typed


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
            raise forms.ValidationError(
                "The file is not UTF-8 text: export it as “CSV UTF-8”."
            ) from error


class OrganizationForm(NamedForm):
    name = forms.CharField(
        label="Name", max_length=120, help_text="The institution, as its people call it."
    )
    field_order = ("name", "slug")


class CohortForm(NamedForm):
    name = forms.CharField(label="Name", max_length=120, help_text="For example: Autumn 2026.")
    starts_on = forms.DateField(
        label="First day",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    ends_on = forms.DateField(
        label="Last day",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    field_order = ("name", "slug", "starts_on", "ends_on")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        start, end = cleaned.get("starts_on"), cleaned.get("ends_on")
        if start and end and end < start:
            self.add_error("ends_on", "The last day is before the first.")
        return cleaned
