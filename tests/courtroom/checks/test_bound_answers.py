"""Findings on bound calls and repeated requests that a branch or the code around them undoes."""

import pytest

from courtroom.checks.structured_output import StructuredOutput, structured_output
from tests.courtroom.surveys import CHECK_FIELDS, clue_lines, location_at, survey

CALL = {"path": "j.py", "line": 8, "schema": "Opinion", "by_judge": True}


def finding_of(aspect, **facts):
    check = StructuredOutput(**CHECK_FIELDS, aspect=aspect, schemas=("Opinion",))
    places = {"model_call": [location_at("j.py", 8)]}
    return structured_output(check, survey(facts=facts, places=places))


@pytest.mark.parametrize("aspect", ["called", "schema"])
def test_branch_that_leaves_the_model_unbound_is_a_reservation(aspect):
    bypassed = [{"path": "j.py", "line": 5, "test": "self.is_plain"}]
    finding = finding_of(aspect, structured_output_calls=[CALL | {"bypassed": bypassed}])
    assert (finding.met, finding.has_reservation) == (True, True)
    assert finding.reason == (
        "Model calls are bound to Opinion (j.py:8). Where `self.is_plain` holds, the model is not bound"
        " (j.py:5)."
    )
    assert clue_lines(finding) == [("j.py", 8), ("j.py", 5)]


def test_score_that_is_forced_into_the_scale_is_a_reservation_of_the_schema_alone():
    row = {"text": "judge forces it.", "places": [{"path": "j.py", "line": 6}]}
    facts = {"structured_output_calls": [CALL], "bent_scores": [row]}
    schema, called = (finding_of(aspect, **facts) for aspect in ("schema", "called"))
    assert (schema.met, schema.has_reservation, called.has_reservation) == (True, True, False)
    assert schema.reason == "Model calls are bound to Opinion (j.py:8). judge forces it (j.py:6)."


def test_loop_that_takes_an_answer_as_it_comes_is_named_beside_the_missing_retry():
    blind = [{"path": "j.py", "line": 7}]
    facts = {"structured_output_retry": False, "judges_asking_once": []}
    finding = finding_of("retry", **facts, blind_retries=blind)
    assert finding.met is False
    assert finding.reason.endswith(
        " A loop repeats the request where it raises an exception, and takes an answer as it comes"
        " (j.py:7)."
    )
    assert clue_lines(finding) == [("j.py", 7), ("j.py", 8)]
