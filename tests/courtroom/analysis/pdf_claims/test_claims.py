"""Sentences that claim a feature, and the standing of claims against the facts."""

from __future__ import annotations

from typing import Any

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf.plain_text import with_plain_hyphens
from courtroom.analysis.pdf_claims.claims import (
    check_against_code,
    feature_claims,
)
from courtroom.analysis.pdf_claims.source_words import source_words
from tests.courtroom.analysis.pdf_claims.code_facts import CODE


def _report(*lines: str, headings: tuple[str, ...] = ()) -> PdfReading:
    return PdfReading(pages=("\n".join(lines),), headings=frozenset((1, line) for line in headings))


def _claimed(*lines: str, headings: tuple[str, ...] = ()) -> list[str]:
    return [claim.feature for claim in feature_claims(_report(*lines, headings=headings))]


@pytest.mark.parametrize(
    "sentence",
    [
        "The judges will run in parallel.",
        "It goes on if a judge fails (e.g., parallel judges).",
        "● Defense (5): praises judges that run in parallel.",
        "Defense 10/10 The judges run in parallel.",
        "● Defense: The graph runs the judges in parallel.",
        "Parallel judges are not yet implemented.",
        "The peer's judges run in parallel.",
        "Initially the judges ran in parallel.",
        "The RepoInvestigator verifies that judges run in parallel.",
        "The graph is flagged if judges run in parallel.",
        "The design does not run judges in parallel.",
        "There are no parallel judges.",
        "The judges are wise. Everything else is parallel.",
        "The reducers keep a parallel-safe state across all judges.",
        "We propose that the judges run in parallel.",
        "The proposed design has parallel judges.",
        "We intend to let the judges run in parallel.",
        "The goal is to have parallel judges.",
        "The judges are scheduled for parallel runs in the next version.",
        "We are going to rewrite the graph. Then the judges run in parallel.",
        "The plan is a second graph. It has a hub. There the judges run in parallel.",
        "Prosecutor (1): 'Only the judges are parallel. They don't wait.' The rest is a chain.",
        "Defense says: “The judges run in parallel.”",
        "It wrote “The judges run in parallel without a join” in its verdict.",
        "In another repository the judges run in parallel.",
        "The only shortcoming is the absence of judges that run in parallel.",
        "The rubric favors tempfile.mkdtemp and judges that run in parallel; we agree.",
        "GraphReader sought calls in graph.py that run the judges in parallel.",
        "It walks the tree to detect: StateGraph calls, judges in parallel, fan-out.",
        "• Confirmation of judges that run in parallel",
        "• Detects what runs side by side (e.g., judges in parallel) for safety.",
        "It reads state.py, detecting Annotated[...] types and judges in parallel.",
        "Strengths are the parallel graph architecture and the system of judges.",
        "It orchestrates parallel forensic investigations, runs judicial evaluation and reports.",
        "(1) Add judges that run in parallel;",
        "4. Refactor the graph so that judges run in parallel.",
        "The parallel judges were replaced by a loop.",
        "The parallel judges problem is solved.",
        "P4 Add judges that run in parallel.",
        "3. Opportunity to strengthen judges that run in parallel",
        "Prosecutor 3/5 Judges run in parallel but limited evidence.",
        "Judges that run in parallel were replaced by a loop.",
        "Detects a graph (e.g., judges in parallel).",
        "It has layers: detectives (parallel collection), judges (personas) and a verdict.",
        '- Argument: "I disagree. The judges run in parallel. 5/5."',
    ],
)
def test_planned_denied_or_foreign_feature_is_no_claim(sentence: str) -> None:
    assert "judges_parallel" not in _claimed(sentence)


def test_rule_for_issues_is_claimed_and_issues_with_it_are_not() -> None:
    assert _claimed("Security override when confirmed issues appear.") == ["security_override"]
    assert _claimed("A security cap limits the score.") == ["security_override"]
    assert _claimed("There are security override issues.") == []


