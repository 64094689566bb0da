"""Form for the period and the list of audits in the address of the Operations page."""

from __future__ import annotations

from datetime import datetime

from django import forms

from grading.core.form_bases import QueryForm
from grading.operations.queries import (
    LISTING_LABELS,
    PERIODS,
    AuditListing,
    PeriodUnit,
    period_starts,
)


class OperationsForm(QueryForm):
    by = forms.ChoiceField(
        required=False, choices=[("hour", "hour"), ("day", "day")], widget=forms.HiddenInput
    )

    show = forms.ChoiceField(
        required=False, choices=[("", ""), *LISTING_LABELS.items()], widget=forms.HiddenInput
    )
    at = forms.DateTimeField(required=False, widget=forms.HiddenInput)
    code = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput)
    page = forms.IntegerField(
        required=False, min_value=1, max_value=100_000, widget=forms.HiddenInput
    )

    def unit(self) -> PeriodUnit:
        """Return the unit of the periods, hours by default."""
        self.full_clean()
        return "day" if self.cleaned_data.get("by") == "day" else "hour"

    def listing(self, now: datetime) -> AuditListing | None:
        """Return the list of audits to show, null without one; call it after unit().

        It covers the period that begins `at`, or all periods on the page.
        """
        cleaned = self.cleaned_data
        if not cleaned.get("show"):
            return None

        unit, at = self.unit(), cleaned.get("at")
        # Without a period the list is open at its end, so that audits of this moment are in it.
        until = at + PERIODS[unit][0] if at else None
        since = at or period_starts(unit, now)[0]
        return AuditListing(cleaned["show"], since, until, cleaned.get("code", ""))
