"""Constitutions that ship with the project; each reproduces one earlier system (DESIGN 9).

Their worked examples are in tests/courtroom/synthesis/test_constitutions.py.
"""

from __future__ import annotations

from courtroom.models.errors import RubricRefused
from courtroom.models.rubric import Rubric
from courtroom.synthesis.rules import (
    CitationCheck,
    Constitution,
    DissentRequirement,
    FactSupremacy,
    FunctionalityWeight,
    SecurityOverride,
    VarianceReEvaluation,
    WeightedAverage,
)

DEFAULT = Constitution(
    id="default",
    rules=(
        SecurityOverride(),
        FactSupremacy(),
        FunctionalityWeight(),
        VarianceReEvaluation(),
        DissentRequirement(),
        WeightedAverage(),
    ),
)

# (P + D + 2T) / 4 with Python's round; the security cap reads the Prosecutor's words. The system is
# described by "a security argument", so only that word counts.
WEIGHTED_AVERAGE = Constitution(
    id="weighted-average",
    rules=(
        SecurityOverride(trigger="argument", prosecutor_at_most=2, words=("security",)),
        FactSupremacy(overrule_unsupported=False, weak_below=0.5, weak_cap=2),
        DissentRequirement(spread_from=2),
        WeightedAverage(rounding="half_even"),
    ),
)

# A spread over 2 goes back to the judges with both sides' evidence; then all rules apply again.
OVERRIDES = Constitution(
    id="overrides",
    rules=(
        SecurityOverride(),
        FactSupremacy(),
        FunctionalityWeight(),
        VarianceReEvaluation(spread_above=2, max_rounds=1),
        DissentRequirement(spread_from=3),
        WeightedAverage(),
    ),
)

# No rule here reads evidence, and a verdict needs none: words of a low Prosecutor cap the score, an
# opinion that cites what was not shown is set aside, a spread above 2 is marked and explained, and
# agreement stands.
OPINIONS_ONLY = Constitution(
    id="opinions-only",
    rules=(
        SecurityOverride(
            trigger="argument",
            prosecutor_at_most=2,
            words=("security", "vulnerability", "injection", "os.system", "unsafe"),
        ),
        CitationCheck(),
        FunctionalityWeight(),
        VarianceReEvaluation(max_rounds=0),
        DissentRequirement(spread_from=3),
        WeightedAverage(on_unanimity=False),
    ),
    min_evidence=0,
)

# An unsupported Defense above the Prosecutor leaves the decision to the higher of the others.
POINTS_BASED = Constitution(
    id="points-based",
    rules=(
        SecurityOverride(),
        FactSupremacy(overruled="defense"),
        FunctionalityWeight(),
        VarianceReEvaluation(max_rounds=0),
        DissentRequirement(spread_from=3),
        WeightedAverage(),
    ),
)

# Missing input is routed to a person: every judge must answer, no detective may fail, and five
# pieces of evidence must be found.
GOVERNANCE = Constitution(
    id="governance",
    rules=(
        SecurityOverride(),
        FactSupremacy(),
        FunctionalityWeight(),
        VarianceReEvaluation(),
        DissentRequirement(),
        WeightedAverage(),
    ),
    quorum=3,
    min_evidence=5,
    needs_every_detective=True,
)

PRESETS = {
    constitution.id: constitution
    for constitution in (
        DEFAULT,
        WEIGHTED_AVERAGE,
        OVERRIDES,
        OPINIONS_ONLY,
        POINTS_BASED,
        GOVERNANCE,
    )
}


def preset(name: str) -> Constitution:
    """Return the shipped constitution. Raises RubricRefused (rubric_constitution_unknown)."""
    try:
        return PRESETS[name]
    except KeyError:
        names = ", ".join(PRESETS)
        raise RubricRefused(
            "rubric_constitution_unknown", f"There is no constitution {name!r}. There are: {names}."
        ) from None


def constitution_of(rubric: Rubric) -> Constitution:
    """Return the rubric's own constitution, or the preset that it names."""
    own = rubric.constitution
    return preset(own) if isinstance(own, str) else own
