"""Files that a report names: in sentences, over line breaks, in links and trees; there or not."""

from __future__ import annotations

import pytest

from courtroom.analysis.pdf.pdf_content import PdfReading
from courtroom.analysis.pdf_claims.claimed_paths import claimed_paths
from courtroom.analysis.pdf_claims.path_standing import (
    CheckedPaths,
    check_against_tree,
    path_facts,
)
from courtroom.checks.pdf_paths import files_exist

TREE = (
    "src/graph.py",
    "src/nodes/judges.py",
    "src/tools/repo_tools.py",
    "docs/README.md",
    "docs/Final Report.pdf",
    "Makefile",
)


def _verdicts(*pages: str) -> CheckedPaths:
    return check_against_tree(claimed_paths(PdfReading(pages=pages)), TREE)


def _claimed(*pages: str) -> list[str]:
    return [claim.path for claim in claimed_paths(PdfReading(pages=pages))]


@pytest.mark.parametrize(
    "text",
    [
        "Formats: .pdf, .md and .docx.",
        "See https://example.org/blob/main/src/other.py for more.",
        "Read https://docs.example. org/3/library/tempfile.html and docs.example.org/ast.html first.",
        "Built with Node.js and operator.add.",
        r"Windows gave C:\Users\me\state.py there.",
        "Call graph.compile() and state.pyramid, e.g. like this.",
        "Keep keys in .env and logs out of .cache.",
        "It runs in a hardened container behind a robust Makefile.",
    ],
)
def test_text_that_only_resembles_a_path_is_no_path(text: str) -> None:
    assert _claimed(text) == []


def test_paths_are_named_once_as_written() -> None:
    text = (
        "In src/graph.py (see ./src/graph.py:40), judges.py and “docs/README.md”.\nAgain judges.py.\n"
        "- Makefile: run make audit."
    )
    assert _claimed(text) == ["src/graph.py", "judges.py", "docs/README.md", "Makefile"]
    assert _claimed("The graph is drawn in ./docs/graph.png here.") == ["./docs/graph.png"]
    assert _claimed("Copy .env.example and fill it in.") == [".env.example"]
    assert _claimed("It grew from .gitignore through state.py.") == [".gitignore", "state.py"]
    assert _claimed("It wants a README, .gitignore, and all .gitignored files.") == []
    assert _claimed("Files:\n.github/workflows/tests.yml (new)\nin (.vscode/launch.json).") == [
        ".github/workflows/tests.yml",
        ".vscode/launch.json",
    ]
    assert _claimed("The end .nodes.py of a word, and the end ..tools/judges.py of a path.") == []


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("Files: .ci/*, Makefile, rubric/*.json", ["Makefile"]),
        (
            "Read README.md, Makefile, and optional Dockerfile.",
            ["README.md", "Makefile", "Dockerfile"],
        ),
        ("It needs a shell, Makefile and patience.", []),
        ("The Dockerfile starts it, and the Makefile calls that.", ["Dockerfile", "Makefile"]),
    ],
)
def test_file_without_an_ending_is_named_in_a_list_of_files(text: str, paths: list[str]) -> None:
    assert _claimed(text) == paths


def test_running_head_and_foot_name_no_file() -> None:
    pages = [f"report.md 2026-02-0{n}\n{n} / 4\nText.\nMore text.\nEnd." for n in range(1, 4)]
    assert _claimed(*pages, "report.md 2026-02-04\n4 / 4\nSee src/graph.py.") == ["src/graph.py"]
    assert _claimed(*pages[:2]) == ["report.md"]
    inner = [f"Text.\nMore.\nOpen report.md.\nText {n}.\nEnd." for n in range(3)]
    assert _claimed(*inner) == ["report.md"]


def test_rest_of_a_path_that_a_cell_breaks_is_no_file() -> None:
    lines = "Judges\nsrc/detective s.py (tools)\nIn src/detectives.py and s.json all is said."
    assert _claimed(lines) == ["src/detectives.py", "s.json"]
    assert _claimed("See src/detective s.py there.") == ["s.py"]


