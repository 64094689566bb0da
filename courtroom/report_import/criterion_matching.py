"""Matching of an imported report's criteria to those of a rubric, by id or name."""

from __future__ import annotations

from collections.abc import Mapping

from courtroom.models.frozen_record import Frozen
from courtroom.models.rubric import Criterion, Rubric
from courtroom.report_import.imported_report import ImportedCriterion, ImportedReport
from courtroom.report_import.name_cleaning import name_key, short_name_key


class CriteriaMatch(Frozen):
    """Frozen result of a match.

    `matched` maps an index into the report's criteria to an id of the rubric; `unmatched` maps
    every other index to the reason; `missing` are ids of the rubric that the report does not have.
    """

    matched: Mapping[int, str]
    unmatched: Mapping[int, str]
    missing: tuple[str, ...]


def matched_criteria(report: ImportedReport, rubric: Rubric) -> CriteriaMatch:
    """Match by id, then by name; each criterion of the rubric at most once.

    Case, punctuation, numbering and emoji make no difference.
    """
    matched: dict[int, str] = {}
    unmatched: dict[int, str] = {}

    for index, criterion in enumerate(report.criteria):
        identity = _match(criterion, rubric)
        if identity is None:
            unmatched[index] = f"The rubric has no criterion “{criterion.name}”."
        elif identity in matched.values():
            unmatched[index] = f"Another criterion of the report already matches “{identity}”."
        else:
            matched[index] = identity

    ids = (criterion.id for criterion in rubric.criteria)
    missing = tuple(identity for identity in ids if identity not in matched.values())
    return CriteriaMatch(matched=matched, unmatched=unmatched, missing=missing)


def _match(criterion: ImportedCriterion, rubric: Rubric) -> str | None:
    """Return the id for the first key that exactly one criterion of the rubric has.

    Words in parentheses may be missing on one side, but must not differ.
    """
    spellings = [spelling for spelling in (criterion.id, criterion.name) if spelling]
    keys = [name_key(spelling) for spelling in spellings]
    short_keys = [short_name_key(spelling) for spelling in spellings]

    # Whole names first. A short key is only ever compared with a whole one.
    attempts = [
        *((key, _whole_keys) for key in keys),
        *((key, _short_keys) for key in keys),
        *((key, _whole_keys) for key in short_keys),
    ]
    for key, keys_of in attempts:
        ids = {item.id for item in rubric.criteria if key and key in keys_of(item)}
        if len(ids) == 1:
            return ids.pop()
    return None


def _whole_keys(criterion: Criterion) -> set[str]:
    return {name_key(criterion.id), name_key(criterion.name)}


def _short_keys(criterion: Criterion) -> set[str]:
    return {short_name_key(criterion.id), short_name_key(criterion.name)}
