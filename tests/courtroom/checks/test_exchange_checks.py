"""Feedback and communication, answered by the repository, by the site that keeps the rounds, or by both."""

import pytest

from courtroom.checks import communication_log, feedback_log
from courtroom.checks.communication_log import CommunicationLog
from courtroom.checks.feedback_log import (
    NO_DEBTS,
    NONE_RECEIVED,
    NONE_STATED,
    NOT_IN_FILES,
    FeedbackLog,
)
from courtroom.checks.from_peer_records import RECORDS
from courtroom.checks.result import Clue, absent, could_not_look, present
from courtroom.models.facts import NO_SITE, establish
from courtroom.models.project_facts import EntryCounts, ExchangeFact, RelevanceFact
from courtroom.replay.stored_checks import try_check
from tests.courtroom.synthesis.bench_records import bench, criterion, piece, rubric, verdict

THERE = present("Found in 1 place: it.", [Clue("There.", "The tree has it.", path="audit/a.md")])
NOT_THERE = absent("Not found: it.", "Looked for it.")
UNREAD = could_not_look("The sources could not be read.")
SITE = ExchangeFact(
    generated=2,
    self_=1,
    received=3,
    findings_received=10,
    answered=8,
    fixed=5,
    fixes_verified=4,
    deferred=2,
    contested=1,
    entries=EntryCounts(progress=3, blocker=1),
    relevance=RelevanceFact(stated=6, with_place=5, confirmed=3, duplicates=2),
)
NOTHING = ExchangeFact()
CONFIRMED = "findings stated about peers are confirmed by the site's audit"


def feedback(aspect, **fields):
    return FeedbackLog(id="c", goal="g", aspect=aspect, **fields)


def with_records(check, finding, exchange):
    module = feedback_log if isinstance(check, FeedbackLog) else communication_log
    return module.with_records(check, finding, exchange)


def statements(finding):
    return [clue.statement for clue in finding.clues]


@pytest.mark.parametrize("expected", [THERE, NOT_THERE, UNREAD])
@pytest.mark.parametrize("check", [feedback("received"), CommunicationLog(id="c", goal="g")])
def test_without_a_site_the_repository_alone_answers(check, expected):
    assert with_records(check, expected, None) is expected


@pytest.mark.parametrize(
    ("aspect", "sentence"),
    [
        ("generated", "The site keeps 2 reports on peers."),
        ("self", "The site keeps 1 report of the student's own auditor on itself."),
        ("received", "The site keeps 3 reports by peers."),
        ("exchanged", "The site keeps 2 reports on peers and 3 reports by peers."),
        ("deferred", "The site keeps 2 findings put off with a reason."),
    ],
)
@pytest.mark.parametrize("expected", [NOT_THERE, UNREAD])
def test_what_the_repository_lacks_the_site_may_know(aspect, sentence, expected):
    answer = with_records(feedback(aspect), expected, SITE)
    assert (answer.met, answer.reason, statements(answer)) == (True, sentence, [sentence])
    assert answer.clues[0].rationale == RECORDS


def test_evidence_of_both_is_shown_where_both_know():
    answer = with_records(feedback("received"), THERE, SITE)
    assert (answer.met, statements(answer)) == (
        True,
        ["The site keeps 3 reports by peers.", "The tree has it."],
    )


def test_the_repository_still_answers_where_the_site_knows_of_nothing():
    assert with_records(feedback("received"), THERE, NOTHING) is THERE
    assert with_records(feedback("received"), UNREAD, NOTHING) is UNREAD


def test_what_neither_knows_is_absent_in_both():
    answer = with_records(feedback("exchanged"), NOT_THERE, NOTHING)
    assert (answer.met, answer.reason) == (
        False,
        "Not found: it. The site keeps 0 reports on peers and 0 reports by peers.",
    )
    assert statements(answer) == [
        "Looked for it.",
        "The site keeps 0 reports on peers and 0 reports by peers.",
    ]


@pytest.mark.parametrize(
    ("about", "minimum", "met"),
    [("anything", 4, True), ("anything", 5, False), ("blocker", 1, True), ("design", 1, False)],
)
def test_entries_on_the_site_are_not_added_to_those_of_a_file_that_may_be_the_same(
    about, minimum, met
):
    check = CommunicationLog(id="c", goal="g", about=about, minimum=minimum)
    assert with_records(check, NOT_THERE, SITE).met is met


@pytest.mark.parametrize(
    ("aspect", "share", "met"),
    [
        ("answered", 0.8, True),
        ("answered", 0.81, False),
        ("answered", None, False),
        ("fixed", 0.5, True),
        ("fixed", 0.6, False),
        ("relevant", 0.5, True),
        ("relevant", 0.51, False),
    ],
)
def test_a_share_is_enough_from_what_the_check_asks_for(aspect, share, met):
    assert with_records(feedback(aspect, share=share), UNREAD, SITE).met is met


