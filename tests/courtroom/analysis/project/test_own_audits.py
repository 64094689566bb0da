"""The work's own audits: which files they are, and what they show beside each other."""

from __future__ import annotations

import pytest

from courtroom.analysis.git.history import Commit, History
from courtroom.analysis.project.audit_rows import audit_row
from courtroom.analysis.project.misplaced_audits import misplaced_audits, misplaced_fact
from courtroom.analysis.project.own_audits import (
    audit_paths,
    audits_without_judgement,
    disagreements,
    each_content_once,
    placed_by_repository,
    read_audits,
    repository_name,
)
from courtroom.analysis.project.own_outputs import own_document_paths
from courtroom.models.output_facts import OwnAudit
from tests.courtroom.sources import symbols_of

OWN = "https://github.com/ada/auditor"
PEER = "https://github.com/bo/other-work"
SELF, ON_PEER = "audit/report_onself_generated/a.md", "audit/report_onpeer_generated/a.md"
ERROR = "API key not valid. Please pass a valid API key."


def audit(*arguments: str, url=OWN, overall="3.0", head="", score=3) -> str:
    """An audit with the three judges' opinions on two criteria; arguments are used in turn."""
    texts = arguments or tuple(f"The graph of part {n} is wired." for n in range(6))
    lines = [f"# Audit Report\n\n**Repository:** {url}\n**Overall Score:** {overall}/5.0\n{head}\n"]
    for number, name in enumerate(("Graph Orchestration", "State Management")):
        lines.append(f"\n## {name}\n\n**Score:** {score}/5\n\n")
        for place, judge in enumerate(("Prosecutor", "Defense", "Tech Lead")):
            argument = texts[(3 * number + place) % len(texts)]
            lines.append(f"- **{judge}** (Score: {score}): {argument}\n")
    return "".join(lines)


def read(texts: dict[str, str]):
    readings, unread = read_audits(texts, audit_paths(texts))
    assert unread == []
    return readings


def rows(texts: dict[str, str]):
    return [audit_row(reading) for reading in read(texts)]


@pytest.mark.parametrize(
    ("path", "about"),
    [
        (SELF, "self"),
        (ON_PEER, "peer"),
        ("audit/report_bypeer_received/a.json", "received"),
        ("audit/report_generated/ada/auditor/audit.md", ""),
        ("audit_report.md", ""),
        ("audit/final_verified.md", ""),
        ("audit/final_audit_report.md", ""),
        ("outputs/report_17.json", ""),
        ("src/peer_grading_2026_03_01.md", "peer"),
    ],
)
def test_an_audit_is_known_by_its_folder_or_name(path, about):
    assert audit_paths([path]) == {path: about}


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "reports/final_report.md",
        "docs/audit.md",
        "reports/peer_grading.md",
        "the_automaton_auditor.md",
        "audit/README.md",
        "audit/final_report.md",
        "audit/video_transcript.md",
        "audit/demo-script.md",
        "audit/evidence.json",
        "prompts/audit.md",
        "src/audit.py",
        ".github/audit.md",
    ],
)
def test_what_is_written_about_audits_is_none(path):
    assert audit_paths([path]) == {}


def test_an_audit_of_another_work_among_the_received_ones_is_of_a_peer():
    received = "audit/report_bypeer_generated/{}.md"
    texts = {SELF: audit(), received.format("a"): audit(), received.format("b"): audit(url=PEER)}
    assert [reading.about for reading in placed_by_repository(read(texts))] == [
        *("self", "received", "peer")
    ]


@pytest.mark.parametrize(
    ("url", "about"),
    [(PEER, "peer"), ("https://github.com/bo/auditor", "self"), ("https://x.org/ada/b", "self")],
)
def test_an_audit_of_another_work_among_those_of_oneself_is_of_a_peer(url: str, about: str):
    texts = {SELF: audit(), SELF.replace("a.md", "b.md"): audit(), f"{SELF}.md": audit(url=url)}
    readings = placed_by_repository(read(texts))
    assert [reading.about for reading in readings] == ["self", "self", about]

    facts = misplaced_audits([audit_row(reading) for reading in readings], ())
    text = f"{SELF}.md lies among the audits of oneself and names bo/other-work as audited."
    assert [fact["text"] for fact in facts] == [text] * (about == "peer")


