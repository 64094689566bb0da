"""Row-level security of invitations.

A person sees the invitations of their addresses. They no longer see the roster itself: nothing is
linked before an acceptance.
"""

from django.db import migrations

from grading.core.rls.policies import ERRAND, PERSON, read_policy, tenant_policy

MY_ADDRESSES = f"""
SELECT lower(email) FROM account_emailaddress WHERE user_id = {PERSON}
UNION SELECT lower(email) FROM auth_user WHERE id = {PERSON} AND email <> ''
"""
INVITED_ME = f"email = ANY ((SELECT array_agg(lower) FROM ({MY_ADDRESSES}) AS mine)::text[])"
# As 0002_row_level_security created it.
WAITING_FOR_ME = f"""
user_id IS NULL AND lower(email) = ANY ((SELECT array_agg(lower(mine.email)) FROM (
    SELECT email FROM account_emailaddress WHERE user_id = {PERSON}
    UNION SELECT email FROM auth_user WHERE id = {PERSON} AND email <> ''
) AS mine)::text[])
"""
# The limit of invitations to one address counts those of all organizations.
INVITATION_LETTERS = f"{ERRAND} = 'dispatch' AND kind = 'invitation'"


class Migration(migrations.Migration):
    dependencies = [("grading", "0005_invitations")]

    operations = [
        tenant_policy("grading_invitation"),
        read_policy("invited_me", "grading_invitation", INVITED_ME),
        read_policy("invitation_letters", "grading_notice", INVITATION_LETTERS),
        migrations.RunSQL(
            "DROP POLICY waiting_for_me ON grading_enrollment;",
            f"CREATE POLICY waiting_for_me ON grading_enrollment FOR SELECT USING ({WAITING_FOR_ME});",
        ),
    ]
