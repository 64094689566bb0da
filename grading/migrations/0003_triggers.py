"""Triggers: the activity log is append-only, and a published rubric never changes.

TRUNCATE fires no row trigger, so test databases can still be emptied.
"""

from django.db import migrations

APPEND_ONLY = """
CREATE FUNCTION grading_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER activity_is_append_only BEFORE UPDATE OR DELETE ON grading_activity
    FOR EACH ROW EXECUTE FUNCTION grading_refuse_change();
"""
DROP_APPEND_ONLY = """
DROP TRIGGER activity_is_append_only ON grading_activity;
DROP FUNCTION grading_refuse_change();
"""

SEALED = """
CREATE FUNCTION grading_keep_published_rubric() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.state = 'published' AND NEW.state IN ('published', 'superseded')
        AND (NEW.rubric_id, NEW.organization_id, NEW.number, NEW.document, NEW.digest, NEW.published_at)
            = (OLD.rubric_id, OLD.organization_id, OLD.number, OLD.document, OLD.digest, OLD.published_at)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a published rubric version never changes' USING ERRCODE = 'integrity_constraint_violation';
END $$;
CREATE TRIGGER published_rubric_stays BEFORE UPDATE OR DELETE ON grading_rubricversion
    FOR EACH ROW WHEN (OLD.state <> 'draft') EXECUTE FUNCTION grading_keep_published_rubric();
"""
DROP_SEALED = """
DROP TRIGGER published_rubric_stays ON grading_rubricversion;
DROP FUNCTION grading_keep_published_rubric();
"""


class Migration(migrations.Migration):
    dependencies = [("grading", "0002_row_level_security")]

    operations = [
        migrations.RunSQL(APPEND_ONLY, DROP_APPEND_ONLY),
        migrations.RunSQL(SEALED, DROP_SEALED),
    ]
