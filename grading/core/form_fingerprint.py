"""A fingerprint of what a page showed: sent along with its form, it tells whether that still stands."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django import forms


def fingerprint_of(*shown: Any) -> str:
    """32 characters, the same for the same plain values."""
    text = json.dumps(shown, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def fingerprint_of_criterion(
    digest: str, criterion_id: str, score: int | None, override_reason: str | None
) -> str:
    """Return the fingerprint of a criterion as it counts; `digest` is its report's."""
    override = [score, override_reason] if override_reason else None
    return fingerprint_of(digest, criterion_id, override)


CHANGED = "This changed since you opened this page: it is shown as it is now. Look once more, then send it."


class SeenForm(forms.Form):
    """`seen` is the fingerprint of what the page showed (grading.core.form_fingerprint); where something else stands by now, that is
    shown once more, with everything that was typed. Without any nothing is compared: what is sent names it itself."""

    seen = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, *args: Any, fingerprint: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fingerprint = fingerprint
        self.fields["seen"].initial = fingerprint

    def is_current(self) -> bool:
        """Whether what was sent is about what stands now."""
        return self.data.get(self.add_prefix("seen"), "") in ("", self.fingerprint)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        cleaned.pop("seen", None)
        if not self.is_current():
            sent: Any = self.data  # as request.POST is: it copies itself
            self.data = sent = sent.copy()
            sent[self.add_prefix("seen")] = self.fingerprint
            raise forms.ValidationError(CHANGED)
        return cleaned
