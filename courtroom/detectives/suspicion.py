"""Text that speaks to the graders: tagged `integrity`, shown to a person, kept out of prompts. It changes no grade."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from courtroom.forensics.integrity import Passage, suspicious_in, suspicious_passages
from courtroom.forensics.pdf import PdfReading
from courtroom.record import Evidence, Integrity, Location, evidence
from courtroom.rubric import Check, PersonaOverlap

TAG = "integrity"
GOAL = "Nothing in the submission speaks to its graders"


def tagged(items: Iterable[Evidence], checks: Sequence[Check]) -> tuple[Evidence, ...]:
    """The evidence, with `integrity` on what quotes suspicious text.

    Persona prompts are written for models: that they instruct one is what they are for.
    """
    prompts = {check.id for check in checks if isinstance(check, PersonaOverlap)}
    return tuple(
        item.model_copy(update={"tags": (*item.tags, TAG)})
        if item.check not in prompts and _in(item)
        else item
        for item in items
    )


def suspicious_evidence(reading: PdfReading) -> tuple[Evidence, ...]:
    """Every suspicious passage of the report, as evidence of its own."""
    passages = dict.fromkeys(suspicious_in(reading))
    return tuple(
        evidence(
            detective="DocAnalyst",
            check=TAG,
            goal=GOAL,
            found=True,
            content=passage.text or None,
            location=Location(page=passage.page),
            rationale=f"This passage {passage.why}.",
            tags=(TAG,),
        )
        for passage in passages
    )


def integrity_of(items: Iterable[Evidence]) -> Integrity:
    """Whether a person should look, and at which words."""
    spans = tuple(dict.fromkeys(span for item in items if TAG in item.tags for span in _spans(item)))
    return Integrity(suspected=bool(spans), spans=spans)


def _spans(item: Evidence) -> Iterator[str]:
    if item.check == TAG:
        yield item.content or f"page {item.location.page}: {item.rationale}"
    for passage in _in(item) if item.check != TAG else ():
        yield passage.text


def _in(item: Evidence) -> tuple[Passage, ...]:
    """Passages of what the item quotes; a statement without a place is our own."""
    return suspicious_passages([item.content]) if item.content and item.location != Location() else ()
