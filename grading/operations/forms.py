"""Which stretch of time is asked for, and which audits of it."""

from __future__ import annotations

from datetime import datetime

from django import forms

from grading.core.form_bases import AddressForm
from grading.operations.queries import PERIODS, SHOWN, AuditListing, PeriodUnit, period_starts


class OperationsForm(AddressForm):
    by = forms.ChoiceField(
        required=False, choices=[("hour", "hour"), ("day", "day")], widget=forms.HiddenInput
    )

    show = forms.ChoiceField(
        required=False, choices=[("", ""), *SHOWN.items()], widget=forms.HiddenInput
    )
    at = forms.DateTimeField(required=False, widget=forms.HiddenInput)
    code = forms.CharField(required=False, max_length=60, widget=forms.HiddenInput)
    page = forms.IntegerField(
        required=False, min_value=1, max_value=100_000, widget=forms.HiddenInput
    )

    def slot(self) -> PeriodUnit:
        """By hours unless days are asked for."""
        self.full_clean()
        return "day" if self.cleaned_data.get("by") == "day" else "hour"

    def behind(self, now: datetime) -> AuditListing | None:
        """Whose list is asked for: of the hour or day that begins `at`, else of all that is told; after slot()."""
        read = self.cleaned_data
        if not read.get("show"):
            return None
        slot, at = self.slot(), read.get("at")
        until = at + PERIODS[slot][0] if at else None
        return AuditListing(
            read["show"], at or period_starts(slot, now)[0], until, read.get("code", "")
        )
