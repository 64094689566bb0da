"""Form of an organization's models and budgets."""

from __future__ import annotations

from typing import Any

from django import forms

from grading.audits.benches.bench_checks import BenchChoices
from grading.core.enums import Batch
from grading.core.form_fingerprint import FingerprintForm
from grading.engine.model_providers import EXAMPLE, OPENAI, provider_choices

KEEP_KEY = "Stored encrypted and never shown again. Leave it blank to keep the stored one."
ADDRESS_HELP = (
    f"Blank: the provider's own. Else a public https address, such as {EXAMPLE}; of Azure with its "
    "version, such as https://NAME.openai.azure.com/?api-version=2024-10-21."
)
BUDGET_HELP = "US dollars. With the operator's API key the smaller counts: this or the operator's."


def _model(label: str) -> forms.CharField:
    return forms.CharField(
        label=label,
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )


def _budget(label: str, *, digits: int) -> forms.DecimalField:
    return forms.DecimalField(
        label=label,
        required=False,
        min_value=0,
        max_digits=digits,
        decimal_places=4,
        help_text=BUDGET_HELP,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )


class BenchForm(FingerprintForm):
    """Models, key, way of working and budgets. The stored key is never in it."""

    provider = forms.ChoiceField(
        label="Provider",
        choices=provider_choices,
        initial=OPENAI,
        help_text="Of your own API key. One whose packages this site lacks is refused.",
    )
    provider_url = forms.CharField(
        label="Address",
        required=False,
        max_length=200,
        help_text=ADDRESS_HELP,
        widget=forms.URLInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    new_key = forms.CharField(
        label="API key",
        required=False,
        max_length=1000,
        help_text=KEEP_KEY,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "off"}),
    )
    forget_key = forms.BooleanField(label="Delete the stored API key", required=False)
    prosecutor_model = _model("Model of the Prosecutor")
    defense_model = _model("Model of the Defense")
    tech_lead_model = _model("Model of the Tech Lead")
    batch = forms.ChoiceField(
        label="Calls",
        choices=Batch.choices,
        help_text="One call for all criteria costs less; one call per criterion reads more closely.",
    )
    debate = forms.BooleanField(
        label="Debate",
        required=False,
        help_text="A second round in which each judge reads the arguments of the others. It costs "
        "about as much again.",
    )
    audit_budget_usd = _budget("Budget for one audit", digits=10)
    monthly_budget_usd = _budget("Budget for one month", digits=12)

    def choices(self) -> dict[str, Any]:
        """Return the arguments of the action `save_bench`."""
        values = dict(self.cleaned_data)
        new_key, forget_key = values.pop("new_key"), values.pop("forget_key")
        return {"choices": BenchChoices(**values), "new_key": new_key, "forget_key": forget_key}
