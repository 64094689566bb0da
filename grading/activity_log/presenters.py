"""The log's verbs in words. A verb without a sentence fails tests/activity_log/test_activity.py."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grading.core.enums import AuditState, BulkVerb, Role

# {words} are keys of the activity's detail; a part in [brackets] is left out where its key is missing or empty.
SENTENCES = {
    "appeal.changed": "changed “{criterion}” on appeal: {before} → {score}",
    "appeal.escalated": "left the appeal on “{criterion}” to an owner",
    "appeal.filed": "appealed “{criterion}”[ (told {score})]",
    "appeal.kept": "answered the appeal on “{criterion}”: the verdict stays",
    "appeal.rejudged": "had “{criterion}” judged again for an appeal",
    "appeal.returned": "brought the appeal on “{criterion}” back: it was judged again, or could not be",
    "appeal.withdrawn": "withdrew the appeal on “{criterion}”",
    "assignment.changed": "changed settings of the assignment: {what}",
    "assignment.created": "created the assignment",
    "assignment.rubric_adopted": "adopted {after} in place of {before}: later submissions are judged under it",
    "audit.failed": "ended the audit without a verdict ({code})",
    "audit.finished": "finished the audit: {state}[, {overall_score} of 5]",
    "audit.requeued": "put the audit back on the queue ({code})",
    "audit.resynthesised": "re-synthesised the report under {rubric}[: {score_before} → {score}]",
    "audit.started": "started the audit[, attempt {attempt}]",
    "bulk.cancelled": "cancelled a bulk run: {cancelled} were left out",
    "bulk.finished": "finished a bulk run: {done} done, {changed} changed, {failed} failed",
    "bulk.started": "started a bulk run: {what} {total} under {rubric}",
    "cohort.archived": "took an archive of the cohort",
    "cohort.deleted": "deleted the cohort {slug}",
    "cohort.opened": "opened the cohort",
    "criterion.overridden": "gave “{criterion}” {score} in place of {before}: {reason}",
    "communication.posted": "posted an entry of their communication log: {kind}[, for {reader}]",
    "complaint.dismissed": "looked into what was reported as abusive, and left the report as it is",
    "complaint.hidden": "hid a peer's report from whom it is about",
    "complaint.made": "reported a peer's report as abusive",
    "enrollment.linked": "took their place on the roster",
    "feedback.imported": "brought a report along[ ({origin})]",
    "feedback.read": "read a report of a peer for the first time",
    "finding.answered": "answered “{title}”: {answer}[ in {commit}]",
    "finding.fix_verified": "looked up the fix in {commit}: {outcome}",
    "findings.recorded": "recorded findings: {there} there, {new} of them new, {fixed} fixed, {regressed} regressed",
    "feedback.searched": "searched the repository for reports: {taken} taken",
    "grade.pinned": "pinned the grade to attempt {attempt}: {reason}",
    "grade.released": "released the grade[, {score} of 5][ (before: {before})][: {note}]",
    "grade.taken_back": "took the release of the grade back[ ({score} of 5)]: {reason}",
    "grade.unpinned": "let the latest attempt count again",
    "grades.exported": "exported {what} for {layout}, as {scale}",
    "override.withdrawn": "withdrew the score {score} given by hand",
    "pairing.audited": "began an audit of a peer's attempt {attempt}",
    "roster.imported": "imported a roster: {created} new, {updated} changed, {refused} refused",
    "round.joined": "let {student} into round {number}: {added} pairs made, {ended} ended",
    "round.left": "took {student} out of round {number} ({reason}): {ended} pairs ended, {added} made",
    "round.paired": "had {auditor} audit {auditee} in round {number}",
    "round.reminded": "reminded {letters} of what they owe in round {number}",
    "round.started": "started round {number} of peers: {students} students audit {peers} each, {anonymity}",
    "round.swapped": "exchanged whom {auditor} and {other} audit in round {number}",
    "round.unpaired": "ended that {auditor} audits {auditee} in round {number}: {reason}",
    "sample.drawn": "drew a sample of {size} to grade blind",
    "submission.graded_blind": "graded blind: {criteria} criteria",
    "submission.handed_in": "handed in attempt {attempt}",
    "submission.reaudited": "had everything audited anew",
    "submission.rejudged": "had the judges asked again",
    "submission.withdrawn": "took attempt {attempt} back before its audit began",
    # What belongs to no cohort is in no cohort's log, but may come to be.
    "administration.closed": "lost the way into the administration",
    "administration.opened": "was let into the administration",
    "admin.added": "added this in the administration",
    "admin.changed": "changed this in the administration",
    "membership.granted": "made somebody {role}",
    "notices.chosen": "chose which letters to get",
    "organization.founded": "founded the organization",
    "webhook.added": "had {host} told of events",
    "webhook.changed": "changed where the webhook at {host} is told, or of what",
    "webhook.deleted": "deleted the webhook at {host}",
    "webhook.switched_off": "switched the webhook at {host} off",
    "webhook.switched_on": "switched the webhook at {host} on",
    "webhook.tested": "sent a test to {host}",
    "rubric.drafted": "drafted version {number} of a rubric",
    "rubric.edited": "edited a rubric's draft",
    "rubric.imported": "imported version {number} of a rubric from {source}",
    "rubric.published": "published version {number} of a rubric",
}
FAMILIES = tuple(sorted({verb.partition(".")[0] for verb in SENTENCES}))
_HOLE = re.compile(r"\{(\w+)\}")
_OPTIONAL = re.compile(r"\[([^\]]*)\]")


def sentence_of(verb: str, detail: Mapping[str, Any]) -> str:
    """What was done, as the end of a sentence that begins with who; an unknown verb is said as it is stored."""
    known = SENTENCES.get(verb)
    if known is None:
        return verb.replace(".", ": ").replace("_", " ")
    given = {
        key: format_value(key, value)
        for key, value in detail.items()
        if value is not None and value != ""
    }
    shown = _OPTIONAL.sub(
        lambda part: part[1] if set(_HOLE.findall(part[1])) <= given.keys() else "", known
    )
    return _HOLE.sub(lambda hole: given.get(hole[1], "none"), shown)


_VALUES: dict[str, Mapping[str, str]] = {
    "state": {state.value: state.label.lower() for state in AuditState},
    "what": {verb.value: verb.label.lower() for verb in BulkVerb},
    "role": {role.value: role.label.lower() for role in Role},
    "layout": {"generic": "any spreadsheet", "canvas": "Canvas", "moodle": "Moodle"},
}
# By what stands before the dot of a verb; another is said as it is stored.
_FAMILIES = {
    "admin": "changes in the administration",
    "administration": "the way into the administration",
    "appeal": "appeals",
    "assignment": "assignments",
    "audit": "audits",
    "bulk": "bulk runs",
    "cohort": "the cohort",
    "communication": "communication logs",
    "complaint": "reports reported as abusive",
    "criterion": "scores given by hand",
    "enrollment": "places on the roster",
    "feedback": "peers' reports",
    "finding": "answers to findings",
    "findings": "findings of an audit",
    "grade": "grades and releases",
    "grades": "exports of grades",
    "membership": "roles",
    "notices": "letters",
    "organization": "the organization",
    "override": "scores by hand withdrawn",
    "pairing": "pairs of peers",
    "roster": "imports of the roster",
    "round": "rounds of peers",
    "rubric": "rubrics",
    "sample": "blind samples",
    "submission": "hand-ins",
    "token": "access for programs",
    "webhook": "webhooks",
}


def format_value(key: str, value: Any) -> str:
    """A value of an activity's detail as its sentence says it."""
    if key == "code":
        return str(value).replace("_", " ")
    if isinstance(value, float):
        return f"{value:g}"
    return _VALUES.get(key, {}).get(str(value), str(value))


def family_name(family: str) -> str:
    return _FAMILIES.get(family, family.replace("_", " "))
