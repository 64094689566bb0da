"""Criteria of the work's own rubric that none of its committed audits judges."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from courtroom.analysis.locations import shown
from courtroom.analysis.python.tree_walk import fields_of, walk

if TYPE_CHECKING:
    from courtroom.analysis.project.own_audits import AuditReading
    from courtroom.analysis.python.source_files import Codebase, SourceFile

# Keys of a rubric under which its criteria stand.
LISTS = ("dimensions", "criteria")
LEAST_CRITERIA, MOST_NAMED = 2, 10
# A heading and a name have fewer words.
MOST_WORDS, MOST_CHARACTERS = 30, 300
# A verdict in words, such as "partially met", has no more.
FEW_WORDS = 5
IDS = ("id", "criterion_id", "dimension_id")
NAMES = ("name", "title", "criterion_name", "dimension_name")
# Fields of a criterion in code, beside its id.
TELLING = frozenset({*NAMES, "forensic_instruction", "success_pattern", "target_artifact"})
# Fields that a rubric's criteria alone have, whatever its file is called.
OF_RUBRICS = frozenset(
    {"forensic_instruction", "success_pattern", "failure_pattern", "judicial_logic"}
)
# Forms of a rubric that are not read.
OTHER_FORMS = frozenset({".yaml", ".yml", ".toml", ".md", ".csv"})
_SIGNS = re.compile(r"[^a-z0-9]+")
# Where a name heads something: a line, a cell of a table, a text of JSON, a label's value.
_HEADS = re.compile(
    r"[\n|]|\"(?=[^\"\n]{1,120}\"\s{0,9}[:,}\]\n])"
    r"|\b(?:criteri(?:on|a)|dimension)[ _]?(?:id|name)?\W{1,6}",
    re.IGNORECASE,
)
# What may follow a name that heads something: not more words of a sentence.
_AFTER_NAME = re.compile(
    r"[:(\[=\u2013\u2014]| (?=-|\d)|\"(?=\s{0,9}(?:[:,}\]]|$))"
    r"|\*(?=[*\s]{0,9}(?:[:(\[\u2013\u2014-]|\d|score|verdict|$))",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
# What a program writes above the beginning of a text: "Preview (first 600 chars)".
_BEGINNING = re.compile(r"\bfirst (\d{2,5}) (?:chars?|characters)\b", re.IGNORECASE)
# Marks and blank lines may stand between those words and the text.
MARKS = 60
_NUMBER = re.compile(r"(?:(?:criterion|dimension|section) )?(?:\d{1,2} ){0,2}")


@dataclass(frozen=True, slots=True)
class RubricCriterion:
    """Criterion of a committed rubric; `line` is that of its id, or of its name, in the file."""

    id: str
    name: str
    line: int

    @property
    def keys(self) -> set[str]:
        return {_plain(self.id), _plain(self.name)} - {""}


def _plain(text: str) -> str:
    return _SIGNS.sub(" ", text.lower()).strip()


def rubric_paths(paths: Sequence[str]) -> list[str]:
    named = (PurePosixPath(path) for path in paths)
    return [str(p) for p in named if p.suffix == ".json" and "rubric" in p.name.lower()]


def rubrics_of(codebase: Codebase) -> dict[str, str]:
    """Return the texts of the rubrics that the code names, else of all in the repository."""
    named = rubrics_among(codebase.data)
    return {path: codebase.data[path] for path in named} or codebase.rubrics


def rubrics_among(data: Mapping[str, str]) -> list[str]:
    """Return the files that are called a rubric; where none is, those with criteria of one."""
    return rubric_paths([*data]) or [
        path
        for path, text in data.items()
        if path.endswith(".json")
        and sum(not OF_RUBRICS.isdisjoint(row) for row in _rows_of(text)) >= LEAST_CRITERIA
    ]


def criteria_of(text: str) -> list[RubricCriterion]:
    """Return the criteria of a rubric in JSON; none where it is no rubric."""
    pairs = [(_first(row, IDS), _first(row, NAMES)) for row in _rows_of(text)]
    return [
        RubricCriterion(str(id_ or ""), str(name or ""), _line(text, str(id_ or name)))
        for id_, name in pairs
        if id_ or name
    ]


def _rows_of(text: str) -> list[dict[str, Any]]:
    try:
        rubric = json.loads(text)
    except (ValueError, RecursionError):
        return []
    lists = [rubric.get(key) for key in LISTS] if isinstance(rubric, dict) else []
    rows = next((rows for rows in lists if isinstance(rows, list)), [])
    return [row for row in rows if isinstance(row, dict)]


def _first(row: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((row[key] for key in keys if row.get(key)), None)


def absent_rubric(paths: Sequence[str], sources: Sequence[SourceFile]) -> str:
    """Return why no criteria of a rubric were read, of the files of a work and its code."""
    named = [PurePosixPath(path) for path in paths if "rubric" in PurePosixPath(path).name.lower()]
    if unlike := next((str(path) for path in named if path.suffix == ".json"), ""):
        return f"no list of criteria was recognised in {unlike}"
    if other := next((str(path) for path in named if path.suffix in OTHER_FORMS), ""):
        return f"{other} is no JSON: criteria of a rubric in another form are not read"
    places = (
        f"{source.path}:{node.lineno}"
        for source in sources
        for node in walk(source.tree)
        if isinstance(node, ast.List) and sum(map(_is_criterion, node.elts)) >= LEAST_CRITERIA
    )
    if place := next(places, ""):
        return f"the criteria at {place} stand in code, and only those of a JSON file are read"
    return "no rubric was recognised among the committed files"


def _is_criterion(node: ast.expr) -> bool:
    fields = set(fields_of(node)) if isinstance(node, ast.Dict) else set()
    return not fields.isdisjoint(IDS) and not fields.isdisjoint(TELLING)


def _line(text: str, word: str) -> int:
    position = text.find(f'"{word}"')
    return text.count("\n", 0, position) + 1 if position >= 0 else 1


def unjudged_criteria(
    readings: Sequence[AuditReading], rubrics: Mapping[str, Sequence[RubricCriterion]]
) -> list[dict[str, Any]] | None:
    """Return a sentence for each rubric of which the work's own audits judge a part, as facts.

    None where no audit is of one of these rubrics.

    An audit is of the smallest rubric that has its criteria. Where it has others, too, a criterion
    that heads a line or a cell of its text, or stands in a heading, is not missing: it may be read
    as something else.
    """
    audits: dict[str, list[AuditReading]] = {}
    others: list[AuditReading] = []
    for reading in (reading for reading in readings if reading.is_ours):
        path = _rubric_of(reading, rubrics)
        (others if path is None else audits.setdefault(path, [])).append(reading)
    if not audits:
        return None
    return [
        _fact(path, rubrics[path], missing, audits[path])
        for path in audits
        if (missing := list(_missing(rubrics[path], audits[path], others)))
    ]


def cut_audit(readings: Sequence[AuditReading]) -> str:
    """Return why the work's own audits do not tell what they judge: each is the beginning of one.

    A file is, where it says so and ends with as many characters as it says.
    """
    ours = [reading for reading in readings if reading.is_ours and reading.report.criteria]
    counts = [_count_of_beginning(reading.text) for reading in ours]
    if not ours or None in counts:
        return ""
    return (
        f"{ours[0].path} ends with the first {counts[0]} characters of a report: what else that"
        " report judges is not in it"
    )


def _count_of_beginning(text: str) -> int | None:
    ends = ((int(match[1]), len(text) - match.end()) for match in _BEGINNING.finditer(text))
    return next((count for count, rest in ends if count / 2 <= rest <= count + MARKS), None)


def _rubric_of(
    reading: AuditReading, rubrics: Mapping[str, Sequence[RubricCriterion]]
) -> str | None:
    criteria = reading.report.criteria
    named = [{_plain(row.id or ""), _plain(row.name)} for row in criteria]
    fitting = []
    for path, rows in rubrics.items():
        keys = set[str]().union(*(row.keys for row in rows))
        common = sum(not keys.isdisjoint(names) for names in named)
        if common >= max(LEAST_CRITERIA, len(named) / 2):
            fitting.append((-common, len(rows), path))
    return min(fitting)[-1] if fitting else None


def _missing(
    criteria: Sequence[RubricCriterion],
    audits: Sequence[AuditReading],
    others: Sequence[AuditReading],
) -> Iterator[RubricCriterion]:
    """Yield the criteria that no audit of this rubric judges, and no other one names."""
    known = set[str]().union(*(row.keys for row in criteria))
    names = set[str]().union(*(_names_in(audit, known) for audit in audits))
    names.update(*(_heads_in(audit.text) for audit in others))
    yield from (row for row in criteria if row.keys.isdisjoint(names))


def _names_in(audit: AuditReading, known: set[str]) -> set[str]:
    """Return an audit's criteria, and what heads its lines where one of them is another."""
    named = [{_plain(row.id or ""), _plain(row.name)} for row in audit.report.criteria]
    tails = chain.from_iterable(_tails(name) for names in named for name in names)
    names = {start for tail in tails for start in accumulate(tail.split(), "{} {}".format)}
    is_other = any(known.isdisjoint(names) for names in named)
    return names | set(_heads_in(audit.text)) if is_other else names


