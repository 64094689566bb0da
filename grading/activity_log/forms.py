"""What a log is narrowed to, as it stands in the address. What is unknown is said, and asks for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django import forms

from grading.activity_log.queries import LogCursor, LogFilter
from grading.core.form_bases import AddressForm

Choices = Sequence[tuple[str, str]]


def _day(label: str) -> forms.DateField:
    return forms.DateField(
        label=label,
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )


class LogForm(AddressForm):
    family = forms.ChoiceField(label="About", required=False)
    actor = forms.ChoiceField(label="By", required=False)
    since = _day("From")
    until = _day("To")
    before = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, families: Choices, actors: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, choices in (
            ("family", families),
            ("actor", [("0", "the site itself"), *actors]),
        ):
            field = self.fields[name]
            if isinstance(field, forms.ChoiceField):
                field.choices = [("", "All"), *choices]

    def clean_before(self) -> LogCursor | None:
        given: str = self.cleaned_data["before"]
        moment, _, key = given.partition("-")
        try:
            return (
                LogCursor(datetime.fromtimestamp(float(moment), UTC), int(key)) if given else None
            )
        except (ValueError, OverflowError) as error:
            raise forms.ValidationError("The log gave out no such mark.") from error

    def narrowed(self) -> LogFilter:
        given = self.cleaned_data
        return LogFilter(
            family=given.get("family", ""),
            actor=int(given["actor"]) if given.get("actor") else None,
            since=given.get("since"),
            until=given.get("until"),
        )