def test_a_share_is_told_with_what_it_is_made_of():
    answers = [
        with_records(feedback(a, share=0.5), UNREAD, SITE)
        for a in ("answered", "fixed", "relevant")
    ]
    assert [statements(answer) for answer in answers] == [
        [
            "8 of 10 findings received are answered, 2 of them deferred and 1 contested with a reason."
        ],
        ["5 of 10 findings received are fixed, 4 of them in a commit that was looked at."],
        [f"3 of 6 {CONFIRMED}, 5 of them with file and line; 2 repetitions do not count."],
    ]
    assert answers[0].reason == "Of 10 findings received, 8 are answered; 50 % are required."


def test_a_share_of_none_is_looked_for_and_not_found():
    answer = with_records(feedback("answered", share=0.5), THERE, ExchangeFact(findings_received=4))
    assert (answer.met, len(answer.clues)) == (False, 1)


@pytest.mark.parametrize("polarity", ["positive", "negative"])
def test_a_check_that_counts_against_a_criterion_is_met_where_it_does_not_hold(polarity):
    positive = polarity == "positive"
    nowhere = absent("Not found: it.", "Looked for it.", met=not positive)
    assert with_records(feedback("received", polarity=polarity), nowhere, SITE).met is positive
    assert (
        with_records(feedback("received", polarity=polarity), nowhere, NOTHING).met is not positive
    )
    assert (
        with_records(feedback("fixed", share=0.5, polarity=polarity), UNREAD, SITE).met is positive
    )


@pytest.mark.parametrize("aspect", ["answered", "fixed"])
def test_what_has_no_findings_to_be_measured_by_is_open(aspect):
    assert with_records(feedback(aspect), UNREAD, NOTHING) is UNREAD
    assert outcome_on(stored(**reports()), aspect).reason == NONE_RECEIVED


def test_what_no_auditor_stated_is_open():
    assert with_records(feedback("relevant"), UNREAD, NOTHING).reason == NONE_STATED


@pytest.mark.parametrize("aspect", ["answered", "fixed"])
@pytest.mark.parametrize("polarity", ["positive", "negative"])
def test_a_report_without_a_finding_leaves_nothing_to_answer(aspect, polarity):
    check = feedback(aspect, share=0.8, polarity=polarity)
    without = ExchangeFact(received=1).model_dump(mode="json", by_alias=True)
    for document in (stored(**reports(received=["a.md"])), stored(**reports(), exchange=without)):
        outcome = try_check(check, document).outcome
        assert (outcome.met, outcome.reason) == (polarity == "positive", NO_DEBTS)


def test_findings_in_the_repository_are_owed_where_the_site_knows_of_none():
    without = ExchangeFact(received=1).model_dump(mode="json", by_alias=True)
    document = stored(**reports(received=["a.md"], findings=2), exchange=without)
    assert outcome_on(document, "answered", share=0.8).met is False
    assert outcome_on(document, "fixed", share=0.5).reason == NOT_IN_FILES


@pytest.mark.parametrize(
    ("answered", "owed", "share", "met"),
    [
        (4, 5, 0.8, True),
        (8, 10, 0.8, True),
        (12, 15, 0.8, True),
        (79, 100, 0.8, False),
        (7, 9, 0.8, False),
        (7, 10, 0.7, True),
        (29, 100, 0.29, True),
        (1, 1000, 0, True),
        (0, 5, 0, False),
        (5, 5, None, True),
        (4, 5, None, False),
    ],
)
def test_a_share_is_as_it_is_written(answered, owed, share, met):
    rows = [{"path": "docs/a.md", "line": 4, "findings": list(range(answered))}]
    document = stored(**reports(received=["a.md"], findings=owed, answers=rows[:answered]))
    assert outcome_on(document, "answered", share=share).met is met
    on_site = ExchangeFact(received=1, findings_received=owed, answered=answered)
    assert with_records(feedback("answered", share=share), UNREAD, on_site).met is met


def test_a_finding_that_is_answered_twice_is_answered_once():
    row = {"path": "docs/a.md", "line": 4, "findings": [0]}
    document = stored(**reports(received=["a.md"], findings=2, answers=[row, row | {"line": 9}]))
    assert outcome_on(document, "answered").reason == (
        "Of 2 findings received, 1 is answered; 100 % are required."
    )


@pytest.mark.parametrize("aspect", ["received", "exchanged", "answered"])
def test_a_report_that_cannot_be_read_leaves_open_what_was_received(aspect):
    pdf = "audit/report_bypeer_received/r.pdf"
    outcome = outcome_on(stored(**reports(unread=[pdf])), aspect)
    assert (outcome.met, pdf in outcome.reason) == (None, True)
    assert outcome_on(stored(**reports(unread=[pdf])), "generated").met is (
        None if aspect == "generated" else False
    )


