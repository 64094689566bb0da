"""Claims of a report that are held against places and words of the code, not a fact alone."""

from __future__ import annotations

from typing import Any

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.claims import (
    check_against_code,
    checked_claims,
    feature_claims,
    one_fault_once,
)
from courtroom.analysis.pdf_claims.source_words import source_words
from courtroom.detectives.cross_reference import compare_sources, makes_temporary_directory

CLONE = {"path": "src/tools.py", "line": 3, "name": "clone"}


def _report(sentence: str) -> PdfReading:
    return PdfReading(pages=(sentence,), headings=frozenset())


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("    with tempfile.TemporaryDirectory() as folder:\n        run(folder)\n", True),
        ("    folder = mkdtemp()  # not TemporaryDirectory()\n\n    run(folder)\n", False),
        ("    with TemporaryDirectory() as f:\n        run(f)\n    run(mkdtemp())\n", None),
        ("    run(mkdtemp())\n\n\ndef clean(folder):\n    shutil.rmtree(folder)\n", False),
        ("    run(folder)\n\n\ndef other():\n    mkdtemp()\n", None),
    ],
)
def test_temporary_directory_is_read_where_the_clone_makes_its_folder(
    body: str, expected: bool | None
) -> None:
    source = f"import tempfile\n\ndef clone(url):\n{body}"
    assert makes_temporary_directory(CLONE, {"src/tools.py": source.splitlines()}) is expected
    assert makes_temporary_directory(CLONE, {}) is None
    assert makes_temporary_directory(None, {}) is None


@pytest.mark.parametrize(
    ("made", "standing"),
    [
        ([], "contradicted"),
        ([{"path": "src/pdf.py", "line": 9}], "open"),
        (None, "open"),
    ],
)
def test_temporary_directory_of_another_function_leaves_the_claim_open(
    made: list[dict[str, Any]] | None, standing: str
) -> None:
    report = _report("The repository is cloned into a TemporaryDirectory.")
    files = {"src/tools.py": ["def clone(url):", "    run(mkdtemp())"]}
    place = {"path": "src/tools.py", "line": 1, "name": "clone"}
    code = {"clone_function": place, "temporary_directories": made}
    claims = compare_sources([], report, code, files, None, {}).claims or ()
    standings = {held.claim.feature: held.standing for held in claims}
    assert standings["temporary_directory"] == standing
    code["clone_function"] = place | {"in_temporary_directory": True}
    claims = compare_sources([], report, code, files, None, {}).claims or ()
    standings = {held.claim.feature: held.standing for held in claims}
    assert standings["temporary_directory"] == "confirmed"


@pytest.mark.parametrize(
    ("sentence", "standing"),
    [
        ("The Chief Justice does not average scores.", "contradicted"),
        ("The verdict is not achieved by averaging scores.", "contradicted"),
        ("It decides by rules rather than averaging.", "contradicted"),
        ('We reject "average" scoring.', "contradicted"),
        ("These opinions are not averaged.", "contradicted"),
        ("It gives verdicts rather than opaque averaged scores.", "contradicted"),
        ("It gives verdicts rather than simple averaged scores.", None),
        ("It is not a simple average.", None),
        ("Rules decide, not LLM averaging.", None),
    ],
)
def test_denied_average_is_held_against_the_mean_in_the_code(
    sentence: str, standing: str | None
) -> None:
    claims = feature_claims(_report(sentence))
    code = {"averaged_scores": [{"path": "src/justice.py", "line": 57}]}
    standings = {held.claim.feature: held.standing for held in check_against_code(claims, code)}
    assert standings.get("no_averages") == standing


@pytest.mark.parametrize(
    "rule", ["IF the spread is at most 1 THEN use average", "Otherwise a weighted mean is taken."]
)
def test_rule_that_the_report_ends_in_an_average_leaves_no_denied_average(rule: str) -> None:
    report = PdfReading(pages=("Deterministic rules apply, not averaging.", rule))
    assert "no_averages" not in [claim.feature for claim in feature_claims(report)]


@pytest.mark.parametrize(("loose", "standing"), [([], "confirmed"), ([{"line": 9}], "open")])
def test_cap_that_does_not_hold_bears_out_no_claim_of_a_security_override(
    loose: list[dict[str, Any]], standing: str
) -> None:
    claims = feature_claims(_report("A security override caps the score."))
    code = {"rules": {"security_override": True}, "loose_caps": loose}
    assert [held.standing for held in check_against_code(claims, code)] == [standing]


