"""Scores in the judges' code that stand in for an answer that failed."""

from __future__ import annotations

import pytest

from courtroom.analysis.langgraph.judging.made_up_scores import (
    computed_stand_in,
    made_up_scores,
    scores_at_once,
    unasked_scores,
)
from courtroom.analysis.python.call_graph import FunctionRef
from tests.courtroom.sources import layers_of, symbols_of

MADE_UP = "Opinion(judge='x', score={score}, argument='It failed.')"


def lines(code: str, score: str = "3") -> list[int]:
    text = code.replace("MADE_UP", MADE_UP.format(score=score))
    _, layers = layers_of(symbols_of(f"def prosecutor(state):\n{text}"))
    return [line for _, line, _ in made_up_scores(layers.judges)]


HANDLER = """\
    try:
        return model.invoke(state)
    except ValueError:
        return [MADE_UP]
"""
ATTEMPTS = """\
    for attempt in range(3):
        try:
            return model.invoke(state)
        except ValueError:
            continue
    return {"opinions": [MADE_UP]}
"""
LAST_ROUND = """\
    for attempt in range({rounds}):
        try:
            return model.invoke(state)
        except ValueError as error:
            {handler}
    return MADE_UP
"""
HELPER = """\
    try:
        return model.invoke(state)
    except ValueError:
        return fallback(state)
def fallback(state):
    return MADE_UP
"""
TABLE = """\
    try:
        return model.invoke(state)
    except ValueError:
        return {"score": 3, "reasoning": ""}
"""
NAMED = """\
    try:
        import model
    except ImportError:
        return {"score": 3, "reasoning": "There is no model."}
    fallback = {"score": 2, "reasoning": ""}
    for attempt in range(3):
        try:
            return model.invoke(state)
        except ValueError:
            continue
    return fallback
"""


@pytest.mark.parametrize(
    ("code", "line"), [(HANDLER, 5), (ATTEMPTS, 7), (HELPER, 7), (TABLE, 5), (NAMED, 6)]
)
def test_score_written_for_a_failed_answer_is_shown(code, line):
    assert lines(code) == [line]


def test_handler_of_the_call_comes_before_what_follows_the_loop():
    code = (
        "    for attempt in range(tries):\n"
        "        try:\n            return model.invoke(state)\n"
        "        except ValueError:\n"
        "            if attempt == 2:\n                return MADE_UP\n"
        "    return MADE_UP\n"
    )
    assert lines(code) == [7, 8]


def test_last_attempt_comes_before_what_follows_the_loop():
    code = (
        "    for attempt in range(tries):\n"
        "        try:\n"
        "            answer = model.invoke(state)\n"
        "            if answer:\n                return answer\n"
        "        except ValueError:\n            raise\n"
        "        if attempt == 2:\n            return MADE_UP\n"
        "    return MADE_UP\n"
    )
    assert lines(code) == [10, 11]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("score = max(1, min(5, 2 if state else base))", "1, 2 or 3"),
        ("score = round(base)", "1 or 3"),
        ("score = max(1, len(state))", None),
        ("score = base\n    score += len(state)", None),
        ("score = state if state else 3", None),
    ],
)
def test_score_kept_within_bounds_is_written_unless_something_is_computed(steps, expected):
    code = f"""def prosecutor(state):
    try:
        return model.invoke(state)
    except ValueError:
        return fallback(state)
def fallback(state):
    base = 3 if state else 1
    {steps}
    return {MADE_UP.format(score="score")}
"""
    _, layers = layers_of(symbols_of(code))
    scores = [sentence for _, _, sentence in made_up_scores(layers.judges)]
    assert [f"the score {expected} in" in sentence for sentence in scores] == [True] * bool(
        expected
    )


BROKEN_OFF = """\
    answer = None
    for attempt in range(3):
        try:
            answer = model.invoke(state)
            break
        except ValueError:
            continue
    if answer:
        return {"score": answer.score, "reasoning": ""}
    return {"score": 1, "reasoning": ""}
"""
NAMED_DEFAULT = """\
    try:
        return model.invoke(state)
    except ValueError:
        return {"score": STANCE["default_score"], "reasoning": ""}
"""