def test_what_was_done_about_a_finding_is_claimed_and_what_is_to_be_done_is_not() -> None:
    assert _claimed("Remediation: Added retry logic.") == ["retry_logic"]
    assert _claimed("Remediation: Add retry logic.") == []
    assert _claimed("Remediation: retry logic will be added.") == []


def test_markdown_files_that_are_read_are_no_markdown_report() -> None:
    assert _claimed("It ensures that reports, PDFs and markdown files are there.") == []
    assert _claimed("A Markdown file is written to audit/report.md.") == ["markdown_report"]


@pytest.mark.parametrize(
    "lines",
    [
        ("We plan the following changes:", "1. A hub. The judges run in parallel.", "2. A report."),
        ("Proposed improvements:", "• The judges run in parallel."),
    ],
)
def test_items_of_a_plan_are_no_claims(lines: tuple[str, ...]) -> None:
    assert _claimed(*lines) == []


@pytest.mark.parametrize(
    "lines",
    [
        ("We plan a hub.", "The judges run in parallel."),
        ("We plan the following changes:", "1. A hub.", "The judges run in parallel."),
        (
            "The judges run in parallel as the plan of the course asks.",
            "The judges run in parallel.",
        ),
    ],
)
def test_plan_ends_where_the_text_speaks_of_the_code_again(lines: tuple[str, ...]) -> None:
    assert "judges_parallel" in _claimed(*lines)


@pytest.mark.parametrize(
    "sentence",
    [
        "As the rubric requires, the judges run in parallel.",
        "Rules: - a cap if a flaw is found - the judges run in parallel",
        "Deterministic by design, the judges run in parallel.",
        "Prosecutor (2): 'No test found.' The judges run in parallel.",
        "The three “voices” are judges in “parallel” nodes.",
        "The judges run in parallel and add their opinions.",
    ],
)
def test_claim_beside_a_quotation_or_a_wish_of_the_rubric_counts(sentence: str) -> None:
    assert "judges_parallel" in _claimed(sentence)


@pytest.mark.parametrize("after", [" 1 5 1 1", ", Judicial Nuance and the others.", " Enforcement"])
def test_name_of_a_criterion_is_no_claim(after: str) -> None:
    assert _claimed(f"Structured Output{after}") == []


def test_model_that_defines_structured_outputs_is_no_call_that_binds_them() -> None:
    sentence = "The system uses Pydantic BaseModel classes to define structured outputs."
    assert "structured_output" not in _claimed(sentence)
    assert "structured_output" in _claimed("The judges answer by structured outputs.")


def test_spread_on_which_the_tech_lead_decides_is_heard_no_second_time() -> None:
    named = "One rule is variance re-evaluation."
    meant = "Where the spread is above 2, the Tech Lead decides and a dissent is written."
    listed = "It knows functionality (the Tech Lead decides), and variance of more than two."
    assert _claimed(f"{named} {listed}") == ["variance_re_evaluation"]
    assert _claimed(named) == ["variance_re_evaluation"]
    assert _claimed(named, meant) == ["dissent"]


@pytest.mark.parametrize("hyphen", "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212")
def test_hyphen_of_a_typesetter_is_searched_as_a_plain_one_and_quoted_as_it_is(
    hyphen: str,
) -> None:
    sentence = f"Variance >2 requires {hyphen} as a rule {hyphen} a re\u2011evaluation."
    (claim,) = feature_claims(_report(sentence))
    assert (claim.feature, claim.passage) == ("variance_re_evaluation", sentence)
    joined = with_plain_hyphens(f"re{hyphen}run")
    assert joined == ("re-run" if hyphen not in "\u2014\u2015" else f"re{hyphen}run")


def test_library_that_the_report_decides_against_is_not_claimed() -> None:
    row = "Docling Faster on large files, needs compiled parts."
    assert _claimed(row) == ["uses_docling"]
    assert _claimed("Why not pypdf, docling or a service?", row) == []


