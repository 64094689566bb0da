"""Two sentences of a check: what holds, and what is wrong, each with the fact that shows it."""

import pytest

from courtroom.checks.file_exists import FileExists
from courtroom.checks.registry import KINDS, fault_of, statement_on
from courtroom.models.check import UnknownCheck
from courtroom.models.evidence import CheckOutcome
from courtroom.models.statement import (
    first_sentence,
    not_applying,
    statement_of,
    vain_search,
    whether,
    without_weaker,
)
from courtroom.rubric_import.shipped_rubrics import SHIPPED, load_shipped
from tests.courtroom.surveys import detected, survey

GOAL, FAULT = "There is a README", "There is no README"


def text(met, reason, **fields):
    check = FileExists(id="c", goal=GOAL, any_of=("README*",), **fields)
    return str(statement_on(check, CheckOutcome(check="c", met=met, reason=reason)))


@pytest.mark.parametrize(
    ("met", "words"),
    [
        (True, "There is a README. The tree has 3 files."),
        (False, "There is no README. The tree has 3 files."),
        (None, "It could not be checked whether there is a README. The tree has 3 files."),
    ],
)
def test_statement_is_the_sentence_of_the_outcome_with_its_fact(met, words):
    assert text(met, "The tree has 3 files.", fault=FAULT) == words


def test_goal_is_no_fault_where_the_rubric_has_none():
    assert text(False, "Looked.") == "No file matches README*. Looked."
    assert text(False, "Looked.", polarity="negative") == (
        "There is a file that matches README*. Looked."
    )


def test_reason_that_says_the_same_is_not_repeated():
    assert text(False, "There is no README.", fault=FAULT) == "There is no README."
    assert (
        text(False, "There is no README: 3 files.", fault=FAULT) == "There is no README: 3 files."
    )


def test_record_without_a_fault_has_its_reason_alone():
    statement = statement_of(goal=GOAL, fault="", met=False, reason="The tree has 3 files")
    assert (statement.sentence, statement.fact) == ("The tree has 3 files.", "")


@pytest.mark.parametrize(
    ("goal", "question"),
    [
        ("Every file exists", "whether every file exists"),
        ("LangGraph runs it.", "whether LangGraph runs it"),
        (
            "No request to a model was recognised that lacks evidence",
            "whether any request to a model lacks evidence",
        ),
        (
            "No line was recognised that fails and that a run reaches",
            "whether there is any line that fails and that a run reaches",
        ),
        (
            "No clone was recognised that is lost, and no text that no code uses",
            "whether there is any clone that is lost, or any text that no code uses",
        ),
    ],
)
def test_goal_is_a_question_and_a_name_keeps_its_capital(goal, question):
    assert whether(goal) == question


@pytest.mark.parametrize(
    ("goal", "question"),
    [
        ("No clone was recognised that is lost", "Whether any clone is lost."),
        ("No key is committed", "Whether any key is committed."),
        ("Nothing is run through a shell", "Whether anything is run through a shell."),
    ],
)
def test_search_that_recognised_no_fault_denies_none(goal, question):
    reason = "No such thing was recognised in 3 files. Looked twice. Not counted: a.py."
    for has_reservation, fact in ((True, "Not counted: a.py."), (False, "")):
        statement = vain_search(goal=goal, reason=reason, has_reservation=has_reservation)
        assert (statement.sentence, statement.fact) == (question, fact)


@pytest.mark.parametrize(
    ("goals", "words"),
    [
        (["The clone ends"], "For the same reason this check is not met: whether the clone ends."),
        (
            ["The clone ends", "It starts"],
            "For the same reason these checks are not met: whether the clone ends; whether it starts.",
        ),
    ],
)
def test_checks_that_do_not_apply_are_questions(goals, words):
    assert not_applying(goals) == words


def test_reason_of_an_earlier_report_does_not_repeat_that_nothing_is_established():
    words = text(None, "Not established: the PDF has no text layer.", fault=FAULT)
    assert words == (
        "It could not be checked whether there is a README. The PDF has no text layer."
    )


def test_fault_of_the_outcome_stands_where_the_rubric_has_none():
    check_outcome = CheckOutcome(
        check="c", met=False, reason="It is a.md.", fault="A file is there."
    )
    plain = FileExists(id="c", goal=GOAL, any_of=("a.md", "b.md"), polarity="negative")
    own = plain.model_copy(update={"fault": FAULT})
    assert (fault_of(plain, check_outcome), fault_of(own, check_outcome)) == (
        "A file is there.",
        FAULT,
    )


def test_unknown_kind_has_no_fault():
    assert fault_of(UnknownCheck(id="c", goal=GOAL, kind="of_a_later_version")) == ""


def test_check_without_a_fault_is_written_without_one():
    assert "fault" not in FileExists(id="c", goal=GOAL, any_of=("a",)).model_dump(mode="json")


CHECKS = [check for name in SHIPPED for check in load_shipped(name).checks]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.id)
def test_kind_words_a_fault_that_is_a_sentence_and_not_the_goal(check):
    words = KINDS[check.kind].fault(check)
    assert words != check.goal
    assert words[0].isupper()
    assert words.endswith(".")


