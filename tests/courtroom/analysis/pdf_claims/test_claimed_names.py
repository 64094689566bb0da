"""Names of code in a report: which count, and which the code lacks."""

from __future__ import annotations

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.claimed_names import (
    CheckedNames,
    ClaimedName,
    check_names,
    claimed_names,
    may_hold_names,
)
from courtroom.checks.pdf_paths import PdfPaths, names_exist


def names_in(*lines: str, headings: tuple[str, ...] = ()) -> list[str]:
    marked = frozenset((1, heading) for heading in headings)
    reading = PdfReading(pages=("\n".join((*headings, *lines)),), errors=(), headings=marked)
    return [name.name for name in claimed_names(reading)]


def claimed(*names: str) -> list[ClaimedName]:
    return [ClaimedName(name, 2, f"We call {name}.") for name in names]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The graph is made by build_graph() and apply_rule.", ["build_graph", "apply_rule"]),
        ("An EvidenceStore(path) and the ErrorSink node.", ["EvidenceStore", "ErrorSink"]),
        ("build_graph calls build_graph again.", ["build_graph"]),
        (
            "A PageInspector reads; all meet in the ProofAggregator.",
            ["PageInspector", "ProofAggregator"],
        ),
        ("An Aggregator, JudgeMade law and the InspectorGeneral.", []),
        ("The LangGraph library and our DigitalCourtroom.", []),
        ("It is in src/build_graph.py and https://host.dev/build_graph.", []),
        ("A word, a_b, final-score and the option --no_cache.", []),
        ("We will add build_graph later.", []),
        ('An id (e.g., "state_rigor") and {judge_one}, {"rule": "last_one"}.', []),
        ('It sets state["has_spread"] and calls ErrorSink.close().', ["has_spread", "ErrorSink"]),
        ("Each is written by model_dump and model_dump_json().", []),
        ("A ChatOpenAI(model) and an ASTVisitor class.", ["ChatOpenAI", "ASTVisitor"]),
        ("Judges inherit from a BenchMember, which inherits from Pydantic.", ["BenchMember"]),
        ("Figure 1.trace_spans and the label [conditional: has_proof?].", []),
        ("It gives score = hit_count / all_queries.", ["hit_count", "all_queries"]),
        (
            "Bench \u2192 OpinionSheet \u2192 FinalSheet; a TimeoutError -> RetryClone, NoProof.",
            ["OpinionSheet", "FinalSheet", "RetryClone"],
        ),
        ("A slow call \u2192 TimeoutError.", []),
        ("The scan finds FunctionDef and ClassDef nodes, no StageDef nodes.", ["StageDef"]),
        ("repo_invest. doc_analyst vision_insp. (in parallel)", ["doc_analyst"]),
        ("read_graph0.9 if it holds, else hit_count / all_queries.", []),
    ],
)
def test_name_counts_in_the_forms_of_code(text, expected):
    assert names_in(text) == expected


def test_name_in_the_prose_of_json_is_not_in_the_code():
    rubric = '{"goal": "Look for a \\"court\\" in BenchNode first.", "nodes": ["read_graph", 3]}'
    texts = {"": "src/graph.py", "goals": rubric}
    checked = check_names(claimed("BenchNode", "read_graph"), texts)
    assert [name.name for name in checked.missing] == ["BenchNode"]
    assert check_names(claimed("BenchNode"), {"goals": f"# {rubric}"}).missing == ()


@pytest.mark.parametrize("path", ["rubric.json", "docs/plan.YAML", ".env.example"])
def test_class_in_a_file_of_data_is_not_in_the_code(path):
    names = claimed("BenchNode", "bench_node_id")
    checked = check_names(names, {path: '{"nodes": ["BenchNode", "bench_node_id"]}'})
    assert [name.name for name in checked.missing] == ["BenchNode"]


