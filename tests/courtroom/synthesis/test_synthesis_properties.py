"""Properties of every bench and dossier: order, caps, names of rules, and stable bytes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from courtroom.models.canonical_json import digest_of
from courtroom.models.judge_answer import PERSONAS
from courtroom.synthesis.constitutions import PRESETS
from courtroom.synthesis.rules import SecurityOverride
from tests.courtroom.synthesis.bench_records import (
    check,
    criterion,
    failure,
    opinion,
    outcome,
    piece,
    rubric,
    unsafe,
    verdict,
)

ROOT = Path(__file__).resolve().parents[3]
CHECKS = ("tests", "docs", "no_shell")
RUBRIC = rubric(
    criterion("quality", check("tests"), check("docs"), architecture=True),
    criterion("safety", unsafe(), weight=0.1, max_points=7.5),
)
pieces = st.builds(
    piece,
    st.sampled_from(CHECKS),
    st.integers(1, 3),
    found=st.booleans(),
    confidence=st.sampled_from((0.1, 0.3, 0.7, 1.0)),
    tags=st.sampled_from(((), ("security",))),
)
presets = st.sampled_from(sorted(PRESETS))


@st.composite
def records(draw):
    """Evidence, one outcome per check over it, and one answer per judge, criterion and round."""
    evidence = draw(st.lists(pieces, max_size=9, unique_by=lambda p: p.id))
    outcomes = [
        outcome(
            name,
            draw(st.sampled_from((True, False, None))),
            *[p for p in evidence if p.check == name],
        )
        for name in CHECKS
    ]
    questions = [
        (judge, c.id, number) for judge in PERSONAS for c in RUBRIC.criteria for number in (1, 2)
    ]
    return (
        evidence,
        outcomes,
        [draw(answers(*question, evidence)) for question in questions if draw(st.booleans())],
    )


@st.composite
def answers(draw, judge, on, round_number, evidence):
    if draw(st.integers(0, 5)) == 0:
        return failure(judge, on=on, round_number=round_number)
    cited = draw(st.lists(st.sampled_from(evidence), max_size=3)) if evidence else []
    return opinion(judge, draw(st.integers(1, 5)), *cited, on=on, round_number=round_number)


def decide(name, record):
    evidence, outcomes, opinions = record
    return verdict(name, opinions, evidence=evidence, outcomes=outcomes, rubric_=RUBRIC)


@settings(max_examples=40, deadline=None)
@given(presets, records(), st.randoms(use_true_random=False))
def test_order_of_evidence_outcomes_and_opinions_changes_nothing(name, record, shuffler):
    shuffled = tuple(shuffler.sample(part, len(part)) for part in record)
    assert decide(name, shuffled) == decide(name, record)


@settings(max_examples=40, deadline=None)
@given(presets, records())
def test_no_score_exceeds_a_cap_and_every_score_names_its_rules(name, record):
    unanimous_may_stand = name == "opinions-only"
    for judged in decide(name, record).criteria:
        caps = [
            int(cap) for fired in judged.rules for cap in re.findall(r"at most (\d)\.$", fired.why)
        ]
        assert all(judged.final_score <= cap for cap in caps)
        assert judged.needs_review is (judged.final_score is None)
        assert judged.resolution or unanimous_may_stand


@settings(max_examples=40, deadline=None)
@given(records())
def test_confirmed_security_evidence_always_caps_under_default(record):
    evidence, outcomes, _ = record
    rule = SecurityOverride()
    confirmed = [p for p in evidence if p.found and p.tags and p.confidence >= rule.min_confidence]
    unmet = {i for o in outcomes if o.met is False for i in o.evidence}

    for judged in decide("default", record).criteria:
        flaws = unmet & {p.id for p in confirmed} & set(judged.evidence)
        if flaws and judged.final_score is not None:
            assert judged.final_score <= rule.cap


def fixed_digest() -> str:
    """Return the digest of one rich verdict; child processes print it."""
    evidence = [piece(name, line, tags=("security",)) for name in CHECKS for line in (1, 2, 3)]
    outcomes = [
        outcome(name, name == "tests", *[p for p in evidence if p.check == name]) for name in CHECKS
    ]
    opinions = [
        opinion(judge, score, *evidence, on=c.id)
        for judge, score in zip(PERSONAS, (1, 5, 4), strict=True)
        for c in RUBRIC.criteria
    ]

    return digest_of(decide("default", (evidence, outcomes, opinions)).model_dump(mode="json"))


@pytest.mark.parametrize("seed", ["0", "4242"])
@pytest.mark.processes
def test_other_hash_seed_gives_the_same_bytes(seed):
    module = "tests.courtroom.synthesis.test_synthesis_properties"
    code = f"from {module} import fixed_digest; print(fixed_digest())"
    child = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": seed},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert child.stdout.strip() == fixed_digest()