FIELDS = {"id": "c", "goal": GOAL}


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        (
            "commit_history",
            {"aspect": "more_than"},
            "The history has fewer than 4 commits of work.",
        ),
        (
            "communication_log",
            {"about": "blocker"},
            "The communication log has no entry about a blocker.",
        ),
        ("communication_log", {"minimum": 3}, "The communication log has fewer than 3 entries."),
        ("python_import", {"any_of": ["a", "b"]}, "No code imports a or b."),
        ("sandboxed_clone", {"aspect": "timeout"}, "Nothing sets a deadline for the clone."),
        (
            "state_flow",
            {"faults": ["loose_rule"]},
            "There is a rule that does more than it should.",
        ),
        ("pinned_dependencies", {}, "A list of dependencies does not pin all its versions."),
        (
            "text_contains",
            {"any_of": ["a", "b", "c", "d"]},
            "No text says “a”, “b”, “c” or 1 other.",
        ),
        (
            "text_contains",
            {"any_of": ["run "], "paths": ["README*"], "polarity": "negative"},
            "A text that matches README* says “run”.",
        ),
    ],
)
def test_kind_makes_the_fault_from_the_parameters(kind, fields, words):
    assert fault_of(KINDS[kind].model.model_validate(FIELDS | fields)) == words


@pytest.mark.parametrize(
    ("reason", "is_repeated"),
    [
        ("No clone that is lost was recognised in the 3 files.", True),
        ("No clone was looked at.", False),
        ("Nothing is lost that was recognised as a clone.", False),
    ],
)
def test_denial_that_says_the_goal_in_another_order_stands_alone(reason, is_repeated):
    goal = "No clone was recognised that is lost"
    statement = statement_of(goal=goal, fault="", met=True, reason=reason)
    assert (str(statement) == reason) is is_repeated


@pytest.mark.parametrize(
    ("reason", "is_alone"),
    [
        ("No key that is lost was recognised in the 3 files.", True),
        ("No key that is lost, and no unused prompt was recognised.", False),
        ("Looked for such faults in the 3 files.", False),
    ],
)
def test_denial_of_one_thing_stands_alone_where_the_goal_denies_several(reason, is_alone):
    """Nothing is denied that was not looked for: the judges ask no model."""
    goal = "No key that is lost, no unused prompt, and no value that is refused was recognised"
    statement = statement_of(goal=goal, fault="", met=True, reason=reason)
    assert (str(statement) == reason) is is_alone
    question = vain_search(goal=goal, reason=reason, has_reservation=False).sentence
    assert (question == "Whether any key is lost.") is is_alone


@pytest.mark.parametrize(
    ("sentences", "left"),
    [
        (["No claim is wrong.", "At most one claim is wrong."], ["No claim is wrong."]),
        (["A claim fails.", "More than one claim fails."], ["More than one claim fails."]),
        (
            ["It has more than fifteen commits.", "It has more than three commits."],
            ["It has more than fifteen commits."],
        ),
        (
            ["At most one row was wrong.", "At most one in four rows were wrong."],
            ["At most one row was wrong."],
        ),
        (
            ["More than one row fails.", "More than one in four rows fails."],
            ["More than one in four rows fails."],
        ),
        (["At most two rows fail.", "Fewer than two rows fail."], ["Fewer than two rows fail."]),
        (["No claim is wrong.", "No name is wrong."], ["No claim is wrong.", "No name is wrong."]),
        (["The graph runs.", "The graph runs."], ["The graph runs."]),
        (["No row fails.", "No row fails and that all read."], ["No row fails."]),
        (
            ["No row fails and that all read.", "No row is left."],
            ["No row fails and that all read.", "No row is left."],
        ),
        (
            ["The text has fewer than 60 words", "The text has fewer than 20 words"],
            ["The text has fewer than 20 words"],
        ),
    ],
)
def test_of_sentences_that_differ_by_their_limit_the_strictest_is_left(sentences, left):
    assert without_weaker(sentences) == left


CLONE = {"name": "fetch", "path": "t.py", "line": 3}


@pytest.mark.parametrize(
    ("check", "facts", "title"),
    [
        (
            "justice.security_by_evidence",
            {"security_ground": "either"},
            "The cap for security needs no evidence.",
        ),
        (
            "justice.fact_supremacy",
            {
                "rules": {"fact_supremacy": True},
                "idle_rules": [
                    {"rule": "fact_supremacy", "path": "j.py", "line": 4, "function": "decide"}
                ],
            },
            "The rule by which facts overrule opinions changes no score.",
        ),
        (
            "safety.timeout",
            {"clone_function": CLONE | {"is_uncalled": True}, "clone_timeout": True},
            "Nothing that runs calls the function that clones.",
        ),
        (
            "safety.errors_handled",
            {
                "clone_function": CLONE | {"escaping": [{"name": "GitError", "node": "look"}]},
                "clone_errors_handled": True,
            },
            "A clone that fails ends the run.",
        ),
        (
            "output.schema",
            {
                "structured_output_calls": [
                    {
                        "path": "j.py",
                        "line": 2,
                        "schema": "JudicialOpinion",
                        "unbound": [{"path": "j.py", "line": 9}],
                    }
                ]
            },
            "The same model is also called without the schema, and its answer is cut out of text.",
        ),
    ],
)
def test_title_of_a_shipped_check_is_the_fault_that_was_found(check, facts, title):
    shipped = next(c for c in load_shipped("self_audit").checks if c.id == check)
    finding = detected(shipped, survey(facts=facts))
    outcome = CheckOutcome(check=check, met=finding.met, reason=finding.reason, fault=finding.fault)
    assert (finding.met, fault_of(shipped, outcome)) == (False, title)


def test_the_stop_of_a_short_form_inside_brackets_ends_no_sentence():
    first = "The diagram has both splits (side by side: repo_invest. | doc; a.b. | c)."
    assert first_sentence(f"{first} Nothing else was looked at.") == first
    assert first_sentence("It is cut at “foo(bar”. The rest follows.") == "It is cut at “foo(bar”."
