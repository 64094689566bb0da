"""The kind `feedback_log`: was feedback exchanged with peers, and what became of it.

Its facts are those of the repository, where a report is what can be read as one, and the records of
a site that keeps the rounds of peers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from courtroom.checks.fault_words import matching
from courtroom.checks.from_peer_records import RECORDS, with_site_records
from courtroom.checks.from_report import as_read
from courtroom.checks.from_sources import location_clue, on_survey
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import more_of_this_kind, number_of, place_of
from courtroom.checks.result import ONLY_WORDS, Clue, Finding, absent, could_not_look, present
from courtroom.models.check import CheckBase
from courtroom.models.errors import ExaminationFailed
from courtroom.models.project_facts import ExchangeFact

if TYPE_CHECKING:
    from courtroom.analysis.git.history import History
    from courtroom.analysis.locations import SourceLocation
    from courtroom.analysis.survey import Survey
    from courtroom.checks.sources import Comparison, Sources
    from courtroom.models.evidence import CheckOutcome
    from courtroom.replay.stored_report import StoredReport

JsonFacts = Mapping[str, Any]

NOT_IN_FILES = (
    "Files can't show this. Only a site that keeps the peer rounds knows it, and none took part."
)
NONE_RECEIVED = "No report by a peer was received, so there is no finding to answer."
NO_DEBTS = "No report that was received has a finding, so nothing is left to answer or to fix."
NONE_STATED = "The site knows of no finding that the student's own auditor stated about a peer."
PUTS_OFF = "Puts work off, with a reason."
# The fact that decides most aspects is `minmax`.
FACTS_BEHIND = {
    "deferred": ("deferrals",),
    "answered": ("minmax", "received_findings", "written_answers"),
    "fixed": ("minmax", "received_findings"),
}
# Aspects of the reports on peers by what these hold.
CONTENTS = {
    "scored": "with scores",
    "placed": "with files or lines",
    "argued": "with the views of several judges",
    "planned": "with changes to make",
}
SUBJECTS = {
    "generated": "a report on a peer",
    "self": "a report on the own work",
    "received": "a report by a peer",
    "exchanged": "a report on or by a peer",
    **{aspect: f"a report on a peer {contents}" for aspect, contents in CONTENTS.items()},
}
# Kinds of reports behind the other aspects; all others are about the reports on peers.
KINDS_BEHIND = {
    "self": ("self",),
    "received": ("received",),
    "answered": ("received",),
    "fixed": ("received",),
    "exchanged": ("generated", "received"),
}


class FeedbackLog(CheckBase):
    """Reports on peers, on oneself, by peers, or either way, that can be read as such; what those on peers hold
    (`scored`, `placed`, `argued`, `planned`); `deferred`: work put off with a stated reason.

    `share` (all, when null; 0 is at least one) is asked of the findings received that are `answered` or `fixed`, or of
    those that the student's own auditor stated about peers, that the site's audit confirms (`relevant`).
    """

    kind: Literal["feedback_log"] = "feedback_log"
    aspect: Literal[
        "generated",
        "self",
        "received",
        "exchanged",
        "scored",
        "placed",
        "argued",
        "planned",
        "deferred",
        "answered",
        "fixed",
        "relevant",
    ]
    share: float | None = Field(default=None, ge=0, le=1)


def _detect(check: FeedbackLog, sources: Sources) -> Finding:
    from courtroom.analysis.project.feedback_answers import with_commits

    def answer(survey: Survey) -> Finding:
        facts = with_commits(survey.facts, sources.history)
        return in_repository(check, facts, survey.reasons)

    finding = on_survey(sources, answer)
    # Work may be put off in the message of a commit as well as in a file.
    if check.aspect == "deferred" and finding.met is False:
        finding = deferred_in_commits(sources.history) or finding
    return with_records(check, finding, sources.exchange)


def is_received(facts: JsonFacts) -> bool | None:
    """Return whether a report by a peer is in the repository or on the site; None: not known.

    `facts` are all of a report, as JSON. The check on received reports answers the same.
    """
    check = FeedbackLog(id="received", goal="A report by a peer", aspect="received")
    exchange = facts.get("exchange")
    known = None if exchange is None else ExchangeFact.model_validate(exchange)
    return with_records(check, in_repository(check, facts, facts["unknown"]), known).met


# -- in the repository ---------------------------------------------------------------------------


def in_repository(check: FeedbackLog, facts: JsonFacts, reasons: Mapping[str, str]) -> Finding:
    """The answer from the facts of the repository; `reasons` say why a fact is null."""
    if check.aspect == "relevant":
        return could_not_look(NOT_IN_FILES)

    names = FACTS_BEHIND.get(check.aspect, ("minmax",))
    unknown = next((name for name in names if facts.get(name) is None), None)
    if unknown:
        why = reasons.get(unknown, f"The report does not hold the fact {unknown}.")
        return could_not_look(why)
    match check.aspect:
        case "deferred":
            return _deferred(check, facts)
        case "answered" | "fixed":
            return _became(check, facts)
    return _on_record(check, facts)


def _on_record(check: FeedbackLog, facts: JsonFacts) -> Finding:
    from courtroom.analysis.project.log_locations import report_locations

    locations = report_locations(check.aspect, facts["minmax"])
    unread = _unread(check.aspect, facts["minmax"])
    if unread and not locations:
        return could_not_look(unread)
    return _at_locations(check, locations, SUBJECTS[check.aspect], facts["file_count"])


def _at_locations(
    check: FeedbackLog, locations: Sequence[SourceLocation], subject: str, file_count: int
) -> Finding:
    if not locations:
        files = number_of(file_count, "file")
        searched = f"Looked for {subject} among the {files} of the repository: there is none."
        missing = f"No file of the repository holds {subject}."
        return absent(missing, searched, met=not check.is_positive)
    place = place_of(locations[0].path, locations[0].line_start)
    more = more_of_this_kind(len(locations) - 1)
    clues = [location_clue(location) for location in locations]
    return present(f"{place} holds {subject}.{more}", clues, met=check.is_positive)


def _unread(aspect: str, reports: Mapping[str, Sequence[str]]) -> str:
    """Return why nothing is known of reports of this aspect; "" where all were read."""
    from courtroom.analysis.project.audit_folders import kind_of

    wanted = KINDS_BEHIND.get(aspect, ("generated",))
    paths = [path for path in reports.get("unread", ()) if kind_of(path) in wanted]
    if not paths:
        return ""
    return (
        f"A report may be in {paths[0]}, which cannot be read here."
        " Commit the Markdown or JSON that it was made from."
    )


def _deferred(check: FeedbackLog, facts: JsonFacts) -> Finding:
    from courtroom.analysis.project.log_locations import deferral_locations

    locations = deferral_locations(facts["deferrals"])
    # Work put off in commits or in the report has no place in the tree.
    if facts["deferrals"] and not locations:
        clues = [_deferral_clue(deferral) for deferral in facts["deferrals"]]
        return present(_deferring_commits(len(clues)), clues)
    finding = _at_locations(check, locations, "work put off with a reason", facts["file_count"])
    # It stands in the author's words, and nothing else shows it.
    return as_read(finding, ONLY_WORDS) if locations else finding


def _became(check: FeedbackLog, facts: JsonFacts) -> Finding:
    """The share of the findings of received reports that are answered; `fixed` no file tells."""
    reports, findings = facts["minmax"], facts["received_findings"]
    if not reports["received"]:
        return could_not_look(_unread(check.aspect, reports) or NONE_RECEIVED)
    if not findings:
        clues = [Clue(NO_DEBTS, f"The tree has {path}.", path) for path in reports["received"]]
        return present(NO_DEBTS, clues, met=check.is_positive)
    if check.aspect == "fixed":
        return could_not_look(NOT_IN_FILES)

    rows = facts["written_answers"]
    answered = {number for row in rows for number in row["findings"]}
    clues = [_answer_clue(row) for row in rows if row["findings"]]
    detail = "as far as the repository names them and says what was done"
    return _share(check, len(answered), len(findings), "findings received", detail, clues)


def _answer_clue(row: Mapping[str, Any]) -> Clue:
    count = number_of(len(row["findings"]), "finding")
    line = row.get("line")
    return Clue(
        rationale=f"Answers {count} that was received."
        if len(row["findings"]) == 1
        else f"Answers {count} that were received.",
        statement=str(row["text"]) if row.get("commit") else None,
        path=row.get("path"),
        line_start=line,
        line_end=line,
        commit=row.get("commit"),
        confidence=ONLY_WORDS,
    )


def deferred_in_commits(history: History | ExaminationFailed | None) -> Finding | None:
    """Commits that put work off with a reason; None when there are none to show."""
    from courtroom.analysis.project.commit_pace import deferrals_of
    from courtroom.checks.commit_messages import commit_clue

    if history is None or isinstance(history, ExaminationFailed):
        return None
    deferring = {deferral["commit"] for deferral in deferrals_of(history)}
    clues = [commit_clue(c, PUTS_OFF) for c in history.commits if c.sha in deferring]
    if not clues:
        return None
    return as_read(present(_deferring_commits(len(clues)), clues), ONLY_WORDS)


def _deferring_commits(count: int) -> str:
    return f"{count} commits put work off with a reason."


def _deferral_clue(deferral: Mapping[str, Any]) -> Clue:
    return Clue(
        rationale=PUTS_OFF,
        statement=str(deferral["text"]),
        commit=deferral.get("commit"),
        page=deferral.get("page"),
        confidence=ONLY_WORDS,
    )


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


# -- with the records of a site ------------------------------------------------------------------


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
    if aspect in CONTENTS:
        count = getattr(exchange, aspect)
        return count, f"{number_of(count, 'report')} on peers {CONTENTS[aspect]}"
    return {
        "generated": (exchange.generated, on_peers),
        "self": (
            exchange.self_,
            number_of(exchange.self_, "report") + " of the student's own auditor on itself",
        ),
        "received": (exchange.received, by_peers),
        "exchanged": (exchange.generated + exchange.received, f"{on_peers} and {by_peers}"),
        "deferred": (
            exchange.deferred,
            number_of(exchange.deferred, "finding") + " put off with a reason",
        ),
    }[aspect]


def _of_findings_received(
    check: FeedbackLog, in_repository: Finding, exchange: ExchangeFact
) -> Finding:
    """A share of the findings received, as the site knows them, or else the repository."""
    if exchange.findings_received:
        return _of_findings_on_site(check, exchange)
    # The repository may still hold findings that nobody but a person can see fixed.
    is_owed = in_repository.has_failed or in_repository.reason == NOT_IN_FILES
    if exchange.received and in_repository.met is None and not is_owed:
        by_peers = number_of(exchange.received, "report") + " by peers"
        clue = Clue(RECORDS, f"The site keeps {by_peers} without a finding.")
        return present(NO_DEBTS, [clue], met=check.is_positive)
    return in_repository


def _of_findings_on_site(check: FeedbackLog, exchange: ExchangeFact) -> Finding:
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


def _share(
    check: FeedbackLog,
    part: int,
    whole: int,
    subject: str,
    detail: str,
    clues: Sequence[Clue] | None = None,
) -> Finding:
    """Finding on a share; without `clues` the site's records are the evidence."""
    # As written: 0.8 is four fifths.
    required = Fraction(1 if check.share is None else str(check.share))
    outcome = "confirmed by the site's audit" if check.aspect == "relevant" else check.aspect
    state = f"{'is' if part == 1 else 'are'} {outcome}"
    share = f"{float(required * 100):g} % are" if required else "at least 1 is"
    reason = f"Of {whole} {subject}, {part} {state}; {share} required."
    statement = f"{part} of {whole} {subject} {state}, {detail}."

    # For a negative check the share counts against the criterion.
    met = (part > 0 and Fraction(part, whole) >= required) == check.is_positive
    # With nothing to show, the evidence says what was counted.
    if not part:
        return absent(reason, statement, met=met)
    records = [Clue(rationale=RECORDS, statement=statement)] if clues is None else clues
    return present(reason, records, met=met)


