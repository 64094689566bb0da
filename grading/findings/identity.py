"""Recognition of findings from report to report, by their identity (courtroom/findings.py)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from posixpath import basename

from grading.engine.findings import Draft, ReportFindings, normalised_place
from grading.engine.report import root_cause_codes


@dataclass(frozen=True, slots=True)
class RecordedFinding:
    """Finding on the record, for recognising the same one again. `place` is the last one."""

    key: str
    criterion_id: str
    check_id: str
    place: str
    title: str = ""


Name = Callable[[Draft | RecordedFinding], tuple[str, ...]]


def recognised(there: Sequence[Draft], recorded: Sequence[RecordedFinding]) -> dict[str, str]:
    """Return the key of the recorded finding by the key of each draft; new findings are left out.

    A draft is recognised by its identity, else by where it was last seen, else (its file was moved)
    by the file's name, if only one finding of this criterion and check has it on either side.
    """
    keys = {finding.key for finding in recorded}
    same = {draft.key: draft.key for draft in there if draft.key in keys}

    for name_of in (_by_place, _by_name):
        drafts = [draft for draft in there if draft.key not in same]
        free = [finding for finding in recorded if finding.key not in same.values()]
        same |= _only_pairs(drafts, free, name_of)
    return same


def _by_place(finding: Draft | RecordedFinding) -> tuple[str, ...]:
    return (finding.criterion_id, finding.check_id, normalised_place(finding.place))


def _by_name(finding: Draft | RecordedFinding) -> tuple[str, ...]:
    return (finding.criterion_id, finding.check_id, basename(normalised_place(finding.place)))


def _only_pairs(
    drafts: Sequence[Draft], recorded: Sequence[RecordedFinding], name_of: Name
) -> dict[str, str]:
    # Only what has a check and a place: everything else would share one name.
    placed = [draft for draft in drafts if draft.check_id and draft.place]
    candidates = [finding for finding in recorded if finding.check_id and finding.place]
    uses = Counter(map(name_of, placed))
    recorded_uses = Counter(map(name_of, candidates))

    keys = {name_of(row): row.key for row in candidates if recorded_uses[name_of(row)] == 1}
    return {
        draft.key: keys[name_of(draft)]
        for draft in placed
        if uses[name_of(draft)] == 1 and name_of(draft) in keys
    }


def gone(
    reported: ReportFindings, recorded: Iterable[RecordedFinding], present: Iterable[str]
) -> list[str]:
    """Return the keys of recorded findings that are no longer there.

    Their check was looked at everywhere, and they are not among the keys `present`.
    """
    still, codes = set(present), root_cause_codes()
    return [
        finding.key
        for finding in recorded
        if finding.key not in still
        and (
            (finding.criterion_id, finding.check_id) in reported.looked_at
            or (finding.check_id in codes and finding.criterion_id in reported.established)
        )
    ]
