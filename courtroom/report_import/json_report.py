"""Reports as JSON, under whatever keys: criteria as a list or by name, scores alone, opinions beside or within them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from courtroom.models.record import Persona
from courtroom.report_import import header_facts
from courtroom.report_import import json_keys as keys
from courtroom.report_import.draft_items import DraftCriterion
from courtroom.report_import.draft_report import Draft
from courtroom.report_import.imported_report import ImportedScore
from courtroom.report_import.json_findings import take_changes
from courtroom.report_import.name_cleaning import is_overall, judge_in, judge_named, key_of
from courtroom.report_import.score_parser import excludes, number_of, score_in
from courtroom.rubric_import.json_lines import JsonPath

LineOf = Callable[[JsonPath], int | None]
# How far down a report may lie in what wraps it: {"result": {"final_report": {...}}}.
MOST_WRAPPERS = 5
MOST_SEARCHED = 2000


def read_json(data: Any, draft: Draft, line_of: LineOf, *, scale: float | None = None) -> None:
    """Take what a parsed JSON value tells into the draft. `scale`: the maximum of every score that names none."""
    place, report = _report_in(data)
    reader = _Reader(draft, line_of, place, scale)
    _heading(data, report, draft, scale)
    if isinstance(report, list):
        reader.listing(report, place)
    if not isinstance(report, dict):
        return
    reader.criteria(report)
    reader.opinions(report)
    for key in keys.held(report, keys.PLANS):
        take_changes(draft, report[key], line_of((*place, key)), asks=True)
    for key in keys.held(report, keys.FINDINGS):
        take_changes(draft, report[key], line_of((*place, key)), asks=False)


def _report_in(data: Any) -> tuple[JsonPath, Any]:
    """The outermost part that holds criteria or their scores, and its place; else the whole."""
    level: list[tuple[JsonPath, Any]] = [((), data)]
    for _ in range(MOST_WRAPPERS + 1):
        for place, part in level:
            if _holds_criteria(part):
                return place, part
        level = [((*place, key), part) for place, whole in level for key, part in _parts(whole)][
            :MOST_SEARCHED
        ]
    return (), data


def _parts(whole: Any) -> list[tuple[str | int, Any]]:
    if isinstance(whole, dict):
        return [(key, part) for key, part in whole.items() if isinstance(part, dict | list)]
    return list(enumerate(whole)) if isinstance(whole, list) else []


def _holds_criteria(part: Any) -> bool:
    if isinstance(part, dict):
        return any(_is_listing(part[key]) for key in keys.held(part, keys.CRITERIA)) or (
            any(part.get(key) for key in keys.held(part, keys.OPINIONS))
            and bool(keys.held(part, keys.OVERALL | keys.OPINION_LISTS))
        )
    return isinstance(part, list) and _is_listing(part)


def _is_listing(said: Any) -> bool:
    """Criteria: objects that name and score themselves, or a score under each name."""
    if isinstance(said, list):
        return any(
            isinstance(entry, dict)
            and keys.held(entry, keys.NAMES | keys.IDS)
            and keys.held(entry, keys.TOLD)
            for entry in said[:50]
        )
    if isinstance(said, dict):
        return any(
            number_of(entry) is not None
            or (isinstance(entry, dict) and keys.held(entry, keys.TOLD))
            for entry in list(said.values())[:50]
        )
    return False


def _tells(entry: Mapping[str, Any]) -> bool:
    """Whether an object is an opinion, or holds opinions: not what a model or a judge is configured with."""
    if keys.held(entry, keys.TOLD | keys.ARGUMENTS | keys.FAILURES):
        return True
    return any(
        number_of(part) is not None
        or (isinstance(part, dict) and keys.held(part, keys.TOLD | keys.ARGUMENTS))
        for part in entry.values()
    )


def _heading(data: Any, report: Any, draft: Draft, scale: float | None) -> None:
    """What the report, its metadata and what wraps it say of themselves."""
    wholes = [whole for whole in (report, data) if isinstance(whole, dict)]
    wholes += [
        whole[key]
        for whole in list(wholes)
        for key in whole
        if keys.spelled(str(key)) in keys.METADATA and isinstance(whole[key], dict)
    ]
    for whole in wholes:
        for key, value in whole.items():
            label = keys.spelled(str(key))
            if isinstance(value, str) and value.strip():
                header_facts.take_label(draft, label, value.strip())
                if label in keys.TITLES:
                    draft.title = draft.title or value
            if draft.overall is None and (label in keys.OVERALL or is_overall(label)):
                draft.overall = score_of(value, scale)
    summaries = [
        str(whole[key])
        for whole in wholes
        for key in whole
        if keys.spelled(str(key)) in keys.SUMMARIES
    ]
    header_facts.take_overall(draft, summaries)


class _Reader:
    def __init__(self, draft: Draft, line_of: LineOf, place: JsonPath, scale: float | None) -> None:
        self._draft, self._line_of, self._place, self._scale = draft, line_of, place, scale

    def criteria(self, report: Mapping[str, Any]) -> None:
        for key in keys.held(report, keys.CRITERIA):
            if _is_listing(report[key]):
                self.listing(report[key], (*self._place, key))

    def listing(self, said: Any, place: JsonPath) -> None:
        """Criteria in a list or by name."""
        for at, name, entry in _entries(said, place):
            self._criterion(at, name, entry)

    def _criterion(self, place: JsonPath, name: str, entry: Any) -> None:
        fields = entry if isinstance(entry, dict) else {"score": entry}
        identity = keys.text(fields, keys.IDS)
        title = keys.text(fields, keys.NAMES) or name or identity
        line = self._line_of(place)
        if not title or not key_of(title):
            self._draft.note(
                line, "Not read: an entry among the criteria that has neither a name nor an id."
            )
            return
        criterion = self._draft.criterion(
            title, identity or (name if name != title else None), line, "JSON"
        )
        if criterion is None:
            return
        self._score(criterion, fields, line)
        self._own_opinions(criterion, fields, place)
        criterion.dissent = criterion.dissent or _flat(keys.first(fields, keys.DISSENT))
        changes = keys.first(fields, keys.PLANS)
        criterion.remediation = criterion.remediation or _flat(changes)
        take_changes(self._draft, changes, line, asks=True, criterion=criterion)
        take_changes(
            self._draft, keys.first(fields, keys.FINDINGS), line, asks=False, criterion=criterion
        )

    def _score(
        self, criterion: DraftCriterion, fields: Mapping[str, Any], line: int | None
    ) -> None:
        level = keys.text(fields, keys.LEVELS)
        if level:
            self._draft.give_level(criterion, level)
        criterion.excluded = criterion.excluded or keys.first(fields, keys.EXCLUDED) is True
        score = score_of(
            keys.first(fields, keys.SCORES), keys.first(fields, keys.MAXIMA) or self._scale
        )
        if score is None and level:
            score = ImportedScore(level=level, written=level)
        if score:
            self._draft.give_score(criterion, score, line, "JSON")

    def _own_opinions(
        self, criterion: DraftCriterion, fields: Mapping[str, Any], place: JsonPath
    ) -> None:
        for key in keys.held(fields, keys.OPINIONS):
            for at, name, entry in _entries(fields[key], (*place, key)):
                self._opinion(criterion, name, entry, at)
        for key, value in fields.items():
            judge, topic = judge_in(str(key))
            if judge and (not topic or topic in keys.OF_JUDGES):
                self._opinion(criterion, str(judge), value, (*place, key))

    def opinions(self, report: Mapping[str, Any]) -> None:
        """Opinions beside the criteria: in one list, by criterion, or by judge and then by criterion."""
        for key in keys.held(report, keys.OPINIONS):
            for place, name, entry in _entries(report[key], (*self._place, key)):
                if isinstance(entry, dict) and not _tells(entry):
                    continue
                if (
                    judge_named(name)
                    and isinstance(entry, dict)
                    and not keys.held(entry, keys.TOLD)
                ):
                    for at, about, each in _entries(entry, place):
                        self._opinion_on(about, {"judge": name, **_as_fields(each)}, at)
                elif isinstance(entry, list):
                    for at, _, each in _entries(entry, place):
                        self._opinion_on(name, each, at)
                else:
                    self._opinion_on(name, entry, place)

    def _opinion_on(self, about: str, entry: Any, place: JsonPath) -> None:
        fields = _as_fields(entry)
        named = keys.text(fields, keys.IDS | keys.NAMES) or (
            about if not judge_named(about) else ""
        )
        line = self._line_of(place)
        criterion = (
            self._draft.criterion(named, None, line, "JSON") if named and key_of(named) else None
        )
        if criterion is None:
            self._draft.note(line, "Not read: an opinion that belongs to no criterion.")
            return
        self._opinion(criterion, about, fields, place)

    def _opinion(self, criterion: DraftCriterion, name: str, entry: Any, place: JsonPath) -> None:
        fields = _as_fields(entry)
        who = keys.text(fields, keys.JUDGES) or name
        judge: Persona | str | None = judge_named(who) or who or None
        line = self._line_of(place)
        if judge is None:
            self._draft.note(line, f"“{criterion.name}”: an opinion without a judge was not read.")
            return
        score = score_of(
            keys.first(fields, keys.SCORES), keys.first(fields, keys.MAXIMA) or self._scale
        )
        argument = _flat(keys.first(fields, keys.ARGUMENTS))
        if failure := keys.first(fields, keys.FAILURES):
            argument = argument if not isinstance(failure, str) else f"{failure}: {argument}"
            self._draft.failed(criterion, str(judge), score, line)
            score = None
        opinion = self._draft.opinion(
            criterion, judge, line, score if score and score.value is not None else None, argument
        )
        opinion.cited.extend(_words(keys.first(fields, keys.CITED)))


def _entries(said: Any, place: JsonPath) -> Iterator[tuple[JsonPath, str, Any]]:
    """The parts of a list or an object, each with its place and, in an object, its name."""
    if isinstance(said, dict):
        yield from (((*place, key), str(key), entry) for key, entry in said.items())
    elif isinstance(said, list):
        yield from (((*place, at), "", entry) for at, entry in enumerate(said))


def _as_fields(entry: Any) -> dict[str, Any]:
    if isinstance(entry, dict):
        return entry
    return {"score": entry} if number_of(entry) is not None else {"argument": entry}


def score_of(said: Any, most: Any = None) -> ImportedScore | None:
    """A score from a number, from words, or from an object that holds either."""
    if isinstance(said, dict):
        return score_of(keys.first(said, keys.SCORES), keys.first(said, keys.MAXIMA) or most)
    maximum = number_of(most) or None
    number = number_of(said)
    if number is not None:
        return ImportedScore(
            value=number,
            maximum=maximum,
            written=f"{number:g}/{maximum:g}" if maximum else f"{number:g}",
        )
    if not isinstance(said, str) or excludes(said):
        return None
    score = score_in(said)
    return (
        score.model_copy(update={"maximum": maximum})
        if score and score.value is not None and maximum and not score.maximum
        else score
    )


def _flat(said: Any) -> str:
    """Words from a string, a list of strings, or objects whose values are words."""
    if isinstance(said, str):
        return said.strip()
    if isinstance(said, dict):
        return "\n".join(filter(None, (_flat(part) for part in said.values())))
    return "\n".join(filter(None, map(_flat, said))) if isinstance(said, list) else ""


def _words(said: Any) -> list[str]:
    if isinstance(said, str):
        return [part.strip() for part in said.split(",") if part.strip()]
    return (
        [part for entry in said[:200] if (part := _flat(entry))] if isinstance(said, list) else []
    )
