"""The kind `pdf_paths`: are the files and features that the report names there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Literal, cast

from pydantic import Field

from courtroom.analysis.pdf_claims.denials import is_interim_report
from courtroom.analysis.pdf_claims.part_edges import edge_of
from courtroom.analysis.pdf_claims.unkept_claims import PATH_CHECK, broken_path_check
from courtroom.checks.feature_words import (
    FEATURE_WORDS,
    MADE_CHANGE,
    NOT_THERE,
    STATED_VALUE,
    WITH_DETAIL,
)
from courtroom.checks.from_report import from_stored_report
from courtroom.checks.graph_topology import dead_routes
from courtroom.checks.kind import CheckKind, Label
from courtroom.checks.phrases import listed, named, number_of, place_of
from courtroom.checks.result import INFERRED, Clue, Finding, absent, could_not_look, present
from courtroom.checks.subjects import Subjects
from courtroom.checks.unfilled_report import filled_in
from courtroom.models.check import CheckBase

if TYPE_CHECKING:
    from courtroom.analysis.pdf.pdf_content import PdfReading
    from courtroom.analysis.pdf_claims.claimed_names import CheckedNames
    from courtroom.analysis.pdf_claims.claimed_paths import ClaimedPath
    from courtroom.analysis.pdf_claims.claims import CheckedClaim
    from courtroom.analysis.pdf_claims.path_standing import CheckedPaths
    from courtroom.analysis.pdf_claims.placed_names import PlacedName
    from courtroom.checks.sources import Comparison, Sources
    from courtroom.detectives.detective_result import Claim
    from courtroom.models.evidence import CheckOutcome
    from courtroom.replay.stored_report import StoredReport

NO_TREE = "The repository's file list could not be read."
NO_NAMES = "The names in the report could not be compared with the code."
PATHS = ("path of a file", "paths of files")
# A report on an agent graph names dozens; fewer recognised ones are no sample of them.
FEW_NAMES = 3
MOST_PLACED = 3
# Facts on rules of the verdict that are in the code, and change no score or never act.
RULES_WITHOUT_EFFECT = ("idle_rules", "unheld_rules")
NO_PATHS = "The report names no file as part of this work"
NO_CLAIM = "No claim was recognised in the report that could be compared with the code."
COMPARED = (
    "Only some kinds of claims are compared with the code: features of a fixed list, and values,"
    " quotations, lines and scores, where the report's words for them are recognised"
)
UNCHECKED = "The other sentences of the report were not checked."


class PdfPaths(CheckBase):
    """`claims_any`: the report names files; `none_hallucinated`: at most `maximum` of them do not exist;
    `claims_hold`: at most `maximum` of what it says of the code's behaviour is not so, or at most this
    `share` of it;
    `claims_supported`: at least `minimum` files and features of a fixed list that the work has are named;
    `names_exist`: at most `maximum` of the functions, classes and fields that it names occur nowhere in the code;
    `filled_in`: no text of a template is left in it that asks its author for something, and no table of dashes."""

    kind: Literal["pdf_paths"] = "pdf_paths"
    aspect: Literal[
        "claims_any",
        "none_hallucinated",
        "claims_hold",
        "claims_supported",
        "names_exist",
        "filled_in",
    ]
    maximum: int = Field(default=0, ge=0)
    minimum: int = Field(default=1, ge=1)
    share: float | None = Field(default=None, gt=0, lt=1)


def _detect(check: PdfPaths, sources: Sources) -> Finding | None:
    """Null for all that needs the repository's files: `_compare` answers it, and names paths whole."""
    if sources.report is None:
        return None
    if check.aspect == "filled_in":
        return filled_in(sources.report)
    if check.aspect != "claims_any":
        return None
    return names_files(sources.claims, sources.report)


def names_files(claims: Sequence[Claim | ClaimedPath], report: PdfReading) -> Finding:
    """The report names at least one path of the repository."""
    # Imported late: whoever only reads a rubric needs no analysis of PDF text.
    from courtroom.analysis.pdf_claims.path_context import is_of_others

    own = [claim for claim in claims if not is_of_others(claim.path, claim.passage)]
    is_of_another = bool(claims) and not own
    claims = own
    if not claims:
        pages = number_of(len(report.pages), "page")
        searched = f"Looked for paths of files of this work on {pages}: none is named."
        return absent(f"{NO_PATHS}." if is_of_another else "The report names no file.", searched)
    clues = [
        Clue(rationale=f"The report names {claim.path}.", statement=claim.passage, page=claim.page)
        for claim in claims
    ]
    return present(_files_named([claim.path for claim in claims]), clues)


