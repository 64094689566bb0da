"""The kind `synthesis_rules`: does the work's own verdict follow rules in code, and which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from courtroom.checks.from_facts import (
    Sentences,
    decided,
    flag,
    from_facts,
    from_stored_facts,
    unknown,
)
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.result import Finding
from courtroom.models.check import CheckBase

if TYPE_CHECKING:
    from courtroom.analysis.survey import Survey

DETERMINISTIC = (
    "The verdict is computed by deterministic code.",
    "The verdict is not computed by deterministic code.",
)
MARKDOWN = (
    "The verdict is written as a Markdown report.",
    "The verdict is not written as a Markdown report.",
)
RULES: dict[str, Sentences] = {
    "security_override": (
        "A rule caps the score where security evidence is confirmed.",
        "No rule caps the score where security evidence is confirmed.",
    ),
    "fact_supremacy": (
        "A rule lets facts overrule opinions.",
        "No rule lets facts overrule opinions.",
    ),
    "functionality_weight": (
        "A rule gives the Tech Lead the most weight.",
        "No rule gives the Tech Lead the most weight.",
    ),
    "dissent": ("The code explains dissent.", "The code does not explain dissent."),
    "variance_re_evaluation": (
        "A rule re-evaluates scores that lie far apart.",
        "No rule re-evaluates scores that lie far apart.",
    ),
}


BY_EVIDENCE = (
    "The cap for security reads evidence.",
    "No cap for security reads evidence: at most what judges say or score.",
)


class SynthesisRules(CheckBase):
    kind: Literal["synthesis_rules"] = "synthesis_rules"
    aspect: Literal[
        "deterministic",
        "security_override",
        "fact_supremacy",
        "functionality_weight",
        "dissent",
        "variance_re_evaluation",
        "markdown_report",
        "security_by_evidence",
    ]


def synthesis_rules(check: SynthesisRules, survey: Survey) -> Finding:
    """The rules of the verdict that are carried out in code."""
    if check.aspect == "deterministic":
        return flag("justice_deterministic", "justice", survey, DETERMINISTIC)
    if check.aspect == "markdown_report":
        return flag("markdown_report", "markdown_report", survey, MARKDOWN)
    if check.aspect == "security_by_evidence":
        ground = survey.facts.get("security_ground")
        locations = survey.fact_locations.get("security_override", ())
        return (
            unknown("security_ground", survey)
            if ground is None
            else decided("security_ground", ground == "evidence", locations, survey, BY_EVIDENCE)
        )
    rules = survey.facts.get("rules")
    if rules is None:
        return unknown("rules", survey)
    if rules[check.aspect] is None:
        return unknown(f"rules.{check.aspect}", survey)
    # A rule without lines of its own is shown by the function that decides.
    locations = survey.fact_locations.get(check.aspect) or survey.fact_locations.get("rules", ())
    return decided(check.aspect, rules[check.aspect], locations, survey, RULES[check.aspect])


def _fault(check: SynthesisRules) -> str:
    others = {
        "deterministic": DETERMINISTIC,
        "markdown_report": MARKDOWN,
        "security_by_evidence": BY_EVIDENCE,
    }
    return (RULES | others)[check.aspect][1]


KIND = CheckKind(
    model=SynthesisRules,
    detective="RepoInvestigator",
    detect=from_facts(synthesis_rules),
    replay=from_stored_facts(synthesis_rules),
    fault=_fault,
    label=Label(
        title="Rules of the verdict",
        about="Whether the work's own verdict follows rules, and which.",
    ),
    order=130,
)
