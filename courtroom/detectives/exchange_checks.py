"""Feedback and communication, as the repository shows them and as the site knows them that keeps the rounds of peers.

Either answers a check, and the evidence says which. Shares are of what the site knows: no file tells them.
"""

from __future__ import annotations

from courtroom.analysis.project.log_locations import MEASURED
from courtroom.detectives.findings import Clue, Finding, absent, could_not_look, present
from courtroom.models.project_facts import ExchangeFact
from courtroom.models.rubric import CommunicationLog, FeedbackLog

NONE_RECEIVED = "The site knows of no finding that was received."
NONE_STATED = "The site knows of no finding that the student's own auditor stated about a peer."
RECORDS = "From the records of the site that keeps the rounds of peers."


def with_records(
    check: FeedbackLog | CommunicationLog, in_repository: Finding, exchange: ExchangeFact | None
) -> Finding:
    """The check's answer, given what the repository alone came to; without a site that is the answer."""
    if exchange is None:
        return in_repository
    if isinstance(check, CommunicationLog):
        known = getattr(exchange.entries, check.about)
        about = "" if check.about == "anything" else f" about {check.about}"
        words = _number(known, "entry", "entries") + f"{about} in the communication log"
        return _either(check, in_repository, known, words)
    if check.aspect == "relevant":
        return _relevant(check, exchange)
    if check.aspect in MEASURED:
        return _of_the_received(check, in_repository, exchange)
    return _either(check, in_repository, *_kept(check.aspect, exchange))


def _kept(aspect: str, exchange: ExchangeFact) -> tuple[int, str]:
    """How many the site keeps, and what they are, in words."""
    given, own, received, deferred = (
        exchange.generated,
        exchange.self_,
        exchange.received,
        exchange.deferred,
    )
    on_peers, by_peers = (
        _number(given, "report") + " on peers",
        _number(received, "report") + " by peers",
    )
    return {
        "generated": (given, on_peers),
        "self": (own, _number(own, "report") + " of the student's own auditor on itself"),
        "received": (received, by_peers),
        "exchanged": (given + received, f"{on_peers} and {by_peers}"),
        "deferred": (deferred, _number(deferred, "finding") + " put off with a reason"),
    }[aspect]


def _either(
    check: FeedbackLog | CommunicationLog, in_repository: Finding, known: int, words: str
) -> Finding:
    """Enough of it in the repository or on the site. They may hold the same, so they are not added up."""
    wanted = check.polarity == "positive"
    needed = check.minimum if isinstance(check, CommunicationLog) else 1
    said = f"The site keeps {words}."
    clue = Clue(rationale=RECORDS, statement=said)
    if known >= needed and in_repository.met is wanted:
        return present(f"{in_repository.reason} {said}", [clue, *in_repository.clues], met=wanted)
    if known >= needed:
        return present(said, [clue], met=wanted)
    if in_repository.met is (not wanted):
        return present(
            f"{in_repository.reason} {said}", [*in_repository.clues, clue], met=not wanted
        )
    return in_repository


def _of_the_received(check: FeedbackLog, in_repository: Finding, exchange: ExchangeFact) -> Finding:
    """Where the site knows of no finding, answers that are written down in the repository still count."""
    if not exchange.findings_received:
        return in_repository if check.aspect == "answered" else could_not_look(NONE_RECEIVED)
    if check.aspect == "answered":
        kinds = (
            f"{exchange.deferred} of them deferred and {exchange.contested} contested with a reason"
        )
        return _share(
            check, exchange.answered, exchange.findings_received, "findings received", kinds
        )
    looked = f"{exchange.fixes_verified} of them in a commit that was looked at"
    return _share(check, exchange.fixed, exchange.findings_received, "findings received", looked)


def _relevant(check: FeedbackLog, exchange: ExchangeFact) -> Finding:
    told = exchange.relevance
    if told is None or not told.stated:
        return could_not_look(NONE_STATED)
    beside = (
        f"{told.with_place} of them with file and line; {told.duplicates} repetitions do not count"
    )
    return _share(check, told.confirmed, told.stated, "findings stated about peers", beside)


def _share(check: FeedbackLog, part: int, whole: int, of: str, beside: str) -> Finding:
    asked = 1.0 if check.share is None else check.share
    done = "confirmed by the site's audit" if check.aspect == "relevant" else check.aspect
    reason = f"Of {whole} {of}, {part} are {done}; {asked * 100:g} % are asked for."
    enough, wanted = part / whole >= asked, check.polarity == "positive"
    statement = f"{part} of {whole} {of} are {done}, {beside}."
    if not part:
        return absent(reason, statement, met=enough == wanted)
    return present(reason, [Clue(rationale=RECORDS, statement=statement)], met=enough == wanted)


def _number(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"
