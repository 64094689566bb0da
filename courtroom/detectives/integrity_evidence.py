"""Text that addresses the graders: tagged `integrity`, shown to a person, kept out of prompts.

It changes no grade.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from courtroom.analysis.git.snapshot import Snapshot, read_lines
from courtroom.analysis.pdf.read_pdf import PdfReading
from courtroom.analysis.prompt_injection.detection import has_order, passages_in, suspicious_in
from courtroom.analysis.prompt_injection.repository_text import passages_of_file, passages_of_name
from courtroom.detectives.detective_result import DetectiveResult, Suspicion
from courtroom.detectives.evidence_writer import QUOTED_CHARACTERS
from courtroom.models.audit_report import Integrity
from courtroom.models.errors import ExaminationFailed
from courtroom.models.evidence import ASIDE_TAG, INTEGRITY_TAG, Evidence, Location, evidence

KIND_WORDS = {
    "test": "a test",
    "fixture": "a fixture",
    "example": "an example",
    "benchmark": "a benchmark",
    "archive": "a former version",
    "generated": "generated code",
    "vendored": "vendored code",
}
GOAL = "Nothing in the submission speaks to its graders"


def suspicions_of(
    results: Iterable[DetectiveResult], pdf: PdfReading | ExaminationFailed | None
) -> tuple[Suspicion, ...]:
    """Every suspicious passage of the repository and of the report, each once."""
    suspicions = [suspicion for result in results for suspicion in result.suspicions]
    if isinstance(pdf, PdfReading):
        suspicions += [
            Suspicion(
                text=passage.text, why=passage.why, location=Location(page=passage.page or None)
            )
            for passage in suspicious_in(pdf)
        ]
    # A passage may be found by several patterns.
    return tuple({(s.location, s.text): s for s in suspicions}.values())


def evidence_of(
    suspicions: Sequence[Suspicion], snapshot: Snapshot, more_tags: tuple[str, ...] = ()
) -> tuple[Evidence, ...]:
    """Evidence of no criterion: the verbatim lines, and their text without its disguise."""
    quotes = _quotes([suspicion.location for suspicion in suspicions], snapshot)
    written = (
        evidence(
            detective="DocAnalyst" if suspicion.location.page else "RepoInvestigator",
            check=INTEGRITY_TAG,
            goal=GOAL,
            found=True,
            content=quotes.get(suspicion.location)
            if suspicion.location.path
            else suspicion.text or None,
            location=suspicion.location,
            rationale=_rationale(suspicion),
            tags=(INTEGRITY_TAG, *more_tags, *((ASIDE_TAG,) if suspicion.aside else ())),
        )
        for suspicion in suspicions
    )
    return tuple({item.id: item for item in written}.values())


def _rationale(suspicion: Suspicion) -> str:
    words = f": “{suspicion.text}”" if suspicion.text else ""
    if suspicion.aside:
        return f"In {KIND_WORDS[suspicion.aside]}, which is no flag: it {suspicion.why}{words}."
    return f"This passage {suspicion.why}{words}."


def _quotes(places: Sequence[Location], snapshot: Snapshot) -> dict[Location, str]:
    """The lines at these places, where they can be read and are short enough to show."""
    spans = {
        place: (place.path, place.line_start, place.line_end)
        for place in places
        if place.path and place.line_start and place.line_end
    }

    try:
        texts = read_lines(snapshot, list(spans.values())) if spans else []
    except ExaminationFailed:
        return {}
    return {
        place: text
        for place, text in zip(spans, texts, strict=True)
        if text is not None and len(text) <= QUOTED_CHARACTERS
    }


def tagged(items: Iterable[Evidence], suspicions: Sequence[Suspicion]) -> tuple[Evidence, ...]:
    """The evidence, with `integrity` on whatever shows a suspicious passage, or is suspicion."""
    return tuple(
        item.model_copy(update={"tags": (*item.tags, INTEGRITY_TAG)})
        if any(_shows(item, suspicion) for suspicion in suspicions)
        or _addresses_graders(item, suspicions)
        else item
        for item in items
    )


def _shows(item: Evidence, suspicion: Suspicion) -> bool:
    """True when the item touches the suspicion: its lines, its commit, its very path, its words."""
    place, suspect = item.location, suspicion.location
    # A suspicious file, page or commit marks what is quoted from it.
    if suspect.path is not None:
        return place.path == suspect.path and _overlap(place, suspect)
    if suspect.page is not None:
        return (
            place.page == suspect.page
            and bool(suspicion.text)
            and suspicion.text in (item.content or "")
        )
    return suspect.commit is not None and place.commit == suspect.commit and place.path is None


def _overlap(place: Location, suspect: Location) -> bool:
    # Without lines the whole file is meant.
    if suspect.line_start is None or suspect.line_end is None or place.line_start is None:
        return True
    return place.line_start <= suspect.line_end and suspect.line_start <= (
        place.line_end or place.line_start
    )


def _addresses_graders(item: Evidence, suspicions: Sequence[Suspicion]) -> bool:
    """True when its quote or name addresses the graders. A statement without a place is ours.

    Every page was searched as a whole: without the text around it a sentence about judging may
    seem to speak to the graders, so an excerpt counts only on a page with a suspicion.
    """
    place = item.location
    if place == Location():
        return False
    path, content = place.path or "", item.content or ""
    if place.page is not None and all(s.location.page != place.page for s in suspicions):
        content = ""
    quoted = passages_of_file(path, content) if path else passages_in(content, "prose")
    is_suspicious = next(chain(quoted, passages_of_name(path)), None) is not None
    return is_suspicious or has_order(item.rationale)


def integrity_of(suspicions: Sequence[Suspicion], items: Iterable[Evidence]) -> Integrity:
    """The flag for a person to look at the audit, with the suspicious words.

    Passages in tests, fixtures and the like are no flag, unless evidence shows them to the judges.
    """
    aside = {suspicion.location.path for suspicion in suspicions if suspicion.aside}
    quoted = (
        item.content or item.rationale
        for item in items
        if INTEGRITY_TAG in item.tags
        and (item.location.line_start or item.location.path not in aside)
    )
    words = [
        suspicion.text or f"page {suspicion.location.page}: this passage {suspicion.why}."
        for suspicion in suspicions
        if not suspicion.aside
    ]

    spans = tuple(dict.fromkeys(words or quoted))
    return Integrity(suspected=bool(spans), spans=spans)
