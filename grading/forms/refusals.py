"""A refused action's sentence, put beside the field it is about."""

from __future__ import annotations

from django import forms

from grading.errors import ActionRefused, FieldRefused, SlugTaken


def put_beside(form: forms.BaseForm, refusal: ActionRefused, *, field: str | None = None) -> None:
    """Add the refusal to its field (its own, else `field`), or to the whole form when it has none there."""
    if isinstance(refusal, FieldRefused):
        field = refusal.field
    elif isinstance(refusal, SlugTaken):
        field = "slug"
    form.add_error(field if field in form.fields else None, refusal.sentence)


def field_at_fault(code: str) -> str | None:
    """The hand-in's field that a code of the courtroom is about (courtroom/errors.py); None for the whole."""
    if "_ref" in code:
        return "ref"
    if code.startswith("pdf_"):
        return "pdf"
    return "repo_url" if code.startswith(("url_", "repository_")) else None
