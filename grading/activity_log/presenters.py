"""Present the log's verbs as sentences. tests/activity_log/test_activity.py holds them complete."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from grading.core.enums import AuditState, BulkVerb, Role

# {name} is a key of the activity's detail. A part in [brackets] is left out if its key is missing.
SENTENCES = {
    "appeal.assigned": "handed the appeal on “{criterion}” to {to}",
    "appeal.changed": "changed “{criterion}” on appeal: {before} → {score}",
    "appeal.escalated": "passed the appeal on “{criterion}” to an owner",
    "appeal.filed": "appealed “{criterion}”[ (score {score})]",
    "appeal.freed": "handed the appeal on “{criterion}” to nobody",
    "appeal.kept": "kept the verdict on “{criterion}” on appeal",
    "appeal.rejudged": "had “{criterion}” judged again on appeal",
    "appeal.returned": "reopened the appeal on “{criterion}”: judging again has ended",
    "appeal.withdrawn": "withdrew the appeal on “{criterion}”",
    "assignment.changed": "changed settings of the assignment: {what}",
    "assignment.moved": "changed the short name of the assignment from {before} to {after}",
    "assignment.created": "created the assignment",
    "assignment.rubric_adopted": "adopted {after} in place of {before} for later submissions",
    "audit.failed": "ended the audit with an error ({code})",
    "audit.finished": "finished the audit: {state}[, {overall_score} of 5]",
    "audit.requeued": "returned the audit to the queue ({code})",
    "audit.resynthesised": ("recomputed the verdict under {rubric}[: {score_before} → {score}]"),
    "audit.started": "started the audit[, attempt {attempt}]",
    "bank.added": "added “{label}” to the comment bank of {rubric}",
    "bank.archived": "archived “{label}” in the comment bank of {rubric}",
    "bank.changed": "changed “{label}” in the comment bank of {rubric}",
    "bank.restored": "restored “{label}” in the comment bank of {rubric}",
    "bulk.cancelled": "cancelled a bulk run with {cancelled} left",
    "bulk.finished": "finished a bulk run: {done} done, {changed} changed, {failed} failed",
    "bulk.started": "started a bulk run: {what} {total} under {rubric}",
    "cohort.archived": "downloaded an archive of the cohort",
    "cohort.changed": "changed settings of the cohort: {what}",
    "cohort.moved": "changed the short name of the cohort from {before} to {after}",
    "cohort.copied": "created the cohort as a copy of {source}: {assignments} assignments",
    "cohort.deleted": "deleted the cohort {slug}",
    "cohort.opened": "created the cohort",
    "cohort.zone_changed": "changed the time zone from {before} to {after}",
    "criterion.overridden": "overrode the score of “{criterion}”: {before} → {score}: {reason}",
    "comment.answered": "answered the comment on {place}",
    "comment.deleted": "deleted a draft of a comment on {place}",
    "comment.edited": "edited a draft of a comment on {place}[, before: {before}]",
    "comment.hidden": "hid {comments} comments with the release",
    "comment.replied": "replied to an answer to the comment on {place}",
    "comment.released": "released {comments} comments on attempt {attempt}",
    "comment.settled": "marked an answer to the comment on {place} as read",
    "comment.withdrawn": "withdrew the comment on {place}: {text}",
    "comment.written": "drafted a comment on {place}",
    "communication.posted": "posted to the communication log: {kind}[, for {reader}]",
    "complaint.dismissed": "dismissed a report of abuse",
    "complaint.hidden": "hid a peer review from its subject",
    "complaint.made": "reported a peer review as abusive",
    "enrollment.added": "added {student}",
    "enrollment.changed": "changed {what} of {student}",
    "enrollment.grouped": "moved {number} students to the group {group}",
    "enrollment.invited": "invited {student} again",
    "enrollment.uninvited": "withdrew the invitation of {student}",
    "enrollment.moved": "moved {student} from {before} to {after}",
    "enrollment.removed": "removed {student}[ with {records} records]",
    "enrollment.joined": "joined the cohort by its join link",
    "enrollment.launched": "joined the cohort from a learning platform",
    "enrollment.linked": "joined the cohort",
    "extension.given": (
        "gave an extension to {to}[, due {due}][, {attempts} attempts][, {mark}]"
        "[; late marks removed: {cleared}]"
    ),
    "extension.withdrawn": "withdrew the extension of {to}",
    "feedback.edition_failed": "the redacted copy of a report could not be made ({code})",
    "feedback.edition_made": "made the redacted copy of a report",
    "feedback.found": "found a report in the repository[ ({origin})]",
    "feedback.imported": "uploaded a report[ ({origin})]",
    "feedback.read": "read a peer review for the first time",
    "finding.answered": "answered “{title}”: {answer}[ in {commit}]",
    "finding.fix_verified": "looked up the fix in {commit}: {outcome}",
    "findings.recorded": (
        "recorded {there} findings: {new} new, {fixed} fixed, {regressed} regressed"
    ),
    "findings.retired": "dropped {findings} findings of a report from another repository",
    "feedback.searched": "searched the repository for reports: {taken} imported",
    "grade.pinned": "set the grade to attempt {attempt}: {reason}",
    "grade.adjusted": "adjusted the result of {student} by {delta}: {reason}",
    "grade.adjustment_withdrawn": "withdrew the adjustment of the result of {student}",
    "grade.removed": "the grade of {student} was removed with their place in the team",
    "grade.released": (
        "released the grade[ with “{alone}” alone changed][, {score} of 5][ (before: {before})]"
        "[: {note}]"
    ),
    "grade.taken_back": "withdrew the release of the grade[ ({score} of 5)]: {reason}",
    "grade.chosen": "chose attempt {attempt} to count",
    "grade.unpinned": "unpinned the grade: the assignment says again which attempt counts",
    "grades.exported": "exported {what} for {layout}, as {scale}",
    "override.withdrawn": "withdrew the score override {score}",
    "pairing.audited": "started an audit of a peer's attempt {attempt}",
    "review.flagged": "flagged {criterion} in the grading queue[: {word}]",
    "review.marked": "reviewed {criterion} in the grading queue[, {score} of 5]",
    "review.unflagged": "removed the flag of {criterion} in the grading queue",
    "review.unmarked": "marked {criterion} as not reviewed in the grading queue",
    "roster.imported": "imported a roster: {created} new, {updated} changed, {refused} rejected",
    "round.joined": "added {student} to round {number}: {added} pairings added, {ended} ended",
    "round.left": (
        "removed {student} from round {number} ({reason}): {ended} pairings ended, {added} added"
    ),
    "round.paired": "assigned {auditee} to {auditor} in round {number}",
    "round.reminded": "sent {letters} reminders in round {number}",
    "round.started": (
        "started peer review round {number}: {students} students, {peers} peers each, {anonymity}"
    ),
    "round.swapped": "swapped the peers of {auditor} and {other} in round {number}",
    "round.unpaired": "ended the audit of {auditee} by {auditor} in round {number}: {reason}",
    "sample.drawn": "drew a sample of {size} for blind grading",
    "staff_note.changed": "changed a staff note on attempt {attempt}",
    "staff_note.withdrawn": "withdrew a staff note on attempt {attempt}",
    "staff_note.written": "wrote a staff note on attempt {attempt}",
    "shares.planned": "gave {readers} readers shares of the grading queue, {method}[, seed {seed}]",
    "submission.graded_blind": "graded blind: {criteria} criteria",
    "submission.handed_in": "submitted attempt {attempt}",
    "submission.reaudited": "started a new audit of everything",
    "submission.rejudged": "had the judges judge again",
    "submission.withdrawn": "withdrew attempt {attempt} before its audit",
    # These belong to no cohort today; a sentence for each keeps the log complete if that changes.
    "administration.closed": "lost admin access",
    "administration.opened": "gained admin access",
    "admin.added": "added this in the administration",
    "admin.changed": "changed this in the administration",
    "join_link.changed": "moved the end of the join link to {ends_at}",
    "join_link.closed": "closed the join link",
    "join_link.opened": "created a join link until {ends_at}",
    "membership.accepted": "accepted the invitation and is now {role}",
    "membership.declined": "declined the invitation",
    "membership.granted": "gave a member the role {role}",
    "team.assigned": "put {student} into the team “{name}”[: {reason}]",
    "team.created": "formed the team “{name}” of {students}",
    "team.joined": "joined the team “{name}”",
    "team.left": "took {student} out of the team “{name}”[ (grade {grade})][: {reason}]",
    "team.renamed": "renamed the team “{before}” to “{name}”",
    "membership.joined": "joined the organization by a join link",
    "membership.launched": "joined the organization from a learning platform as {role}",
    "membership.left": "left the organization",
    "membership.removed": "removed {email}, who was {role}",
    "membership.offer_withdrawn": "withdrew the offer of the role {role}",
    "membership.offered": "offered the role {role}",
    "notices.chosen": "changed their email settings",
    "organization.approval_withdrawn": "withdrew the approval of the organization",
    "organization.approved": "approved the organization",
    "organization.founded": "created the organization",
    "organization.renamed": "renamed the organization from {before} to {after}",
    "organization.refused": "refused to approve the organization",
    "bench.changed": "changed models and budgets: {what}",
    "bench.tried": "tried the connection to the models",
    "platform.account_connected": "connected their account with {platform}",
    "platform.account_parted": "parted their account from {platform}",
    "platform.added": "added the learning platform {platform}",
    "platform.changed": "changed the settings of {platform}: teachers become {role}",
    "platform.completed": "stored the addresses of {platform} ({issuer})",
    "platform.course_changed": "set for the course “{course}”: roster {roster}, grades {grades}",
    "platform.course_linked": "connected the course “{course}” of a learning platform with {cohort}",
    "platform.course_unlinked": "parted the course “{course}” of a learning platform from {cohort}",
    "platform.deleted": "deleted the learning platform {platform}",
    "platform.deployment_added": "allowed the deployment {deployment} of {platform}",
    "platform.deployment_removed": "removed the deployment {deployment} of {platform}",
    "platform.grades_queued": "sent {number} grade(s) to gradebooks of learning platforms again",
    "platform.key_replaced": "replaced the key for {platform}",
    "platform.link_offered": "offered {platform} a link to the assignment",
    "platform.link_set": "chose what a link of {platform} opens",
    "platform.roster_imported": "imported the people of “{course}”: {created} new, {updated} changed, {left} left",
    "platform.setup_opened": "made a registration link for {platform}",
    "platform.switched_off": "turned {platform} off",
    "platform.switched_on": "turned {platform} on",
    "viewing.began": "began to view the pages of {student}",
    "viewing.ended": "ended the view of the pages of {student}[ ({reason})]",
    "webhook.added": "added a webhook to {host}",
    "webhook.changed": "changed the webhook to {host}",
    "webhook.redelivered": "sent an event again to {host}",
    "webhook.secret_replaced": "replaced the secret of the webhook to {host}",
    "webhook.deleted": "deleted the webhook to {host}",
    "webhook.switched_off": "disabled the webhook to {host}",
    "webhook.switched_on": "enabled the webhook to {host}",
    "template.account_removed": "removed the account {login} from {place}",
    "template.failed": "{place} at GitHub did not go on: {reason}",
    "template.invited": "{login} was invited to {place} at GitHub",
    "template.repository_asked": "asked for the repository {place} for {assignment}",
    "template.repository_made": "the repository {place} was made at GitHub for {assignment}",
    "template.set": "set the template {template} of {assignment}; repositories are made in {place}",
    "template.tried_again": "tried the repository {place} again",
    "webhook.tested": "sent a test to {host}",
    "push.linked": "linked the branch {branch} of {place}: its pushes are submissions to {assignment}",
    "push.refused": "a push of {commit} to {place} was not submitted: {reason}",
    "push.unlinked": "unlinked the branch {branch} of {place}",
    "repository.grant_withdrawn": "withdrew the repository {place} from {student}",
    "repository.granted": "the repository {place} was granted to {student}",
    "repository.host_key_confirmed": "confirmed the host key of {place}: {fingerprint}",
    "repository.host_key_read": "read a new host key of {place}: {fingerprint}",
    "repository.linked": "gave access to {place}: {kind}",
    "repository.revoked": "revoked the access to {place}: {kind}",
    "rubric.drafted": "drafted version {number} of a rubric",
    "rubric.edited": "edited the draft of a rubric",
    "rubric.imported": "imported version {number} of a rubric from {source}",
    "rubric.published": "published version {number} of a rubric",
}
FAMILIES = tuple(sorted({verb.partition(".")[0] for verb in SENTENCES}))
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")


def sentence_of(verb: str, detail: Mapping[str, Any]) -> str:
    """Return the sentence for a verb, without its subject. Unknown verbs are returned as stored."""
    sentence = SENTENCES.get(verb)
    if sentence is None:
        return verb.replace(".", ": ").replace("_", " ")

    # An empty text counts as missing; zero is a value.
    values = {
        key: format_value(key, value)
        for key, value in detail.items()
        if value is not None and value != ""
    }
    complete = _OPTIONAL.sub(
        lambda part: part[1] if set(_PLACEHOLDER.findall(part[1])) <= values.keys() else "",
        sentence,
    )

    return _PLACEHOLDER.sub(lambda match: values.get(match[1], "none"), complete)


_VALUES: dict[str, Mapping[str, str]] = {
    "state": {state.value: state.label.lower() for state in AuditState},
    "what": {verb.value: verb.label.lower() for verb in BulkVerb},
    "role": {role.value: role.label.lower() for role in Role},
    "layout": {"generic": "any spreadsheet", "canvas": "Canvas", "moodle": "Moodle"},
}
# By the part of a verb before the dot; an unknown part is shown as stored.
_FAMILIES = {
    "admin": "changes in the administration",
    "administration": "admin access",
    "appeal": "appeals",
    "assignment": "assignments",
    "audit": "audits",
    "bench": "models and budgets",
    "bank": "comment banks",
    "bulk": "bulk runs",
    "cohort": "the cohort",
    "comment": "comments",
    "communication": "communication logs",
    "complaint": "reports of abuse",
    "criterion": "score overrides",
    "enrollment": "students of the cohort",
    "extension": "extensions",
    "feedback": "peer reviews",
    "finding": "answers to findings",
    "findings": "findings of audits",
    "grade": "grades and releases",
    "grades": "exports of grades",
    "join_link": "join links",
    "membership": "roles",
    "notices": "email settings",
    "organization": "the organization",
    "override": "withdrawn score overrides",
    "pairing": "audits of peers",
    "push": "pushes",
    "template": "repositories from templates",
    "repository": "accesses to repositories",
    "platform": "learning platforms",
    "review": "reviews in the grading queue",
    "roster": "roster imports",
    "round": "peer review rounds",
    "rubric": "rubrics",
    "sample": "blind samples",
    "shares": "shares of the grading queue",
    "staff_note": "staff notes",
    "submission": "submissions",
    "team": "teams",
    "token": "API tokens",
    "viewing": "views of students' pages",
    "webhook": "webhooks",
}


def format_value(key: str, value: Any) -> str:
    """Return a value of an activity's detail as its sentence shows it."""
    # Error codes are words joined by underscores.
    if key == "code":
        return str(value).replace("_", " ")
    if isinstance(value, float):
        return f"{value:g}"
    return _VALUES.get(key, {}).get(str(value), str(value))


def family_name(family: str) -> str:
    return _FAMILIES.get(family, family.replace("_", " "))
