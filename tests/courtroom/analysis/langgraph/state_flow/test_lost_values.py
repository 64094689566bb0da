"""Values that the judges or the Chief Justice make and that no report shows."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from tests.courtroom.analysis.langgraph.state_flow.flows import (
    GRAPH,
    faults,
    flow_of,
    flow_with,
    sentences,
)

NODES = """
def detective(state):
    return {{"evidences": {{"repo": [state["repo_url"], state["pdf_path"]]}}}}
def {node}(state):
    opinions = list(state["evidences"].values())
{body}
    return {{"opinions": opinions}}
"""


def lost(body: str, *, kind: str = "unused_verdict", node: str = "chief_justice") -> list[str]:
    code = NODES.format(node=node, body=indent(dedent(body), "    "))
    graph = GRAPH.replace('"judge"', f'"{node}"').replace("judge)", f"{node})")
    return sentences(flow_of(code, graph=graph), kind)


def test_what_a_judge_looks_up_and_never_uses_is_named():
    assert lost('logic = opinions[0].get("logic", "")', kind="unused_result", node="judge") == [
        "judge() makes `logic` and never uses it"
    ]


@pytest.mark.parametrize(
    "value",
    [
        "max(opinions) - min(opinions)",
        "{'all': opinions}",
        "False",
        "dict(state.get('evidences') or {})",
    ],
)
def test_what_the_chief_justice_makes_and_never_uses_is_named(value):
    assert lost(f"spread = {value}") == ["chief_justice() makes `spread` and never uses it"]


@pytest.mark.parametrize(
    ("node", "body", "is_minor"),
    [
        ("chief_justice", "spread = max(opinions)", True),
        ("chief_justice", "last_opinions = opinions[-3:]", False),
        ("chief_justice", "dissent = ''", True),
        ("chief_justice", "paths = state.get('pdf_path') or []", False),
        ("judge", "ids = [o.id for o in opinions]", True),
        ("judge", "evidence = state['evidences'].get('repo')", False),
        # What a join puts together is its whole work.
        ("evidence_aggregator", "summary = {'count': len(opinions)}", False),
        ("evidence_aggregator", "count = len(opinions)", True),
        ("report_writer", "evidence = opinions[0]", True),
    ],
)
def test_unused_value_counts_where_a_route_or_the_verdict_hangs_on_it(node, body, is_minor):
    code = NODES.format(node=node, body=indent(body, "    "))
    graph = GRAPH.replace('"judge"', f'"{node}"').replace("judge)", f"{node})")
    kind = "unused_verdict" if node == "chief_justice" else "unused_result"
    assert [f.is_minor for f in faults(flow_of(code, graph=graph), kind)] == [is_minor]


def test_unused_values_of_any_code_that_a_run_reaches_are_minor_faults():
    tool = (
        "def look(url):\n    words = [word for word in url]\n    return url\n\nLOOKED_FOR = ['a']"
    )
    reading = flow_with(tool)
    assert [(f.sentence, f.is_minor) for f in faults(reading, "unused_result")] == [
        ("look() makes `words` and never uses it", True),
        ("the constant `LOOKED_FOR` is set, and no code reads it", True),
    ]


def test_flag_that_is_set_twice_and_never_read_is_named_once():
    assert lost("is_capped = False\nif opinions:\n    is_capped = True") == [
        "chief_justice() makes `is_capped` and never uses it"
    ]


def test_value_of_a_function_inside_another_one_is_named_once():
    maker = (
        "def look(url):\n    def seek(part):\n        words = part.split()\n        return part\n"
        "    return seek(url)\n"
    )
    assert sentences(flow_with(maker), "unused_result") == [
        "seek() makes `words` and never uses it"
    ]


@pytest.mark.parametrize(
    "body",
    [
        "spread = max(opinions)\nprint(spread)",
        "_spread = max(opinions)",
        "_ = 0",
        "_, spread = 0, 1",
        "for spread in (0, 1):\n    pass",
        "spread = 0\ndel spread",
        "global spread\nspread = 0",
        "class Row:\n    spread: int = 0\nprint(Row)",
        "rows = iter(opinions)\nspread = list(rows)\nprint(rows)",
        "spread = dict(load(opinions))",
        "other = opinions",
        "reply = opinions[0].save(opinions)",
        "import requests\nreply = requests.get(opinions)",
        "spread = max(opinions)\nprint(locals())",
    ],
)
def test_what_may_have_a_use_is_no_fault(body: str):
    assert lost(body) == []


TWO_RULES = """
dissent = ""
if opinions[0].risk > 3:
    dissent = "Capped for security."
{between}
if {test}:
    dissent = "Overruled for want of evidence."
{after}
opinions.append(dissent)
"""


def two_rules(test: str, between: str = "", after: str = "") -> list[str]:
    return lost(
        "first, missing = opinions\n"
        + TWO_RULES.format(test=test, between=between, after=after).replace("opinions[0]", "first")
    )


def test_a_text_on_dissent_that_a_second_rule_replaces_is_named():
    (sentence,) = two_rules("missing.score >= 4")
    assert sentence == (
        "chief_justice() writes `dissent` and, by a second rule in line 24, writes it anew: where"
        " both apply, the first text is lost"
    )


@pytest.mark.parametrize(
    ("test", "between", "after"),
    [
        ("first.risk < 2", "", ""),
        ("missing.score >= 4 and not dissent", "", ""),
        ("missing.score >= 4", "print(dissent)", ""),
        ("missing.score >= 4", "", "else:\n    print(first)"),
    ],
)
def test_rules_that_exclude_each_other_or_keep_the_text_are_no_fault(test, between, after):
    assert two_rules(test, between, after) == []


OBJECT = """
class ChiefJustice:
    def __init__(self, rubric):
        self.{field} = rubric["rules"]
        self.weights = rubric["weights"]
    def decide(self, opinions):
        return [row for row in opinions if row in self.weights]
