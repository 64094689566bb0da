"""The kind `unsafe_call`: is a shell or an interpreter called, or a secret committed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from courtroom.checks.fault_words import matching, options
from courtroom.checks.from_facts import (
    from_facts,
    from_stored_facts,
    line_clue,
    searched,
    unknown,
    with_place,
)
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import by_kind, in_full, listed, place_of, places_of
from courtroom.checks.result import MOST_CLUES, SEARCHED, Clue, Finding, absent, present
from courtroom.models.check import CheckBase
from courtroom.models.project_facts import UnsafeKind

if TYPE_CHECKING:
    from courtroom.analysis.survey import Survey

IN_TEXTS = "committed_secret"
# The texts that are searched for secrets.
TEXTS = (
    "the text files of this commit, other than lock files, installed packages and files that are too"
    " large to read"
)
# Kinds with a fact of their own; the rest stand together in `unsafe_calls`.
FACTS = {
    "os_system": "os_system_calls",
    "shell_true": "shell_true_calls",
    "eval_exec": "eval_exec_calls",
    "committed_secret": "committed_secrets",
}
# Places that may be one: they are shown, and count for nothing.
POSSIBLE = {"unsafe_calls": "possible_unsafe_calls", "committed_secrets": "possible_secrets"}
NAMES = {
    "os_system": "a call of os that runs a shell",
    "shell_true": "a call through a shell",
    "eval_exec": "a call that runs text as code",
    "unsafe_deserialisation": "a load of data that can run code",
    "sql_from_strings": "a query put together from strings",
    "path_traversal": "a path that a web request or an archive decides",
    "tls_unverified": "a connection that checks no certificate",
    "committed_secret": "a committed secret",
}
# A danger that many calls can be: the sentence says which call it is.
CALLED = "unsafe_deserialisation"
# The fault in the work's own search for such calls, which the fact `state_flow` has.
SCAN = "word_scan"
# What is said of a call in a file that no run of the product reads.
UNREACHED = "in a file to which no import leads from an entry point"
# What is said of a secret in a test, an example or an archive.
SET_APART = "in a file that is no part of the product"


class UnsafeCallCheck(CheckBase):
    """Use with negative polarity; a check tagged `security` makes its evidence security evidence.

    Calls in files to which no import leads from an entry point count against the check, and are no
    security evidence; nor are secrets in these or in files that are no part of the product.

    Calls are looked for in the code outside tests, committed secrets in every text file. Possible
    ones are named in the evidence and change nothing.
    """

    kind: Literal["unsafe_call"] = "unsafe_call"
    any_of: tuple[UnsafeKind | Literal["committed_secret"], ...] = (
        "os_system",
        "shell_true",
        "eval_exec",
    )


def unsafe_calls(check: UnsafeCallCheck, survey: Survey) -> Finding:
    """Dangerous calls and committed secrets; a negative check is met when there are none."""
    facts = [FACTS.get(danger, "unsafe_calls") for danger in check.any_of]
    # One fact that is open leaves the check open: the danger may be there.
    missing = next((fact for fact in facts if survey.facts.get(fact) is None), None)
    if missing:
        return unknown(missing, survey)

    by_place = [(danger, clue) for danger in check.any_of for clue in _clues(danger, survey)]
    by_place.sort(key=lambda row: row[1].is_idle)
    if not by_place:
        possible = _possible_places(check.any_of, survey)
        looked_for = _looked_for(check.any_of, survey) + possible
        scans = _word_scans(check.any_of, survey)
        reason = _absence(check.any_of, survey) + scans
        caption = f"{SEARCHED}{scans}"
        finding = absent(reason, looked_for, met=not check.is_positive, caption=caption)
        return replace(finding, has_reservation=bool(possible or scans))
    kinds, clues = [danger for danger, _ in by_place], [clue for _, clue in by_place]
    reason = by_kind([(danger, clue.rationale) for danger, clue in by_place])
    call = _called(kinds[0], _calls(kinds[0], survey)[:1])
    where = _where_idle(clues[0].path, survey) if clues[0].is_idle else ""
    fault = f"The work has {NAMES[kinds[0]]}{call}{where}."
    return present(reason, clues, met=check.is_positive, fault=fault)


def _absence(dangers: Sequence[str], survey: Survey) -> str:
    """Sentence on where nothing of these was found, or nothing that is certain."""
    calls = [NAMES[danger] for danger in dangers if danger != IN_TEXTS]
    code = f"No code of the product has {_any_of(calls)}." if calls else ""
    texts = "No committed secret was recognised in the text files." if IN_TEXTS in dangers else ""
    # Where a value comes from is followed within a function only: nothing is denied.
    if calls and not FACTS.keys() >= {*dangers} - {IN_TEXTS}:
        also = f", and in the text files for {NAMES[IN_TEXTS]}" if texts else ""
        code = f"Looked in the code of the product for {listed(calls)}{also}."
        return f"{code}{_possible_calls(dangers, survey)}"
    return " ".join(filter(None, [code, texts]))


def _word_scans(dangers: Sequence[str], survey: Survey) -> str:
    """Sentences, with a space before them, on how the work itself looks for these calls; else ""."""
    from courtroom.checks.state_flow import fault_sentence

    faults = (survey.facts.get("state_flow") or {}).get("faults", ())
    scans = [
        with_place(fault_sentence(fault), fault["path"], fault["line"])
        for fault in faults
        if fault["kind"] == SCAN and not {*dangers}.isdisjoint(fault["keys"])
    ]
    return f" Not counted: {in_full(scans)}" if scans else ""


def _looked_for(dangers: Sequence[str], survey: Survey) -> str:
    """Sentences on what was searched: code for calls, the texts of this commit for secrets."""
    calls = [NAMES[danger] for danger in dangers if danger != IN_TEXTS]
    result = f"nothing {'certain ' * bool(_possible_calls(dangers, survey))}was found"
    code = searched(listed(calls), survey, result) if calls else ""
    texts = f"Looked for {NAMES[IN_TEXTS]} in {TEXTS}: nothing was found."
    return " ".join(filter(None, [code, texts if IN_TEXTS in dangers else ""]))


def _possible_calls(dangers: Sequence[str], survey: Survey) -> str:
    """Sentence on the calls that may be one of these, kind by kind; "" where there are none."""
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for row in survey.facts.get("possible_unsafe_calls") or ():
        if row["kind"] in dangers:
            rows.setdefault(row["kind"], []).append(row)
    calls = [
        f"{NAMES[kind]}{_called(kind, places)} ({places_of(places[:MOST_CLUES])})"
        for kind, places in rows.items()
    ]
    return f" Possible, and counted for nothing: {'; '.join(calls)}." if calls else ""


def _any_of(names: Sequence[str]) -> str:
    """Two names with "or" between them; more are a list, as each may hold an "or" of its own."""
    return listed(names, "or") if len(names) <= 2 else f"any of these: {'; '.join(names)}"


def _possible_places(dangers: Sequence[str], survey: Survey) -> str:
    """Return a sentence on the places that may hold a danger; "" where there are none."""
    places = [
        f"{row['path']}:{row['line']}"
        for fact, possible in POSSIBLE.items()
        for row in survey.facts.get(possible) or ()
        if (IN_TEXTS if fact == "committed_secrets" else row["kind"]) in dangers
    ]
    if not places:
        return ""
    named = ", ".join(places[:MOST_CLUES])
    more = f" and {len(places) - MOST_CLUES} more" if len(places) > MOST_CLUES else ""
    return f" Possible, not certain, and counted for nothing: {named}{more}."


def _clues(danger: str, survey: Survey) -> list[Clue]:
    """The places of one danger, with the origin of the value; of a secret only its kind."""
    if danger == IN_TEXTS:
        return [_secret_clue(secret, survey) for secret in survey.facts["committed_secrets"]]
    # Only the fact `unsafe_calls` says where a value comes from.
    calls = {(call["path"], call["line"]): call for call in _calls(danger, survey)}
    places = survey.facts[FACTS[danger]] if danger in FACTS else calls.values()
    unreached = _unreached(survey)
    return [
        replace(
            line_clue(
                place,
                f"{_place(place)} has {NAMES[danger]}{_called(danger, [place])}"
                f"{_origin(calls.get((place['path'], place['line'])))}"
                f"{f', {UNREACHED}' * (place['path'] in unreached)}.",
            ),
            is_idle=place["path"] in unreached,
        )
        for place in places
    ]


def _secret_clue(secret: Mapping[str, Any], survey: Survey) -> Clue:
    # The value of a secret is never recorded, so a report can be shown to anybody.
    where = _where_idle(secret["path"], survey)
    reason = f"{_place(secret)} has a committed secret{where}: {secret['kind']}."
    return replace(line_clue(secret, reason), is_idle=bool(where))


def _where_idle(path: str | None, survey: Survey) -> str:
    """Return what is said of a place that no run of the product reads; "" for another one."""
    if path in _unreached(survey):
        return f", {UNREACHED}"
    aside = [row["path"] for row in (survey.facts.get("scope") or {}).get("aside", ())]
    is_apart = any(
        path == place or f"{path}".startswith(f"{place.rstrip('/')}/") for place in aside
    )
    return f", {SET_APART}" if is_apart else ""


def _calls(danger: str, survey: Survey) -> list[Mapping[str, Any]]:
    return [row for row in survey.facts.get("unsafe_calls") or () if row["kind"] == danger]


def _called(danger: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the names of the calls, where the name of the danger does not say them."""
    names = dict.fromkeys(f"`{row['call']}`" for row in rows if danger == CALLED)
    return f", {listed(list(names))}" if names else ""


