"""What a judge is asked and what it may answer: the brief, its key, and the validation of an answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from courtroom.models.record import (
    CheckOutcome,
    Evidence,
    FailureKind,
    Frozen,
    JudgeFailure,
    JudgeReference,
    JudicialOpinion,
    Persona,
    Score,
    Usage,
    digest_of,
)
from courtroom.models.rubric import Criterion, Rubric


class Brief(Frozen):
    """One question to one judge: a criterion, what was found for it and, in a re-hearing, what was said before.

    `docket` is what every judge of the bench is shown of the whole case (empty where nobody reads it).
    """

    persona: Persona
    criterion: Criterion
    evidence: tuple[Evidence, ...]
    outcomes: tuple[CheckOutcome, ...]
    round: int = 1
    earlier: tuple[JudicialOpinion, ...] = ()
    docket: str = ""

    def digest(self, asked_of: str) -> str:
        """The key of the answer: who is asked (model and prompt digest) and everything that is shown."""
        return digest_of([asked_of, self.model_dump(mode="json")])


class Answer(Frozen):
    """An answer and what it cost. `reused`: it was known and nothing was computed or bought."""

    opinion: JudicialOpinion | JudgeFailure
    usage: Usage = Usage()


class Bench(Protocol):
    """Who answers. `together`: a judge is asked about all criteria at once.

    `hear` takes the briefs of one judge and answers each, in their order. It never raises: a judge that
    cannot answer returns a JudgeFailure.
    """

    @property
    def references(self) -> dict[Persona, JudgeReference]: ...

    @property
    def together(self) -> bool: ...

    def docket(
        self, rubric: Rubric, evidence: Sequence[Evidence], outcomes: Sequence[CheckOutcome]
    ) -> str: ...

    def key(self, brief: Brief) -> str: ...

    async def hear(self, briefs: Sequence[Brief]) -> list[Answer]: ...

    async def close(self) -> None: ...


def opinion(
    brief: Brief, *, score: Score, argument: str, cited: Sequence[str], model: str, key: str
) -> JudicialOpinion:
    """An opinion that cites only evidence it was shown: other ids are removed and counted (DESIGN 5).

    Half a surrogate pair, which JSON can carry and UTF-8 cannot, is replaced in the argument.
    """
    shown = {item.id for item in brief.evidence}
    kept = tuple(dict.fromkeys(i for i in cited if i in shown))
    return JudicialOpinion(
        judge=brief.persona,
        criterion_id=brief.criterion.id,
        round=brief.round,
        score=score,
        argument=argument.encode("utf-8", "replace").decode("utf-8"),
        cited_evidence=kept,
        model=model,
        key=key,
        invented_citations=len(set(cited) - shown),
    )


def failure(brief: Brief, *, kind: FailureKind, message: str, model: str, key: str) -> JudgeFailure:
    return JudgeFailure(
        judge=brief.persona,
        criterion_id=brief.criterion.id,
        round=brief.round,
        failure=kind,
        message=message,
        model=model,
        key=key,
    )
