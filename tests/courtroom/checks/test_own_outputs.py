"""The kind `own_outputs`: met, not met, and not established."""

from __future__ import annotations

from dataclasses import replace

import pytest

from courtroom.analysis.git.history import Commit, History
from courtroom.analysis.langgraph.assumed_evidence import NO_PICTURE
from courtroom.analysis.project.audit_rows import as_received
from courtroom.analysis.project.audit_versions import EarlierAudit
from courtroom.checks.own_outputs import KIND, NO_AUDIT, OwnOutputs
from courtroom.checks.sources import Comparison, Sources
from courtroom.models.errors import ChildFailed
from courtroom.models.evidence import CheckOutcome
from courtroom.models.statement import continued
from tests.courtroom.surveys import CHECK_FIELDS, clue_lines, detected, survey

HISTORY = History((), 0, truncated=False)
ROW = {
    "path": "audit/report_onself_generated/a.md",
    "about": "self",
    "repository": "ada/auditor",
    "criteria": 2,
    "opinions": 6,
    "failed": 0,
    "cited_commits": [],
    "score": 3.2,
    "maximum": 5.0,
}
SHOWN = {"text": "A fact.", "places": [{"path": "a.md", "line": 3}, {"path": "b.md", "line": 4}]}
CLAIM = {
    "text": "Overall score: 4.2/5",
    "score": 4.2,
    "maximum": 5.0,
    "path": "README.md",
    "line": 9,
}
FACTS = {
    "judged": "audits_without_judgement",
    "covered": "unjudged_criteria",
    "consistent": "disagreeing_outputs",
    "examined": "assumed_evidence",
    "pictures": "assumed_pictures",
    "guarded": "guarded_evidence",
    "open_scores": "separate_score_ranges",
}


def answer(aspect, reasons=None, **facts):
    check = OwnOutputs(**CHECK_FIELDS, aspect=aspect)
    return KIND.detect(check, Sources(survey=survey(facts=facts, reasons=reasons), history=HISTORY))


@pytest.mark.parametrize("aspect", FACTS)
def test_a_fact_is_shown_with_all_its_places(aspect):
    finding = answer(aspect, **{FACTS[aspect]: [SHOWN, SHOWN | {"text": "Another."}]})
    assert (finding.met, finding.reason) == (
        False,
        "A fact (a.md:3). Another (a.md:3).",
    )
    # Of an audit one place is shown, so that one step mends it.
    second = ("a.md", 3) if aspect == "judged" else ("b.md", 4)
    assert clue_lines(finding)[:2] == [("a.md", 3), second]


@pytest.mark.parametrize(
    ("failed", "fault"), [(0, ""), (2, "A committed audit has failures in place of opinions.")]
)
def test_failures_are_another_fault_than_one_argument(failed, fault):
    rows = [{**ROW, "path": "a.md", "failed": failed}]
    finding = answer("judged", own_audits=rows, audits_without_judgement=[SHOWN])
    assert (finding.met, finding.fault) == (False, fault)


@pytest.mark.parametrize("aspect", FACTS)
def test_an_unknown_fact_leaves_the_check_open(aspect):
    finding = answer(aspect, {FACTS[aspect]: "2 outputs could not be read: a, b"})
    assert (finding.met, finding.reason) == (None, "2 outputs could not be read: a, b")


@pytest.mark.parametrize(
    ("aspect", "reason"),
    [
        (
            "judged",
            (
                "The newest committed audits were read for failures, equal arguments and equal scores"
                " (2 audits read)."
            ),
        ),
        (
            "consistent",
            (
                "No two committed audits give different scores for the same run or commit"
                " (2 audits read)."
            ),
        ),
    ],
)
def test_audits_that_show_nothing_meet_the_check(aspect, reason):
    received = {**ROW, "about": "received"}
    other = {**ROW, "path": "b.md"}
    finding = answer(aspect, own_audits=[ROW, other, received], **{FACTS[aspect]: []})
    assert (finding.met, finding.reason) == (True, reason)
    assert {clue.path for clue in finding.clues} == {ROW["path"], "b.md"}


