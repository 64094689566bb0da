"""Forms of a preview and of putting the previewed version into force."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from grading.engine import rubrics as engine_rubrics

# Usual pass marks; the site itself stores none.
DEFAULTS = {"rules": "", "pass_score": "3", "pass_percent": "60"}


class PreviewForm(forms.Form):
    """Options of a preview, read from the address. A wrong value is reported; its default holds."""

    rules = forms.ChoiceField(label="Rules", required=False)
    pass_score = forms.FloatField(
        label="Pass mark (score from 1 to 5)",
        min_value=1,
        max_value=5,
        widget=forms.NumberInput(attrs={"step": "0.1"}),
    )
    pass_percent = forms.FloatField(
        label="Pass mark (percent of points)",
        min_value=0,
        max_value=100,
        widget=forms.NumberInput(attrs={"step": "0.5"}),
    )

    def __init__(self, query: Mapping[str, str]) -> None:
        super().__init__({name: query.get(name, default) for name, default in DEFAULTS.items()})
        presets = [(name, f"“{name}” instead") for name in engine_rubrics.preset_constitutions()]
        self.fields["rules"] = forms.ChoiceField(
            label="Rules", required=False, choices=[("", "The version's own rules"), *presets]
        )

    @property
    def chosen_rules(self) -> str:
        """Name of a shipped constitution; empty for the version's own."""
        return str(self._valid_values().get("rules", ""))

    @property
    def pass_marks(self) -> tuple[float, float]:
        """Pass marks as a score and as a percentage."""
        values = self._valid_values()
        score = values.get("pass_score", float(DEFAULTS["pass_score"]))
        percent = values.get("pass_percent", float(DEFAULTS["pass_percent"]))
        return score, percent

    def _valid_values(self) -> dict[str, float]:
        self.full_clean()
        return self.cleaned_data


class AdoptForm(forms.Form):
    """Confirmation. `seen` is the digest of the previewed document, `count` the audits affected."""

    seen = forms.CharField(widget=forms.HiddenInput)
    adopt = forms.BooleanField(label="Judge future submissions under this version", required=False)
    resynthesise = forms.BooleanField(required=False)
    confirmed = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, count: int, must_be_typed: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.must_be_typed = must_be_typed
        audits = f"the {count} current audits" if count != 1 else "the 1 current audit"
        self.fields["resynthesise"].label = f"Re-synthesise {audits} now, without model calls"

        self.fields["confirmed"].initial = None if must_be_typed else count
        # A large number is typed by the person, so that nobody confirms it by habit.
        if must_be_typed:
            self.fields["confirmed"] = forms.IntegerField(
                required=False,
                label=f"To confirm, type the number of audits: {count}",
                min_value=0,
                widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
            )
