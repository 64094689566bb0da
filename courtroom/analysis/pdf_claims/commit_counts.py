"""Numbers of commits that a report gives and that the history does not reach."""

from __future__ import annotations

import re
from collections.abc import Iterator

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.claim_patterns import CodeFacts
from courtroom.analysis.pdf_claims.claims import CheckedClaim, FeatureClaim, plain_sentences

COMMIT_COUNT = "commit_count"
_COMMITS = re.compile(r"(?<![\w.,/#-])(\d{1,4}) (?:(?:total|git|atomic|small|\w+ful) )?commits\b")
# A limit, a part of the history, a judge's word, or a sentence on another repository.
_OTHER = re.compile(
    r"\b(?:last|latest|recent|next|first|least|most|up to|more|fewer|less|over|under|min\w*|max\w*"
    r"|limit\w*|depth|every|per|each|between|threshold|if|when|whether|example|e\.g|prosecutor"
    r"|defen[cs]e|tech ?lead|target|audited|(?:look|search|check|requir|expect|need|want)\w*)\b"
    r"|[<>\u2264\u2265~+]",
    re.IGNORECASE,
)
_PASSAGE_CHARACTERS = 400


def overstated_commits(reading: PdfReading, code: CodeFacts) -> Iterator[CheckedClaim]:
    """Yield the first number of commits above that of the history, as a contradicted claim.

    A smaller number may be that of the day on which the report was written.
    """
    total = code.get("commit_count")
    if not total:
        return
    for page, sentence in plain_sentences(reading):
        numbers = [int(number) for number in _COMMITS.findall(sentence)]
        if any(number > total for number in numbers) and not _OTHER.search(sentence):
            claim = FeatureClaim(COMMIT_COUNT, "", page, sentence[:_PASSAGE_CHARACTERS])
            yield CheckedClaim(claim, "contradicted")
            return
