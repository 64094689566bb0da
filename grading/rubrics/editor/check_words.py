"""Words of the editor for kinds of check, beside those that a kind brings itself.

They are groups of kinds, the meaning of parameters, and values of a kind's choices.
"""

from __future__ import annotations

# By what a check looks at. A kind that is not listed stands in the last group.
GROUPS: dict[str, tuple[str, ...]] = {
    "Files and code": (
        "file_exists",
        "text_contains",
        "code_pattern",
        "python_class",
        "python_call",
        "python_import",
        "pinned_dependencies",
        "failing_code",
    ),
    "Safety": ("unsafe_call", "sandboxed_clone"),
    "History": ("commit_history",),
    "The graph and its state": ("graph_topology", "graph_run", "state_flow", "reducer"),
    "Judges and verdict": (
        "structured_output",
        "persona_overlap",
        "synthesis_rules",
        "own_outputs",
    ),
    "The report (PDF)": ("pdf_concept", "pdf_paths", "diagram"),
    "Exchange with peers": ("feedback_log", "communication_log"),
}
OTHER = "Other"
HELP = {
    "weight": "Its share within the criterion.",
    "polarity": "Against the criterion: the check is met where there is no match.",
    "advice": "The change that the report suggests. Blank: the kind may say it itself.",
    "snippet": "Code that shows the change, below the advice.",
    "aspect": "What must be so for the check to be met.",
    "commit_history.minimum": (
        "Commits, stages or days, by the aspect. Bulk uploads and messages need no number."
    ),
    "python_class.any_of": "One name is enough. Blank: a class of any name.",
    "python_class.base": "One of these classes, directly or through another class.",
    "python_class.fields": "All of them must be there; of argument|rationale either.",
    "python_call.any_of": "Dotted names such as subprocess.run; aliases are resolved.",
    "python_call.keyword": "The name of an argument, such as timeout. Blank: any call.",
    "python_import.any_of": "Names of modules, such as langgraph.graph.",
    "reducer.any_of": "The last part of a name: add for operator.add. Blank: any reducer.",
    "reducer.minimum": "Number of keys of the state with such a reducer.",
    "failing_code.part": "Not established where the work has no function in this part.",
    "failing_code.every_run": "Only lines that every run of a node of the graph comes to count.",
    "graph_run.faults": "One of the ticked faults is enough for “not met”.",
    "state_flow.faults": "One of the ticked faults is enough for “not met”.",
    "unsafe_call.any_of": "One of the ticked dangers is a match.",
    "structured_output.schemas": "For “a given schema”: names of classes, one is enough.",
    "structured_output.fields": "For “a given schema”: or one with all of these fields.",
    "persona_overlap.minimum": "Number of judges with a prompt.",
    "persona_overlap.words": "For “has words of its own”: how many a judge needs.",
    "pdf_concept.term": "The term as the report may write it, such as fan-in.",
    "pdf_concept.use": "“Explained” asks for how the architecture does it, not the term alone.",
    "pdf_paths.maximum": "How many names may be wrong, where the aspect forbids wrong ones.",
    "pdf_paths.share": "The part of the claims that may be wrong, between 0 and 1, in place of a number.",
    "pdf_paths.minimum": "How many claims must be borne out, where the aspect asks for that.",
    "code_pattern.language": "As ast-grep names it: python, javascript, go, java, …",
    "code_pattern.pattern": "Code with $NAME for any part, such as print($A).",
    "communication_log.about": "What the entries that count are about.",
    "communication_log.minimum": "Number of dated entries.",
}
# By kind and value.
CHOICES = {
    "commit_history.more_than": "more commits than the number",
    "commit_history.not_bulk": "no bulk upload",
    "commit_history.progression": "the stages of the work, one after another",
    "commit_history.messages": "messages that tell the changes apart",
    "commit_history.spread_over_time": "spread over days",
    "text_contains.Prosecutor": "the Prosecutor",
    "text_contains.Defense": "the Defense",
    "text_contains.TechLead": "the Tech Lead",
    "graph_topology.exists": "the code builds a graph",
    "graph_topology.detectives_parallel": "detectives run in parallel",
    "graph_topology.judges_parallel": "judges run in parallel",
    "graph_topology.fan_in_before_judges": "branches join before the judges",
    "graph_topology.fan_in_before_justice": "branches join before the Chief Justice",
    "graph_topology.conditional_error_route": "a conditional route for errors",
    "failing_code.graph": "the graph and its nodes",
    "failing_code.judges": "the judges",
    "failing_code.justice": "the Chief Justice",
    "sandboxed_clone.exists": "a function clones repositories",
    "sandboxed_clone.timeout": "with a time limit",
    "sandboxed_clone.errors_handled": "its errors are handled",
    "sandboxed_clone.url_validated": "the address is checked first",
    "unsafe_call.unsafe_deserialisation": "unsafe deserialisation (pickle and the like)",
    "unsafe_call.path_traversal": "paths that may lead out of a folder",
    "structured_output.called": "an answer is bound to a schema",
    "structured_output.schema": "an answer is bound to a given schema",
    "structured_output.retry": "an answer that does not fit is requested again",
    "structured_output.at_once": "no score is written before an answer is requested again",
    "structured_output.handled": "a request that fails is repeated or left out",
    "persona_overlap.exist": "the judges have prompts",
    "persona_overlap.distinct": "the prompts differ: half of the text or less is shared",
    "persona_overlap.told": "each prompt has words of its own",
    "synthesis_rules.deterministic": "decided by code, not by a model",
    "synthesis_rules.security_override": "security evidence caps the score",
    "synthesis_rules.fact_supremacy": "facts overrule opinions",
    "synthesis_rules.functionality_weight": "the Tech Lead's score counts most",
    "synthesis_rules.dissent": "a dissent is written",
    "synthesis_rules.dissent_reasons": "the dissent gives what the judges argue",
    "synthesis_rules.remediation": "the remediation rests on arguments or evidence",
    "synthesis_rules.variance_re_evaluation": "a wide spread gets a second look",
    "synthesis_rules.markdown_report": "the verdict is written as Markdown",
    "synthesis_rules.security_by_evidence": "the cap for security reads evidence",
    "pdf_concept.substantive": "explained",
    "pdf_concept.mentioned": "mentioned",
    "pdf_concept.absent": "absent is enough",
    "pdf_paths.claims_any": "it names files of the repository",
    "pdf_paths.none_hallucinated": "the files that it names exist",
    "pdf_paths.claims_hold": "what it says of the code is not contradicted",
    "pdf_paths.claims_supported": "enough of what it says is borne out",
    "pdf_paths.names_exist": "the functions, classes and fields that it names exist",
    "diagram.present": "there is a diagram",
    "diagram.parallel": "it shows parallel branches",
    "diagram.similar": "one of its parallel splits has as many branches as in the code",
    "diagram.accurate": "it matches the graph of the code",
}


def group_of(kind: str) -> str:
    """Return the group in which a kind of check is listed."""
    return next((group for group, kinds in GROUPS.items() if kind in kinds), OTHER)
