"""Question to a judge, the answer it may give, and the protocol of every bench."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pydantic import Field

from courtroom.models.audit_report import JudgeReference, Usage
from courtroom.models.canonical_json import digest_of
from courtroom.models.evidence import CheckOutcome, Evidence
from courtroom.models.frozen_record import Frozen
from courtroom.models.judge_answer import FailureKind, JudgeFailure, JudicialOpinion, Persona, Score
from courtroom.models.rubric import Criterion, Rubric


class Question(Frozen):
    """Question to one judge on one criterion, with its evidence and check outcomes.

    `earlier` holds the opinions of the round before, in a second round. `shared_prompt` is the
    text about the whole audit that every judge is shown; the heuristic bench leaves it empty.
    `files` are the paths that this text names f1, f2 and so on.
    """

    persona: Persona
    criterion: Criterion
    evidence: tuple[Evidence, ...]
    outcomes: tuple[CheckOutcome, ...]
    round: int = 1
    earlier: tuple[JudicialOpinion, ...] = ()
    # Stored opinions are found again by a digest of these fields: their written names stay.
    shared_prompt: str = Field("", serialization_alias="docket")
    files: tuple[str, ...] = Field((), exclude_if=lambda files: not files)

    def digest(self, model_and_prompt: str) -> str:
        """Return the key of the answer: the model, its prompt digest and everything shown to it."""
        return digest_of([model_and_prompt, self.model_dump(mode="json", by_alias=True)])


class Answer(Frozen):
    """Answer of a judge with the usage it cost; `usage.reused` counts stored opinions."""

    opinion: JudicialOpinion | JudgeFailure
    usage: Usage = Usage()


class Bench(Protocol):
    """Three judges. `asks_all_at_once`: one call asks a judge about all criteria.

    `answer` takes the questions of one judge and returns their answers in the same order. It never
    raises: a judge that cannot answer returns a JudgeFailure.
    """

    @property
    def references(self) -> dict[Persona, JudgeReference]: ...

    @property
    def asks_all_at_once(self) -> bool: ...

    def shared_prompt(
        self, rubric: Rubric, evidence: Sequence[Evidence], outcomes: Sequence[CheckOutcome]
    ) -> str: ...

    def key(self, question: Question) -> str: ...

    async def answer(self, questions: Sequence[Question]) -> list[Answer]: ...

    async def close(self) -> None: ...


def make_opinion(
    question: Question, *, score: Score, argument: str, cited: Sequence[str], model: str, key: str
) -> JudicialOpinion:
    """Return an opinion that cites only evidence shown to the judge; other ids are counted.

    A lone surrogate, which JSON can carry and UTF-8 cannot, is replaced in the argument.
    """
    shown_ids = {item.id for item in question.evidence}
    citations = tuple(dict.fromkeys(i for i in cited if i in shown_ids))
    return JudicialOpinion(
        judge=question.persona,
        criterion_id=question.criterion.id,
        round=question.round,
        score=score,
        argument=argument.encode("utf-8", "replace").decode("utf-8"),
        cited_evidence=citations,
        model=model,
        key=key,
        invented_citations=len(set(cited) - shown_ids),
    )


def make_failure(
    question: Question, *, kind: FailureKind, message: str, model: str, key: str
) -> JudgeFailure:
    return JudgeFailure(
        judge=question.persona,
        criterion_id=question.criterion.id,
        round=question.round,
        failure=kind,
        message=message,
        model=model,
        key=key,
    )
