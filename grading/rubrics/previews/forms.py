"""What an instructor asks of a preview."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms

from grading.engine import rubrics as engine_rubrics

USUAL = {"rules": "", "pass_score": "3", "pass_percent": "60"}


class PreviewForm(forms.Form):
    """Read from the address. Beside what was typed wrong stands why, and the usual holds in its place."""

    rules = forms.ChoiceField(label="Rules", required=False)
    pass_score = forms.FloatField(
        label="Pass mark, as a score from 1 to 5",
        min_value=1,
        max_value=5,
        widget=forms.NumberInput(attrs={"step": "0.1"}),
    )
    pass_percent = forms.FloatField(
        label="Pass mark, in percent of the points",
        min_value=0,
        max_value=100,
        widget=forms.NumberInput(attrs={"step": "0.5"}),
    )

    def __init__(self, asked: Mapping[str, str]) -> None:
        super().__init__({name: asked.get(name, usual) for name, usual in USUAL.items()})
        presets = [
            (name, f"“{name}” in their place") for name in engine_rubrics.preset_constitutions()
        ]
        self.fields["rules"] = forms.ChoiceField(
            label="Rules", required=False, choices=[("", "Those of the version"), *presets]
        )

    @property
    def asked_rules(self) -> str:
        """The name of a shipped constitution; empty for the version's own."""
        return str(self._fit().get("rules", ""))

    @property
    def pass_marks(self) -> tuple[float, float]:
        """(score, percent)."""
        fit = self._fit()
        return fit.get("pass_score", float(USUAL["pass_score"])), fit.get(
            "pass_percent", float(USUAL["pass_percent"])
        )

    def _fit(self) -> dict[str, float]:
        self.full_clean()
        return self.cleaned_data


class AdoptForm(forms.Form):
    """`seen` is the digest of the document that was previewed, `count` how many audits it would be applied to."""

    seen = forms.CharField(widget=forms.HiddenInput)
    adopt = forms.BooleanField(
        label="What is handed in from now on is judged under it", required=False
    )
    resynthesise = forms.BooleanField(required=False)
    confirmed = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, count: int, must_be_typed: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.must_be_typed = must_be_typed
        some = f"the {count} audits that count" if count != 1 else "the one audit that counts"
        self.fields["resynthesise"].label = f"Apply it to {some} now, without any model call"
        self.fields["confirmed"].initial = None if must_be_typed else count
        if must_be_typed:
            self.fields["confirmed"] = forms.IntegerField(
                required=False,
                label=f"To apply it, type how many audits that are: {count}",
                min_value=0,
                widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off"}),
            )