def test_dissent_as_the_head_of_a_column_is_no_claim() -> None:
    assert _claimed("Prosecutor Defense Tech Lead Dissent?") == []
    assert _claimed("A dissent is written for each conflict.") == ["dissent"]


def test_model_of_another_family_than_the_code_names_is_contradicted() -> None:
    (held,) = check_against_code(
        feature_claims(_report("The judges call GPT-4o.")),
        source_words(["from langchain_google_genai import X\nX(model='gemini-2.0-flash')"]),
    )
    assert (held.claim.feature, held.standing) == ("uses_gpt", "contradicted")


@pytest.mark.parametrize("source", ["ChatOpenAI(model=NAME)  # or gemini", "model = NAME", ""])
def test_model_that_a_setting_may_name_is_left_open(source: str) -> None:
    (held,) = check_against_code(
        feature_claims(_report("The judges call GPT-4o.")), source_words([source])
    )
    assert held.standing == "open"


def test_plan_ends_at_the_next_heading() -> None:
    lines = ("We plan the following changes:", "Design", "1. The judges run in parallel.")
    assert _claimed(*lines, headings=("Design",)) == ["judges_parallel"]


@pytest.mark.parametrize(
    ("heading", "sentence", "expected"),
    [
        ("6. Peer Feedback", "If a peer fails, my agent now retries malformed answers.", True),
        ("6. Peer Feedback", "My agent retries malformed answers.", False),
        ("6. Peer Feedback", "The peer's agent now retries malformed answers.", False),
        ("7. Future Work", "My agent now retries malformed answers.", False),
    ],
)
def test_what_is_so_now_counts_in_a_chapter_on_the_past(heading, sentence, expected):
    claimed = _claimed(heading, sentence, headings=(heading,))
    assert claimed == (["output_retry"] if expected else [])


@pytest.mark.parametrize(
    ("headings", "expected"),
    [
        (("Known Gaps",), []),
        (("7. Reflection", "7.1 How it went"), []),
        (("7. Remediation Plan", "Item and effort"), []),
        (("7. Reflection", "8. Architecture"), ["judges_parallel"]),
        (("Future Work", "Architecture"), ["judges_parallel"]),
        (("8. Problems and Root Causes", "Problem 1"), []),
        (("Remediation Plan", "Priority 1: Judges"), []),
        (("Known Gaps and Forward Plan", "Phase 4 - Synthesis (target: Friday)"), []),
        (("Future Work", "Synthesis Engine (due Feb 27)"), []),
        (("7. Complete Grading Rubric", "Protocol A"), []),
        (("Concrete Timeline", "Week Focus Area"), []),
        (("7. References",), []),
        (("Code References",), ["judges_parallel"]),
        (("Rubric Alignment",), ["judges_parallel"]),
        (("Assessment (Evidence and Gaps)",), ["judges_parallel"]),
    ],
)
def test_section_about_another_subject_claims_nothing(
    headings: tuple[str, ...], expected: list[str]
) -> None:
    assert _claimed(*headings, "The judges run in parallel.", headings=headings) == expected


