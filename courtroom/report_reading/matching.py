"""Which criterion of a rubric each of an imported report's is: by id, by name, or by one spelled as the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from courtroom.record import Frozen
from courtroom.report_reading.imported import ImportedCriterion, ImportedReport
from courtroom.report_reading.names import key_of, short_key_of
from courtroom.rubric import Criterion, Rubric


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
    missing = tuple(criterion.id for criterion in rubric.criteria if criterion.id not in matched.values())
    return CriteriaMatch(matched=matched, unmatched=unmatched, missing=missing)


def _match(criterion: ImportedCriterion, rubric: Rubric) -> str | None:
    """The first key that exactly one criterion of the rubric has; what stands in parentheses counts last."""
    for key in _keys(criterion.id, criterion.name):
        found = {each.id for each in rubric.criteria if key in set(_keys_of(each))}
        if len(found) == 1:
            return found.pop()
    return None


def _keys_of(criterion: Criterion) -> Iterator[str]:
    return _keys(criterion.id, criterion.name)


def _keys(identity: str | None, name: str) -> Iterator[str]:
    spellings = [spelling for spelling in (identity, name) if spelling]
    yield from filter(None, map(key_of, spellings))
    yield from filter(None, map(short_key_of, spellings))