@pytest.mark.parametrize(("code", "line"), [(BROKEN_OFF, 11), (NAMED_DEFAULT, 5)])
def test_score_after_attempts_that_a_break_ends_and_named_default_are_made_up(code, line):
    assert lines(code) == [line]


KEPT = """\
    text = model.invoke(state)
    score = {default}
    try:
        score = max(1, int(json.loads(text)["score"]))
    except {handler}
    return Opinion(judge="x", score=score, argument=text)
"""


@pytest.mark.parametrize(
    ("default", "handler", "expected"),
    [
        ("4", "ValueError:\n        print(text)", [3]),
        ("None", "ValueError:\n        print(text)", []),
        ("4", "ValueError:\n        raise", []),
        ("4", "ValueError:\n        score = len(text)", []),
    ],
)
def test_default_that_stays_where_an_answer_cannot_be_read_is_made_up(default, handler, expected):
    assert lines(KEPT.format(default=default, handler=handler)) == expected


def test_highest_made_up_score_comes_first():
    code = (
        "    try:\n"
        "        try:\n            return model.invoke(state)\n"
        "        except ValueError:\n            return HIGH\n"
        "    except KeyError:\n        return MADE_UP\n"
    )
    assert lines(code.replace("HIGH", MADE_UP.format(score=4)), "1") == [6, 8]


BY_BRANCH = (
    HANDLER.replace("return [MADE_UP]", "return fallback(state)")
    + """\
def fallback(state):
    score = 3
    if not state:
        score = 1
    return MADE_UP
"""
)


def test_scores_that_a_branch_writes_are_named_together():
    code = BY_BRANCH.replace("MADE_UP", MADE_UP.format(score="score"))
    _, layers = layers_of(symbols_of(f"def prosecutor(state):\n{code}"))

    assert [row[1:] for row in made_up_scores(layers.judges)] == [
        (10, "fallback gives the score 1 or 3 in place of an answer that failed.")
    ]


def test_score_that_a_branch_computes_is_not_made_up():
    assert lines(BY_BRANCH.replace("score = 1", "score = len(state)"), "score") == []


@pytest.mark.parametrize(
    ("score", "is_named"),
    [("len(state)", True), ("3", False), ("model.invoke(state).score", False)],
)
def test_score_that_a_function_computes_for_a_failed_answer_is_named(score, is_named):
    code = HELPER.replace("MADE_UP", MADE_UP.format(score=score))
    _, layers = layers_of(symbols_of(f"def prosecutor(state):\n{code}"))
    words = "fallback (src/graph.py:6) computes a score for an answer that failed"
    assert computed_stand_in(layers.judges) == words * is_named


@pytest.mark.parametrize("score", ["None", "0", "reply.score"])
def test_mark_of_a_failure_or_a_computed_score_is_none(score):
    assert lines(HANDLER, score) == []


@pytest.mark.parametrize(
    "code",
    [
        "    return MADE_UP\n",
        "    for item in state:\n        look(item)\n    return MADE_UP\n",
    ],
)
def test_judgement_written_in_the_code_stands_for_no_failed_answer(code):
    assert lines(code) == []


def test_method_is_named_with_its_class():
    judges = "".join(
        f"class {name}Node:\n    def __call__(self, state):\n"
        "        try:\n            return model.invoke(state)\n"
        "        except ValueError:\n"
        f"            return [{MADE_UP.format(score=3)}]\n"
        for name in ("Prosecutor", "Defense")
    )
    _, layers = layers_of(symbols_of(judges))
    sentences = [sentence for _, _, sentence in made_up_scores(layers.judges)]

    assert sentences == [
        f"{name}Node.__call__ gives the score 3 in place of an answer that failed."
        for name in ("Prosecutor", "Defense")
    ]


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        ("model.invoke(criterion)", "all answers, once one"),
        ("ask(criterion)", "all answers, once one"),
        ("careful(criterion)", "an answer that"),
    ],
)
def test_score_behind_the_loop_over_criteria_stands_for_all_answers(answer: str, failed: str):
    code = (
        "def ask(criterion):\n    return model.invoke(criterion)\n"
        "def careful(criterion):\n"
        "    try:\n        return model.invoke(criterion)\n"
        "    except ValueError:\n        return None\n"
        "def prosecutor(state):\n"
        "    try:\n"
        f"        for criterion in state:\n            opinions.append({answer})\n"
        "    except ValueError:\n"
        f"        return [{MADE_UP.format(score=1)}]\n"
    )
    _, layers = layers_of(symbols_of(code))
    (row,) = made_up_scores(layers.judges)

    assert row[2] == f"prosecutor gives the score 1 in place of {failed} failed."


