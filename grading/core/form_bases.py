"""Forms that are read from an address: filters and pages. What means nothing there is said, and asks for nothing."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.text import slugify

from grading.core.errors import ActionRefused, FieldRefused, SlugTaken

DATETIME = "%Y-%m-%dT%H:%M"


class AddressForm(forms.Form):
    """Beside a field that is shown stands what is wrong with it; `misread` says it of those that are not."""

    def misread(self) -> list[str]:
        """A sentence for each hidden part of the address that means nothing."""
        hidden = [name for name in self.errors if name in self.fields and self[name].is_hidden]
        return [self.meaningless(name) for name in hidden]

    def meaningless(self, name: str) -> str:
        return f"“{name}={self.data.get(name, '')[:40]}” means nothing here and was left aside."


def put_beside(form: forms.BaseForm, refusal: ActionRefused, *, field: str | None = None) -> None:
    """Add the refusal to its field (its own, else `field`), or to the whole form when it has none there."""
    if isinstance(refusal, FieldRefused):
        field = refusal.field
    elif isinstance(refusal, SlugTaken):
        field = "slug"
    form.add_error(field if field in form.fields else None, refusal.sentence)


def field_at_fault(code: str) -> str | None:
    """The hand-in's field that a code of the courtroom is about (courtroom/models/errors.py); None for the whole."""
    if "_ref" in code:
        return "ref"
    if code.startswith("pdf_"):
        return "pdf"
    return "repo_url" if code.startswith(("url_", "repository_")) else None


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
            cleaned["slug"] = slugify(cleaned.get("slug") or cleaned[self.name_field])[:60].strip(
                "-"
            )
            self._refuse_unfit(cleaned["slug"])
        return cleaned

    def _refuse_unfit(self, slug: str) -> None:
        if not slug:
            self.add_error("slug", "No short name can be made from this name: type one.")
        elif slug in RESERVED_SLUGS:
            self.add_error(
                "slug", f"“{slug}” already means something in the site's addresses: choose another."
            )


class Words(forms.CharField):
    """A longer text, its line ends counted as the browser counts them: once."""

    widget = forms.Textarea

    def to_python(self, value: Any) -> str:
        return (super().to_python(value) or "").replace("\r\n", "\n")
