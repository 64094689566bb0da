"""Form of a table of decisions: circumstances of its benches, rules to compare with, filters."""

from __future__ import annotations

from collections.abc import Mapping

from django import forms

from grading.engine import rubrics as engine_rubrics
from grading.engine.rule_tables import AGREEMENT, STAND_IN, Circumstances, Judge
from grading.rubrics.editor import labels
from grading.rubrics.editor.parameter_fields import form_layout

# Before the names of all fields: the editor's own fields are in the same form.
PREFIX = "table"
NO_SCORE = "none"
JUDGES: dict[Judge, str] = {
    "Prosecutor": "Prosecutor",
    "Defense": "Defense",
    "TechLead": "Tech Lead",
}
ANY = ("", "any")
SCORES = [ANY, *((str(score), str(score)) for score in range(1, 6))]
# Words for what set a score where no rule of the draft did.
UNDECIDED = {
    AGREEMENT: "No rule: the judges agree",
    STAND_IN: "No rule: the usual average",
    "guard": "A person: a condition has no answer",
}
GUARDS = {"": None, "hold": True, "not": False}


def _judge_choices(nobody: str) -> list[tuple[str, str]]:
    return [("", nobody), *JUDGES.items()]


class TableForm(forms.Form):
    """Choices of a table; the first values hold for those that are not sent."""

    architecture = forms.BooleanField(label="Architecture criterion", required=False)
    security = forms.BooleanField(label="Confirmed security evidence", required=False)
    evidence_confidence = forms.TypedChoiceField(
        label="Confidence of the evidence",
        coerce=float,
        choices=[
            ("1.0", "1: read whole"),
            ("0.8", "0.8: searched in part"),
            ("0.6", "0.6: inferred"),
            ("0.4", "0.4: words alone"),
        ],
    )
    words = forms.CharField(
        label="Prosecutor's words",
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "placeholder": "none"}),
    )
    unsupported = forms.ChoiceField(
        label="Opinion without support", required=False, choices=_judge_choices("none")
    )
    inventive = forms.ChoiceField(
        label="Opinion with an invented citation", required=False, choices=_judge_choices("none")
    )
    guards = forms.ChoiceField(
        label="Conditions on facts",
        required=False,
        choices=[
            ("hold", "hold"),
            ("not", "do not hold"),
            ("", "have no answer: a person decides"),
        ],
    )
    against = forms.ChoiceField(label="Compare with", required=False)
    rows = forms.ChoiceField(
        label="Rows",
        required=False,
        choices=[
            ("", "all benches"),
            ("result", "only with another result"),
            ("rule", "only with another result or rule"),
        ],
    )
    rule = forms.ChoiceField(label="Decided by", required=False)
    score = forms.ChoiceField(
        label="Final score", required=False, choices=[*SCORES, (NO_SCORE, "a person decides")]
    )
    prosecutor = forms.ChoiceField(label="Prosecutor gives", required=False, choices=SCORES)
    defense = forms.ChoiceField(label="Defense gives", required=False, choices=SCORES)
    tech_lead = forms.ChoiceField(label="Tech Lead gives", required=False, choices=SCORES)

    def __init__(self, sent: Mapping[str, str], *, against: Mapping[str, str]) -> None:
        first = {"evidence_confidence": "1.0", "guards": "hold", "against": next(iter(against))}
        values = {f"{PREFIX}-{name}": value for name, value in first.items()}
        super().__init__({**values, **sent}, prefix=PREFIX, label_suffix="")
        self._set_choices("against", list(against.items()))
        self._set_choices("rule", [ANY, *rule_titles().items()])

    def _set_choices(self, name: str, choices: list[tuple[str, str]]) -> None:
        label = self.fields[name].label
        self.fields[name] = forms.ChoiceField(label=label, required=False, choices=choices)

    @property
    def circumstances(self) -> Circumstances:
        """Circumstances of a valid form."""
        values = self.cleaned_data
        return Circumstances(
            architecture=values["architecture"],
            security_evidence=values["security"],
            confidence=values["evidence_confidence"],
            prosecutor_argument=values["words"],
            unsupported=values["unsupported"] or None,
            inventive=values["inventive"] or None,
            open_guards=GUARDS[values["guards"]],
        )

    @property
    def benches(self) -> tuple[str, str, str]:
        """Chosen scores of Prosecutor, Defense and Tech Lead; empty for any."""
        values = self.cleaned_data
        return values["prosecutor"], values["defense"], values["tech_lead"]

    @property
    def flags(self) -> list[forms.BoundField]:
        """Fields of the circumstances."""
        names = (
            "architecture",
            "security",
            "evidence_confidence",
            "words",
            "unsupported",
            "inventive",
        )
        return [self[name] for name in (*names, "guards")]

    @property
    def filters(self) -> list[forms.BoundField]:
        """Fields that choose rows, after the rules to compare with."""
        names = ("against", "rows", "rule", "score", "prosecutor", "defense", "tech_lead")
        return [self[name] for name in names]


def rule_titles() -> dict[str, str]:
    """Return what can set a score, in words: each kind of rule, and the cases of no rule."""
    kinds = form_layout().rules
    return {kind: labels.kind_title(kind) for kind in kinds} | UNDECIDED


def flags_in_words(circumstances: Circumstances) -> str:
    """Return the circumstances as a phrase; those of a plain bench are not named."""
    judge = circumstances.unsupported
    inventor = circumstances.inventive
    parts = [
        "architecture criterion" if circumstances.architecture else "",
        "confirmed security evidence" if circumstances.security_evidence else "",
        f"evidence of confidence {circumstances.confidence:g}"
        if circumstances.confidence < 1
        else "",
        f"the Prosecutor writes “{circumstances.prosecutor_argument}”"
        if circumstances.prosecutor_argument
        else "",
        f"nothing supports the {JUDGES[judge]}'s opinion" if judge else "",
        f"the {JUDGES[inventor]} cites what was not shown" if inventor else "",
        "conditions on facts do not hold" if circumstances.open_guards is False else "",
    ]
    return ", ".join(filter(None, parts))


def preset_choices() -> dict[str, str]:
    """Return the shipped rules to compare with, by the value of their choice."""
    presets = engine_rubrics.preset_constitutions()
    return {f"preset:{name}": f"preset “{name}”" for name in presets}
