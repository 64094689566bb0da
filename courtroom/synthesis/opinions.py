"""Who said what on one criterion, and in which round; nothing is weighed here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from courtroom.models.record import PERSONAS, JudgeFailure, JudicialOpinion, OpinionRow, Persona

Answer = JudicialOpinion | JudgeFailure
Opinions = Mapping[Persona, JudicialOpinion]

TITLES: dict[Persona, str] = {
    "Prosecutor": "Prosecutor",
    "Defense": "Defense",
    "TechLead": "Tech Lead",
}


@dataclass(frozen=True)
class Voices:
    """Every answer on one criterion, by round and judge, however they arrived."""

    answers: tuple[Answer, ...]

    @property
    def rounds(self) -> int:
        return max((answer.round for answer in self.answers), default=0)

    @cached_property
    def standing(self) -> Opinions:
        """Each judge's latest opinion. A judge who fails in a re-hearing keeps the word given before."""
        return self._until(self.rounds)

    @property
    def first(self) -> Opinions:
        """Each judge's opinion before anything was heard again."""
        return self._until(1)

    @property
    def first_scores(self) -> Mapping[Persona, int]:
        return {judge: opinion.score for judge, opinion in self.first.items()}

    @property
    def failures(self) -> tuple[JudgeFailure, ...]:
        """The latest answer of every judge who never gave an opinion."""
        heard = self.standing
        latest = {answer.judge: answer for answer in self.answers if answer.judge not in heard}
        return tuple(answer for answer in latest.values() if isinstance(answer, JudgeFailure))

    @property
    def rows(self) -> tuple[OpinionRow, ...]:
        return tuple(_row(answer) for answer in self.answers)

    def _until(self, last: int) -> Opinions:
        """Each judge's opinion as it stood after that round, in the order of the judges."""
        said = {
            o.judge: o for o in self.answers if isinstance(o, JudicialOpinion) and o.round <= last
        }
        return {judge: said[judge] for judge in PERSONAS if judge in said}


def voices_on(criterion_id: str, answers: Iterable[Answer]) -> Voices:
    return Voices(tuple(sorted((a for a in answers if a.criterion_id == criterion_id), key=_rank)))


def spread_of(scores: Iterable[int]) -> int:
    """Highest minus lowest score, 0..4."""
    known = tuple(scores)
    return max(known) - min(known) if known else 0


def listing(scores: Mapping[Persona, int]) -> str:
    """`Prosecutor 1, Defense 5, Tech Lead 4`."""
    return ", ".join(f"{TITLES[judge]} {score}" for judge, score in scores.items())


def _rank(answer: Answer) -> tuple[int, int, bool, str]:
    """A total order: the same answers always stand in the same row, an opinion after a failure."""
    is_opinion = isinstance(answer, JudicialOpinion)
    return answer.round, PERSONAS.index(answer.judge), is_opinion, answer.model_dump_json()


def _row(answer: Answer) -> OpinionRow:
    said = answer if isinstance(answer, JudicialOpinion) else None
    return OpinionRow(
        judge=answer.judge,
        round=answer.round,
        score=said.score if said else None,
        argument=answer.argument if isinstance(answer, JudicialOpinion) else answer.message,
        cited_evidence=said.cited_evidence if said else (),
        model=answer.model,
        key=answer.key,
        failure=answer.failure if isinstance(answer, JudgeFailure) else None,
    )
