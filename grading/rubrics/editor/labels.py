"""The words of the editor: what the fields of a rubric's JSON are called on the page, and what is asked in them."""

from __future__ import annotations

from grading.engine import rubrics as engine_rubrics
from grading.engine.rubrics import CheckLabel

# Parts of a rubric that are neither a kind of check nor a kind of rule.
PARTS = {"", "rubric", "criterion", "logic", "level", "check", "rule", "constitution"}
# By the model and the field, else by the field alone; what is in neither is called by its own name.
LABELS = {
    "rubric.id": "Id of the rubric",
    "rubric.version": "Version, as its reports name it",
    "rubric.grading_target": "What is graded",
    "criterion.target_artifact": "Looked for in",
    "criterion.instruction": "Instruction",
    "criterion.success_pattern": "What success looks like",
    "criterion.failure_pattern": "What failure looks like",
    "criterion.weight": "Weight in the overall score",
    "criterion.max_points": "Points at most",
    "criterion.architecture": "A question of architecture: the Tech Lead's word weighs most",
    "criterion.exclude_when": "Left out of the sums when",
    "logic.prosecutor": "Prosecutor",
    "logic.defense": "Defense",
    "logic.tech_lead": "Tech Lead",
    "constitution.id": "Name of these rules",
    "constitution.quorum": "Judges that must answer",
    "constitution.min_evidence": "Pieces of evidence needed for a verdict",
    "security_override.cap": "Security evidence caps at",
    "security_override.min_confidence": "…if its confidence is at least",
    "security_override.prosecutor_at_most": "…and the Prosecutor gives at most",
    "security_override.trigger": "Triggered by",
    "fact_supremacy.overrule_unsupported": "Overrule what its citations do not support",
    "fact_supremacy.weak_below": "Evidence is weak below a mean confidence of",
    "fact_supremacy.weak_cap": "Weak evidence caps at",
    "functionality_weight.applies_to": "Applies to",
    "variance_re_evaluation.spread_above": "Heard again when the spread is above",
    "variance_re_evaluation.max_rounds": "Rounds of hearing again",
    "variance_re_evaluation.then": "Then decided by",
    "dissent_requirement.spread_from": "Dissent is explained from a spread of",
    "weighted_average.prosecutor": "Weight of the Prosecutor",
    "weighted_average.defense": "Weight of the Defense",
    "weighted_average.tech_lead": "Weight of the Tech Lead",
    "weighted_average.rounding": "Rounding",
    "weighted_average.on_unanimity": "Named also when all judges agree",
    "polarity": "Finding it",
    "essential": "Essential: without it, no judge of substance goes above 3",
    "effort": "Shows effort, which the Defense credits",
    "when": "Only when (CEL)",
    "goal": "Goal",
    "id": "Id",
    "any_of": "Any of",
    "aspect": "What is asked",
    "minimum": "At least",
    "maximum": "At most",
    "paths": "In files",
    "pattern": "Pattern",
    "advice": "Advice when it is not met",
    "snippet": "Example code",
    "schemas": "Schemas",
    "tags": "Tags",
}
HELP = {
    "rubric.id": "Stands in every report. Small letters and _ read best.",
    "criterion.id": "Opinions and findings are kept under it; left empty it is made from the name.",
    "criterion.max_points": "Empty: the criterion has a score, but no points.",
    "criterion.target_artifact": "github_repo, pdf_report or pdf_images.",
    "fact_supremacy.weak_below": "Empty: switched off.",
    "check.id": "Left empty it is made from the criterion and the kind.",
    "paths": "** crosses folders.",
    "tags": "Evidence tagged security makes the security rule work.",
    "any_of": "",
    "when": "Empty: always. For example: spread >= 2 && criterion.architecture",
}
CHOICES = {
    "positive": "counts for the criterion",
    "negative": "counts against the criterion",
    "half_up": "2.5 becomes 3",
    "half_even": "2.5 becomes 2, as Python rounds",
    "no_exchange": "no feedback was exchanged",
    "architecture": "criteria of architecture",
    "every_criterion": "every criterion",
    "evidence": "confirmed evidence tagged security",
    "argument": "the Prosecutor's words (only to reproduce systems that did so)",
    "tech_lead": "the Tech Lead",
    "average": "the weighted average",
}
# Rules of a constitution by kind: title and description. Checks bring their own (`_check_label`).
RULES = {
    "security_override": (
        "Security override",
        "Confirmed security evidence caps a criterion's score.",
    ),
    "fact_supremacy": (
        "Facts overrule opinions",
        "What its citations do not support is overruled; weak evidence caps.",
    ),
    "functionality_weight": (
        "The Tech Lead decides",
        "The Tech Lead's score stands where this applies.",
    ),
    "variance_re_evaluation": (
        "Hearing again",
        "A spread (highest minus lowest score) above the limit goes back to the judges, and is then decided.",
    ),
    "dissent_requirement": (
        "Dissent",
        "A wide spread is explained in the report, quoting both sides' evidence.",
    ),
    "weighted_average": ("Weighted average", "The score when no other rule decides."),
}
PRESETS = {
    "default": "every rule; a spread above 2 is heard again",
    "weighted-average": "(P + D + 2T) / 4, Python's rounding",
    "overrides": "a wide spread goes back to the judges, then all rules again",
    "opinions-only": "evidence is never read",
    "points-based": "no second hearing; for rubrics of levels and points",
    "governance": "three judges and five pieces of evidence, or a person decides",
}
FAULTS = {
    "missing": "This is needed.",
    "string_too_short": "This is needed.",
    "too_short": "At least one is needed.",
    "int_parsing": "This must be a whole number.",
    "int_from_float": "This must be a whole number.",
    "float_parsing": "This must be a number.",
    "finite_number": "This must be a number.",
    "float_type": "This must be a number.",
    "int_type": "This must be a whole number.",
    "string_type": "This must be a text.",
    "string_unicode": "A character of it cannot be used.",
    "model_type": "This must be an object.",
    "model_attributes_type": "This must be an object.",
    "tuple_type": "This must be a list.",
    "extra_forbidden": "A rubric has no such field here.",
    "string_pattern_mismatch": "Only small letters, digits, dots, hyphens and underscores.",
    "union_tag_invalid": "Choose what kind of check this is.",
    "union_tag_not_found": "Choose what kind of check this is.",
    "ids_not_unique": "This id is used twice.",
}


