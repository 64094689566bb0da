"""Fingerprint of the data that a page shows; sent with its form, it reveals changes since then."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django import forms


def fingerprint_of(*values: Any) -> str:
    """Return 32 characters, the same for the same plain values."""
    text = json.dumps(values, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def fingerprint_of_criterion(
    digest: str, criterion_id: str, score: int | None, override_reason: str | None
) -> str:
    """Return the fingerprint of a criterion as it counts; `digest` is its report's."""
    override = [score, override_reason] if override_reason else None
    return fingerprint_of(digest, criterion_id, override)


CHANGED_SENTENCE = (
    "This changed since you opened the page. Check the current state below, then submit again."
)


class FingerprintForm(forms.Form):
    """Form that is refused once if its page has changed since it was opened.

    The hidden field `seen` is the fingerprint of the page. If it is outdated, the form is shown
    again with everything that was typed. Without `seen` nothing is compared.
    """

    seen = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, *args: Any, fingerprint: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fingerprint = fingerprint
        self.fields["seen"].initial = fingerprint

    def is_current(self) -> bool:
        """Return whether the form was sent for the current state."""
        return self.data.get(self.add_prefix("seen"), "") in ("", self.fingerprint)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        cleaned.pop("seen", None)
        if not self.is_current():
            # request.POST is immutable: its copy gets the new fingerprint.
            data: Any = self.data
            self.data = data = data.copy()
            data[self.add_prefix("seen")] = self.fingerprint
            raise forms.ValidationError(CHANGED_SENTENCE)
        return cleaned
