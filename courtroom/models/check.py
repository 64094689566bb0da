"""Base of every kind of check; the kinds themselves are in courtroom/checks/."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field


class RubricModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class CheckBase(RubricModel):
    """Fields that every kind of check has.

    `polarity` negative: finding it counts against the criterion. `weight` is relative within its
    criterion. `essential`: a judge who looks for substance (Tech Lead, Prosecutor) gives at most 3
    without it. `effort`: meeting it shows effort, which the Defense credits.
    """

    id: str = Field(min_length=1, pattern=r"^[a-z0-9_.-]+$")
    goal: str = Field(min_length=1)
    weight: float = Field(default=1, gt=0)
    polarity: Literal["positive", "negative"] = "positive"
    essential: bool = False
    effort: bool = False
    tags: tuple[str, ...] = ()
    advice: str = ""
    snippet: str | None = None

    if TYPE_CHECKING:
        # Each kind declares `kind` as a literal of its own, last of the fields: the order
        # of the published schema and of every stored rubric depends on it.
        @property
        def kind(self) -> str: ...

    @property
    def is_positive(self) -> bool:
        return self.polarity == "positive"


class UnknownCheck(CheckBase):
    """Check in a stored rubric, of a kind that only a later version knows.

    Its parameters are kept as they are, so the rubric keeps its digest. It is never established.
    """

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)

    kind: str