def test_name_under_a_heading_of_plans_does_not_count():
    assert names_in("It calls build_graph.", headings=("5. Future work",)) == []


@pytest.mark.parametrize(
    ("heading", "expected"), [("Rationale and Trade-Offs", ["Proof", "clone_it"]), ("Roadmap", [])]
)
def test_name_behind_its_file_counts_where_designs_are_compared(heading, expected):
    line = "Code Reference: src/state.py::Proof, src/tools.py::clone_it"
    assert names_in(line, headings=(heading,)) == expected


def test_rows_that_begin_with_a_path_are_sentences_of_their_own():
    rows = (
        "src/tools/pages.py read_pages() and find_terms()",
        "src/graph.py build_graph() with a fan-out",
        "src/nodes/judges.py Stubbed: accuse_work()",
    )
    assert names_in(*rows) == ["read_pages", "find_terms", "build_graph"]


def test_name_exists_in_any_spelling_and_in_a_path():
    names = claimed("build_graph", "ErrorSink", "run_audit", "lost_name")
    checked = check_names(names, {"": "src/run_audit.py", "a.py": "def error_sink(): BUILD_GRAPH"})
    assert [name.name for name in checked.missing] == ["lost_name"]
    assert [name.name for name in checked.existing] == ["build_graph", "ErrorSink", "run_audit"]


def test_comment_and_docstring_prove_no_name():
    source = (
        'PROMPT = """\nCall clean_up now.\n"""\n\ndef scan():\n    """Use TempFolder()."""\n'
        '    return "#"  # then drop_rows\n'
    )
    names = claimed("clean_up", "scan_it", "TempFolder", "drop_rows")
    missing = check_names(names, {"a.py": source, "": "scan_it"}).missing
    assert [name.name for name in missing] == ["TempFolder", "drop_rows"]


def test_node_may_be_called_so_by_its_last_word():
    assert check_names(claimed("ErrorSinkNode"), {"a.py": "def error_sink(): ..."}).missing == ()


def test_document_beside_the_code_proves_no_name():
    assert not may_hold_names("docs/Report.MD")
    assert may_hold_names("src/graph.py")


def finding(missing, existing=("build_graph", "run_audit", "judge"), maximum=1):
    check = PdfPaths(id="c", goal="a goal", aspect="names_exist", maximum=maximum)
    return names_exist(check, CheckedNames(tuple(claimed(*existing)), tuple(claimed(*missing))))


def test_more_missing_names_than_allowed_are_shown_with_their_page():
    outcome = finding(["one_name", "two_name"])
    assert outcome.met is False
    assert [(clue.page, clue.rationale) for clue in outcome.clues] == [
        (2, "No file of the code has one_name."),
        (2, "No file of the code has two_name."),
    ]


def test_as_many_missing_names_as_allowed_meet_the_check():
    assert finding(["one_name"]).met is True
    assert finding([]).met is True


def test_report_without_names_or_without_text_leaves_the_check_open():
    check = PdfPaths(id="c", goal="a goal", aspect="names_exist")
    assert names_exist(check, None).met is None
    assert finding([], existing=()).met is None
    few = finding([], existing=("build_graph",))
    assert (few.met, few.reason) == (
        None,
        "Recognised 1 name of code in the report (plans aside), too few to tell.",
    )


@pytest.mark.parametrize(
    ("sentence", "missing"),
    [
        ("It has two classes: BenchNode, DefenderNode and more.", ["BenchNode", "DefenderNode"]),
        ("It calls BenchNode.execute() first.", ["BenchNode"]),
        ("A BenchNode runs beside each DefenderNode.", []),
    ],
)
def test_name_of_a_class_is_no_name_of_a_node_without_its_last_word(sentence, missing):
    names = claimed_names(PdfReading((sentence,)))
    checked = check_names(names, {"a.py": "def bench_node(state): ...\ndef defender(state): ..."})
    assert [name.name for name in checked.missing] == missing