def _files_named(paths: Sequence[str]) -> str:
    files = _files(paths)
    return f"The report mentions {number_of(len(files), *PATHS)}: {named(files)}."


def _files(paths: Iterable[str]) -> list[str]:
    """Return each file once: a path that is the end of another one is that path, written short."""
    parts = {path: PurePosixPath(path).parts[::-1] for path in paths}
    # Sorted by their parts from the end, a short form stands right before a long one.
    ordered = sorted(parts, key=lambda path: parts[path])
    pairs = pairwise(ordered)
    short = {a for a, b in pairs if parts[b][: len(parts[a])] == parts[a]}
    return [path for path in parts if path not in short]


def _reopens(check: PdfPaths, _: CheckOutcome, comparison: Comparison) -> bool:
    """The tree tells which words before a path belong to it, as in "audit/report of Ada.md"."""
    has_more = comparison.paths and (comparison.paths.claimed or comparison.origin)
    return check.aspect == "claims_any" and bool(has_more)


def _compare(check: PdfPaths, comparison: Comparison) -> Finding:
    if check.aspect == "claims_any" and comparison.paths:
        finding = names_files(comparison.paths.claimed, cast("PdfReading", comparison.pdf))
        return replace(finding, reason=f"{finding.reason} {comparison.origin}".rstrip())
    if check.aspect == "names_exist":
        return names_exist(check, comparison.names)
    if comparison.claims is not None and check.aspect == "claims_hold":
        is_interim = bool(comparison.pdf) and is_interim_report(cast("PdfReading", comparison.pdf))
        return claims_hold(
            check,
            comparison.claims,
            comparison.code,
            comparison.sentences,
            is_interim=is_interim,
        )
    # The others count files, so without the tree none of them can be answered.
    if comparison.paths is None:
        return could_not_look(NO_TREE)
    if comparison.claims is not None and check.aspect == "claims_supported":
        return claims_supported(check, comparison.claims, comparison.paths)
    return files_exist(check.maximum, comparison.paths)


def claims_hold(
    check: PdfPaths,
    claims: Sequence[CheckedClaim],
    code: Mapping[str, Any],
    sentences: int = 0,
    *,
    is_interim: bool = False,
) -> Finding:
    """At most `maximum` of the report's claims on the code fail by the facts.

    `sentences` are those of the report on the present code, most of which no fact decides. Gaps of
    an interim report that the code has closed since are one claim: that was true when it was made.
    """
    failed = [claim for claim in claims if claim.standing == "contradicted"]
    closed = [claim for claim in failed if claim.claim.is_denial and is_interim]
    wrong = [claim for claim in failed if claim not in closed[1:]]
    right = [claim for claim in claims if claim.standing == "confirmed"]
    # No claim of behaviour is no proof that the report is right.
    if not (wrong or right):
        return could_not_look(_uncompared(len(claims)) if claims else NO_CLAIM)
    reason = _behaviour(right, wrong, code) + _closed_gaps(closed)
    reason += _reach([*right, *failed], sentences)

    clues = [
        _feature_clue(
            claim,
            f"{_contradiction(claim, code)}.",
        )
        for claim in failed
    ]
    most = check.share * len([*right, *wrong]) if check.share else check.maximum
    met = len(wrong) <= most
    # What speaks for the report bears out a check that is met, what speaks against it another one.
    clues = (_confirmed_clues(right) or clues) if met else clues
    return replace(present(reason, clues, met=met), has_reservation=bool(wrong))


def _closed_gaps(closed: Sequence[CheckedClaim]) -> str:
    """Sentence, with a space before it, on further gaps of an interim report; "" without."""
    if len(closed) < 2:
        return ""
    names = named([f"{_feature(held)} (page {held.claim.page})" for held in closed[1:]])
    return (
        " This is an interim report: other gaps that it names and that are closed since count as"
        f" one claim with the first: {names}."
    )


def _reach(compared: Sequence[CheckedClaim], sentences: int) -> str:
    """Sentence, with a space before it, on which claims are compared, and in how much of the report."""
    count = len({(held.claim.page, held.claim.passage) for held in compared})
    extent = f"; those stand in {count} of its {sentences} sentences on the code"
    return f" {COMPARED}{extent if sentences > count else ''}. {UNCHECKED}"


def _uncompared(count: int) -> str:
    claims = "The only claim" if count == 1 else f"None of the {count} claims"
    return f"{claims} of the report could {'not ' if count == 1 else ''}be compared with the code."


