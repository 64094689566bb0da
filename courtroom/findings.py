"""Findings of a report, and their stable identity.

A finding is a criterion, a check and a place (DESIGN 12). What is missing is one finding, wherever
it was looked for. A flaw is one finding in each file, whatever its lines, and stays the same when
its file is moved. The same function reads the courtroom's records and the site's: both fit `Report`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from json import dumps
from posixpath import normpath
from typing import TYPE_CHECKING, Protocol
from unicodedata import normalize
from urllib.parse import unquote

if TYPE_CHECKING:
    from courtroom.models.statement import Statement

# Code of the error where a quote is not at its place (detectives/quote_verification.py).
EVIDENCE_UNVERIFIED = "evidence_unverified"
# A check shows no more places than these (courtroom/checks/result.py):
# at four there may be others.
MOST_PLACES_SHOWN = 4
# The page of a file at a code host; GitLab puts /-/ before `blob`.
_HOSTED = re.compile(r"https?://[^/]+/[^/]+/[^/]+/(?:-/)?(?:blob|raw|tree|src)/[^/]+/(?P<path>.+)")
# “#L12-L30” as code hosts write lines, “:12-30” as people and compilers do.
_LINES = re.compile(r"(?:#L\d+(?:-L?\d+)?|:\d+(?:[-:]\d+)?)$")


class Location(Protocol):
    @property
    def path(self) -> str | None: ...
    @property
    def line_start(self) -> int | None: ...


class Evidence(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def found(self) -> bool: ...
    @property
    def location(self) -> Location: ...


class RootCause(Protocol):
    @property
    def code(self) -> str: ...
    @property
    def sentence(self) -> str: ...


class Check(Protocol):
    @property
    def check(self) -> str: ...
    @property
    def met(self) -> bool | None: ...
    @property
    def reason(self) -> str: ...
    @property
    def evidence(self) -> tuple[str, ...]: ...
    @property
    def not_applicable(self) -> RootCause | None: ...
    @property
    def statement(self) -> Statement: ...


class Remediation(Protocol):
    @property
    def path(self) -> str | None: ...
    @property
    def line(self) -> int | None: ...
    @property
    def action(self) -> str: ...
    @property
    def priority(self) -> str: ...
    @property
    def evidence(self) -> tuple[str, ...]: ...


class Criterion(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def excluded(self) -> bool: ...
    @property
    def checks(self) -> Sequence[Check]: ...
    @property
    def remediation(self) -> Sequence[Remediation]: ...


class RecordedError(Protocol):
    @property
    def code(self) -> str: ...


class Report(Protocol):
    """Report as the courtroom's records and the site's hold it."""

    @property
    def criteria(self) -> Sequence[Criterion]: ...
    @property
    def evidence(self) -> Sequence[Evidence]: ...
    @property
    def errors(self) -> Sequence[RecordedError]: ...


def normalised_place(place: str) -> str:
    """Return the path as git writes it, without lines, backslashes and an address before it.

    Words in the place of a path come back as they are; "" is the work as a whole.
    """
    # NFC: macOS may give the same name in decomposed characters.
    text = normalize("NFC", place).strip().strip("`'\"<>").strip()
    if hosted := _HOSTED.fullmatch(text):
        text = unquote(hosted["path"])
    text = _LINES.sub("", text).replace("\\", "/")
    path = normpath(text).lstrip("/") if text else ""
    return "" if path == "." else path


def key_of(criterion: str, check: str, place: str) -> str:
    """Return the identity: 64 hexadecimal digits. `check` is "" where no check is recorded."""
    identity = dumps([criterion, check, normalised_place(place)], ensure_ascii=False)
    return sha256(identity.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Draft:
    """One finding as one report has it. `place` is for display; the identity is in `key` alone.

    `lines` are 1-based lines of the file, in order; `evidence` are ids of the report's evidence;
    `priority` is high, medium, low or "".
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
class ReportFindings:
    """Findings of one report: those that are `there`.

    `looked_at` are the (criterion, check) pairs of which the report knows every place: a finding of
    these that is not there is gone. So is a root cause of the criteria that are `established`: in
    them no check is open.
    """

    there: tuple[Draft, ...]
    looked_at: frozenset[tuple[str, str]]
    established: frozenset[str] = frozenset()