@pytest.mark.parametrize(
    ("ground", "sentence", "standing"),
    [
        ("evidence", "A security override caps the score.", "confirmed"),
        ("opinions", "A security override caps the score, whatever a model says.", "open"),
        ("either", "A security override caps the score.", "open"),
        ("opinions", "A security override caps what the Prosecutor finds unsafe.", "confirmed"),
    ],
)
def test_cap_that_opinions_set_off_bears_out_a_claim_that_says_so(
    ground: str, sentence: str, standing: str
) -> None:
    code = {"rules": {"security_override": True}, "security_ground": ground}
    held = check_against_code(feature_claims(_report(sentence)), code)
    assert [claim.standing for claim in held] == [standing]


@pytest.mark.parametrize("fact", ["idle_rules", "unheld_rules"])
def test_rule_that_changes_no_score_bears_out_no_claim(fact: str) -> None:
    claims = feature_claims(_report("By fact supremacy the score is reduced."))
    code = {"rules": {"fact_supremacy": True}, fact: [{"rule": "fact_supremacy"}]}
    assert [held.standing for held in check_against_code(claims, code)] == ["contradicted"]


@pytest.mark.parametrize("further", ["", "All three detectives run in parallel."])
def test_claim_on_a_layer_is_shown_by_a_sentence_on_the_graph_where_there_is_one(further: str):
    written = "A reducer merges what detectives add concurrently."
    claims = feature_claims(_report(f"{written} {further}".strip()))
    passages = [c.passage for c in claims if c.feature == "detectives_parallel"]
    assert passages == [further or written]


@pytest.mark.parametrize(
    ("sentence", "features"),
    [
        (
            "src/tools.py uses tempfile.Temporary Directory() but lacks isolation (Docker).",
            ["temporary_directory"],
        ),
        ("It lacks a TemporaryDirectory.", []),
        ("The run works but lacks operator.add.", []),
        ("Verified in src/state.py (use of operator.add).", ["reducer_add"]),
        ("The detective verified operator.add in its work.", []),
        ("The rubric favors tempfile.TemporaryDirectory.", []),
    ],
)
def test_claim_stands_before_what_is_lacking_and_where_something_was_verified(
    sentence: str, features: list[str]
) -> None:
    assert [claim.feature for claim in feature_claims(_report(sentence))] == features


DEAD_ROUTE = {"kind": "dead_route", "path": "src/graph.py", "line": 20}


IF_MISSING = "A conditional edge routes to error_handler if evidence is missing."
WITH_DEAD = [DEAD_ROUTE]


@pytest.mark.parametrize(
    ("faults", "sentence", "feature", "standing"),
    [
        ([], IF_MISSING, "error_route", "confirmed"),
        (WITH_DEAD, IF_MISSING, "error_route", "contradicted"),
        ([], IF_MISSING, "conditional_edges", "confirmed"),
        # One fault of the code makes this sentence wrong once.
        (WITH_DEAD, IF_MISSING, "conditional_edges", None),
        (
            WITH_DEAD,
            "The graph conditionally routes to the judges or to END (if not).",
            "conditional_edges",
            "contradicted",
        ),
        # The edges are there.
        (WITH_DEAD, "The graph has conditional edges.", "conditional_edges", "open"),
    ],
)
def test_route_that_no_run_takes_bears_out_no_claim(
    faults: list[dict[str, Any]], sentence: str, feature: str, standing: str | None
) -> None:
    route = {"path": "src/graph.py", "line": 20, "from": "hub", "to": ["judges", "error_handler"]}
    code = {
        "conditional_error_route": True,
        "graph": {"path": "src/graph.py", "state_graph_line": 9, "edges": []}
        | {"conditional": [route], "nodes": ["judges", "error_handler"]},
        "state_flow": {"faults": faults},
    }
    claims = compare_sources([], _report(sentence), code, {}, None, {}).claims or ()
    assert {held.claim.feature: held.standing for held in claims}.get(feature) == standing


