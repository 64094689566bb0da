"""Forms to create a course at once, to copy a cohort, and to choose a starting point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.utils.text import slugify

from grading.core.form_bases import (
    RESERVED_SLUGS,
    NamedForm,
    ZonedTimeField,
    refuse_site_name,
    zone_field,
)
from grading.core.form_fingerprint import FingerprintForm
from grading.core.time_zone_names import zone_names
from grading.courses.copies.queries import KINDS, AssignmentKind, kind_of
from grading.models import Organization

# No slug of an organization: the site's own addresses use the word (core/form_bases.py).
NEW = "new"


class CourseForm(NamedForm):
    """A course with its first assignment. `organizations` are those that the user teaches in."""

    organization = forms.ChoiceField(label="Institution")
    institution = forms.CharField(
        label="Name of your institution",
        max_length=120,
        help_text="The name people know it by.",
        validators=[refuse_site_name],
    )
    name = forms.CharField(
        label="Course", max_length=120, help_text="For example: Software design, autumn 2026."
    )
    time_zone = zone_field(help_text="Deadlines are set in it, and shown in it.")
    kind = forms.ChoiceField(
        label="First assignment",
        choices=[(kind.key, kind.label) for kind in KINDS],
        widget=forms.RadioSelect,
        help_text="All its settings can be changed afterwards.",
    )
    due_at = ZonedTimeField(label="Due", required=False)
    field_order = ("organization", "institution", "name", "time_zone", "kind", "due_at")

    def __init__(self, *args: Any, organizations: Sequence[Organization], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # The short name is made from the name: whoever wants another creates the cohort alone.
        del self.fields["slug"]
        if organizations:
            choices = [*((row.slug, row.name) for row in organizations), (NEW, "A new institution")]
            self.fields["organization"] = forms.ChoiceField(label="Institution", choices=choices)
            self.fields["institution"].required = False
            self.fields["institution"].help_text = "Only for a new institution."
        else:
            del self.fields["organization"]
        self.order_fields(self.field_order)
        self._use_chosen_zone()

    def _use_chosen_zone(self) -> None:
        """Read the due date in the zone that is sent with it."""
        name = self.data.get("time_zone", "")
        due: Any = self.fields["due_at"]
        due.use_zone(ZoneInfo(name if name in zone_names() else "UTC"))
        due.help_text = "In the time zone above. Leave blank for no due date."

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        is_new = cleaned.get("organization", NEW) == NEW
        name = cleaned.get("institution", "")
        if is_new and "institution" not in self.errors:
            self._refuse_name("institution", slugify(name)[:60].strip("-"))
        return cleaned

    def _refuse_unfit(self, slug: str) -> None:
        self._refuse_name("name", slug)

    def _refuse_name(self, field: str, slug: str) -> None:
        """Refuse a name whose short name is empty or a word of the site's own addresses."""
        if not slug:
            self.add_error(field, "Enter a name with letters or digits.")
        elif slug in RESERVED_SLUGS:
            self.add_error(field, f"“{slug}” is reserved for the site's URLs. Add a word.")

    @property
    def chosen_kind(self) -> AssignmentKind:
        """Return the kind of the first assignment; the form must be valid."""
        kind = kind_of(self.cleaned_data["kind"])
        if kind is None:
            raise ValueError("The form accepts only the kinds that it offers.")
        return kind


class CopyForm(NamedForm, FingerprintForm):
    """Name and first day of a cohort's copy. The fingerprint is that of what is copied."""

    name = forms.CharField(label="Name", max_length=120, help_text="For example: Autumn 2027.")
    starts_on = forms.DateField(
        label="First day",
        help_text="Every date moves by as many days as the first day, at the same local time.",
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    field_order = ("name", "slug", "starts_on")


class StartForm(forms.Form):
    """Starting point of a new assignment."""

    start = forms.ChoiceField(label="Start from", required=False)

    def __init__(self, *args: Any, choices: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["start"] = forms.ChoiceField(
            label="Start from",
            required=False,
            choices=[("", "Empty form"), *choices],
            help_text="Fills in the form below. You can change everything before you create it.",
        )