def findings_of_report(report: Report) -> ReportFindings:
    """Return the findings of a report.

    A check that is not met is a finding. One that is not established says nothing, nor does a
    criterion that is left out. Checks that do not apply are none: their root cause is one, unless a
    check that is not met states it. Where a criterion has no checks its remediation is taken, which
    can never say that something is gone.
    """
    is_whole = all(error.code != EVIDENCE_UNVERIFIED for error in report.errors)
    evidence = {piece.id: piece for piece in report.evidence}
    there: list[Draft] = []
    looked_at = set()
    established = set()

    for criterion in report.criteria:
        if criterion.excluded:
            continue
        for check in criterion.checks:
            pieces = _pieces(check, evidence)
            if check.met is False:
                there += _of_check(criterion, check, pieces)
            if check.met or (check.met is False and _shows_every_place(pieces, is_whole)):
                looked_at.add((criterion.id, check.check))
        if not criterion.checks:
            there += [_of_remediation(criterion, change) for change in criterion.remediation]
        elif all(check.met is not None or check.not_applicable for check in criterion.checks):
            established.add(criterion.id)
    return ReportFindings(
        merged([*there, *_root_causes(report, evidence)]),
        frozenset(looked_at),
        frozenset(established),
    )


def _pieces(check: Check, evidence: Mapping[str, Evidence]) -> list[Evidence]:
    return [evidence[key] for key in check.evidence if key in evidence]


def _root_causes(report: Report, evidence: Mapping[str, Evidence]) -> Iterator[Draft]:
    """Yield each root cause that no check states, in the first criterion that has it."""
    criteria = [criterion for criterion in report.criteria if not criterion.excluded]
    stated = {c.reason for row in criteria for c in row.checks if c.met is False}
    for criterion in criteria:
        for check in criterion.checks:
            cause = check.not_applicable
            if cause and cause.sentence not in stated:
                stated.add(cause.sentence)
                yield _of_root_cause(criterion, check, cause, _pieces(check, evidence))


def _of_root_cause(
    criterion: Criterion, check: Check, cause: RootCause, pieces: Sequence[Evidence]
) -> Draft:
    changes = [task for task in criterion.remediation if set(task.evidence) & set(check.evidence)]
    draft = _draft(criterion, check, pieces, changes, _first_place(pieces), "")
    return replace(
        draft,
        # A work lacks it as a whole, whichever criterion asks first.
        key=key_of("", cause.code, ""),
        check_id=cause.code,
        title=cause.sentence.rstrip("."),
        text="",
    )


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

    # What is missing has no place in its identity: it may be looked for elsewhere next time.
    if not files:
        return [_draft(criterion, check, pieces, changes, _first_place(pieces), "")]
    return [
        _draft(
            criterion,
            check,
            [piece for piece in pieces if piece.location.path == path],
            # The change may belong into another file than the flaw.
            [task for task in changes if task.path == path] or changes,
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
        title=check.statement.sentence.rstrip("."),
        text=check.statement.fact,
        action=changes[0].action if changes else "",
        priority=changes[0].priority if changes else "",
        lines=tuple(sorted(line for line in lines if line)),
        evidence=tuple(piece.id for piece in pieces),
    )


def _first_place(pieces: Iterable[Evidence]) -> str:
    """Return the file to look at first; "" where there is none, as for what is missing."""
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
    """Return the first dozen words without punctuation: the place of what has none."""
    return " ".join(re.findall(r"\w+", normalize("NFKC", text).casefold())[:12])[:200]


def merged(drafts: Iterable[Draft]) -> tuple[Draft, ...]:
    """Return each finding once, with all its lines and evidence; the first words stand."""
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
