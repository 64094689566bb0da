"""Agreement of reports with hand-made labels.

Accuracy of scalar facts, F1 of sets, kappa of scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

Facts = Mapping[str, Any]
RULES = (
    "security_override",
    "fact_supremacy",
    "functionality_weight",
    "dissent",
    "variance_re_evaluation",
)
TERMS = ("Dialectical Synthesis", "Fan-In / Fan-Out", "Metacognition", "State Synchronization")
FLAGS = (
    "bulk_upload",
    "detectives_parallel",
    "judges_parallel",
    "fan_in_before_judges",
    "fan_in_before_justice",
    "conditional_error_route",
    "clone_in_tempdir",
    "clone_timeout",
    "clone_errors_handled",
    "url_validated",
    "structured_output_retry",
    "persona_prompts_distinct",
    "justice_deterministic",
    "markdown_report",
)
CALLS = ("os_system_calls", "shell_true_calls", "eval_exec_calls", "structured_output_calls")
# Scores of a criterion.
LOWEST, HIGHEST = 1, 5
# Names of LangGraph's terminals in labels.
_TERMINALS = {"__start__": "START", "__end__": "END"}


@dataclass(frozen=True, slots=True)
class Overlap:
    """Numbers of members that label and report share, and that only one of them has."""

    common: int
    extra: int
    missed: int

    @property
    def f1(self) -> float:
        """F1; 1 when both sets are empty."""
        total = 2 * self.common + self.extra + self.missed
        return 2 * self.common / total if total else 1.0

    def __add__(self, other: Overlap) -> Overlap:
        return Overlap(
            self.common + other.common, self.extra + other.extra, self.missed + other.missed
        )


def overlap(label: frozenset[Any], report: frozenset[Any]) -> Overlap:
    return Overlap(len(label & report), len(report - label), len(label - report))


def scalars(facts: Facts) -> dict[str, Any]:
    """Return every fact of one value, by a flat name; None for a fact that was not established."""
    state, clone = facts.get("state_class") or {}, facts.get("clone_function") or {}
    rules, terms = facts.get("rules") or {}, facts.get("pdf_terms") or {}
    return {
        **{name: facts.get(name) for name in ("commit_count", *FLAGS, "pdf_diagram")},
        **{f"state_class.{key}": state.get(key) for key in ("name", "path", "kind")},
        "clone_function.name": clone.get("name"),
        **{f"rules.{rule}": rules.get(rule) for rule in RULES},
        **{f"pdf_terms.{term}": terms.get(term) for term in TERMS},
    }


def sets(facts: Facts) -> dict[str, frozenset[Any]]:
    """Return every fact that is a set. Calls count by place, reducers by field and last word."""
    graph = facts.get("graph") or {}
    return {
        "graph.nodes": frozenset(map(_node, graph.get("nodes") or ())),
        "graph.edges": frozenset((_node(a), _node(b)) for a, b in graph.get("edges") or ()),
        "graph.conditional": frozenset(_branches(graph.get("conditional") or ())),
        "reducers": frozenset(
            (item["field"], item["reducer"].split(".")[-1]) for item in facts.get("reducers") or ()
        ),
        "pydantic_models": frozenset(facts.get("pydantic_models") or ()),
        **{
            name: frozenset((c["path"], c.get("line")) for c in facts.get(name) or ())
            for name in CALLS
        },
        "personas": frozenset(
            item["persona"].lower().replace(" ", "").replace("_", "")
            for item in facts.get("persona_prompts") or ()
        ),
        **{
            name: frozenset(facts.get(name) or ())
            for name in ("pdf_claimed_paths", "pdf_hallucinated_paths")
        },
    }


def _node(name: str) -> str:
    return _TERMINALS.get(name, name)


def _branches(conditional: Iterable[Mapping[str, Any]]) -> Iterable[tuple[str, str]]:
    for route in conditional:
        for target in route["to"]:
            yield _node(route["from"]), _node(target)


def f1_of(name: str, overlaps: Sequence[Overlap]) -> float:
    """Return the F1 of a fact over all repositories.

    For graphs it is the mean of the F1 of each repository, so that one large graph does not
    outweigh ten. For others the members are pooled.
    """
    if name.startswith("graph."):
        return fmean(item.f1 for item in overlaps)
    return sum(overlaps, Overlap(0, 0, 0)).f1


def weighted_kappa(pairs: Sequence[tuple[int, int]]) -> float:
    """Return Cohen's kappa on 1..5 with quadratic weights.

    It is nan when chance leaves no room for disagreement.
    """
    left, right = Counter(label for label, _ in pairs), Counter(report for _, report in pairs)
    grades = range(LOWEST, HIGHEST + 1)
    # Disagreement that two independent raters with these grades would have.
    by_chance = sum(left[i] * right[j] * (i - j) ** 2 for i in grades for j in grades) / max(
        1, len(pairs)
    )
    observed = sum((label - report) ** 2 for label, report in pairs)
    return 1 - observed / by_chance if by_chance else float("nan")


def agreement_of(pairs: Sequence[tuple[int, int]]) -> str:
    """Return kappa, mean error and shares of close scores, of pairs of label and report."""
    errors = [abs(label - report) for label, report in pairs] or [0]
    exact, close = fmean(e == 0 for e in errors), fmean(e <= 1 for e in errors)
    return (
        f"kappa {weighted_kappa(pairs):.3f} MAE {fmean(errors):.2f} exact {exact:.2f}"
        f" within-1 {close:.2f} n {len(pairs)}"
    )


def print_criteria(rows: Sequence[tuple[str, str, int, int]]) -> None:
    """Print mean error and bias of each criterion, of rows (work, criterion, label, report)."""
    for criterion in dict.fromkeys(criterion for _, criterion, _, _ in rows):
        gaps = [report - label for _, own, label, report in rows if own == criterion]
        print(f"{criterion:34} MAE {fmean(map(abs, gaps)):.2f} bias {fmean(gaps):+.2f}")