def test_two_files_of_one_output_are_one_judgement():
    rows = [ROW, {**ROW, "path": "audit/report_onself_generated/a.json"}]
    finding = answer("judged", own_audits=rows, audits_without_judgement=[])
    assert finding.reason.endswith(" (1 audit read).")


def test_few_failures_are_counted():
    rows = [ROW, {**ROW, "path": "b.md", "opinions": 30, "failed": 2}]
    finding = answer("judged", own_audits=rows, audits_without_judgement=[])
    assert finding.met
    assert finding.reason.endswith(
        "(2 audits read). 2 of 30 opinions of b.md report a failure in place of a judgement."
    )


def test_older_audits_are_counted_apart():
    old = {**ROW, "path": "b.md", "failed": 1, "is_older": True, "remarks": ["b.md gives 4/5."]}
    finding = answer("judged", own_audits=[ROW, old], audits_without_judgement=[])
    assert finding.reason.endswith(
        "(2 audits with opinions read, 1 of them the newest). Of the older ones, 1 has failures."
    )
    assert [clue.path for clue in finding.clues] == [ROW["path"]]


@pytest.mark.parametrize(
    ("empty", "words"),
    [
        ([], ""),
        (["c.md"], " c.md is an empty file."),
        (["c.md", "d.md"], " 2 files called an audit or a report are empty, such as c.md."),
    ],
)
def test_audits_with_nothing_in_them_are_told(empty, words):
    none = {**ROW, "path": "b.md", "criteria": 0, "opinions": 0}
    rows = [ROW, none, {**none, "about": "received"}]
    finding = answer("judged", own_audits=rows, audits_without_judgement=[], empty_outputs=empty)
    assert (finding.met, finding.has_reservation) == (True, True)
    assert finding.reason.endswith(
        f"(1 audit read). b.md gives an overall score and judges no criterion.{words}"
    )


def test_audit_of_another_work_than_readme_names_is_told_beside_failures():
    remark = f"{ROW['path']} names bo/work as audited, and README names ada/work."
    row = {**ROW, "failed": 2, "remarks": [remark, f"{ROW['path']} gives 4/5 overall."]}
    fact = {"text": "2 of 3 fail.", "places": [{"path": ROW["path"], "line": 3}]}
    finding = answer("judged", own_audits=[row], audits_without_judgement=[fact])
    assert finding.reason.endswith(f" {remark}")


def test_audit_that_lies_among_the_received_ones_is_told_beside_failures():
    remark = as_received(str(ROW["path"]), "audit/report_bypeer_received/b.md")
    row = {**ROW, "failed": 2, "remarks": [remark]}
    fact = {"text": "2 of 3 fail.", "places": [{"path": ROW["path"], "line": 3}]}
    finding = answer("judged", own_audits=[row], audits_without_judgement=[fact])
    assert finding.reason.endswith(f" {remark}")


def test_what_does_not_fit_in_an_audit_is_told_beside_its_opinions():
    rows = [{**ROW, "opinions": 60, "repeated": 30, "remarks": ["a.md gives 4/5 overall."]}]
    finding = answer("judged", own_audits=rows, audits_without_judgement=[])
    assert finding.reason.endswith(
        f" (1 audit read). {ROW['path']} prints 60 opinions, 30 of them by a judge who was heard on"
        " the same criterion before. a.md gives 4/5 overall."
    )
    assert (finding.met, finding.has_reservation) == (True, True)


