"""Guards of rules: refused when invalid, evaluated on a case, and their effect on a verdict."""

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from courtroom.models.errors import RubricRefused
from courtroom.models.facts import establish
from courtroom.rubric_import.rubric_validation import faults_in
from courtroom.synthesis.chief_justice import contested
from courtroom.synthesis.constitutions import PRESETS, preset
from courtroom.synthesis.evidence_weight import dossier_of
from courtroom.synthesis.guards import find_guard_error, refuse_invalid_guards
from courtroom.synthesis.rules import (
    Constitution,
    SecurityOverride,
    VarianceReEvaluation,
    WeightedAverage,
)
from tests.courtroom.synthesis.bench_records import (
    NOTHING_FOUND,
    bench,
    criterion,
    failure,
    piece,
    rubric,
    verdict,
)
from tests.courtroom.synthesis.test_synthesis_properties import decide, presets, records
from tests.factories.work import rubric_document
from tests.hostile.rubric_patterns import ADDED, COMPARED, COSTLY_IN_LOOPS, LOOPS

FRACTION = "Write whole numbers with a fraction there: 2.0."
FLAW = piece("no_shell", tags=("security",))
COMMITS = establish({"commit_count": 4, "pdf_terms": {"Metacognition": "absent"}}, {})

DIAGRAM = {"drawn_as": "mermaid", "path": "a.md", "line": 1, "beside_code": None}


def guarded(constitution: Constitution, at: int, guard: str) -> Constitution:
    rules = list(constitution.rules)
    rules[at] = rules[at].model_copy(update={"when": guard})
    return constitution.model_copy(update={"rules": tuple(rules)})


def without(constitution: Constitution, at: int) -> Constitution:
    return constitution.model_copy(
        update={"rules": constitution.rules[:at] + constitution.rules[at + 1 :]}
    )


def without_steps(judged):
    return judged.model_dump(exclude={"steps": True, "criteria": {"__all__": {"steps"}}})


def capped_if(guard: str, scores=(5, 5, 5), **case):
    """One criterion with a confirmed flaw, which caps it at 3 if the guard holds."""
    rules = Constitution(id="own", rules=(SecurityOverride(when=guard), WeightedAverage()))
    return verdict(rules, bench(scores, FLAW), evidence=(FLAW,), **case).criteria[0]


def holds(guard: str, **case) -> bool:
    return capped_if(guard, **case).resolution == ("weighted_average", "security_override")


@pytest.mark.parametrize(
    ("guard", "marked", "message"),
    [
        ("spread >", "", "The guard ends too early."),
        ("spread = 2", "= 2", "“=” is not understood here. To compare, write ==."),
        ("spread > 1 and true", "and true", "“and” is not understood here. Write &&."),
        (
            "true || sprad > 2",
            "sprad > 2",
            "There is nothing named sprad; perhaps spread is meant.",
        ),
        (
            "facts.grph.edges == []",
            "grph.edges == []",
            "There is nothing named facts.grph.edges; perhaps facts.graph.edges is meant.",
        ),
        (
            "facts .\n commit_cont > 3",
            "commit_cont > 3",
            "There is nothing named facts.commit_cont; perhaps facts.commit_count is meant.",
        ),
        (
            "facts.graph == null",
            "graph == null",
            "There is nothing named facts.graph; perhaps known.facts.graph is meant.",
        ),
        ("'é' == tagz", "tagz", "There is nothing named tagz; perhaps tags is meant."),
        ("timestamp('2026-01-01T00:00:00Z') < now()", "now()", "There is nothing named now."),
        (
            "criterion.weight > 1",
            "> 1",
            "> cannot be applied to double and int. " + FRACTION,
        ),
        ("criterion.id in 'ab'", "in 'ab'", "in cannot be applied to string and string."),
        ("spread", "spread", "A guard is true or false; this one is of the type int."),
        (
            "(" * 40 + "true" + ")" * 40,
            "(" * 40 + "true" + ")" * 40,
            "A guard has at most 20 brackets within each other.",
        ),
        (
            "1+1+1+1+1+1+1+1+1+1 == 10",
            "1+1+1+1+1+1+1+1+1+1 == 10",
            "A guard has at most 3 loops (exists, all, filter, map) and 8 sums.",
        ),
    ],
)
def test_guard_error_points_at_the_wrong_character(guard, marked, message):
    fault = find_guard_error(guard)
    assert fault is not None
    assert (guard[fault.offset :], fault.message) == (marked, message)


