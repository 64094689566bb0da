"""The kind `sandboxed_clone`: precautions when the work clones a repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from courtroom.checks.from_facts import (
    Sentences,
    clues_at,
    flag,
    from_facts,
    from_stored_facts,
    line_clue,
    nothing,
    unknown,
    with_place,
)
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import listed, place_of
from courtroom.checks.result import Finding, present
from courtroom.checks.subjects import Subjects
from courtroom.models.check import CheckBase

if TYPE_CHECKING:
    from courtroom.analysis.survey import Survey

FACTS = {
    "in_tempdir": "clone_in_tempdir",
    "timeout": "clone_timeout",
    "errors_handled": "clone_errors_handled",
    "url_validated": "url_validated",
}
# The function that clones stands for the braces.
SENTENCES: dict[str, Sentences] = {
    "in_tempdir": (
        "{} clones into a temporary directory.",
        "{} clones into no temporary directory.",
    ),
    "timeout": ("{} clones with a timeout.", "{} clones without a timeout."),
    "errors_handled": (
        "An error of the clone in {} is handled.",
        "Nothing handles an error of the clone in {}.",
    ),
    "url_validated": (
        "The address is checked before {} clones it.",
        "No test of the scheme or host of the address was recognised before git sees it, in {}.",
    ),
}
# Another clone of the work may be handled.
UNHANDLED = "There is a clone whose failure nothing handles."
UNCALLED = "Nothing that runs calls the function that clones."
# What a subprocess raises at its deadline.
SLOW = "TimeoutExpired"
SOME_REFUSED = "{} refuses some addresses by another test ({})."


class SandboxedClone(CheckBase):
    kind: Literal["sandboxed_clone"] = "sandboxed_clone"
    aspect: Literal["exists", "in_tempdir", "timeout", "errors_handled", "url_validated"]


def clone(check: SandboxedClone, survey: Survey) -> Finding:
    """The function that clones: it exists, and it does it in this way."""
    function = survey.facts.get("clone_function")
    # All facts on the clone are null together where nobody could look. Where somebody looked
    # and nothing clones, its details are false and the function is null.
    if function is None and survey.facts.get("clone_in_tempdir") is None:
        return unknown("clone_function", survey)
    if function is None:
        reason = survey.reasons.get(
            "clone_function", "No function that clones a repository was found."
        )
        return nothing(reason, "a function that clones a repository", survey)

    # A precaution that the function does not take is missing in it, whoever calls it.
    is_taken = check.aspect == "exists" or survey.facts.get(FACTS[check.aspect]) is not False
    if check.aspect == "exists" or (function.get("is_uncalled") and is_taken):
        place = place_of(function["path"], function["line"])
        uncalled = ", but nothing that runs calls it" if function.get("is_uncalled") else ""
        reason = f"{function['name']} ({place}) clones the repository{uncalled}."
        lines = clues_at(survey.fact_locations.get("clone_function", ()), reason)
        is_met = check.aspect == "exists"
        fault = "" if is_met else UNCALLED
        return present(reason, lines or [line_clue(function, reason)], met=is_met, fault=fault)
    escaping = function.get("escaping", ()) if check.aspect == "errors_handled" else ()
    if survey.facts.get("clone_errors_handled") and any(e["name"] != SLOW for e in escaping):
        return _ends_the_run(function, escaping, survey)
    # What is missing belongs at the call, which a stored report does not hold.
    fallback = "clone_call" if "clone_call" in survey.fact_locations else "clone_function"
    where_met, where_not = SENTENCES[check.aspect]
    name = function["name"]
    refusals = survey.fact_locations.get("address_refused", ())
    if check.aspect == "url_validated" and refusals:
        place = place_of(refusals[0].path, refusals[0].line_start)
        where_not = SOME_REFUSED.format(name, place)
    if escaping:
        where_met = f"{where_met.removesuffix('.')}, but {SLOW} ends the run: no node catches it."
    refused = function.get("refused", ()) if check.aspect == "url_validated" else ()
    if refused:
        names = listed(dict.fromkeys(error["name"] for error in refused))
        where_met = (
            f"{where_met.removesuffix('.')}; {names} for an address that it refuses is caught"
        )
        where_met += " by no node, which ends the run."
    sentences = where_met.format(name), where_not.format(name)
    finding = flag(FACTS[check.aspect], fallback, survey, sentences)
    if check.aspect == "errors_handled" and finding.met is False:
        finding = replace(finding, fault=UNHANDLED)
    return replace(finding, has_reservation=bool(escaping or refused))


def _ends_the_run(
    function: Mapping[str, Any], escaping: Sequence[Mapping[str, str]], survey: Survey
) -> Finding:
    """The errors that the work notices and raises, and that no code catches."""
    names = dict.fromkeys(error["name"] for error in escaping)
    nodes = dict.fromkeys(error["node"] for error in escaping)
    leaves = "leave" if len(names) > 1 else "leaves"
    reason = (
        f"When {function['name']} fails, {listed(names)} {leaves} {listed(nodes)} uncaught, which"
        " ends the run."
    )
    lines = survey.fact_locations.get("clone_function") or ()
    clues = clues_at(lines, reason) or [line_clue(function, reason)]
    reason = with_place(reason, function["path"], function["line"])
    return present(reason, clues, met=False, fault="A clone that fails ends the run.")


# True also where nothing is cloned.
FAULTS = {
    "exists": "No function that clones a repository was found.",
    "in_tempdir": "Nothing is cloned into a temporary directory.",
    "timeout": "Nothing sets a deadline for the clone.",
    "errors_handled": "Nothing handles a clone that fails.",
    "url_validated": "No test of the scheme or host of the address was recognised before git sees it.",
}


def _fault(check: SandboxedClone) -> str:
    return FAULTS[check.aspect]


def _subjects(check: SandboxedClone) -> Subjects:
    return Subjects(("clone",), "no_clone" if check.aspect == "exists" else None)


KIND = CheckKind(
    model=SandboxedClone,
    detective="RepoInvestigator",
    detect=from_facts(clone),
    replay=from_stored_facts(clone),
    fault=_fault,
    subjects=_subjects,
    label=Label(
        title="Cloning in a sandbox",
        about="How the work clones a repository that it does not trust.",
        choices={"in_tempdir": "in a temporary directory"},
    ),
    concern="risk",
    order=90,
)
