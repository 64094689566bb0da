"""Question to a judge, the answer it may give, and the protocol of every bench."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from pydantic import Field

from courtroom.judges.material import Material
from courtroom.models.audit_report import JudgeReference, Usage
from courtroom.models.canonical_json import digest_of
from courtroom.models.evidence import CheckOutcome, Evidence
from courtroom.models.exhibit import Exhibit
from courtroom.models.frozen_record import Frozen
from courtroom.models.judge_answer import (
    AskedPlace,
    FailureKind,
    JudgeFailure,
    JudicialOpinion,
    Persona,
    Score,
)
from courtroom.models.rubric import Criterion


class Question(Frozen):
    """Question to one judge on one criterion, with its evidence and check outcomes.

    `earlier` holds the opinions of the round before, in a second round. `material` is what the
    three judges of the criterion read; the heuristic bench reads outcomes alone and has none.
    `may_ask`: the judge may name places to read instead of a score. `answer_to_ask` is the message
    with what was read, in the question that follows.
    """

    persona: Persona
    criterion: Criterion
    evidence: tuple[Evidence, ...]
    outcomes: tuple[CheckOutcome, ...]
    round: int = 1
    earlier: tuple[JudicialOpinion, ...] = ()
    material: Material = Field(Material(), exclude_if=lambda material: not material.text)
    may_ask: bool = Field(default=False, exclude_if=lambda may_ask: not may_ask)
    answer_to_ask: str = Field("", exclude_if=lambda text: not text)

    def digest(self, model_and_prompt: str) -> str:
        """Return the key of the answer: the model, its prompt digest and everything shown to it."""
        # What is withheld elsewhere in the work decides only what a judge who may ask reads.
        of_material = set() if self.may_ask else {"suspected", "named"}
        # A stored report has the sentence of the kind where an outcome brought none.
        unread: dict[str, Any] = {"material": of_material, "outcomes": {"__all__": {"fault"}}}
        content = self.model_dump(mode="json", exclude=unread)
        return digest_of([model_and_prompt, content])


class ReadPlace(Frozen):
    """Place that a judge asked for, as exhibits, or our sentence that says why it is not read."""

    place: str
    exhibits: tuple[Exhibit, ...] = ()
    refusal: str = ""

    def as_asked(self) -> AskedPlace:
        return AskedPlace(
            place=self.place,
            # The commit is the audit's own, as for everything that is read.
            locations=tuple(
                exhibit.location.model_copy(update={"commit": None}) for exhibit in self.exhibits
            ),
            refusal=self.refusal,
        )


# Reads the places that a judge names; it raises nothing.
ReadPlaces = Callable[[Sequence[str]], Awaitable[Sequence[ReadPlace]]]


async def read_nothing(places: Sequence[str]) -> Sequence[ReadPlace]:
    """Refuse every place: for a bench without a repository at hand."""
    return [ReadPlace(place=place, refusal="Nothing can be read here.") for place in places]


class Answer(Frozen):
    """Answer of a judge with the usage it cost; `usage.reused` counts stored opinions."""

    opinion: JudicialOpinion | JudgeFailure
    usage: Usage = Usage()


class Bench(Protocol):
    """Three judges. `asks_all_at_once`: one call asks a judge about all criteria.

    `answer` takes the questions of one judge and returns their answers in the same order. It never
    raises: a judge that cannot answer returns a JudgeFailure. `read` reads what a judge asks for.
    """

    @property
    def references(self) -> dict[Persona, JudgeReference]: ...

    @property
    def asks_all_at_once(self) -> bool: ...

    def key(self, question: Question) -> str: ...

    async def answer(
        self, questions: Sequence[Question], read: ReadPlaces = read_nothing
    ) -> list[Answer]: ...

    async def close(self) -> None: ...


def make_opinion(
    question: Question,
    *,
    score: Score,
    argument: str,
    cited: Sequence[str],
    model: str,
    key: str,
    cited_lines: Sequence[Evidence] = (),
    invented: int = 0,
    asked: Sequence[AskedPlace] = (),
) -> JudicialOpinion:
    """Return an opinion that cites only evidence shown to the judge; other ids are counted.

    `cited_lines` is evidence of its own, `invented` counts citations that came to nothing. A lone
    surrogate, which JSON can carry and UTF-8 cannot, is replaced in the argument.
    """
    shown_ids = {item.id for item in (*question.evidence, *cited_lines)}
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
        invented_citations=len(set(cited) - shown_ids) + invented,
        cited_lines=tuple(item for item in cited_lines if item.id in citations),
        asked=tuple(asked),
    )


def make_failure(
    question: Question,
    *,
    kind: FailureKind,
    message: str,
    model: str,
    key: str,
    asked: Sequence[AskedPlace] = (),
) -> JudgeFailure:
    return JudgeFailure(
        judge=question.persona,
        criterion_id=question.criterion.id,
        round=question.round,
        failure=kind,
        message=message,
        model=model,
        key=key,
        asked=tuple(asked),
    )