def test_the_works_own_audits_are_read_before_those_of_others():
    paths = ["audit/report_bypeer_received/a.md", ON_PEER, SELF]
    assert list(audit_paths(paths)) == [SELF, ON_PEER, paths[0]]


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://github.com/Ada/Auditor.git", "ada/auditor"),
        ("git@github.com:Ada/Auditor.git", "ada/auditor"),
        ("https://github.com/ada/auditor/tree/main", "ada/auditor"),
        ("auditor", None),
        (None, None),
    ],
)
def test_a_repository_is_named_by_owner_and_name(url, name):
    assert repository_name(url) == name


def test_broken_json_is_unread_and_prose_without_scores_is_no_audit():
    texts = {"audit/a.json": '{"score": oops}' + " " * 300, "audit/audit.md": "# Audit\n\nSoon.\n"}
    assert read_audits(texts, audit_paths(texts)) == ([], ["audit/a.json"])


def test_an_audit_keeps_what_it_says_of_itself():
    (row,) = rows({SELF: audit(head="It rests on commit 1234abc and 7654fed.")})
    own = OwnAudit.model_validate(row)
    assert (own.about, own.repository, own.score, own.maximum) == (
        "self",
        "ada/auditor",
        3.0,
        5.0,
    )
    assert (own.criteria, own.opinions, own.failed) == (2, 6, 0)
    assert own.cited_commits == ("1234abc", "7654fed")


# -- audits without a judgement -------------------------------------------------------------------


def test_opinions_that_are_all_failures_are_shown_with_their_lines():
    (fact,) = audits_without_judgement(read({SELF: audit(f"Error calling model: {ERROR}")}))
    assert fact["text"] == (
        f"All 6 opinions of {SELF} report a failure in place of a judgement:"
        f" “Error calling model: {ERROR}”"
    )
    assert {place["path"] for place in fact["places"]} == {SELF}
    assert len(fact["places"]) == 6


def test_cause_that_stands_far_behind_in_a_failure_is_quoted():
    failure = f"Error calling model: {'it did not answer, ' * 6}as {ERROR}"
    (fact,) = audits_without_judgement(read({SELF: audit(failure)}))
    assert fact["text"].endswith(
        ": “Error calling model: it did not answer, it did not answer, i… did not answer, as API key not"
        " valid. Please pass a valid A…”"
    )


def test_failure_that_gives_its_cause_is_quoted_before_one_that_is_cut():
    cut = "Judge failed: the call came back with"
    (fact,) = audits_without_judgement(read({SELF: audit(cut, f"Judge failed: {ERROR}")}))
    assert fact["text"].endswith(f"such as “Judge failed: {ERROR}”")
    assert fact["places"][0]["line"] == 12


def test_failures_of_several_texts_are_shown_by_an_example():
    texts = (f"Judge failed: {ERROR}", f"No opinion could be had here: {ERROR}")
    (fact,) = audits_without_judgement(read({SELF: audit(*texts, *texts, *texts)}))
    assert fact["text"] == (
        f"All 6 opinions of {SELF} report a failure in place of a judgement, such as “{texts[0]}”"
    )


def test_one_argument_for_all_criteria_is_shown_with_its_score():
    (fact,) = audits_without_judgement(read({SELF: audit("The work is good.")}))
    assert fact["text"] == (
        f"All 6 opinions of {SELF}, on 2 criteria, have the same argument and the same score, 3:"
        " “The work is good.”"
    )


EMPTY = """# Audit Report

## Executive Summary

- Repo: `https://github.com/ada/auditor.git`
- Overall Score: **1.00/5.00**

## Criterion Breakdown

## Remediation Plan

Keep the structure of the graph, the schema of each answer and the places of the evidence in mind.
"""


OTHER = '{{"verdict": {{"score": {}, "reasoning": "Part {} is wired."}}}}'


def test_scores_that_are_not_those_of_the_opinions_own_text_are_no_judgement():
    texts = [OTHER.format(score, n) for n, score in enumerate((4, 2, 3, 3, 3, 3))]
    (fact,) = audits_without_judgement(read({SELF: audit(*texts)}))
    assert fact["text"] == (
        f"2 of 6 opinions of {SELF} record another score than the one in their own text, such as 3 for"
        ' “{"verdict": {"score": 4, "reasoning": "Part 0 is wired."}}”'
    )
    assert len(fact["places"]) == 2