def test_rubric_and_audit_with_an_invalid_guard_are_refused():
    rule = {"kind": "security_override", "when": "sprea > 1"}
    document = rubric_document() | {
        "constitution": {"id": "own", "rules": [{"kind": "fact_supremacy"}, rule]}
    }
    message = "There is nothing named sprea; perhaps spread is meant."
    (fault,) = faults_in(document)

    assert (fault.place, fault.kind) == (("constitution", "rules", 1, "when"), "guard_invalid")
    assert fault.message == f"Character 1: {message}"

    with pytest.raises(RubricRefused) as refused:
        refuse_invalid_guards(Constitution.model_validate(document["constitution"]))

    assert refused.value.code == "rubric_guard_invalid"
    assert refused.value.message == f"The guard of security_override, character 1: {message}"


WITHOUT_CEL = """
import sys; sys.modules["cel_expr_python"] = None
import asyncio
from courtroom import Case, Rubric, constitution_of, hold_audit
from courtroom.models.errors import RubricRefused
from courtroom.rubric_import.rubric_validation import faults_in
document = {"id": "x", "name": "X", "version": "1", "criteria": [{"id": "a", "name": "A"}],
            "constitution": {"id": "own", "rules": [{"kind": "fact_supremacy", "when": "true"}]}}
print([m.kind for m in faults_in(document)])
rubric = Rubric.model_validate(document)
case = Case(repo_url="https://git.example/x", rubric=rubric, constitution=constitution_of(rubric))
try:
    asyncio.run(anext(hold_audit(case)))
except RubricRefused as refused:
    print(refused.code)
"""


@pytest.mark.processes
def test_guard_without_the_extra_is_refused_and_never_ignored():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_CEL], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == (
        "['guard_unavailable']\nrubric_guard_unavailable\n",
        0,
    ), done.stderr