def label_of(model: str, field: str) -> str:
    """The name of the field on the page."""
    check = _check_label(model)
    return (
        (check.fields.get(field) if check else None)
        or LABELS.get(f"{model}.{field}")
        or LABELS.get(field)
        or field.replace("_", " ").capitalize()
    )


def help_of(model: str, field: str) -> str:
    """One line below the label, or nothing."""
    check = _check_label(model)
    if check and field in check.help:
        return check.help[field]
    return HELP.get(f"{model}.{field}", HELP.get(field, ""))


def choice_of(value: str) -> str:
    """A value of an enumeration, in words."""
    return named_choice(value) or value.replace("_", " ")


def named_choice(value: str) -> str | None:
    """The words for a value; null when it has none of its own."""
    if value in CHOICES:
        return CHOICES[value]
    labels = engine_rubrics.check_labels().values()
    return next((label.choices[value] for label in labels if value in label.choices), None)


def kind_title(kind: str) -> str:
    """The name of a kind of check or rule; a kind without one keeps its id."""
    check = _check_label(kind)
    return check.title if check else RULES.get(kind, (kind, ""))[0]


def kind_about(kind: str) -> str:
    """One line on a kind of check or rule, or nothing."""
    check = _check_label(kind)
    return check.about if check else RULES.get(kind, ("", ""))[1]


def keeps_spaces(kind: str, field: str) -> bool:
    """A list in whose lines the spaces at the ends count."""
    check = _check_label(kind)
    return check is not None and field in check.exact


def _check_label(kind: str) -> CheckLabel | None:
    """Null for all that is no check, without loading the courtroom for it."""
    if kind in RULES or kind in PARTS:
        return None
    return engine_rubrics.check_labels().get(kind)


def error_sentence(kind: str, message: str) -> str:
    """What is wrong, for somebody who has never heard of pydantic."""
    told = message.removeprefix("Value error, ").replace("Input should be", "This must be")
    sentence = FAULTS.get(kind, told[:1].upper() + told[1:])
    return sentence if sentence.endswith(".") else f"{sentence}."
