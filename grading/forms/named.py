"""Forms for things with a name and a short name in addresses."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import slugify

# Words that stand where a slug stands in the URLs (grading/urls.py).
RESERVED_SLUGS = frozenset({"new", "audits", "c", "a", "roster", "submit", "peers"})


class NamedForm(forms.Form):
    """`name_field` gives the slug when none is typed."""

    name_field = "name"

    slug = forms.SlugField(
        label="Short name",
        max_length=60,
        required=False,
        help_text="For addresses: small letters, digits and hyphens. Left empty, it is made from the name.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "slug" not in self.errors and self.name_field not in self.errors:
            cleaned["slug"] = slugify(cleaned.get("slug") or cleaned[self.name_field])[:60].strip("-")
            self._refuse_unfit(cleaned["slug"])
        return cleaned

    def _refuse_unfit(self, slug: str) -> None:
        if not slug:
            self.add_error("slug", "No short name can be made from this name: type one.")
        elif slug in RESERVED_SLUGS:
            self.add_error(
                "slug", f"“{slug}” already means something in the site's addresses: choose another."
            )


class OrganizationForm(NamedForm):
    name = forms.CharField(label="Name", max_length=120, help_text="The institution, as its people call it.")
    field_order = ("name", "slug")


class CohortForm(NamedForm):
    name = forms.CharField(label="Name", max_length=120, help_text="For example: Autumn 2026.")
    starts_on = forms.DateField(
        label="First day", required=False, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    ends_on = forms.DateField(
        label="Last day", required=False, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    field_order = ("name", "slug", "starts_on", "ends_on")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        start, end = cleaned.get("starts_on"), cleaned.get("ends_on")
        if start and end and end < start:
            self.add_error("ends_on", "The last day is before the first.")
        return cleaned
