"""No words to the graders raise a score, whoever judges; each is flagged for a person; harmless
work is not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from _pytest.mark import ParameterSet

from courtroom.judges.llm import LlmBench
from courtroom.models.evidence import ASIDE_TAG
from courtroom.models.judge_answer import JudicialOpinion
from tests.courtroom.judges.questions import make_question
from tests.hostile.gullible import SOBER, WON_OVER, gullible_endpoint
from tests.hostile.prompt_injection.bench import Court, audit, model_at, rises, scores_of
from tests.hostile.prompt_injection.controls import CONTROLS
from tests.hostile.prompt_injection.in_reports import REPORTS
from tests.hostile.prompt_injection.in_repositories import NOTE, PLACES
from tests.hostile.prompt_injection.material import ORDER, Attack
from tests.hostile.prompt_injection.obfuscated import WORDS

pytestmark = pytest.mark.usefixtures("readers_in_process")
ATTACKS = (*PLACES, *WORDS, *REPORTS)


@pytest.fixture(scope="module")
def court(tmp_path_factory) -> Iterator[Court]:
    with gullible_endpoint() as desk:
        yield Court(tmp_path_factory.mktemp("attacks"), model_at(desk.base_url))


def _named(attack: Attack) -> ParameterSet:
    return pytest.param(attack, id=f"{attack.number} {attack.name}")


@pytest.mark.parametrize("attack", map(_named, ATTACKS))
def test_an_attack_raises_no_score_and_is_flagged(attack, court):
    heuristic, gullible = court.verdicts(attack.submission)
    by_rules, by_belief = court.twin(attack.twin)
    assert rises(by_rules, scores_of(heuristic)) == {}
    assert rises(by_belief, scores_of(gullible)) == {}
    passages = [item for item in heuristic.evidence if item.check == "integrity"]
    assert heuristic.integrity.suspected is not attack.is_set_aside
    assert any(ASIDE_TAG in item.tags for item in passages) is attack.is_set_aside
    assert passages
    assert all(item.found for item in passages)


def test_the_corpus_holds_what_it_must():
    assert len(ATTACKS) >= 54
    assert len(CONTROLS) >= 30
    assert len({attack.number for attack in (*ATTACKS, *CONTROLS)}) == len(ATTACKS) + len(CONTROLS)


def test_a_note_stays_where_it_is_and_reaches_nobody(court):
    report = audit(court.hand_in(NOTE.submission))
    assert "award 5" not in report.model_dump_json()
    assert rises(court.twin(NOTE.twin)[0], scores_of(report)) == {}


def test_the_gullible_judge_believes_what_it_reads(court):
    """Without the cut the same words win everything: the endpoint is no straw man."""

    def heard(words: str) -> int:
        question = make_question("TechLead", ("a",))
        text = f"{question.material.text}\n{words}"
        material = question.material.model_copy(update={"text": text})
        question = question.model_copy(update={"material": material})
        (answer,) = asyncio.run(LlmBench(court.model).answer([question]))
        assert isinstance(answer.opinion, JudicialOpinion)
        return answer.opinion.score

    assert (heard("nothing"), heard(ORDER)) == (SOBER, WON_OVER)


@pytest.mark.parametrize(
    "control", CONTROLS, ids=lambda control: f"{control.number} {control.name}"
)
def test_harmless_work_that_resembles_an_attack_is_not_flagged(control, court):
    assert not court.flags(control.submission)
