"""A rubric, its criteria, levels and checks. Data only; the kinds of checks are in checks/.

A published rubric never changes; a verdict names its version and digest (DESIGN 7).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from itertools import accumulate
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

from courtroom.checks.registry import Check
from courtroom.models.canonical_json import digest_of
from courtroom.models.check import STORED, MostForNew, RubricModel
from courtroom.synthesis.rules import Constitution

# Every criterion costs three judges' calls, every check a search of all sources. The largest rubric
# known from practice has 10 criteria, 62 checks and 6 levels.
MOST_CRITERIA = 60
MOST_CHECKS = 400
MOST_LEVELS = 20


class Level(RubricModel):
    id: str
    name: str
    points: float = Field(ge=0)
    description: str = ""


class JudicialLogic(RubricModel):
    prosecutor: str = ""
    defense: str = ""
    tech_lead: str = ""


class Criterion(RubricModel):
    """One criterion. `levels` run from best to worst.

    `architecture`: the Tech Lead's opinion weighs most. `exclude_when` names a fact that takes the
    criterion out of both sums (DESIGN 7: No Exchange).
    """

    id: str = Field(min_length=1)
    name: str = Field(min_length=1)
    target_artifact: str = "github_repo"
    instruction: str = ""
    success_pattern: str = ""
    failure_pattern: str = ""
    judicial_logic: JudicialLogic = JudicialLogic()
    weight: float = Field(default=1, gt=0)
    max_points: float | None = Field(default=None, gt=0)
    levels: Annotated[tuple[Level, ...], MostForNew(MOST_LEVELS, "levels")] = ()
    checks: tuple[Check, ...] = ()
    architecture: bool = False
    exclude_when: Literal["no_exchange"] | None = None

    @property
    def passages(self) -> str:
        """Check id of evidence that is quoted from the report for no check (report_passages)."""
        return f"passages:{self.id}"


class Rubric(RubricModel):
    """A rubric. `constitution` is a preset's name (synthesis/constitutions.py) or its own
    constitution.
    """

    id: str = Field(min_length=1)
    name: str
    version: str
    grading_target: str = ""
    criteria: Annotated[tuple[Criterion, ...], MostForNew(MOST_CRITERIA, "criteria")] = Field(
        min_length=1
    )
    constitution: Constitution | str = "default"

    @model_validator(mode="after")
    def _checks_are_few(self, info: ValidationInfo) -> Rubric:
        totals = list(accumulate(len(criterion.checks) for criterion in self.criteria))
        if totals[-1] > MOST_CHECKS and info.context != STORED:
            raise PydanticCustomError(
                "too_many_checks",
                "The limit is {most} checks in all criteria; there are {count}.",
                {
                    "most": MOST_CHECKS,
                    "count": totals[-1],
                    "criterion": bisect_right(totals, MOST_CHECKS),
                },
            )

        return self

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Rubric:
        for kind, ids in (
            ("criterion", [c.id for c in self.criteria]),
            ("check", [k.id for k in self.checks]),
        ):
            twice = sorted(i for i, count in Counter(ids).items() if count > 1)
            if twice:
                raise PydanticCustomError(
                    "ids_not_unique",
                    "{level} ids must be unique: {twice}",
                    {"level": kind, "twice": ", ".join(twice), "ids": twice},
                )

        return self

    @classmethod
    def from_stored(cls, document: Mapping[str, Any]) -> Self:
        """Return a rubric that was accepted before, perhaps by a later version of the auditor.

        Checks of an unknown kind are kept, and are never established. Limits do not apply.
        """
        return cls.model_validate(document, context=STORED)

    @property
    def checks(self) -> tuple[Check, ...]:
        return tuple(check for criterion in self.criteria for check in criterion.checks)

    @cached_property
    def digest(self) -> str:
        """SHA-256 without nulls.

        A parameter that a later version adds, null by default, changes no digest.
        """
        return digest_of(self.model_dump(mode="json", exclude_none=True))
