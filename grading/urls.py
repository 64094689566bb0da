"""URLs of the pages. Everything of one organization is under /o/<org>/ (TenantMiddleware)."""

from django.urls import path

from grading.activity_log import views as activity_log_views
from grading.appeals import views as appeal_views
from grading.audits import views as audit_views
from grading.audits.benches import views as bench_views
from grading.bulk import views as bulk_views
from grading.calendars import views as calendar_views
from grading.comments import views as comment_views
from grading.comments.bank import views as bank_views
from grading.courses import settings_views as course_settings_views
from grading.courses import views as course_views
from grading.courses.copies import views as copy_views
from grading.courses.extensions import views as extension_views
from grading.courses.organizations import invitation_views, staff_views
from grading.courses.organizations import settings_views as organization_settings_views
from grading.courses.organizations import views as organization_views
from grading.courses.people import join_views, roster_views, student_views, view_as_views
from grading.courses.people import views as people_views
from grading.courses.teams import views as team_views
from grading.dashboard import views as dashboard_views
from grading.findings import views as finding_views
from grading.grades import adjustment_views
from grading.grades import views as grade_views
from grading.grades.agreement import views as agreement_views
from grading.grades.exports import views as export_views
from grading.grading_queue import views as queue_views
from grading.lti import course_views as lti_course_views
from grading.lti import launch_views, platform_views, service_views
from grading.notifications import views as notification_views
from grading.operations import healthz, metrics
from grading.operations import views as operations_views
from grading.peer_review import views as peer_review_views
from grading.peer_review.communication import views as communication_views
from grading.peer_review.complaints import views as complaint_views
from grading.peer_review.exchange import views as exchange_views
from grading.peer_review.feedback import views as feedback_views
from grading.peer_review.rounds import views as round_views
from grading.repositories import github_views, shared_views
from grading.repositories import views as repository_views
from grading.repositories.generated import views as generated_views
from grading.rubrics import views as rubric_views
from grading.rubrics.check_trials import views as trial_views
from grading.rubrics.library import version_views
from grading.rubrics.library import views as library_views
from grading.rubrics.previews import views as preview_views
from grading.staff_threads import views as staff_thread_views
from grading.submissions import views as submission_views
from grading.submissions.pushes import hook_views
from grading.submissions.pushes import views as push_views
from grading.submitted_work import views as submitted_work_views

ASSIGNMENT = "o/<slug:org>/c/<slug:cohort>/a/<slug:assignment>/"
AUDIT = "o/<slug:org>/audits/<uuid:audit_id>/"
BANK = "o/<slug:org>/rubrics/<slug:rubric>/comments/"
FEEDBACK = "o/<slug:org>/feedback/<uuid:report_id>/"
LAUNCH = "o/<slug:org>/launches/<uuid:launch_id>/"
PLATFORM = "lti/<uuid:platform>/"
ROUND = f"{ASSIGNMENT}peers/<int:number>/"
PEOPLE = "o/<slug:org>/c/<slug:cohort>/people/"
BULK = "o/<slug:org>/bulk/<uuid:bulk_id>/"
RUBRIC = "o/<slug:org>/rubrics/<int:version_id>/"