def test_audit_that_the_code_could_not_have_written_is_none_of_its_own():
    unlike = {**ROW, "path": "b.md", "unlike_code": "The code could not have written b.md."}
    both = answer("judged", own_audits=[ROW, unlike], audits_without_judgement=[])
    assert both.reason.endswith(" (2 audits read). The code could not have written b.md.")
    assert (both.met, both.has_reservation) == (True, True)
    alone = answer("judged", own_audits=[unlike], audits_without_judgement=[])
    assert (alone.met, alone.reason) == (
        None,
        "The code could not have written b.md. No other of the newest audits has opinions.",
    )
    beside = answer("judged", own_audits=[ROW, unlike], audits_without_judgement=[SHOWN])
    assert beside.reason == "A fact (a.md:3). The code could not have written b.md."


def test_audits_that_the_code_could_not_have_written_are_told_beside_their_criteria():
    rows = [ROW, {**ROW, "path": "b.md", "unlike_code": "The code could not have written b.md."}]
    finding = answer("covered", own_audits=rows, unjudged_criteria=[])
    assert finding.reason.endswith(
        " (2 audits with criteria read). The code of this commit could not have written 1 of them."
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "7 of 24 opinions of a.md record another score than the one in their own text.",
            "A committed audit records other scores than its judges gave.",
        ),
        (
            "a.md has only one score by Prosecutor (5 for all 6 criteria)",
            "A judge of a committed audit gives only one score.",
        ),
        (
            "a.md has only one score by Defense (5 for 5 of 6 criteria) and Prosecutor (1 for all 6 criteria)",
            "Judges of a committed audit each give only one score.",
        ),
    ],
)
def test_recorded_scores_are_another_fault_than_failures(text, fault):
    row = {"text": text, "places": [{"path": "a.md", "line": 3}]}
    finding = answer("judged", own_audits=[ROW], audits_without_judgement=[row])
    assert finding.fault == fault
    assert continued(fault)[0].islower()


def test_audits_that_together_leave_out_no_criterion_are_shown_without_those_of_none():
    rows = [ROW, {**ROW, "path": "b.md"}, {**ROW, "path": "c.md", "about": "received"}]
    rows.append({**ROW, "path": "d.md", "criteria": 0})
    finding = answer("covered", own_audits=rows, unjudged_criteria=[])
    reason = (
        "No criterion of the work's rubric was recognised that is left out of all committed audits"
        " (2 audits with criteria read)."
    )
    assert (finding.met, finding.reason) == (True, reason)
    assert [clue.path for clue in finding.clues] == [ROW["path"], "b.md"]


@pytest.mark.parametrize("aspect", ["judged", "consistent", "of_peers"])
def test_without_an_audit_nothing_is_established(aspect):
    finding = answer(aspect, own_audits=[], audits_without_judgement=[], disagreeing_outputs=[])
    assert (finding.met, finding.reason) == (None, NO_AUDIT[aspect])


@pytest.mark.parametrize("aspect", ["examined", "pictures", "guarded", "open_scores"])
def test_code_that_shows_nothing_meets_the_check(aspect):
    assert answer(aspect, **{FACTS[aspect]: []}).met is True


def test_other_evidence_is_told_from_that_on_pictures():
    finding = answer("examined", assumed_evidence=[], assumed_pictures=[SHOWN])
    assert finding.reason.endswith("says that nothing was looked at, pictures aside.")


def test_constants_beside_a_content_that_varies_are_named_and_no_fault():
    finding = answer("guarded", guarded_evidence=[], varied_evidence=[SHOWN])
    assert finding.met
    assert finding.reason.endswith(" with nothing of the work in its content. A fact (a.md:3).")


@pytest.mark.parametrize(
    ("end", "is_same"),
    [
        ("reads `src/state.py` in the auditor's own directory, not in the clone", True),
        ("reads the history of the auditor's own directory, not of the clone", True),
        ("looks for the paths of a text in the auditor's own directory, not in the clone", False),
    ],
)
def test_what_detectives_read_of_the_auditor_itself_is_a_reservation(end, is_same):
    fault = {"kind": "own_directory", "sentence": f"look() {end}", "path": "d.py", "line": 4}
    finding = answer("guarded", guarded_evidence=[], state_flow={"faults": [fault]})
    assert (finding.met, finding.has_reservation) == (True, is_same)
    assert finding.reason.endswith(f"every work: look() {end} (d.py:4).") is is_same