def test_few_scores_that_are_not_those_of_the_text_are_a_remark():
    texts = [OTHER.format(score, n) for n, score in enumerate((4, 3, 3, 3, 3, 3))]
    (row,) = rows({SELF: audit(*texts)})
    words = f"1 of 6 opinions of {SELF} records another score than the one in its own text"
    assert row["remarks"][:1] == [f"{words}, such as 3 for 4."]
    assert audits_without_judgement(read({SELF: audit(*texts)})) == []


@pytest.mark.parametrize(
    "argument",
    [
        OTHER.format(3, 1),
        '{"score": 4} or {"score": 5}',
        "A score: 4 would be too much for part 1.",
        '{"score": "none"}',
    ],
)
def test_recorded_score_stands_where_the_text_names_no_single_other_one(argument):
    assert not any("record" in text for text in rows({SELF: audit(argument)})[0]["remarks"])


def test_audit_with_an_overall_score_and_no_criterion_judges_nothing():
    readings = read({SELF: EMPTY})
    (fact,) = audits_without_judgement(readings)
    assert fact["text"] == f"{SELF} gives an overall score of 1.00/5.00 and judges no criterion."
    assert fact["places"] == [{"path": SELF, "line": 8}]
    (row,) = rows({SELF: EMPTY})
    assert (row["score"], row["criteria"], row["opinions"]) == (1.0, 0, 0)


@pytest.mark.parametrize(
    "text",
    [
        EMPTY.replace("Breakdown\n", "Breakdown\n\nSee the appendix.\n"),
        EMPTY.replace("- Overall Score: **1.00/5.00**", ""),
    ],
)
def test_report_of_prose_or_without_a_score_is_no_audit(text):
    assert read({SELF: text}) == []


def test_two_files_of_one_output_are_one_audit_without_a_judgement():
    page = audit("The work is good.")
    stem = SELF.removesuffix(".md")
    texts = {f"{stem}.txt": page, SELF: page, f"{stem}_2.md": page}
    places = [fact["places"][0]["path"] for fact in audits_without_judgement(read(texts))]
    assert places == [SELF, f"{stem}_2.md"]


def test_short_arguments_that_stand_in_one_script_are_no_judgement():
    short = tuple(f"Part {number} is fine." for number in range(6))
    halves = {"a.py": f"TEXTS = {list(short[:3])}", "b.py": f"TEXTS = {list(short[3:])}"}
    readings = read({SELF: audit(*(f"{text} (Score: 4)" for text in short))})
    assert audits_without_judgement(readings, symbols_of(halves).codebase.files.values()) == []
    whole = symbols_of({"mock.py": f"TEXTS = {list(short)}"}).codebase.files.values()
    assert [fact["text"] for fact in audits_without_judgement(readings, whole)] == [
        (
            f"All 6 arguments of {SELF} stand ready-made in the code, such as “{short[0]} (Score: 4)”, the"
            " text of mock.py:1."
        )
    ]


def test_arguments_that_stand_in_the_code_are_no_judgement():
    canned = tuple(f"The {judge} could not look at anything and stays as is." for judge in "ABC")
    (source,) = symbols_of({"src/judges.py": f"TEXTS = {list(canned)}\n"}).codebase.files.values()
    of_code = audits_without_judgement(read({SELF: audit(*canned)}), [source])
    assert [fact["text"] for fact in of_code] == [
        (
            f"All 6 arguments of {SELF} stand ready-made in the code, such as “{canned[0]}”, the text of"
            " src/judges.py:1."
        )
    ]
    assert audits_without_judgement(read({SELF: audit(*canned)})) == []
    assert audits_without_judgement(read({SELF: audit(canned[0])}), [source])
    one_of_six = (canned[0], *(f"Part {n} of the graph is wired." for n in range(5)))
    assert audits_without_judgement(read({SELF: audit(*one_of_six)}), [source]) == []


