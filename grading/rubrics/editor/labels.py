"""The words of the editor: what the fields of a rubric's JSON are called on the page, and what is asked in them."""

from __future__ import annotations

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
    "text_contains.any_of": "Any of these words",
    "file_exists.any_of": "Any of these paths",
    "python_class.any_of": "Class named",
    "python_class.base": "Inheriting from",
    "python_class.fields": "With the fields",
    "python_call.any_of": "Call of any of",
    "python_call.keyword": "With the argument",
    "python_import.any_of": "Import of any of",
    "reducer.any_of": "Any of these reducers",
    "unsafe_call.any_of": "Dangers looked for",
    "pdf_concept.use": "Used at least so far",
    "pdf_paths.maximum": "Unfounded at most",
    "pdf_paths.minimum": "Supported at least",
    "persona_overlap.words": "Words of its own",
    "feedback_log.share": "Share at least",
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
    "file_exists.any_of": "** crosses folders.",
    "text_contains.any_of": "Case does not matter; spaces at the ends do.",
    "feedback_log.share": "Of what is answered, fixed or relevant: between 0 and 1. Empty: all of it.",
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
    "eval_exec": "eval and exec",
    "os_system": "os.system",
    "shell_true": "shell=True",
    "sql_from_strings": "SQL made of strings",
    "tls_unverified": "TLS that is not verified",
    "committed_secret": "secrets that were committed",
    "generated": "there are reports on peers",
    "self": "there is a report on oneself",
    "received": "there are reports by peers",
    "exchanged": "feedback was given or received",
    "deferred": "work is put off with a reason",
    "answered": "findings that were received are answered",
    "fixed": "findings that were received are fixed",
    "relevant": "findings stated about peers are confirmed",
    "in_tempdir": "in a temporary directory",
}
# What there is no word for here is told in the words of its model.
KINDS = {
    "commit_history": (
        "History of commits",
        "How the work grew: number, pace, stages and messages of commits.",
    ),
    "file_exists": ("A file exists", "Some path of the repository matches."),
    "text_contains": (
        "A file says",
        "Some text file says any of the words; white space is taken as one space.",
    ),
    "python_class": (
        "A Python class",
        "A class of this name, inheriting also through the repository's own classes.",
    ),
    "python_call": ("A Python call", "A call of any of these dotted names, aliases resolved."),
    "python_import": ("A Python import", "A module is imported, under any alias."),
    "reducer": (
        "Reducers of the state",
        "The graph's state has reducers, of any name or of these (the last part of it).",
    ),
    "graph_topology": (
        "Shape of the graph",
        "What runs in parallel, where it joins, where errors lead.",
    ),
    "sandboxed_clone": (
        "Cloning in a sandbox",
        "How the work clones a repository that it does not trust.",
    ),
    "unsafe_call": (
        "Dangerous calls and secrets",
        "Finding one should count against the criterion. Calls are looked for outside tests, secrets in every text.",
    ),
    "structured_output": ("Structured output", "Whether a model's answers are bound to a schema."),
    "persona_overlap": (
        "Distinct personas",
        "Whether the prompts of the judges differ, and how much is each one's own.",
    ),
    "synthesis_rules": (
        "Rules of the verdict",
        "Whether the work's own verdict follows rules, and which.",
    ),
    "pdf_concept": (
        "A term in the report",
        "Substantive: the report explains how the architecture does it.",
    ),
    "pdf_paths": (
        "Claims of the report",
        "Whether the files and features that the report names are there.",
    ),
    "diagram": (
        "A diagram",
        "Whether there is one, shows what runs in parallel, and fits the code.",
    ),
    "code_pattern": (
        "A pattern of code",
        "An ast-grep pattern, in any language that ast-grep reads.",
    ),
    "feedback_log": (
        "Feedback on record",
        "Reports on peers, on oneself, by peers, and what became of their findings: in the repository or on the site.",
    ),
    "communication_log": (
        "Communication on record",
        "Entries in the log, of any kind or about one: in the repository or on the site.",
    ),
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
    """What the field is called on the page."""
    plain = field.replace("_", " ").capitalize()
    return LABELS.get(f"{model}.{field}") or LABELS.get(field) or plain


def help_of(model: str, field: str) -> str:
    """One line below the label, or nothing."""
    return HELP.get(f"{model}.{field}", HELP.get(field, ""))


def choice_of(value: str) -> str:
    """A value of an enumeration, in words."""
    return CHOICES.get(value, value.replace("_", " "))


def sentence_of(kind: str, message: str) -> str:
    """What is wrong, for somebody who has never heard of pydantic."""
    told = message.removeprefix("Value error, ").replace("Input should be", "This must be")
    sentence = FAULTS.get(kind, told[:1].upper() + told[1:])
    return sentence if sentence.endswith(".") else f"{sentence}."