@pytest.mark.parametrize("aspect", ["examined", "pictures"])
def test_text_of_a_call_that_did_not_look_is_a_reservation(aspect):
    text = "see reports evidence with found=True also where look() returns “Analysis skipped”."
    rows = [SHOWN, SHOWN | {"text": text}]
    finding = answer(aspect, assumed_evidence=[], assumed_pictures=[], varied_evidence=rows)
    assert (finding.met, finding.has_reservation) == (True, True)
    remark = f" Not counted, as a call may return another text: {text[:-1]} (a.md:3)."
    assert finding.reason.endswith(f" was looked at.{remark}")
    guarded = answer("guarded", guarded_evidence=[], varied_evidence=rows)
    assert guarded.reason.endswith(" with nothing of the work in its content. A fact (a.md:3).")
    without = answer(aspect, assumed_evidence=[], assumed_pictures=[], varied_evidence=[SHOWN])
    assert without.has_reservation is False


def test_pictures_at_which_no_code_looks_are_a_reservation_of_their_check_alone():
    text = f"No code was recognised by which see {NO_PICTURE}"
    rows = [SHOWN | {"text": text}]
    finding = answer("pictures", assumed_pictures=[], varied_evidence=rows)
    assert (finding.met, finding.has_reservation) == (True, True)
    assert finding.reason.endswith(f" was looked at. {text[:-1]} (a.md:3).")
    other = answer("examined", assumed_evidence=[], varied_evidence=rows)
    assert other.has_reservation is False
    assert NO_PICTURE not in answer("guarded", guarded_evidence=[], varied_evidence=rows).reason


@pytest.mark.parametrize(
    ("function", "caught_at", "is_told"),
    [("extract_images", 9, True), ("extract_images", None, False), ("extract_text", 9, False)],
)
def test_pictures_of_a_function_that_fails_are_told_beside_their_fault(
    function, caught_at, is_told
):
    row = {
        "path": "a.py",
        "line": 7,
        "function": function,
        "why": "uses Gone, which nothing defines",
    }
    failing = {"functions": {}, "lines": [{**row, "caught_at": caught_at}]}
    finding = answer("pictures", assumed_pictures=[SHOWN], failing_code=failing)
    words = (
        " Where the pictures come from extract_images(), it may never run: extract_images() uses"
    )
    assert finding.reason.endswith(f"{words} Gone, which nothing defines (a.py:7).") is is_told


def test_evidence_that_is_never_found_is_another_fault():
    text = "look reports evidence with found=False whose own text says “pending”, for every work."
    fault = "Evidence is reported as not found, whatever the work holds."
    assert answer("guarded", guarded_evidence=[SHOWN | {"text": text}]).fault == fault
    assert answer("guarded", guarded_evidence=[SHOWN | {"text": text}, SHOWN]).fault == ""


def test_an_audit_of_a_peer_about_the_work_itself_does_not_meet_the_check():
    peer = {**ROW, "path": "audit/report_onpeer_generated/a.md", "about": "peer"}
    finding = answer("of_peers", own_audits=[ROW, peer])
    assert (finding.met, clue_lines(finding)) == (False, [(peer["path"], 1)])
    other = {**peer, "repository": "bo/other"}
    finding = answer("of_peers", own_audits=[ROW, other])
    assert (finding.met, finding.reason) == (
        True,
        (
            "No committed audit of a peer names or cites this repository as the audited one"
            " (1 audit read)."
        ),
    )


def test_unread_audits_leave_the_audits_of_peers_open():
    assert answer("of_peers", {"own_audits": "too many"}).reason == "too many"


