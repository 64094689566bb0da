"""The tenant matrix: each route of the site, and what it answers to whom. Written by hand; a new URL gets its row here."""

from __future__ import annotations

from uuid import UUID

MISSING = UUID(int=0)
TRIAL = "0123456789abcdef"
COHORT, ASSIGNMENT, AUDIT = (
    "o/<slug:org>/c/<slug:cohort>/",
    "a/<slug:assignment>/",
    "o/<slug:org>/audits/<uuid:audit_id>/",
)
FEEDBACK = "o/<slug:org>/feedback/<uuid:report_id>/"
RUBRIC = "o/<slug:org>/rubrics/<int:version_id>/"

# student: whose work it is; classmate: of the same cohort; neighbour: of another cohort; foreigner: teaches in another
# institution; operator: runs the site, and is a member nowhere.
PERSONS = (
    "anonymous",
    "student",
    "classmate",
    "neighbour",
    "assistant",
    "instructor",
    "foreigner",
    "operator",
    "deactivated",
)
OUTSIDE_STAFF = tuple(person for person in PERSONS if person not in {"assistant", "instructor"})
EVERYBODY = (200,) * 9
LED_ON = (302,) * 9
NOBODY = (404,) * 9
MEMBERS = (302, 200, 200, 200, 200, 200, 404, 404, 302)
IN_THE_COHORT = (302, 200, 200, 404, 200, 200, 404, 404, 302)
STUDENTS = (302, 200, 200, 404, 404, 404, 404, 404, 302)
STAFF = (302, 404, 404, 404, 200, 200, 404, 404, 302)
# Notes are changed by their authors: of the world's note that is the assistant.
NOTE_AUTHOR = (302, 404, 404, 404, 200, 404, 404, 404, 302)
TEACHERS = (302, 404, 404, 404, 404, 200, 404, 404, 302)
# Only the editor's own form may overwrite a draft; a copy is made by a POST.
TEACHERS_WITHOUT_A_FORM = (302, 404, 404, 404, 404, 400, 404, 404, 302)
TEACHERS_ONLY_POST = (302, 404, 404, 404, 404, 405, 404, 404, 302)
TEACHERS_LED_ON = (302, 404, 404, 404, 404, 302, 404, 404, 302)
OWNER_AND_STAFF = (302, 200, 404, 404, 200, 200, 404, 404, 302)
OWNER_AND_TEACHERS = (302, 200, 404, 404, 404, 200, 404, 404, 302)
OWNER = (302, 200, 404, 404, 404, 404, 404, 404, 302)
# A platform's own message is missing.
LACKING = (400,) * 9
ONLY_POST = (405,) * 9
UNSIGNED = (401,) * 9
SIGNED_IN = (302, 200, 200, 200, 200, 200, 200, 200, 302)

# The API asks who one is, leads nobody to a form, and reads no form but a hand-in's.
PROGRAMS = (401, 200, 200, 200, 200, 200, 404, 404, 401)
PROGRAMS_IN_THE_COHORT = (401, 200, 200, 404, 200, 200, 404, 404, 401)
PROGRAMS_SIGNED_IN = (401, 200, 200, 200, 200, 200, 200, 200, 401)
PROGRAMS_OF_THE_OWNER = (401, 200, 404, 404, 200, 200, 404, 404, 401)
PROGRAMS_FOR_STAFF = (401, 404, 404, 404, 200, 200, 404, 404, 401)
PROGRAMS_ONLY_POST = (401, 405, 405, 405, 405, 405, 404, 404, 401)
PROGRAMS_OF_STAFF = (401, 404, 404, 404, 415, 415, 404, 404, 401)
PROGRAMS_IMPORTING = (401, 404, 404, 404, 404, 415, 404, 404, 401)
PROGRAMS_ANSWERING = (401, 415, 404, 404, 404, 404, 404, 404, 401)
PROGRAMS_COMMENTING = (401, 415, 404, 404, 415, 415, 404, 404, 401)
PROGRAMS_AUDITING = (401, 422, 404, 404, 404, 404, 404, 404, 401)
PROGRAMS_WITH_FINDINGS = (401, 200, 200, 404, 404, 404, 404, 404, 401)  # staff must say whose
PROGRAMS_HANDING_IN = (401, 400, 400, 404, 404, 404, 404, 404, 401)
PROGRAMS_OF_STUDENTS = (401, 200, 200, 404, 404, 404, 404, 404, 401)
PROGRAMS_OF_THE_STUDENT = (401, 200, 404, 404, 404, 404, 404, 404, 401)
PROGRAMS_GIVING_ACCESS = (401, 415, 415, 404, 404, 404, 404, 404, 401)
PROGRAMS_OF_TEACHERS = (401, 404, 404, 404, 404, 200, 404, 404, 401)
PROGRAMS_TESTING = (401, 404, 404, 404, 404, 202, 404, 404, 401)
PROGRAMS_CREATING = (401, 404, 404, 404, 404, 201, 404, 404, 401)
PROGRAMS_DELETING = (401, 404, 404, 404, 404, 204, 404, 404, 401)
API_COHORT = "api/v1/o/<slug:org>/cohorts/<slug:cohort>/"