def test_faults_of_two_sentences_and_of_two_parts_are_counted_apart() -> None:
    claims = feature_claims(
        _report(
            "Reducers by operator.ior keep all, and judges run in parallel.\n"
            "The clone goes to a temporary folder.\nIt is a TemporaryDirectory."
        )
    )
    code = {"reducers": [], "judges_parallel": False, "clone_in_tempdir": False}
    held = one_fault_once(check_against_code(claims, {**code, "clone_temporary_directory": False}))
    assert [claim.claim.feature for claim in held] == [
        "judges_parallel",
        "reducers",
        "sandboxed_clone",
        "temporary_directory",
    ]


@pytest.mark.parametrize(
    ("source", "standing"),
    [
        ("mkdtemp()  # cleanup is not needed", "contradicted"),
        ("\"Verify 'tempfile.TemporaryDirectory()' or an equivalent\"", "contradicted"),
        ("with tempfile.TemporaryDirectory() as folder:", "open"),
        ("shutil.rmtree(folder)", "open"),
    ],
)
def test_claim_of_a_clone_that_is_removed_needs_code_that_removes(
    source: str, standing: str
) -> None:
    claims = feature_claims(_report("Each clone is in a temporary path, purged after the audit."))
    facts = {"clone_function": CLONE, **source_words([source])}
    held = {claim.claim.feature: claim.standing for claim in check_against_code(claims, facts)}
    assert held["removed_clone"] == standing


def test_handler_that_is_no_node_leaves_the_route_for_errors_open() -> None:
    claims = feature_claims(_report("Conditional edges lead to an ErrorHandler node."))
    graph = {"path": "src/graph.py", "state_graph_line": 9, "conditional": [{"to": ["END"]}]}
    code = {"conditional_error_route": True, "graph": {**graph, "nodes": ["judges"]}}
    standings = {held.claim.feature: held.standing for held in check_against_code(claims, code)}
    assert standings["error_route"] == "open"


OTHER_CLONES = {**CLONE, "others": [{"path": "web/app.py", "line": 9, "name": "upload"}]}
JUDGES_CALL = {"path": "src/judges.py", "line": 8, "schema": "Opinion", "by_judge": True}


@pytest.mark.parametrize(
    ("sentence", "code", "standing"),
    [
        (
            "All clone operations use a TemporaryDirectory.",
            {"clone_function": CLONE},
            "confirmed",
        ),
        (
            "All clone operations use a TemporaryDirectory.",
            {"clone_function": OTHER_CLONES},
            "open",
        ),
        ("The clone uses a TemporaryDirectory.", {"clone_function": OTHER_CLONES}, "confirmed"),
        ("Pydantic guards every state transition.", {"state_class": {"kind": "TypedDict"}}, "open"),
        (
            "Pydantic guards every state transition.",
            {"state_class": {"kind": "BaseModel"}},
            "confirmed",
        ),
        ("Evidence is a Pydantic model.", {"state_class": {"kind": "TypedDict"}}, "confirmed"),
        ("All judges answer by structured output.", {}, "confirmed"),
        ("Every LLM call is bound by with_structured_output.", {}, "open"),
        ("Structured output binds the judges.", {}, "confirmed"),
    ],
)
def test_claim_on_all_of_a_kind_needs_more_than_one_case(
    sentence: str, code: dict[str, Any], standing: str
) -> None:
    facts = {
        "clone_temporary_directory": True,
        "pydantic_models": ["Evidence"],
        "structured_output_calls": [JUDGES_CALL],
    }
    claims = check_against_code(feature_claims(_report(sentence)), {**facts, **code})
    assert [held.standing for held in claims] == [standing]


def test_sentences_on_the_present_code_are_counted_without_plans_and_short_labels() -> None:
    words = "The detectives run in parallel. Judges\nThe judges will run in parallel later."
    report = _report(words)
    assert compare_sources([], report, {}, {}, None, {}).sentences == 1
    assert compare_sources([], None, {}, {}, None, {}).sentences == 0


MODELS = ["JudicialOpinion", "Verdict", "OpinionRows"]