@pytest.mark.parametrize(
    ("agrees", "met", "words"),
    [
        (True, True, "a committed audit gives it"),
        (False, False, "none of the work's own committed audits gives it"),
    ],
)
def test_a_claimed_score_is_held_against_the_audits(agrees, met, words):
    finding = answer("claimed", claimed_scores=[{**CLAIM, "agrees": agrees}])
    assert (finding.met, finding.reason) == (
        met,
        f"An overall score of 4.2/5 is named in README.md; {words}.",
    )
    assert clue_lines(finding) == [("README.md", 9)]


def test_score_of_the_newest_audit_stands_beside_another_one_that_is_claimed():
    rows = [
        {**ROW, "overall": "3.2/5"},
        {**ROW, "path": "old.md", "overall": "2/5", "is_older": True},
    ]
    finding = answer("claimed", claimed_scores=[{**CLAIM, "agrees": False}], own_audits=rows)
    assert finding.reason.endswith(
        f"none of the work's own committed audits gives it: {ROW['path']} gives 3.2/5."
    )


def test_earlier_version_that_gave_a_claimed_score_is_named():
    audit = EarlierAudit("old.md", "a" * 40, "b" * 40, "4.2/5", 4.2, 5.0)
    later_audit = replace(audit, next_commit="c" * 40, overall="3/5", score=3.0)
    history = replace(HISTORY, earlier_audits=(audit, later_audit))
    facts = {"claimed_scores": [{**CLAIM, "agrees": False}]}
    check = OwnOutputs(**CHECK_FIELDS, aspect="claimed")
    finding = KIND.detect(check, Sources(survey=survey(facts=facts), history=history))
    assert finding
    assert finding.reason.endswith(
        "none of the work's own committed audits gives it now: old.md gave 4.2 until commit bbbbbbbb."
    )
    assert finding.fault == "The overall score that is claimed is that of an earlier audit."
    present = {**ROW, "path": "old.md", "overall": "3/5", "score": 3.0}
    sources = Sources(survey=survey(facts=facts | {"own_audits": [present]}), history=history)
    finding = KIND.detect(check, sources)
    assert finding
    assert finding.reason.endswith(": old.md gives 3/5, and gave 4.2 until commit bbbbbbbb.")


def test_newest_audit_with_another_score_than_the_claimed_one_is_a_reservation():
    rows = [
        {**ROW, "path": "old.md", "score": 4.2, "overall": "4.2/5", "is_older": True},
        {**ROW, "overall": "3.2/5"},
    ]
    finding = answer("claimed", claimed_scores=[{**CLAIM, "agrees": True}], own_audits=rows)
    assert finding.reason.endswith(
        f"old.md gives it, and the newest one, {ROW['path']}, gives 3.2/5."
    )
    assert (finding.met, finding.has_reservation) == (True, True)


@pytest.mark.parametrize(
    ("last", "is_reservation"), [("20260302_0100", True), ("20260228", False), ("b", False)]
)
def test_last_audit_is_the_newest_one_however_few_opinions_it_has(last, is_reservation):
    rows = [
        {**ROW, "path": "run_20260301_0900.md", "score": 4.2, "overall": "4.2/5"},
        {**ROW, "path": f"run_{last}.md", "score": 3.2, "overall": "3.2/5"},
    ]
    finding = answer("claimed", claimed_scores=[{**CLAIM, "agrees": True}], own_audits=rows)
    newest = f", and the newest one, run_{last}.md, gives 3.2/5" if is_reservation else ""
    assert finding.reason.endswith(f"run_20260301_0900.md gives it{newest}.")
    assert (finding.met, finding.has_reservation) == (True, is_reservation)