PREPARED = """\
def bound(schema):
    return make_model().with_structured_output(schema)
def ask(client, state):
    return client.invoke(state)
def prosecutor(state):
    try:
        {tried}
    except ValueError:
        return [{made_up}]
    return {later}
"""


@pytest.mark.parametrize(
    ("tried", "later", "is_asked"),
    [
        ("llm = bound(Opinion)", "llm.invoke(state)", False),
        ("state.llm = bound(Opinion)", "state.llm.invoke(state)", False),
        ("llm = bound(Opinion)", "ask(llm, state)", False),
        ("llm = bound(Opinion)", "str(llm)", True),
        ("llm = ask(bound(Opinion), state)", "llm.invoke(state)", True),
        ("answer = state.request()", "reader.parse(answer)", True),
    ],
)
def test_score_for_want_of_a_model_stands_for_no_failed_answer(tried, later, is_asked):
    code = PREPARED.format(tried=tried, later=later, made_up=MADE_UP.format(score="3"))
    _, layers = layers_of(symbols_of(code))
    failed, unasked = made_up_scores(layers.judges), unasked_scores(layers.judges)

    assert ([row[1] for row in failed], [row[1] for row in unasked]) == (
        ([9], []) if is_asked else ([], [9])
    )
    if unasked:
        assert unasked[0][2] == (
            "prosecutor gives the score 3 where the request cannot be prepared: no answer was"
            " requested."
        )


ASKED = """\
def ask(state):
    for attempt in range(3):
        try:
            return model.invoke(state)
        except ValueError:
            continue
    return {failed}
def prosecutor(state):
    answer = ask(state)
    {handled}
"""


@pytest.mark.parametrize(
    "handled",
    [
        "if answer:\n        use(answer)\n    else:\n        use({made_up})",
        "if answer is None:\n        use({made_up})",
        "if not answer:\n        use({made_up})",
        "if answer is not None:\n        return [answer]\n    return [{made_up}]",
        "return [answer or {made_up}]",
        "return [answer if answer else {made_up}]",
        "return [ask(state) or {made_up}]",
    ],
)
def test_score_where_a_helper_gives_no_answer_is_made_up_by_its_caller(handled):
    made_up = MADE_UP.format(score="2")
    code = ASKED.format(failed="None", handled=handled.format(made_up=made_up))
    _, layers = layers_of(symbols_of(code))
    words = "prosecutor gives the score 2 in place of an answer that failed."
    assert [text for _, _, text in made_up_scores(layers.judges)] == [words]

    code = code.replace("return None", "raise ValueError")
    _, layers = layers_of(symbols_of(code))
    assert made_up_scores(layers.judges) == []


@pytest.mark.parametrize("handled", ["if state:\n        use({made_up})", "return [{made_up}]"])
def test_score_beside_a_helper_without_answer_is_none_for_it(handled):
    code = ASKED.format(failed="None", handled=handled.format(made_up=MADE_UP.format(score="2")))
    _, layers = layers_of(symbols_of(code))
    assert made_up_scores(layers.judges) == []


TO_ONE_THAT_HAS_NONE = "prosecutor gives the score 3 to an answer that has none."


