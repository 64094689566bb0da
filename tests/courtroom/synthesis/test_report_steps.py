"""Steps for what the report says, from facts of a work."""

import pytest

from courtroom.checks.commit_history import WITHIN_MINUTES
from courtroom.checks.feature_words import NOT_THERE
from courtroom.models.evidence import Location
from courtroom.synthesis.advice import code_steps, report_steps
from courtroom.synthesis.advice.work import filled
from courtroom.synthesis.remediation import ADVICE
from tests.courtroom.synthesis.advised_work import work
from tests.courtroom.synthesis.bench_records import piece


def test_paths_are_corrected_only_where_the_report_names_wrong_ones():
    (wrong,) = report_steps.claim_steps("none_hallucinated", work(pdf_hallucinated_paths=["a.py"]))
    assert wrong.action == (
        "Correct the paths in the report that do not exist, or take them out, among them a.py."
    )
    (many,) = report_steps.claim_steps("names_exist", work(pdf_missing_names=[*"abcdef"]))
    assert "or take it out, among them a, b, c, d, e and f." in many.action
    spoken_of = work(pdf_hallucinated_paths=[], pdf_claims={"reducers": "confirmed"})
    (missing,) = report_steps.claim_steps("none_hallucinated", spoken_of)
    assert missing.action == (
        "Name in the report the file of each part that it describes: state.py:3 where the state is"
        " declared."
    )


def test_library_that_the_report_names_wrongly_is_not_built():
    names = ("dissent", "uses_gpt", "mkdtemp", "commit_count", "uses_os_system")
    facts = work(pdf_claims=dict.fromkeys(names, "contradicted"), commit_count=27)
    (step,) = report_steps.claim_steps("claims_hold", facts)
    assert step.action == (
        "Build this, or drop the claim of it from the report: an account of dissent."
        " Say in the report what the code uses in place of a GPT model and a folder made by mkdtemp."
        " Correct the number of commits in the report: the history has 27 commits."
        " Take out of the report, wherever it stands, that the code has calls of"
        f" os.system. {report_steps.READ_THE_REST}"
    )


@pytest.mark.parametrize("fact", ["idle_rules", "unheld_rules"])
def test_claimed_rule_that_the_code_has_without_effect_is_not_built(fact):
    facts = work(pdf_claims={"dissent": "contradicted"}, **{fact: [{"rule": "dissent"}]})
    (step,) = report_steps.claim_steps("claims_hold", facts)
    assert (
        step.action
        == f"{report_steps.RULES_AS_SAID}an account of dissent. {report_steps.READ_THE_REST}"
    )


def test_page_that_denies_what_the_code_has_stands_with_the_step():
    features = ("lacks_judges", "lacks_parallel_judges", "uses_os_system")
    facts = work(pdf_claims=dict.fromkeys(features, "contradicted"))
    denials = [
        piece(rationale=f"{NOT_THERE}{words}.", location=Location(page=page))
        for words, page in (("parallel judges", 9), ("judges in the graph", 4))
    ]
    (step,) = report_steps.claim_steps("claims_hold", facts, denials)
    assert step.action == (
        "Take out of the report, wherever it stands, that the code has no judges"
        " in the graph (page 4), no parallel judges (page 9) and calls of os.system."
        f" {report_steps.READ_THE_REST}"
    )


@pytest.mark.parametrize(
    ("reducers", "action"),
    [
        ([{"field": "opinions"}], "Describe this in the report as the code has it: reducers."),
        ([], "Build this, or drop the claim of it from the report: reducers."),
    ],
)
def test_claimed_feature_that_the_code_has_otherwise_is_not_built(reducers, action):
    facts = work(pdf_claims={"reducers": "contradicted"}, reducers=reducers)
    (step,) = report_steps.claim_steps("claims_hold", facts)
    assert step.action == f"{action} {report_steps.READ_THE_REST}"


def test_claimed_route_for_errors_that_the_code_has_elsewhere_is_not_built():
    claims = {"error_route": "contradicted"}
    (step,) = report_steps.claim_steps(
        "claims_hold", work(pdf_claims=claims, conditional_error_route=True)
    )
    assert step.action == (
        "Describe this in the report as the code has it: a route for errors."
        f" {report_steps.READ_THE_REST}"
    )
    (step,) = report_steps.claim_steps(
        "claims_hold", work(pdf_claims=claims, conditional_error_route=False)
    )
    assert (
        step.action
        == f"{report_steps.BUILD_CLAIMED}a route for errors. {report_steps.READ_THE_REST}"
    )


