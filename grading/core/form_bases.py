"""Base forms: filters from the query string, names with slugs, and long texts."""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime, tzinfo
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.text import slugify

from grading.core.errors import ActionRefused, FieldRefused, SlugTaken
from grading.core.time_zone_names import zone_choices
from grading.core.time_zones import is_usual_year, name_of

DATETIME = "%Y-%m-%dT%H:%M"


class QueryForm(forms.Form):
    """Form filled from the query string. Invalid values are reported and ignored.

    Visible fields show their own errors; `query_errors` returns those of hidden fields.
    """

    def query_errors(self) -> list[str]:
        """Return a sentence for each hidden field with an invalid value."""
        hidden = [name for name in self.errors if name in self.fields and self[name].is_hidden]
        return [self.unknown_value(name) for name in hidden]

    def unknown_value(self, name: str) -> str:
        return f"“{name}={self.data.get(name, '')[:40]}” is not valid here and was ignored."


def add_refusal(form: forms.BaseForm, refusal: ActionRefused, *, field: str | None = None) -> None:
    """Add the refusal to its own field, else to `field`, else to the whole form."""
    if isinstance(refusal, FieldRefused):
        field = refusal.field
    elif isinstance(refusal, SlugTaken):
        field = "slug"
    form.add_error(field if field in form.fields else None, refusal.sentence)


def field_of_code(code: str) -> str | None:
    """Return the submission's field for an error code of the courtroom, or None for the form.

    The codes are in courtroom/models/errors.py.
    """
    if "_ref" in code:
        return "ref"
    if code.startswith("pdf_"):
        return "pdf"
    return "repo_url" if code.startswith(("url_", "repository_")) else None


# Words that URLs use in the place of a slug (grading/urls.py).
RESERVED_SLUGS = frozenset({"new", "audits", "c", "a", "roster", "submit", "peers"})


SITE_NAME = "Automaton Auditor"


def refuse_site_name(name: str) -> None:
    """Refuse the site's own name within a name: its letters would seem to come from the site."""
    if _folded(SITE_NAME) in _folded(name):
        message = f"“{SITE_NAME}” is this site's own name. Choose the name of your institution."
        raise forms.ValidationError(message)


def _folded(name: str) -> str:
    """Return the letters and digits of a name, without case, width, accents and blanks."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    return "".join(character for character in decomposed if character.isalnum())


class NamedForm(forms.Form):
    """Form with a slug, made from `name_field` if it is left blank."""

    name_field = "name"

    slug = forms.SlugField(
        label="Short name",
        max_length=60,
        required=False,
        help_text=(
            "Used in URLs: lower-case letters, digits and hyphens. "
            "Leave blank to create it from the name."
        ),
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "slug" not in self.errors and self.name_field not in self.errors:
            # The cut may leave a hyphen at the end.
            cleaned["slug"] = slugify(cleaned.get("slug") or cleaned[self.name_field])[:60].strip(
                "-"
            )
            self._refuse_unfit(cleaned["slug"])
        return cleaned

    def _refuse_unfit(self, slug: str) -> None:
        if not slug:
            self.add_error(
                "slug", "We couldn't create a short name from this name. Please enter one."
            )
        elif slug in RESERVED_SLUGS:
            self.add_error("slug", _reserved(slug))


def _reserved(slug: str) -> str:
    return f"“{slug}” is reserved for the site's URLs. Choose another short name."


class ShortNameForm(forms.Form):
    """Another name in URLs; it is refused rather than mended, as people type it on purpose."""

    slug = forms.CharField(
        label="Short name",
        max_length=60,
        help_text="Lower-case letters, digits and hyphens.",
    )

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        if slug != slugify(slug) or "_" in slug:
            raise forms.ValidationError(
                "Use lower-case letters without accents, digits and single hyphens, and begin and "
                "end with a letter or digit."
            )
        if slug in RESERVED_SLUGS:
            raise forms.ValidationError(_reserved(slug))
        return slug


class LongText(forms.CharField):
    """Longer text; a line end counts as one character, as browsers count it."""

    widget = forms.Textarea

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")


class ZonedTimeField(forms.DateTimeField):
    """Time that is typed and displayed in one zone, which its help names; set it by `use_zone`.

    Browsers send minutes without seconds: `stored` stays as it is where its minute is sent.
    """

    stored: datetime | None = None

    def __init__(self, *, further_help: str = "", **kwargs: Any) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format=DATETIME)
        invalid = "Enter a date and a time, such as 2026-11-30 23:59."
        super().__init__(widget=widget, error_messages={"invalid": invalid}, **kwargs)
        self._further_help = further_help
        self.use_zone(UTC)

    def use_zone(self, zone: tzinfo, stored: datetime | None = None) -> None:
        self._zone, self.stored = zone, stored
        self.help_text = f"{name_of(zone)}. {self._further_help}".rstrip()

    def prepare_value(self, value: Any) -> Any:
        return timezone.make_naive(value, self._zone) if isinstance(value, datetime) else value

    def to_python(self, value: Any) -> datetime | None:
        if self.stored and value == f"{self.prepare_value(self.stored):{DATETIME}}":
            return self.stored
        with timezone.override(self._zone):
            try:
                return _refuse_unusual_year(super().to_python(value))
            except forms.ValidationError as error:
                if error.code == "ambiguous_timezone" and error.params:
                    raise forms.ValidationError(
                        self._sentence_on_clocks(error.params["datetime"])
                    ) from error
                raise

    def _sentence_on_clocks(self, typed: datetime) -> str:
        """Return why a time is none, or two, in a night in which clocks change."""
        # Clocks that go forward skip an hour, and the offset from UTC grows.
        before, after = (typed.replace(tzinfo=self._zone, fold=fold).utcoffset() for fold in (0, 1))
        count = "does not exist" if before and after and before < after else "happens twice"
        return (
            f"{typed:%H:%M} on {typed:%d %B %Y} {count} in {name_of(self._zone)}: clocks change "
            "that night. Enter an earlier or a later time."
        )


def _refuse_unusual_year(typed: datetime | None) -> datetime | None:
    """Return the time, unless it has no date in some time zones."""
    if typed is not None and not is_usual_year(typed):
        raise forms.ValidationError("Enter a year from 1970 to 9998.")
    return typed


class ZonedForm(forms.Form):
    """Form with times in the zone of a cohort, set by `use_zone`.

    The zone is sent along: typed in one zone and read in another, a deadline would be a wrong one.
    """

    zone = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def use_zone(self, zone: tzinfo) -> None:
        """Read and display each time in this zone; a stored one is in `initial`."""
        self.fields["zone"].initial = name_of(zone)
        for name, field in self.fields.items():
            if isinstance(field, ZonedTimeField):
                field.use_zone(zone, self.initial.get(name))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        current = self.fields["zone"].initial
        if cleaned.pop("zone", "") not in ("", current):
            # request.POST is immutable: its copy gets the zone that is shown now.
            data: Any = self.data
            self.data = data = data.copy()
            data[self.add_prefix("zone")] = current
            raise forms.ValidationError(
                f"The cohort's time zone was changed to {current} since you opened the page. "
                "Check the times below, then submit again."
            )
        return cleaned


def zone_field(**kwargs: Any) -> forms.ChoiceField:
    return forms.ChoiceField(label="Time zone", choices=zone_choices, **kwargs)
