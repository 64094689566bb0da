"""CSV layouts of grades for Canvas, Moodle and spreadsheets. Pure: results in, rows out.

Canvas reads Student, ID, SIS User ID, SIS Login ID and Section, then a column for each assignment,
with a row of points possible. In Moodle the user maps the columns. Both leave a grade unchanged
where the cell is empty: an unreleased or undecided grade is an empty cell and never a 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from grading.core.csv_cells import Cell
from grading.engine.released_verdict import ReleasedCriterion, ReleasedVerdict

Layout = Literal["generic", "canvas", "moodle"]
Scale = Literal["points", "percent"]
SCORE_POSSIBLE = 5.0


@dataclass(frozen=True, slots=True)
class ExportChoice:
    """Options of an export.

    `everything` includes unreleased grades as they count now. `every_attempt` gives a row for each
    attempt with a verdict (generic and everything only). `criteria` and `versions` add columns.
    """

    layout: Layout = "generic"
    everything: bool = False
    every_attempt: bool = False
    scale: Scale = "points"
    criteria: bool = True
    versions: bool = True


@dataclass(frozen=True, slots=True)
class Result:
    """One student. `released` is null where there is nothing to export.

    `team` is the one that they are in, "" for none. `extension` says what an extension gives the student, "" for none; `reviewed_by` and
    `reviewed_at` are of the last review, "" before all criteria of this verdict were reviewed.
    `comments` counts the comments on the attempt of this row that the student sees.
    """

    name: str
    email: str
    number: str
    status: str
    released: ReleasedVerdict | None = None
    commit: str = ""
    released_at: str = ""
    team: str = ""
    extension: str = ""
    reviewed_by: str = ""
    reviewed_at: str = ""
    comments: int | None = None

    @property
    def has_grade(self) -> bool:
        return self.released is not None and self.released.overall_score is not None


@dataclass(frozen=True, slots=True)
class Table:
    """`criteria` are (id, name) in column order; `possible` is the maximum grade."""

    title: str
    choice: ExportChoice
    criteria: tuple[tuple[str, str], ...]
    possible: float

    def header(self) -> list[list[Cell]]:
        """Return one row of names; for Canvas also one of points."""
        names: list[Cell] = [*self._identity_names(), *self._grade_names(), *self._further_names()]
        if self.choice.layout != "canvas":
            return [names]
        # Five identity columns and the grade come first.
        empty = [None] * (len(names) - 6)
        return [names, ["    Points Possible", None, None, None, None, self.possible, *empty]]

    def row(self, result: Result) -> list[Cell]:
        return [*self._identity(result), *self._grade(result), *self._further(result)]

    def _identity_names(self) -> list[str]:
        return {
            "canvas": ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"],
            "moodle": ["Full name", "ID number", "Email address"],
            "generic": ["student", "email", "student_number", "status", "released_at"],
        }[self.choice.layout]

    def _identity(self, result: Result) -> list[Cell]:
        if self.choice.layout == "canvas":
            # Canvas fills its own ID; SIS User ID matches the student.
            return [result.name, None, result.number, result.email, None]
        if self.choice.layout == "moodle":
            return [result.name, result.number, result.email]
        return [result.name, result.email, result.number, result.status, result.released_at]

    def _grade_names(self) -> list[str]:
        if self.choice.layout != "generic":
            return [self.title]
        return (
            ["percent"]
            if self.choice.scale == "percent"
            else ["score", "points", "points_possible"]
        )

    def _grade(self, result: Result) -> list[Cell]:
        released = result.released if result.has_grade else None
        if self.choice.layout != "generic" or self.choice.scale == "percent":
            return [_grade_of(released, self.choice.scale)]
        if released is None:
            return [None, None, None]

        points = released.points
        sums = [points.earned, points.possible] if points else [None, None]
        return [released.overall_score, *sums]

    def _further_names(self) -> list[str]:
        versions = (
            [
                "attempt",
                "commit",
                "rubric_version",
                "report_digest",
                "team",
                "adjustment",
                "adjustment_reason",
                "extension",
                "reviewed_by",
                "reviewed_at",
                "comments",
            ]
            if self.choice.versions
            else []
        )
        return [*versions, *(_distinct(self.criteria) if self.choice.criteria else [])]

    def _further(self, result: Result) -> list[Cell]:
        released = result.released
        versions: list[Cell] = (
            [released.attempt, result.commit, released.rubric_version, released.digest]
            if released
            else [None, result.commit, None, None]
        )
        adjustment = released.adjustment if released else None
        versions += [result.team]
        versions += [adjustment.delta, adjustment.reason] if adjustment else [None, None]
        versions += [result.extension, result.reviewed_by, result.reviewed_at, result.comments]
        rows = {row.id: row for row in released.criteria} if released else {}
        criteria = [_criterion_of(rows.get(key), self.choice.scale) for key, _name in self.criteria]

        return [
            *(versions if self.choice.versions else []),
            *(criteria if self.choice.criteria else []),
        ]


def _grade_of(released: ReleasedVerdict | None, scale: Scale) -> float | None:
    """Return the points of a rubric with points, else the score out of five."""
    if released is None or released.overall_score is None:
        return None
    earned, possible = released.overall_score, SCORE_POSSIBLE
    if released.points:
        earned, possible = released.points.earned, released.points.possible
    if scale == "points":
        return earned

    return 100.0 * earned / possible if possible else None


def _criterion_of(row: ReleasedCriterion | None, scale: Scale) -> float | None:
    """Return None where the criterion was left out or needs review."""
    # An empty cell keeps the grade in the other system; a 0 would overwrite it.
    if row is None or row.score is None or row.excluded or row.needs_review:
        return None
    earned, possible = float(row.score), SCORE_POSSIBLE
    if row.points is not None and row.max_points:
        earned, possible = row.points, row.max_points
    return earned if scale == "points" else 100.0 * earned / possible


def _distinct(criteria: Sequence[tuple[str, str]]) -> list[str]:
    """Return names, with the id added where two are equal."""
    names = [name for _key, name in criteria]
    return [f"{name} ({key})" if names.count(name) > 1 else name for key, name in criteria]
