"""Steps in words: a reader who works them out by hand comes to the score of the verdict."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import get_args

import pytest

from courtroom.models.audit_report import RuleStep
from courtroom.models.facts import establish
from courtroom.models.judge_answer import OUTCOMES_ROUND
from courtroom.synthesis import chief_justice, outcome_bound, second_hearing, sufficient_evidence
from courtroom.synthesis.constitutions import PRESETS
from courtroom.synthesis.rules import AnyRule, Constitution, FactSupremacy, WeightedAverage
from courtroom.synthesis.truth_table import BenchFlags, truth_table
from tests.courtroom.synthesis.bench_records import (
    bench,
    check,
    criterion,
    levels,
    outcome,
    piece,
    result,
    rubric,
    verdict,
)
from tests.courtroom.synthesis.test_outcome_bound import by_model, judged
from tests.courtroom.synthesis.truth_tables import CIRCUMSTANCES

FLAGS = {
    **CIRCUMSTANCES,
    "security argued": BenchFlags(prosecutor_argument="A security hole."),
    "invented citation": BenchFlags(inventive="Defense"),
}
OWN = (
    Constitution(id="thirds", rules=(WeightedAverage(prosecutor=0.3, defense=0, tech_lead=0.1),)),
    Constitution(id="weightless", rules=(WeightedAverage(prosecutor=1, defense=0, tech_lead=0),)),
    Constitution(
        id="even",
        rules=(FactSupremacy(weak_below=0.5), WeightedAverage(tech_lead=1, rounding="half_even")),
    ),
)
CONSTITUTIONS = {c.id: c for c in (*PRESETS.values(), *OWN)}
SCORES = re.compile(r"(?:(Prosecutor|Defense|Tech Lead) (\d)(?:, )?)")
SPREAD = re.compile(r"highest - lowest: (\d) - (\d) = (\d)")
FORMULA = re.compile(r"\(([\d. x+]+)\) / ([\d.]+) = ([\d.]+) / ([\d.]+) = ([\d.]+)")
CAP = re.compile(r"at most (\d), so ([\d.]+) (?:stays|becomes (\d))")
# Outputs that leave scores and value as they are.
NEUTRAL = {
    "enough for a score",
    "every opinion counts",
    "no rule by spread decides",
    "a later rule decides",
    "the Tech Lead does not decide alone",
}


def number(text: str) -> Fraction:
    return Fraction(text)


def decimal(value: Fraction) -> str:
    return f"{round(float(value), 4):.12g}"


@dataclass
class Reader:
    """Reader of the steps who checks each sum and keeps the scores and the value so far."""

    scores: dict[str, int] = field(default_factory=dict)
    value: Fraction | None = None
    final: int | None = None

    def read(self, step: RuleStep) -> None:
        if spread := SPREAD.search(step.input):
            highest, lowest, difference = map(int, spread.groups())
            assert highest - lowest == difference
        if formula := FORMULA.search(step.output):
            self.value = worked_out(formula, list(self.scores.values()))
        elif step.rule == "rounding":
            self._round(step)
        elif decided := re.search(r"decides: (\d)$", step.output):
            self.value = number(decided[1])
            by_value = dict(SCORES.findall(step.output))
            expected = max(by_value.values()) if by_value else str(self.scores["Tech Lead"])
            assert decided[1] == expected
        elif cap := CAP.search(step.output):
            assert self.value is not None
            assert cap[2] == decimal(self.value)
            self.value = min(self.value, number(cap[1]))
            assert cap[3] in (None, decimal(self.value))
        elif listed := SCORES.findall(step.output):
            self.scores = {judge: int(score) for judge, score in listed}
        else:
            self._stay(step)

    def _stay(self, step: RuleStep) -> None:
        if step.output in NEUTRAL:
            return
        stays = re.search(r"([\d.]+) (?:stays|stands)$", step.output)
        assert stays, step
        if self.value is None:
            # Agreement stands without an average.
            assert {decimal(Fraction(score)) for score in self.scores.values()} == {stays[1]}
            self.value = number(stays[1])
        assert stays[1] == decimal(self.value)

    def _round(self, step: RuleStep) -> None:
        assert self.value is not None
        assert step.input.split(",")[0] == decimal(self.value)
        is_even = step.input.endswith("half to even")
        self.final = round(self.value) if is_even else floor(self.value + Fraction(1, 2))
        assert step.output == str(self.final)


def worked_out(formula: re.Match[str], scores: list[int]) -> Fraction:
    """Return the mean that the formula works out, after checking each of its numbers."""
    terms, divisor, total, again, mean = formula.groups()
    pairs = [term.split(" x ") if " x " in term else ["1", term] for term in terms.split(" + ")]
    assert [int(score) for _, score in pairs] == scores
    weight = sum((number(weight) for weight, _ in pairs), Fraction(0))
    added = sum((number(weight) * number(score) for weight, score in pairs), Fraction(0))
    assert (divisor, again, total) == (decimal(weight), decimal(weight), decimal(added))
    assert mean == decimal(added / weight)
    return added / weight


def by_hand(steps: Iterable[RuleStep]) -> int | None:
    reader = Reader()
    for step in steps:
        if step.output == "no score: a person decides":
            return None
        reader.read(step)
    return reader.final


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("constitution", CONSTITUTIONS)
def test_words_of_every_bench_come_to_its_score_by_hand(constitution: str, flags: str) -> None:
    rows = truth_table(CONSTITUTIONS[constitution], FLAGS[flags])
    assert len(rows) == 125
    assert [by_hand(row.steps) for row in rows] == [row.score for row in rows]
    fired = [tuple(step.rule for step in row.steps if step.fired) for row in rows]
    for row, names in zip(rows, fired, strict=True):
        bookkeeping = {"judges", "rounding"}
        assert [name for name in names if name not in bookkeeping] == [r.rule for r in row.rules]


def test_second_round_is_in_the_words() -> None:
    neutral = piece()
    opinions = [*bench((1, 5, 3), neutral), *bench((3, 4, 4), neutral, round_number=2)]
    row = verdict("overrides", opinions, evidence=(neutral,)).criteria[0]
    (step,) = [step for step in row.steps if step.rule == "variance_re_evaluation"]
    assert step.sentence == (
        "variance re-evaluation: second round: Prosecutor 1, Defense 5, Tech Lead 3 became"
        " Prosecutor 3, Defense 4, Tech Lead 4; highest - lowest: 4 - 3 = 1, not above 2"
        " → a later rule decides."
    )
    assert by_hand(row.steps) == row.final_score == 4


def of_every_route() -> Iterator[RuleStep]:
    """Yield steps of verdicts in which each rule fires, and of others in which it does not."""
    for constitution in CONSTITUTIONS.values():
        for flags in FLAGS.values():
            yield from (step for row in truth_table(constitution, flags) for step in row.steps)
    enough = [piece(line=line) for line in range(1, 6)]
    doubtful = piece(tags=("integrity",))
    quorum = verdict("default", bench((3, 3, 3), *enough)[:1], evidence=enough)
    few, governed = (
        verdict("governance", bench((3, 3, 3), *enough), evidence=enough[:count])
        for count in (1, 5)
    )
    dead = outcome("tests", None).model_copy(update={"has_failed": True, "reason": "Dead."})
    collected = verdict("governance", (), evidence=enough, outcomes=(dead,))
    models = [
        judged((5, 5, 5), 1),
        judged((3, 3, 3), 3),
        judged((4, 4, 4), 2, more=by_model(bench((3, 3, 3), round_number=OUTCOMES_ROUND))),
        judged((3, 3, 3), 3, further=[doubtful]),
    ]
    for points in (quorum, few, governed, collected, points_verdict(received=True)):
        yield from (*points.steps, *(step for c in points.criteria for step in c.steps))
    excluded = points_verdict(received=False)
    yield from (step for c in (*models, *excluded.criteria) for step in c.steps)


def points_verdict(*, received: bool) -> chief_justice.Verdict:
    neutral = piece()
    paths = ["audit/received/a.md"] if received else []
    minmax = {"generated": [], "self": [], "received": paths}
    names = ("progress", "feedback", "extra")
    return verdict(
        "points-based",
        [o for name in names for o in bench((3, 4, 4), neutral, on=name)],
        evidence=(neutral,),
        facts=establish({"minmax": minmax}, {}),
        rubric_=rubric(
            criterion("progress", weight=2, max_points=35, levels=levels(35, "A", "B", "C", "D")),
            criterion("feedback", check(), max_points=20, exclude_when="no_exchange"),
            criterion("extra", check("never"), max_points=10),
        ),
    )


def test_every_rule_has_its_words_fired_and_unfired() -> None:
    kinds = {kind.model_fields["kind"].default for kind in get_args(get_args(AnyRule)[0])}
    of_all = {
        "quorum",
        outcome_bound.RULE,
        second_hearing.RULE,
        sufficient_evidence.RULE,
        chief_justice.ERROR_COLLECTOR,
        chief_justice.NO_EXCHANGE,
    }
    steps = list(of_every_route())
    assert {(step.rule, step.fired) for step in steps} >= {
        (rule, fired) for rule in kinds | of_all for fired in (True, False)
    }
    assert [step for step in steps if not (step.input.strip() and step.output.strip())] == []


def test_sums_come_to_overall_score_and_points_by_hand() -> None:
    row = points_verdict(received=True)
    words = {step.rule: step for step in row.steps}
    assert (
        words["overall"].input == "Progress 4 (weight 2); Feedback 4 (weight 1); Extra 4 (weight 1)"
    )
    assert words["overall"].output == (
        "(2 x 4 + 1 x 4 + 1 x 4) / 4 = 16 / 4 = 4, rounded half up to one decimal: 4.0"
    )
    assert words["sums"].input == "Progress 35 of 35; Feedback 15 of 20; Extra 7.5 of 10"
    assert words["sums"].output == "35 + 15 + 7.5 = 57.5 of 35 + 20 + 10 = 65 points"
    assert (row.overall_score, row.points and row.points.earned) == (4.0, 57.5)


@pytest.mark.parametrize("scores", [(1, 2, 2), (5, 5, 4), (2, 4, 4)])
def test_overall_score_is_rounded_as_its_words_say(scores: tuple[int, int, int]) -> None:
    neutral = piece()
    names = ("one", "two", "three")
    opinions = [
        o for name, s in zip(names, scores, strict=True) for o in bench((s,) * 3, neutral, on=name)
    ]
    rubric_ = rubric(*(criterion(name, weight=w) for name, w in zip(names, (1, 2, 4), strict=True)))
    row = verdict("default", opinions, evidence=(neutral,), rubric_=rubric_)
    overall = next(step for step in row.steps if step.rule == "overall")
    formula = FORMULA.search(overall.output)
    assert formula
    mean = worked_out(formula, list(scores))
    assert overall.output.endswith(f"rounded half up to one decimal: {row.overall_score:.1f}")
    assert row.overall_score == floor(mean * 10 + Fraction(1, 2)) / 10


def test_criteria_without_a_score_are_left_out_by_name_and_rule() -> None:
    neutral = piece()
    opinions = [*bench((3, 4, 4), neutral, on="a"), *bench((3, 4, 4), on="b")[:1]]
    rubric_ = rubric(criterion("a"), criterion("b"), criterion("c"))
    row = verdict("default", opinions, evidence=(neutral,), rubric_=rubric_)
    assert [step.sentence for step in row.steps[1:]] == [
        "quorum: B, C → in no sum until a person gives a score.",
        "overall: A 4 → (4) / 1 = 4 / 1 = 4, rounded half up to one decimal: 4.0.",
    ]
    none = verdict("default", (), evidence=(neutral,), rubric_=rubric_)
    assert none.steps[-1].sentence == "overall: no criterion has a score → no overall score."


def test_excluded_criterion_is_in_neither_sum() -> None:
    words = [step.sentence for step in points_verdict(received=False).steps]
    assert "no exchange: Feedback → in neither sum." in words
    assert words[-1] == (
        "sums: Progress 35 of 35; Extra 7.5 of 10 → 35 + 7.5 = 42.5 of 35 + 10 = 45 points."
    )


def test_score_has_its_worth_in_words() -> None:
    levelled, plain = (
        result("default", (3, 3, 3), rubric_=rubric(criterion(max_points=35, levels=rows)))
        for rows in (levels(35, "A", "B", "C", "D"), ())
    )
    assert levelled.steps[-1].sentence == "worth: 3 of 5 → level “B”, 21 of 35 points."
    assert plain.steps[-1].sentence == "worth: 3 of 5 → 35 x (3 - 1) / 4 = 17.5 of 35 points."
