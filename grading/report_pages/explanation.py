"""How a criterion came to its score, in plain sentences: from its checks, scores and rules, and from no model."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grading.report_pages.criterion import CriterionView

RULES = {
    "security_override": "A security problem was confirmed, and that sets a ceiling, whatever else is good.",
    "fact_supremacy": "Facts overrule opinions: what the evidence does not bear out was cut back.",
    "functionality_weight": "This is about how it is built, so the Tech Lead decides.",
    "variance_re_evaluation": "The judges were so far apart that they were heard again.",
    "dissent_requirement": "The judges stayed apart, so what both sides say is written down under Dissent.",
    "weighted_average": "The score is the judges' average, each with the weight that the rules give them.",
}
MOST_GOALS = 3


def explained(view: CriterionView) -> tuple[str, ...]:
    """What was looked for, what each judge made of it, which rules decided, and what stands above it."""
    return tuple(
        filter(None, (_checks(view), _judges(view), *_rules(view), _by_hand(view), _above(view)))
    )


def _checks(view: CriterionView) -> str:
    checks = [check for check in view.checks if check.outcome]
    if not checks:
        return "The rubric ties this criterion to no checks: the judges had the general evidence."
    tally = Counter(check.outcome for check in checks)
    asked = f"{len(checks)} check{'' if len(checks) == 1 else 's'}"
    said = f"Of {asked}, {tally['met']} came out as asked and {tally['not met']} did not"
    open_ones = tally["not established"]
    return (
        f"{said}; {open_ones} could not be established, which counts neither for nor against you."
        if open_ones
        else f"{said}."
    )


def _judges(view: CriterionView) -> str:
    """Each judge's last word."""
    last = {argument.judge.id: argument for argument in view.arguments}
    said = [
        f"the {each.judge.name}, who {each.judge.seeks}, "
        + (f"gave {each.score}" if each.score else "gave no score")
        for each in last.values()
    ]
    return f"From that, {'; '.join(said)}." if said else ""


def _rules(view: CriterionView) -> list[str]:
    fired = dict.fromkeys(rule.rule for rule in view.record.rules)
    return [RULES[name] for name in fired if name in RULES]


def _by_hand(view: CriterionView) -> str:
    if view.counts["excluded"]:
        return "It was left out of the sum: the rules say when, and it lowers nothing."
    if view.counts["override_reason"]:
        return f"Then a person looked and gave {view.score}, with the reason above."
    if view.score is None:
        return "Too few judges could answer, so there is no score until a person has looked: this is not a low score."
    return f"So it stands at {view.score} of 5."


def _above(view: CriterionView) -> str:
    unmet = [check.goal for check in view.checks if check.outcome == "not met"]
    if not unmet:
        return ""
    more = f", and {len(unmet) - MOST_GOALS} more" if len(unmet) > MOST_GOALS else ""
    return f"What keeps it from more: {'; '.join(unmet[:MOST_GOALS])}{more}."