def on_five_criteria(*arguments: str, scores: tuple[int, ...] = (2, 3)) -> str:
    """An audit with opinions of two judges; the Prosecutor uses arguments and scores in turn."""
    names = ("Git Forensic", "State Management", "Graph Orchestration", "Safe Tools", "Nuance")
    sections = [
        f"\n## {name}\n\n**Score:** 3/5\n\n"
        f"- **Prosecutor** (Score: {scores[number % len(scores)]}):"
        f" {arguments[number % len(arguments)]}\n"
        "- **Defense** (Score: 4): The effort is plain to see.\n"
        for number, name in enumerate(names)
    ]
    return f"# Audit Report\n\n**Overall Score:** 3/5\n{''.join(sections)}"


def test_judges_that_give_one_argument_for_most_criteria_are_shown():
    text = on_five_criteria("Trust no one.", "Trust no one.", "The graph is linear.")
    (fact,) = audits_without_judgement(read({SELF: text}))
    assert fact["text"] == (
        f"Each judge of {SELF} gives one argument for most criteria (Prosecutor for 4 of 5,"
        " Defense for 5 of 5), such as “Trust no one.”"
    )
    assert text.splitlines()[fact["places"][0]["line"] - 1].endswith("Trust no one.")


def test_one_judge_with_other_arguments_on_half_of_the_criteria_is_a_judgement():
    text = on_five_criteria("Trust no one.", "The graph is linear.")
    assert len(audits_without_judgement(read({SELF: text}))) == 1
    texts = ("Trust no one.", "The graph is linear.", "No reducer is there.")
    assert audits_without_judgement(read({SELF: on_five_criteria(*texts)})) == []
    # That the Defense has a good word for each criterion is its part.
    (fact,) = audits_without_judgement(read({SELF: on_five_criteria(*texts, scores=(2,))}))
    assert fact["text"] == (
        f"{SELF} has only one score by Prosecutor (2 for all 5 criteria)"
        " and Defense (4 for all 5 criteria)."
    )


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("Good.", "Good.", "The state has no reducer."),
        (f"Error: {ERROR}", "Good.", "Fine.", "Wired.", "Typed.", "Safe."),
    ],
)
def test_arguments_that_differ_are_a_judgement(arguments):
    assert audits_without_judgement(read({SELF: audit(*arguments)})) == []


def test_an_audit_that_was_received_is_not_the_works_output():
    received = "audit/report_bypeer_received/a.md"
    assert audits_without_judgement(read({received: audit("The work is good.")})) == []


def test_failures_from_a_quarter_on_are_counted_and_shown():
    text = audit(f"Error: {ERROR}", "Good.", "Typed.")
    (fact,) = audits_without_judgement(read({SELF: text}))
    assert (
        fact["text"]
        == f"2 of 6 opinions of {SELF} report a failure in place of a judgement: “Error: {ERROR}”"
    )
    lines = [text.splitlines()[place["line"] - 1] for place in fact["places"]]
    assert len(lines) == 2
    assert all("Error" in line for line in lines)


def test_the_line_of_an_argument_below_a_table_of_scores_is_shown():
    table = "| Role | Score |\n|---|---|\n| Prosecutor | 1/5 |\n| Defense | 1/5 |\n| Tech Lead | 1/5 |\n"
    quotes = "".join(
        f"\n**{judge}** (score 1/5):\n> No evidence.\n"
        for judge in ("Prosecutor", "Defense", "Tech Lead")
    )
    text = "# Audit Report\n\n**Overall Score:** 1/5\n" + "".join(
        f"\n### {n}. {name} — 1/5\n\n#### Judge Scores\n\n{table}\n#### Judge Arguments\n{quotes}"
        for n, name in enumerate(("Graph Orchestration", "State Management"), 1)
    )
    (fact,) = audits_without_judgement(read({SELF: text}))
    lines = [text.splitlines()[place["line"] - 1] for place in fact["places"]]
    assert lines == ["> No evidence."] * 6


OLD, NEW = (
    "audit/report_onself_generated/audit_20260228_1855.md",
    SELF.replace("a.md", "b_20260301.md"),
)


@pytest.mark.parametrize(
    ("later", "newest"),
    [
        ({NEW: audit()}, []),
        ({OLD.replace("1855", "1922"): audit()}, []),
        ({OLD.replace("1855", "185530"): audit()}, [OLD]),
        ({OLD.replace("1855", "1703"): audit()}, [OLD]),
        ({SELF: audit(head="**Date:** 2026-03-02")}, []),
        ({SELF: audit()}, [OLD]),
        ({NEW: audit(url=PEER)}, [OLD]),
        ({ON_PEER: audit(head="**Date:** 2026-03-02")}, [OLD]),
    ],
)
def test_only_the_newest_audit_of_a_work_is_judged(later, newest):
    facts = audits_without_judgement(read({OLD: audit("The work is good."), **later}))
    assert [fact["places"][0]["path"] for fact in facts] == newest


