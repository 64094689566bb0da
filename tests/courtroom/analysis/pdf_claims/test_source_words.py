"""Libraries that a report claims, held against the imports of the sources."""

from __future__ import annotations

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.claims import check_against_code, feature_claims
from courtroom.analysis.pdf_claims.source_words import source_words
from courtroom.detectives.evidence_aggregator import claim_words


def _claims(text: str) -> list[str]:
    return [claim.feature for claim in feature_claims(PdfReading((text,)))]


@pytest.mark.parametrize(
    ("source", "standing"),
    [
        ("from tree_sitter import Parser", "confirmed"),
        ("    import tree_sitter_python as grammar", "confirmed"),
        ("import ast", "contradicted"),
        ('run(["tree-sitter", "parse"])', "open"),
        (
            'dependencies = ["tree-sitter-languages[all]>=1.2", "tree-sitter >= 0.2"]',
            "contradicted",
        ),
    ],
)
def test_claimed_library_is_confirmed_by_an_import_alone(source: str, standing: str) -> None:
    claims = feature_claims(PdfReading(("The code is parsed with Tree-Sitter.",)))
    assert [claim.feature for claim in claims] == ["uses_tree_sitter"]
    held = check_against_code(claims, source_words(["src/graph.py", source]))
    assert [claim.standing for claim in held] == [standing]


@pytest.mark.parametrize(
    ("source", "standing"),
    [
        ("json.dump(report, file)", "confirmed"),
        ("path.write_text(json.dumps(report, indent=2))", "confirmed"),
        # A prompt may be made of it.
        ("evidence = item.model_dump_json()", "open"),
        ("path.write_text(render(report))", "contradicted"),
    ],
)
def test_claimed_report_in_json_needs_more_than_one_in_markdown(source: str, standing: str) -> None:
    claims = feature_claims(PdfReading(("It generates Markdown + JSON reports of the audit.",)))
    assert [claim.feature for claim in claims] == ["markdown_report", "json_report"]
    facts = {"markdown_report": True, **source_words([source])}
    held = check_against_code(claims, facts)
    assert [claim.standing for claim in held] == ["confirmed", standing]


@pytest.mark.parametrize(
    ("sentence", "standing"),
    [
        ("It generates Markdown reports of the audit.", "confirmed"),
        ("The Chief Justice writes a Markdown report to disk.", "contradicted"),
        ("It saves the report as Markdown.", "contradicted"),
    ],
)
def test_report_that_is_made_and_kept_nowhere_is_made(sentence: str, standing: str) -> None:
    claims = feature_claims(PdfReading((sentence,)))
    made = [{"name": "render", "path": "a.py", "line": 3}]
    facts = {"markdown_report": False, "unwritten_reports": made}
    assert [held.standing for held in check_against_code(claims, facts)] == [standing]
    (held,) = check_against_code(claims, {"markdown_report": False, "unwritten_reports": []})
    assert held.standing == "contradicted"


@pytest.mark.parametrize(
    ("sentence", "feature"),
    [
        ("Models run with retry logic, producing structured opinions.", "retry_logic"),
        ("Models run with retry logic for malformed answers.", "output_retry"),
        ("Models run with retry logic for network failures.", "call_retry"),
    ],
)
def test_retry_logic_by_itself_is_no_retry_of_bad_answers(sentence: str, feature: str) -> None:
    assert [claim.feature for claim in feature_claims(PdfReading((sentence,)))] == [feature]


@pytest.mark.parametrize(
    ("facts", "standing"),
    [
        ({"structured_output_retry": True, "has_call_retry": False}, "confirmed"),
        ({"structured_output_retry": False, "has_call_retry": None}, "open"),
        ({"structured_output_retry": False, "has_call_retry": False}, "contradicted"),
    ],
)
def test_retry_logic_is_contradicted_where_the_code_has_no_word_of_a_retry(
    facts: dict[str, bool | None], standing: str
) -> None:
    (held,) = check_against_code(feature_claims(PdfReading(("It has retry logic.",))), facts)
    assert held.standing == standing


@pytest.mark.parametrize(
    ("path", "standing"),
    [("uv.lock", "contradicted"), ("pyproject.toml", "contradicted"), ("src/model.py", "open")],
)
def test_provider_of_another_model_in_a_manifest_alone_runs_none(path: str, standing: str) -> None:
    sources = {"": path, "src/judges.py": 'model = "gemini-2.5-flash"', path: '"langchain-openai"'}
    claims = feature_claims(PdfReading(("The judges run on GPT-4o.",)))
    held = check_against_code(claims, claim_words(sources, None))
    assert [claim.standing for claim in held] == [standing]