def test_score_that_a_commit_changed_without_the_opinions_is_told():
    version = EarlierAudit("a.md", "a" * 40, "b" * 40, "3.6/5", 3.6, 5.0, edited_to="4.0/5")
    history = replace(HISTORY, earlier_audits=(version, replace(version, edited_to="")))
    check = OwnOutputs(**CHECK_FIELDS, aspect="judged")
    words = (
        " Commit bbbbbbbb changed the overall score of a.md from 3.6/5 to 4.0/5 and left its"
        " opinions as they were."
    )
    for rows in ([], [SHOWN]):
        facts = {"own_audits": [ROW], "audits_without_judgement": rows}
        finding = KIND.detect(check, Sources(survey=survey(facts=facts), history=history))
        assert finding
        assert finding.reason.count(words) == 1


GIVES = [{**ROW, "path": path, "about": "self", "score": 4.2, "maximum": 5.0} for path in "ab"]


@pytest.mark.parametrize(
    ("unjudged", "words", "is_reserved"),
    [
        ([], "a gives it", False),
        (["a"], "b gives it", False),
        (["a", "b"], "a gives it, which does not hold judgements alone", True),
    ],
)
def test_audit_that_gives_a_claimed_score_is_named(unjudged, words, is_reserved):
    finding = answer(
        "claimed",
        claimed_scores=[{**CLAIM, "agrees": True}],
        own_audits=GIVES,
        audits_without_judgement=[{"places": [{"path": path, "line": 1}]} for path in unjudged],
    )
    assert finding.reason == f"An overall score of 4.2/5 is named in README.md; {words}."
    assert (finding.met, finding.has_reservation) == (True, is_reserved)


def test_audit_with_the_claimed_score_is_named_before_those_that_are_rounded_to_it():
    near = {**ROW, "score": 4.23, "maximum": 5.0, "overall": "4.23/5.0"}
    rows = [
        {**near, "path": "near.md"},
        {**near, "path": "same_20260301.md", "score": 4.2, "is_older": True},
        {**near, "path": "same_20260302.md", "score": 4.2, "is_older": True},
    ]
    claims = [{**CLAIM, "text": "Overall score: 4.2/5", "agrees": True}]
    finding = answer("claimed", claimed_scores=claims, own_audits=rows)
    assert "; same_20260302.md gives it" in finding.reason
    finding = answer("claimed", claimed_scores=claims, own_audits=rows[:1])
    assert finding.reason.endswith("; near.md gives it up to rounding, as 4.23/5.0.")


@pytest.mark.parametrize("claims", [[], [{**CLAIM, "agrees": None}]])
def test_claims_that_nothing_can_be_held_against_leave_the_check_open(claims):
    assert answer("claimed", claimed_scores=claims).met is None


def test_each_place_of_a_score_and_each_further_score_is_named():
    on_page = {**CLAIM, "path": None, "line": None, "page": 2, "agrees": False}
    claims = [{**CLAIM, "agrees": False}, on_page, {**on_page, "score": 3.0, "page": 9}]
    peer = {**ROW, "path": "peer.md", "about": "peer", "score": 3.0, "maximum": 5.0}
    finding = answer("claimed", claimed_scores=claims, own_audits=[{**peer, "overall": "3.0/5"}])
    assert finding.reason == (
        "An overall score of 4.2/5 is named in README.md and on page 2 of the report; none of the"
        " work's own committed audits gives it. An overall score of 3/5 is named on page 9 of the"
        " report; none of the work's own committed audits gives it: peer.md, an audit of another"
        " work, gives 3.0/5."
    )


def test_outputs_that_were_not_read_as_audits_are_named_where_a_claim_is_open():
    claims = [{**CLAIM, "agrees": None}]
    finding = answer("claimed", claimed_scores=claims, unread_outputs=["a.json", "b.json"])
    assert finding.reason.endswith(" Not read as audits: a.json and b.json.")