@pytest.mark.parametrize(
    ("later", "newest"),
    [
        ("audit_20260301_0900.md", False),
        ("peer_b_20260301_0900.md", True),
        ("latest.md", True),
    ],
)
def test_audits_of_an_unnamed_peer_that_differ_by_their_time_are_of_one_work(later, newest):
    folder = ON_PEER.rpartition("/")[0]
    texts = {
        f"{folder}/audit_20260228_1855.md": audit("The work is good.", url="none"),
        f"{folder}/{later}": audit(url="none", head="**Date:** 2026-03-01"),
    }
    assert bool(audits_without_judgement(read(texts))) is newest


@pytest.mark.parametrize(
    ("earlier", "later", "newest"),
    [
        ("audit/a_20260228_183616.md", "audit/a_20260228_183638.md", False),
        ("audit/a_20260228_183638.md", "audit/a_20260228_183616.md", True),
        ("audit/archive/a_20260301.md", "audit/a.md", False),
        ("audit/a_20260228.md", "audit/archive/a_20260301.md", True),
    ],
)
def test_seconds_and_an_archive_tell_the_newest(earlier, later, newest):
    texts = {earlier: audit("The work is good."), later: audit()}
    assert bool(audits_without_judgement(read(texts))) is newest


@pytest.mark.parametrize(
    ("name", "url", "newest"),
    [
        ("report_20260301_0900.md", OWN, False),
        ("report_20260301_0900.md", "https://github.com/eve/third-work", False),
        ("report_20260228_2300.md", OWN, True),
        ("other_20260301_0900.md", OWN, True),
        ("folder/report_20260301_0900.md", OWN, True),
    ],
)
def test_later_output_of_one_series_replaces_an_audit_of_another_work(name, url, newest):
    earlier = "audit/report_20260228_1855.md"
    texts = {
        SELF: audit(head="**Date:** 2026-02-27"),
        earlier: audit("The work is good.", url=PEER),
        f"audit/{name}": audit(url=url),
    }
    facts = audits_without_judgement(read(texts))
    assert [fact["places"][0]["path"] for fact in facts] == [earlier] * newest


def test_audit_whose_judges_alone_give_scores_is_read_with_them():
    opinions = "".join(
        f"\n### {name}\n\n#### Prosecutor — Partial (3/5)\nIt is wired.\n"
        for name in ("Graph Orchestration", "State Management")
    )
    (row,) = rows({SELF: f"# Audit Report\n\n## Criterion Breakdown\n{opinions}"})
    assert (row["criteria"], row["opinions"]) == (2, 2)


@pytest.mark.parametrize(
    ("first", "second", "newest"),
    [
        ("a1.md", "a2.md", False),
        ("a9.md", "a10.md", False),
        ("a2.md", "a1.md", True),
        ("a1.md", "b2.md", True),
        ("a.md", "a1.md", True),
    ],
)
def test_without_dates_the_number_in_the_name_tells_the_newest(first, second, newest):
    folder = SELF.rpartition("/")[0]
    texts = {f"{folder}/{first}": audit("The work is good."), f"{folder}/{second}": audit()}
    assert bool(audits_without_judgement(read(texts))) is newest


@pytest.mark.parametrize(
    ("about", "kept"),
    [
        ({"a": "", "b": ""}, ["b"]),
        ({"a": "", "b": "peer"}, ["b"]),
        ({"a": "self", "b": "peer"}, ["a", "b"]),
        ({"a": "peer", "b": "peer", "c": "self"}, ["b", "c"]),
        ({"a": "", "b": "received"}, ["a", "b"]),
    ],
)
def test_one_content_is_read_once_but_for_each_work_that_it_is_about(about, kept):
    assert list(each_content_once(about, dict.fromkeys(about, "1234"))) == kept


# -- outputs that disagree ------------------------------------------------------------------------

NEXT = "audit/report_onself_generated/b.md"


