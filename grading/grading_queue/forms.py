"""Forms of the grading queue: filters, decisions, settings and the plan of shares."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib.auth.models import User

from grading.core.form_bases import QueryForm

SHOWN = [("", "everything"), ("unreviewed", "not reviewed"), ("flagged", "flagged")]
OWNERS = [("", "my share, if there is one"), ("mine", "my share"), ("all", "everybody")]
DECISIONS = ("reviewed", "unreviewed", "flag", "unflag")


class FilterForm(QueryForm):
    """Filters in the address; `wanted()` returns the readable ones that are set."""

    show = forms.ChoiceField(label="Show", required=False, choices=SHOWN)
    of = forms.ChoiceField(label="Of", required=False, choices=OWNERS)

    def wanted(self) -> dict[str, str]:
        self.full_clean()
        return {name: value for name, value in self.cleaned_data.items() if value}


class DecisionForm(forms.Form):
    """A score, or one of DECISIONS, on the verdict at `position`; "" is the whole work."""

    position = forms.IntegerField(required=False, min_value=0, max_value=1000)
    score = forms.IntegerField(required=False)
    do = forms.ChoiceField(required=False, choices=[("", ""), *((do, do) for do in DECISIONS)])
    reason = forms.CharField(required=False, max_length=2000)
    word = forms.CharField(required=False, max_length=80)
    shown = forms.CharField(required=False, max_length=64)
    flag_shown = forms.CharField(required=False, max_length=64)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("score") is None and not cleaned.get("do"):
            raise forms.ValidationError("Choose a score, or mark this as reviewed.")
        return cleaned


class SettingsForm(forms.Form):
    """Settings of a reader for this session; `back` is the page that they were chosen on."""

    blind = forms.ChoiceField(required=False, choices=[("", ""), ("on", "on"), ("off", "off")])
    go_on = forms.ChoiceField(required=False, choices=[("", ""), ("on", "on"), ("off", "off")])
    back = forms.CharField(required=False, max_length=500)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not (cleaned.get("blind") or cleaned.get("go_on")):
            raise forms.ValidationError("Choose a setting.")
        return cleaned


class PlanForm(forms.Form):
    """Readers and the method by which works are shared among them."""

    method = forms.ChoiceField(
        label="Share the work",
        choices=[
            ("student", "by student: each reader reads some students whole"),
            ("random", "by student at random, with a seed"),
            ("criterion", "by criterion: each reader reads some criteria of all students"),
            ("none", "not at all: everybody reads everything"),
        ],
        widget=forms.RadioSelect,
        initial="student",
    )
    readers = forms.MultipleChoiceField(
        label="Readers", required=False, widget=forms.CheckboxSelectMultiple
    )
    seed = forms.IntegerField(
        label="Seed",
        required=False,
        min_value=0,
        max_value=2**31,
        initial=1,
        help_text="For a random plan: the same seed shares the work in the same way.",
    )

    def __init__(self, *args: Any, staff: Iterable[User], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["readers"]
        field.choices = [(str(user.pk), user.email) for user in staff]
