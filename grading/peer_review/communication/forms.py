"""Form for an entry of the communication log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from grading.core.enums import EntryKind
from grading.core.form_bases import LongText
from grading.peer_review.communication.actions import MAX_CHARACTERS

Choices = Sequence[tuple[str, str]]


class EntryForm(forms.Form):
    """Entry form. `readers` are the pairings it may be posted under: (key, label)."""

    kind = forms.ChoiceField(
        label="Kind of entry",
        widget=forms.RadioSelect,
        choices=[
            (EntryKind.PROGRESS, "Progress: what works now"),
            (EntryKind.BLOCKER, "Blocker: what is in the way"),
            (EntryKind.DESIGN, "Design note: what was decided, and why"),
        ],
        error_messages={"required": "Choose one of the three."},
    )
    text = LongText(
        label="Entry",
        max_length=MAX_CHARACTERS,
        help_text=f"Plain text, up to {MAX_CHARACTERS:,} characters. Entries stay as posted.",
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    pairing = forms.ChoiceField(label="Who can read it besides staff", required=False)

    def __init__(self, *args: Any, readers: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if readers:
            self.fields["pairing"] = forms.ChoiceField(
                label="Who can read it besides staff",
                required=False,
                choices=[("", "Nobody"), *readers],
                help_text="In a blind round your peer reads it without what identifies you.",
            )
        else:
            del self.fields["pairing"]
