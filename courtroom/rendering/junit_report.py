"""Checks of a report as JUnit XML: a suite for each criterion, a test case for each check.

What could not be judged is an error, what could not be established is skipped; neither passes nor
fails. There are no scores and no times: the same report gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from xml.etree import ElementTree as ET

from courtroom.findings import Draft, findings_of_report
from courtroom.models.audit_report import AuditReport, CriterionCheck, CriterionResult
from courtroom.models.refused_audit import RefusedAudit
from courtroom.rendering.error_groups import group_errors
from courtroom.rendering.markdown_escaping import REPLACEMENT, UNSEEN, one_line

JUDGED, BEGUN = "A score was reached", "The audit began"
NOTHING = "Nothing could be judged."
# Tags of test cases that did not pass, and the attribute that counts each.
COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def render_junit(report: AuditReport) -> str:
    """Return the report as JUnit XML; the errors of the audit are its standard error."""
    drafts = () if report.status == "degraded" else findings_of_report(report).there
    # Without a criterion there would be no test case, and nothing to fail.
    suites = [_suite(criterion, drafts) for criterion in report.criteria] or [
        _audit_error(JUDGED, NOTHING, report.status)
    ]
    errors = ET.Element("system-err")
    errors.text = "\n".join(
        one_line(f"{group.code}: {group.message}") for group in group_errors(report.errors)
    )
    if errors.text:
        suites[-1].append(errors)
    return _document(suites)


def render_refused_junit(record: RefusedAudit) -> str:
    """Return the record of an audit that could not begin: one test case, an error."""
    return _document([_audit_error(BEGUN, record.message, record.code)])


def _audit_error(case: str, message: str, kind: str) -> ET.Element:
    """Return a suite of one test case, an error of the audit as a whole."""
    suite = ET.Element("testsuite", name="Audit")
    suite.append(_case("audit", case, "error", message, kind))
    return suite


def _document(suites: Sequence[ET.Element]) -> str:
    root = ET.Element("testsuites", name="Automaton Auditor")
    for suite in suites:
        _count(suite, [suite])
        root.append(suite)
    _count(root, suites)
    ET.indent(root, " ")
    text = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return f"{text.decode()}\n"


def _count(element: ET.Element, suites: Sequence[ET.Element]) -> None:
    element.set("tests", str(sum(len(suite.findall("testcase")) for suite in suites)))
    for tag, attribute in COUNTED.items():
        cases = sum(len(suite.findall(f"testcase/{tag}")) for suite in suites)
        element.set(attribute, str(cases))


def _suite(criterion: CriterionResult, drafts: Iterable[Draft]) -> ET.Element:
    suite = ET.Element("testsuite", name=one_line(criterion.name))
    suite.extend(_cases(criterion, [row for row in drafts if row.criterion_id == criterion.id]))
    return suite


def _cases(criterion: CriterionResult, drafts: Sequence[Draft]) -> Iterator[ET.Element]:
    """Yield whether it was judged, its checks, then findings of no check, such as a root cause."""
    if criterion.excluded:
        yield _case(criterion.id, JUDGED, "skipped", "The criterion is left out of this audit.")
        return
    if criterion.needs_review:
        yield _case(criterion.id, JUDGED, "error", criterion.rationale, "needs_review")
    else:
        yield _case(criterion.id, JUDGED)

    for check in criterion.checks:
        yield _check(criterion.id, check, [row for row in drafts if row.check_id == check.check])
    names = {check.check for check in criterion.checks}
    for draft in drafts:
        if draft.check_id not in names:
            failure = (draft.title, draft.check_id or "change", _places([draft]))
            yield _case(criterion.id, draft.title, "failure", *failure)


def _check(criterion_id: str, check: CriterionCheck, drafts: Sequence[Draft]) -> ET.Element:
    words, name = str(check.statement), check.goal or check.check
    if check.met:
        return _case(criterion_id, name)
    if check.met is False:
        return _case(criterion_id, name, "failure", words, check.check, _places(drafts))
    if check.has_failed:
        return _case(criterion_id, name, "error", words, check.check)
    return _case(criterion_id, name, "skipped", words)


def _places(drafts: Iterable[Draft]) -> str:
    """Return the places and the change for each, line by line."""
    rows = []
    for draft in drafts:
        lines = [f"{draft.place}:{line}" for line in draft.lines] or [draft.place]
        rows += [row for row in (*lines, draft.action) if row]
    return "\n".join(rows)


def _case(
    criterion_id: str, name: str, tag: str = "", message: str = "", kind: str = "", body: str = ""
) -> ET.Element:
    """Return a test case, with the element that says why it did not pass where there is one."""
    case = ET.Element("testcase", classname=one_line(criterion_id), name=one_line(name))
    if tag:
        reason = ET.SubElement(case, tag, message=one_line(message))
        if kind:
            reason.set("type", one_line(kind))
        reason.text = UNSEEN.sub(REPLACEMENT, body) or None
    return case
