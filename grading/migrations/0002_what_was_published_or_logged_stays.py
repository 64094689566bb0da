"""Two promises kept by the database itself: the log only grows, and a published rubric stays as it was.

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
APPEND_ONLY_BACK = """
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
SEALED_BACK = """
DROP TRIGGER published_rubric_stays ON grading_rubricversion;
DROP FUNCTION grading_keep_published_rubric();
"""


class Migration(migrations.Migration):
    dependencies = [("grading", "0001_the_first_records")]

    operations = [
        migrations.RunSQL(APPEND_ONLY, APPEND_ONLY_BACK),
        migrations.RunSQL(SEALED, SEALED_BACK),
    ]
