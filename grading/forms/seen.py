"""Forms about something that may change while they are filled in."""

from __future__ import annotations

from typing import Any

from django import forms

CHANGED = "This changed since you opened this page: it is shown as it is now. Look once more, then send it."


class SeenForm(forms.Form):
    """`seen` is the fingerprint of what the page showed (grading.seen); where something else stands by now, that is
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