@pytest.mark.parametrize(
    ("sentence", "feature"),
    [
        ("Three parallel detectives collect evidence.", "detectives_parallel"),
        ("The judges deliberate simultaneously.", "judges_parallel"),
        ("The EvidenceAggregator is the synchronization barrier.", "evidence_join"),
        ("Detectives hand evidence to the EvidenceAggregator (fan-in).", "evidence_join"),
        ("On this foundation ChiefJustice is a strict fan-in point.", "opinion_join"),
        ("The prompts' collusion test passed (shared text < 50%).", "distinct_personas"),
        ("Failures leave through conditional edges.", "conditional_edges"),
        ("The graph routes to error_handler if evidence is missing.", "error_route"),
        ("Dictionaries are merged with operator.ior.", "reducer_ior"),
        ("It uses tempfile.TemporaryDirectory().", "temporary_directory"),
        ("Each clone has a timeout of 60 seconds.", "clone_timeout"),
        ("The tool validates repository URLs.", "url_validated"),
        ("We use subprocess.run, never os.system.", "no_os_system"),
        ("Judges answer through .with_structured_output().", "structured_output"),
        ("A malformed answer is retried: retry on invalid JSON.", "output_retry"),
        ("The Chief Justice applies deterministic rules.", "deterministic_verdict"),
        ("Fact supremacy overrules opinions.", "fact_supremacy"),
        ("A spread above two triggers a re-evaluation.", "variance_re_evaluation"),
        ("The variance_re_evaluation rule forces a second pass.", "variance_re_evaluation"),
        ("Conditional edges route failed nodes around the judges.", "conditional_edges"),
    ],
)
def test_plain_claim_is_found_with_its_page_and_sentence(sentence: str, feature: str) -> None:
    claims = {claim.feature: claim for claim in feature_claims(_report("Overview.", sentence))}
    assert (claims[feature].page, claims[feature].passage) == (1, sentence)


def test_claims_are_confirmed_contradicted_or_open_by_the_facts() -> None:
    report = _report(
        "Detectives run in parallel. Judges run in parallel.",
        "Opinions fan in at the chief justice. Conditional edges route failures.",
        "operator.ior and operator.add merge. Dissent is explained. Security override caps.",
    )
    standings = {
        held.claim.feature: held.standing
        for held in check_against_code(feature_claims(report), CODE)
    }
    assert standings == {
        "detectives_parallel": "confirmed",
        "judges_parallel": "contradicted",
        "opinion_join": "open",
        "conditional_edges": "contradicted",
        "error_route": "contradicted",
        "reducer_ior": "contradicted",
        "reducer_add": "confirmed",
        "security_override": "confirmed",
        "dissent": "contradicted",
    }


PARTLY = {"together": ["doc", "vision"], "before": ["repo_investigator_node"], "after": []}


@pytest.mark.parametrize(
    ("sentence", "code", "standing"),
    [
        ("Detectives run in parallel.", {"partly_parallel": {}}, "confirmed"),
        ("Detectives run in parallel.", {}, "open"),
        ("All three detectives run in parallel.", {}, "contradicted"),
        ("Detectives (RepoInvestigator, Doc) run in parallel.", {}, "contradicted"),
        ("Two detectives run in parallel.", {}, "confirmed"),
        ("Three judges read what a parallel detective layer gives.", {}, "open"),
    ],
)
def test_claim_of_a_layer_that_is_parallel_in_part_is_read_in_its_words(
    sentence: str, code: dict[str, Any], standing: str
) -> None:
    facts = {**CODE, "partly_parallel": {"detectives_parallel": PARTLY}, **code}
    held = check_against_code(feature_claims(_report(sentence)), facts)
    standings = {claim.claim.feature: claim.standing for claim in held}
    assert standings["detectives_parallel"] == standing


@pytest.mark.parametrize(("is_gathered", "standing"), [(True, "open"), (False, "contradicted")])
@pytest.mark.parametrize(
    ("sentence", "feature"),
    [
        ("The judges run concurrently.", "judges_parallel"),
        ("It has parallel graph execution.", "parallel_graph"),
        ("Verdicts rest on aggregation barriers.", "evidence_join"),
    ],
)
def test_what_the_code_runs_side_by_side_without_the_graph_is_no_false_claim(
    sentence: str, feature: str, is_gathered: bool, standing: str
) -> None:
    no_layer = dict.fromkeys(("detectives_parallel", "fan_in_before_judges"), False)
    facts = {**CODE, **no_layer, "runs_side_by_side": is_gathered}
    (held,) = check_against_code(feature_claims(_report(sentence)), facts)
    assert (held.claim.feature, held.standing) == (feature, standing)