urlpatterns = [
    path("", dashboard_views.home, name="home"),
    path("favicon.ico", dashboard_views.favicon, name="favicon"),
    path("healthz", healthz.healthz, name="healthz"),
    path("healthz/live", healthz.live, name="healthz-live"),
    path("metrics", metrics.metrics, name="metrics"),
    path("calendar/<str:secret>.ics", calendar_views.feed, name="calendar-feed"),
    path("organizations/new/", organization_views.organization_new, name="organization-new"),
    path("invitations/", invitation_views.invitations, name="invitations"),
    path("invitations/<str:token>/", invitation_views.invitation, name="invitation"),
    path("notices/", notification_views.everywhere, name="notices-everywhere"),
    path("join/", join_views.join_code, name="join-code"),
    path("join/<str:code>/", join_views.join, name="join"),
    path(f"{PLATFORM}login/", launch_views.login, name="lti-login"),
    path(f"{PLATFORM}launch/", launch_views.launch, name="lti-launch"),
    path(f"{PLATFORM}keys.json", launch_views.keys, name="lti-keys"),
    path(f"{PLATFORM}launches/<uuid:launch_id>/", launch_views.entry, name="lti-entry"),
    path(f"{PLATFORM}frame/<str:secret>/", launch_views.frame, name="lti-frame"),
    path(f"{PLATFORM}register/<str:token>/", launch_views.register, name="lti-register"),
    path("o/<slug:org>/", organization_views.organization, name="organization"),
    path("o/<slug:org>/appeals/", appeal_views.appeals, name="appeals"),
    path("o/<slug:org>/appeals/<int:appeal_id>/", appeal_views.appeal, name="appeal"),
    path(
        "o/<slug:org>/appeals/<int:appeal_id>/hand/", appeal_views.appeal_hand, name="appeal-hand"
    ),
    path("o/<slug:org>/checks/try/", trial_views.try_check, name="try-check"),
    path("o/<slug:org>/checks/try/<uuid:audit_id>/<slug:key>/", trial_views.trial, name="trial"),
    path("o/<slug:org>/complaints/", complaint_views.complaints, name="complaints"),
    path(BANK, bank_views.bank, name="comment-bank"),
    path(f"{BANK}matches/", bank_views.bank_matches, name="bank-matches"),
    path(f"{BANK}<int:entry_id>/", bank_views.entry, name="banked-comment"),
    path("o/<slug:org>/comments/", comment_views.inbox, name="comment-inbox"),
    path("o/<slug:org>/comments/<int:comment_id>/", comment_views.comment, name="comment"),
    path(
        "o/<slug:org>/complaints/<int:complaint_id>/", complaint_views.complaint, name="complaint"
    ),
    path("o/<slug:org>/connections/", lti_course_views.connections, name="connections"),
    path(
        "o/<slug:org>/c/<slug:cohort>/platforms/",
        lti_course_views.cohort_platforms,
        name="cohort-platforms",
    ),
    path(
        "o/<slug:org>/c/<slug:cohort>/platforms/<int:link_id>/",
        service_views.course_roster,
        name="platform-roster",
    ),
    path(f"{LAUNCH}course/", lti_course_views.course, name="lti-course"),
    path(f"{LAUNCH}link/", lti_course_views.link, name="lti-link"),
    path(f"{LAUNCH}choice/", lti_course_views.choice, name="lti-choice"),
    path("o/<slug:org>/leave/", invitation_views.leave, name="leave"),
    path("o/<slug:org>/log/", activity_log_views.organization_log, name="organization-log"),
    path("o/<slug:org>/models/", bench_views.models, name="models"),
    path("o/<slug:org>/notices/", notification_views.notices, name="notices"),
    path("o/<slug:org>/operations/", operations_views.operations, name="operations"),
    path("o/<slug:org>/platforms/", platform_views.platforms, name="platforms"),
    path("o/<slug:org>/platforms/<int:platform_id>/", platform_views.platform, name="platform"),
    path("o/<slug:org>/notes/<int:note_id>/", staff_thread_views.staff_note, name="staff-note"),
    path(
        "o/<slug:org>/submissions/<uuid:submission_id>/notes/",
        staff_thread_views.staff_thread,
        name="staff-thread",
    ),
    path("o/<slug:org>/rubrics/", library_views.rubrics, name="rubric-list"),
    path("o/<slug:org>/rubrics/new/", library_views.rubric_new, name="rubric-new"),
    path("o/<slug:org>/rubrics/import/", library_views.rubric_import, name="rubric-import"),
    path(RUBRIC, rubric_views.rubric_version, name="rubric-version"),
    path(f"{RUBRIC}edit/", version_views.edit, name="rubric-edit"),
    path(f"{RUBRIC}decisions/", version_views.decisions, name="rubric-decisions"),
    path(f"{RUBRIC}difference/", version_views.difference, name="rubric-difference"),
    path(f"{RUBRIC}duplicate/", version_views.duplicate, name="rubric-duplicate"),
    path(f"{RUBRIC}export.json", version_views.export, name="rubric-export"),
    path(f"{RUBRIC}imported/", version_views.imported, name="rubric-imported"),
    path(f"{RUBRIC}publish/", version_views.publish, name="rubric-publish"),
    path(f"{RUBRIC}try/", version_views.try_typed_check, name="rubric-try"),
    path("o/<slug:org>/repositories/", shared_views.repositories, name="shared-repositories"),
    path(
        "o/<slug:org>/repositories/<int:shared_id>/",
        shared_views.repository,
        name="shared-repository",
    ),
    path("hooks/github/", hook_views.of_github_app, name="github-hook"),
    path("hooks/<uuid:link_key>/", hook_views.of_link, name="push-hook"),
    path("github/callback/", github_views.callback, name="github-callback"),
    path(
        "o/<slug:org>/c/<slug:cohort>/repositories/",
        repository_views.repositories,
        name="repositories",
    ),
    path(
        "o/<slug:org>/c/<slug:cohort>/repositories/github/",
        github_views.choose,
        name="github-repositories",
    ),
    path(
        "o/<slug:org>/c/<slug:cohort>/repositories/<int:access_id>/",
        repository_views.repository,
        name="repository",
    ),
    path("o/<slug:org>/search/", dashboard_views.search, name="search"),
    path(
        "o/<slug:org>/settings/", organization_settings_views.settings, name="organization-settings"
    ),
    path("o/<slug:org>/staff/", staff_views.staff, name="staff"),
    path("o/<slug:org>/view/end/", view_as_views.end, name="view-end"),
    path("o/<slug:org>/webhooks/", notification_views.webhooks, name="webhooks"),
    path("o/<slug:org>/webhooks/<int:webhook_id>/", notification_views.webhook, name="webhook"),
    path("courses/new/", copy_views.course_new, name="course-new"),
    path("o/<slug:org>/c/new/", course_views.cohort_new, name="cohort-new"),
    path("o/<slug:org>/c/<slug:cohort>/", course_views.cohort, name="cohort"),
    path("o/<slug:org>/c/<slug:cohort>/copy/", copy_views.cohort_copy, name="cohort-copy"),
    path("o/<slug:org>/c/<slug:cohort>/log/", activity_log_views.log, name="log"),
    path("o/<slug:org>/c/<slug:cohort>/archive/", course_views.archive, name="archive"),
    path("o/<slug:org>/c/<slug:cohort>/delete/", course_views.delete, name="cohort-delete"),
    path(PEOPLE, people_views.people, name="people"),
    path(f"{PEOPLE}add/", student_views.add, name="student-add"),
    path(f"{PEOPLE}<int:student_id>/", student_views.student, name="student"),
    path(f"{PEOPLE}<int:student_id>/remove/", student_views.remove, name="student-remove"),
    path(f"{PEOPLE}<int:student_id>/view/", view_as_views.begin, name="view-begin"),
    path(f"{PEOPLE}join-link/", people_views.join_link, name="join-link"),
    path("o/<slug:org>/c/<slug:cohort>/roster/", roster_views.roster, name="roster"),
    path(
        "o/<slug:org>/c/<slug:cohort>/settings/",
        course_settings_views.cohort_settings,
        name="cohort-settings",
    ),
    path("o/<slug:org>/c/<slug:cohort>/a/new/", course_views.assignment_new, name="assignment-new"),
    path(ASSIGNMENT, course_views.assignment, name="assignment"),
    path(f"{ASSIGNMENT}rubric/", rubric_views.rubric, name="rubric"),
    path(
        f"{ASSIGNMENT}settings/",
        course_settings_views.assignment_settings,
        name="assignment-settings",
    ),
    path(f"{ASSIGNMENT}extensions/", extension_views.extensions, name="extensions"),
    path(
        f"{ASSIGNMENT}extensions/<int:extension_id>/", extension_views.extension, name="extension"
    ),
    path(f"{ASSIGNMENT}teams/", team_views.teams, name="teams"),
    path(f"{ASSIGNMENT}submit/", submission_views.submit, name="submit"),
    path(f"{ASSIGNMENT}repository/", generated_views.own, name="own-repository"),
    path(f"{ASSIGNMENT}repositories/", generated_views.template, name="repository-template"),
    path(f"{ASSIGNMENT}pushes/", push_views.push_link, name="push-link"),
    path(f"{ASSIGNMENT}bulk/", bulk_views.bulk, name="bulk"),
    path(BULK, bulk_views.run, name="bulk-run"),
    path(f"{BULK}progress/", bulk_views.progress, name="bulk-progress"),
    path(f"{BULK}cancel/", bulk_views.cancel, name="bulk-cancel"),
    path(f"{ASSIGNMENT}queue/", queue_views.overview, name="queue"),
    path(f"{ASSIGNMENT}queue/plan/", queue_views.plan, name="queue-plan"),
    path(
        f"{ASSIGNMENT}queue/<int:enrollment_id>/",
        queue_views.by_student,
        name="queue-student",
    ),
    path(
        f"{ASSIGNMENT}queue/<int:enrollment_id>/open/",
        queue_views.presence,
        name="queue-presence",
    ),
    path(
        f"{ASSIGNMENT}queue/<int:position>/<int:enrollment_id>/",
        queue_views.by_criterion,
        name="queue-criterion",
    ),
    path(f"{ASSIGNMENT}grades/", grade_views.grades, name="grades"),
    path(f"{ASSIGNMENT}grades/release/", grade_views.release, name="release"),
    path(f"{ASSIGNMENT}grades/sample/", grade_views.sample, name="sample"),
    path(f"{ASSIGNMENT}agreement/", agreement_views.agreement, name="agreement"),
    path(f"{ASSIGNMENT}agreement/sample/", agreement_views.blind_sample, name="blind-sample"),
    path(
        f"{ASSIGNMENT}agreement/<int:sample_id>/<int:place>/", agreement_views.blind, name="blind"
    ),
    path(
        f"{ASSIGNMENT}agreement/<int:sample_id>/<int:place>/report.pdf",
        agreement_views.blind_pdf,
        name="blind-pdf",
    ),
    path(f"{ASSIGNMENT}preview/<int:version_id>/", preview_views.preview, name="preview"),
    path(f"{ASSIGNMENT}preview/<int:version_id>/adopt/", preview_views.adopt, name="adopt"),
    path(f"{ASSIGNMENT}gradebooks/", service_views.gradebooks, name="gradebooks"),
    path(f"{ASSIGNMENT}export/", export_views.export, name="export"),
    path(AUDIT, audit_views.audit, name="audit"),
    path(f"{AUDIT}progress/", audit_views.progress, name="audit-progress"),
    path(f"{AUDIT}code/", submitted_work_views.code, name="audit-code"),
    path(f"{AUDIT}pdf/", submitted_work_views.pdf_page, name="audit-pdf"),
    path(f"{AUDIT}comments/", comment_views.comments, name="comments"),
    path(f"{AUDIT}comments/new/", comment_views.comment_new, name="comment-new"),
    path(f"{AUDIT}comments/release/", comment_views.release, name="comments-release"),
    path(f"{AUDIT}report.pdf", submitted_work_views.pdf_file, name="audit-pdf-file"),
    path(f"{AUDIT}criteria/<int:position>/appeal/", appeal_views.appeal_new, name="appeal-new"),
    path(f"{AUDIT}report.md", audit_views.report_markdown, name="audit-markdown"),
    path(f"{AUDIT}report.json", audit_views.report_json, name="audit-json"),
    path(f"{AUDIT}report.sarif", audit_views.report_sarif, name="audit-sarif"),
    path(f"{AUDIT}report.junit.xml", audit_views.report_junit, name="audit-junit"),
    path(f"{AUDIT}criteria/<int:position>/override/", grade_views.override, name="override"),
    path(f"{AUDIT}count/", grade_views.count, name="count"),
    path(f"{AUDIT}choose/", grade_views.choose, name="choose"),
    path(f"{AUDIT}withdraw/", submission_views.withdraw, name="withdraw"),
    path(f"{AUDIT}results/<int:grade_id>/", adjustment_views.adjust, name="adjust"),
    path(f"{AUDIT}take-back/", grade_views.take_back, name="take-back"),
    path("o/<slug:org>/c/<slug:cohort>/peers/", peer_review_views.peers, name="peers"),
    path(f"{ASSIGNMENT}peers/new/", round_views.round_new, name="round-new"),
    path(ROUND, round_views.round_page, name="round"),
    path(f"{ROUND}remind/", round_views.round_remind, name="round-remind"),
    path(f"{ROUND}change/", round_views.round_change, name="round-change"),
    path("o/<slug:org>/pairings/<uuid:pairing_id>/", peer_review_views.pairing, name="pairing"),
    path(FEEDBACK, feedback_views.feedback, name="feedback"),
    path(
        "o/<slug:org>/feedback/<uuid:received_id>/complain/",
        complaint_views.complain,
        name="complain",
    ),
    path(f"{FEEDBACK}report.json", feedback_views.feedback_json, name="feedback-json"),
    path(f"{FEEDBACK}report.md", feedback_views.feedback_markdown, name="feedback-markdown"),
    path(f"{FEEDBACK}original", feedback_views.feedback_original, name="feedback-original"),
    path(f"{ASSIGNMENT}reports/new/", feedback_views.upload, name="bring"),
    path(f"{ASSIGNMENT}findings/", finding_views.findings, name="findings"),
    path(f"{ASSIGNMENT}findings/<uuid:finding_id>/", finding_views.finding, name="finding"),
    path(f"{ASSIGNMENT}loop/", exchange_views.loop, name="loop"),
    path(f"{ASSIGNMENT}communication/", communication_views.communication, name="communication"),
    path(f"{ASSIGNMENT}peers/facts/", exchange_views.facts, name="peer-facts"),
    path(f"{ASSIGNMENT}peers/facts.csv", exchange_views.facts_csv, name="peer-facts-csv"),
    path(f"{ASSIGNMENT}audit.zip", exchange_views.audit_zip, name="audit-zip"),
]
