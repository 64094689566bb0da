"""Parser of JSON reports under various keys.

Criteria come as a list or by name, or as bare scores; opinions come inside them or beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from courtroom.models.judge_answer import Persona
from courtroom.report_import import header_facts
from courtroom.report_import import json_keys as keys
from courtroom.report_import.draft_report import DraftCriterion, DraftReport
from courtroom.report_import.imported_report import ImportedScore
from courtroom.report_import.json_findings import FindingsParser
from courtroom.report_import.name_cleaning import (
    exact_judge,
    is_overall_label,
    name_key,
    parse_judge,
)
from courtroom.report_import.score_parser import as_number, parse_score, says_excluded
from courtroom.rubric_import.json_lines import JsonPath

LineOf = Callable[[JsonPath], int | None]
# How far down the report may lie in its wrappers: {"result": {"final_report": {...}}}.
MOST_WRAPPERS = 5
MOST_SEARCHED = 2000
# So many entries of a list or object are tested for criteria.
MOST_TESTED = 50
MOST_CITED = 200


def parse_json_report(
    data: Any, draft: DraftReport, line_of: LineOf, *, scale: float | None = None
) -> None:
    """Parse a JSON value into the draft.

    `scale` is the maximum of every score that names none.
    """
    place, report = _find_report(data)
    parser = _JsonParser(draft, line_of, place, scale)
    _parse_header(data, report, draft, scale)

    if isinstance(report, list):
        parser.parse_listing(report, place)
    if not isinstance(report, dict):
        return

    # Criteria come first: opinions and findings are matched to them by name.
    parser.parse_criteria(report)
    parser.parse_opinions(report)
    for key in keys.matching_keys(report, keys.PLANS):
        FindingsParser(draft, line_of((*place, key)), is_plan=True).parse(report[key])
    for key in keys.matching_keys(report, keys.FINDINGS):
        FindingsParser(draft, line_of((*place, key)), is_plan=False).parse(report[key])


def _find_report(data: Any) -> tuple[JsonPath, Any]:
    """Return the outermost value that holds criteria or their scores, with its place.

    Without one, the whole value is the report.
    """
    level: list[tuple[JsonPath, Any]] = [((), data)]

    for _ in range(MOST_WRAPPERS + 1):
        for place, value in level:
            if _holds_criteria(value):
                return place, value
        level = [
            ((*place, key), child) for place, value in level for key, child in _containers(value)
        ][:MOST_SEARCHED]
    return (), data


def _containers(value: Any) -> list[tuple[str | int, Any]]:
    if isinstance(value, dict):
        return [(key, child) for key, child in value.items() if isinstance(child, dict | list)]
    return list(enumerate(value)) if isinstance(value, list) else []


def _holds_criteria(value: Any) -> bool:
    if not isinstance(value, dict):
        return isinstance(value, list) and _is_listing(value)

    if any(_is_listing(value[key]) for key in keys.matching_keys(value, keys.CRITERIA)):
        return True
    has_opinions = any(value.get(key) for key in keys.matching_keys(value, keys.OPINIONS))
    return has_opinions and bool(keys.matching_keys(value, keys.OVERALL | keys.OPINION_LISTS))


def _is_listing(value: Any) -> bool:
    """Return true for criteria: objects with a name and a score, or a score under each name."""
    if isinstance(value, list):
        return any(
            isinstance(entry, dict)
            and keys.matching_keys(entry, keys.NAMES | keys.IDS)
            and keys.matching_keys(entry, keys.RESULTS)
            for entry in value[:MOST_TESTED]
        )
    if isinstance(value, dict):
        return any(
            as_number(entry) is not None
            or (isinstance(entry, dict) and keys.matching_keys(entry, keys.RESULTS))
            for entry in list(value.values())[:MOST_TESTED]
        )
    return False


def _has_opinion(entry: Mapping[str, Any]) -> bool:
    """Return true for an opinion or an object of opinions, false for a judge's configuration."""
    if keys.matching_keys(entry, keys.RESULTS | keys.ARGUMENTS | keys.FAILURES):
        return True
    return any(
        as_number(value) is not None
        or (isinstance(value, dict) and keys.matching_keys(value, keys.RESULTS | keys.ARGUMENTS))
        for value in entry.values()
    )