def test_path_is_verified_by_its_tail_anywhere_in_the_tree() -> None:
    assert path_facts(_verdicts("We wrote judges.py, nodes/judges.py and README.md.")) == {
        "pdf_claimed_paths": ("judges.py", "nodes/judges.py", "README.md"),
        "pdf_hallucinated_paths": (),
    }


def test_claimed_file_that_the_tree_lacks_is_hallucinated() -> None:
    facts = path_facts(
        _verdicts("The sandbox in src/tools/sandbox.py isolates git, as src/graph.py shows.")
    )
    assert facts == {
        "pdf_claimed_paths": ("src/graph.py", "src/tools/sandbox.py"),
        "pdf_hallucinated_paths": ("src/tools/sandbox.py",),
    }


@pytest.mark.parametrize(
    "text",
    [
        "Next we add tests/test_state.py.",
        "The report is written to audit/report.md.",
        "Planned: src/cache.py.",
        "Files to modify: src/cache.py (new file, holds evidence).",
        "Extract all prompts into a file of their own (config/personas.yaml).",
        "Move docs/README.md to the root folder as rubric.json.",
        "Add a serialization step in src/nodes/serialize.py to write the summary.",
        "Say where messages live (e.g. audit/messages.md or a document of its own).",
        "Needed: repository settings, optional docs/deferrals.md.",
        "Results of the audit_report.md generation follow.",
        "Each run leaves one, such as audit/report_2026-02-27_22-11-15.md.",
        'Errors are kept (e.g., "Invalid syntax in src/broken.py").',
        "Try: uv run run-audit --repo-url . --pdf-path audit/cache/report.pdf --out here",
        "Run audit --pdf=reports/yours.pdf to see it.",
        "Run python -m src.graph ../work reports/yours.pdf now.",
        "Run python3 src/graph.py reports/yours.pdf now.",
    ],
)
def test_planned_file_output_or_example_is_named_but_not_hallucinated(text: str) -> None:
    verdicts = _verdicts(text)
    assert (verdicts.hallucinated, len(verdicts.planned)) == ((), 1)
    assert verdicts.planned[0] in verdicts.claimed


@pytest.mark.parametrize(
    "text",
    [
        "Traces go to audit/run_{id}.json.",
        "Compare a repository's architecture.png with the code.",
        "Peer's repo_scanner found only a.py and b.py.",
        "The peer's graph.py is a chain.",
        "The peer's clone.py leaves folders behind.",
        "No vision.py was detected.",
    ],
)
def test_template_or_file_of_another_repository_claims_nothing(text: str) -> None:
    assert _verdicts(text).claimed == ()


def test_file_said_not_to_exist_claims_nothing() -> None:
    verdicts = _verdicts("The peer claimed src/advanced.py, but there is no such file.")
    assert [claim.path for claim in verdicts.disowned] == ["src/advanced.py"]
    assert verdicts.claimed == ()


def test_program_of_a_command_and_file_beside_the_word_python_are_claimed() -> None:
    verdicts = _verdicts("Run python src/main.py first. It is plain python in src/cache.py - see.")
    assert [claim.path for claim in verdicts.hallucinated] == ["src/main.py", "src/cache.py"]
    generated = _verdicts("report.html (generated via python scripts/render.py or Pandoc)")
    assert "scripts/render.py" in [claim.path for claim in generated.hallucinated]


@pytest.mark.parametrize(
    ("heading", "end"),
    [("7. Remediation & Completion Plan", "\n"), ("7. Completion Plan Priority 1 ", "")],
)
def test_missing_file_of_a_chapter_of_plans_is_planned_until_the_next_chapter(
    heading: str, end: str
) -> None:
    text = f"{heading}{end}File: src/cache.py Action:\n8. Results\nAll is in src/store.py."
    # A heading may stand in one line with its text.
    headings = frozenset({(1, heading), (1, "8. Results")})
    verdicts = check_against_tree(claimed_paths(PdfReading(pages=(text,), headings=headings)), TREE)
    assert [claim.path for claim in verdicts.planned] == ["src/cache.py"]
    assert [claim.path for claim in verdicts.hallucinated] == ["src/store.py"]


