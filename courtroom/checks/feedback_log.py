"""The kind `feedback_log`: was feedback exchanged with peers, and what became of it.

It is looked for in the repository, in the report and in the records of a site that keeps the
rounds of peers. Shares are of what the site knows: no file holds them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from courtroom.checks.fault_words import matching
from courtroom.checks.from_peer_records import RECORDS, with_site_records
from courtroom.checks.from_report import as_read
from courtroom.checks.from_sources import finding_at_locations, on_survey
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import number_of
from courtroom.checks.result import ONLY_WORDS, Clue, Finding, absent, could_not_look, present
from courtroom.models.check import CheckBase
from courtroom.models.errors import ExaminationFailed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from courtroom.analysis.git.history import History
    from courtroom.analysis.survey import Survey
    from courtroom.checks.sources import Comparison, Sources
    from courtroom.models.evidence import CheckOutcome
    from courtroom.models.project_facts import ExchangeFact
    from courtroom.replay.stored_report import StoredReport

NONE_RECEIVED = "The site knows of no finding that was received."
NONE_STATED = "The site knows of no finding that the student's own auditor stated about a peer."
PUTS_OFF = "Puts work off, with a reason."


class FeedbackLog(CheckBase):
    """Audits of peers, of oneself, by peers, or either way; `deferred`: work put off with a stated reason.

    Each is looked for in the repository, and among what the site knows that keeps the rounds of peers. Of what is
    known there, `share` (all, when null) is asked: of the findings received that are `answered` (where the site knows
    of none: that answers are written down in the repository) or `fixed`, or of those that the student's own auditor
    stated about peers, that the site's audit confirms (`relevant`).
    """

    kind: Literal["feedback_log"] = "feedback_log"
    aspect: Literal[
        "generated",
        "self",
        "received",
        "exchanged",
        "deferred",
        "answered",
        "fixed",
        "relevant",
    ]
    share: float | None = Field(default=None, gt=0, le=1)


def _detect(check: FeedbackLog, sources: Sources) -> Finding:
    finding = on_survey(sources, lambda survey: logs_in_repository(check, survey))
    # Work may be put off in the message of a commit as well as in a file.
    if check.aspect == "deferred" and finding.met is False:
        finding = deferred_in_commits(sources.history) or finding
    return with_records(check, finding, sources.exchange)


def logs_in_repository(check: FeedbackLog, survey: Survey) -> Finding:
    if check.aspect == "answered":
        finding = finding_at_locations(check, survey, "written answers to feedback")
    else:
        finding = finding_at_locations(check, survey, f"feedback on record ({check.aspect})")
    # What is answered or put off stands in the author's words, and nothing else shows it.
    is_written = check.aspect in ("answered", "deferred") and any(c.path for c in finding.clues)
    return as_read(finding, ONLY_WORDS) if is_written else finding


def deferred_in_commits(history: History | ExaminationFailed | None) -> Finding | None:
    """Commits that put work off with a reason; None when there are none to show."""
    from courtroom.analysis.project.commit_pace import deferrals_of
    from courtroom.checks.commit_history import commit_clue

    if history is None or isinstance(history, ExaminationFailed):
        return None
    deferring = {deferral["commit"] for deferral in deferrals_of(history)}
    clues = [commit_clue(c, PUTS_OFF) for c in history.commits if c.sha in deferring]
    if not clues:
        return None
    return as_read(present(_deferring_commits(len(clues)), clues), ONLY_WORDS)


def _deferring_commits(count: int) -> str:
    return f"{count} commits put work off with a reason."


def _reopens(check: FeedbackLog, outcome: CheckOutcome, comparison: Comparison) -> bool:
    """The repository does not put work off with a reason, but the report does."""
    return check.aspect == "deferred" and bool(comparison.deferrals) and not outcome.met


def _compare(check: FeedbackLog, comparison: Comparison) -> Finding | None:
    if check.aspect != "deferred" or not comparison.deferrals:
        return None
    clues = [
        Clue(PUTS_OFF, deferral.text, page=deferral.page, confidence=ONLY_WORDS)
        for deferral in comparison.deferrals
    ]
    return present(f"The report puts work off with a reason in {len(clues)} places.", clues)


def with_records(
    check: FeedbackLog, in_repository: Finding, exchange: ExchangeFact | None
) -> Finding:
    """The answer of repository and site; without a site, the repository's."""
    if exchange is None:
        return in_repository
    if check.aspect == "relevant":
        return _relevant(check, exchange)
    if check.aspect in ("answered", "fixed"):
        return _of_findings_received(check, in_repository, exchange)
    return with_site_records(check, in_repository, *_site_entries(check.aspect, exchange))


def _site_entries(aspect: str, exchange: ExchangeFact) -> tuple[int, str]:
    """The number of entries that the site keeps, and a phrase for them."""
    on_peers = number_of(exchange.generated, "report") + " on peers"
    by_peers = number_of(exchange.received, "report") + " by peers"
    on_self = number_of(exchange.self_, "report") + " of the student's own auditor on itself"
    deferred = number_of(exchange.deferred, "finding") + " put off with a reason"
    return {
        "generated": (exchange.generated, on_peers),
        "self": (exchange.self_, on_self),
        "received": (exchange.received, by_peers),
        "exchanged": (exchange.generated + exchange.received, f"{on_peers} and {by_peers}"),
        "deferred": (exchange.deferred, deferred),
    }[aspect]


