"""Which criterion of a rubric each of an imported report's is: by id, by name, or by one spelled as the other."""

from __future__ import annotations

from collections.abc import Mapping

from courtroom.models.record import Frozen
from courtroom.models.rubric import Criterion, Rubric
from courtroom.report_import.imported_report import ImportedCriterion, ImportedReport
from courtroom.report_import.name_cleaning import key_of, short_key_of


class CriteriaMatch(Frozen):
    """`matched` leads from an index into the report's criteria to an id of the rubric's; `unmatched` are the other
    indices, each with the reason; `missing` are the rubric's ids that the report does not speak of."""

    matched: Mapping[int, str]
    unmatched: Mapping[int, str]
    missing: tuple[str, ...]


def matched_criteria(report: ImportedReport, rubric: Rubric) -> CriteriaMatch:
    """Match by id, then by name, case, punctuation, numbering and emoji apart; each of the rubric's at most once."""
    matched: dict[int, str] = {}
    unmatched: dict[int, str] = {}
    for index, criterion in enumerate(report.criteria):
        identity = _match(criterion, rubric)
        if identity is None:
            unmatched[index] = f"The rubric has no criterion “{criterion.name}”."
        elif identity in matched.values():
            unmatched[index] = f"Another criterion of the report is taken for “{identity}” already."
        else:
            matched[index] = identity
    missing = tuple(
        criterion.id for criterion in rubric.criteria if criterion.id not in matched.values()
    )
    return CriteriaMatch(matched=matched, unmatched=unmatched, missing=missing)


def _match(criterion: ImportedCriterion, rubric: Rubric) -> str | None:
    """The first key that exactly one criterion of the rubric has; what stands in parentheses may be left out by one of
    the two, not differ."""
    whole = [key_of(spelling) for spelling in (criterion.id, criterion.name) if spelling]
    short = [short_key_of(spelling) for spelling in (criterion.id, criterion.name) if spelling]
    tries = [(key, form) for form in (_whole_keys, _short_keys) for key in whole] + [
        (key, _whole_keys) for key in short
    ]
    for key, form in tries:
        found = {each.id for each in rubric.criteria if key and key in form(each)}
        if len(found) == 1:
            return found.pop()
    return None


def _whole_keys(criterion: Criterion) -> set[str]:
    return {key_of(criterion.id), key_of(criterion.name)}


def _short_keys(criterion: Criterion) -> set[str]:
    return {short_key_of(criterion.id), short_key_of(criterion.name)}