def _contradiction(held: CheckedClaim, code: Mapping[str, Any]) -> str:
    words, place = _feature(held), _place(held, code)
    see = f" (see {place})" if place else ""
    if _is_dead(held, code):
        return f"The code has {words}, and no run takes it{see}"
    idle, unheld = (row_of(held.claim.feature, code.get(fact)) for fact in RULES_WITHOUT_EFFECT)
    if idle:
        return f"The code has {words}, and it changes no score ({place})"
    if unheld:
        place = place_of(unheld["path"], unheld["line"])
        return f"The code contradicts this claim of {words}: at {place} {unheld['why']}"
    if held.claim.is_denial:
        return f"{NOT_THERE}{words.removeprefix('no ')}{see}"
    if held.is_there:
        return f"The code has {words}, and not as this sentence says{see}"
    return f"The code contradicts this claim of {words}{see}"


def row_of(rule: str, rows: Sequence[Mapping[str, Any]] | None) -> Mapping[str, Any] | None:
    """The row of a rule in a fact on rules without effect."""
    return next((row for row in rows or () if row["rule"] == rule), None)


def _is_dead(held: CheckedClaim, code: Mapping[str, Any]) -> bool:
    """Return whether the graph has the claimed route for errors, which no run takes."""
    is_built = held.claim.feature == "error_route" and code.get("conditional_error_route")
    return bool(is_built and dead_routes(code))


def _behaviour(
    right: Sequence[CheckedClaim], wrong: Sequence[CheckedClaim], code: Mapping[str, Any]
) -> str:
    """Sentences on the claims of behaviour that were compared."""
    if not wrong:
        names = named([_feature(claim) for claim in right])
        return f"The code bears out {number_of(len(right), 'claim')} of the report: {names}."
    # Each is to be corrected.
    names = listed([_as_worded(claim, code) for claim in wrong])
    others = f" It bears out {number_of(len(right), 'other')}." if right else ""
    claims = number_of(len(wrong), "claim")
    return f"The code contradicts {claims} of the report: {names}.{others}"


def _as_worded(held: CheckedClaim, code: Mapping[str, Any]) -> str:
    """The feature of a contradicted claim, its page, and the place in the code that shows it."""
    if _has_pages(held):
        return _feature(held)
    place = _place(held, code)
    beside = f"(page {held.claim.page}{f', see {place}' if place else ''})"
    if row_of(held.claim.feature, code.get("idle_rules")):
        return f"{_feature(held)} that changes a score {beside}"
    if _is_dead(held, code):
        return f"{_feature(held)} that runs take {beside}"
    return f"{_feature(held)}{' as worded' if held.is_there else ''} {beside}"


def _has_pages(held: CheckedClaim) -> bool:
    """Return whether the detail tells of several values, each with its page."""
    return held.claim.feature == STATED_VALUE and held.claim.quote.endswith(")")


def claims_supported(
    check: PdfPaths, claims: Sequence[CheckedClaim], paths: CheckedPaths
) -> Finding:
    """At least `minimum` of the claims were found in the code.

    A report that claims little proves little, so it is not enough that no claim is wrong.
    """
    right = [claim for claim in claims if claim.standing == "confirmed"]
    existing = _by_file(paths.verified)
    count = len(right) + len(existing)
    features = number_of(len(right), "feature") if right else "no features"
    files = number_of(len(existing), "file") if existing else "no files"
    reason = (
        "Looked in the report for files of the work and for a fixed list of features: of those that"
        f" the work has, {features} and {files} were recognised there."
    )
    clues = _confirmed_clues(right)
    if not clues:
        searched = "Looked for them in all that the report says of the code."
        return absent(reason, searched, met=count >= check.minimum)
    return present(reason, clues, met=count >= check.minimum)


def files_exist(maximum: int, paths: CheckedPaths) -> Finding:
    missing, existing = _by_file(paths.hallucinated), _by_file(paths.verified)
    left_out = _left_out([claim.path for claim in paths.unheld])
    if not (missing or existing):
        return could_not_look(f"{NO_PATHS}.{left_out}")
    reason = _existence(len(missing) + len(existing), [claim.path for claim in missing])
    met = len(missing) <= maximum
    clues = [
        _path_clue(claim, f"The report names {claim.path}, which the tree does not have.")
        for claim in missing
    ]
    if existing and met:
        clues = [
            _path_clue(claim, f"The report names {claim.path}, which is in the tree.")
            for claim in existing
        ]
    fault = _missing_fault(len(missing), maximum)
    finding = present(reason + left_out, clues, met=met, fault=fault)
    return replace(finding, has_reservation=bool(missing))