def differing(head: str, other_head: str, **other):
    return disagreements(read({SELF: audit(head=head), NEXT: audit(head=other_head, **other)}))


def test_two_audits_of_one_commit_with_other_scores_disagree():
    commit = "**Commit:** 1234abcd"
    (fact,) = differing(commit, commit, score=4)
    assert fact["text"] == (
        f"{SELF} and {NEXT} are about the same commit, 1234abcd, and differ on"
        " “Graph Orchestration”: 3/5 and 4/5."
    )
    assert [place["path"] for place in fact["places"]] == [SELF, NEXT]


def test_two_files_of_one_moment_with_another_overall_score_disagree():
    moment = "**Date:** 2026-02-27 10:21:52"
    (fact,) = differing(moment, moment, overall="3.4")
    assert fact["text"].endswith("differ on the overall score: 3.0/5.0 and 3.4/5.0.")


@pytest.mark.parametrize(
    ("head", "other"),
    [
        ("**Commit:** 1234abcd", "**Commit:** 9999abcd"),
        ("**Date:** 2026-02-27 10:21:52", "**Date:** 2026-02-27 11:00:00"),
        ("**Date:** 2026-02-27", "**Date:** 2026-02-27"),
        ("", ""),
    ],
)
def test_audits_of_other_moments_may_differ(head, other):
    assert differing(head, other, score=4) == []


def test_same_scores_of_one_commit_agree():
    assert differing("**Commit:** 1234abcd", "**Commit:** 1234abcd") == []


def test_markdown_and_json_of_one_name_with_other_scores_disagree():
    data = (
        '{"overall_score": 3, "criteria": [{"name": "Graph Orchestration", "score": 5},'
        ' {"name": "State Management", "score": 3}]}'
    )
    (fact,) = disagreements(read({SELF: audit(), SELF.replace(".md", ".json"): data}))
    assert "are two files of one output and differ on “Graph Orchestration”" in fact["text"]


# -- audits of peers ------------------------------------------------------------------------------

SHAS = ("1234abc" + "0" * 33, "7654fed" + "0" * 33)


def test_an_audit_of_a_peer_that_names_the_own_repository_is_shown():
    (fact,) = misplaced_audits(rows({SELF: audit(), ON_PEER: audit()}), ())
    assert fact["text"] == (
        f"{ON_PEER} is an audit of a peer by its path and names the work's own"
        " repository, ada/auditor."
    )


def test_an_audit_of_another_repository_that_cites_own_commits_is_shown():
    peer = audit(url=PEER, head="Commits 1234abc, 7654fed were read.")
    (fact,) = misplaced_audits(rows({SELF: audit(), ON_PEER: peer}), SHAS)
    assert fact["text"] == (
        f"{ON_PEER} names bo/other-work as audited and cites 2 commits, which are of this"
        " repository's own history."
    )


@pytest.mark.parametrize("head", ["", "Commit 5555abc was read.", "Commits 1234abc and 5555abc."])
def test_an_audit_of_a_peer_that_cites_other_commits_is_about_the_peer(head):
    peer = audit(url=PEER, head=head)
    assert misplaced_audits(rows({SELF: audit(), ON_PEER: peer}), SHAS) == []


def test_own_commits_in_an_audit_of_oneself_are_as_they_should_be():
    assert misplaced_audits(rows({SELF: audit(head="Commit 1234abc.")}), SHAS) == []


def test_a_history_that_was_not_read_to_its_beginning_leaves_the_fact_open():
    commit = Commit(SHAS[0], (), "Ada", "a@x.org", "2026-01-05T09:00:00+00:00", "Add", 1, ("a",))
    audits = rows({ON_PEER: audit(url=PEER)})
    read_in_part, whole = (History((commit,), n, truncated=n > 1) for n in (9, 1))
    assert misplaced_fact(None, {"own_audits": "too many"}, whole) == (None, "too many")
    assert misplaced_fact(audits, {}, whole) == ([], "")
    assert misplaced_fact(audits, {}, read_in_part)[0] is None


def test_documents_about_the_work_are_readme_and_reports():
    named = ["README.md", "reports/final_report.md", "reports/final_submission.md"]
    assert own_document_paths([*named, SELF, "benchmark_report.md", "notes.md"]) == named
