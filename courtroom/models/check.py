"""Base of every kind of check; the kinds themselves are in courtroom/checks/."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationInfo,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from courtroom.models.nesting import MOST_CHARACTERS

# Context of a validation. What was accepted before, perhaps by a later version, stays readable:
# checks of unknown kinds are kept, and limits of a new rubric do not apply.
STORED = {"is_stored": True}


@dataclass(frozen=True, slots=True)
class MostForNew:
    """Limit of a new rubric's text or list; `unit` names what is counted."""

    most: int
    unit: str = "characters"

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_info_after_validator_function(self._refuse_longer, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        published = handler(schema)
        is_text = published["type"] == "string"
        return published | {"maxLength" if is_text else "maxItems": self.most}

    def _refuse_longer(self, value: Sized, info: ValidationInfo) -> Sized:
        if len(value) > self.most and info.context != STORED:
            raise PydanticCustomError(
                "over_limit",
                "The limit is {most} {unit}; there are {count}.",
                {"most": self.most, "unit": self.unit, "count": len(value)},
            )

        return value


SearchText = Annotated[str, MostForNew(MOST_CHARACTERS)]
SearchTexts = Annotated[tuple[SearchText, ...], MostForNew(100, "lines")]


# Judge who looks first at it: the Prosecutor, the Defense, the Tech Lead.
Concern = Literal["risk", "effort", "function"]


class RubricModel(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class CheckBase(RubricModel):
    """Fields that every kind of check has.

    `polarity` negative: finding it counts against the criterion. `weight` is relative within its
    criterion. `essential`: a judge who looks for substance (Tech Lead, Prosecutor) gives at most 3
    without it. `effort`: meeting it shows effort, which the Defense credits. `concern`: where none
    is named, `concern_of` of the registry derives it. `goal` says what holds where it is met,
    `fault` what is wrong where it is not; `fault_of` derives one where none is named.
    """

    id: str = Field(min_length=1, pattern=r"^[a-z0-9_.-]+$")
    goal: str = Field(min_length=1)
    # Not written when there is none: the digests of older rubrics stay what they were.
    fault: str = Field(default="", exclude_if=lambda fault: not fault)
    weight: float = Field(default=1, gt=0)
    polarity: Literal["positive", "negative"] = "positive"
    essential: bool = False
    effort: bool = False
    # Not written when there is none, for the same reason.
    concern: Concern | None = Field(default=None, exclude_if=lambda concern: concern is None)
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
