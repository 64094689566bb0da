"""Labels, help texts and error sentences of the editor's fields."""

from __future__ import annotations

from grading.engine import rubrics as engine_rubrics
from grading.engine.rubrics import CheckLabel
from grading.rubrics.editor import check_words

# Parts of a rubric that are neither a kind of check nor a kind of rule.
PARTS = {"", "rubric", "criterion", "logic", "level", "check", "rule", "constitution"}
# By model and field, else by field; a field without an entry is labelled with its own name.
LABELS = {
    "rubric.id": "Rubric ID",
    "rubric.version": "Version text in files and JSON reports",
    "rubric.grading_target": "Graded work",
    "criterion.target_artifact": "Artifact",
    "criterion.instruction": "Instruction",
    "criterion.success_pattern": "Success pattern",
    "criterion.failure_pattern": "Failure pattern",
    "criterion.weight": "Weight in the overall score",
    "criterion.max_points": "Maximum points",
    "criterion.architecture": "Architecture criterion: the Tech Lead's score counts most",
    "criterion.exclude_when": "Excluded from totals when",
    "logic.prosecutor": "Prosecutor",
    "logic.defense": "Defense",
    "logic.tech_lead": "Tech Lead",
    "constitution.id": "Name of these rules",
    "constitution.quorum": "Judges required",
    "constitution.min_evidence": "Evidence required for a verdict",
    "constitution.min_evidence_confidence": "…found with a confidence of at least",
    "constitution.needs_every_detective": "No score if a detective failed",
    "security_override.cap": "Security evidence caps the score at",
    "security_override.min_confidence": "…if its confidence is at least",
    "security_override.prosecutor_at_most": "…and the Prosecutor gives at most",
    "security_override.trigger": "Triggered by",
    "security_override.words": "…by one of these words",
    "fact_supremacy.overruled": "…of which judges",
    "fact_supremacy.overrule_unsupported": "Overrule opinions that their citations do not support",
    "fact_supremacy.weak_below": "Evidence is weak below a mean confidence of",
    "fact_supremacy.weak_cap": "Weak evidence caps the score at",
    "functionality_weight.applies_to": "Applies to",
    "variance_re_evaluation.spread_above": "Rehear when the spread is above",
    "variance_re_evaluation.max_rounds": "Maximum rehearing rounds",
    "variance_re_evaluation.then": "Then decided by",
    "dissent_requirement.spread_from": "Explain dissent from a spread of",
    "weighted_average.prosecutor": "Weight of the Prosecutor",
    "weighted_average.defense": "Weight of the Defense",
    "weighted_average.tech_lead": "Weight of the Tech Lead",
    "weighted_average.rounding": "Rounding",
    "weighted_average.on_unanimity": "Also applies when all judges agree",
    "polarity": "A match",
    "essential": "Essential: if not met, the Prosecutor and Tech Lead score at most 3",
    "effort": "Shows effort, which the Defense credits",
    "concern": "Concern",
    "when": "Only when (CEL)",
    "goal": "Goal",
    "fault": "Fault if not met",
    "id": "ID",
    "any_of": "Any of",
    "aspect": "Aspect",
    "minimum": "At least",
    "maximum": "At most",
    "paths": "Files",
    "pattern": "Pattern",
    "advice": "Advice if not met",
    "snippet": "Example code",
    "schemas": "Schemas",
    "tags": "Tags",
}
HELP = {
    "rubric.id": "Named in every report. Use lowercase letters and _.",
    "criterion.id": "Opinions and findings refer to it. Leave blank to make it from the name.",
    "criterion.max_points": "Leave blank for a criterion with a score but no points.",
    "criterion.target_artifact": "github_repo, pdf_report or pdf_images.",
    "fact_supremacy.weak_below": "Leave blank to switch this off.",
    "check.id": "Leave blank to make it from the criterion and the kind.",
    "paths": "** matches across folders.",
    "tags": "Evidence tagged security triggers the security rule.",
    "concern": (
        "Without a model, Prosecutor and Defense weigh theirs twice. By its kind: what counts against the"
        " criterion, clones and claims are risks, history and exchange are effort, the rest function."
    ),
    "goal": "A sentence. Reports print it where the check is met: “There is a README”.",
    "fault": (
        "A sentence that is true whenever the check is not met: “There is no README”. Reports print it with"
        " the fact found. Leave blank for one made from the kind and its fields."
    ),
    "when": "Leave blank for always. Example: spread >= 2 && criterion.architecture",
}
CHOICES = {
    "positive": "counts for the criterion",
    "negative": "counts against the criterion",
    "half_up": "2.5 becomes 3",
    "half_even": "2.5 becomes 2, as Python rounds",
    "no_exchange": "no report by a peer was received",
    "architecture": "architecture criteria",
    "every_criterion": "every criterion",
    "evidence": "confirmed evidence tagged security",
    "argument": "the Prosecutor's argument (to reproduce an older system)",
    "tech_lead": "the Tech Lead",
    "every_judge": "every judge: the score moves to the nearest supported one",
    "defense": "a Defense above the Prosecutor: the higher score of the others decides",
    "risk": "risk, which the Prosecutor looks for",
    "effort": "effort, which the Defense looks for",
    "function": "function, which the Tech Lead looks for",
    "average": "the weighted average",
}
# Words of the empty choice, by field.
NO_CHOICE = {"exclude_when": "Never", "concern": "By its kind"}
# Rules of a constitution by kind: title and description. Checks bring their own (`_check_label`).
RULES = {
    "security_override": (
        "Security override",
        "Confirmed security evidence caps a criterion's score.",
    ),
    "fact_supremacy": (
        "Facts overrule opinions",
        "Opinions without supporting citations are overruled; weak evidence caps the score.",
    ),
    "citation_check": (
        "Citations must hold",
        "An opinion that cites what its judge was not shown is set aside.",
    ),
    "functionality_weight": (
        "The Tech Lead decides",
        "The Tech Lead's score is final where this applies.",
    ),
    "variance_re_evaluation": (
        "Rehearing",
        "A criterion is reheard when its scores differ by more than the limit.",
    ),
    "dissent_requirement": (
        "Dissent",
        "The report explains a wide spread with each judge's argument and evidence.",
    ),
    "weighted_average": ("Weighted average", "The score when no other rule decides."),
}
PRESETS = {
    "default": "every rule; a spread above 2 is reheard",
    "weighted-average": "(P + D + 2T) / 4, with Python's rounding",
    "overrides": "a wide spread goes back to the judges, then all rules apply again",
    "opinions-only": "evidence is not used; the Prosecutor's words can cap a score",
    "points-based": "no rehearing; for rubrics with levels and points",
    "governance": "three judges, every detective and five pieces of evidence, or needs review",
}
FAULTS = {
    "missing": "This field is required.",
    "string_too_short": "This field is required.",
    "too_short": "Add at least one.",
    "int_parsing": "This must be a whole number.",
    "int_from_float": "This must be a whole number.",
    "float_parsing": "This must be a number.",
    "finite_number": "This must be a number.",
    "float_type": "This must be a number.",
    "int_type": "This must be a whole number.",
    "string_type": "This must be text.",
    "string_unicode": "It has a character that cannot be used.",
    "model_type": "This must be an object.",
    "model_attributes_type": "This must be an object.",
    "tuple_type": "This must be a list.",
    "extra_forbidden": "A rubric has no field with this name here.",
    "string_pattern_mismatch": "Use only lowercase letters, digits, dots, hyphens and underscores.",
    "union_tag_invalid": "Choose a kind of check.",
    "union_tag_not_found": "Choose a kind of check.",
    "ids_not_unique": "This ID is used twice.",
}


