"""The kind `own_outputs`: what the work's own audits, claims and code show of how it judges.

Nothing here is a guess at why: an output is compared with another output, or with the code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

from courtroom.analysis.langgraph.assumed_evidence import (
    FOUND_UNLOOKED,
    NO_PICTURE,
    PICTURES,
)
from courtroom.analysis.project.recorded_scores import (
    FILLED,
    MARKED,
    ONE_SCORE,
    OTHER_SCORE,
    SINCE,
)
from courtroom.analysis.python.tree_walk import words_of
from courtroom.checks.from_facts import line_clue, unknown, with_place
from courtroom.checks.from_sources import on_survey
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import in_full, listed, named, number_of
from courtroom.checks.result import INFERRED, Clue, Finding, absent, could_not_look, present
from courtroom.models.check import CheckBase

if TYPE_CHECKING:
    from courtroom.analysis.git.history import History
    from courtroom.analysis.survey import Survey
    from courtroom.checks.sources import Comparison, Sources
    from courtroom.models.errors import ExaminationFailed
    from courtroom.models.evidence import CheckOutcome
    from courtroom.replay.stored_report import StoredReport

# The fact behind each aspect, and the sentence where it shows nothing.
FACTS = {
    "judged": "audits_without_judgement",
    "covered": "unjudged_criteria",
    "consistent": "disagreeing_outputs",
    "of_peers": "misplaced_audits",
    "examined": "assumed_evidence",
    "pictures": "assumed_pictures",
    "guarded": "guarded_evidence",
    "open_scores": "separate_score_ranges",
}
NO_AUDIT = {
    "judged": "No audit of the work's own with opinions was recognised.",
    "covered": "No audit of the work's own was recognised.",
    "consistent": "No two audits of the work's own were recognised.",
    "of_peers": "No audit of a peer was recognised among the work's own.",
}
GIVEN_BEFORE = "until commit"
EARLIER = "The overall score that is claimed is that of an earlier audit."
NOT_OF_CODE = "No other of the newest audits has opinions."
# Faults of recorded scores, by what is said of the audit.
OF_SCORES = {
    OTHER_SCORE: "A committed audit records other scores than its judges gave.",
    ONE_SCORE: "A judge of a committed audit gives only one score.",
    FILLED: "A committed audit has placeholders in place of opinions.",
    MARKED: "A committed audit calls its own lines placeholders.",
}
MOST_REMARKS = 6
MOST_SCORES = 3
# Evidence that is constant the other way.
NEVER_FOUND = "found=False"
# What a detective takes from the auditor's own directory without a path out of the work.
READS_ITSELF = re.compile(
    r"\b(?:reads `|looks for `|(?:reads the history|lists the files) of the auditor's)"
)
NO_CLAIM = "No overall score was recognised that README or a report gives for the work's own audit."
NEWER = ", and the newest one,"
UNJUDGED = "which does not hold judgements alone"
# Two scores in points that differ by no more are the same.
SAME_SCORE = 1e-6
NOT_HELD = (
    "No committed audit that was read gives the overall score that is claimed, but not every audit"
    " could be read or names one."
)


class OwnOutputs(CheckBase):
    """The work's committed audits are judgements (`judged`), together judge every criterion of its rubric
    (`covered`), agree with each other where they must (`consistent`), are about peers where they say so (`of_peers`), and give the overall score that
    documents and report claim (`claimed`). In the code, evidence that is reported as found depends
    on what was examined (`examined`, that of detectives for pictures: `pictures`), and on more than
    whether there is a work to read (`guarded`); and the judges' scores may be equal (`open_scores`).
    """

    kind: Literal["own_outputs"] = "own_outputs"
    aspect: Literal[
        "judged",
        "covered",
        "consistent",
        "of_peers",
        "claimed",
        "examined",
        "pictures",
        "guarded",
        "open_scores",
    ]


def _detect(check: OwnOutputs, sources: Sources) -> Finding:
    return on_survey(sources, lambda survey: _from_survey(check, survey, sources.history))


def _from_survey(
    check: OwnOutputs, survey: Survey, history: History | ExaminationFailed | None
) -> Finding:
    from courtroom.analysis.project.misplaced_audits import misplaced_fact

    if check.aspect == "of_peers":
        rows, reason = misplaced_fact(survey.facts.get("own_audits"), survey.reasons, history)
        facts = {**survey.facts, "misplaced_audits": rows}
        return _finding(check, facts, {**survey.reasons, "misplaced_audits": reason})
    earlier = [asdict(audit) for audit in getattr(history, "earlier_audits", None) or ()]
    facts = {**survey.facts, "earlier_audits": earlier}
    if check.aspect == "judged":
        facts = {**_without_replaced(facts, history)}
    return _finding(check, facts, survey.reasons)


def _without_replaced(
    facts: Mapping[str, Any], history: History | ExaminationFailed | None
) -> Mapping[str, Any]:
    """The facts without the audits that a later one in their folder replaces."""
    from courtroom.analysis.project.replaced_audits import later_changes, replaced_audits

    unjudged = facts.get("audits_without_judgement")
    commits = getattr(history, "commits", ())
    if not unjudged or not commits:
        return facts
    replaced = replaced_audits(facts.get("own_audits") or (), commits)
    kept = [row for row in unjudged if row["places"][0]["path"] not in replaced]
    judges = [
        place["path"]
        for name in ("persona_prompts", "structured_output_calls")
        for place in facts.get(name) or ()
        if place.get("by_judge") is not False
    ]
    changes = later_changes((row["places"][0]["path"] for row in kept), judges, commits)
    kept = [{**row, "change": changes.get(row["places"][0]["path"])} for row in kept]
    audits = [row for row in facts.get("own_audits") or () if row["path"] not in replaced]
    return {**facts, "audits_without_judgement": kept, "own_audits": audits}


def _finding(check: OwnOutputs, facts: Mapping[str, Any], reasons: Mapping[str, str]) -> Finding:
    if check.aspect == "claimed":
        return _claimed(facts.get("claimed_scores"), reasons, facts)
    name = FACTS[check.aspect]
    rows = facts.get(name)
    if rows is None:
        return could_not_look(reasons.get(name, f"The survey did not establish {name}."))
    if rows:
        # Of an audit one opinion shows what is said of all.
        most = 1 if check.aspect == "judged" else None
        clues = [
            line_clue(place, f"{row['text']}{_changed(row)}")
            for row in rows
            for place in row["places"][:most]
        ]
        firsts = [(row["text"], row["places"][0]) for row in rows]
        sentences = [
            with_place(row["text"], place["path"], place["line"]) + _changed(row)
            for row in rows
            for place in row["places"][:1]
        ]
        failed = {row["path"] for row in facts.get("own_audits") or () if row["failed"]}
        is_failed = check.aspect == "judged" and firsts[0][1]["path"] in failed
        fault = "A committed audit has failures in place of opinions." if is_failed else ""
        if check.aspect == "judged":
            fault = next(
                (sentence for part, sentence in OF_SCORES.items() if part in firsts[0][0]), fault
            )
            # Judges are listed with their scores.
            if ONE_SCORE in firsts[0][0] and ") and " in firsts[0][0]:
                fault = "Judges of a committed audit each give only one score."
        if check.aspect == "guarded" and all(NEVER_FOUND in text for text, _ in firsts):
            fault = "Evidence is reported as not found, whatever the work holds."
        remarks = ""
        if check.aspect == "judged":
            remarks = _other_works(facts) + _of_other_code(facts) + _edited_scores(facts)
        elif check.aspect == "pictures":
            remarks = _failing_supply(facts)
        return present(f"{in_full(sentences)}{remarks}", clues, met=False, fault=fault)
    return _nothing_shown(check.aspect, facts)


def _failing_supply(facts: Mapping[str, Any]) -> str:
    """Sentence, with a space before it, on a function for pictures that fails and is caught."""
    lines = (facts.get("failing_code") or {}).get("lines") or ()
    for row in lines:
        name = row["function"]
        if row.get("caught_at") and not PICTURES.isdisjoint(words_of(name)):
            sentence = (
                f"Where the pictures come from {name}(), it may never run: {name}() {row['why']}."
            )
            return f" {with_place(sentence, row['path'], row['line'])}"
    return ""


def _changed(row: Mapping[str, Any]) -> str:
    """Sentence, with a space before it, on the file of the judges that changed after an audit."""
    if not row.get("change"):
        return ""
    path, sha = row["change"]
    return f"{SINCE} {path} has changed, last in {sha[:8]}."


def _nothing_shown(aspect: str, facts: Mapping[str, Any]) -> Finding:
    if aspect in {"examined", "pictures"}:
        is_of_pictures = aspect == "pictures"
        subject = "evidence on pictures" if is_of_pictures else "evidence"
        thing = "no picture" if is_of_pictures else "nothing"
        exempt = "" if is_of_pictures or not facts.get("assumed_pictures") else ", pictures aside"
        alone = (
            "alone, and no search of texts or names of files, report as found"
            if is_of_pictures
            else "report as found without a work to read"
        )
        reason = (
            f"Looked for {subject} that constants {alone}, or whose own text says that {thing} was"
            f" looked at{exempt}."
        )
        unlooked = _varied(facts, FOUND_UNLOOKED)
        remark = f" Not counted, as a call may return another text:{unlooked}" if unlooked else ""
        remark += _varied(facts, NO_PICTURE) if is_of_pictures else ""
        finding = absent(reason + remark, "Followed the nodes of the detectives.", met=True)
        return replace(finding, has_reservation=bool(remark))
    if aspect == "guarded":
        reason = (
            "No evidence was recognised that is reported as found in every work that a detective"
            f" can read, with nothing of the work in its content.{_varied(facts)}"
        )
        of_itself = _looks_at_itself(facts)
        searched = "Followed the nodes of the detectives."
        finding = absent(f"{reason}{of_itself}", searched, met=True)
        return replace(finding, has_reservation=bool(of_itself))
    if aspect == "open_scores":
        reason = "No range of scores was recognised that keeps two judges apart."
        searched = "Read the code and the prompts of the judges for ranges of scores."
        return absent(reason, searched, met=True)

    audits = _audits_behind(aspect, facts.get("own_audits") or ())
    if not audits:
        return could_not_look(NO_AUDIT[aspect])
    absence = {
        "judged": (
            "The newest committed audits were read for failures, equal arguments and equal scores"
        ),
        "covered": (
            "No criterion of the work's rubric was recognised that is left out of all committed"
            " audits"
        ),
        "consistent": "No two committed audits give different scores for the same run or commit",
        "of_peers": "No committed audit of a peer names or cites this repository as the audited one",
    }[aspect]
    newest = [row for row in audits if not row.get("is_older")]
    if aspect == "judged" and all(row.get("unlike_code") for row in newest):
        return could_not_look(f"{in_full(row['unlike_code'] for row in newest)} {NOT_OF_CODE}")
    others = f"{_failures(newest, audits)}{_remarks(newest)}{_nothing_in(facts)}"
    remarks = (
        f"{_of_other_code(facts)}{_edited_scores(facts)}{others}" if aspect == "judged" else ""
    )
    unlike = sum(bool(row.get("unlike_code")) for row in audits) if aspect == "covered" else 0
    if unlike:
        which = "it" if len(audits) == 1 else f"{unlike} of them"
        remarks = f" The code of this commit could not have written {which}."
    reason = f"{absence} ({_number(aspect, audits)}).{remarks}"
    clues = [
        Clue(
            f"{row['path']} is an audit that the work holds.",
            f"The tree has {row['path']}.",
            path=row["path"],
        )
        for row in (newest if aspect == "judged" and newest else audits)
    ]
    return replace(present(reason, clues), has_reservation=bool(remarks))


def _varied(facts: Mapping[str, Any], mark: str = "") -> str:
    """Sentences, with a space before them, on constants beside a content that shows what was read;
    those with a `mark` are on a look that may not have happened.
    """
    rows = [
        (row["text"], row["places"][0])
        for row in facts.get("varied_evidence") or ()
        if next((m for m in (FOUND_UNLOOKED, NO_PICTURE) if m in row["text"]), "") == mark
    ]
    sentences = [with_place(text, place["path"], place["line"]) for text, place in rows]
    return f" {in_full(sentences)}" if sentences else ""


def _looks_at_itself(facts: Mapping[str, Any]) -> str:
    """Sentence, with a space before it, on detectives that read the auditor's own files, which are
    the same for every work; "" without any.
    """
    faults = [
        fault
        for fault in (facts.get("state_flow") or {}).get("faults", ())
        if fault["kind"] == "own_directory" and READS_ITSELF.search(fault["sentence"])
    ]
    if not faults:
        return ""
    sentences = [with_place(f"{f['sentence']}.", f["path"], f["line"]) for f in faults]
    return f" Not counted, though it is the same for every work: {in_full(sentences)}"


def _number(aspect: str, audits: Sequence[Mapping[str, Any]]) -> str:
    """The number of audits that were read; two files of one output are one, but may disagree."""
    outputs = _outputs(audits)
    if aspect not in ("judged", "covered"):
        return f"{number_of(len(audits), 'audit')} read"
    newest = _outputs(row for row in audits if not row.get("is_older"))
    if aspect == "covered" or len(newest) == len(outputs):
        of_criteria = " with criteria" if aspect == "covered" else ""
        return f"{number_of(len(outputs), 'audit')}{of_criteria} read"
    return f"{len(outputs)} audits with opinions read, {len(newest)} of them the newest"


def _outputs(audits: Iterable[Mapping[str, Any]]) -> set[PurePosixPath]:
    return {PurePosixPath(row["path"]).with_suffix("") for row in audits}


def _failures(newest: Sequence[Mapping[str, Any]], audits: Sequence[Mapping[str, Any]]) -> str:
    """Sentences, with a space before them, on opinions that are failures: few, or in older audits."""
    from courtroom.analysis.project.own_audits import failed_opinions

    rows = [row for row in newest if row["failed"]]
    sentences = [f"{failed_opinions(r['path'], r['failed'], r['opinions'])}." for r in rows]
    few = f" {in_full(sentences)}" if sentences else ""
    older = _outputs(row for row in audits if row["failed"] and row.get("is_older"))
    if not older:
        return few
    return f"{few} Of the older ones, {len(older)} {'has' if len(older) == 1 else 'have'} failures."


def _nothing_in(facts: Mapping[str, Any]) -> str:
    """Sentences, with a space before them, on audits that judge nothing, and on empty files."""
    sentences = [
        f"{row['path']} gives an overall score and judges no criterion."
        for row in facts.get("own_audits") or ()
        if row["about"] != "received" and not row["criteria"]
    ]
    empty: Sequence[str] = facts.get("empty_outputs") or ()
    if len(empty) == 1:
        sentences.append(f"{empty[0]} is an empty file.")
    elif empty:
        sentences.append(
            f"{len(empty)} files called an audit or a report are empty, such as {empty[0]}."
        )
    return "".join(f" {sentence}" for sentence in sentences[:MOST_REMARKS])


def _other_works(facts: Mapping[str, Any]) -> str:
    """Sentences, with a space before them, on audits that name another work than README does, and on
    those that lie among the received ones.
    """
    from courtroom.analysis.project.audit_rows import AS_AUDITED, SAME_FILE

    newest = [row for row in facts.get("own_audits") or () if not row.get("is_older")]
    texts = (text for row in newest for text in row.get("remarks") or ())
    remarks = [text for text in texts if AS_AUDITED in text or SAME_FILE in text]
    return f" {in_full(remarks)}" if remarks else ""


def _of_other_code(facts: Mapping[str, Any]) -> str:
    """Sentences, with a space before them, on audits with opinions that the code could not have written."""
    audits = _audits_behind("judged", facts.get("own_audits") or ())
    sentences = [row["unlike_code"] for row in audits if row.get("unlike_code")]
    return f" {in_full(sentences)}" if sentences else ""


def _edited_scores(facts: Mapping[str, Any]) -> str:
    """Sentences, with a space before them, on scores that a commit changed without the opinions."""
    return "".join(
        f" Commit {row['next_commit'][:8]} changed the overall score of {row['path']} from"
        f" {row['overall']} to {row['edited_to']} and left its opinions as they were."
        for row in facts.get("earlier_audits") or ()
        if row["edited_to"]
    )


def _remarks(audits: Sequence[Mapping[str, Any]]) -> str:
    """Sentences, with a space before them, on what does not fit in these audits."""
    again = [
        f"{row['path']} prints {row['opinions']} opinions, {row['repeated']} of them by a judge who"
        " was heard on the same criterion before."
        for row in audits
        if row.get("repeated")
    ]
    sentences = [*again, *(text for row in audits for text in row.get("remarks") or ())]
    return "".join(f" {sentence}" for sentence in sentences[:MOST_REMARKS])


def _audits_behind(aspect: str, audits: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The audits that an aspect is about; those received are the outputs of others."""
    if aspect == "of_peers":
        return [row for row in audits if row["about"] == "peer"]
    ours = [row for row in audits if row["about"] != "received"]
    if aspect == "judged":
        return [row for row in ours if row["opinions"] > 1]
    if aspect == "covered":
        return [row for row in ours if row["criteria"]]
    return ours if len(ours) > 1 else []


