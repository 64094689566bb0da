"""The API's addresses. Everything of one organization lies under o/<org>/ (grading/api/tenancy.py)."""

from django.urls import path, re_path
from drf_spectacular.views import SpectacularJSONAPIView

from grading.api import audits, cohorts, organizations, submissions
from grading.api.refusals import nowhere

COHORT = "o/<slug:org>/cohorts/<slug:cohort>/"
ASSIGNMENT = f"{COHORT}assignments/<slug:assignment>/"
AUDIT = "o/<slug:org>/audits/<uuid:audit_id>/"

urlpatterns = [
    path("schema/", SpectacularJSONAPIView.as_view(), name="api-schema"),
    path("organizations/", organizations.Organizations.as_view(), name="api-organizations"),
    path("o/<slug:org>/cohorts/", cohorts.Cohorts.as_view(), name="api-cohorts"),
    path(COHORT, cohorts.OneCohort.as_view(), name="api-cohort"),
    path(f"{COHORT}assignments/", cohorts.Assignments.as_view(), name="api-assignments"),
    path(ASSIGNMENT, cohorts.OneAssignment.as_view(), name="api-assignment"),
    path(f"{ASSIGNMENT}submissions/", submissions.Submissions.as_view(), name="api-submissions"),
    path(
        "o/<slug:org>/submissions/<uuid:submission_id>/",
        submissions.OneSubmission.as_view(),
        name="api-submission",
    ),
    path(AUDIT, audits.OneAudit.as_view(), name="api-audit"),
    path(f"{AUDIT}report/", audits.Report.as_view(), name="api-audit-report"),
    path(f"{AUDIT}report.md", audits.ReportText.as_view(), name="api-audit-markdown"),
    re_path(r"^.*$", nowhere),
]