def _parse_header(data: Any, report: Any, draft: DraftReport, scale: float | None) -> None:
    """Parse the facts in the report, in its metadata and in the value around it."""
    parts = [part for part in (report, data) if isinstance(part, dict)]
    parts += [
        part[key]
        for part in list(parts)
        for key in part
        if keys.key_words(str(key)) in keys.METADATA and isinstance(part[key], dict)
    ]

    summaries = []
    for part in parts:
        for key, value in part.items():
            label = keys.key_words(str(key))
            _parse_header_field(draft, label, value, scale)
            if label in keys.SUMMARIES:
                summaries.append(str(value))

    # A sentence in a summary counts only where no field gave the overall score.
    header_facts.find_overall(draft, summaries)


def _parse_header_field(draft: DraftReport, label: str, value: Any, scale: float | None) -> None:
    if isinstance(value, str) and value.strip():
        header_facts.set_labelled_fact(draft, label, value.strip())
        if label in keys.TITLES:
            draft.title = draft.title or value
    if draft.overall is None and (label in keys.OVERALL or is_overall_label(label)):
        draft.overall = parse_json_score(value, scale)


class _JsonParser:
    """Parser of the criteria and opinions; `place` is the report's own place in the JSON."""

    def __init__(
        self, draft: DraftReport, line_of: LineOf, place: JsonPath, scale: float | None
    ) -> None:
        self._draft, self._line_of, self._place, self._scale = draft, line_of, place, scale

    def parse_criteria(self, report: Mapping[str, Any]) -> None:
        for key in keys.matching_keys(report, keys.CRITERIA):
            if _is_listing(report[key]):
                self.parse_listing(report[key], (*self._place, key))

    def parse_listing(self, value: Any, place: JsonPath) -> None:
        for entry_place, name, entry in _entries(value, place):
            self._parse_criterion(entry_place, name, entry)

    def _parse_criterion(self, place: JsonPath, name: str, entry: Any) -> None:
        fields = entry if isinstance(entry, dict) else {"score": entry}
        identity = keys.first_text(fields, keys.IDS)
        title = keys.first_text(fields, keys.NAMES) or name or identity
        line = self._line_of(place)
        if not title or not name_key(title):
            message = "Skipped a criterion that has neither a name nor an id."
            self._draft.add_note(line, message)
            return

        identity_or_name = identity or (name if name != title else None)
        criterion = self._draft.get_or_add_criterion(title, identity_or_name, line, "JSON")
        if criterion is None:
            return
        self._parse_score(criterion, fields, line)
        self._parse_own_opinions(criterion, fields, place)
        self._parse_texts(criterion, fields, line)

    def _parse_score(
        self, criterion: DraftCriterion, fields: Mapping[str, Any], line: int | None
    ) -> None:
        level = keys.first_text(fields, keys.LEVELS)
        if level:
            self._draft.set_level(criterion, level)
        is_excluded = keys.first_value(fields, keys.EXCLUDED) is True
        criterion.excluded = criterion.excluded or is_excluded

        score = self._score_of(fields)
        if score is None and level:
            score = ImportedScore(level=level, written=level)
        if score:
            self._draft.set_score(criterion, score, line, "JSON")

    def _score_of(self, fields: Mapping[str, Any]) -> ImportedScore | None:
        maximum = keys.first_value(fields, keys.MAXIMA) or self._scale
        return parse_json_score(keys.first_value(fields, keys.SCORES), maximum)

    def _parse_texts(
        self, criterion: DraftCriterion, fields: Mapping[str, Any], line: int | None
    ) -> None:
        dissent = _flatten(keys.first_value(fields, keys.DISSENT))
        criterion.dissent = criterion.dissent or dissent
        plan = keys.first_value(fields, keys.PLANS)
        criterion.remediation = criterion.remediation or _flatten(plan)

        findings = keys.first_value(fields, keys.FINDINGS)
        FindingsParser(self._draft, line, is_plan=True, criterion=criterion).parse(plan)
        FindingsParser(self._draft, line, is_plan=False, criterion=criterion).parse(findings)

    def _parse_own_opinions(
        self, criterion: DraftCriterion, fields: Mapping[str, Any], place: JsonPath
    ) -> None:
        """Parse the opinions inside a criterion: listed, or one key for each judge."""
        for key in keys.matching_keys(fields, keys.OPINIONS):
            for entry_place, name, entry in _entries(fields[key], (*place, key)):
                self._parse_opinion(criterion, name, entry, entry_place)

        for key, value in fields.items():
            judge, topic = parse_judge(str(key))
            if judge and (not topic or topic in keys.JUDGE_TOPICS):
                self._parse_opinion(criterion, str(judge), value, (*place, key))

    def parse_opinions(self, report: Mapping[str, Any]) -> None:
        """Parse opinions beside the criteria.

        They come in one list, by criterion, or by judge and then by criterion.
        """
        for key in keys.matching_keys(report, keys.OPINIONS):
            for place, name, entry in _entries(report[key], (*self._place, key)):
                if not isinstance(entry, dict) or _has_opinion(entry):
                    self._parse_opinion_entry(name, entry, place)

    def _parse_opinion_entry(self, name: str, entry: Any, place: JsonPath) -> None:
        is_single = isinstance(entry, dict) and bool(keys.matching_keys(entry, keys.RESULTS))
        if isinstance(entry, dict) and exact_judge(name) and not is_single:
            for item_place, criterion_name, item in _entries(entry, place):
                fields = {"judge": name, **_as_fields(item)}
                self._parse_opinion_of(criterion_name, fields, item_place)
        elif isinstance(entry, list):
            for item_place, _, item in _entries(entry, place):
                self._parse_opinion_of(name, item, item_place)
        else:
            self._parse_opinion_of(name, entry, place)

    def _parse_opinion_of(self, name: str, entry: Any, place: JsonPath) -> None:
        """Parse an opinion under a key that names its criterion or its judge."""
        fields = _as_fields(entry)
        criterion_name = keys.first_text(fields, keys.IDS | keys.NAMES)
        if not criterion_name and not exact_judge(name):
            criterion_name = name

        line = self._line_of(place)
        criterion = None
        if criterion_name and name_key(criterion_name):
            criterion = self._draft.get_or_add_criterion(criterion_name, None, line, "JSON")
        if criterion is None:
            self._draft.add_note(line, "Skipped an opinion that belongs to no criterion.")
            return
        self._parse_opinion(criterion, name, fields, place)

    def _parse_opinion(
        self, criterion: DraftCriterion, name: str, entry: Any, place: JsonPath
    ) -> None:
        fields = _as_fields(entry)
        judge_name = keys.first_text(fields, keys.JUDGES) or name
        judge: Persona | str | None = exact_judge(judge_name) or judge_name or None
        line = self._line_of(place)
        if judge is None:
            message = f"“{criterion.name}”: skipped an opinion that names no judge."
            self._draft.add_note(line, message)
            return

        score = self._score_of(fields)
        argument = _flatten(keys.first_value(fields, keys.ARGUMENTS))
        # A failure is never a score, even where a number stands beside it.
        if failure := keys.first_value(fields, keys.FAILURES):
            argument = f"{failure}: {argument}" if isinstance(failure, str) else argument
            self._draft.note_failure(criterion, str(judge), score, line)
            score = None

        # A judge gives numbers: words in the place of a score are a level of the criterion.
        numeric = score if score and score.value is not None else None
        opinion = self._draft.add_opinion(criterion, judge, line, numeric, argument)
        opinion.cited.extend(_cited_ids(keys.first_value(fields, keys.CITED)))


