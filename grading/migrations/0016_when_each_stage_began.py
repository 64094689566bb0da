"""When each stage of a run began, and an index for how long the last audits took."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("grading", "0015_when_reminders_were_looked_after")]

    operations = [
        migrations.AddField("audit", "stage_times", models.JSONField(blank=True, default=dict)),
        migrations.AddIndex(
            "audit",
            models.Index(
                fields=["organization", "-finished_at"],
                condition=Q(report__isnull=False),
                name="audit_reported",
            ),
        ),
    ]