def label_of(model: str, field: str) -> str:
    """Return the label of a field of a model: a part of the rubric, or a kind of check or rule."""
    check = _check_label(model)
    return (
        (check.fields.get(field) if check else None)
        or LABELS.get(f"{model}.{field}")
        or LABELS.get(field)
        or field.replace("_", " ").capitalize()
    )


def help_of(model: str, field: str) -> str:
    """Return the line below the label; empty for none."""
    check = _check_label(model)
    if check and field in check.help:
        return check.help[field]
    words = HELP | check_words.HELP if check else HELP
    return words.get(f"{model}.{field}", words.get(field, ""))


def choice_of(value: str, model: str = "") -> str:
    """Return a value of an enumeration of a model in words."""
    words = check_words.CHOICES.get(f"{model}.{value}") or named_choice(value)
    return words or value.replace("_", " ")


def named_choice(value: str) -> str | None:
    """Return the words for a value, or None when it has none."""
    if value in CHOICES:
        return CHOICES[value]
    labels = engine_rubrics.check_labels().values()
    return next((label.choices[value] for label in labels if value in label.choices), None)


def kind_title(kind: str) -> str:
    """Return the name of a kind of check or rule; a kind without a name keeps its id."""
    check = _check_label(kind)
    return check.title if check else RULES.get(kind, (kind, ""))[0]


def kind_about(kind: str) -> str:
    """Return one line about a kind of check or rule; empty for none."""
    check = _check_label(kind)
    return check.about if check else RULES.get(kind, ("", ""))[1]


def keeps_spaces(kind: str, field: str) -> bool:
    """Tell if spaces at the ends of the list's lines are part of the value."""
    check = _check_label(kind)
    return check is not None and field in check.exact


def _check_label(kind: str) -> CheckLabel | None:
    """Return the label of a kind of check, or None for anything else."""
    # Answered without the registry, so that the page of a rule does not load the courtroom.
    if kind in RULES or kind in PARTS:
        return None
    return engine_rubrics.check_labels().get(kind)


def error_sentence(kind: str, message: str) -> str:
    """Return the sentence for a fault, in words that do not come from pydantic."""
    text = message.removeprefix("Value error, ").replace("Input should be", "This must be")
    sentence = FAULTS.get(kind, text[:1].upper() + text[1:])
    return sentence if sentence.endswith(".") else f"{sentence}."