def test_answers_in_a_file_count_where_the_site_knows_of_no_finding_and_not_against_what_it_knows():
    assert with_records(feedback("answered"), THERE, NOTHING) is THERE
    assert with_records(feedback("answered"), THERE, SITE).met is False


# -- on a stored report ---------------------------------------------------------------------------

NO_FILES: dict[str, list[str]] = {"generated": [], "self": [], "received": []}


def stored(**facts):
    facts_dump = establish(facts, {}).model_dump(mode="json", by_alias=True)
    return {"facts": facts_dump, "commit": "c0ffee", "pdf_sha256": None}


def reports(*, findings=0, answers=(), **minmax):
    """Facts of reports in the repository, by their kinds and what they hold."""
    owed = [{"path": "a.md", "line": n + 1, "text": f"Finding {n}"} for n in range(findings)]
    return {
        "minmax": NO_FILES | minmax,
        "received_findings": owed,
        "written_answers": list(answers),
        "file_count": 3,
    }


def outcome_on(document, aspect, **fields):
    return try_check(feedback(aspect, **fields), document).outcome


def test_a_stored_report_answers_from_both():
    document = stored(
        minmax=NO_FILES, file_count=3, exchange=SITE.model_dump(mode="json", by_alias=True)
    )
    assert outcome_on(document, "received").met is True
    assert outcome_on(document, "answered", share=0.8).met is True


def test_a_stored_report_without_a_site_says_that_no_file_tells_it():
    document = stored(**reports(received=["a.md"], findings=1))
    assert outcome_on(document, "fixed").reason == NOT_IN_FILES
    assert outcome_on(document, "relevant").reason == NOT_IN_FILES


def test_answers_written_down_are_shown_at_their_lines_and_commits():
    answers = [
        {"path": "docs/a.md", "line": 4, "findings": [0]},
        {"commit": "beef", "text": "Peer feedback: timeout", "findings": [1]},
    ]
    document = stored(**reports(received=["a.md"], findings=2, answers=answers))
    places = [e.location for e in try_check(feedback("answered"), document).evidence]
    assert [(p.path, p.line_start, p.commit) for p in places] == [
        ("docs/a.md", 4, "c0ffee"),
        (None, None, "beef"),
    ]


@pytest.mark.parametrize("aspect", ["scored", "placed", "argued", "planned"])
def test_what_reports_on_peers_hold_is_known_by_repository_or_site(aspect):
    own = stored(**reports(generated=["a.md"], **{aspect: ["a.md"]}))
    on_site = ExchangeFact(generated=1, **{aspect: 1}).model_dump(mode="json", by_alias=True)
    assert outcome_on(own, aspect).met is True
    assert outcome_on(stored(**reports(), exchange=on_site), aspect).met is True
    assert outcome_on(stored(**reports(generated=["a.md"])), aspect).met is False


# -- No Exchange ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "excluded"),
    [
        ({"minmax": NO_FILES}, True),
        ({"minmax": NO_FILES, "exchange": NOTHING.model_dump(by_alias=True)}, True),
        ({"minmax": NO_FILES, "exchange": SITE.model_dump(by_alias=True)}, False),
        ({"minmax": NO_FILES | {"received": ["audit/a.md"]}}, False),
        ({"minmax": NO_FILES | {"generated": ["audit/a.md"]}}, True),
        ({"minmax": NO_FILES, "exchange": {"generated": 2}}, True),
        ({"minmax": NO_FILES, "exchange": {"received": 1}}, False),
        ({"minmax": NO_FILES | {"unread": ["audit/bypeer_received/r.pdf"]}}, False),
        ({"minmax": NO_FILES | {"unread": ["audit/onpeer/r.pdf"]}}, True),
        ({"exchange": NOTHING.model_dump(by_alias=True)}, False),
        ({}, False),
    ],
)
def test_no_exchange_follows_from_the_facts_without_a_check_and_whatever_the_judges_say(
    facts, excluded
):
    neutral = piece()
    exchange_rubric = rubric(criterion("quality", exclude_when="no_exchange"), criterion("other"))
    said_by_all = [*bench((1, 1, 1), neutral), *bench((3, 3, 3), neutral, on="other")]
    judged = verdict(
        "default",
        said_by_all,
        evidence=(neutral,),
        rubric_=exchange_rubric,
        facts=establish(facts, {}),
    )
    assert judged.criteria[0].excluded is excluded


def test_what_the_site_knows_can_be_replaced_in_a_dossier_and_taken_away():
    facts_dump = establish({}, {}).with_exchange(SITE)
    assert (facts_dump.exchange, "exchange" in facts_dump.unknown) == (SITE, False)
    assert facts_dump.with_exchange(None).unknown["exchange"] == NO_SITE
