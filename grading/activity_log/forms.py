"""Form for the filters in the log's address. Unknown values are reported and ignored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django import forms

from grading.activity_log.queries import LogCursor, LogFilter
from grading.core.form_bases import QueryForm

Choices = Sequence[tuple[str, str]]


def _day(label: str) -> forms.DateField:
    return forms.DateField(
        label=label,
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )


class LogForm(QueryForm):
    family = forms.ChoiceField(label="Category", required=False)
    actor = forms.ChoiceField(label="By", required=False)
    since = _day("From")
    until = _day("To")
    before = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, families: Choices, actors: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, choices in (
            ("family", families),
            # No account has the key 0.
            ("actor", [("0", "the site"), *actors]),
        ):
            field = self.fields[name]
            if isinstance(field, forms.ChoiceField):
                field.choices = [("", "All"), *choices]

    def clean_before(self) -> LogCursor | None:
        text: str = self.cleaned_data["before"]
        if not text:
            return None

        # The address can be edited by hand, so any text may arrive.
        seconds, _, key = text.partition("-")
        try:
            return LogCursor(datetime.fromtimestamp(float(seconds), UTC), int(key))
        except (ValueError, OverflowError) as error:
            raise forms.ValidationError("This page of the log does not exist.") from error

    def log_filter(self) -> LogFilter:
        """Return the valid filters; call it after is_valid()."""
        cleaned = self.cleaned_data
        return LogFilter(
            family=cleaned.get("family", ""),
            actor=int(cleaned["actor"]) if cleaned.get("actor") else None,
            since=cleaned.get("since"),
            until=cleaned.get("until"),
        )
