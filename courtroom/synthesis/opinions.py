"""Answers of the judges on one criterion, by round; nothing is weighed here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from courtroom.models.audit_report import OpinionRow
from courtroom.models.judge_answer import (
    OUTCOMES_ROUND,
    PERSONAS,
    JudgeFailure,
    JudicialOpinion,
    Persona,
)

JudgeAnswer = JudicialOpinion | JudgeFailure
Opinions = Mapping[Persona, JudicialOpinion]

TITLES: dict[Persona, str] = {
    "Prosecutor": "Prosecutor",
    "Defense": "Defense",
    "TechLead": "Tech Lead",
}


@dataclass(frozen=True)
class CriterionAnswers:
    """Answers on one criterion in the order of round and judge, whatever their order of arrival."""

    answers: tuple[JudgeAnswer, ...]

    @property
    def rounds(self) -> int:
        return max((answer.round for answer in self.answers), default=0)

    @cached_property
    def standing(self) -> Opinions:
        """Latest opinion of each judge; one who fails in a second round keeps the first opinion."""
        return self._until(self.rounds)

    @property
    def first(self) -> Opinions:
        """Opinion of each judge in the first round."""
        return self._until(1)

    @property
    def first_scores(self) -> Mapping[Persona, int]:
        return {judge: opinion.score for judge, opinion in self.first.items()}

    @property
    def failures(self) -> tuple[JudgeFailure, ...]:
        """Latest failure of every judge without any opinion."""
        opinions = self.standing
        latest = {answer.judge: answer for answer in self.heard if answer.judge not in opinions}
        return tuple(answer for answer in latest.values() if isinstance(answer, JudgeFailure))

    @property
    def heard(self) -> tuple[JudgeAnswer, ...]:
        """Answers that count: all but those on outcomes alone."""
        return tuple(answer for answer in self.answers if answer.round > OUTCOMES_ROUND)

    @property
    def on_outcomes(self) -> tuple[JudgeAnswer, ...]:
        """Answers of the second hearing, on outcomes alone."""
        return tuple(answer for answer in self.answers if answer.round == OUTCOMES_ROUND)

    def _until(self, last: int) -> Opinions:
        """Return each judge's opinion after that round, in the order of the judges."""
        opinions = {
            o.judge: o for o in self.heard if isinstance(o, JudicialOpinion) and o.round <= last
        }
        return {judge: opinions[judge] for judge in PERSONAS if judge in opinions}


def answers_on(criterion_id: str, answers: Iterable[JudgeAnswer]) -> CriterionAnswers:
    return CriterionAnswers(
        tuple(sorted((a for a in answers if a.criterion_id == criterion_id), key=_sort_key))
    )


def spread_of(scores: Iterable[int]) -> int:
    """Return the highest minus the lowest score, 0..4."""
    values = tuple(scores)
    return max(values) - min(values) if values else 0


def spread_formula(scores: Mapping[Persona, int]) -> str:
    """Return the spread as a person would work it out: highest - lowest: 5 - 1 = 4."""
    highest, lowest = max(scores.values()), min(scores.values())
    return f"highest - lowest: {highest} - {lowest} = {highest - lowest}"


def list_scores(scores: Mapping[Persona, int]) -> str:
    """Return a text such as `Prosecutor 1, Defense 5, Tech Lead 4`."""
    return ", ".join(f"{TITLES[judge]} {score}" for judge, score in scores.items())


def _sort_key(answer: JudgeAnswer) -> tuple[int, int, bool, str]:
    """Return the key of a total order, in which an opinion comes after a failure."""
    # Sorting by content last makes the order total: equal keys mean equal answers.
    is_opinion = isinstance(answer, JudicialOpinion)
    return answer.round, PERSONAS.index(answer.judge), is_opinion, answer.model_dump_json()


def rows_of(answers: Iterable[JudgeAnswer]) -> tuple[OpinionRow, ...]:
    return tuple(_row(answer) for answer in answers)


def _row(answer: JudgeAnswer) -> OpinionRow:
    opinion = answer if isinstance(answer, JudicialOpinion) else None
    return OpinionRow(
        judge=answer.judge,
        round=answer.round,
        score=opinion.score if opinion else None,
        argument=answer.argument if isinstance(answer, JudicialOpinion) else answer.message,
        cited_evidence=opinion.cited_evidence if opinion else (),
        model=answer.model,
        key=answer.key,
        failure=answer.failure if isinstance(answer, JudgeFailure) else None,
        asked=answer.asked,
        invented_citations=opinion.invented_citations if opinion else 0,
    )
