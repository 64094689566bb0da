"""Table of decisions with their changes, and the review of rules in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from grading.core.csv_cells import Cell
from grading.engine import rule_tables
from grading.engine.rule_tables import AGREEMENT, STAND_IN, Circumstances, Decision, RulePair
from grading.rubrics.decisions.forms import (
    JUDGES,
    NO_SCORE,
    UNDECIDED,
    TableForm,
    flags_in_words,
    rule_titles,
)
from grading.rubrics.editor import labels

CSV_HEAD = (
    "Prosecutor",
    "Defense",
    "Tech Lead",
    "Circumstances",
    "Score",
    "Decided by",
    "Rules that apply",
    "Heard again",
    "Dissent explained",
    "Compared with",
    "Its score",
    "Its rule",
    "Change",
)
MOST_EXAMPLES = 4
BENCHES = 125


@dataclass(frozen=True, slots=True)
class TableRow:
    """Decision on a bench beside that of the other rules."""

    now: Decision
    before: Decision

    @property
    def is_changed(self) -> bool:
        return self.now.result != self.before.result

    @property
    def has_other_rule(self) -> bool:
        return self.now.rule != self.before.rule

    @property
    def kind(self) -> str:
        """Kind of the change: higher, lower, other, rule, or empty for none."""
        now, before = self.now.score, self.before.score
        if now is not None and before is not None and now != before:
            return "higher" if now > before else "lower"
        if self.is_changed:
            return "other"
        return "rule" if self.has_other_rule else ""

    @property
    def change(self) -> str:
        """The change in words; empty for none."""
        now, before = self.now, self.before
        words = []
        if now.score != before.score:
            words.append(_score_change(before.score, now.score))
        if now.is_reheard != before.is_reheard:
            words.append("heard again" if now.is_reheard else "not heard again")
        if now.has_dissent != before.has_dissent:
            words.append("dissent explained" if now.has_dissent else "dissent not explained")
        if not words and self.has_other_rule:
            words.append("same result by another rule")
        return ", ".join(words)

    @property
    def rule(self) -> str:
        return rule_in_words(self.now)

    @property
    def rule_before(self) -> str:
        return rule_in_words(self.before)

    @property
    def further_rules(self) -> list[str]:
        """Further rules that apply to the bench."""
        own = {self.now.rule, "weighted_average" if self.now.rule == STAND_IN else ""}
        return [labels.kind_title(kind) for kind in self.now.fired if kind not in own]

    def cells(self, flags: str, against: str) -> tuple[Cell, ...]:
        """Return the cells of the CSV's line."""
        now, before = self.now, self.before
        return (
            *now.bench,
            flags,
            now.score,
            self.rule,
            "; ".join(labels.kind_title(kind) for kind in now.fired),
            _yes(now.is_reheard),
            _yes(now.has_dissent),
            against,
            before.score,
            self.rule_before,
            self.change,
        )


@dataclass(frozen=True, slots=True)
class DecisionTable:
    """Rows that the filters leave; the counts are over all 125 benches."""

    rows: tuple[TableRow, ...]
    all_rows: tuple[TableRow, ...]
    flags: str
    against: str

    @property
    def counts(self) -> list[str]:
        """Numbers of benches by the kind of their change, as phrases: `9 higher`."""
        kinds = Counter(row.kind for row in self.all_rows)
        phrases = {
            "higher": "higher",
            "lower": "lower",
            "other": "changed otherwise",
            "rule": "with the same result by another rule",
        }
        return [f"{kinds[kind]} {words}" for kind, words in phrases.items() if kinds[kind]]

    @property
    def changed(self) -> int:
        return sum(row.is_changed for row in self.all_rows)

    @property
    def deciding(self) -> list[tuple[str, int]]:
        """Rules with the numbers of benches that they decide, the most first."""
        return Counter(row.rule for row in self.all_rows).most_common()

    def csv_rows(self) -> Iterator[Sequence[Cell]]:
        yield CSV_HEAD
        for row in self.rows:
            yield row.cells(self.flags or "none", self.against)


@dataclass(frozen=True, slots=True)
class RuleWarning:
    """Sentence on the rules, with what to do. `place` is the id of a field, if any."""

    title: str
    sentence: str
    place: str = ""


def rule_in_words(decision: Decision) -> str:
    """Return what set the score, or why a person does."""
    title = rule_titles().get(decision.rule, decision.rule)
    if decision.score is None and decision.rule not in UNDECIDED:
        return f"A person: {title[:1].lower()}{title[1:]}"
    return title


def decision_table(constitution: Any, other: Any, against: str, form: TableForm) -> DecisionTable:
    """Return the table of a valid form. Raises InputRefused for guards that take too long."""
    flags = form.circumstances
    rows = tuple(
        TableRow(now, before)
        for now, before in zip(
            rule_tables.decision_table(constitution, flags),
            rule_tables.decision_table(other, flags),
            strict=True,
        )
    )
    filtered = tuple(row for row in rows if _is_shown(row, form))
    return DecisionTable(filtered, rows, flags_in_words(flags), against)


