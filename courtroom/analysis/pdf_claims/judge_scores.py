"""Scores of judges in a report that the work's own model of an opinion does not let through.

"Defense 8/10" is no score of judges whose opinions hold 1 to 5: it is another auditor's, or made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.chapters import skipped_chapter
from courtroom.analysis.pdf_claims.claim_patterns import CodeFacts
from courtroom.analysis.pdf_claims.claims import CheckedClaim, FeatureClaim

JUDGE_SCORES = "judge_scores"
PASSAGE_CHARACTERS = 400
# Fewer may be a slip, or part of an example.
FEWEST = 3
_SCORED = re.compile(
    r"\b(?P<judge>prosecutor|defen[cs]e|tech ?lead)(?: attorney)?[^\w\n]{1,4}(?:scores?:? ?)?"
    r"(?P<score>\d{1,3})(?P<scale> ?/ ?\d{1,3})(?![\d.])",
    re.IGNORECASE,
)
# Chapters on the audits of others, who may have judges with another scale.
_OF_OTHERS = re.compile(r"\b(?:peers?|received|feedback|classmates?|examples?)\b", re.IGNORECASE)


def impossible_scores(reading: PdfReading, code: CodeFacts) -> Iterator[CheckedClaim]:
    """Yield the first of several such scores as a contradicted claim."""
    model = code.get("opinion_model")
    if not model:
        return
    scores = [row for row in _scores(reading) if not model["lowest"] <= row[0] <= model["highest"]]
    if len(scores) >= FEWEST:
        _, page, passage, written = scores[0]
        allowed = f"{model['name']} allows {model['lowest']} to {model['highest']}"
        quote = f"{written}, where {allowed}"
        yield CheckedClaim(
            FeatureClaim(JUDGE_SCORES, "", page, passage, quote=quote), "contradicted"
        )


def _scores(reading: PdfReading) -> Iterator[tuple[int, int, str, str]]:
    """Yield score, page, passage and words of each score of a judge, outside of such chapters."""
    skipped: str | None = None
    for page, text in enumerate(reading.pages, start=1):
        for line in filter(None, text.split("\n")):
            if (page, line) in reading.headings:
                skipped = skipped_chapter(line, _OF_OTHERS, skipped)
            elif skipped is None and not _OF_OTHERS.search(line):
                for match in _SCORED.finditer(line):
                    given = f"{match['score']}{match['scale']}".replace(" ", "")
                    passage = line[match.start() : match.start() + PASSAGE_CHARACTERS]
                    yield int(match["score"]), page, passage, f"{match['judge']} {given}"
