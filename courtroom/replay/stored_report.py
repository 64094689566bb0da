"""A stored report as the kinds of checks replay it: facts, reasons and the lines that are facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from courtroom.analysis.locations import SourceLocation
from courtroom.analysis.survey import Survey
from courtroom.checks.result import Finding, could_not_look
from courtroom.models.project_facts import ExchangeFact

# Facts that are places themselves: one place, or a list of them.
SINGLE_PLACES = ("clone_function",)
PLACE_LISTS = ("structured_output_calls", "persona_prompts")

Locations = Mapping[str, tuple[SourceLocation, ...]]


class StoredReport:
    """`document` is a report as JSON (automaton-auditor/report@1); nothing else is read."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._facts: Mapping[str, Any] = document["facts"]

    @property
    def commit(self) -> str | None:
        commit: str | None = self._document["commit"]
        return commit

    @property
    def has_pdf(self) -> bool:
        return self._document["pdf_sha256"] is not None

    @property
    def facts(self) -> Mapping[str, Any]:
        return self._facts

    @property
    def exchange(self) -> ExchangeFact | None:
        fact = self._facts.get("exchange")
        return None if fact is None else ExchangeFact.model_validate(fact)

    def fact(self, name: str) -> Any:
        """The fact as JSON; null when it was not established."""
        return self._facts.get(name)

    def unknown(self, name: str) -> Finding:
        """Not established, with the reason that the report gives for this fact."""
        return could_not_look(
            self._facts["unknown"].get(name, f"The report does not hold the fact {name}.")
        )

    def survey(self, locations: Locations | None = None) -> Survey:
        """The facts as a survey has them. `locations` are those of a check, by its id."""
        return Survey(
            facts=self._facts,
            reasons=self._facts["unknown"],
            locations=locations or {},
            unanswered={},
            fact_locations=_fact_locations(self._facts),
            paths=(),
            errors=(),
        )


def _fact_locations(facts: Mapping[str, Any]) -> dict[str, tuple[SourceLocation, ...]]:
    places = {name: facts.get(name) or () for name in PLACE_LISTS}
    places |= {name: (facts[name],) for name in SINGLE_PLACES if facts.get(name)}
    locations = {
        name: tuple(SourceLocation(row["path"], row["line"], row["line"]) for row in rows)
        for name, rows in places.items()
    }
    return locations | {"graph": _edges(facts.get("graph"))}


def _edges(graph: Mapping[str, Any] | None) -> tuple[SourceLocation, ...]:
    if not graph:
        return ()
    # Reports of early versions hold fewer lines than edges.
    rows = zip(graph["edges"], graph["edge_paths"], graph["edge_lines"], strict=False)
    return tuple(
        SourceLocation(path, line, line, f"{source} -> {target}")
        for (source, target), path, line in rows
    )