@pytest.mark.processes
def test_extra_is_not_imported_without_guards_and_digests_stay():
    code = (
        "import sys, courtroom; from courtroom.rubric_import.rubric_validation import faults_in;"
        "faults_in(courtroom.shipped_rubric('self_audit').model_dump(mode='json'));"
        "print('cel_expr_python' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.stdout == "False\n", done.stderr
    assert {
        key for p in PRESETS.values() for rule in p.model_dump(mode="json")["rules"] for key in rule
    } >= {"kind"}
    assert not [
        rule
        for p in PRESETS.values()
        for rule in p.model_dump(mode="json")["rules"]
        if "when" in rule
    ]


@settings(max_examples=40, deadline=None)
@given(presets, st.integers(0, 5), records())
def test_true_guard_changes_nothing_and_false_guard_removes_its_rule(name, at, record):
    plain = preset(name)
    at %= len(plain.rules)
    assert decide(guarded(plain, at, "true"), record) == decide(plain, record)
    lacking, left_out = (
        decide(rules, record) for rules in (without(plain, at), guarded(plain, at, "false"))
    )
    assert without_steps(left_out) == without_steps(lacking)
    named = {step.rule for c in left_out.criteria for step in c.steps if step.output == "left out"}
    assert named <= {plain.rules[at].kind}


@settings(max_examples=20, deadline=None)
@given(
    records(),
    st.sampled_from(
        ("spread > 2", "known.mean_confidence && mean_confidence < 0.5", "'security' in tags")
    ),
)
def test_guard_gives_the_same_verdict_twice(record, guard):
    rules = guarded(preset("default"), 0, guard)
    assert decide(rules, record).model_dump_json() == decide(rules, record).model_dump_json()


@pytest.mark.parametrize(
    ("guard", "expected"),
    [
        ("criterion.id == 'quality' && criterion.weight == 1.0 && !criterion.architecture", True),
        ("criterion.target == 'pdf_report'", False),
        (
            "scores.prosecutor == 1 && scores.defense == 5 && scores.tech_lead == 4 && spread == 4",
            True,
        ),
        ("spread < 4", False),
        ("mean_confidence == 1.0", True),
        ("tags == ['security']", True),
        ("tags.exists(tag, tag.startsWith('sec'))", True),
        ("known.facts.commit_count && facts.commit_count < 5", True),
        ("!known.facts.bulk_upload || facts.bulk_upload", True),
        ("facts.pdf_terms['Metacognition'] == 'absent'", True),
        ("known.facts.graph && facts.graph.nodes.size() > 3", False),
    ],
)
def test_guard_reads_criterion_judges_evidence_and_facts(guard, expected):
    assert holds(guard, scores=(1, 5, 4), facts=COMMITS) is expected


@pytest.mark.parametrize(
    ("guard", "why"),
    [
        ("facts.bulk_upload", 'No value with name "facts.bulk_upload" found in Activation'),
        ("facts.pdf_terms['Fan-In'] == 'absent'", 'Key not found in map : "Fan-In"'),
        ("spread / 0 == 1", "divide by zero"),
    ],
)
def test_guard_without_an_answer_needs_review(guard, why):
    capped = capped_if(guard, facts=COMMITS)
    assert (capped.final_score, capped.needs_review, capped.resolution) == (None, True, ("guard",))
    assert capped.rationale == f"The guard of a rule has no answer. security_override: {why}."


def test_missing_opinion_is_not_known_to_guards():
    opinions = [*bench((4, 4, 4), FLAW)[:2], failure("TechLead")]
    rules = Constitution(
        id="own", rules=(SecurityOverride(when="!known.scores.tech_lead"), WeightedAverage())
    )
    judged = verdict(rules, opinions, evidence=(FLAW,)).criteria[0]
    assert judged.resolution == ("weighted_average", "security_override")


def test_second_round_is_guarded_by_the_first_opinions_and_stays_recorded():
    rules = Constitution(
        id="own",
        rules=(
            VarianceReEvaluation(when="spread == 4 && criterion.id == 'quality'"),
            WeightedAverage(),
        ),
    )
    first, second = bench((1, 5, 3), piece()), bench((3, 4, 4), piece(), round_number=2)
    two = rubric(criterion("quality"), criterion("safety"))
    both = [*first, *bench((1, 5, 3), piece(), on="safety")]

    assert contested(two, rules, both, 1, NOTHING_FOUND) == ("quality",)

    judged = verdict(rules, [*first, *second], evidence=(piece(),)).criteria[0]

    assert judged.resolution == ("variance_re_evaluation", "weighted_average")


@pytest.mark.parametrize(
    ("guard", "resolution"),
    [
        ("facts.pydantic_models.all(a, facts.pydantic_models.all(b, a != b || true))", ("guard",)),
        (
            "[tags + tags].all(a, [a + a].all(b, [b + b].all(c, c.size() == 8)))",
            ("guard",),
        ),
    ],
)
def test_expensive_guard_is_stopped_or_refused(guard, resolution):
    facts = establish({"pydantic_models": tuple(f"Model{n}" for n in range(300))}, {})
    assert capped_if(guard, facts=facts).resolution == resolution


@pytest.mark.parametrize(
    "guard",
    [
        "'a'.matches('b')",
        "matches('a', 'b')",
        "tags.all(a, 'b'.matches // a comment\n (a))",
        "[0, 0].all(x, !'b'.matches('(?i)(\\\\pL{20}\\\\PL{20}){2}'))",
    ],
)
def test_guard_with_a_regular_expression_is_refused_at_its_place(guard):
    error = find_guard_error(guard)

    assert error is not None
    assert "use contains, startsWith or endsWith" in error.message
    assert error.offset == guard.index("matches")


@pytest.mark.parametrize("name", COSTLY_IN_LOOPS)
def test_operation_that_grows_with_its_values_is_refused_in_loops(name):
    operation, operator, reason = COSTLY_IN_LOOPS[name]
    guard = LOOPS.format(operation)
    error = find_guard_error(guard)

    assert error is not None
    assert error.message.startswith(reason)
    assert guard[error.offset :].startswith(operator)
    assert find_guard_error(f"known.facts.diagrams && {operation}") is None


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        ("facts.diagrams[0].names + facts.diagrams[0].names == a", ADDED),
        ("dyn(a) + dyn(a) == 'x'", ADDED),
        ("{'x': tags == tags}['x']", COMPARED),
        ("(tags == tags ? 1 : 2) == 1", COMPARED),
        ("[a] in [tags]", COMPARED),
        ("facts.diagrams[0].path == facts.diagrams[1].path", COMPARED),
        ("a in tags || a in tags || a in tags", "A guard with a loop has at most 3 loops"),
        (" || ".join(["a.size() > 9"] * 9), "A guard with a loop has at most 8 functions"),
    ],
)
def test_costly_operation_is_refused_wherever_it_stands_in_a_loop(operation, reason):
    error = find_guard_error(f"tags.all(a, {operation})")
    assert error is not None
    assert error.message.startswith(reason)