def _claimed(
    claims: Sequence[Mapping[str, Any]] | None,
    reasons: Mapping[str, str],
    facts: Mapping[str, Any],
) -> Finding:
    if claims is None:
        return could_not_look(reasons.get("claimed_scores", NO_CLAIM))
    for agrees in (False, True):
        compared = [claim for claim in claims if claim["agrees"] is agrees]
        if compared:
            verdicts = [_verdict(claim, facts, agrees=agrees) for claim in compared]
            clues = [_claim_clue(*row) for row in zip(compared, verdicts, strict=True)]
            reason = _scores_named(compared, verdicts, agrees=agrees)
            finding = present(reason, clues, met=agrees)
            has_reservation = UNJUDGED in verdicts[0] or NEWER in verdicts[0]
            fault = EARLIER if GIVEN_BEFORE in verdicts[0] else ""
            return replace(finding, has_reservation=has_reservation, fault=fault)
    unread = named(facts.get("unread_outputs") or ())
    beside = f" Not read as audits: {unread}." if unread else ""
    return could_not_look(f"{NOT_HELD}{beside}" if claims else NO_CLAIM)


def _scores_named(
    claims: Sequence[Mapping[str, Any]], verdicts: Sequence[str], *, agrees: bool
) -> str:
    """Sentence on each claimed score that no audit gives, or on the first that one gives."""
    places: dict[str, list[str]] = {}
    verdict_of: dict[str, str] = {}
    for claim, verdict in zip(claims, verdicts, strict=True):
        score = f"{claim['score']:g}/{claim['maximum']:g}"
        path = claim.get("path")
        where = f"in {path}" if path else f"on page {claim['page']} of the report"
        places.setdefault(score, []).append(where)
        verdict_of.setdefault(score, verdict)
    most = 1 if agrees else MOST_SCORES
    return " ".join(
        f"An overall score of {score} is named {listed(list(dict.fromkeys(places[score])))};"
        f" {verdict}."
        for score, verdict in list(verdict_of.items())[:most]
    )


