"""Findings of a report as SARIF 2.1.0, for code scanning and editors.

A finding is a result, with the site's identity as its fingerprint. A criterion or check that could
not be judged is a notification of the tool, never a result. The same report gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal
from urllib.parse import quote

from courtroom.findings import Draft, findings_of_report
from courtroom.models.audit_report import ENGINE, AuditReport, CriterionCheck, CriterionResult
from courtroom.models.evidence import Evidence
from courtroom.models.refused_audit import RefusedAudit
from courtroom.models.root_cause import RootCause
from courtroom.rendering.error_groups import group_errors
from courtroom.rendering.markdown_escaping import escape_sentence, one_line

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS: dict[str, Literal["error", "warning", "note"]] = {
    "high": "error",
    "medium": "warning",
    "low": "note",
}
ROOT = "SRCROOT"
# Code scanning refuses a whole file for one result without a file. OpenSSF Scorecard gave this name
# to the absence of one.
NO_FILE = "no file associated with this alert"
NOT_JUDGED, NOT_ESTABLISHED, SUSPECTED = (
    "criterion-not-judged",
    "check-not-established",
    "possible-prompt-injection",
)
ADDRESS_CHARACTERS = "/:?#[]@!$&'()*+,;=%"

Json = dict[str, Any]


def render_sarif(report: AuditReport) -> str:
    """Return the report as SARIF; a degraded one has no results."""
    rules = {rule["id"]: rule for rule in _rules(report)}
    index = {name: number for number, name in enumerate(rules)}
    evidence = {piece.id: piece for piece in report.evidence}
    drafts = () if report.status == "degraded" else findings_of_report(report).there
    run = {
        "tool": _tool(report.engine, [*rules.values()]),
        "automationDetails": {"id": f"automaton-auditor/{quote(report.rubric.id, safe='')}/"},
        "invocations": [
            {
                "executionSuccessful": report.status == "verdict",
                "toolExecutionNotifications": list(_notifications(report, index)),
            }
        ],
        "versionControlProvenance": _provenance(report),
        "originalUriBaseIds": {ROOT: {"description": _message("The root of the repository.")}},
        "results": [_result(draft, index, evidence) for draft in drafts],
        "properties": {"reportDigest": report.digest},
    }
    return _log(run)


def render_refused_sarif(record: RefusedAudit) -> str:
    """Return the record of an audit that could not begin: no results, and why."""
    invocation = {
        "executionSuccessful": False,
        "toolExecutionNotifications": [_notification(record.code, "error", record.message)],
    }
    return _log({"tool": _tool(ENGINE, []), "invocations": [invocation], "results": []})


def _log(run: Json) -> str:
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=1, ensure_ascii=False) + "\n"


def _tool(engine: str, rules: Sequence[Json]) -> Json:
    return {"driver": {"name": "Automaton Auditor", "version": engine, "rules": list(rules)}}


def plain_text(text: str) -> str:
    """Return a message string that holds these words and nothing else.

    Braces would be placeholders, a bracket before a parenthesis a link (SARIF 3.11.5 and 3.11.6).
    """
    line = one_line(text).replace("{", "{{").replace("}", "}}")
    return line.replace("](", "] (")


def _message(text: str) -> Json:
    return {"text": plain_text(text)}


def sentences(*texts: str) -> str:
    """Return the texts as sentences, each once."""
    closed = (text if text.endswith((".", "!", "?", "…")) else f"{text}." for text in texts if text)
    return " ".join(dict.fromkeys(closed))


def _rules(report: AuditReport) -> Iterator[Json]:
    """Yield a rule for each check, root cause and criterion without checks; ids may repeat."""
    for criterion in report.criteria:
        for check in criterion.checks:
            yield _rule(criterion, check.check, check.fault or check.goal, check.goal)
            if check.not_applicable:
                yield _rule_of_cause(criterion, check.not_applicable)
        if not criterion.checks:
            yield _rule(criterion, _criterion_rule(criterion.id), criterion.name, "")


def _criterion_rule(criterion_id: str) -> str:
    return f"criterion/{criterion_id}"


def _rule_of_cause(criterion: CriterionResult, cause: RootCause) -> Json:
    # The path in a sentence would make another rule of each submission.
    return _rule(criterion, cause.code, cause.without_place.sentence, "")


def _rule(criterion: CriterionResult, identity: str, fault: str, goal: str) -> Json:
    asked = f"What is asked for: {goal}" if goal else ""
    help_text = sentences(asked, f"It counts for the criterion “{criterion.name}”.")
    return {
        "id": identity,
        "shortDescription": _message(sentences(fault)),
        "fullDescription": _message(sentences(fault, asked)),
        "help": _message(help_text) | {"markdown": plain_text(escape_sentence(help_text))},
        "properties": {"tags": [one_line(criterion.id)]},
    }


def _result(draft: Draft, index: Mapping[str, int], evidence: Mapping[str, Evidence]) -> Json:
    pieces = [evidence[key] for key in draft.evidence if key in evidence]
    elsewhere = dict.fromkeys(p.location.words for p in pieces if not p.location.path)
    place = ", ".join(filter(None, elsewhere))
    text = sentences(draft.title, draft.text, draft.action, f"Place: {place}" if place else "")
    rule = draft.check_id or _criterion_rule(draft.criterion_id)
    result = {
        "ruleId": rule,
        "ruleIndex": index[rule],
        "level": LEVELS.get(draft.priority, "warning"),
        "message": _message(text),
        "fingerprints": {"automatonAuditorFinding/v1": draft.key},
        "properties": {"criterion": one_line(draft.criterion_name)},
    }
    uri = file_uri(draft.place)
    if uri is None:
        # Code scanning computes this from the lines of a file, where there is one.
        result["partialFingerprints"] = {"primaryLocationLineHash": draft.key}
        return result | {"locations": [_location(quote(NO_FILE), 1, None)]}
    return result | {"locations": [_location(uri, *lines) for lines in lines_of(draft, pieces)]}


def file_uri(path: str) -> str | None:
    """Return the path as a relative URI; None for what is no path inside the repository."""
    if "\\" in path or any(part in {"", ".", ".."} for part in path.split("/")):
        return None
    # Bytes of a name that is not UTF-8 stay these bytes.
    return quote(path, safe="/", errors="surrogateescape")


def lines_of(draft: Draft, pieces: Sequence[Evidence]) -> list[tuple[int, int | None]]:
    """Return first and last lines in the file, in order; the first line for a file as a whole."""
    places = [piece.location for piece in pieces if piece.location.path == draft.place]
    ranges = {place.line_start: place.line_end for place in places if place.line_start}
    return [(line, ranges.get(line)) for line in draft.lines] or [(1, None)]


def _location(uri: str, start: int, end: int | None) -> Json:
    region = {"startLine": start} | ({"endLine": end} if end and end > start else {})
    artifact = {"uri": uri, "uriBaseId": ROOT}
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}


def _notifications(report: AuditReport, index: Mapping[str, int]) -> Iterator[Json]:
    """Yield failures of ours, then what could not be judged or established, then the flag."""
    for group in group_errors(report.errors):
        extent = f" ({group.extent})" if group.extent else ""
        yield _notification(group.code, "error", f"{group.message}{extent}")

    for criterion in report.criteria:
        if criterion.needs_review:
            text = f"“{criterion.name}” has no score. {criterion.rationale}"
            yield _notification(NOT_JUDGED, "error", text)
        for check in _not_established(criterion.checks):
            rule = {"id": check.check, "index": index[check.check]}
            notification = _notification(NOT_ESTABLISHED, "warning", str(check.statement))
            yield notification | {"associatedRule": rule}

    if report.integrity.suspected:
        text = "Text in the submission may address the graders. A person decides; no score changed."
        yield _notification(SUSPECTED, "warning", text)


def _not_established(checks: Iterable[CriterionCheck]) -> Iterator[CriterionCheck]:
    return (check for check in checks if check.met is None and check.not_applicable is None)


def _notification(code: str, level: Literal["error", "warning"], text: str) -> Json:
    return {"descriptor": {"id": code}, "level": level, "message": _message(text)}


def _provenance(report: AuditReport) -> list[Json]:
    """Return repository, commit and branch; nothing for a local or a redacted repository."""
    if not report.repo_url.startswith(("https://", "http://")):
        return []
    origin = {
        "repositoryUri": quote(report.repo_url, safe=ADDRESS_CHARACTERS),
        "revisionId": report.commit,
        "branch": report.ref,
        "mappedTo": {"uriBaseId": ROOT},
    }
    return [{key: value for key, value in origin.items() if value}]
