"""Forms for organizations, cohorts and assignments."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, tzinfo
from typing import Any

from django import forms

from grading.core.enums import Bench, CountingPolicy, LatePolicy, ReleasePolicy, TeamFormation
from grading.core.form_bases import (
    NamedForm,
    ZonedForm,
    ZonedTimeField,
    refuse_site_name,
    zone_field,
)
from grading.core.form_fingerprint import FingerprintForm

# The words after "shipped:" are the names that adopt_shipped_rubric takes.
SHIPPED_RUBRICS = (
    ("shipped:self_audit", "Self-audit of a LangGraph auditor: ten criteria, 1 to 5"),
    ("shipped:points", "Points: four criteria, 100 points"),
    ("shipped:general", "Any software project"),
)
Choices = Sequence[tuple[str, str]]


class SettingsForm(ZonedForm):
    """Settings of an assignment that can also be changed later.

    `zone` is that of the cohort. `no_models` is the reason why models cannot judge here, empty if
    they can.
    """

    title = forms.CharField(label="Title", max_length=200)
    instructions = forms.CharField(
        label="Instructions",
        required=False,
        max_length=20_000,
        help_text="Markdown.",
        widget=forms.Textarea,
    )
    opens_at = ZonedTimeField(
        label="Opens", required=False, further_help="Leave blank to open at once."
    )
    due_at = ZonedTimeField(
        label="Due", required=False, further_help="Leave blank for no due date."
    )
    late_policy = forms.ChoiceField(
        label="After the due date", choices=LatePolicy.choices, initial=LatePolicy.REFUSE
    )
    max_attempts = forms.IntegerField(label="Attempts", min_value=1, max_value=100, initial=5)
    counting_policy = forms.ChoiceField(
        label="Attempt that counts",
        choices=CountingPolicy.choices,
        initial=CountingPolicy.LATEST,
        help_text="Students read this before they submit. It can't change after a submission.",
    )
    team_formation = forms.ChoiceField(
        label="Teams",
        choices=TeamFormation.choices,
        initial=TeamFormation.NONE,
        help_text="A team has its attempts and its verdict together. After a submission you can't "
        "change between teams and none.",
    )
    team_size_max = forms.IntegerField(
        label="Students per team",
        min_value=1,
        max_value=20,
        initial=3,
        help_text="The most a team that students form may have. It counts only with teams.",
    )
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
        help_text="Counted from the release of a grade. Enter 0 to allow no appeals.",
    )
    max_appeals = forms.IntegerField(
        label="Appeals per student",
        min_value=0,
        max_value=100,
        initial=3,
        help_text="Successful appeals don't use this allowance.",
    )

    def __init__(self, *args: Any, zone: tzinfo = UTC, no_models: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.use_zone(zone)
        # An assignment that has them already keeps them in its form.
        if no_models and self.initial.get("bench") != Bench.LLM:
            self.fields["bench"] = forms.ChoiceField(
                label="Judges",
                choices=[choice for choice in Bench.choices if choice[0] != Bench.LLM],
                initial=Bench.HEURISTIC,
                help_text=no_models,
                error_messages={"invalid_choice": no_models},
            )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        opens, due = cleaned.get("opens_at"), cleaned.get("due_at")
        if opens and due and due <= opens:
            self.add_error("due_at", "The due date must be after the opening.")
        return cleaned


class AssignmentForm(NamedForm, SettingsForm):
    """A new assignment.

    `own_rubrics` are the organization's published versions as choices: ("version:<id>", label).
    """

    name_field = "title"
    field_order = ("title", "slug", "instructions", "rubric")

    def __init__(self, *args: Any, own_rubrics: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        groups = [("Your organization", list(own_rubrics))] if own_rubrics else []
        self.fields["rubric"] = forms.ChoiceField(
            label="Rubric", choices=[*groups, ("Shipped with the site", list(SHIPPED_RUBRICS))]
        )
        self.order_fields(self.field_order)

    def clean_rubric(self) -> tuple[str, str]:
        """Return ("shipped", name) or ("version", id)."""
        kind, _, key = self.cleaned_data["rubric"].partition(":")
        return kind, key


class ChangeSettingsForm(FingerprintForm, SettingsForm):
    """Changed settings of an assignment. `initial` are the current ones."""


def _institution_name() -> forms.CharField:
    return forms.CharField(
        label="Name",
        max_length=120,
        help_text="The name people know the institution by.",
        validators=[refuse_site_name],
    )


class OrganizationForm(NamedForm):
    name = _institution_name()
    field_order = ("name", "slug")


class OrganizationNameForm(FingerprintForm):
    name = _institution_name()


def _day(label: str) -> forms.DateField:
    return forms.DateField(
        label=label,
        required=False,
        help_text="Counted in UTC.",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )


class CohortDetailsForm(forms.Form):
    """Name, zone and days of a cohort."""

    name = forms.CharField(label="Name", max_length=120, help_text="For example: Autumn 2026.")
    time_zone = zone_field(
        help_text="Deadlines are set in it, and shown in it to people who chose no zone of "
        "their own.",
    )
    starts_on = _day("First day")
    ends_on = _day("Last day")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        start, end = cleaned.get("starts_on"), cleaned.get("ends_on")
        if start and end and end < start:
            self.add_error("ends_on", "The last day must not be before the first day.")
        return cleaned


class CohortSettingsForm(FingerprintForm, CohortDetailsForm):
    field_order = ("name", "time_zone", "starts_on", "ends_on")


class CohortForm(NamedForm, CohortDetailsForm):
    field_order = ("name", "slug", "time_zone", "starts_on", "ends_on")