def _verdict(claim: Mapping[str, Any], facts: Mapping[str, Any], *, agrees: bool) -> str:
    """Words on who gives a claimed score: an audit that judged, where there is one."""
    from courtroom.analysis.project.audit_folders import is_later, moment_of
    from courtroom.analysis.project.score_claims import distance, gives

    audits = facts.get("own_audits") or ()
    moments = {row["path"]: moment_of(row["path"], row.get("date")) for row in audits}
    newest = (row for row in audits if row["about"] == "self" and not row.get("is_older"))
    scored_rows = sorted(
        (row for row in newest if row.get("overall")), key=lambda row: moments[row["path"]]
    )
    last_row = scored_rows[-1] if scored_rows else {}
    if not agrees:
        remark = f"{last_row['path']} gives {last_row['overall']}" if last_row else ""
        earlier_rows = [row for row in facts.get("earlier_audits") or () if gives(row, claim)]
        for row in earlier_rows[-1:]:
            subject = "" if row["path"] == last_row.get("path") else f"{row['path']} "
            score = f"{subject}gave {claim['score']:g} {GIVEN_BEFORE} {row['next_commit'][:8]}"
            remark = f"{remark}, and {score}" if remark else score
        others = [row for row in audits if row["about"] not in ("self", "") and gives(row, claim)]
        for row in others[:1] if not earlier_rows else ():
            whose = "that the work received" if row["about"] == "received" else "of another work"
            other = f"{row['path']}, an audit {whose}, gives {row['overall']}"
            remark = f"{remark}, and {other}" if remark else other
        remark = f": {remark}" if remark else ""
        now = " now" if earlier_rows else ""
        return f"none of the work's own committed audits gives it{now}{remark}"
    giving_rows = [row for row in audits if row["about"] in ("self", "") and gives(row, claim)]
    # The nearest score first, of several the newest audit.
    giving_rows.sort(key=lambda row: moments[row["path"]], reverse=True)
    giving_rows.sort(key=lambda row: (distance(row, claim) > SAME_SCORE, bool(row.get("is_older"))))
    paths = [row["path"] for row in giving_rows]
    rounded = {
        row["path"]: f" up to rounding, as {row['overall']}"
        for row in giving_rows
        if distance(row, claim) > SAME_SCORE
    }
    rows = facts.get("audits_without_judgement") or ()
    unjudged_paths = _outputs(row["places"][0] for row in rows)
    judged_paths = (p for p in paths if PurePosixPath(p).with_suffix("") not in unjudged_paths)
    path = next(judged_paths, "")
    if path or not paths:
        # An audit with few opinions replaces none, and may still be the last one.
        is_old = bool(paths and last_row) and all(
            row.get("is_older") or is_later(moments[last_row["path"]], moments[row["path"]])
            for row in giving_rows
        )
        newer_audit = f"{NEWER} {last_row['path']}, gives {last_row['overall']}" if is_old else ""
        return f"{path or 'a committed audit'} gives it{rounded.get(path, '')}{newer_audit}"
    return f"{paths[0]} gives it{rounded.get(paths[0], '')}, {UNJUDGED}"


