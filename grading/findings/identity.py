"""Findings that keep their identity: what a report says is to be mended, and whether it is the same as was known.

A finding is a criterion, a check and a place (DESIGN 12). What is missing is one finding wherever it was looked for; a
flaw is one in each file it stands in, whatever its lines, and stays the same when its file is moved.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from json import dumps
from posixpath import basename, normpath
from unicodedata import normalize
from urllib.parse import unquote

from grading.engine.report import (
    EVIDENCE_UNVERIFIED,
    Check,
    Criterion,
    Evidence,
    Remediation,
    Report,
)

# A check shows no more places than these (courtroom/checks/findings.py):
# at four there may be others.
MOST_PLACES_SHOWN = 4
_HOSTED = re.compile(r"https?://[^/]+/[^/]+/[^/]+/(?:-/)?(?:blob|raw|tree|src)/[^/]+/(?P<path>.+)")
_LINES = re.compile(r"(?:#L\d+(?:-L?\d+)?|:\d+(?:[-:]\d+)?)$")


def normalised_place(place: str) -> str:
    """A path of the tree as git writes it, whether it came with lines, backslashes or an address before it.

    Words that stand where there is no path come back as they are; "" is the work as a whole.
    """
    text = normalize("NFC", place).strip().strip("`'\"<>").strip()
    if hosted := _HOSTED.fullmatch(text):
        text = unquote(hosted["path"])
    text = _LINES.sub("", text).replace("\\", "/")
    path = normpath(text).lstrip("/") if text else ""
    return "" if path == "." else path


def key_of(criterion: str, check: str, place: str) -> str:
    """The identity: 64 hexadecimal digits. `check` is "" where nothing but the criterion and the place is known."""
    told = dumps([criterion, check, normalised_place(place)], ensure_ascii=False)
    return sha256(told.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Known:
    """A finding on the record, by which others are recognised. `place` is where it was last seen."""

    key: str
    criterion_id: str
    check_id: str
    place: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """What one report says of one finding. `place` is shown; whether it is part of the identity is in `key`.

    `lines` are 1-based lines of the file, in order; `evidence` are ids of the report's evidence; `priority` is high,
    medium, low or "".
    """

    key: str
    criterion_id: str
    criterion_name: str
    check_id: str
    place: str
    title: str
    text: str = ""
    action: str = ""
    priority: str = ""
    lines: tuple[int, ...] = ()
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """A report's word on findings: those that are there, and of which (criterion, check) it knows every place."""

    there: tuple[Draft, ...]
    looked_at: frozenset[tuple[str, str]]


def findings_of_report(report: Report) -> Told:
    """Return what a report says is to be mended.

    A check that is not met is a finding. One that is not established says nothing, nor does a
    criterion that is left out. Where a criterion has no checks its remediation is taken, which can
    never say that something is gone.
    """
    is_whole = not report.errors_of(EVIDENCE_UNVERIFIED)
    there: list[Draft] = []
    looked_at = set()

    for criterion in report.criteria:
        if criterion.excluded:
            continue
        for check in criterion.checks:
            pieces = report.evidence_of(check.evidence)
            if check.met is False:
                there += _of_check(criterion, check, pieces)
            if check.met or (check.met is False and _shows_every_place(pieces, is_whole)):
                looked_at.add((criterion.id, check.check))
        if not criterion.checks:
            there += [_of_remediation(criterion, change) for change in criterion.remediation]
    return Told(merged(there), frozenset(looked_at))


def _shows_every_place(pieces: Sequence[Evidence], is_whole: bool) -> bool:
    """Return whether no place is missing: flaws beyond the first few are only counted.

    What is absent has one place, which is the whole.
    """
    return not _flawed_files(pieces) or (is_whole and len(pieces) < MOST_PLACES_SHOWN)


def _flawed_files(pieces: Sequence[Evidence]) -> list[str]:
    # Evidence of an unmet check is `found` only where something should not be there.
    paths = (piece.location.path for piece in pieces if piece.found)
    return list(dict.fromkeys(path for path in paths if path))


def _of_check(criterion: Criterion, check: Check, pieces: Sequence[Evidence]) -> list[Draft]:
    changes = [task for task in criterion.remediation if set(task.evidence) & set(check.evidence)]
    files = _flawed_files(pieces)
    if not files:
        return [_draft(criterion, check, pieces, changes, _first_place(pieces), "")]
    return [
        _draft(
            criterion,
            check,
            [piece for piece in pieces if piece.location.path == path],
            [task for task in changes if task.path == path],
            path,
            path,
        )
        for path in files
    ]


