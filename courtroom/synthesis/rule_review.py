"""Rules of a constitution that do nothing, over all benches in all circumstances of its table.

A rule has an effect on a bench if leaving it out changes the result there: score, second hearing,
dissent, or that a rule decides at all. Two rules can never both matter if they never fire on one
bench, or if one hides the other: wherever both fire, the other has no effect, but would have one
without it. Circumstances are those of BenchFlags that the constitution can tell apart, in every
combination: at most one judge is unsupported and at most one inventive, all evidence has one
confidence, and open guards all hold or all do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, product

from courtroom.models.judge_answer import PERSONAS, Persona
from courtroom.synthesis.evidence_weight import HIGH
from courtroom.synthesis.rules import (
    CitationCheck,
    Constitution,
    FactSupremacy,
    FunctionalityWeight,
    SecurityOverride,
)
from courtroom.synthesis.truth_table import (
    BENCHES,
    PLAIN_ARGUMENT,
    Bench,
    BenchFlags,
    TableCase,
    TruthRow,
    is_open,
)

# The order in which rules apply (apply_rules.py).
ORDER = (
    "citation_check",
    "fact_supremacy",
    "variance_re_evaluation",
    "functionality_weight",
    "weighted_average",
    "security_override",
    "dissent_requirement",
)
# Steps of the confidence of evidence (rubric/README.md), for guards on its mean.
CONFIDENCES = (1.0, 0.8, 0.6, 0.4)
Result = tuple[int | None, bool, bool, bool]
NOBODY: tuple[Persona | None, ...] = (None,)


@dataclass(frozen=True, slots=True)
class RulePair:
    """Two rules that never both matter, in the order in which they apply.

    `together` rows have both fire; where there are any, `hidden` are those that the other hides.
    """

    first: str
    second: str
    together: int
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UndecidedBenches:
    """Benches that no rule decides, and the first circumstances in which that is so.

    `reason` is `agreement`, `stand_in`, or the rule that leaves a bench to a person.
    """

    reason: str
    benches: tuple[Bench, ...]
    flags: BenchFlags


@dataclass(frozen=True, slots=True)
class RuleReview:
    """Rules that never fire, that fire without effect, pairs, and benches that no rule decides.

    `rows` is the number of rows that were examined: the benches in all circumstances that differ.
    """

    rows: int
    idle: tuple[str, ...]
    ineffective: tuple[str, ...]
    pairs: tuple[RulePair, ...]
    undecided: tuple[UndecidedBenches, ...]


def review_rules(constitution: Constitution) -> RuleReview:
    """Return the rules and benches to name. Raises RubricRefused as truth_table does."""
    kinds = sorted((rule.kind for rule in constitution.rules), key=ORDER.index)
    trials = tuple(_trials(constitution))
    idle = [kind for kind in kinds if not any(kind in trial.fired for trial in trials)]
    effective = [kind for kind in kinds if any(trial.has_effect(kind) for trial in trials)]

    return RuleReview(
        rows=len(trials),
        idle=tuple(idle),
        ineffective=tuple(kind for kind in kinds if kind not in {*idle, *effective}),
        pairs=tuple(_pairs(effective, trials)),
        undecided=tuple(_undecided(trials)),
    )


def circumstances(constitution: Constitution) -> tuple[BenchFlags, ...]:
    """Return the flags that the constitution can tell apart, in every combination."""
    override = constitution.find(SecurityOverride)
    functionality = constitution.find(FunctionalityWeight)
    has_guard = any(rule.when for rule in constitution.rules)
    reads_evidence = override is not None and override.trigger == "evidence"
    reads_criterion = functionality is not None and functionality.applies_to == "architecture"
    words = override.words[:1] if override and not reads_evidence else ()

    flags = (
        BenchFlags(*values)
        for values in product(
            (False, True) if reads_criterion or has_guard else (False,),
            (False, True) if reads_evidence else (False,),
            _confidences(constitution),
            (PLAIN_ARGUMENT, *words),
            _unsupported(constitution.find(FactSupremacy)),
            (None, *PERSONAS) if constitution.find(CitationCheck) else NOBODY,
            (True, False) if any(map(is_open, constitution.rules)) else (None,),
        )
    )
    # A flaw of less confidence is none.
    least = override.min_confidence if override else 0
    return tuple(f for f in flags if not f.security_evidence or f.confidence >= least)


def _confidences(constitution: Constitution) -> tuple[float, ...]:
    """Return a confidence for each way in which the comparisons of the rules can turn out."""
    override, facts = constitution.find(SecurityOverride), constitution.find(FactSupremacy)
    limits = set[float]()
    if facts is not None and facts.weak_below is not None:
        limits.add(facts.weak_below)
    if any("mean_confidence" in (rule.when or "") for rule in constitution.rules):
        limits.update(CONFIDENCES)
    if not limits:
        return (1.0,)
    if override is not None and override.trigger == "evidence":
        limits.add(override.min_confidence)
    # At a limit a comparison turns out as it does above it; 1 is above the highest.
    return tuple(sorted({0.0, 1.0, *sorted(limits)[:-1]}, reverse=True))


def _unsupported(rule: FactSupremacy | None) -> tuple[Persona | None, ...]:
    if rule is None or not rule.overrule_unsupported:
        return NOBODY
    return (None, "Defense") if rule.overruled == "defense" else (None, *PERSONAS)


@dataclass(frozen=True)
class _Trial:
    """Row of a table, with the effects of its rules, worked out when they are asked for."""

    case: TableCase
    settled: Constitution
    row: TruthRow
    _results: dict[frozenset[str], Result] = field(default_factory=dict)

    @cached_property
    def fired(self) -> frozenset[str]:
        """Kinds of the constitution's own rules that fire."""
        kinds = frozenset(rule.rule for rule in self.row.rules)
        return kinds - {"weighted_average"} if self.row.has_stand_in else kinds

    def has_effect(self, kind: str) -> bool:
        """Return whether the row would have another result without this rule."""
        return kind in self.fired and self._without(kind) != _result(self.row)

    def is_hidden(self, kind: str, by: str) -> bool:
        """Return whether the rule would have an effect if the other were left out."""
        return self._without(by) != self._without(by, kind)

    def _without(self, *kinds: str) -> Result:
        key = frozenset(kinds)
        if key not in self._results:
            rules = tuple(rule for rule in self.settled.rules if rule.kind not in key)
            other = self.settled.model_copy(update={"rules": rules})
            self._results[key] = _result(self.case.row(other, self.row.scores))
        return self._results[key]