@pytest.mark.parametrize(
    ("rows", "standing"),
    [
        ([{"schema": "JudicialOpinion"}], "confirmed"),
        # One request for all opinions is no request for one.
        ([{"schema": "OpinionRows", "holds": ["JudicialOpinion"]}], "contradicted"),
        ([{"schema": "Verdict", "holds": None}], "contradicted"),
        # A variable may stand for any class.
        ([{"schema": "Verdict"}, {"schema": "model"}], "confirmed"),
    ],
)
def test_class_that_a_report_hands_to_a_call_is_the_one_that_the_code_binds(
    rows: list[dict[str, Any]], standing: str
) -> None:
    report = _report("Each judge calls .with_structured_output(JudicialOpinion).")
    calls = [{"by_judge": True, **row} for row in rows]
    code = {"structured_output_calls": calls, "pydantic_models": MODELS}
    assert [held.standing for held in check_against_code(feature_claims(report), code)] == [
        standing
    ]


@pytest.mark.parametrize(
    ("shared", "standing"), [(0.4, "contradicted"), (0.05, "open"), (None, "open")]
)
def test_prompts_that_share_a_part_are_not_without_shared_text(
    shared: float | None, standing: str
) -> None:
    report = _report("Zero shared boilerplate: the prompt of each judge is its own.")
    held = check_against_code(feature_claims(report), {"persona_prompts_shared": shared})
    assert [(row.claim.feature, row.standing) for row in held] == [("no_shared_text", standing)]


@pytest.mark.parametrize(
    ("source", "standing"),
    [
        ('    has_graph = "StateGraph(" in source\n', "contradicted"),
        ('if "operator.add" not in file_content:\n', "contradicted"),
        ('    assert "StateGraph" in source\n', "open"),
        ('if "StateGraph" in source.names:\n', "open"),
        ('# "StateGraph" in source\n', "open"),
        ("tree = ast.parse(source)\n", "open"),
    ],
)
def test_analysis_by_ast_alone_looks_for_no_words_in_a_source(source: str, standing: str) -> None:
    report = _report("All code checks use Python's ast module.")
    held = check_against_code(feature_claims(report), source_words([source]))
    assert [(row.claim.feature, row.standing) for row in held] == [("ast_alone", standing)]


def test_every_clone_in_a_temporary_directory_is_open_beside_mkdtemp() -> None:
    report = _report("TemporaryDirectory() holds all cloned content.")
    code = {"clone_temporary_directory": True, "clone_function": CLONE, "has_mkdtemp": True}
    standings = {
        row.claim.feature: row.standing for row in check_against_code(feature_claims(report), code)
    }
    assert standings["temporary_directory"] == "open"
    code["has_mkdtemp"] = False
    standings = {
        row.claim.feature: row.standing for row in check_against_code(feature_claims(report), code)
    }
    assert standings["temporary_directory"] == "confirmed"


@pytest.mark.parametrize(
    ("body", "standing"),
    [("    folder = TemporaryDirectory()", "confirmed"), ("    run(url, folder)", "open")],
)
def test_clone_that_makes_its_own_folder_goes_nowhere_else(body: str, standing: str) -> None:
    report = _report("Every clone goes into a TemporaryDirectory.")
    code = {"clone_function": {**CLONE, "line": 1, "in_temporary_directory": True}}
    files = {"src/tools.py": ["def clone(url):", body]}
    claims = compare_sources([], report, code, files, None, {"has_mkdtemp": True}).claims or ()
    standings = {held.claim.feature: held.standing for held in claims}
    assert standings["temporary_directory"] == standing


def test_heading_that_refers_to_a_risk_by_its_number_is_about_the_code() -> None:
    lines = (
        "3.1 Rules first (RISK-1)",
        "The clone has a timeout.",
        "3.2 Risks",
        "It uses mkdtemp.",
    )
    headings = frozenset({(1, lines[0]), (1, lines[2])})
    claims = feature_claims(PdfReading(pages=("\n".join(lines),), headings=headings))
    assert [claim.feature for claim in claims] == ["clone_timeout"]


@pytest.mark.parametrize(
    ("targets", "standing"),
    [(["aggregator"], "contradicted"), (["aggregator", "error_sink"], "confirmed")],
)
def test_way_from_each_detective_to_a_handler_is_an_edge_of_a_detective(
    targets: list[str], standing: str
) -> None:
    report = _report("Conditional error edges lead from each detective to the end.")
    rows = [{"from": "repo_investigator", "to": targets}, {"from": "aggregator", "to": ["a", "b"]}]
    nodes = ["repo_investigator", "aggregator", "error_sink"]
    graph = {"path": "src/graph.py", "nodes": nodes, "edges": [], "conditional": rows}
    code = {"graph": graph, "conditional_error_route": True}
    standings = {
        row.claim.feature: row.standing for row in check_against_code(feature_claims(report), code)
    }
    assert standings["error_route"] == standing


