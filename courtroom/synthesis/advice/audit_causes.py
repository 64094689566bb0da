"""Advice on audits in which no judge was heard, by the cause that their own text gives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from courtroom.analysis.project.recorded_scores import MARKED, ONE_SCORE, OTHER_SCORE
from courtroom.checks.phrases import listed, places_of
from courtroom.models.statement import continued
from courtroom.synthesis.advice.work import Step, placed

# What the fact on such an audit says before it quotes the failure.
FAILED = "a failure in place of a judgement"
CALLS = "The judges' calls failed: find out why, by the failure that is quoted, and mend it."
# A text may stand in the code for a request that failed.
WITHOUT_ANSWER = (
    "Code wrote these arguments in place of a model's answers: find out why no answer was used, and"
    " mend it."
)
WITHOUT_MODEL = (
    "Code wrote these arguments without a model: find out why no answer of a model was used, or let"
    " the judges ask one."
)
WITH_PLAIN_JUDGES = (
    "The judges' code wrote these arguments, and asks no model: let the judges ask one."
)
QUOTA = (
    "The quota of the judges' account is used up: use a key with credit, or the model of another"
    " provider, and wait only for a quota that renews itself."
)
LIMIT = "The model refused the calls for their number: wait between them, or use another model."
KEY = "The judges had no valid key of a model: give them one."
EVIDENCE = (
    "No evidence reached the judges on these criteria: let a detective collect it, or let the judges"
    " judge its absence."
)
REFUSED = r"\b429\b|rate.?limit|too many requests"
RENEWED = r"(?:(?:retry|try again) (?:in|after)\b|free.?tier|per.?(?:second|minute|day)\b)"
# The first that fits counts.
CAUSES: tuple[tuple[str, str], ...] = (
    (QUOTA, r"insufficient_quota|\b402\b|insufficient (?:balance|credit)"),
    # Such texts speak of quotas and of billing as well.
    (LIMIT, rf"\A(?=.*(?:{REFUSED}|quota)).*{RENEWED}"),
    (QUOTA, r"quota|billing"),
    (LIMIT, REFUSED),
    (KEY, r"api.?key|unauthori[sz]ed|\b401\b|credential"),
    (EVIDENCE, r"\b(?:missing|empty|no|insufficient)(?: or [a-z]+)? evidence\b"),
)
OF_CODE = re.compile(r"\bheuristic|\bfallback opinion|stand ready-made in the code", re.IGNORECASE)
NOT_READ = (
    "Take the score from where the judge's answer has it, and record a failure where it has none."
)
PLACEHOLDERS = "Let the auditor write the audit, with nothing in it by hand."
NOT_WEIGHED = "Find out why a judge gives only one score here, and mend it."
KEPT_TO_RANGES = (
    "The prompts keep judges to a few scores each ({places}): let each judge give every score of the"
    " scale."
)
NO_CAUSE = "Find out what wrote this without a judgement of each criterion by itself, and mend it."
CHANGED_SINCE = "Where a later change of the code has mended it, the new audit is enough."
COMMIT = "Then run the auditor again, and commit that audit in place of this one"
COMMIT_EACH = (
    "Then run the auditor again on each of these works, and commit the new audits in place of this"
    " one and of"
)


def steps_on_audits(
    rows: Iterable[Mapping[str, Any]],
    audits: Iterable[Mapping[str, Any]],
    *,
    is_asking: bool,
    known_cause: str = "",
    ranges: Sequence[Mapping[str, Any]] = (),
    has_plain_judges: bool = False,
) -> Iterator[Step]:
    """Yield what mends audits in which no judge was heard: one step for each cause.

    `rows` and `audits` are the facts audits_without_judgement and own_audits; with `is_asking` the
    judges ask a model, with `has_plain_judges` they do not. `known_cause` is what the code shows of
    requests that fail, `ranges` are the places of prompts that keep judges to ranges of scores.
    """
    works = {
        row["path"]: "self" if row["about"] == "self" else (row["about"], row["repository"])
        for row in audits
    }
    places: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        action = _action(row["text"])
        action = WITHOUT_ANSWER if is_asking and action == WITHOUT_MODEL else action
        if known_cause and action == CALLS:
            action = f"{CALLS} What the code shows: {continued(known_cause)}"
        if has_plain_judges and action == WITHOUT_MODEL:
            action = WITH_PLAIN_JUDGES
        end = CHANGED_SINCE if row.get("has_changed") and action != PLACEHOLDERS else ""
        if ranges and action == NOT_WEIGHED:
            action, end = KEPT_TO_RANGES.format(places=places_of(ranges)), ""
        places.setdefault((action, end), []).append(row["places"][0])
    for (action, end), (first, *others) in places.items():
        paths = dict.fromkeys(place["path"] for place in others)
        # An audit of oneself cannot stand for one of a peer.
        is_one_work = len({works.get(path) for path in (first["path"], *paths)}) == 1
        also = f", and of {listed(paths)}" if paths else ""
        commit = f"{COMMIT}{also}" if is_one_work else f"{COMMIT_EACH} {listed(paths)}"
        yield replace(placed(f"{action} {commit}. {end}".rstrip(), first), is_exact=True)


def _action(text: str) -> str:
    _, is_failed, failure = text.partition(FAILED)
    if MARKED in text:
        return PLACEHOLDERS
    if OTHER_SCORE in text:
        return NOT_READ
    if ONE_SCORE in text:
        return NOT_WEIGHED
    if not is_failed:
        return WITHOUT_MODEL if OF_CODE.search(text) else NO_CAUSE
    fitting = (a for a, words in CAUSES if re.search(words, failure, re.IGNORECASE | re.DOTALL))
    return next(fitting, CALLS)
