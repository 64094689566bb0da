from django.db import migrations, models


class Migration(migrations.Migration):
    """The reconciler comes by every few seconds; whom a round of peers has to remind is looked up once an hour."""

    dependencies = [("grading", "0014_a_report_whose_subject_is_not_known")]

    operations = [
        migrations.AddField(
            model_name="pairinground",
            name="reminders_checked_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