def test_the_reports_claim_answers_what_the_documents_left_open():
    check = OwnOutputs(**CHECK_FIELDS, aspect="claimed")
    in_report = {
        "text": "Overall score: 4.2/5",
        "score": 4.2,
        "maximum": 5.0,
        "page": 2,
        "agrees": False,
    }
    comparison = Comparison(
        pdf=None,
        code={},
        paths=None,
        names=None,
        claims=None,
        diagram=None,
        diagrams=None,
        deferrals=(),
        claimed_scores=(in_report,),
    )
    outcome = CheckOutcome(check="c", met=None, reason="Open.")
    assert KIND.reopens
    assert KIND.reopens(check, outcome, comparison)
    assert KIND.compare
    finding = KIND.compare(check, comparison)
    assert finding is not None
    assert (finding.met, [clue.page for clue in finding.clues]) == (False, [2])
    assert finding.reason == (
        "An overall score of 4.2/5 is named on page 2 of the report;"
        " none of the work's own committed audits gives it."
    )

    listed = "Of 4 scores per criterion on page 3 of the report, 1 is not as in audit/a.md."
    with_list = replace(comparison, claimed_scores=(), listed_scores=listed)
    assert KIND.reopens(check, outcome, with_list)
    open_finding = KIND.compare(check, with_list)
    assert open_finding is not None
    assert open_finding.met is None
    assert open_finding.reason.endswith(listed)
    assert not KIND.reopens(check, outcome, replace(with_list, listed_scores=""))


def test_an_unread_repository_leaves_every_aspect_open():
    failed = ChildFailed("child_died", "git could not read the repository.")
    check = OwnOutputs(**CHECK_FIELDS, aspect="judged")
    assert detected(check, failed).met is None


def test_change_of_the_judges_after_an_audit_is_told_with_it():
    path, judges = "audit/report_onself_generated/a.md", "src/judges.py"
    blank = Commit("c" * 40, (), "Ada", "ada@example.org", "2026-01-01T00:00:00+00:00", "x", 0)
    audit, change, later_change = (
        replace(blank, sha=sha * 40, paths=(name,))
        for sha, name in (("a", path), ("c", judges), ("d", "src/justice.py"))
    )
    fact = {"text": "It fails.", "places": [{"path": path, "line": 3}]}
    prompts = [{"persona": "Defense", "path": judges, "line": 3}]
    # A change of the Chief Justice is none of the judges.
    calls = [{"path": "src/justice.py", "line": 9, "by_judge": False}]
    facts = {"own_audits": [ROW], "audits_without_judgement": [fact]}
    facts |= {"persona_prompts": prompts, "structured_output_calls": calls}
    check = OwnOutputs(**CHECK_FIELDS, aspect="judged")
    orders = ((audit, change, later_change), (change, audit, later_change))
    histories = (History(commits, 3, truncated=False) for commits in orders)
    answers = (
        KIND.detect(check, Sources(survey=survey(facts=facts), history=h)) for h in histories
    )
    reasons = [finding.reason for finding in answers if finding]
    assert reasons == [
        f"It fails ({path}:3). Since this audit src/judges.py has changed, last in cccccccc.",
        f"It fails ({path}:3).",
    ]


def test_audit_that_a_later_one_replaces_is_not_judged():
    path, newer = "audit/report_onself_generated/a.md", "audit/report_onself_generated/b.md"
    blank = Commit("c0", (), "Ada", "ada@example.org", "2026-01-01T00:00:00+00:00", "x", 0)
    commits = tuple(replace(blank, paths=(name,)) for name in (path, newer))
    row = SHOWN | {"places": [{"path": path, "line": 3}]}
    facts = {"own_audits": [ROW, {**ROW, "path": newer}], "audits_without_judgement": [row]}
    check = OwnOutputs(**CHECK_FIELDS, aspect="judged")
    answers = [
        KIND.detect(check, Sources(survey=survey(facts=facts), history=history))
        for history in (History(commits, 2, truncated=False), HISTORY)
    ]
    assert [finding and finding.met for finding in answers] == [True, False]
    assert answers[0]
    assert [clue.path for clue in answers[0].clues] == [newer]
