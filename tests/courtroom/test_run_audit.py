"""A whole audit of a small repository: order, joins, routes, reuse."""

import asyncio
import subprocess
import threading
from collections import Counter

import pytest

from courtroom.models.case import BenchSettings, Known, Limits
from courtroom.models.errors import InputRefused, PdfRefused
from courtroom.models.judge_answer import PERSONAS
from courtroom.rubric_import.read_rubric import shipped_rubric
from courtroom.run_audit import hold_audit
from courtroom.synthesis.constitutions import preset
from tests.factories.student_project import case_of, student_repository


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    return student_repository(tmp_path_factory.mktemp("repository"))


def events_of(case, **more):
    async def collect():
        return [event async for event in hold_audit(case, **more)]

    return asyncio.run(collect())


@pytest.fixture(scope="module")
def events(repository):
    return events_of(case_of(repository))


@pytest.fixture(scope="module")
def report(events):
    return events[-1].report


def test_unknown_ref_is_refused_before_any_judge_is_called(repository):
    with pytest.raises(InputRefused) as refused:
        events_of(case_of(repository, ref="no-such-branch"))
    assert refused.value.code == "repository_ref_unknown"


def test_invalid_pdf_is_refused(repository, tmp_path):
    pdf = tmp_path / "report.pdf"
    pdf.write_text("not a pdf")
    with pytest.raises(PdfRefused) as refused:
        events_of(case_of(repository, pdf=pdf))
    assert refused.value.code == "pdf_not_a_pdf"


def test_report_is_the_last_event_and_every_stage_ends(events):
    begun = Counter(e.stage for e in events if e.kind == "stage" and not e.ended)
    ended = Counter(e.stage for e in events if e.kind == "stage" and e.ended)
    assert events[-1].kind == "report"
    assert begun == ended


def test_contents_name_every_file_at_the_commit(events, repository, report):
    (contents,) = [event for event in events if event.kind == "contents"]
    listing = subprocess.run(
        ["git", "-C", repository, "ls-tree", "-r", "--name-only", report.commit],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert contents.files is not None
    assert (sorted(contents.files), contents.pages) == (sorted(listing), None)


def test_aggregator_joins_all_detectives_exactly_once(events):
    order = [e.stage for e in events if e.kind == "stage" and e.ended]
    detectives = {"repo_investigator", "doc_analyst", "vision_inspector"}
    assert order.count("evidence_aggregator") == 1
    assert detectives <= set(order[: order.index("evidence_aggregator")])


def test_three_judges_answer_each_criterion(events, report):
    answers = [e.opinion or e.failure for e in events if e.kind == "opinion"]
    assert len([answer for answer in answers if answer.round == 1]) == 30
    assert [o.judge for o in report.criteria[1].opinions] == list(PERSONAS)


def test_criterion_is_heard_again_where_the_judges_differ_by_more_than_two(report):
    rounds = {c.id: max(opinion.round for opinion in c.opinions) for c in report.criteria}
    assert {name for name, last in rounds.items() if last == 2} == {"git_forensic_analysis"}


def test_opinions_cite_only_evidence_of_the_report(report):
    evidence_ids = {item.id for item in report.evidence}
    cited = {i for c in report.criteria for o in c.opinions for i in o.cited_evidence}
    assert cited <= evidence_ids
    assert all(o.cited_evidence for c in report.criteria for o in c.opinions if o.score is not None)


def test_quotations_match_the_source_at_their_place(repository, report):
    quotes = [e for e in report.evidence if e.location.path and e.location.line_start and e.content]
    assert quotes

    for item in quotes:
        place = item.location
        text = subprocess.run(
            ["git", "-C", repository, "show", f"{report.commit}:{place.path}"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split("\n")
        assert "\n".join(text[place.line_start - 1 : place.line_end]) == item.content


def test_confirmed_security_evidence_caps_its_criterion_and_no_other(report):
    fired = {c.id for c in report.criteria if "security_override" in c.resolution}
    scores = {c.id: c.final_score for c in report.criteria}
    assert fired <= {"safe_tool_engineering"}
    assert scores["safe_tool_engineering"] <= 3
    assert scores["state_management_rigor"] >= 4


def test_missing_pdf_gives_its_criteria_the_lowest_score(report):
    scores = {c.id: c.final_score for c in report.criteria}
    assert [scores[i] for i in ("theoretical_depth", "report_accuracy", "swarm_visual")] == [
        1,
        1,
        1,
    ]


def test_two_runs_give_the_same_digest(repository, report):
    assert events_of(case_of(repository))[-1].report.digest == report.digest


def test_known_report_skips_detectives_and_judges(repository, report):
    events = events_of(case_of(repository), known=Known(report=report))
    again = events[-1].report
    assert again.digest == report.digest
    assert [e for e in events if e.kind == "evidence"] == []
    assert again.usage.reused == sum(len(c.opinions) for c in report.criteria)


def test_known_report_of_another_rubric_is_not_reused(repository, report):
    case = case_of(repository, rubric=shipped_rubric("general"))
    assert events_of(case, known=Known(report=report))[-1].report.usage.reused == 0


def test_known_report_of_other_code_is_not_reused(repository, report):
    events = events_of(
        case_of(repository), known=Known(report=report.model_copy(update={"engine": "courtroom/0"}))
    )
    assert [e for e in events if e.kind == "evidence"] != []


def test_refused_bench_leaves_no_thread_that_writes_into_the_removed_workspace(repository):
    before = threading.enumerate()
    with pytest.raises(InputRefused, match="No model is set"):
        events_of(case_of(repository), bench=BenchSettings(kind="llm"))
    # Audits that other tests broke off may have left some.
    after = [thread for thread in threading.enumerate() if thread not in before]
    assert not [thread for thread in after if thread.name.startswith("inputs")]


@pytest.mark.processes
def test_failed_detective_is_a_recorded_error_and_never_a_score(repository):
    report = events_of(case_of(repository, limits=Limits(child_seconds=0.01)))[-1].report
    scored = {c.id for c in report.criteria if c.final_score is not None}
    assert {e.stage for e in report.errors} >= {"RepoInvestigator"}
    assert "state_management_rigor" not in scored
    assert report.status in ("needs_review", "degraded")


def test_too_little_evidence_gives_a_degraded_report_without_scores(repository):
    starved = preset("default").model_copy(update={"min_evidence": 10_000})
    events = events_of(case_of(repository, constitution=starved))
    report = events[-1].report
    assert report.status == "degraded"
    assert {c.final_score for c in report.criteria} == {None}
    assert [e for e in events if e.kind == "opinion"] == []