API_REPOSITORY = f"{API_COHORT}repositories/<int:access_id>/"
API_PUSH_LINK = f"{API_COHORT}assignments/<slug:assignment>/push-links/<int:push_link_id>/"
API_WEBHOOK = "api/v1/o/<slug:org>/webhooks/<int:webhook_id>/"

# Forms of other sites: what protects them is in tests/lti.
SENT_FROM_PLATFORMS = ("lti/<uuid:platform>/login/", "lti/<uuid:platform>/launch/")
SENT_BY_CODE_HOSTS = ("hooks/github/", "hooks/<uuid:link_key>/")

# What GET answers, and for pages with a form what an empty POST answers.
ROWS: dict[str, tuple[tuple[int, ...], tuple[int, ...] | None]] = {
    "": (EVERYBODY, None),
    "favicon.ico": (LED_ON, None),
    "healthz": (EVERYBODY, None),
    "healthz/live": (EVERYBODY, None),
    "metrics": (
        NOBODY,
        None,
    ),  # but to the bearer of METRICS_TOKEN: tests/operations/test_metrics.py
    "organizations/new/": (SIGNED_IN, SIGNED_IN),
    "courses/new/": (SIGNED_IN, SIGNED_IN),
    "invitations/": (SIGNED_IN, SIGNED_IN),
    # Whoever holds the letter: tests/courses/test_invitations.py.
    "invitations/<str:token>/": (EVERYBODY, EVERYBODY),
    "join/": (EVERYBODY, None),
    "notices/": (SIGNED_IN, SIGNED_IN),
    # Who is enrolled is led on, and a visitor's POST to the sign-up: tests/courses/people/test_join.py.
    "join/<str:code>/": (
        (200, 302, 302, 200, 200, 200, 200, 200, 200),
        (302, 302, 302, 200, 200, 200, 200, 200, 302),
    ),
    # What a platform's page sends: tests/lti.
    "lti/<uuid:platform>/login/": (LACKING, LACKING),
    "lti/<uuid:platform>/launch/": (LACKING, LACKING),
    "lti/<uuid:platform>/keys.json": (EVERYBODY, None),
    # Another browser's launch, and a link that was used.
    "lti/<uuid:platform>/launches/<uuid:launch_id>/": (LACKING, LACKING),
    "lti/<uuid:platform>/frame/<str:secret>/": (EVERYBODY, None),
    "lti/<uuid:platform>/register/<str:token>/": (LACKING, None),
    # Whoever has the secret address: tests/calendars/test_calendar_feed.py.
    "calendar/<str:secret>.ics": (NOBODY, None),
    "api/v1/schema/": (EVERYBODY, None),
    "api/v1/^.*$": (NOBODY, None),
    "api/v1/organizations/": (PROGRAMS_SIGNED_IN, None),
    "api/v1/o/<slug:org>/appeals/": (PROGRAMS, None),
    "api/v1/o/<slug:org>/cohorts/": (PROGRAMS, None),
    API_COHORT: (PROGRAMS_IN_THE_COHORT, None),
    f"{API_COHORT}students/": (PROGRAMS_FOR_STAFF, PROGRAMS_IMPORTING),
    f"{API_COHORT}students/import/": (PROGRAMS_ONLY_POST, PROGRAMS_IMPORTING),
    f"{API_COHORT}assignments/": (PROGRAMS_IN_THE_COHORT, None),
    f"{API_COHORT}assignments/<slug:assignment>/": (PROGRAMS_IN_THE_COHORT, None),
    f"{API_COHORT}assignments/<slug:assignment>/submissions/": (
        PROGRAMS_IN_THE_COHORT,
        PROGRAMS_HANDING_IN,
    ),
    f"{API_COHORT}assignments/<slug:assignment>/extensions/": (
        PROGRAMS_FOR_STAFF,
        PROGRAMS_IMPORTING,
    ),
    f"{API_COHORT}assignments/<slug:assignment>/reviews/": (PROGRAMS_FOR_STAFF, None),
    f"{API_COHORT}assignments/<slug:assignment>/findings/": (PROGRAMS_WITH_FINDINGS, None),
    f"{API_COHORT}assignments/<slug:assignment>/preview/": (PROGRAMS_ONLY_POST, PROGRAMS_OF_STAFF),
    f"{API_COHORT}assignments/<slug:assignment>/export/": (PROGRAMS_ONLY_POST, PROGRAMS_OF_STAFF),
    f"{API_COHORT}pairings/": (PROGRAMS_IN_THE_COHORT, None),
    f"{API_COHORT}repositories/": (PROGRAMS_OF_STUDENTS, PROGRAMS_GIVING_ACCESS),
    API_REPOSITORY: (PROGRAMS_OF_THE_STUDENT, None),
    f"{API_COHORT}assignments/<slug:assignment>/repositories/": (
        PROGRAMS_OF_TEACHERS,
        PROGRAMS_TESTING,
    ),
    f"{API_COHORT}assignments/<slug:assignment>/repository/": (PROGRAMS_OF_THE_STUDENT, None),
    f"{API_COHORT}assignments/<slug:assignment>/push-links/": (
        PROGRAMS_OF_STUDENTS,
        PROGRAMS_GIVING_ACCESS,
    ),
    API_PUSH_LINK: (PROGRAMS_OF_THE_STUDENT, None),
    "api/v1/o/<slug:org>/findings/<uuid:finding_id>/": (PROGRAMS_OF_THE_OWNER, None),
    "api/v1/o/<slug:org>/findings/<uuid:finding_id>/answers/": (
        PROGRAMS_ONLY_POST,
        PROGRAMS_ANSWERING,
    ),
    "api/v1/o/<slug:org>/pairings/<uuid:pairing_id>/": (PROGRAMS_OF_THE_OWNER, PROGRAMS_AUDITING),
    "api/v1/o/<slug:org>/feedback/<uuid:report_id>/": (PROGRAMS_OF_THE_OWNER, None),
    "api/v1/o/<slug:org>/rubrics/": (PROGRAMS_FOR_STAFF, None),
    "api/v1/o/<slug:org>/rubrics/import/": (PROGRAMS_ONLY_POST, PROGRAMS_IMPORTING),
    "api/v1/o/<slug:org>/rubrics/<slug:rubric>/versions/": (PROGRAMS_FOR_STAFF, None),
    "api/v1/o/<slug:org>/versions/<int:version_id>/": (PROGRAMS_FOR_STAFF, None),
    "api/v1/o/<slug:org>/submissions/<uuid:submission_id>/": (PROGRAMS_OF_THE_OWNER, None),
    "api/v1/o/<slug:org>/submissions/<uuid:submission_id>/comments/": (
        PROGRAMS_OF_THE_OWNER,
        PROGRAMS_OF_STAFF,
    ),
    "api/v1/o/<slug:org>/submissions/<uuid:submission_id>/comments/release/": (
        PROGRAMS_ONLY_POST,
        PROGRAMS_OF_TEACHERS,
    ),
    "api/v1/o/<slug:org>/rubrics/<slug:rubric>/comments/": (PROGRAMS_FOR_STAFF, PROGRAMS_OF_STAFF),
    "api/v1/o/<slug:org>/comments/<int:comment_id>/answers/": (
        PROGRAMS_ONLY_POST,
        PROGRAMS_COMMENTING,
    ),
    "api/v1/o/<slug:org>/submissions/<uuid:submission_id>/notes/": (PROGRAMS_FOR_STAFF, None),
    "api/v1/o/<slug:org>/audits/<uuid:audit_id>/": (PROGRAMS_OF_THE_OWNER, None),
    "api/v1/o/<slug:org>/audits/<uuid:audit_id>/report/": (PROGRAMS_OF_THE_OWNER, None),
    "api/v1/o/<slug:org>/audits/<uuid:audit_id>/report.md": (PROGRAMS_OF_THE_OWNER, None),
    "api/v1/o/<slug:org>/audits/<uuid:audit_id>/report.sarif": (PROGRAMS_OF_THE_OWNER, None),
    "api/v1/o/<slug:org>/audits/<uuid:audit_id>/report.junit.xml": (PROGRAMS_OF_THE_OWNER, None),
    "api/v1/o/<slug:org>/platforms/": (PROGRAMS_OF_TEACHERS, None),
    f"{API_COHORT}assignments/<slug:assignment>/gradebooks/": (
        PROGRAMS_FOR_STAFF,
        PROGRAMS_IMPORTING,
    ),
    f"{API_COHORT}courses/": (PROGRAMS_OF_TEACHERS, None),
    "api/v1/o/<slug:org>/webhooks/": (PROGRAMS_OF_TEACHERS, PROGRAMS_IMPORTING),
    API_WEBHOOK: (PROGRAMS_OF_TEACHERS, None),
    f"{API_WEBHOOK}deliveries/": (PROGRAMS_OF_TEACHERS, None),
    f"{API_WEBHOOK}deliveries/<uuid:delivery_id>/redeliveries/": (
        PROGRAMS_ONLY_POST,
        PROGRAMS_TESTING,
    ),
    f"{API_WEBHOOK}secrets/": (PROGRAMS_ONLY_POST, PROGRAMS_CREATING),
    f"{API_WEBHOOK}test/": (PROGRAMS_ONLY_POST, PROGRAMS_TESTING),
    "o/<slug:org>/": (MEMBERS, None),
    "o/<slug:org>/appeals/": (MEMBERS, TEACHERS),
    "o/<slug:org>/appeals/<int:appeal_id>/": (OWNER_AND_STAFF, OWNER_AND_TEACHERS),
    "o/<slug:org>/appeals/<int:appeal_id>/hand/": (TEACHERS, TEACHERS),
    "o/<slug:org>/checks/try/": (TEACHERS_LED_ON, None),
    "o/<slug:org>/checks/try/<uuid:audit_id>/<slug:key>/": (TEACHERS, None),
    "o/<slug:org>/rubrics/<slug:rubric>/comments/": (STAFF, STAFF),
    "o/<slug:org>/rubrics/<slug:rubric>/comments/matches/": (STAFF, None),
    "o/<slug:org>/rubrics/<slug:rubric>/comments/<int:entry_id>/": (STAFF, STAFF),
    "o/<slug:org>/comments/": (MEMBERS, None),
    "o/<slug:org>/comments/<int:comment_id>/": (OWNER_AND_STAFF, OWNER_AND_STAFF),
    f"{AUDIT}comments/": (OWNER_AND_STAFF, None),
    f"{AUDIT}comments/new/": (STAFF, STAFF),
    f"{AUDIT}comments/release/": (TEACHERS, TEACHERS),
    "o/<slug:org>/leave/": (MEMBERS, MEMBERS),
    "o/<slug:org>/log/": (TEACHERS, None),
    "o/<slug:org>/models/": (TEACHERS, TEACHERS),
    "o/<slug:org>/notices/": (MEMBERS, MEMBERS),
    "o/<slug:org>/notes/<int:note_id>/": (NOTE_AUTHOR, NOTE_AUTHOR),
    "o/<slug:org>/submissions/<uuid:submission_id>/notes/": (STAFF, STAFF),
    "o/<slug:org>/operations/": (STAFF, None),
    "o/<slug:org>/rubrics/": (STAFF, None),
    "o/<slug:org>/rubrics/new/": (TEACHERS, TEACHERS),
    "o/<slug:org>/rubrics/import/": (TEACHERS, TEACHERS),
    RUBRIC: (STAFF, None),
    f"{RUBRIC}edit/": (TEACHERS, TEACHERS_WITHOUT_A_FORM),
    f"{RUBRIC}decisions/": (STAFF, STAFF),
    f"{RUBRIC}difference/": (STAFF, None),
    f"{RUBRIC}duplicate/": (TEACHERS_ONLY_POST, TEACHERS_LED_ON),
    f"{RUBRIC}export.json": (STAFF, None),
    f"{RUBRIC}imported/": (STAFF, None),
    f"{RUBRIC}publish/": (TEACHERS, TEACHERS),
    f"{RUBRIC}try/": (TEACHERS_ONLY_POST, TEACHERS),
    "o/<slug:org>/repositories/": (TEACHERS, TEACHERS),
    "o/<slug:org>/repositories/<int:shared_id>/": (TEACHERS, TEACHERS),
    # Webhooks of code hosts, by POST and a signature alone: tests/pushes/test_webhooks.py.
    "hooks/github/": (ONLY_POST, UNSIGNED),
    "hooks/<uuid:link_key>/": (ONLY_POST, UNSIGNED),
    # GitHub leads people back here: tests/repositories/test_github_links.py.
    "github/callback/": (LED_ON, None),
    f"{COHORT}repositories/": (STUDENTS, STUDENTS),
    f"{COHORT}repositories/github/": (STUDENTS, STUDENTS),
    f"{COHORT}repositories/<int:access_id>/": (OWNER, OWNER),
    "o/<slug:org>/search/": (STAFF, None),
    "o/<slug:org>/settings/": (TEACHERS, TEACHERS),
    "o/<slug:org>/staff/": (TEACHERS, TEACHERS),
    "o/<slug:org>/view/end/": (
        (302, 302, 302, 302, 302, 302, 404, 404, 302),
        (302, 302, 302, 302, 302, 302, 404, 404, 302),
    ),
    "o/<slug:org>/connections/": (MEMBERS, MEMBERS),
    f"{COHORT}platforms/": (TEACHERS, TEACHERS),
    f"{COHORT}platforms/<int:link_id>/": (TEACHERS, TEACHERS),
    f"{COHORT}{ASSIGNMENT}gradebooks/": (STAFF, TEACHERS),
    "o/<slug:org>/platforms/": (TEACHERS, TEACHERS),
    "o/<slug:org>/platforms/<int:platform_id>/": (TEACHERS, TEACHERS),
    # The instructor's own launch.
    "o/<slug:org>/launches/<uuid:launch_id>/course/": (TEACHERS, TEACHERS),
    "o/<slug:org>/launches/<uuid:launch_id>/link/": (TEACHERS, TEACHERS),
    "o/<slug:org>/launches/<uuid:launch_id>/choice/": (TEACHERS, TEACHERS),
    "o/<slug:org>/webhooks/": (TEACHERS, TEACHERS),
    "o/<slug:org>/webhooks/<int:webhook_id>/": (TEACHERS, TEACHERS),
    "o/<slug:org>/c/new/": (TEACHERS, TEACHERS),
    f"{COHORT}settings/": (TEACHERS, TEACHERS),
    COHORT: (IN_THE_COHORT, None),
    f"{COHORT}log/": (STAFF, None),
    f"{COHORT}copy/": (TEACHERS, TEACHERS),
    f"{COHORT}archive/": (TEACHERS, TEACHERS),
    f"{COHORT}delete/": (TEACHERS, TEACHERS),
    f"{COHORT}people/": (STAFF, TEACHERS),
    f"{COHORT}people/add/": (TEACHERS, TEACHERS),
    f"{COHORT}people/<int:student_id>/": (STAFF, TEACHERS),
    # Who begins is led to the cohort, as the student sees it: tests/courses/people/test_view_as.py.
    f"{COHORT}people/<int:student_id>/view/": (
        STAFF,
        (302, 404, 404, 404, 302, 302, 404, 404, 302),
    ),
    f"{COHORT}people/<int:student_id>/remove/": (TEACHERS, TEACHERS),
    f"{COHORT}people/join-link/": (TEACHERS, TEACHERS),
    f"{COHORT}roster/": (TEACHERS, TEACHERS),
    f"{COHORT}a/new/": (TEACHERS, TEACHERS),
    f"{COHORT}{ASSIGNMENT}": (IN_THE_COHORT, None),
    f"{COHORT}{ASSIGNMENT}rubric/": (IN_THE_COHORT, None),
    f"{COHORT}{ASSIGNMENT}settings/": (TEACHERS, TEACHERS),
    f"{COHORT}{ASSIGNMENT}extensions/": (STAFF, TEACHERS),
    f"{COHORT}{ASSIGNMENT}extensions/<int:extension_id>/": (TEACHERS, TEACHERS),
    # Assistants read the teams; students and teachers change them.
    f"{COHORT}{ASSIGNMENT}teams/": (IN_THE_COHORT, (302, 200, 200, 404, 404, 200, 404, 404, 302)),
    f"{COHORT}{ASSIGNMENT}submit/": (STUDENTS, STUDENTS),
    f"{COHORT}{ASSIGNMENT}repository/": (STUDENTS, STUDENTS),
    f"{COHORT}{ASSIGNMENT}repositories/": (TEACHERS, TEACHERS),
    f"{COHORT}{ASSIGNMENT}pushes/": (STUDENTS, STUDENTS),
    f"{COHORT}{ASSIGNMENT}bulk/": (TEACHERS, TEACHERS),
    "o/<slug:org>/bulk/<uuid:bulk_id>/": (STAFF, None),
    "o/<slug:org>/bulk/<uuid:bulk_id>/progress/": (STAFF, None),
    "o/<slug:org>/bulk/<uuid:bulk_id>/cancel/": (TEACHERS, TEACHERS),
    f"{COHORT}{ASSIGNMENT}queue/": (STAFF, STAFF),
    f"{COHORT}{ASSIGNMENT}queue/plan/": (TEACHERS, TEACHERS),
    f"{COHORT}{ASSIGNMENT}queue/<int:enrollment_id>/": (STAFF, STAFF),
    f"{COHORT}{ASSIGNMENT}queue/<int:enrollment_id>/open/": (STAFF, STAFF),
    f"{COHORT}{ASSIGNMENT}queue/<int:position>/<int:enrollment_id>/": (STAFF, STAFF),
    f"{COHORT}{ASSIGNMENT}grades/": (STAFF, None),
    f"{COHORT}{ASSIGNMENT}grades/release/": (TEACHERS, TEACHERS),
    f"{COHORT}{ASSIGNMENT}grades/sample/": (STAFF, None),
    f"{COHORT}{ASSIGNMENT}agreement/": (STAFF, None),
    f"{COHORT}{ASSIGNMENT}agreement/sample/": (TEACHERS, TEACHERS),
    f"{COHORT}{ASSIGNMENT}agreement/<int:sample_id>/<int:place>/": (STAFF, STAFF),
    f"{COHORT}{ASSIGNMENT}agreement/<int:sample_id>/<int:place>/report.pdf": (STAFF, None),
    f"{COHORT}{ASSIGNMENT}preview/<int:version_id>/": (STAFF, None),
    f"{COHORT}{ASSIGNMENT}preview/<int:version_id>/adopt/": (TEACHERS, TEACHERS),
    f"{COHORT}{ASSIGNMENT}export/": (STAFF, STAFF),
    f"{COHORT}peers/": (IN_THE_COHORT, None),
    f"{COHORT}{ASSIGNMENT}reports/new/": (STUDENTS, STUDENTS),
    f"{COHORT}{ASSIGNMENT}audit.zip": (STUDENTS, None),
    f"{COHORT}{ASSIGNMENT}peers/new/": (TEACHERS, TEACHERS),
    f"{COHORT}{ASSIGNMENT}peers/<int:number>/": (STAFF, None),
    f"{COHORT}{ASSIGNMENT}peers/<int:number>/remind/": (TEACHERS, TEACHERS),
    f"{COHORT}{ASSIGNMENT}peers/<int:number>/change/": (TEACHERS, TEACHERS),
    "o/<slug:org>/pairings/<uuid:pairing_id>/": (OWNER_AND_STAFF, OWNER),
    FEEDBACK: (OWNER_AND_STAFF, None),
    "o/<slug:org>/feedback/<uuid:received_id>/complain/": (OWNER, OWNER),
    "o/<slug:org>/complaints/": (STAFF, None),
    "o/<slug:org>/complaints/<int:complaint_id>/": (STAFF, TEACHERS),
    f"{FEEDBACK}report.json": (OWNER_AND_STAFF, None),
    f"{FEEDBACK}report.md": (OWNER_AND_STAFF, None),
    f"{FEEDBACK}original": (OWNER_AND_STAFF, None),
    f"{COHORT}{ASSIGNMENT}findings/": (IN_THE_COHORT, None),
    f"{COHORT}{ASSIGNMENT}findings/<uuid:finding_id>/": (OWNER_AND_STAFF, OWNER),
    # Staff who name no student are led to where they choose one.
    f"{COHORT}{ASSIGNMENT}loop/": ((302, 200, 200, 404, 302, 302, 404, 404, 302), None),
    f"{COHORT}{ASSIGNMENT}communication/": (IN_THE_COHORT, STUDENTS),
    f"{COHORT}{ASSIGNMENT}peers/facts/": (STAFF, None),
    f"{COHORT}{ASSIGNMENT}peers/facts.csv": (STAFF, None),
    AUDIT: (OWNER_AND_STAFF, None),
    f"{AUDIT}progress/": (OWNER_AND_STAFF, None),
    f"{AUDIT}report.md": (OWNER_AND_STAFF, None),
    f"{AUDIT}report.json": (OWNER_AND_STAFF, None),
    f"{AUDIT}report.sarif": (OWNER_AND_STAFF, None),
    f"{AUDIT}report.junit.xml": (OWNER_AND_STAFF, None),
    f"{AUDIT}code/": (OWNER_AND_STAFF, None),
    f"{AUDIT}pdf/": (OWNER_AND_STAFF, None),
    f"{AUDIT}report.pdf": (OWNER_AND_STAFF, None),
    f"{AUDIT}criteria/<int:position>/appeal/": (OWNER, OWNER),
    f"{AUDIT}criteria/<int:position>/override/": (TEACHERS, TEACHERS),
    f"{AUDIT}withdraw/": (OWNER, OWNER),
    f"{AUDIT}choose/": (OWNER, OWNER),
    f"{AUDIT}count/": (TEACHERS, TEACHERS),
    f"{AUDIT}results/<int:grade_id>/": (TEACHERS, TEACHERS),
    f"{AUDIT}take-back/": (TEACHERS, TEACHERS),
}
# What else may be done there, and what it answers when nothing is sent along.
ALSO: dict[tuple[str, str], tuple[int, ...]] = {
    ("patch", API_WEBHOOK): PROGRAMS_OF_TEACHERS,
    ("delete", API_WEBHOOK): PROGRAMS_DELETING,
    ("delete", API_PUSH_LINK): (401, 204, 404, 404, 404, 404, 404, 404, 401),
    ("delete", API_REPOSITORY): (401, 204, 404, 404, 404, 404, 404, 404, 401),
}
# allauth's own pages; none of them shows a tenant's data (tests/accounts/test_signing_in.py). Named, so that a new one is
# noticed. Of the last two rows nothing is there unless signing in elsewhere is configured.
# Tokens are a person's own: tests/api/test_api_tokens.py.
ACCOUNTS = {
    "tokens/",
    "tokens/<int:token_id>/revoke/",
    "times/",
    "times/calendar/",
    "times/calendar/revoke/",
    "login/",
    "logout/",
    "inactive/",
    "signup/",
    "reauthenticate/",
    "email/",
    "confirm-email/",
    "password/change/",
    "password/set/",
    "password/reset/",
    "login/code/confirm/",
    r"^confirm-email/(?P<key>[-:\w]+)/$",
    "password/reset/key/done/",
    r"^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
    "password/reset/done/",
    "2fa/",
    "2fa/authenticate/",
    "2fa/reauthenticate/",
    "2fa/totp/activate/",
    "2fa/totp/deactivate/",
    "2fa/recovery-codes/",
    "2fa/recovery-codes/download/",
    "2fa/recovery-codes/generate/",
    "3rdparty/",
    "3rdparty/login/cancelled/",
    "3rdparty/login/error/",
    "3rdparty/signup/",
    "github/login/",
    "github/login/callback/",
    "oidc/^(?P<provider_id>[^/]+)/login/",
    "oidc/^(?P<provider_id>[^/]+)/login/callback/",
}
NOWHERE = {
    "extension_id": 0,
    "appeal_id": 0,
    "token": "missing",
    "secret": "missing",
    "code": "missing",
    "comment_id": 0,
    "entry_id": 0,
    "complaint_id": 0,
    "bulk_id": MISSING,
    "submission_id": MISSING,
    "rubric": "missing",
    "org": "missing",
    "cohort": "missing",
    "assignment": "missing",
    "audit_id": MISSING,
    "pairing_id": MISSING,
    "number": 0,
    "received_id": MISSING,
    "report_id": MISSING,
    "version_id": 0,
    "finding_id": MISSING,
    "key": TRIAL,
    "sample_id": 0,
    "webhook_id": 0,
    "platform": MISSING,
    "platform_id": 0,
    "link_id": 0,
    "launch_id": MISSING,
    "delivery_id": MISSING,
    "note_id": 0,
    "student_id": 0,
    "enrollment_id": 0,
    "access_id": 0,
    "shared_id": 0,
    "link_key": MISSING,
    "push_link_id": 0,
    "grade_id": 0,
    "place": 1,
    "position": 0,
}