opinions = ChiefJustice({{"rules": [], "weights": []}}).decide(opinions)
{rest}
"""


def test_what_the_chief_justice_keeps_and_no_code_reads_is_named():
    assert lost(OBJECT.format(field="rules_kept", rest="")) == [
        "ChiefJustice keeps `self.rules_kept`, which no code reads"
    ]


@pytest.mark.parametrize(("field", "rest"), [("kept", "print(opinions.kept)"), ("weights", "")])
def test_a_field_that_may_be_read_is_no_fault(field, rest):
    assert lost(OBJECT.format(field=field, rest=rest)) == []


def constant(line: str, body: str = "") -> list[str]:
    code = f"{line}\n" + NODES.format(node="chief_justice", body=indent(body or "pass", "    "))
    graph = GRAPH.replace('"judge"', '"chief_justice"').replace("judge)", "chief_justice)")
    return sentences(flow_of(code, graph=graph), "unused_verdict")


@pytest.mark.parametrize("value", ["['invented', 'not found']", "3", "{'a': 1}"])
def test_constant_of_the_chief_justice_that_no_code_reads_is_named(value):
    assert constant(f"LOST = {value}") == ["the constant `LOST` is set, and no code reads it"]


@pytest.mark.parametrize(
    ("line", "body"),
    [
        ("CAP = 3", "print(CAP)"),
        ("CAP = 3", "print(globals()['CAP'])"),
        ("PROMPT = 'You are the Chief Justice.'", ""),
        ("LOCK = make()", ""),
        ("cap = 3", ""),
    ],
)
def test_constant_that_may_be_read_is_none(line, body):
    assert constant(line, body) == []


RESOLVE = """
def resolve(opinions, rules):
    return {result}
