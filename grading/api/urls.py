"""URLs of the API. Everything of one organization is under o/<org>/ (grading/api/tenancy.py)."""

from django.urls import path, re_path

from grading.api import (
    appeal_endpoints,
    audit_endpoints,
    cohort_endpoints,
    comment_endpoints,
    export_endpoints,
    extension_endpoints,
    finding_endpoints,
    organization_endpoints,
    pairing_endpoints,
    people_endpoints,
    platform_endpoints,
    push_endpoints,
    repository_endpoints,
    review_endpoints,
    rubric_endpoints,
    schema_endpoint,
    staff_note_endpoints,
    submission_endpoints,
    template_endpoints,
    webhook_endpoints,
)
from grading.api.error_responses import unknown_path

COHORT = "o/<slug:org>/cohorts/<slug:cohort>/"
ASSIGNMENT = f"{COHORT}assignments/<slug:assignment>/"
AUDIT = "o/<slug:org>/audits/<uuid:audit_id>/"
WEBHOOK = "o/<slug:org>/webhooks/<int:webhook_id>/"
FINDING = "o/<slug:org>/findings/<uuid:finding_id>/"

urlpatterns = [
    path("schema/", schema_endpoint.Schema.as_view(), name="api-schema"),
    path(
        "organizations/", organization_endpoints.Organizations.as_view(), name="api-organizations"
    ),
    path("o/<slug:org>/appeals/", appeal_endpoints.Appeals.as_view(), name="api-appeals"),
    path("o/<slug:org>/cohorts/", cohort_endpoints.Cohorts.as_view(), name="api-cohorts"),
    path(COHORT, cohort_endpoints.CohortDetail.as_view(), name="api-cohort"),
    path(f"{COHORT}students/", people_endpoints.Students.as_view(), name="api-students"),
    path(
        f"{COHORT}students/import/",
        people_endpoints.RosterImport.as_view(),
        name="api-roster-import",
    ),
    path(f"{COHORT}assignments/", cohort_endpoints.Assignments.as_view(), name="api-assignments"),
    path(ASSIGNMENT, cohort_endpoints.AssignmentDetail.as_view(), name="api-assignment"),
    path(
        f"{ASSIGNMENT}submissions/",
        submission_endpoints.Submissions.as_view(),
        name="api-submissions",
    ),
    path(
        "o/<slug:org>/submissions/<uuid:submission_id>/",
        submission_endpoints.SubmissionDetail.as_view(),
        name="api-submission",
    ),
    path(
        "o/<slug:org>/submissions/<uuid:submission_id>/comments/",
        comment_endpoints.Comments.as_view(),
        name="api-comments",
    ),
    path(
        "o/<slug:org>/submissions/<uuid:submission_id>/comments/release/",
        comment_endpoints.CommentRelease.as_view(),
        name="api-comments-release",
    ),
    path(
        "o/<slug:org>/rubrics/<slug:rubric>/comments/",
        comment_endpoints.CommentBank.as_view(),
        name="api-comment-bank",
    ),
    path(
        "o/<slug:org>/comments/<int:comment_id>/answers/",
        comment_endpoints.CommentAnswers.as_view(),
        name="api-comment-answers",
    ),
    path(
        "o/<slug:org>/submissions/<uuid:submission_id>/notes/",
        staff_note_endpoints.StaffNotes.as_view(),
        name="api-staff-notes",
    ),
    path(AUDIT, audit_endpoints.AuditDetail.as_view(), name="api-audit"),
    path(f"{AUDIT}report/", audit_endpoints.Report.as_view(), name="api-audit-report"),
    path(f"{AUDIT}report.md", audit_endpoints.MarkdownReport.as_view(), name="api-audit-markdown"),
    path(f"{AUDIT}report.sarif", audit_endpoints.SarifReport.as_view(), name="api-audit-sarif"),
    path(f"{AUDIT}report.junit.xml", audit_endpoints.JunitReport.as_view(), name="api-audit-junit"),
    path(
        f"{ASSIGNMENT}extensions/",
        extension_endpoints.Extensions.as_view(),
        name="api-extensions",
    ),
    path(f"{ASSIGNMENT}reviews/", review_endpoints.Reviews.as_view(), name="api-reviews"),
    path(f"{ASSIGNMENT}findings/", finding_endpoints.Findings.as_view(), name="api-findings"),
    path(FINDING, finding_endpoints.FindingDetail.as_view(), name="api-finding"),
    path(f"{FINDING}answers/", finding_endpoints.Answers.as_view(), name="api-answers"),
    path(f"{COHORT}pairings/", pairing_endpoints.Pairings.as_view(), name="api-pairings"),
    path(
        "o/<slug:org>/pairings/<uuid:pairing_id>/",
        pairing_endpoints.PairingDetail.as_view(),
        name="api-pairing",
    ),
    path(
        "o/<slug:org>/feedback/<uuid:report_id>/",
        pairing_endpoints.Feedback.as_view(),
        name="api-feedback",
    ),
    path(
        f"{ASSIGNMENT}repositories/",
        template_endpoints.MadeRepositories.as_view(),
        name="api-made-repositories",
    ),
    path(
        f"{ASSIGNMENT}repository/",
        template_endpoints.OwnMadeRepository.as_view(),
        name="api-made-repository",
    ),
    path(f"{ASSIGNMENT}push-links/", push_endpoints.PushLinks.as_view(), name="api-push-links"),
    path(
        f"{ASSIGNMENT}push-links/<int:push_link_id>/",
        push_endpoints.PushLinkDetail.as_view(),
        name="api-push-link",
    ),
    path(
        f"{COHORT}repositories/",
        repository_endpoints.OwnRepositories.as_view(),
        name="api-repositories",
    ),
    path(
        f"{COHORT}repositories/<int:access_id>/",
        repository_endpoints.OwnRepository.as_view(),
        name="api-repository",
    ),
    path("o/<slug:org>/platforms/", platform_endpoints.Platforms.as_view(), name="api-platforms"),
    path(
        f"{ASSIGNMENT}gradebooks/",
        platform_endpoints.PlatformGrades.as_view(),
        name="api-gradebooks",
    ),
    path(f"{COHORT}courses/", platform_endpoints.Courses.as_view(), name="api-courses"),
    path("o/<slug:org>/rubrics/", rubric_endpoints.Rubrics.as_view(), name="api-rubrics"),
    path(
        "o/<slug:org>/rubrics/import/", rubric_endpoints.Import.as_view(), name="api-rubric-import"
    ),
    path(
        "o/<slug:org>/rubrics/<slug:rubric>/versions/",
        rubric_endpoints.Versions.as_view(),
        name="api-versions",
    ),
    path(
        "o/<slug:org>/versions/<int:version_id>/",
        rubric_endpoints.VersionDetail.as_view(),
        name="api-version",
    ),
    path(f"{ASSIGNMENT}preview/", rubric_endpoints.Preview.as_view(), name="api-preview"),
    path(f"{ASSIGNMENT}export/", export_endpoints.Export.as_view(), name="api-export"),
    path("o/<slug:org>/webhooks/", webhook_endpoints.Webhooks.as_view(), name="api-webhooks"),
    path(WEBHOOK, webhook_endpoints.WebhookDetail.as_view(), name="api-webhook"),
    path(f"{WEBHOOK}deliveries/", webhook_endpoints.Deliveries.as_view(), name="api-deliveries"),
    path(f"{WEBHOOK}secrets/", webhook_endpoints.Secrets.as_view(), name="api-webhook-secrets"),
    path(
        f"{WEBHOOK}deliveries/<uuid:delivery_id>/redeliveries/",
        webhook_endpoints.Redeliveries.as_view(),
        name="api-redeliveries",
    ),
    path(f"{WEBHOOK}test/", webhook_endpoints.WebhookTests.as_view(), name="api-webhook-test"),
    re_path(r"^.*$", unknown_path),
]
