"""The fact on each committed audit: its scores, its opinions, and what does not fit in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from courtroom.analysis.project.dissent_opinions import opinions_of
from courtroom.analysis.project.own_audits import (
    LEAST_OPINIONS,
    MOST_ROWS,
    filled_places,
    newest_audits,
)
from courtroom.analysis.project.recorded_scores import (
    fixed_scores,
    other_scores,
    sentence_on_scores,
    written_score,
)
from courtroom.analysis.project.repeated_arguments import LEAST_FIXED

if TYPE_CHECKING:
    from courtroom.analysis.project.own_audits import AuditReading
    from courtroom.report_import.imported_report import ImportedReport

# Weights move an overall score; a mean further away than this share of the scale is not its own.
MEAN_SHARE = 0.1
# Judges who are absent more often may not have been asked on each criterion.
ABSENT_SHARE = 0.25
# What is said of an audit whose own text names another work.
AS_AUDITED = "as audited, and README names"
# What is said of a received audit that the work wrote.
SAME_FILE = "and is the same file as"
_CLONE = re.compile(
    r"git clone (?:https://github\.com/|git@github\.com:)([\w-]{1,39}/[\w.-]{1,100}?)(?:\.git)?/?"
    r"(?![\w./-])",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(r"your|user|owner|example|\borg/|repo$")


def audit_rows(
    readings: Sequence[AuditReading],
    own: str | None = None,
    received_as: Mapping[str, Sequence[str]] | None = None,
) -> list[dict[str, Any]]:
    """Return the fact own_audits; `own` is the repository that README names."""
    newest = newest_audits(readings)
    older = [r for r in readings if r.is_ours and len(r.opinions) >= LEAST_OPINIONS]
    return [
        audit_row(reading, own, (received_as or {}).get(reading.path, ()))
        | {"is_older": reading in older and reading not in newest}
        for reading in readings
    ]


def audit_row(
    reading: AuditReading, own: str | None = None, received_as: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the fields of models.output_facts.OwnAudit; `own` is the repository README names."""
    from courtroom.report_import.judge_failures import is_argued, is_filler

    report, opinions = reading.report, reading.opinions
    printed = sum(opinion.times for opinion in opinions)
    heard = {
        (number, opinion.judge)
        for number, criterion in enumerate(report.criteria)
        for opinion in opinions_of(criterion)
        if is_argued(opinion.argument) and not is_filler(opinion.argument)
    }
    return {
        "path": reading.path,
        "about": reading.about,
        "repository": reading.repository,
        "commit": report.commit,
        "date": report.date,
        "overall": report.overall.written if report.overall else None,
        "score": report.overall.value if report.overall else None,
        "maximum": report.overall.maximum if report.overall else None,
        "criteria": len(report.criteria),
        "opinions": printed,
        "repeated": printed - len(heard),
        "failed": sum(opinion.times for opinion in reading.failed),
        "cited_commits": list(reading.cited_commits),
        "received_as": list(received_as),
        "scores": list(_scores(report)),
        "remarks": [*_remarks(reading, own), *(as_received(reading.path, p) for p in received_as)],
    }


def _scores(report: ImportedReport) -> Iterator[dict[str, Any]]:
    for criterion in report.criteria[:MOST_ROWS]:
        if criterion.score and criterion.score.value is not None:
            score = criterion.score
            yield {"name": criterion.name, "score": score.value, "maximum": score.maximum}


def as_received(path: str, received: str) -> str:
    return f"{received} lies among the audits by peers {SAME_FILE} {path}."


def cloned_repository(text: str) -> str | None:
    """Return owner/name in lower case of what a README says to clone, None where it names none."""
    named = {
        match[1].lower() for match in _CLONE.finditer(text) if not _PLACEHOLDER.search(match[1])
    }
    return named.pop() if len(named) == 1 else None


def _remarks(reading: AuditReading, own: str | None) -> Iterator[str]:
    """Yield sentences on what does not fit in an audit: its work, its total, its judges' scores."""
    path, report = reading.path, reading.report
    if reading.about == "self" and own and reading.repository not in (None, own):
        yield f"{path} names {reading.repository} {AS_AUDITED} {own}."
    scores = [c.score for c in report.criteria if c.score is not None and not c.excluded]
    values = [score.value for score in scores if score.value is not None]
    total = report.overall
    is_one_scale = total and {score.maximum for score in scores} == {total.maximum}
    if total and total.value is not None and is_one_scale and len(values) == len(report.criteria):
        mean = sum(values) / len(values)
        if abs(total.value - mean) > MEAN_SHARE * (total.maximum or total.value):
            scored = f"the mean of its {len(values)} scores is {mean:.3g}"
            yield f"{path} gives {total.written} overall, and {scored}."
    if reading.fillers:
        yield f"{filled_places(reading)}."
    if unlike := reading.unlike:
        words = other_scores(path, unlike, len(reading.opinions))
        yield f"{words} for {written_score(unlike[0])}."
    if opinions := _missing_opinions(report):
        yield f"{path} lacks {opinions}."
    if words_by_judge := fixed_scores(report):
        yield f"{sentence_on_scores(path, words_by_judge)}."


def _missing_opinions(report: ImportedReport) -> str:
    """Return words on the criteria on which some judges of the others have no opinion, "" without."""
    rows = [
        (criterion.name, {str(opinion.judge) for opinion in opinions_of(criterion)})
        for criterion in report.criteria
    ]
    rows = [(name, judges) for name, judges in rows if judges]
    all_judges = set[str]().union(*(judges for _, judges in rows))
    gaps = [(judge, name) for name, judges in rows for judge in sorted(all_judges - judges)]
    count = len(rows) * len(all_judges)
    if not gaps or len(rows) < LEAST_FIXED or len(gaps) > ABSENT_SHARE * count:
        return ""
    judge, name = gaps[0]
    opinions = "the opinion" if len(gaps) == 1 else f"{len(gaps)} of {count} opinions, as that"
    return f"{opinions} of {judge} on “{name}”"
