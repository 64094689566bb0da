"""Steps fit the work: its own names, the place of the change, nothing that is there already.

The second audit is of the same work after the steps were carried out.
"""

import pytest

from courtroom.synthesis.advice.work import filled
from tests.courtroom.synthesis.faulty_auditor import (
    DETECTIVES,
    GRAPH,
    JUDGES,
    STATE,
    TOOLS,
    WORK,
    audited,
    example_of,
    outcomes_of,
    steps_on,
)

CLONE_CALL = '        subprocess.run(["git", "clone", repo_url, folder], check=True)\n'


@pytest.fixture(scope="module")
def before(tmp_path_factory):
    return audited(tmp_path_factory.mktemp("before") / "a.git", WORK)


@pytest.fixture(scope="module")
def after(tmp_path_factory, before):
    """Report on the work after the steps on its graph, clone, model call and state."""
    return audited(tmp_path_factory.mktemp("after") / "a.git", WORK | _mended(before))


def _mended(report):
    chain = [line for line in GRAPH.splitlines(keepends=True) if '_edge("prosecutor", "de' in line]
    chain += [line for line in GRAPH.splitlines(keepends=True) if '_edge("defense", "te' in line]
    chain += [
        'flow.add_edge("tech_lead", "chief_justice")\n',
        'flow.add_edge("aggregator", "prosecutor")\n',
    ]
    graph = GRAPH
    for line in chain:
        assert line in graph
        graph = graph.replace(line, "")
    examples = [
        example_of(report, check)
        for check in ("graph.judges_parallel", "graph.fan_in_before_justice")
    ]
    graph = graph.replace("graph = ", "\n".join([*examples, "graph = "]))
    refusal = example_of(report, "safety.url_validated")
    lines = "".join(f"    {line}\n" for line in refusal.splitlines())
    tools = TOOLS.replace("    folder = tempfile", f"{lines}    folder = tempfile")
    tools = tools.replace("check=True", "check=True, timeout=120")
    reading = '    folder = state.get("folder")\n'
    return {
        "src/graph.py": graph,
        "src/tools.py": tools.replace("CalledProcessError as", "SubprocessError as"),
        "src/state.py": STATE.replace("    final", "    folder: str\n    final"),
        "src/detectives.py": DETECTIVES.replace(reading, "")
        .replace(
            "found=bool(folder))]}}\n\n\ndef agg", "found=True if state else False)]}}\n\n\ndef agg"
        )
        .replace(
            '    return {"proofs": {}}', f'{reading}    return {{"proofs": {{"all": [folder]}}}}'
        ),
        "src/judges.py": JUDGES.replace(
            "    try:\n        return llm.invoke(text)\n    except Exception:\n",
            "    for _ in range(3):\n        try:\n            return llm.invoke(text)\n"
            "        except Exception:\n            continue\n    if text:\n",
        ),
    }


@pytest.mark.parametrize(
    "check",
    [
        "graph.judges_parallel",
        "graph.fan_in_before_justice",
        "graph.data_arrives",
        "state.keys_declared",
        "safety.timeout",
        "safety.url_validated",
        "output.retry",
    ],
)
def test_step_that_was_carried_out_meets_its_check(before, after, check):
    assert (outcomes_of(before)[check], outcomes_of(after)[check]) == (False, True)


def test_steps_take_nothing_away(before, after):
    met = {check for check, is_met in outcomes_of(before).items() if is_met}
    assert [check for check in sorted(met) if outcomes_of(after)[check] is not True] == []


def test_key_of_another_node_of_the_same_step_is_read_later(before):
    (step,) = steps_on(before, "state.keys_declared")
    assert (step.path, step.line) == ("src/detectives.py", _line(DETECTIVES, 'state.get("folder")'))
    assert step.action == (
        "Read `folder` in aggregator, which runs after both, not in doc_analyst, and declare `folder`"
        " in CourtState. Declared alone it arrives too late: doc_analyst and repo_investigator both"
        " run in step 1."
    )


def test_chain_of_judges_names_the_edges_to_remove_and_to_add(before):
    (step,) = steps_on(before, "graph.judges_parallel")
    assert (step.path, step.line) == ("src/graph.py", _line(GRAPH, '"prosecutor", "defense"'))
    assert step.action == (
        "Start prosecutor, defense and tech_lead from aggregator, by one edge each; remove the edges"
        " prosecutor → defense and defense → tech_lead."
    )


def test_join_of_judges_names_the_edge_that_it_replaces(before):
    (step,) = steps_on(before, "graph.fan_in_before_justice")
    assert step.action == (
        "Join prosecutor, defense and tech_lead in chief_justice before the verdict is made: one edge"
        " from the list of them in place of tech_lead → chief_justice waits for all. It is for"
        " branches: start them together first, as they now run one after another."
    )


def test_retry_belongs_to_the_call_of_the_model_not_to_its_binding(before):
    (step,) = steps_on(before, "output.retry")
    assert (step.path, step.line) == ("src/judges.py", _line(JUDGES, "llm.invoke"))


def test_check_of_the_address_is_in_the_names_of_the_clone_function(before):
    (step,) = steps_on(before, "safety.url_validated")
    assert (step.path, step.line) == ("src/tools.py", _line(TOOLS, '"git", "clone"'))
    assert "in fetch" in step.action
    assert (
        example_of(before, "safety.url_validated").splitlines()[0]
        == 'if not repo_url.startswith(("https:", "git@")):'
    )


def test_missing_rule_is_placed_in_the_code_of_the_chief_justice(before):
    (step,) = steps_on(before, "justice.dissent")
    assert (step.path, step.line) == ("src/justice.py", 1)


def test_step_that_two_checks_ask_for_stands_once_in_a_criterion(before):
    for criterion in before.criteria:
        steps = [(step.action, step.path, step.line) for step in criterion.remediation]
        assert len(steps) == len(set(steps)), criterion.id


def test_example_without_a_known_name_is_not_shown():
    assert filled("model.with_structured_output({{opinion_schema}})", {}) is None
    assert filled("{{justice|the Chief Justice}} decides", {}) == "the Chief Justice decides"
    assert filled("{{justice|x}} decides", {"justice": "supreme"}) == "supreme decides"


def _line(text: str, part: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), start=1) if part in line)