def _draft(
    criterion: Criterion,
    check: Check,
    pieces: Sequence[Evidence],
    changes: Sequence[Remediation],
    place: str,
    identity: str,
) -> Draft:
    lines = {piece.location.line_start for piece in pieces if piece.location.path == place}
    return Draft(
        key=key_of(criterion.id, check.check, identity),
        criterion_id=criterion.id,
        criterion_name=criterion.name,
        check_id=check.check,
        place=place,
        title=check.goal,
        text=check.reason,
        action=changes[0].action if changes else "",
        priority=changes[0].priority if changes else "",
        lines=tuple(sorted(line for line in lines if line)),
        evidence=tuple(piece.id for piece in pieces),
    )


def _first_place(pieces: Iterable[Evidence]) -> str:
    """Return the file to look at first; "" where there is none, as for what is missing altogether."""
    return next((piece.location.path for piece in pieces if piece.location.path), "")


def _of_remediation(criterion: Criterion, change: Remediation) -> Draft:
    place = change.path or words_of(change.action)
    return Draft(
        key=key_of(criterion.id, "", place),
        criterion_id=criterion.id,
        criterion_name=criterion.name,
        check_id="",
        place=place if change.path else "",
        title=change.action,
        action=change.action,
        priority=change.priority,
        lines=(change.line,) if change.line else (),
        evidence=change.evidence,
    )


def words_of(text: str) -> str:
    """The first dozen words, without what stands between them: the place of what has none."""
    return " ".join(re.findall(r"\w+", normalize("NFKC", text).casefold())[:12])[:200]


def merged(drafts: Iterable[Draft]) -> tuple[Draft, ...]:
    """Each finding once, with the lines and the evidence of all that is said of it; the first words stand."""
    by_key: dict[str, Draft] = {}
    for draft in drafts:
        first = by_key.setdefault(draft.key, draft)
        if first is not draft:
            by_key[draft.key] = _joined(first, draft)
    return tuple(by_key.values())


def _joined(first: Draft, second: Draft) -> Draft:
    return Draft(
        first.key,
        first.criterion_id,
        first.criterion_name,
        first.check_id,
        first.place,
        first.title,
        text=first.text or second.text,
        action=first.action or second.action,
        priority=first.priority or second.priority,
        lines=tuple(sorted({*first.lines, *second.lines})),
        evidence=tuple(dict.fromkeys((*first.evidence, *second.evidence))),
    )


Name = Callable[[Draft | Known], tuple[str, ...]]


def recognised(there: Sequence[Draft], known: Sequence[Known]) -> dict[str, str]:
    """Which known finding each draft is: the draft's key to the known one's; drafts of something new are left out.

    By identity; else by where it was last seen; else, when a file was moved, by its name, if only one of this criterion
    and check has that name on either side.
    """
    same = {draft.key: draft.key for draft in there if draft.key in {each.key for each in known}}
    for named in (_by_place, _by_name):
        left = [draft for draft in there if draft.key not in same]
        free = [each for each in known if each.key not in same.values()]
        same |= _only_pairs(left, free, named)
    return same


def _by_place(one: Draft | Known) -> tuple[str, ...]:
    return (one.criterion_id, one.check_id, normalised_place(one.place))


def _by_name(one: Draft | Known) -> tuple[str, ...]:
    return (one.criterion_id, one.check_id, basename(normalised_place(one.place)))


def _only_pairs(drafts: Sequence[Draft], known: Sequence[Known], named: Name) -> dict[str, str]:
    """Of what has a check and a place, by a name that is given once among the drafts and once among the known."""
    mine = [each for each in drafts if each.check_id and each.place]
    theirs = [each for each in known if each.check_id and each.place]
    once = Counter(named(each) for each in mine), Counter(named(each) for each in theirs)
    by_name = {named(each): each.key for each in theirs if once[1][named(each)] == 1}
    return {
        each.key: by_name[named(each)]
        for each in mine
        if once[0][named(each)] == 1 and named(each) in by_name
    }


def gone(told: Told, known: Iterable[Known], seen: Iterable[str]) -> list[str]:
    """The keys of what is known and no longer there: every place of its check is told, and it is not among the `seen`."""
    still = set(seen)
    return [
        each.key
        for each in known
        if each.key not in still and (each.criterion_id, each.check_id) in told.looked_at
    ]