def _replay(check: FeedbackLog, report: StoredReport) -> Finding:
    finding = in_repository(check, report.facts, report.facts["unknown"])
    return with_records(check, finding, report.exchange)


# Where an aspect is not there, and where it is.
FAULTS: dict[str, tuple[str, str]] = {
    "generated": ("No report on a peer is on record.", "A report on a peer is on record."),
    "self": ("No report of the work on itself is on record.", "The work reports on itself."),
    "received": ("No report by a peer is on record.", "A report by a peer is on record."),
    "exchanged": ("No feedback was exchanged.", "Feedback was exchanged."),
    **{
        aspect: (f"No report on a peer {contents} is on record.", f"A report on a peer {contents}.")
        for aspect, contents in CONTENTS.items()
    },
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
            "share": (
                "Of what is answered, fixed or relevant: between 0 and 1."
                " 0: at least one. Empty: all of it."
            )
        },
        choices={
            "generated": "there are reports on peers",
            "self": "there is a report on oneself",
            "received": "there are reports by peers",
            "exchanged": "feedback was given or received",
            "scored": "reports on peers score the criteria",
            "placed": "reports on peers name files or lines",
            "argued": "reports on peers show what several judges argue",
            "planned": "reports on peers say what to change",
            "deferred": "work is put off with a reason",
            "answered": "findings that were received are answered",
            "fixed": "findings that were received are fixed",
            "relevant": "findings stated about peers are confirmed",
        },
    ),
    concern="effort",
    order=180,
)