def _claim_clue(claim: Mapping[str, Any], verdict: str) -> Clue:
    rationale = f"Claims an overall score of {claim['score']:g}/{claim['maximum']:g}; {verdict}."
    if claim.get("path"):
        return Clue(rationale, path=claim["path"], line_start=claim["line"], line_end=claim["line"])
    return Clue(rationale, claim["text"], page=claim["page"], confidence=INFERRED)


def _reopens(check: OwnOutputs, _: CheckOutcome, comparison: Comparison) -> bool:
    """The report claims a score, or lists others than the audits have."""
    has_claim = comparison.claimed_scores or comparison.listed_scores
    return check.aspect == "claimed" and bool(has_claim)


def _compare(check: OwnOutputs, comparison: Comparison) -> Finding | None:
    if check.aspect != "claimed":
        return None
    claims = [*(comparison.code.get("claimed_scores") or ()), *comparison.claimed_scores]
    finding = _claimed(claims, {}, comparison.code)
    return replace(finding, reason=f"{finding.reason} {comparison.listed_scores}".rstrip())


def _replay(check: OwnOutputs, report: StoredReport) -> Finding:
    survey = report.survey()
    name = FACTS.get(check.aspect, "claimed_scores")
    if survey.facts.get(name) is None:
        return unknown(name, survey)
    return _finding(check, survey.facts, survey.reasons)