def _of_findings_received(
    check: FeedbackLog, in_repository: Finding, exchange: ExchangeFact
) -> Finding:
    """A share of the findings received.

    Where the site knows of none, answers that are written down in the repository still count.
    """
    if not exchange.findings_received:
        return in_repository if check.aspect == "answered" else could_not_look(NONE_RECEIVED)
    if check.aspect == "answered":
        count = exchange.answered
        detail = (
            f"{exchange.deferred} of them deferred and {exchange.contested} contested with a reason"
        )
    else:
        count = exchange.fixed
        detail = f"{exchange.fixes_verified} of them in a commit that was looked at"
    return _share(check, count, exchange.findings_received, "findings received", detail)


def _relevant(check: FeedbackLog, exchange: ExchangeFact) -> Finding:
    relevance = exchange.relevance
    if relevance is None or not relevance.stated:
        return could_not_look(NONE_STATED)
    detail = (
        f"{relevance.with_place} of them with file and line;"
        f" {relevance.duplicates} repetitions do not count"
    )
    subject = "findings stated about peers"
    return _share(check, relevance.confirmed, relevance.stated, subject, detail)


def _share(check: FeedbackLog, part: int, whole: int, subject: str, detail: str) -> Finding:
    required = 1.0 if check.share is None else check.share
    state = "confirmed by the site's audit" if check.aspect == "relevant" else check.aspect
    reason = f"Of {whole} {subject}, {part} are {state}; {required * 100:g} % are required."
    statement = f"{part} of {whole} {subject} are {state}, {detail}."

    # For a negative check the share counts against the criterion.
    met = (part / whole >= required) == check.is_positive
    # With nothing to show, the evidence says what was counted.
    if not part:
        return absent(reason, statement, met=met)
    return present(reason, [Clue(rationale=RECORDS, statement=statement)], met=met)


def _replay(check: FeedbackLog, report: StoredReport) -> Finding:
    return with_records(check, _in_stored_repository(check, report), report.exchange)


def _in_stored_repository(check: FeedbackLog, report: StoredReport) -> Finding:
    from courtroom.analysis.project.log_locations import (
        NOT_IN_FILES,
        fact_behind,
        locations_behind,
    )

    name = fact_behind(check.aspect)
    if name is None:
        return could_not_look(NOT_IN_FILES)
    fact = report.fact(name)
    if fact is None:
        return report.unknown(name)

    locations = locations_behind(check.aspect, fact)
    # Work put off in commits or in the report has no place in the tree.
    if name == "deferrals" and fact and not locations:
        return present(_deferring_commits(len(fact)), [_deferral_clue(d) for d in fact])
    return logs_in_repository(check, report.survey({check.id: tuple(locations)}))


def _deferral_clue(deferral: Mapping[str, Any]) -> Clue:
    return Clue(
        rationale=PUTS_OFF,
        statement=str(deferral["text"]),
        commit=deferral.get("commit"),
        page=deferral.get("page"),
        confidence=ONLY_WORDS,
    )


# Where an aspect is not there, and where it is.
FAULTS: dict[str, tuple[str, str]] = {
    "generated": ("No report on a peer is on record.", "A report on a peer is on record."),
    "self": ("No report of the work on itself is on record.", "The work reports on itself."),
    "received": ("No report by a peer is on record.", "A report by a peer is on record."),
    "exchanged": ("No feedback was exchanged.", "Feedback was exchanged."),
    "deferred": ("No work is put off with a stated reason.", PUTS_OFF),
    "answered": (
        "Too few findings that were received have an answer on record.",
        "Too many findings that were received have an answer on record.",
    ),
    "fixed": (
        "Too few findings that were received are fixed.",
        "Too many findings that were received are fixed.",
    ),
    "relevant": (
        "Too few findings stated about peers are confirmed.",
        "Too many findings stated about peers are confirmed.",
    ),
}


def _fault(check: FeedbackLog) -> str:
    return matching(check.is_positive, *FAULTS[check.aspect])


KIND = CheckKind(
    model=FeedbackLog,
    detective="RepoInvestigator",
    detect=_detect,
    search="courtroom.analysis.code_search:find_feedback",
    compare=_compare,
    reopens=_reopens,
    replay=_replay,
    reads_peer_records=True,
    fault=_fault,
    label=Label(
        title="Feedback on record",
        about=(
            "Reports on peers, on oneself, by peers, and what became of their findings:"
            " in the repository or on the site."
        ),
        fields={"share": "Share at least"},
        help={
            "share": "Of what is answered, fixed or relevant: between 0 and 1. Empty: all of it."
        },
        choices={
            "generated": "there are reports on peers",
            "self": "there is a report on oneself",
            "received": "there are reports by peers",
            "exchanged": "feedback was given or received",
            "deferred": "work is put off with a reason",
            "answered": "findings that were received are answered",
            "fixed": "findings that were received are fixed",
            "relevant": "findings stated about peers are confirmed",
        },
    ),
    concern="effort",
    order=180,
)