def _left_out(paths: Sequence[str]) -> str:
    """Sentence on the files that are named and need not be in the tree."""
    files = _files(paths)
    if not files:
        return ""
    return (
        f" Not looked for, as a plan, an example, an output or the report's source: {named(files)}."
    )


def _missing_fault(count: int, maximum: int) -> str:
    if not maximum:
        files = "a file that does" if count == 1 else "files that do"
        return f"The report names {files} not exist."
    return f"The report names more than {number_of(maximum, 'file')} that do not exist."


def _existence(count: int, missing: Sequence[str]) -> str:
    """Sentence on the files that the report names, of which these do not exist."""
    files = f"The report names {number_of(count, *PATHS)}"
    if not missing:
        return f"{files}, and this work has {'it' if count == 1 else 'all of them'}."
    if len(missing) == count:
        absent_ones = (
            "which this work does not have" if count == 1 else "none of which this work has"
        )
        return f"{files}, {absent_ones}: {named(missing)}."
    return f"{files}, of which this work does not have {len(missing)}: {named(missing)}."


def names_exist(check: PdfPaths, names: CheckedNames | None) -> Finding:
    """At most `maximum` of the names of code in the report occur nowhere in the code."""
    if names is None:
        return could_not_look(NO_NAMES)
    clues = [
        Clue(
            rationale=_no_file_has(name.name),
            statement=name.passage,
            page=name.page,
            confidence=INFERRED,
        )
        for name in names.missing
    ]
    missing = [name.name for name in names.missing]
    finding = _names_found(check, len(names.existing), missing, clues)
    return replace(finding, reason=f"{finding.reason}{_misplaced(names.misplaced)}")


def _misplaced(names: Sequence[PlacedName]) -> str:
    """Sentences, with a space before them, on names that another file defines than the report says."""
    return "".join(
        f" The report places {row.name} in {row.path} (page {row.page}), and"
        f" {place_of(row.home, row.line)} defines it."
        for row in names[:MOST_PLACED]
    )


def _no_file_has(name: str) -> str:
    return f"No file of the code has {name}."


def _names_found(
    check: PdfPaths, existing: int, missing: Sequence[str], clues: Sequence[Clue]
) -> Finding:
    count = existing + len(missing)
    if not count:
        return could_not_look("No function, class or field was recognised in the report.")
    recognised = f"Recognised {number_of(count, 'name')} of code in the report (plans aside)"
    if count < FEW_NAMES and len(missing) <= check.maximum:
        return could_not_look(f"{recognised}, too few to tell.")
    if not missing:
        reason = f"{recognised}; the code has {'it' if existing == 1 else 'all of them (which class has each was not compared)'}."
        return absent(reason, "Looked for each of them in all files of the code.", met=True)
    verb = "occurs" if len(missing) == 1 else "occur"
    reason = f"{recognised}, of which {named(missing)} {verb} nowhere in the code."
    if len(missing) > check.maximum:
        return present(reason, clues, met=False)
    finding = absent(reason, "Looked for each of them in all files of the code.", met=True)
    return replace(finding, has_reservation=True)


def _by_file(claims: Sequence[ClaimedPath]) -> list[ClaimedPath]:
    files = set(_files(claim.path for claim in claims))
    return [claim for claim in claims if claim.path in files]


def _path_clue(claim: ClaimedPath, rationale: str) -> Clue:
    return Clue(
        rationale=rationale,
        statement=claim.passage,
        page=claim.page,
        confidence=INFERRED,
    )


def _feature_clue(held: CheckedClaim, rationale: str) -> Clue:
    return Clue(
        rationale=rationale,
        statement=held.claim.passage,
        page=held.claim.page,
        confidence=INFERRED,
    )


def _confirmed_clues(claims: Sequence[CheckedClaim]) -> list[Clue]:
    by_passage: dict[tuple[int, str], list[CheckedClaim]] = {}
    for held in claims:
        by_passage.setdefault((held.claim.page, held.claim.passage), []).append(held)
    return [
        _feature_clue(
            group[0], f"Of this passage the code bears out {listed(map(_feature, group))}."
        )
        for group in by_passage.values()
    ]


