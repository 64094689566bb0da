"""Checks on what the report says the code does: its claims, each held against the facts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import PurePosixPath
from typing import Any

from courtroom.analysis.pdf_claims.claimed_paths import ClaimedPath, PathVerdicts
from courtroom.analysis.pdf_claims.claims import HeldClaim
from courtroom.detectives.document_checks import READ_NOT_UNDERSTOOD
from courtroom.detectives.findings import Clue, Finding, absent, could_not_look, present
from courtroom.models.rubric import PdfPaths


def claims_hold(
    check: PdfPaths, held: Sequence[HeldClaim], paths: PathVerdicts, code: Mapping[str, Any]
) -> Finding:
    """At most `maximum` of what the report says is there is not: features by the facts, files by the tree."""
    wrong = [claim for claim in held if claim.standing == "contradicted"]
    right = [claim for claim in held if claim.standing == "confirmed"]
    missing = _by_name(paths.hallucinated)
    if not (wrong or right or missing):
        return could_not_look("The report says nothing of its code that could be held against it.")
    reason = (
        f"Of what the report says the code does, {len(right)} claims hold and {len(wrong)} do not; "
        f"{len(missing)} files that it names are missing."
    )
    clues = [
        *(
            _clue(claim, f"The code does not bear this out: {_words(claim)}{_where(claim, code)}.")
            for claim in wrong
        ),
        *(_missing(claim) for claim in missing),
    ]
    clues = clues or [_clue(claim, f"The code bears this out: {_words(claim)}.") for claim in right]
    return present(reason, clues, met=len(wrong) + len(missing) <= check.maximum)


def claims_supported(check: PdfPaths, held: Sequence[HeldClaim], paths: PathVerdicts) -> Finding:
    """At least `minimum` of what the report says was found in the code: little that can be held against it proves little."""
    right = [claim for claim in held if claim.standing == "confirmed"]
    count = len(right) + len(paths.verified)
    reason = f"Of what the report says, {len(right)} features and {len(paths.verified)} files were found in the code."
    clues = [_clue(claim, f"The code bears this out: {_words(claim)}.") for claim in right]
    if not clues:
        return absent(
            reason,
            f"{reason} Looked through all that it says of the code.",
            met=count >= check.minimum,
        )
    return present(reason, clues, met=count >= check.minimum)


def _by_name(missing: Sequence[ClaimedPath]) -> list[ClaimedPath]:
    """One claim per file: a report may write the same path long and short."""
    return list({PurePosixPath(claim.path).name: claim for claim in reversed(missing)}.values())[
        ::-1
    ]


def _missing(claim: ClaimedPath) -> Clue:
    rationale = f"The tree has no {claim.path}."
    return Clue(
        rationale=rationale,
        statement=claim.passage,
        page=claim.page,
        confidence=READ_NOT_UNDERSTOOD,
    )


def _clue(held: HeldClaim, rationale: str) -> Clue:
    return Clue(
        rationale=rationale,
        statement=held.claim.passage,
        page=held.claim.page,
        confidence=READ_NOT_UNDERSTOOD,
    )


def _words(held: HeldClaim) -> str:
    return held.claim.feature.replace("_", " ")


def _where(held: HeldClaim, code: Mapping[str, Any]) -> str:
    """The place in the code that the claim is about, when the facts name one."""
    place = code.get(held.claim.about) if held.claim.about else None
    if isinstance(place, (list, tuple)):
        place = place[0] if place else None
    if not isinstance(place, Mapping):
        return ""
    line = place.get("state_graph_line") or place.get("line")
    return f" (see {place['path']}:{line})"


_COMMENT = re.compile(r"#.*")
_CLEANS_UP = re.compile(r"\bTemporaryDirectory\(")
_STAYS = re.compile(r"\bmkdtemp\(")


def cleans_up_by_itself(
    function: Mapping[str, Any] | None, files: Mapping[str, Sequence[str]]
) -> bool | None:
    """Whether the clone function works in a TemporaryDirectory (true) or in what mkdtemp leaves behind (false).

    `function` is the fact clone_function, `files` holds the lines of its file; null where it makes its folder
    elsewhere.
    """
    if function is None:
        return None
    body = _COMMENT.sub(
        "", "\n".join(_definition(files.get(function["path"], []), function["line"]))
    )
    if _CLEANS_UP.search(body):
        return True
    return False if _STAYS.search(body) else None


def _definition(lines: Sequence[str], start: int) -> list[str]:
    """The `def` line and everything indented deeper; closing brackets of its head belong to it."""
    head, rest = lines[start - 1 : start], lines[start:]
    depth = _indent(head[0]) if head else 0
    inside = takewhile(
        lambda line: not line.strip() or _indent(line) > depth or line.strip()[0] in ")]", rest
    )
    return [*head, *inside]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