@pytest.mark.parametrize(
    ("claimed", "source", "standing"),
    [
        ("pypdf", "import pypdf", "confirmed"),
        ("PyPDF2", "import PyPDF2", "confirmed"),
        ("pypdf", "import PyPDF2", "open"),
        ("PyPDF2", "import pypdf", "open"),
    ],
)
def test_library_is_not_confirmed_by_the_one_it_was(claimed, source, standing) -> None:
    claims = feature_claims(PdfReading((f"The PDF is read by {claimed}.",)))
    held = check_against_code(claims, source_words([source]))
    assert [claim.standing for claim in held] == [standing]


def test_library_without_sources_is_open() -> None:
    claims = feature_claims(PdfReading(("The PDF is read by Docling.",)))
    assert [claim.standing for claim in check_against_code(claims, {})] == ["open"]


@pytest.mark.parametrize(
    "sentence",
    [
        "We chose the ast module over tree-sitter.",
        "Readers such as Docling exist.",
        "In the next step we plan to add tree-sitter.",
        "The peer reads its PDF with PyMuPDF.",
    ],
)
def test_compared_planned_or_foreign_library_is_no_claim(sentence: str) -> None:
    assert _claims(sentence) == []


@pytest.mark.parametrize(
    ("source", "standing"),
    [
        ("folder = tempfile.mkdtemp()", "confirmed"),
        ("with TemporaryDirectory() as folder:  # and not mkdtemp", "contradicted"),
    ],
)
def test_claimed_mkdtemp_is_called(source: str, standing: str) -> None:
    claims = feature_claims(PdfReading(("Clones go into a folder of tempfile.mkdtemp().",)))
    held = check_against_code(claims, source_words([source]))
    assert {claim.claim.feature: claim.standing for claim in held}["mkdtemp"] == standing


@pytest.mark.parametrize(
    ("source", "standing"),
    [
        ('model = ChatOllama(model="minimax-m2.5:cloud")', "contradicted"),
        ("model = ChatOllama(model=name) or ChatOpenAI(model=name)", "open"),
        ("model = ChatOllama(model=name) or ask_openrouter(name)", "open"),
        ("model = build_model(name)", "open"),
    ],
)
def test_model_of_another_provider_is_none_of_ollama(source: str, standing: str) -> None:
    claims = feature_claims(PdfReading(("The judges run on GPT-4o.",)))
    held = check_against_code(claims, source_words([source]))
    assert [claim.standing for claim in held] == [standing]


@pytest.mark.parametrize(
    ("sentence", "source", "standing"),
    [
        ("The judges give structured outputs.", "Opinion.model_validate(json.loads(text))", "open"),
        ("The judges give structured outputs.", "opinion = json.loads(text)", "contradicted"),
        ("Judges call with_structured_output.", "Opinion.model_validate(row)", "contradicted"),
    ],
)
def test_answers_that_are_held_to_a_model_are_no_false_claim_of_structured_outputs(
    sentence: str, source: str, standing: str
) -> None:
    claims = feature_claims(PdfReading((sentence,)))
    facts = {"structured_output_calls": [], **source_words([source])}
    assert [claim.standing for claim in check_against_code(claims, facts)] == [standing]


@pytest.mark.parametrize(
    ("claimed", "source", "standing"),
    [
        ("GPT-4", 'ChatOpenAI(model="gpt-4")', "confirmed"),
        ("GPT-4", 'ChatOpenAI(model="gpt-4o-mini")', "open"),
        ("GPT-4V", 'ChatOpenAI(model="gpt-4o-mini")', "open"),
        ("GPT-4o", 'ChatOpenAI(model="openai/gpt-4o-2024-08-06")', "confirmed"),
        ("Gemini 2.0 Flash", 'Chat(model="gemini-2.0-flash-exp")', "confirmed"),
        ("Gemini 2.0 Flash", 'Chat(model="gemini-2.0-flash-lite")', "open"),
        ("Gemini", 'Chat(model="gemini-2.0-flash-lite")', "confirmed"),
        ("Gemini Vision", 'Chat(model="gemini-2.0-flash-lite")', "confirmed"),
        ("Claude 3.5 Sonnet", 'Chat(model="anthropic/claude-3.5-sonnet")', "confirmed"),
    ],
)
def test_model_is_confirmed_by_its_own_name_alone(claimed, source, standing) -> None:
    claims = feature_claims(PdfReading((f"The judges run on {claimed}.",)))
    words = claim_words({"": "src/judges.py", "src/judges.py": source}, None)
    assert [held.standing for held in check_against_code(claims, words)] == [standing]


@pytest.mark.parametrize(("name", "standing"), [("OPENAI_MODEL", "open"), ("MODEL", "confirmed")])
def test_model_in_a_setting_that_no_code_reads_confirms_nothing(name, standing) -> None:
    claims = feature_claims(PdfReading(("The judges run on GPT-4.",)))
    source = 'from os import getenv\nmodel = getenv("MODEL", "gpt-4o-mini")'
    sources = {"": "a.py", "a.py": source, ".env.example": f"{name}=gpt-4"}
    held = check_against_code(claims, claim_words(sources, None))
    assert [claim.standing for claim in held] == [standing]