def _feature(held: CheckedClaim) -> str:
    file = held.claim.file
    if held.claim.feature in WITH_DETAIL:
        words = "values" if _has_pages(held) else FEATURE_WORDS[held.claim.feature]
        return f"{words}, as {held.claim.quote}"
    if held.claim.quote:
        return f"{FEATURE_WORDS[held.claim.feature]} (“{held.claim.quote}”)"
    if held.claim.feature == MADE_CHANGE:
        return f"{FEATURE_WORDS[MADE_CHANGE]}: the last commit of {file} is older"
    return f"content in {file}, which is empty" if file else FEATURE_WORDS[held.claim.feature]


def _place(held: CheckedClaim, code: Mapping[str, Any]) -> str:
    """The place in the code that the claim is about, when the facts name one; "" without."""
    for fact in RULES_WITHOUT_EFFECT:
        row = row_of(held.claim.feature, code.get(fact))
        if row:
            return place_of(row["path"], row["line"])
    if held.claim.feature == PATH_CHECK and (broken := broken_path_check(code)):
        return place_of(broken["path"], broken["line"])
    place = code.get(held.claim.about) if held.claim.about else None
    if isinstance(place, (list, tuple)):
        place = place[0] if place else None
    if not isinstance(place, Mapping):
        return ""
    place = edge_of(held.claim.feature, place) or place
    line = place.get("state_graph_line") or place.get("line")
    return place_of(place["path"], line)


def _replay(check: PdfPaths, report: StoredReport) -> Finding | None:
    """A report keeps the paths that were claimed and those that do not exist, no other claim."""
    if check.aspect == "claims_any":
        return _replay_names(report)
    if check.aspect == "names_exist":
        return _replay_code_names(check, report)
    return _replay_missing(check, report) if check.aspect == "none_hallucinated" else None


def _replay_names(report: StoredReport) -> Finding:
    paths = report.fact("pdf_claimed_paths")
    if paths is None:
        return report.unknown("pdf_claimed_paths")
    if not paths:
        return absent(
            "The report names no file.", "Looked for paths of files on its pages: none is named."
        )
    return present(_files_named(paths), [_name_clue(path) for path in paths])


def _replay_missing(check: PdfPaths, report: StoredReport) -> Finding:
    paths = report.fact("pdf_claimed_paths")
    missing = report.fact("pdf_hallucinated_paths")
    if paths is None or missing is None:
        return report.unknown("pdf_hallucinated_paths")
    existing = _files(path for path in paths if path not in missing)
    missing = _files(missing)
    if not (missing or existing):
        return could_not_look(f"{NO_PATHS}.")
    reason = _existence(len(missing) + len(existing), missing)
    met = len(missing) <= check.maximum
    clues = [_name_clue(path) for path in (existing or missing if met else missing)]
    fault = _missing_fault(len(missing), check.maximum)
    return replace(present(reason, clues, met=met, fault=fault), has_reservation=bool(missing))


def _replay_code_names(check: PdfPaths, report: StoredReport) -> Finding:
    names, missing = report.fact("pdf_code_names"), report.fact("pdf_missing_names")
    if names is None or missing is None:
        return report.unknown("pdf_missing_names")
    clues = [Clue(rationale=_no_file_has(name), statement=name) for name in missing]
    return _names_found(check, len(names) - len(missing), missing, clues)


def _name_clue(path: str) -> Clue:
    """A path as the report writes it: it may not exist."""
    return Clue(rationale=f"The report names {path}.", statement=path)


def _fault(check: PdfPaths) -> str:
    over = f"More than {check.maximum}" if check.maximum else "Some"
    part = f"More than {check.share:.0%} of the" if check.share else over
    return {
        "claims_any": "The report names no file of the repository.",
        "none_hallucinated": "The report does not name files that exist, as it should.",
        "claims_hold": f"{part} claims of the report on the code are contradicted there.",
        "claims_supported": (
            f"Fewer than {check.minimum} features and files that the work has were recognised in"
            " the report."
        ),
        "names_exist": (f"{over} names of code in the report occur nowhere in the code."),
        "filled_in": "The report has places that its author was to fill in.",
    }[check.aspect]


def _subjects(_: PdfPaths) -> Subjects:
    return Subjects(("report",))


KIND = CheckKind(
    model=PdfPaths,
    detective="DocAnalyst",
    detect=_detect,
    compare=_compare,
    reopens=_reopens,
    replay=from_stored_report(_replay),
    fault=_fault,
    subjects=_subjects,
    label=Label(
        title="Claims of the report",
        about="Whether the files and features that the report names are there.",
        fields={
            "maximum": "Unfounded at most",
            "minimum": "Supported at least",
            "share": "Unfounded share at most",
        },
    ),
    concern="risk",
    order=150,
)
