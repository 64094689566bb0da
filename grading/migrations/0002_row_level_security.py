"""Row-level security on every tenant table, and a role for the site that owns none of them.

A login that may make roles makes the role; else the server's administrator made it
(docs/operations.md). Without it the site works as the tables' owner, whom the forced policies bind
as well; a login that they would not bind is refused.
"""

from django.db import migrations

from grading.core.rls.policies import ERRAND, PERSON, read_policy, tenant_policy

ROLE = """
DO $$
DECLARE
    login pg_roles := (SELECT r FROM pg_roles r WHERE rolname = current_user);
BEGIN
    IF (login.rolsuper OR login.rolcreaterole)
        AND NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'auditor_site')
    THEN
        CREATE ROLE auditor_site NOLOGIN;
        EXECUTE format('GRANT auditor_site TO %I', current_user);
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL; -- another database's migration made it at this very moment
END $$;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'auditor_site') THEN
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO auditor_site;
        GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO auditor_site;
        ALTER DEFAULT PRIVILEGES IN SCHEMA public
            GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO auditor_site;
        ALTER DEFAULT PRIVILEGES IN SCHEMA public
            GRANT USAGE, SELECT ON SEQUENCES TO auditor_site;
    ELSIF (SELECT rolbypassrls FROM pg_roles WHERE rolname = current_user) THEN
        RAISE EXCEPTION 'row-level security does not bind this login: make the role auditor_site first, '
            'as docs/operations.md says';
    END IF;
END $$;
"""
DROP_GRANTS = """
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'auditor_site') THEN
        ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON TABLES FROM auditor_site;
        ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE ALL ON SEQUENCES FROM auditor_site;
        REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM auditor_site;
        REVOKE ALL ON ALL TABLES IN SCHEMA public FROM auditor_site;
    END IF;
END $$;
"""

TABLES = (
    "activity",
    "appeal",
    "assignment",
    "audit",
    "auditcontents",
    "bankedcomment",
    "blindgrade",
    "blindsample",
    "bulkitem",
    "bulkrun",
    "cohort",
    "comment",
    "commentreply",
    "communicationentry",
    "complaint",
    "criterionverdict",
    "duereminder",
    "enrollment",
    "evidencerecord",
    "extension",
    "feedbackedition",
    "feedbackreport",
    "finding",
    "findinghelp",
    "findingresponse",
    "findingsighting",
    "grade",
    "gradeadjustment",
    "idempotencykey",
    "invitation",
    "joinlink",
    "ltiaccount",
    "lticontext",
    "lticourselink",
    "ltideployment",
    "ltikey",
    "ltilaunch",
    "ltilineitem",
    "ltimember",
    "ltiregistration",
    "ltiresourcelink",
    "ltiscore",
    "membership",
    "modelusage",
    "notice",
    "noticedaily",
    "noticeoptout",
    "opening",
    "opinionrecord",
    "organizationbench",
    "orphanedupload",
    "override",
    "pairing",
    "pairinground",
    "push",
    "pushlink",
    "repositoryaccess",
    "repositorygrant",
    "repositorymember",
    "repositorytemplate",
    "reviewmark",
    "reviewpresence",
    "reviewshare",
    "roundidentities",
    "roundmember",
    "rubric",
    "rubricversion",
    "staffnote",
    "studentrepository",
    "submission",
    "supersededreport",
    "team",
    "teammember",
    "webhook",
    "webhookdelivery",
)

# Invitations to an address of the person's account.
INVITED_ME = f"""
email = ANY ((SELECT array_agg(lower) FROM (
    SELECT lower(email) FROM account_emailaddress WHERE user_id = {PERSON}
    UNION SELECT lower(email) FROM auth_user WHERE id = {PERSON} AND email <> ''
) AS mine)::text[])
"""
# The reconciler looks for waiting work over all organizations.
DISPATCH = f"{ERRAND} = 'dispatch'"


class Migration(migrations.Migration):
    dependencies = [
        ("grading", "0001_schema"),
        # INVITED_ME reads its table.
        ("account", "0009_emailaddress_unique_primary_email"),
    ]

    operations = [
        migrations.RunSQL(ROLE, DROP_GRANTS),
        *(tenant_policy(f"grading_{table}") for table in TABLES),
        read_policy("own_membership", "grading_membership", f"user_id = {PERSON}"),
        read_policy("invited_me", "grading_invitation", INVITED_ME),
        read_policy("dispatch", "grading_audit", f"{DISPATCH} AND state IN ('queued', 'running')"),
        read_policy("letters", "grading_notice", f"{DISPATCH} AND sent_at IS NULL"),
        # The limit of invitations to one address counts those of all organizations.
        read_policy("invitation_letters", "grading_notice", f"{DISPATCH} AND kind = 'invitation'"),
        read_policy("bulk_runs", "grading_bulkrun", f"{DISPATCH} AND state = 'running'"),
        read_policy("rounds", "grading_pairinground", DISPATCH),
        read_policy(
            "fixes_to_verify",
            "grading_findingresponse",
            f"{DISPATCH} AND kind = 'fixed' AND verified IS NULL AND replaced_at IS NULL",
        ),
        read_policy(
            "editions_to_make", "grading_feedbackedition", f"{DISPATCH} AND state = 'waiting'"
        ),
        read_policy("orphaned_uploads", "grading_orphanedupload", DISPATCH),
        read_policy("webhooks", "grading_webhookdelivery", f"{DISPATCH} AND state = 'waiting'"),
        read_policy("scores", "grading_ltiscore", f"{DISPATCH} AND state = 'waiting'"),
        read_policy(
            "rosters", "grading_lticourselink", f"{DISPATCH} AND roster_next_at IS NOT NULL"
        ),
        read_policy("due_dates", "grading_assignment", f"{DISPATCH} AND due_at IS NOT NULL"),
        read_policy("due_dates", "grading_extension", f"{DISPATCH} AND due_at IS NOT NULL"),
        read_policy("staff_emails", "grading_noticedaily", f"{DISPATCH} AND kind = 'staff_daily'"),
        # Whoever knows the code of a join link reads that link.
        read_policy("joining", "grading_joinlink", f"{ERRAND} = 'join:' || code"),
        # Every address for a learning platform holds the key of its registration.
        read_policy("launching", "grading_ltiregistration", f"{ERRAND} = 'lti:' || key"),
        # A webhook names the link in its address, or GitHub the repository in what it signed.
        read_policy("pushing", "grading_pushlink", f"{ERRAND} = 'push:' || key"),
        read_policy("pushing_by_app", "grading_pushlink", f"{ERRAND} = 'github:' || repository_id"),
        read_policy(
            "repositories", "grading_studentrepository", f"{DISPATCH} AND next_at IS NOT NULL"
        ),
        read_policy(
            "pushes",
            "grading_push",
            f"{DISPATCH} AND (state = 'waiting' OR answer_at IS NOT NULL)",
        ),
    ]