@pytest.mark.parametrize(
    "item",
    [
        "Fix: Refactor src/cache.py to hold more.",
        "File: src/cache.py Gap: It keeps no more than ten answers.",
    ],
)
def test_file_that_a_plan_wants_changed_is_claimed_to_be_there(item: str) -> None:
    verdicts = _verdicts(f"7. Remediation Plan\n{item}")
    assert [claim.path for claim in verdicts.hallucinated] == ["src/cache.py"]


@pytest.mark.parametrize(
    ("words", "is_claimed"),
    [
        ("Self-audit (", True),
        ("Source snapshot: ", True),
        ("From ", True),
        ("One run left ", False),
        ("The report is saved as ", False),
    ],
)
def test_dated_output_is_claimed_where_its_run_is_cited(words: str, is_claimed: bool) -> None:
    verdicts = _verdicts(f"{words}audit/report_2026-02-27_22-11.md, overall 2.5 of 5.")
    assert (len(verdicts.hallucinated), len(verdicts.planned)) == (is_claimed, not is_claimed)


def test_plain_claim_outweighs_an_excused_one() -> None:
    verdicts = _verdicts(
        "We plan to add src/cache.py.\nAll answers come from src/cache.py at once."
    )
    assert [claim.path for claim in verdicts.hallucinated] == ["src/cache.py"]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("It is in src/tools/rep o_tools.py now.", "src/tools/repo_tools.py"),
        ("It is in src/nodes/ judges.py now.", "src/nodes/judges.py"),
        ("Read (docs/Final Report.pdf) first.", "docs/Final Report.pdf"),
        ("In src/nodes judges.py waits.", "judges.py"),
    ],
)
def test_broken_path_and_name_with_spaces_are_put_together(text: str, path: str) -> None:
    assert path_facts(_verdicts(text)) == {
        "pdf_claimed_paths": (path,),
        "pdf_hallucinated_paths": (),
    }


def test_misread_letters_of_a_scan_are_no_missing_file() -> None:
    claims = claimed_paths(PdfReading(pages=("See sre/graph.py and src/tools/cache.py.",)))
    assert path_facts(check_against_tree(claims, TREE, is_recognised=True)) == {
        "pdf_claimed_paths": ("src/graph.py", "src/tools/cache.py"),
        "pdf_hallucinated_paths": ("src/tools/cache.py",),
    }


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("test_state.py verify the reducers of the state", ()),
        ("Unit tests test_state.py High", ()),
        ("The reducers are covered by tests in test_state.py.", ("test_state.py",)),
        ("test_state.py covers nothing, cache.py implements the cache", ("cache.py",)),
    ],
)
def test_file_of_a_scan_is_missing_only_where_it_is_said_to_be_there(
    text: str, missing: tuple[str, ...]
) -> None:
    claims = claimed_paths(PdfReading(pages=(text,)))
    assert path_facts(check_against_tree(claims, TREE, is_recognised=True)) == {
        "pdf_claimed_paths": missing,
        "pdf_hallucinated_paths": missing,
    }


def test_scan_of_over_a_hundred_misread_paths_leaves_the_rest_out() -> None:
    names = [f"src/modules/file{number}.py" for number in range(101)]
    text = " ".join(f"In {name.replace('file', 'fi1e')} it stands." for name in names)
    claims = claimed_paths(PdfReading(pages=(text,)))
    checked = check_against_tree(claims, names, is_recognised=True)
    assert (len(checked.claimed), checked.hallucinated) == (100, ())


