"""Decisions of rules on every bench of three scores, and a review of the rules over all of them.

Importing this module is cheap. The courtroom's modules that its functions import are light: no
langgraph and no model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from grading.core.errors import InputRefused
from grading.engine.rubrics import RubricFault, rubric_faults

if TYPE_CHECKING:
    from courtroom.synthesis.truth_table import BenchFlags, TruthRow

Judge = Literal["Prosecutor", "Defense", "TechLead"]
# Reasons for which no rule decides a bench, beside the rule that leaves it to a person.
AGREEMENT, STAND_IN = "agreement", "stand_in"
# Of processor time, for the guards of one table or review.
GUARD_SECONDS = 2.0
KEPT = 64


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Circumstances of all benches of a table (courtroom.synthesis.truth_table.BenchFlags)."""

    architecture: bool = False
    security_evidence: bool = False
    confidence: float = 1.0
    prosecutor_argument: str = ""
    unsupported: Judge | None = None
    inventive: Judge | None = None
    open_guards: bool | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Decision on one bench: scores of Prosecutor, Defense and Tech Lead, and the final one.

    `score` is None where a person decides. `rule` set it: a kind of rule, AGREEMENT or STAND_IN.
    `fired` are all kinds of rules that fired.
    """

    bench: tuple[int, int, int]
    score: int | None
    rule: str
    fired: tuple[str, ...]
    is_reheard: bool
    has_dissent: bool

    @property
    def result(self) -> tuple[int | None, bool, bool]:
        return self.score, self.is_reheard, self.has_dissent


@dataclass(frozen=True, slots=True)
class RulePair:
    """Two kinds of rules that never both matter.

    `together` rows have both fire; `hidden` are those without an effect beside the other.
    """

    first: str
    second: str
    together: int
    hidden: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UndecidedBenches:
    """Benches that no rule decides, for one reason, and the first circumstances of it."""

    reason: str
    benches: tuple[tuple[int, int, int], ...]
    circumstances: Circumstances


@dataclass(frozen=True, slots=True)
class RuleReview:
    """Kinds of rules to name, and benches, over `rows` rows (courtroom.synthesis.rule_review)."""

    rows: int
    idle: tuple[str, ...]
    ineffective: tuple[str, ...]
    pairs: tuple[RulePair, ...]
    undecided: tuple[UndecidedBenches, ...]


def rules_faults(constitution: Any) -> tuple[RubricFault, ...]:
    """Return the faults of a constitution's JSON, or of a preset's name; none when it is valid."""
    return rubric_faults(_rubric_with(constitution))


def has_open_guards(constitution: Any) -> bool:
    """Return whether a rule has a guard on what no table knows, such as facts of a submission."""
    from courtroom.synthesis.truth_table import is_open

    return any(map(is_open, _constitution(_key(constitution)).rules))


def decision_table(constitution: Any, circumstances: Circumstances) -> tuple[Decision, ...]:
    """Return the decisions of valid rules on all 125 benches.

    Raises InputRefused for guards that take too long.
    """
    return _decisions(_key(constitution), circumstances)


def rule_review(constitution: Any) -> RuleReview:
    """Return the review of valid rules. Raises InputRefused for guards that take too long."""
    return _review(_key(constitution))


@lru_cache(maxsize=KEPT)
def _decisions(key: str, circumstances: Circumstances) -> tuple[Decision, ...]:
    from courtroom.synthesis.truth_table import BenchFlags, truth_table

    # Without words of its own, the Prosecutor's argument is the table's plain one.
    flags = {name: value for name, value in asdict(circumstances).items() if value != ""}
    with _guards_limited():
        rows = truth_table(_constitution(key), BenchFlags(**flags))
    return tuple(
        Decision(
            bench=row.scores,
            score=row.score,
            rule=_rule_of(row),
            fired=tuple(dict.fromkeys(rule.rule for rule in row.rules)),
            is_reheard=row.is_reheard,
            has_dissent=row.has_dissent,
        )
        for row in rows
    )


def _rule_of(row: TruthRow) -> str:
    if row.has_stand_in and row.set_by == "weighted_average":
        return STAND_IN
    return row.set_by or AGREEMENT


@lru_cache(maxsize=KEPT)
def _review(key: str) -> RuleReview:
    from courtroom.synthesis.rule_review import review_rules

    with _guards_limited():
        review = review_rules(_constitution(key))
    return RuleReview(
        rows=review.rows,
        idle=review.idle,
        ineffective=review.ineffective,
        pairs=tuple(RulePair(**asdict(pair)) for pair in review.pairs),
        undecided=tuple(
            UndecidedBenches(row.reason, row.benches, _circumstances(row.flags))
            for row in review.undecided
        ),
    )


def _circumstances(flags: BenchFlags) -> Circumstances:
    from courtroom.synthesis.truth_table import PLAIN_ARGUMENT

    words = flags.prosecutor_argument.removeprefix(PLAIN_ARGUMENT)
    return Circumstances(**asdict(flags) | {"prosecutor_argument": words})


@contextmanager
def _guards_limited() -> Iterator[None]:
    from courtroom import InputRefused as Refused
    from courtroom.synthesis.guard_time import GuardTime, limited

    try:
        with limited(GuardTime(GUARD_SECONDS)):
            yield
    except Refused as error:
        raise InputRefused(error.code, error.message) from error


def _key(constitution: Any) -> str:
    return json.dumps(constitution, sort_keys=True)


@lru_cache(maxsize=KEPT)
def _constitution(key: str) -> Any:
    from courtroom import Rubric
    from courtroom.synthesis.constitutions import constitution_of

    return constitution_of(Rubric.model_validate(_rubric_with(json.loads(key))))


def _rubric_with(constitution: Any) -> dict[str, Any]:
    criterion = {"id": "criterion", "name": "Criterion"}
    rubric = {"id": "rubric", "name": "Rubric", "version": "1", "criteria": [criterion]}
    return {**rubric, "constitution": constitution}