@pytest.mark.parametrize(
    "read",
    [
        "use(Opinion(judge='x', score=int(answer.get('score', 3))))",
        "use(Opinion(judge='x', score=getattr(answer, 'score', 3)))",
        "use(Opinion(judge='x', score=answer['score'] or 3))",
        "score = max(1, float(answer.pop('score', 3)))\n    use(Opinion(judge='x', score=score))",
        "answer.setdefault('score', 3)",
        "if 'score' not in answer:\n        answer['score'] = 3",
    ],
)
def test_number_for_a_score_that_an_answer_lacks_is_made_up_at_once(read):
    code = f"def prosecutor(state):\n    answer = loads(model.invoke(state))\n    {read}\n"
    _, layers = layers_of(symbols_of(code))
    rows = made_up_scores(layers.judges)

    assert [text for *_, text in rows] == [TO_ONE_THAT_HAS_NONE]
    assert scores_at_once(layers.judges) == rows


@pytest.mark.parametrize(
    "read",
    [
        "use(Opinion(judge='x', score=answer.get('score', 0)))",
        "use(Opinion(judge='x', score=answer['score']))",
        "use({'kind': 'x', 'score': answer.get('score', 3)})",
        "use(Opinion(judge='x', score=answer.get('weight', 3)))",
    ],
)
def test_score_of_the_answer_or_a_mark_of_its_absence_is_not_made_up(read):
    assert lines(f"    answer = loads(model.invoke(state))\n    {read}\n") == []


UNLIKE = """\
    for attempt in range(3):
        try:
            answer = model.invoke(state)
            {test}
        except ValueError:
            continue
    return None
"""


@pytest.mark.parametrize(
    ("test", "at_once"),
    [
        (
            "if isinstance(answer, Opinion):\n                return answer\n            return MADE_UP",
            1,
        ),
        ("if not isinstance(answer, Opinion):\n                return MADE_UP", 1),
        ("if not (answer and answer.parsed):\n                return MADE_UP", 1),
        ("if answer['parsed'] is None:\n                use(MADE_UP)\n                continue", 0),
    ],
)
def test_score_for_an_answer_of_another_type_is_made_up(test, at_once):
    code = UNLIKE.format(test=test).replace("MADE_UP", MADE_UP.format(score=3))
    _, layers = layers_of(symbols_of(f"def prosecutor(state):\n{code}"))
    (row,) = made_up_scores(layers.judges)

    assert row[2] == "prosecutor gives the score 3 in place of an answer that failed."
    assert len(scores_at_once(layers.judges)) == at_once


def test_number_for_a_missing_score_comes_at_once_while_attempts_are_left():
    code = """def prosecutor(state):
{loop}        try:
            return model.invoke(state)
        except ValueError:
            answer = loads(plain.invoke(state))
            return Opinion(judge='x', score=answer.get('score', 3))
"""
    for loop, count in (("    for attempt in range(3):\n", 1), ("    if state:\n", 0)):
        _, layers = layers_of(symbols_of(code.format(loop=loop)))
        assert len(made_up_scores(layers.judges)) == 1
        assert len(scores_at_once(layers.judges)) == count


def test_score_of_a_judge_that_never_repeats_its_request_comes_at_once():
    code = "def prosecutor(state):\n" + HANDLER.replace("MADE_UP", MADE_UP.format(score=3))
    _, layers = layers_of(symbols_of(code))
    assert scores_at_once(layers.judges) == []
    assert scores_at_once(layers.judges, layers.judges) == made_up_scores(layers.judges) != []


def test_score_after_the_last_attempt_does_not_come_at_once():
    judge = "def prosecutor(state):\n"
    made_up = MADE_UP.format(score=3)
    for code in (HANDLER, ATTEMPTS):
        _, layers = layers_of(symbols_of(judge + code.replace("MADE_UP", made_up)))
        assert scores_at_once(layers.judges) == []


def test_score_for_text_that_cannot_be_read_comes_at_once():
    code = (
        "def prosecutor(state):\n    text = model.invoke(state)\n"
        "    try:\n        return extract_json(text)\n"
        f"    except ValueError:\n        return {MADE_UP.format(score=3)}\n"
        "def extract_json(text):\n    return loads(text)\n"
    )
    _, layers = layers_of(symbols_of(code))
    assert [row[1] for row in scores_at_once(layers.judges)] == [6]