TWO_KINDS = [
    {"path": "s.py", "line": 1, "field": "evidences", "reducer": "operator.ior"},
    {"path": "s.py", "line": 2, "field": "opinions", "reducer": "operator.add"},
]


@pytest.mark.parametrize(
    ("sentence", "standing"),
    [
        ("A list reducer collects the evidence.", "contradicted"),
        ("A list reducer collects the opinions.", "confirmed"),
        ("A dictionary reducer holds the evidence.", "confirmed"),
        ("A list reducer holds evidence and opinions.", "confirmed"),
        ("A list reducer is there.", "confirmed"),
        ("EvidenceAggregator uses a list reducer for all texts.", "open"),
        ("EvidenceAggregator uses a dictionary reducer for all texts.", "confirmed"),
        ("Reducers keep the evidence.", "confirmed"),
        ("Reducers (operator.add for evidence, operator.ior for opinion dicts).", "contradicted"),
        ("Reducers: operator.ior (dict merge) for the evidence dictionary.", "confirmed"),
        ("Reducers: (operator.ior, operator.add) for evidence and opinions.", "confirmed"),
    ],
)
def test_kind_of_a_reducer_is_that_of_the_field_named_with_it(sentence: str, standing: str) -> None:
    facts = {**CODE, "reducers": TWO_KINDS}
    held = check_against_code(feature_claims(_report(sentence)), facts)
    assert {claim.claim.feature: claim.standing for claim in held}["reducers"] == standing


@pytest.mark.parametrize(("row", "standing"), [(0, "open"), (1, "confirmed")])
def test_kind_of_a_reducer_that_no_field_has_is_not_borne_out(row: int, standing: str) -> None:
    facts = {**CODE, "reducers": [TWO_KINDS[row]]}
    held = check_against_code(feature_claims(_report("A list reducer collects texts.")), facts)
    assert {claim.claim.feature: claim.standing for claim in held}["reducers"] == standing


def test_claim_of_reducers_is_open_where_no_graph_applies_them() -> None:
    claims = feature_claims(_report("The state is merged by reducers."))
    runner = {"name": "StateGraph", "path": "g.py", "line": 1}
    for without in ({"detectives_parallel": False}, {"own_runner": runner}):
        facts = {**CODE, "reducers": TWO_KINDS, "graph": None, **without}
        held = check_against_code(claims, facts)
        assert {claim.claim.feature: claim.standing for claim in held}["reducers"] == "open"


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("It has the EvidenceAggregator fan-in, then ChiefJustice.", ["evidence_join"]),
        ("EvidenceAggregator (fan-in) leads to ChiefJustice.", ["evidence_join"]),
        ("From the EvidenceAggregator it goes to the ChiefJustice fan-in.", ["opinion_join"]),
    ],
)
def test_join_belongs_to_the_node_named_beside_it(sentence: str, expected: list[str]) -> None:
    assert _claimed(sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "is_repeated", "standing"),
    [
        ("The Aggregator is the fan-in.", False, "confirmed"),
        ("The Aggregator is the fan-in.", True, "open"),
        ("The Aggregator is a barrier that waits for all.", True, "contradicted"),
    ],
)
def test_join_that_runs_twice_is_no_barrier(
    sentence: str, is_repeated: bool, standing: str
) -> None:
    repeated = [{"node": "aggregator", "followers": [], "choices": []}] if is_repeated else []
    run = {
        "graph_shape": {"joins": {"aggregator": ["a", "b"]}},
        "graph_run": {"repeated": repeated},
    }
    (held,) = check_against_code(feature_claims(_report(sentence)), {**CODE, **run})
    assert (held.claim.feature, held.standing) == ("evidence_join", standing)