def _entries(value: Any, place: JsonPath) -> Iterator[tuple[JsonPath, str, Any]]:
    """Yield the items of a list or an object, each with its place and, in an object, its name."""
    if isinstance(value, dict):
        yield from (((*place, key), str(key), entry) for key, entry in value.items())
    elif isinstance(value, list):
        yield from (((*place, index), "", entry) for index, entry in enumerate(value))


def _as_fields(entry: Any) -> dict[str, Any]:
    if isinstance(entry, dict):
        return entry
    return {"score": entry} if as_number(entry) is not None else {"argument": entry}


def parse_json_score(value: Any, maximum: Any = None) -> ImportedScore | None:
    """Return a score from a number, from words, or from an object that holds either."""
    if isinstance(value, dict):
        own_maximum = keys.first_value(value, keys.MAXIMA)
        return parse_json_score(keys.first_value(value, keys.SCORES), own_maximum or maximum)

    scale = as_number(maximum) or None
    number = as_number(value)
    if number is not None:
        written = f"{number:g}/{scale:g}" if scale else f"{number:g}"
        return ImportedScore(value=number, maximum=scale, written=written)

    if not isinstance(value, str) or says_excluded(value):
        return None
    score = parse_score(value)
    if score and score.value is not None and scale and not score.maximum:
        return score.model_copy(update={"maximum": scale})
    return score


def _flatten(value: Any) -> str:
    """Return the words of a string, of a list of strings, or of the values of an object."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dict):
        return "\n".join(filter(None, (_flatten(part) for part in value.values())))
    return "\n".join(filter(None, map(_flatten, value))) if isinstance(value, list) else ""


def _cited_ids(value: Any) -> list[str]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    entries = value[:MOST_CITED] if isinstance(value, list) else []
    return [text for text in map(_flatten, entries) if text]