@pytest.mark.parametrize(
    "guard",
    [
        "facts.diagrams.exists(a, a.names.exists(n, n == 'x') && a.page == null)",
        "facts.diagrams.exists(a, a.drawn_as in ['mermaid', 'plantuml'])",
        "facts.diagrams.filter(a, a.page > 3).size() + spread > 3",
        "facts.reducers.exists(a, facts.reducers.exists(b, string(a.path) == string(b.path)))",
        "facts.reducers.exists_one(a, a.reducer.contains('operator'))",
        "facts.pdf_terms.exists(term, facts.pdf_terms[term] == 'absent')",
    ],
)
def test_usual_loop_is_accepted(guard):
    assert find_guard_error(guard) is None


@pytest.mark.parametrize(
    "facts",
    [
        {"pydantic_models": ("Model",) * 501},
        {"pydantic_models": ("M" * 1_001,)},
        {"diagrams": ({**DIAGRAM, "names": ("a",) * 501},)},
        {"diagrams": ({**DIAGRAM, "names": ("a",) * 200},) * 60},
    ],
    ids=["list", "text", "list in a record", "all values"],
)
@pytest.mark.parametrize(
    "guard", ["{}.size() > 9", "known.{} && {}.size() > 9", "!known.{} || {}.size() > 9"]
)
def test_value_too_large_for_guards_needs_review_and_is_never_unknown(guard, facts):
    name = f"facts.{next(iter(facts))}"
    capped = capped_if(guard.replace("{}", name), facts=establish(facts, {}))
    assert (capped.final_score, capped.resolution) == (None, ("guard",))
    assert capped.rationale == (
        f"The guard of a rule has no answer. security_override: {name} is too large for a guard."
    )


def test_largest_values_within_the_bounds_are_given_to_guards():
    facts = establish({"pydantic_models": ("M" * 1_000,) * 500}, {})
    assert holds("facts.pydantic_models.all(name, name.size() == 1000)", facts=facts)


def test_guard_has_a_maximum_length():
    with pytest.raises(ValueError, match="The limit is 500 characters"):
        SecurityOverride(when="true" + " " * 500)


def test_guards_read_the_same_facts_from_a_dossier_and_a_stored_report():
    from courtroom.replay.report_reuse import StoredFacts

    stored = StoredFacts.model_validate(COMMITS.model_dump(mode="json", by_alias=True))
    assert dossier_of((), (), stored).fact_variables == dossier_of((), (), COMMITS).fact_variables
