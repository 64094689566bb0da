"""Form and first document of a new draft."""

from __future__ import annotations

from typing import Any

from django import forms

from grading.engine import audits as engine_audits
from grading.engine import rubrics as engine_rubrics
from grading.models import Rubric

# Values of the field `start`, beside the names of the shipped rubrics.
EMPTY, NEWEST = "empty", "newest"
SHIPPED = {
    "general": "Any software project",
    "self_audit": "Automaton Auditor: self-audit",
    "points": "Automaton Auditor: points",
}


class NewDraftForm(forms.ModelForm):  # type: ignore[type-arg]  # -- generic only for mypy
    """A draft of a rubric: empty, from its newest version, or from a shipped rubric."""

    start = forms.ChoiceField(
        label="Start from",
        choices=[
            (NEWEST, "The newest version of this rubric, if there is one"),
            (EMPTY, "An empty rubric"),
            *((name, f"The shipped rubric “{title}”") for name, title in SHIPPED.items()),
        ],
    )

    def clean(self) -> dict[str, Any] | None:
        """Put the draft into the organization of its rubric."""
        cleaned = super().clean()

        rubric = self.cleaned_data.get("rubric")
        if rubric is not None:
            self.instance.organization = rubric.organization
        return cleaned


def first_document(rubric: Rubric, start: str) -> dict[str, Any]:
    """Return the document that a further draft of the rubric starts from."""
    if shipped := shipped_document(start):
        return shipped

    newest = rubric.versions.order_by("-number").first() if start == NEWEST else None
    if newest:
        return dict(newest.document)
    return {**empty_document(), "id": rubric.slug.replace("-", "_"), "name": rubric.name}


def shipped_document(start: str) -> dict[str, Any] | None:
    """Return the shipped rubric of this name, or None."""
    return engine_audits.shipped_rubric(start).document if start in SHIPPED else None


def empty_document() -> dict[str, Any]:
    """Return a rubric without criteria; its id and name are still to be set."""
    preset = next(iter(engine_rubrics.preset_constitutions()))
    return {"id": "", "name": "", "version": "1", "criteria": [], "constitution": preset}
