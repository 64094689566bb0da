"""Citations of a judge: what becomes evidence, what is clipped, and what was invented."""

import pytest

from courtroom.judges.citations import resolve
from courtroom.judges.material import Submission, files_of, material_of, short_id
from courtroom.models.evidence import Location, evidence
from courtroom.models.exhibit import CriterionExhibits, Exhibit
from tests.courtroom.judges.questions import make_question

COMMIT = "c" * 40
SOURCE = "\n".join(f"x{number} = {number}" for number in range(10, 61))


def in_file(path, first, text):
    last = first + text.count("\n")
    place = Location(path=path, line_start=first, line_end=last, commit=COMMIT)
    return Exhibit(kind="code", title="t", location=place, text=text)


COMMITS = Exhibit(
    kind="commits",
    title="t",
    location=Location(commit=COMMIT),
    text="head\nrow one\nrow two",
    commit_ids=("", "a" * 40, "b" * 40),
)
PAGE = Exhibit(kind="page", title="t", location=Location(page=3), text="First.\nSecond.\nThird.")
TREE = Exhibit(kind="tree", title="t", location=Location(commit=COMMIT), text="a.py  3 lines")
SUSPECTED = evidence(
    detective="RepoInvestigator",
    check="integrity",
    goal="g",
    found=True,
    rationale="r",
    location=Location(path="src/a.py", line_start=30, line_end=31),
    tags=("integrity",),
)


def question():
    base = make_question("TechLead", ("a",), ("b",))
    item = base.evidence[0].model_copy(
        update={"location": Location(path="src/a.py", line_start=12, line_end=12)}
    )
    items = (item, base.evidence[1])
    exhibits = (
        in_file("src/a.py", 10, SOURCE),
        in_file("src/a.py", 100, "y = 1\n\nz = 2"),
        in_file("src/b.py", 1, "b = 1"),
        COMMITS,
        PAGE,
        TREE,
    )
    row = CriterionExhibits(criterion_id="c", exhibits=exhibits)
    evidence_items = (*items, SUSPECTED)
    submission = Submission(evidence_items, base.outcomes, files_of(evidence_items, [row]), "s")
    material = material_of(base.criterion, items, row, submission)
    return base.model_copy(update={"evidence": items, "material": material})


QUESTION = question()
ALIAS = f"f{QUESTION.material.files.index('src/a.py') + 1}"


def places(*cited):
    citations = resolve(cited, QUESTION)
    rows = [(i.location.path, i.location.line_start, i.location.line_end) for i in citations.lines]
    return rows, citations.invented


@pytest.mark.parametrize(
    ("citation", "lines"),
    [
        ("{f}:12-14", (12, 14)),
        ("{f}:12", (12, 12)),
        ("src/a.py:12-14", (12, 14)),
        ("a.py:12-14", (12, 14)),
        ("`{f}:12–14`", (12, 14)),  # noqa: RUF001 -- dashes as models write them
        ("{f}: lines 12-14", (12, 14)),
        ("src/a.py#L12-L14", (12, 14)),
        ("{f}:1-12", (10, 12)),
        ("{f}:98-110", (100, 102)),
        ("{f}:28-40", (28, 29)),
        ("{f}:32-999", (32, 60)),
    ],
)
def test_lines_are_found_under_every_name_and_clipped_to_what_was_shown(citation, lines):
    assert places(citation.format(f=ALIAS)) == ([("src/a.py", *lines)], 0)


@pytest.mark.parametrize(
    "citation",
    [
        "{f}:70-80",
        "{f}:30-31",
        "{f}:101",
        "f99:1-3",
        "src/absent.py:1",
        "p9:1",
        "commits:1",
        "commits:9",
        "E-dead",
        "",
        ":",
        "../../etc/passwd:1-3",
        "x" * 5000,
    ],
)
def test_what_was_not_shown_or_does_not_exist_is_counted_and_no_evidence(citation):
    assert places(citation.format(f=ALIAS)) == ([], 1)


def test_cited_lines_are_verbatim_evidence_of_the_check_that_they_bear_on():
    (first, other), invented = (
        resolve([f"{ALIAS}:11-12", "src/b.py:1"], QUESTION).lines,
        resolve([f"{ALIAS}:11-12"], QUESTION).invented,
    )
    assert (first.content, first.check, first.goal) == ("x11 = 11\nx12 = 12", "a", "goal of a")
    assert (other.content, other.check, other.goal) == ("b = 1", "c", "A criterion")
    assert (first.tags, first.found, first.location.commit, invented) == (
        ("cited",),
        True,
        COMMIT,
        0,
    )


def test_pages_tables_and_commits_can_be_cited():
    lines = resolve(["p3:2-3", "page 3: 1", "commits:2-3", "tree:1"], QUESTION).lines
    assert [(i.content, i.location.page, i.location.commit) for i in lines] == [
        ("Second.\nThird.", 3, None),
        ("First.", 3, None),
        ("row one", None, "a" * 40),
        ("row two", None, "b" * 40),
        ("a.py  3 lines", None, COMMIT),
    ]
    assert lines[0].detective == "DocAnalyst"


def test_items_are_cited_by_short_and_whole_ids_and_stay_what_they_are():
    item, other = QUESTION.evidence
    citations = resolve([short_id(item), other.id, item.id], QUESTION)
    assert (citations.ids, citations.lines) == ((item.id, other.id), ())


def test_many_and_long_citations_are_bounded():
    long = resolve([f"{ALIAS}:32-60"], QUESTION).lines
    resolved = resolve([f"{ALIAS}:{number}" for number in range(10, 30)], QUESTION)
    assert len(long) == 1
    assert (len(resolved.ids), len(resolved.lines)) == (12, 12)