def test_missing_path_keeps_its_broken_beginning() -> None:
    verdicts = _verdicts("It is in src/tools/sand box.py, and/or helper.py.")
    assert [claim.path for claim in verdicts.hallucinated] == ["src/tools/sandbox.py", "helper.py"]


@pytest.mark.parametrize(
    "text",
    [
        "See https://docs.example.org/3/library/temp file.html first.",
        "See docs.example.org/library/temp file.html first.",
    ],
)
def test_rest_of_a_broken_address_is_no_claim(text: str) -> None:
    verdicts = _verdicts(text)
    assert (verdicts.claimed, verdicts.disowned) == ((), ())


def test_path_that_breaks_over_lines_or_pages_is_one() -> None:
    assert _claimed("It is in src/tools/\nrepo_tools.py and src/nodes/", "judges.py waits.") == [
        "src/tools/repo_tools.py",
        "src/nodes/judges.py",
    ]


def test_link_to_a_file_on_a_code_host_names_that_file() -> None:
    verdicts = _verdicts(
        "See https://github.com/me/mine/blob/main/src/graph.py#L4 and"
        " https://github.com/me/mine/blob/main/docs/Final%20Report.pdf here."
    )
    assert [claim.path for claim in verdicts.verified] == ["src/graph.py", "docs/Final Report.pdf"]
    assert verdicts.hallucinated == ()


FILE_TREE = """our-project/
├── src/
│ ├── graph.py # the graph, its nodes
and its edges
│ └── tools/
│ ├── repo_tools.py
│ └── inner/
│ └── deep.py
├── docs/
└── README.md"""


def test_entries_of_a_file_tree_are_named_with_their_folders() -> None:
    assert _claimed(FILE_TREE) == [
        "src/graph.py",
        "src/tools/repo_tools.py",
        "src/tools/inner/deep.py",
        "README.md",
    ]


def test_file_tree_of_a_folder_of_code_begins_with_that_folder() -> None:
    assert _claimed("src/\n|-- graph.py\n`-- nodes\n`-- judges.py") == [
        "src/graph.py",
        "src/nodes/judges.py",
    ]


def test_file_tree_goes_on_after_a_page_and_ends_with_other_text() -> None:
    first, second = "src/\n├── nodes/\n│ ├── judges.py", "│ └── justice.py\n└── state.py"
    other = "One.\nTwo.\nThree.\nFour.\nFive."
    assert _claimed(first, f"{second}\n{other}\n└── graph.py") == [
        "src/nodes/judges.py",
        "src/nodes/justice.py",
        "src/state.py",
        "graph.py",
    ]


def test_paths_of_a_tree_that_goes_ever_deeper_stay_short() -> None:
    deeper = "\n".join("└── a.py" for _ in range(200))
    assert max(map(len, _claimed(deeper))) == 30 * len("a.py/") - 1
    long_name = f"├── {'n' * 256}/\n│ └── a.py"
    assert _claimed(long_name) == ["a.py"]


def test_file_that_need_not_be_there_is_left_out_and_named() -> None:
    finding = files_exist(0, _verdicts("See src/graph.py. These stem from audit.md generation."))
    assert (finding.met, finding.reason) == (
        True,
        (
            "The report names 1 path of a file, and this work has it."
            " Not looked for, as a plan, an example, an output or the report's source: audit.md."
        ),
    )


def test_source_of_a_pdf_of_the_tree_is_no_file_of_the_work() -> None:
    verdicts = check_against_tree(
        claimed_paths(PdfReading(pages=("We compiled report.tex and notes.tex.",))),
        ("a/report.pdf",),
    )
    assert [claim.path for claim in verdicts.unheld] == ["report.tex"]
    assert [claim.path for claim in verdicts.hallucinated] == ["notes.tex"]


def test_report_that_names_no_file_leaves_open_whether_its_files_exist() -> None:
    finding = files_exist(0, _verdicts("Nothing."))
    assert (finding.met, finding.reason) == (None, "The report names no file as part of this work.")
