"""Typed rules of a constitution: parameters, and an optional guard (DESIGN 9)."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from courtroom.models.check import MostForNew, SearchTexts
from courtroom.models.nesting import MOST_CHARACTERS

Rounding = Literal["half_up", "half_even"]
Overruled = Literal["every_judge", "defense"]
Guard = Annotated[str, Field(min_length=1), MostForNew(MOST_CHARACTERS)]
AppliesTo = Literal["every_criterion", "architecture"]
# Words by which a Prosecutor argues a security flaw, in lower case.
SECURITY_WORDS = (
    "security",
    "vulnerab",
    "injection",
    "os.system",
    "shell=true",
    "unsafe",
    "exploit",
)


MIN_EVIDENCE_CONFIDENCE = 0.5


class Rule(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class GuardedRule(Rule):
    """`when`: a condition in CEL (guards.py); where it does not hold, the constitution does without
    the rule.
    """

    # Not written when there is none: the digests of constitutions without guards stay what they
    # were.
    when: Guard | None = Field(default=None, exclude_if=lambda guard: guard is None)


class SecurityOverride(GuardedRule):
    """Confirmed security evidence caps a criterion.

    `trigger` evidence reads tags of found evidence; `argument` reads the Prosecutor's words and is
    there only to reproduce systems that did so. The argument holds one of `words`, in any case.
    """

    kind: Literal["security_override"] = "security_override"
    cap: int = Field(default=3, ge=1, le=5)
    min_confidence: float = Field(default=0.7, ge=0, le=1)
    trigger: Literal["evidence", "argument"] = "evidence"
    prosecutor_at_most: int = Field(default=5, ge=1, le=5)
    words: SearchTexts = Field(
        default=SECURITY_WORDS, exclude_if=lambda words: words == SECURITY_WORDS
    )


class CitationCheck(GuardedRule):
    """An opinion that cites what its judge was not shown is set aside."""

    kind: Literal["citation_check"] = "citation_check"


class FactSupremacy(GuardedRule):
    """Facts overrule opinions.

    `overrule_unsupported`: an opinion above what its citations support is overruled. `overruled`:
    `every_judge`, whose score moves to the nearest supported one, or `defense`: only where it is
    above the Prosecutor, and the higher score of Prosecutor and Tech Lead decides. `weak_below`:
    with a mean evidence confidence under it, the criterion is capped at `weak_cap` (null switches
    it off).
    """

    kind: Literal["fact_supremacy"] = "fact_supremacy"
    overrule_unsupported: bool = True
    overruled: Overruled = Field(
        default="every_judge", exclude_if=lambda overruled: overruled == "every_judge"
    )
    weak_below: float | None = Field(default=None, ge=0, le=1)
    weak_cap: int = Field(default=2, ge=1, le=5)


class FunctionalityWeight(GuardedRule):
    """The Tech Lead decides architecture criteria."""

    kind: Literal["functionality_weight"] = "functionality_weight"
    applies_to: AppliesTo = "architecture"


class VarianceReEvaluation(GuardedRule):
    """A spread (highest minus lowest score) above the limit is heard again, then the Tech Lead
    decides.
    """

    kind: Literal["variance_re_evaluation"] = "variance_re_evaluation"
    spread_above: int = Field(default=2, ge=0, le=4)
    max_rounds: int = Field(default=1, ge=0, le=3)
    then: Literal["tech_lead", "average"] = "tech_lead"


class DissentRequirement(GuardedRule):
    """A spread at or above the limit must be explained, quoting each judge's evidence."""

    kind: Literal["dissent_requirement"] = "dissent_requirement"
    spread_from: int = Field(default=2, ge=1, le=4)


class WeightedAverage(GuardedRule):
    """The score when no other rule decides: a weighted mean of the judges that were heard.

    `on_unanimity` false: when all scores are the same they stand as they are and no rule is named.
    """

    kind: Literal["weighted_average"] = "weighted_average"
    prosecutor: float = Field(default=1, ge=0)
    defense: float = Field(default=1, ge=0)
    tech_lead: float = Field(default=2, ge=0)
    rounding: Rounding = "half_up"
    on_unanimity: bool = True

    @model_validator(mode="after")
    def _some_weight_is_positive(self) -> WeightedAverage:
        if not self.prosecutor + self.defense + self.tech_lead:
            message = "at least one judge must weigh more than 0"
            raise ValueError(message)
        return self


AnyRule = Annotated[
    SecurityOverride
    | CitationCheck
    | FactSupremacy
    | FunctionalityWeight
    | VarianceReEvaluation
    | DissentRequirement
    | WeightedAverage,
    Field(discriminator="kind"),
]


R = TypeVar("R", bound=Rule)


class Constitution(Rule):
    """A set of rules, one of a kind, shown in this order; synthesis.py fixes the order they work
    in.

    With less than `min_evidence` pieces of found evidence of at least `min_evidence_confidence`
    (0..1) no criterion is scored. `needs_every_detective`: a criterion is scored only if no
    detective failed on one of its checks.
    """

    id: str
    rules: tuple[AnyRule, ...]
    quorum: int = Field(default=2, ge=1, le=3)
    min_evidence: int = Field(default=1, ge=0)
    # Above what rests on words alone (courtroom/checks/result.py).
    min_evidence_confidence: float = Field(
        default=MIN_EVIDENCE_CONFIDENCE,
        ge=0,
        le=1,
        exclude_if=lambda confidence: confidence == MIN_EVIDENCE_CONFIDENCE,
    )
    needs_every_detective: bool = Field(default=False, exclude_if=lambda is_needed: not is_needed)

    @model_validator(mode="after")
    def _kinds_are_unique(self) -> Constitution:
        kinds = [rule.kind for rule in self.rules]
        twice = sorted({kind for kind in kinds if kinds.count(kind) > 1})
        if twice:
            message = f"a constitution holds each rule once: {', '.join(twice)}"
            raise ValueError(message)
        return self

    def find(self, kind: type[R]) -> R | None:
        """The rule of this class, or None when the constitution does without it."""
        return next((rule for rule in self.rules if isinstance(rule, kind)), None)