def test_claimed_route_that_no_run_takes_is_mended_and_not_dropped():
    route = {"path": "src/graph.py", "line": 20, "from": "hub", "to": ["judges", "error_handler"]}
    dead = {"kind": "dead_route", "path": "src/graph.py", "line": 20}
    facts = work(
        pdf_claims={"error_route": "contradicted"},
        conditional_error_route=True,
        graph={"conditional": [route]},
        state_flow={"faults": [dead]},
    )
    (step,) = report_steps.claim_steps("claims_hold", facts)
    assert step.action == f"{report_steps.MEND_ROUTES} {report_steps.READ_THE_REST}"


@pytest.mark.parametrize(
    ("paths", "claims", "action"),
    [
        (
            ["./state.py"],
            {"reducers": "confirmed"},
            "Describe more parts of the code in the report, each with its file.",
        ),
        (
            [],
            {"clone_timeout": "confirmed"},
            "Name in the report the file of each part that it describes.",
        ),
    ],
    ids=["named", "not spoken of"],
)
def test_file_that_the_report_names_or_says_nothing_of_is_no_example_to_name(paths, claims, action):
    facts = work(pdf_claimed_paths=paths, pdf_claims=claims)
    (step,) = report_steps.claim_steps("claims_supported", facts)
    assert step.action == action


THREE = "defense, prosecutor and tech_lead side by side"


APART = "not drawn side by side: defense | prosecutor | tech_lead of the code"


@pytest.mark.parametrize(
    ("reason", "actions"),
    [
        (
            f"On this page: side by side: RepoInvestigator | DocAnalyst; {APART}.",
            [f"Draw {THREE} in the diagram on page 5, with the node in which they join."],
        ),
        (f"On this page: a line of boxes; {APART}.", []),
        ("On this page: side by side: RepoInvestigator | DocAnalyst.", []),
    ],
)
def test_diagram_lacks_only_the_branches_that_it_does_not_draw(reason, actions):
    evidence = piece(rationale=reason, location=Location(page=5))
    steps = report_steps.diagram_steps("parallel", [evidence], work())
    assert [step.action for step in steps] == actions


OUTLINES = "counted by outline, as their text was not read"


@pytest.mark.parametrize(
    ("aspect", "reason", "action"),
    [
        (
            "parallel",
            f"On this page: boxes side by side, in a picture each: 3 on page 5, then 2 on page 7; {OUTLINES}.",
            (
                "Draw both splits in one picture with the nodes in which they join, if none has both: by the outlines of"
                " their boxes the report has them in a picture each, 3 on page 5, then 2 on page 7."
            ),
        ),
        (
            "parallel",
            f"On this page: boxes side by side: 2; {OUTLINES}.",
            (
                "Draw the detectives side by side and the judges side by side, each with the node in which"
                " they join, where the picture on page 5 has them otherwise: only the outlines of its boxes"
                " were counted."
            ),
        ),
        (
            "similar",
            f"On this page: boxes side by side: 2; {OUTLINES}.",
            (
                "Hold the picture on page 5 against the graph of the code, as only the outlines of its boxes"
                " were counted: as many boxes are to be side by side as there are nodes that run in parallel."
            ),
        ),
    ],
)
def test_unread_picture_is_asked_for_what_its_outlines_lack(aspect, reason, action):
    evidence = piece(rationale=reason, location=Location(page=5))
    steps = report_steps.diagram_steps(aspect, [evidence], work())
    assert [step.action for step in steps] == [action]


UNDRAWN = (
    "edges of the code that it does not draw: prosecutor → chief_justice, defense → chief_justice"
)


@pytest.mark.parametrize(
    ("reason", "is_named"),
    [
        (f"On this page: nothing is side by side; {UNDRAWN}.", True),
        (f"On this page: nothing is side by side; {APART}; {UNDRAWN}.", False),
        ("On this page: nothing is side by side.", False),
    ],
)
def test_edges_that_alone_are_undrawn_are_asked_for(reason, is_named):
    evidence = piece(rationale=reason, location=Location(page=5))
    steps = report_steps.diagram_steps("accurate", [evidence], work())
    action = (
        "Draw these edges of the code in the diagram on page 5: prosecutor → chief_justice,"
        " defense → chief_justice."
    )
    assert [step.action for step in steps] == [action] * is_named


