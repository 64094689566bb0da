"""Writing an entry of the communication log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from grading.core.enums import EntryKind
from grading.core.form_bases import Words
from grading.peer_review.communication.actions import MOST_CHARACTERS

Choices = Sequence[tuple[str, str]]


class EntryForm(forms.Form):
    """`readers` are the pairings it may be written under: (key, words)."""

    kind = forms.ChoiceField(
        label="It tells of",
        widget=forms.RadioSelect,
        choices=[
            (EntryKind.PROGRESS, "Progress: what works now"),
            (EntryKind.BLOCKER, "A blocker: what is in the way"),
            (EntryKind.DESIGN, "A design note: what was decided, and why"),
        ],
        error_messages={"required": "Choose one of the three."},
    )
    text = Words(
        label="Entry",
        max_length=MOST_CHARACTERS,
        help_text=f"At most {MOST_CHARACTERS:,} characters, plain text. What is posted stays.",
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    pairing = forms.ChoiceField(label="Who reads it beside the staff", required=False)

    def __init__(self, *args: Any, readers: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if readers:
            self.fields["pairing"] = forms.ChoiceField(
                label="Who reads it beside the staff",
                required=False,
                choices=[("", "Nobody"), *readers],
                help_text="A peer under a blind pairing reads it without what tells who you are.",
            )
        else:
            del self.fields["pairing"]