"""


def handed_over(body: str, result: str = "max(opinions)") -> list[str]:
    code = RESOLVE.format(result=result) + NODES.format(
        node="chief_justice", body=indent(dedent(body), "    ")
    )
    graph = GRAPH.replace('"judge"', '"chief_justice"').replace("judge)", "chief_justice)")
    faults = sentences(flow_of(code, graph=graph), "unused_verdict")
    return [fault for fault in faults if fault != "Nothing calls resolve()"]


@pytest.mark.parametrize(
    ("body", "end"),
    [
        ("if not rules:\n    rules = {}", "never uses it"),
        ("if rules is None:\n    rules = {}", "never uses it"),
        (
            "opinions.append(resolve(opinions, rules))",
            "hands it to resolve(), which never reads it",
        ),
        (
            "if not rules:\n    rules = {}\nopinions.append(resolve(opinions, rules=rules))",
            "hands it to resolve(), which never reads it",
        ),
    ],
)
def test_value_that_is_read_for_nothing_is_named_once(body: str, end: str):
    handed = handed_over(f"rules = state.get('evidences')\n{body}")

    assert handed == [f"chief_justice() makes `rules` and {end}"]


def test_rules_that_a_file_gives_and_the_resolver_never_reads_are_named():
    body = "rules = load_rules(state)\nopinions.append(resolve(opinions, rules))"

    assert handed_over(body) == [
        "chief_justice() makes `rules` and hands it to resolve(), which never reads it"
    ]
    assert handed_over(body.partition("\n")[0]) == []


@pytest.mark.parametrize(
    ("body", "result"),
    [
        ("opinions.append(resolve(opinions, rules))", "max(opinions, rules)"),
        ("opinions.append(resolve(opinions, rules))\nprint(rules)", "max(opinions)"),
        ("if not rules:\n    opinions = []", "max(opinions)"),
        ("if not rules:\n    rules = {}\n    opinions.clear()", "max(opinions)"),
        ("opinions.append(resolve(opinions, rules))\nopinions.sort(key=resolve)", "max(opinions)"),
    ],
)
def test_value_that_may_be_read_is_no_fault(body: str, result: str):
    assert handed_over(f"rules = state.get('evidences')\n{body}", result) == []


SCAN = """
def {name}(path):
    print("reading", path)
    with open(path) as file:
        return {answer}
def detective(state):
    {target} = {name}(state["pdf_path"])
    return {{"evidences": {{"repo": [state["repo_url"]]}}}}
def judge(state):
    return {{"opinions": list(state["evidences"].values())}}
"""


def unused_scans(name: str, target: str, answer: str = "file.read()") -> list[str]:
    code = SCAN.format(name=name, target=target, answer=answer)
    return sentences(flow_of(code), "unused_result")


@pytest.mark.parametrize("target", ["paths", "_paths"])
def test_unused_result_of_an_analysis_is_named_whatever_it_does_beside(target):
    sentence = f"detective() keeps what extract_paths() returns as `{target}` and never uses it"
    assert unused_scans("extract_paths", target) == [sentence]


@pytest.mark.parametrize(
    ("name", "target", "answer"),
    [
        ("store_paths", "paths", "file.read()"),
        ("extract_paths", "_", "file.read()"),
        ("extract_paths", "paths", "None"),
    ],
    ids=["not an analysis", "no name of its own", "no answer"],
)
def test_result_that_may_be_beside_the_purpose_is_no_fault(name, target, answer):
    assert unused_scans(name, target, answer) == []


def test_part_of_a_result_that_the_verdict_rests_on_and_nobody_reads_is_named():
    unpacked = "score, rule_applied = resolve(opinions)\nopinions.append(score)"
    code = NODES.format(node="chief_justice", body=indent(unpacked, "    "))
    code += 'def resolve(opinions):\n    return len(opinions), "the mean"\n'
    graph = GRAPH.replace('"judge"', '"chief_justice"').replace("judge)", "chief_justice)")
    assert sentences(flow_of(code, graph=graph), "unused_verdict") == [
        "chief_justice() keeps a part of what resolve() returns as `rule_applied` and never uses it"
    ]
    for name in ("_rule_applied", "note"):
        other = code.replace("rule_applied", name)
        assert sentences(flow_of(other, graph=graph), "unused_verdict") == []


def test_value_that_is_lost_is_named_once_and_not_the_none_before_it():
    made = "dissent = None\nif opinions:\n    dissent = written(opinions)"
    code = NODES.format(node="chief_justice", body=indent(made, "    "))
    code += "def written(opinions):\n    return str(opinions)\n"
    graph = GRAPH.replace('"judge"', '"chief_justice"').replace("judge)", "chief_justice)")
    assert sentences(flow_of(code, graph=graph), "unused_verdict") == [
        "chief_justice() keeps what written() returns as `dissent` and never uses it"
    ]
