"""The kind `reducer`: does the graph's state merge what parallel nodes write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from courtroom.checks.fault_words import options
from courtroom.checks.from_facts import from_facts, from_stored_facts, line_clue, nothing, unknown
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import listed, named
from courtroom.checks.result import Clue, Finding, present
from courtroom.checks.subjects import lacks_graph
from courtroom.models.check import CheckBase

if TYPE_CHECKING:
    from courtroom.analysis.survey import Survey


# Operators that put an entry of the update in the place of one under the same key.
REPLACING = frozenset({"ior", "or_"})


class ReducerCheck(CheckBase):
    """The graph's state has at least `minimum` reducers; with `any_of`, of these (last part of the dotted name)."""

    kind: Literal["reducer"] = "reducer"
    any_of: tuple[str, ...] = ()
    minimum: int = Field(default=1, ge=1)


def reducers(check: ReducerCheck, survey: Survey) -> Finding:
    """The state's reducers, all or those named, are at least `minimum`."""
    fact = survey.facts.get("reducers")
    if fact is None:
        return unknown("reducers", survey)

    matching = [r for r in fact if not check.any_of or _operators(r) & {*check.any_of}]
    if matching:
        met = len(matching) >= check.minimum
        needed = "" if met else f" {check.minimum} are needed."
        reason = f"{_merged(matching, survey)}{needed}{_replaced(matching, survey) if check.any_of else ''}"
        return present(reason, _clues(matching, survey), met=met)
    state = survey.facts.get("state_class")
    owner = state["name"] if state else "the graph's state"
    if not fact:
        return nothing(f"No key of {owner} has a reducer.", "a reducer", survey)

    reason = (
        f"No key of {owner} has {options(check.any_of)} as its reducer. {_merged(fact, survey)}"
    )
    return present(reason, _clues(fact, survey), met=False)


def _operators(row: Mapping[str, Any]) -> set[str]:
    """Return the names that a reducer goes by: its own, and that of the operator it applies."""
    from courtroom.analysis.langgraph.own_reducers import name_of, operator_name

    return {operator_name(row["reducer"]), name_of(row.get("applies", ""))} - {""}


def _replaced(rows: Sequence[Mapping[str, Any]], survey: Survey) -> str:
    """Sentence, with a space before it, on mappings of which an update replaces whole entries."""
    keys = [row["field"] for row in rows if _operators(row) & REPLACING]
    if not keys or lacks_graph(survey.facts):
        return ""
    return (
        f" Where two nodes write under one key of {listed(keys)}, the entry of the one replaces that of"
        " the other."
    )


def _written(row: Mapping[str, Any]) -> str:
    """Return the reducer as written; of a function of the repository also what it applies."""
    applies = row.get("applies")
    return f"{row['reducer']}, which applies {applies}" if applies else row["reducer"]


def _merged(rows: Sequence[Mapping[str, Any]], survey: Survey) -> str:
    """Sentence on the keys and their reducers, with the place of each."""
    keys = [f"{r['field']} {_by(survey)} {_written(r)} ({r['path']}:{r['line']})" for r in rows]
    if lacks_graph(survey.facts):
        return f"The state annotates {named(keys)}, and no graph of LangGraph applies that."
    return f"The state reduces {named(keys)}."


def _clues(rows: Sequence[Mapping[str, Any]], survey: Survey) -> list[Clue]:
    if lacks_graph(survey.facts):
        words = "annotated with {}; no graph of LangGraph applies that"
    else:
        words = "reduced by {}"
    return [line_clue(r, f"{r['field']} is {words.format(_written(r))}.") for r in rows]


def _by(survey: Survey) -> str:
    return "with" if lacks_graph(survey.facts) else "by"


def _fault(check: ReducerCheck) -> str:
    names = f" among {options(check.any_of)}" if check.any_of else ""
    return (
        f"The graph's state has no reducer{names}."
        if check.minimum == 1
        else f"The graph's state has fewer than {check.minimum} reducers{names}."
    )


KIND = CheckKind(
    model=ReducerCheck,
    detective="RepoInvestigator",
    detect=from_facts(reducers),
    replay=from_stored_facts(reducers),
    fault=_fault,
    label=Label(
        title="Reducers of the state",
        about="The graph's state has reducers, of any name or of these (the last part of it).",
        fields={"any_of": "Any of these reducers"},
    ),
    order=70,
)