def _fault(check: OwnOutputs) -> str:
    return {
        "judged": "A committed audit does not judge each criterion by itself.",
        "covered": "Criteria of the work's rubric are judged in none of its committed audits.",
        "consistent": "Audits of the same run or commit give different scores.",
        "of_peers": "An audit that should be of a peer is about this repository.",
        "claimed": "No committed audit gives the overall score that the work claims.",
        "examined": "Evidence is reported as found, whatever was examined.",
        "pictures": "Evidence on pictures that is reported as found neither depends on what was examined nor shows it.",
        "guarded": "Evidence is reported as found wherever there is a work to read.",
        "open_scores": "Ranges keep the scores of two judges apart.",
    }[check.aspect]


KIND = CheckKind(
    model=OwnOutputs,
    detective="RepoInvestigator",
    detect=_detect,
    compare=_compare,
    reopens=_reopens,
    replay=_replay,
    fault=_fault,
    label=Label(
        title="What the work shows of itself",
        about="Committed audits, claimed scores, and evidence or scores fixed in the code.",
        choices={
            "judged": "its audits are judgements",
            "covered": "its audits together judge every criterion of its rubric",
            "consistent": "its outputs agree",
            "of_peers": "its audits of peers are about peers",
            "claimed": "its audits give the score it claims",
            "examined": "evidence depends on what was examined",
            "pictures": "evidence on pictures depends on what was examined",
            "guarded": "evidence depends on more than a clone that succeeded",
            "open_scores": "judges' scores may be equal",
        },
    ),
    concern="function",
    order=136,
)