def _heads_in(text: str) -> Iterator[str]:
    """Yield what may be a name in a text: a part of a line, and the end of a heading."""
    for part in _HEADS.split(text):
        yield from (_NUMBER.sub("", name, count=1) for name in _starts(part))
    for line in text.splitlines():
        if line.startswith("#"):
            yield from chain.from_iterable(map(_tails, _starts(line)))


def _starts(part: str) -> Iterator[str]:
    """Yield the words of a part of a text, and those before each sign that may end a name.

    What follows a sign is a score or a few words; a sentence is on a criterion and judges nothing.
    """
    part = part[:MOST_CHARACTERS].lstrip(" \t#>*_-+`")
    yield _plain(part)
    for sign in _AFTER_NAME.finditer(part):
        after = part[sign.start() :]
        if after[0] == '"' or len(after.split()) <= FEW_WORDS or _DIGIT.search(after):
            yield _plain(part[: sign.start()])


def _tails(words: str) -> Iterator[str]:
    parts = words.split()[:MOST_WORDS]
    return (" ".join(parts[n:]) for n in range(len(parts)))


def _fact(
    path: str,
    criteria: Sequence[RubricCriterion],
    missing: Sequence[RubricCriterion],
    audits: Sequence[AuditReading],
) -> dict[str, Any]:
    names = ", ".join(row.id or row.name for row in missing[:MOST_NAMED])
    verb = "is" if len(missing) == 1 else "are"
    text = (
        f"{len(missing)} of the {len(criteria)} criteria of {path} {verb} judged in none of the"
        f" work's committed audits: {names}."
    )
    places = [(path, row.line) for row in missing[:1]]
    return shown(text, *places, *((audit.path, 1) for audit in audits[:MOST_NAMED]))