def _trials(constitution: Constitution) -> Iterator[_Trial]:
    for flags in circumstances(constitution):
        case = TableCase(flags)
        settled = case.settled(constitution)
        for bench in BENCHES:
            if _is_distinct(bench, flags, constitution):
                yield _Trial(case, settled, case.row(settled, bench))


def _is_distinct(bench: Bench, flags: BenchFlags, constitution: Constitution) -> bool:
    """Return whether the lack of support of an opinion can change this row."""
    rule, judge = constitution.find(FactSupremacy), flags.unsupported
    if rule is None or judge is None:
        return True
    prosecutor, defense, _tech_lead = bench
    if rule.overruled == "defense":
        return defense > prosecutor
    return bench[PERSONAS.index(judge)] >= HIGH


def _result(row: TruthRow) -> Result:
    return row.score, row.is_reheard, row.has_dissent, row.has_stand_in


def _pairs(kinds: Sequence[str], trials: Sequence[_Trial]) -> Iterator[RulePair]:
    for first, second in combinations(kinds, 2):
        shared = [trial for trial in trials if trial.fired.issuperset((first, second))]
        hidden = tuple(
            kind
            for kind, by in ((first, second), (second, first))
            if not any(trial.has_effect(kind) for trial in shared)
            and any(trial.is_hidden(kind, by) for trial in shared)
        )
        if hidden or not shared:
            yield RulePair(first, second, len(shared), hidden)


def _undecided(trials: Sequence[_Trial]) -> Iterator[UndecidedBenches]:
    by_reason: dict[str, list[_Trial]] = {}
    for trial in trials:
        by_reason.setdefault(_why_undecided(trial.row), []).append(trial)
    for reason, rows in by_reason.items():
        if reason:
            benches = dict.fromkeys(trial.row.scores for trial in rows)
            yield UndecidedBenches(reason, tuple(benches), rows[0].case.flags)


def _why_undecided(row: TruthRow) -> str:
    if row.score is None:
        return row.set_by
    if row.has_stand_in:
        return "stand_in"
    return "" if row.set_by else "agreement"