@pytest.mark.parametrize("is_there", [True, False])
def test_rule_named_in_a_list_is_held_against_the_code_like_a_sentence_on_it(
    is_there: bool,
) -> None:
    rules = {"security_override": True, "variance_re_evaluation": is_there}
    named = "It applies a security override and variance re-evaluation."
    held = check_against_code(feature_claims(_report(named)), {**CODE, "rules": rules})
    standing = "confirmed" if is_there else "contradicted"
    assert [row.standing for row in held] == ["confirmed", standing]


@pytest.mark.parametrize(
    ("sentence", "standing"),
    [
        ("Variance Re-evaluation -- When scores lie apart, both are written.", "open"),
        ("Variance re-evaluation: a large spread is weighted anew.", "open"),
        ("It applies a variance re-evaluation rule: when far apart, the median counts.", "open"),
        ("A variance above 2 triggers a re-evaluation.", "contradicted"),
        ("Where the spread is above 2, it applies a re-evaluation.", "contradicted"),
        ("On variance the judges are asked again: a re-evaluation.", "contradicted"),
        ("The variance_re_evaluation rule triggers a second pass.", "contradicted"),
    ],
)
def test_rule_on_the_spread_that_is_explained_otherwise_is_open(
    sentence: str, standing: str
) -> None:
    (held,) = check_against_code(feature_claims(_report(sentence)), CODE)
    assert held.standing == standing


@pytest.mark.parametrize(
    ("code", "standing"),
    [
        ("spread = max(scores) - min(scores)\nif spread > 2: score = median(scores)", "confirmed"),
        ("commits = median(days)", "open"),
    ],
)
def test_median_on_a_spread_is_borne_out_by_code_that_takes_it(code: str, standing: str) -> None:
    report = _report("Variance re-evaluation: when the spread is above 2, the median counts.")
    (held,) = check_against_code(feature_claims(report), {**CODE, **source_words([code])})
    assert held.standing == standing


def test_sentence_that_names_the_judges_shows_their_join_before_a_word_on_all_parts() -> None:
    general = "The graph has a fan-in to the chief justice for all layers."
    own = "All three judges feed into the chief justice, a fan-in."
    (claim, *_) = feature_claims(_report(general, own))
    assert (claim.feature, claim.passage) == ("opinion_join", own)


@pytest.mark.parametrize(("words", "standing"), [(55, "open"), (12, "contradicted")])
def test_prompts_that_share_much_may_still_be_distinct(words: int, standing: str) -> None:
    prompts = [{"persona": name, "own_words": words} for name in ("a", "b", "c")]
    facts = {**CODE, "persona_prompts_distinct": False, "persona_prompts": prompts}
    (held,) = check_against_code(feature_claims(_report("Each has a distinct prompt.")), facts)
    assert held.standing == standing


def test_sentence_that_goes_on_in_the_next_line_is_quoted_whole() -> None:
    (claim,) = feature_claims(_report("A join uses a reducer", "to keep every opinion.", "End."))
    assert claim.passage == "A join uses a reducer to keep every opinion."


@pytest.mark.parametrize(
    ("end", "start", "passage"),
    [
        ("Its prompts are", "distinct for each.", "Its prompts are distinct for each."),
        ("Its prompts are", "(all of them) distinct.", "Its prompts are (all of them) distinct."),
        ("Its prompts are distinct", "src/judges.py asks.", "Its prompts are distinct"),
    ],
)
def test_sentence_that_goes_on_on_the_next_page_is_quoted_whole(
    end: str, start: str, passage: str
) -> None:
    (claim,) = feature_claims(PdfReading(pages=(f"A start.\n{end}", f"{start}\nAn end.")))
    assert (claim.page, claim.passage) == (1, passage)


def test_without_facts_every_claim_is_open() -> None:
    report = _report(
        "Parallel execution. The AgentState(TypedDict) has reducers. Pydantic. Clones are sandboxed with a timeout.",
        "No os.system and no shell=True. Structured output. Retry logic. Distinct prompts. Markdown report.",
    )
    held = check_against_code(feature_claims(report), {})
    assert {claim.standing for claim in held} == {"open"}
    assert len(held) == 12