@pytest.mark.parametrize(
    ("source", "standing"),
    [
        ("    assert overlap < 0.60, f'{overlap}'\n", "contradicted"),
        ("    assert pd_overlap <= .5\n", "confirmed"),
        ("    assert overlap < limit\n", "open"),
    ],
)
def test_bound_that_a_report_gives_of_a_test_is_the_asserted_one(
    source: str, standing: str
) -> None:
    report = _report("A test measures the prompts' overlap and fails above 50 % of all words.")
    held = check_against_code(feature_claims(report), source_words([source]))
    assert [(row.claim.feature, row.standing) for row in held] == [("tested_share", standing)]


ORDER = {"before": ["repo_investigator"], "together": ["doc_analyst", "vision"], "after": []}


@pytest.mark.parametrize(
    ("further", "standing", "page"),
    [
        ("Three detectives execute in parallel.", "contradicted", 2),
        ("Two detectives execute in parallel.", "confirmed", 2),
    ],
)
def test_later_sentence_that_claims_more_is_held_against_the_code(
    further: str, standing: str, page: int
) -> None:
    report = PdfReading(pages=("Parallel detectives collect evidence.", further))
    code = {"detectives_parallel": True, "partly_parallel": {"detectives_parallel": ORDER}}
    held = checked_claims(report, code)[0]
    assert (held.claim.feature, held.standing, held.claim.page) == (
        "detectives_parallel",
        standing,
        page,
    )


@pytest.mark.parametrize(
    ("sentence", "standing"),
    [
        ("Detectives execute in parallel.", "confirmed"),
        ("Two detectives execute in parallel.", "confirmed"),
        ("It fans out to three detectives that execute in parallel.", "contradicted"),
        ("The detectives (VisionInspector, DocAnalyst) execute in parallel.", "contradicted"),
    ],
)
def test_detective_to_which_no_route_leads_is_not_in_parallel_with_others(
    sentence: str, standing: str
) -> None:
    run = {
        "idle": [{"node": "vision_inspector"}],
        "steps": {
            "repo_investigator": [2],
            "doc_analyst": [2],
            "vision_inspector": [],
            "judge": [3],
        },
    }
    code = {"detectives_parallel": True, "graph_run": run}
    held = checked_claims(PdfReading(pages=(sentence,)), code)[0]
    assert (held.claim.feature, held.standing) == ("detectives_parallel", standing)


def test_rule_that_a_sentence_explains_is_not_contradicted_by_its_bare_name() -> None:
    explained = "Variance re-evaluation: when scores differ widely, both sides are quoted."
    report = PdfReading(pages=(explained, "It applies rules (dissent, variance re-evaluation)."))
    code = {"rules": {"variance_re_evaluation": False}}
    standings = {c.claim.feature: c.standing for c in checked_claims(report, code)}
    assert standings["variance_re_evaluation"] == "open"


@pytest.mark.parametrize(
    ("sentence", "standing"),
    [
        ("Named rules settle it (security override, dissent).", "confirmed"),
        ("Security override: a flaw that the Prosecutor confirms caps the score.", "confirmed"),
        ("Security override: a confirmed flaw caps the score.", "open"),
    ],
)
def test_cap_set_off_by_words_bears_out_its_name_and_what_says_so(
    sentence: str, standing: str
) -> None:
    code = {"rules": {"security_override": True}, "security_ground": "opinions"}
    standings = {c.claim.feature: c.standing for c in checked_claims(_report(sentence), code)}
    assert standings["security_override"] == standing


def test_sentence_that_the_code_bears_out_goes_before_one_that_stays_open() -> None:
    report = PdfReading(pages=("Pydantic models hold all states.", "Pydantic checks the fields."))
    code = {"pydantic_models": ["Evidence"], "state_class": {"kind": "TypedDict"}}
    held = checked_claims(report, code)[0]
    assert (held.claim.feature, held.standing, held.claim.page) == (
        "pydantic_models",
        "confirmed",
        2,
    )