@pytest.mark.parametrize(
    ("row", "is_taken"),
    [
        ({"path": "README.md", "line": 3, "beside_code": "agrees"}, True),
        ({"path": "README.md", "line": 3, "beside_code": "incomplete"}, False),
        ({"page": 4, "beside_code": "agrees"}, False),
    ],
)
def test_right_diagram_of_a_document_is_put_into_the_report(row, is_taken):
    steps = list(report_steps.diagram_steps("accurate", [], work(diagrams=[row])))
    action = "Put the diagram at README.md:3 into the report: it is like the graph of the code."
    assert [step.action for step in steps] == [action] * is_taken


FEW = "aa (2026-01-01, commit 1 of 9, 3 Python files) and bb (2026-01-01, commit 2 of 9, 1 Python file) added"


@pytest.mark.parametrize(
    ("aspect", "reason", "actions"),
    [
        ("not_bulk", f"8 commits, {WITHIN_MINUTES}, from", [report_steps.AS_IT_GROWS]),
        ("spread_over_time", f"8 of them, {WITHIN_MINUTES}, from", [report_steps.AS_IT_GROWS]),
        ("not_bulk", FEW, [report_steps.BY_STEPS]),
        ("not_bulk", FEW.replace("3 P", "12 P"), []),
    ],
)
def test_parts_that_are_committed_by_themselves_are_not_asked_to_be(aspect, reason, actions):
    assert [step.action for step in report_steps.history_steps(aspect, reason)] == actions


def test_graph_is_committed_with_the_nodes_that_it_can_run_before_the_judges():
    (step,) = report_steps.history_steps("progression", "")
    parts = ("set-up", "tools", "a graph that runs the detectives alone", "judges as nodes of that")
    places = [step.action.find(part) for part in parts]
    assert places == sorted(places)
    assert -1 not in places


@pytest.mark.parametrize(
    ("paths", "words"),
    [
        ([], ""),
        (["a.pdf"], ", exported again: a.pdf in the repository is empty"),
        (["a.pdf", "b.pdf"], ", exported again: a.pdf and b.pdf in the repository are empty"),
    ],
)
def test_empty_reports_of_the_repository_are_to_be_exported_again(paths, words):
    assert filled(ADVICE["no_report"], work(empty_reports=paths).names) == (
        f"Hand in the PDF report{words}."
    )


@pytest.mark.parametrize(("count", "words"), [(2, "judge_0 and judge_1"), (9, "the 9 judges")])
def test_many_nodes_of_a_role_are_a_number_in_advice(count, words):
    graph = {"nodes": [f"judge_{i}" for i in range(count)], "path": "g.py", "state_graph_line": 1}
    facts = work(graph=graph)
    assert filled("Draw {{judge}}.", facts.names) == f"Draw {words}."


def test_claimed_temporary_directory_is_described_and_not_built():
    claims = work(pdf_claims={"temporary_directory": "contradicted"})
    (step,) = report_steps.claim_steps("claims_hold", claims)
    assert step.action == (
        "Say in the report what the code uses in place of a clone into a TemporaryDirectory."
        f" {report_steps.READ_THE_REST}"
    )


def test_layer_is_named_with_the_nodes_that_plain_edges_place_beside_it():
    layer = ["repo_analyst", "doc_analyst", "safe_tools", "synthesis_rules"]
    ends = [*layer, "collect"]
    edges = [edge for n in layer for edge in (["start_up", n], [n, "collect"])]
    graph = {
        "path": "graph.py",
        "state_graph_line": 3,
        "nodes": ["start_up", *ends, "late_tools"],
        "edges": [*edges, ["collect", "late_tools"]],
    }
    names = work(graph=graph).names
    assert names["detective"] == "repo_analyst, doc_analyst, safe_tools and synthesis_rules"


def test_clone_that_a_call_would_lose_is_to_be_mended_before_it_is_called():
    function = {"name": "fetch", "path": "t.py", "line": 3, "is_uncalled": True}
    losing = work(clone_function=function | {"losses": ["fetch() clones with depth 1 (t.py:5)"]})
    (step,) = code_steps.clone_steps("in_tempdir", (), losing)
    assert step.action.endswith("can read its clone: fetch() clones with depth 1 (t.py:5).")
