"""Re-synthesis of stored reports under another rubric version, without a model.

Importing it is cheap; what it imports of the courtroom, inside its functions, loads no langgraph.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from grading.core.errors import InputRefused
from grading.engine.audits import verdict_of
from grading.engine.events import OpinionRow, Verdict

if TYPE_CHECKING:
    from courtroom import AuditReport, Constitution, Rubric, RubricRevision

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Synthesis:
    """New verdict; `opinions` are those of heuristic judges who judged whole criteria again."""

    verdict: Verdict
    opinions: tuple[OpinionRow, ...]


@dataclass
class Resynthesis:
    """Published rubric, applied to any number of stored reports; previews get the same results."""

    document: Document
    _revisions: dict[str, RubricRevision] = field(default_factory=dict)

    def of(self, report: Document, *, before: Document, digest: str) -> Synthesis:
        """Return the synthesis of a report that was judged under `before`, a rubric of this digest.

        Raises InputRefused for a report that cannot be read or was judged under another rubric, and
        for rules that cannot be applied.
        """
        from courtroom import AuditReport, CourtroomError
        from courtroom.replay.resynthesis import resynthesise_revision

        try:
            record = AuditReport.model_validate(report)
            report_after = resynthesise_revision(
                record, self._revision(before, digest), self._constitution
            )
        except ValidationError as broken:
            raise InputRefused(
                "record_unreadable", "The stored report is of an older make: audit it anew."
            ) from broken
        except CourtroomError as refused:
            raise InputRefused(refused.code, refused.message) from refused
        return Synthesis(
            verdict=verdict_of(report_after), opinions=_heard_again(record, report_after)
        )

    @cached_property
    def _rubric(self) -> Rubric:
        from courtroom import Rubric

        return Rubric.from_stored(self.document)

    @cached_property
    def _constitution(self) -> Constitution:
        from courtroom import constitution_of

        return constitution_of(self._rubric)

    def _revision(self, before: Document, digest: str) -> RubricRevision:
        """Return the comparison with an older rubric; cached, since it is half of the work."""
        from courtroom import Rubric, RubricRevision

        if digest not in self._revisions:
            self._revisions[digest] = RubricRevision(Rubric.from_stored(before), self._rubric)
        return self._revisions[digest]


def _heard_again(before: AuditReport, after: AuditReport) -> tuple[OpinionRow, ...]:
    from courtroom import JudicialOpinion
    from courtroom.replay.report_reuse import opinions_of

    # An opinion that stood keeps its key: a key that is new belongs to an opinion given now.
    earlier_keys = {opinion.key for opinion in opinions_of(before)}
    return tuple(
        OpinionRow(
            key=opinion.key,
            judge=opinion.judge,
            criterion_id=opinion.criterion_id,
            round=opinion.round,
            score=opinion.score if isinstance(opinion, JudicialOpinion) else None,
            document=opinion.model_dump(mode="json"),
        )
        for opinion in opinions_of(after)
        if opinion.key not in earlier_keys
    )