@pytest.mark.parametrize(
    ("before", "compared", "is_named"),
    [
        ("answers = model.invoke(state)", "judged", True),
        ("answers = model.invoke(state)", "evidences", False),
        ("answers = state", "judged", False),
    ],
)
def test_score_for_a_criterion_that_the_answer_leaves_out_is_made_up(before, compared, is_named):
    code = (
        f"    {before}\n    for key in criteria:\n"
        f"        if key not in {compared}:\n            use(MADE_UP)\n"
    )
    assert lines(code) == [5] * is_named


@pytest.mark.parametrize(
    ("judged", "body", "is_named"),
    [
        ("judged", "use(MADE_UP)", True),
        ("evidences", "use(MADE_UP)", False),
        ("judged", "use(model.invoke(key) or MADE_UP)", False),
    ],
    ids=["left out by the answer", "without evidence", "requested again"],
)
def test_score_for_what_is_left_of_the_criteria_without_the_answers_is_made_up(
    judged: str, body: str, is_named: bool
) -> None:
    code = (
        "    answers = model.invoke(state)\n"
        f"    missing = criteria - {judged}\n    for key in missing:\n        {body}\n"
    )
    assert lines(code) == [5] * is_named


WITHOUT_MODEL = """\
def prosecutor(state):
    if {test}:
        return [model.invoke(state)]
    {other}
def fallback(state):
    return {made_up}
"""


@pytest.mark.parametrize(
    ("test", "other", "expected"),
    [
        ("llm_is_there", "else:\n        return fallback(state)", (5, "3 by fallback")),
        ("use_client(state)", "else:\n        return [{made_up}]", (5, "3")),
        ("state", "else:\n        return [{made_up}]", None),
        ("state.model_dump()", "else:\n        return [{made_up}]", None),
    ],
)
def test_score_in_a_branch_without_a_model_stands_for_no_request(test, other, expected):
    made_up = MADE_UP.format(score="3")
    code = WITHOUT_MODEL.format(test=test, other=other.format(made_up=made_up), made_up=made_up)
    _, layers = layers_of(symbols_of(code))
    rows = [row[1:] for row in unasked_scores(layers.judges)]

    words = "where it has no model: no answer was requested."
    assert rows == (
        [(expected[0], f"prosecutor gives the score {expected[1]} {words}")] if expected else []
    )


@pytest.mark.parametrize(("judge", "is_named"), [("Aggregator", False), ("Defense", True)])
def test_record_of_a_node_that_is_no_judge_is_no_score_for_an_answer(judge: str, is_named: bool):
    made = f'Opinion(judge="{judge}", criterion_id="graph", score=3, argument="Joined.")'
    symbols = symbols_of(f"def join(state):\n    return [{made}]\n")
    source = symbols.codebase.production[0]
    rows = unasked_scores([], {"join": [FunctionRef(source, source.functions[0])]})
    assert bool(rows) is is_named


def test_node_that_writes_scores_and_asks_no_model_is_named():
    symbols = symbols_of(f"def skip(state):\n    return [{MADE_UP.format(score=3)}]\n")
    source = symbols.codebase.production[0]
    skip = FunctionRef(source, source.functions[0])

    assert unasked_scores([], {"skip_judges": [skip]}) == [
        (skip, 2, "The node skip_judges gives the score 3 and asks no model.")
    ]


@pytest.mark.parametrize(
    ("rounds", "handler", "runs"),
    [
        ("tries", "if attempt == tries - 1: raise", False),
        ("tries + 1", "if attempt >= tries: return None", False),
        ("1, tries + 1", "if attempt < tries: continue\n            raise", False),
        ("3", "if attempt != 2: continue\n            raise", False),
        ("3", "if attempt == 1: raise", True),
        ("tries", "if attempt == tries: raise", True),
        ("tries", "if attempt == tries - 1: break", True),
        ("tries", "if state.over: raise", True),
        ("0, tries, 2", "if attempt == tries - 1: raise", True),
    ],
)
def test_score_behind_a_loop_that_its_last_round_leaves_never_stands_in(
    rounds: str, handler: str, *, runs: bool
):
    code = LAST_ROUND.replace("{rounds}", rounds).replace("{handler}", handler)
    assert bool(lines(code)) is runs
