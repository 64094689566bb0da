"""Last check before the report: every quote is read again and must be verbatim at its place."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from courtroom.analysis.git.snapshot import Snapshot, read_lines
from courtroom.analysis.security.committed_secrets import redacted
from courtroom.checks.phrases import number_of
from courtroom.detectives.detective_result import recorded_error
from courtroom.models.audit_report import RecordedError
from courtroom.models.errors import ExaminationFailed
from courtroom.models.evidence import CITED_TAG, Evidence

UNVERIFIED = "evidence_unverified"


def unverified(
    evidence: Sequence[Evidence], snapshot: Snapshot, pages: Sequence[str] = ()
) -> frozenset[str]:
    """Ids of the evidence whose quote is not at its path, lines and commit. Raises ChildFailed.

    Lines that a judge cites from the PDF must stand on their page; `pages` are its texts.
    """
    quotes = [(item.id, item.content, span) for item in evidence if (span := _quoted_span(item))]
    texts = read_lines(snapshot, [span for _, _, span in quotes]) if quotes else []
    wrong = {id_ for (id_, content, _), text in zip(quotes, texts, strict=True) if content != text}
    # A place of another commit than the one that was audited proves nothing.
    elsewhere = {
        item.id
        for item in evidence
        if item.location.path and item.location.commit != snapshot.commit
    }

    misquoted = {item.id for item in evidence if _is_cited_page(item) and not _on(pages, item)}
    return frozenset(wrong | elsewhere | misquoted)


def verify(
    evidence: Sequence[Evidence], snapshot: Snapshot, *, stage: str, pages: Sequence[str] = ()
) -> tuple[Collection[str], tuple[RecordedError, ...]]:
    """Ids to drop, with the error of this stage to record."""
    try:
        dropped = unverified(evidence, snapshot, pages)
    except ExaminationFailed as failed:
        # When nothing can be read again, no quote is verified.
        quoted = {item.id for item in evidence if item.location.path or _is_cited_page(item)}
        return quoted, (recorded_error(stage, failed),)

    if not dropped:
        return dropped, ()
    was = "was" if len(dropped) == 1 else "were"
    pieces = number_of(len(dropped), "piece")
    message = f"{pieces} of evidence {was} not verbatim at the quoted place and {was} dropped."
    return dropped, (RecordedError(stage=stage, code=UNVERIFIED, message=message),)


def _quoted_span(item: Evidence) -> tuple[str, int, int] | None:
    place = item.location
    if (
        item.content is None
        or place.path is None
        or place.line_start is None
        or place.line_end is None
    ):
        return None
    return place.path, place.line_start, place.line_end


def _is_cited_page(item: Evidence) -> bool:
    return item.location.page is not None and CITED_TAG in item.tags


def _on(pages: Sequence[str], item: Evidence) -> bool:
    """Return whether the content is whole lines of its page, which judges read without secrets."""
    page = item.location.page or 0
    text = redacted(pages[page - 1]) if page <= len(pages) else ""
    return f"\n{item.content}\n" in f"\n{text}\n"
