"""URLs of the API. Everything of one organization is under o/<org>/ (grading/api/tenancy.py)."""

from django.urls import path, re_path
from drf_spectacular.views import SpectacularJSONAPIView

from grading.api import (
    audits,
    cohorts,
    exports,
    findings,
    organizations,
    pairings,
    rubrics,
    submissions,
    webhooks,
)
from grading.api.error_responses import unknown_path

COHORT = "o/<slug:org>/cohorts/<slug:cohort>/"
ASSIGNMENT = f"{COHORT}assignments/<slug:assignment>/"
AUDIT = "o/<slug:org>/audits/<uuid:audit_id>/"
WEBHOOK = "o/<slug:org>/webhooks/<int:webhook_id>/"
FINDING = "o/<slug:org>/findings/<uuid:finding_id>/"

urlpatterns = [
    path("schema/", SpectacularJSONAPIView.as_view(), name="api-schema"),
    path("organizations/", organizations.Organizations.as_view(), name="api-organizations"),
    path("o/<slug:org>/cohorts/", cohorts.Cohorts.as_view(), name="api-cohorts"),
    path(COHORT, cohorts.CohortDetail.as_view(), name="api-cohort"),
    path(f"{COHORT}assignments/", cohorts.Assignments.as_view(), name="api-assignments"),
    path(ASSIGNMENT, cohorts.AssignmentDetail.as_view(), name="api-assignment"),
    path(f"{ASSIGNMENT}submissions/", submissions.Submissions.as_view(), name="api-submissions"),
    path(
        "o/<slug:org>/submissions/<uuid:submission_id>/",
        submissions.SubmissionDetail.as_view(),
        name="api-submission",
    ),
    path(AUDIT, audits.AuditDetail.as_view(), name="api-audit"),
    path(f"{AUDIT}report/", audits.Report.as_view(), name="api-audit-report"),
    path(f"{AUDIT}report.md", audits.MarkdownReport.as_view(), name="api-audit-markdown"),
    path(f"{ASSIGNMENT}findings/", findings.Findings.as_view(), name="api-findings"),
    path(FINDING, findings.FindingDetail.as_view(), name="api-finding"),
    path(f"{FINDING}answers/", findings.Answers.as_view(), name="api-answers"),
    path(f"{COHORT}pairings/", pairings.Pairings.as_view(), name="api-pairings"),
    path(
        "o/<slug:org>/pairings/<uuid:pairing_id>/",
        pairings.PairingDetail.as_view(),
        name="api-pairing",
    ),
    path(
        "o/<slug:org>/feedback/<uuid:report_id>/", pairings.Feedback.as_view(), name="api-feedback"
    ),
    path("o/<slug:org>/rubrics/", rubrics.Rubrics.as_view(), name="api-rubrics"),
    path("o/<slug:org>/rubrics/import/", rubrics.Import.as_view(), name="api-rubric-import"),
    path(
        "o/<slug:org>/rubrics/<slug:rubric>/versions/",
        rubrics.Versions.as_view(),
        name="api-versions",
    ),
    path(
        "o/<slug:org>/versions/<int:version_id>/",
        rubrics.VersionDetail.as_view(),
        name="api-version",
    ),
    path(f"{ASSIGNMENT}preview/", rubrics.Preview.as_view(), name="api-preview"),
    path(f"{ASSIGNMENT}export/", exports.Export.as_view(), name="api-export"),
    path("o/<slug:org>/webhooks/", webhooks.Webhooks.as_view(), name="api-webhooks"),
    path(WEBHOOK, webhooks.WebhookDetail.as_view(), name="api-webhook"),
    path(f"{WEBHOOK}deliveries/", webhooks.Deliveries.as_view(), name="api-deliveries"),
    path(f"{WEBHOOK}test/", webhooks.WebhookTests.as_view(), name="api-webhook-test"),
    re_path(r"^.*$", unknown_path),
]
