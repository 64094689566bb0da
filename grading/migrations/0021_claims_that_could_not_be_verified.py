from django.db import migrations, models

# What counts by now is flagged as it would be if it were counted today.
FLAG_WHAT_COUNTS = """
UPDATE grading_grade SET unverified = true FROM grading_audit
WHERE grading_audit.id = grading_grade.audit_id
  AND (grading_audit.report->'errors' @> '[{"code": "evidence_unverified"}]'
       OR grading_audit.report->'errors' @> '[{"code": "citations_removed"}]')
"""


class Migration(migrations.Migration):
    dependencies = [("grading", "0020_what_students_open_report_and_find_helpful")]

    operations = [
        migrations.AddField(
            model_name="grade",
            name="unverified",
            field=models.BooleanField(default=False),
        ),
        migrations.RunSQL(FLAG_WHAT_COUNTS, migrations.RunSQL.noop),
    ]