def _is_shown(row: TableRow, form: TableForm) -> bool:
    values, now = form.cleaned_data, row.now
    score = NO_SCORE if now.score is None else str(now.score)
    is_changed = {"": True, "result": row.is_changed, "rule": row.is_changed or row.has_other_rule}
    return (
        is_changed[values["rows"]]
        and values["rule"] in ("", now.rule)
        and values["score"] in ("", score)
        and all(
            not chosen or chosen == str(given)
            for chosen, given in zip(form.benches, now.bench, strict=True)
        )
    )


def _score_change(before: int | None, now: int | None) -> str:
    if before is None:
        return f"a person → {now}"
    return f"{before} → {'a person' if now is None else now}"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def changes_by_circumstance(constitution: Any, other: Any) -> list[tuple[str, int]]:
    """Return circumstances, one at a time, with the number of benches that get another result."""
    plain = Circumstances(open_guards=True)
    single = [
        plain,
        replace(plain, architecture=True),
        replace(plain, security_evidence=True),
        replace(plain, confidence=0.4),
        *(replace(plain, unsupported=judge) for judge in JUDGES),
        *(replace(plain, inventive=judge) for judge in JUDGES),
    ]
    counted = [(flags, _changed(constitution, other, flags)) for flags in single]
    return [(flags_in_words(flags) or "none of these", count) for flags, count in counted if count]


def _changed(constitution: Any, other: Any, flags: Circumstances) -> int:
    now = rule_tables.decision_table(constitution, flags)
    before = rule_tables.decision_table(other, flags)
    return sum(a.result != b.result for a, b in zip(now, before, strict=True))


def warnings_of(constitution: Any) -> tuple[list[RuleWarning], list[RuleWarning], int]:
    """Return warnings, remarks that need no action, and the number of rows that were examined.

    Raises InputRefused for guards that take too long.
    """
    review = rule_tables.rule_review(constitution)
    hidden = [pair for pair in review.pairs if pair.hidden]
    warnings = [
        *map(_idle, review.idle),
        *map(_ineffective, review.ineffective),
        *(_undecided(row) for row in review.undecided if row.reason != AGREEMENT),
    ]
    remarks = [
        *(_hidden(pair) for pair in hidden),
        *(_apart(pair) for pair in review.pairs if not pair.hidden),
        *(_undecided(row) for row in review.undecided if row.reason == AGREEMENT),
    ]
    return warnings, remarks, review.rows


def _idle(kind: str) -> RuleWarning:
    advice = "Another rule or a limit leaves no bench to it: change one of them, or switch it off."
    return RuleWarning(
        f"{labels.kind_title(kind)} never applies",
        f"On no bench, in no circumstances, does this rule apply. {advice}",
        f"constitution.rules.{kind}",
    )


def _ineffective(kind: str) -> RuleWarning:
    sentence = (
        "It applies, but without it every bench would have the same result. "
        "Change its values, or switch it off."
    )
    title = f"{labels.kind_title(kind)} never changes a result"
    return RuleWarning(title, sentence, f"constitution.rules.{kind}")


def _hidden(pair: RulePair) -> RuleWarning:
    first, second = labels.kind_title(pair.first), labels.kind_title(pair.second)
    if len(pair.hidden) > 1:
        sentence = (
            "Wherever both apply, either alone gives the same result. "
            "If both should count there, change one of them or its condition."
        )
    else:
        without = labels.kind_title(pair.hidden[0])
        other = second if without == first else first
        sentence = (
            f"Wherever both apply, “{other}” already gives the result, so “{without}” changes "
            f"nothing. If it should, change its values, or give “{other}” a condition."
        )
    title = f"{first} and {second} never both matter"
    return RuleWarning(title, sentence, f"constitution.rules.{pair.hidden[0]}")


def _apart(pair: RulePair) -> RuleWarning:
    first, second = labels.kind_title(pair.first), labels.kind_title(pair.second)
    sentence = "They never apply to the same bench: where one decides, the other does not."
    return RuleWarning(f"{first} and {second} never meet", sentence)


def _undecided(row: rule_tables.UndecidedBenches) -> RuleWarning:
    count = len(row.benches)
    benches = "All 125 benches" if count == BENCHES else f"{count} bench{'es' * (count > 1)}"
    examples = "; ".join(", ".join(map(str, bench)) for bench in row.benches[:MOST_EXAMPLES])
    more = "; …" if count > MOST_EXAMPLES else ""
    flags = flags_in_words(row.circumstances)
    where = f"{examples}{more}" + (f"; first with: {flags}" if flags else "")
    title, advice, place = _REASONS.get(row.reason, _LEFT_TO_A_PERSON)
    return RuleWarning(
        f"{benches} {title}", f"{advice} (Prosecutor, Defense, Tech Lead: {where})", place
    )


_REASONS = {
    AGREEMENT: (
        "decided by no rule: the judges agree",
        "The agreed score stands. Let the weighted average also apply there, if a rule should.",
        "constitution.rules.weighted_average",
    ),
    STAND_IN: (
        "decided by no rule of yours",
        "The usual weights 1, 1, 2 stand in. Switch the weighted average on, or widen its condition.",
        "constitution.rules.weighted_average",
    ),
    "guard": (
        "left to a person: a condition has no answer",
        "Test first with known.… that the value is there.",
        "rules",
    ),
}
_LEFT_TO_A_PERSON = (
    "left to a person: too few opinions count",
    "Fewer opinions than “Judges required” are left. If a score should stand, lower that number.",
    "constitution.quorum",
)
