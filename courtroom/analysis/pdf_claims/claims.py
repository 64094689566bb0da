"""What a report says the code does, held against what the code was found to do: confirmed, contradicted or open.

Only plain claims count: a sentence about a plan, a gap, a peer, an earlier version, or about what the tool
looks for in others claims nothing of this code. Sentences are matched, not understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.claim_patterns import FEATURES, Code, Feature

Standing = Literal["confirmed", "contradicted", "open"]

_PASSAGE_CHARACTERS = 400
_LONGEST_SENTENCE = 2000  # characters; what is longer is a table or a listing run together
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z\"“(●•○-])|\s(?=[●•○]\s)")
# Sections that speak of something else than this code as it is.
_ELSEWHERE = re.compile(
    r"\b(?:gaps?|plans?|planned|remediation|future|next steps|roadmap|limitations?|known issues|to-?do|peers?"
    r"|reflection|feedback|findings|history|lessons|alternatives?|trade-?offs?|risks?)\b",
    re.IGNORECASE,
)
_CHAPTER = re.compile(r"(\d{1,2})(?:[.)]|\s)")
# Sentences that do.
_NOT_NOW = re.compile(
    r"\b(?:will|would|should|could|plan(?:ned|s)?|future|not yet|todo|to be (?:added|implemented)|upcoming|next step"
    r"|remediation|recommend\w*|missing|lack(?:s|ed|ing)?|gaps?|absent|previously|initial(?:ly)?|originally|formerly"
    r"|earlier version|used to|prototype|peer\w*|classmate\w*|their|the (?:target|audited) (?:repo\w*|project)"
    r"|stub\w*|partial(?:ly)?|failed|fails|weak\w*)\b",
    re.IGNORECASE,
)
# Before the claim's words: it is what the tool looks for in a repository, or what the author denies.
_EXAMINES = re.compile(
    r"\b(?:detect|verif|check|scan|look|search|flag|penali[sz]|determin|identif|reward|grade|assess|find|found|grep"
    r"|examin|if|whether|unless)\w*\b[^.;:]{0,120}$"
)
_DENIES = re.compile(
    r"\b(?:no|not|never|without|n't|cannot|isn't|lack(?:s|ing)?|rather than|instead of)\W+(?:\w+\W+){0,2}$"
)


@dataclass(frozen=True, slots=True)
class FeatureClaim:
    """A feature and the first sentence that plainly claims it; `about` as in Feature."""

    feature: str
    about: str
    page: int
    passage: str


@dataclass(frozen=True, slots=True)
class HeldClaim:
    """A claim beside what the code came to."""

    claim: FeatureClaim
    standing: Standing


def feature_claims(reading: PdfReading) -> tuple[FeatureClaim, ...]:
    """Every feature the report plainly claims, once each, in the order of FEATURES."""
    found: dict[str, FeatureClaim] = {}
    for page, sentence in _sentences(reading):
        lowered = sentence.lower()
        if _NOT_NOW.search(lowered):
            continue
        for feature in FEATURES:
            if feature.id not in found and _claims(feature, lowered):
                found[feature.id] = FeatureClaim(
                    feature.id, feature.about, page, sentence[:_PASSAGE_CHARACTERS]
                )
    return tuple(found[feature.id] for feature in FEATURES if feature.id in found)


def hold_against_code(claims: Sequence[FeatureClaim], code: Code) -> tuple[HeldClaim, ...]:
    """Each claim's standing. Open where the facts it needs could not be established."""
    features = {feature.id: feature for feature in FEATURES}
    standings: dict[bool | None, Standing] = {
        True: "confirmed",
        False: "contradicted",
        None: "open",
    }
    return tuple(
        HeldClaim(claim, standings[features[claim.feature].holds(code)]) for claim in claims
    )


def _sentences(reading: PdfReading) -> Iterator[tuple[int, str]]:
    """Page and sentence, sections about something else left out."""
    away: str | None = None
    for page, text in enumerate(reading.pages, start=1):
        for line in filter(None, text.split("\n")):
            if (page, line) in reading.headings:
                away = _section_away(line, away)
            elif away is None:
                yield from (
                    (page, part) for part in _SENTENCE.split(line) if len(part) <= _LONGEST_SENTENCE
                )


def _section_away(heading: str, away: str | None) -> str | None:
    """The chapter number ("" without one) while the section speaks of something else; null when it does not.

    Subsections and unnumbered heads inside a numbered chapter belong to it.
    """
    numbered = _CHAPTER.match(heading)
    chapter = numbered[1] if numbered else ""
    if _ELSEWHERE.search(heading):
        return chapter or away or ""
    return away if away and chapter in {"", away} else None


def _claims(feature: Feature, sentence: str) -> bool:
    match = feature.says.search(sentence)
    if match is None:
        return False
    before = sentence[: match.start()]
    return not _EXAMINES.search(before) and (feature.is_denial or not _DENIES.search(before))