def _unreached(survey: Survey) -> frozenset[str]:
    """Return the files to which no import leads from an entry point; none without the graph's."""
    unreached = frozenset((survey.facts.get("scope") or {}).get("unreached", ()))
    graph = (survey.facts.get("graph") or {}).get("path")
    # Where the way to the graph itself is not known, other ways may be missing as well.
    return unreached if graph and graph not in unreached else frozenset()


def _place(row: Mapping[str, Any]) -> str:
    return place_of(row["path"], row["line"])


def _origin(call: Mapping[str, Any] | None) -> str:
    if call is None or call["from_outside"] is None:
        return ""
    return ", with a value from outside" if call["from_outside"] else ", with a literal value"


def _fault(check: UnsafeCallCheck) -> str:
    names = [NAMES[danger] for danger in check.any_of] or ["an unsafe call"]
    unsafe = names[0] if len(names) == 1 else "something unsafe"
    return matching(
        check.is_positive, f"The work lacks {options(names)}.", f"The work has {unsafe}."
    )


KIND = CheckKind(
    model=UnsafeCallCheck,
    detective="RepoInvestigator",
    detect=from_facts(unsafe_calls),
    replay=from_stored_facts(unsafe_calls),
    fault=_fault,
    label=Label(
        title="Dangerous calls and secrets",
        about=(
            "Finding one should count against the criterion. Calls are looked for outside tests,"
            " secrets in every text."
        ),
        fields={"any_of": "Dangers looked for"},
        choices={
            "eval_exec": "eval and exec",
            "os_system": "os.system",
            "shell_true": "shell=True",
            "sql_from_strings": "SQL made of strings",
            "tls_unverified": "TLS that is not verified",
            "committed_secret": "secrets that were committed",
        },
    ),
    concern="risk",
    order=100,
)
