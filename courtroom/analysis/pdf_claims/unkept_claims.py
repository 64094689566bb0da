"""Claims of a report that a fault of the code, which another check has, makes wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf.plain_text import with_plain_hyphens
from courtroom.analysis.pdf_claims.claim_patterns import CodeFacts
from courtroom.analysis.pdf_claims.claims import CheckedClaim, FeatureClaim, plain_sentences

PATH_CHECK = "path_check"
_PASSAGE_CHARACTERS = 600
# Names and texts in code of what compares a report's paths with the repository.
_IN_CODE = re.compile(r"cross[_ -]?(?:ref|check)", re.IGNORECASE)
_SAYS = re.compile(
    r"\bcross-?(?:referenc|check)(?:es|ing)?\b[^.;]{0,80}\b(?:paths?|files?|claims?|them)\b"
)
# Where what judges say is compared, the sentence is on opinions.
_OF_JUDGES = re.compile(
    r"\b(?:judges?|judicial|opinions?|arguments?|defense|prosecutors?|tech ?leads?)\b"
)
# A key that no mapping has under this name.
_LOOKUPS = frozenset({"other_key"})


def broken_path_check(code: CodeFacts) -> Mapping[str, Any] | None:
    """The line at which the check of a report's paths fails or finds nothing in every run."""
    lines = (code.get("failing_code") or {}).get("lines") or ()
    faults = (code.get("state_flow") or {}).get("faults") or ()
    failing = (row for row in lines if _IN_CODE.search(row["why"]))
    vain = (row for row in faults if row["kind"] in _LOOKUPS and _IN_CODE.search(row["sentence"]))
    return next(iter([*failing, *vain]), None)


def unkept_claims(reading: PdfReading, code: CodeFacts) -> Iterator[CheckedClaim]:
    """Yield the first claim that the report's paths are checked, where that check is broken."""
    if broken_path_check(code) is None:
        return
    for page, sentence in plain_sentences(reading):
        says = _SAYS.search(with_plain_hyphens(sentence).lower())
        if says and not _OF_JUDGES.search(says[0]):
            passage = sentence[:_PASSAGE_CHARACTERS]
            yield CheckedClaim(FeatureClaim(PATH_CHECK, "", page, passage), "contradicted")
            return
