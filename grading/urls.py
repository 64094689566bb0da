"""The site's pages. Everything of one organization lies under /o/<org>/, where TenantMiddleware enters its scope."""

from django.urls import path

from grading.views import (
    adoption,
    agreement,
    appeals,
    assignments,
    audits,
    bulk,
    cohorts,
    exports,
    grades,
    health,
    home,
    log,
    metrics,
    notices,
    organizations,
    previews,
    trials,
    verdicts,
)

ASSIGNMENT = "o/<slug:org>/c/<slug:cohort>/a/<slug:assignment>/"
AUDIT = "o/<slug:org>/audits/<uuid:audit_id>/"
BULK = "o/<slug:org>/bulk/<uuid:bulk_id>/"

urlpatterns = [
    path("", home.home, name="home"),
    path("healthz", health.healthz, name="healthz"),
    path("healthz/live", health.live, name="healthz-live"),
    path("metrics", metrics.metrics, name="metrics"),
    path("organizations/new/", organizations.organization_new, name="organization-new"),
    path("o/<slug:org>/", organizations.organization, name="organization"),
    path("o/<slug:org>/appeals/", appeals.appeals, name="appeals"),
    path("o/<slug:org>/appeals/<int:appeal_id>/", appeals.appeal, name="appeal"),
    path("o/<slug:org>/checks/try/", trials.try_check, name="try-check"),
    path("o/<slug:org>/checks/try/<uuid:audit_id>/<slug:key>/", trials.trial, name="trial"),
    path("o/<slug:org>/notices/", notices.notices, name="notices"),
    path("o/<slug:org>/c/new/", cohorts.cohort_new, name="cohort-new"),
    path("o/<slug:org>/c/<slug:cohort>/", cohorts.cohort, name="cohort"),
    path("o/<slug:org>/c/<slug:cohort>/log/", log.log, name="log"),
    path("o/<slug:org>/c/<slug:cohort>/roster/", cohorts.roster, name="roster"),
    path("o/<slug:org>/c/<slug:cohort>/a/new/", assignments.assignment_new, name="assignment-new"),
    path(ASSIGNMENT, assignments.assignment, name="assignment"),
    path(f"{ASSIGNMENT}submit/", assignments.submit, name="submit"),
    path(f"{ASSIGNMENT}bulk/", bulk.bulk, name="bulk"),
    path(BULK, bulk.run, name="bulk-run"),
    path(f"{BULK}progress/", bulk.progress, name="bulk-progress"),
    path(f"{BULK}cancel/", bulk.cancel, name="bulk-cancel"),
    path(f"{ASSIGNMENT}grades/", grades.grades, name="grades"),
    path(f"{ASSIGNMENT}grades/release/", grades.release, name="release"),
    path(f"{ASSIGNMENT}grades/sample/", grades.sample, name="sample"),
    path(f"{ASSIGNMENT}agreement/", agreement.agreement, name="agreement"),
    path(f"{ASSIGNMENT}agreement/sample/", agreement.blind_sample, name="blind-sample"),
    path(f"{ASSIGNMENT}agreement/<int:sample_id>/<int:place>/", agreement.blind, name="blind"),
    path(
        f"{ASSIGNMENT}agreement/<int:sample_id>/<int:place>/report.pdf",
        agreement.blind_pdf,
        name="blind-pdf",
    ),
    path(f"{ASSIGNMENT}preview/<int:version_id>/", previews.preview, name="preview"),
    path(f"{ASSIGNMENT}preview/<int:version_id>/adopt/", adoption.adopt, name="adopt"),
    path(f"{ASSIGNMENT}export/", exports.export, name="export"),
    path(AUDIT, audits.audit, name="audit"),
    path(f"{AUDIT}progress/", audits.progress, name="audit-progress"),
    path(f"{AUDIT}criteria/<int:position>/appeal/", appeals.appeal_new, name="appeal-new"),
    path(f"{AUDIT}report.md", audits.report_markdown, name="audit-markdown"),
    path(f"{AUDIT}report.json", audits.report_json, name="audit-json"),
    path(f"{AUDIT}criteria/<int:position>/override/", verdicts.override, name="override"),
    path(f"{AUDIT}count/", verdicts.count, name="count"),
]
