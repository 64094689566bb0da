"""Form of one's own zone."""

from __future__ import annotations

from django import forms

from grading.core.time_zone_names import zone_choices


class TimeZoneForm(forms.Form):
    time_zone = forms.ChoiceField(
        label="Your time zone",
        required=False,
        choices=lambda: [("", "The zone of each cohort"), *zone_choices()],
        help_text="All pages and emails show times in it. Fields for a cohort's deadlines are in "
        "the cohort's zone, which stands beside them.",
    )
