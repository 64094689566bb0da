"""URLs of the pages. Everything of one organization is under /o/<org>/ (TenantMiddleware)."""

from django.urls import path

from grading.activity_log import views as activity_log_views
from grading.appeals import views as appeal_views
from grading.audits import views as audit_views
from grading.bulk import views as bulk_views
from grading.calendars import views as calendar_views
from grading.courses import views as course_views
from grading.courses.organizations import invitation_views
from grading.courses.organizations import views as organization_views
from grading.dashboard import views as dashboard_views
from grading.findings import views as finding_views
from grading.grades import views as grade_views
from grading.grades.agreement import views as agreement_views
from grading.grades.exports import views as export_views
from grading.notifications import views as notification_views
from grading.operations import healthz, metrics
from grading.operations import views as operations_views
from grading.peer_review import views as peer_review_views
from grading.peer_review.communication import views as communication_views
from grading.peer_review.complaints import views as complaint_views
from grading.peer_review.exchange import views as exchange_views
from grading.peer_review.feedback import views as feedback_views
from grading.peer_review.rounds import views as round_views
from grading.rubrics import views as rubric_views
from grading.rubrics.check_trials import views as trial_views
from grading.rubrics.previews import views as preview_views
from grading.submissions import views as submission_views
from grading.submitted_work import views as submitted_work_views

ASSIGNMENT = "o/<slug:org>/c/<slug:cohort>/a/<slug:assignment>/"
AUDIT = "o/<slug:org>/audits/<uuid:audit_id>/"
FEEDBACK = "o/<slug:org>/feedback/<uuid:report_id>/"
ROUND = f"{ASSIGNMENT}peers/<int:number>/"
BULK = "o/<slug:org>/bulk/<uuid:bulk_id>/"

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
    path("o/<slug:org>/", organization_views.organization, name="organization"),
    path("o/<slug:org>/appeals/", appeal_views.appeals, name="appeals"),
    path("o/<slug:org>/appeals/<int:appeal_id>/", appeal_views.appeal, name="appeal"),
    path("o/<slug:org>/checks/try/", trial_views.try_check, name="try-check"),
    path("o/<slug:org>/checks/try/<uuid:audit_id>/<slug:key>/", trial_views.trial, name="trial"),
    path("o/<slug:org>/complaints/", complaint_views.complaints, name="complaints"),
    path(
        "o/<slug:org>/complaints/<int:complaint_id>/", complaint_views.complaint, name="complaint"
    ),
    path("o/<slug:org>/leave/", invitation_views.leave, name="leave"),
    path("o/<slug:org>/notices/", notification_views.notices, name="notices"),
    path("o/<slug:org>/operations/", operations_views.operations, name="operations"),
    path(
        "o/<slug:org>/rubrics/<int:version_id>/", rubric_views.rubric_version, name="rubric-version"
    ),
    path("o/<slug:org>/search/", dashboard_views.search, name="search"),
    path("o/<slug:org>/webhooks/", notification_views.webhooks, name="webhooks"),
    path("o/<slug:org>/webhooks/<int:webhook_id>/", notification_views.webhook, name="webhook"),
    path("o/<slug:org>/c/new/", course_views.cohort_new, name="cohort-new"),
    path("o/<slug:org>/c/<slug:cohort>/", course_views.cohort, name="cohort"),
    path("o/<slug:org>/c/<slug:cohort>/log/", activity_log_views.log, name="log"),
    path("o/<slug:org>/c/<slug:cohort>/archive/", course_views.archive, name="archive"),
    path("o/<slug:org>/c/<slug:cohort>/delete/", course_views.delete, name="cohort-delete"),
    path("o/<slug:org>/c/<slug:cohort>/roster/", course_views.roster, name="roster"),
    path("o/<slug:org>/c/<slug:cohort>/zone/", course_views.time_zone, name="cohort-zone"),
    path("o/<slug:org>/c/<slug:cohort>/a/new/", course_views.assignment_new, name="assignment-new"),
    path(ASSIGNMENT, course_views.assignment, name="assignment"),
    path(f"{ASSIGNMENT}rubric/", rubric_views.rubric, name="rubric"),
    path(f"{ASSIGNMENT}settings/", course_views.assignment_settings, name="assignment-settings"),
    path(f"{ASSIGNMENT}submit/", submission_views.submit, name="submit"),
    path(f"{ASSIGNMENT}bulk/", bulk_views.bulk, name="bulk"),
    path(BULK, bulk_views.run, name="bulk-run"),
    path(f"{BULK}progress/", bulk_views.progress, name="bulk-progress"),
    path(f"{BULK}cancel/", bulk_views.cancel, name="bulk-cancel"),
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
    path(f"{ASSIGNMENT}export/", export_views.export, name="export"),
    path(AUDIT, audit_views.audit, name="audit"),
    path(f"{AUDIT}progress/", audit_views.progress, name="audit-progress"),
    path(f"{AUDIT}code/", submitted_work_views.code, name="audit-code"),
    path(f"{AUDIT}pdf/", submitted_work_views.pdf_page, name="audit-pdf"),
    path(f"{AUDIT}report.pdf", submitted_work_views.pdf_file, name="audit-pdf-file"),
    path(f"{AUDIT}criteria/<int:position>/appeal/", appeal_views.appeal_new, name="appeal-new"),
    path(f"{AUDIT}report.md", audit_views.report_markdown, name="audit-markdown"),
    path(f"{AUDIT}report.json", audit_views.report_json, name="audit-json"),
    path(f"{AUDIT}criteria/<int:position>/override/", grade_views.override, name="override"),
    path(f"{AUDIT}count/", grade_views.count, name="count"),
    path(f"{AUDIT}choose/", grade_views.choose, name="choose"),
    path(f"{AUDIT}withdraw/", submission_views.withdraw, name="withdraw"),
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
